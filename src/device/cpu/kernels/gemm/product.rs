//! [`Product`] describes one matrix product. Every implementation of matrix products implements the trait [`MatrixProduct`].

use crate::device::HostPtr;
use crate::element::Scalar;
use crate::error::Error;
use crate::layout::odometer::Odometer;
use core::any::TypeId;
use num_traits::Zero;

/// A strided matrix.
#[derive(Debug)]
pub(super) struct Matrix<T> {
    pub(super) ptr: HostPtr<T>,
    /// Stride from one row to the next, in elements.
    pub(super) down: isize,
    /// Stride from one column to the next, in elements.
    pub(super) right: isize,
}

impl<T> Clone for Matrix<T> {
    fn clone(&self) -> Self {
        *self
    }
}
impl<T> Copy for Matrix<T> {}

impl<T> Matrix<T> {
    pub(super) fn new(ptr: HostPtr<T>, [down, right]: [isize; 2]) -> Self {
        Matrix { ptr, down, right }
    }
    pub(super) fn transposed(self) -> Self {
        Matrix { ptr: self.ptr, down: self.right, right: self.down }
    }
    /// Returns the submatrix that begins at element (`row`, `column`).
    #[inline]
    pub(super) fn from(self, row: usize, column: usize) -> Self {
        self.moved(row as isize * self.down + column as isize * self.right)
    }
    /// Returns the matrix with its first element moved by a number of elements. The strides stay the same.
    #[inline]
    pub(super) fn moved(self, elements: isize) -> Self {
        Matrix { ptr: self.ptr.offset(elements), ..self }
    }
}

/// The product `c = alpha · a · b + beta · c`, where `a` is `m` × `k`, `b` is `k` × `n`, and `c` is `m` × `n`.
#[derive(Debug, Clone, Copy)]
pub(super) struct Product<T> {
    pub(super) m: usize,
    pub(super) k: usize,
    pub(super) n: usize,
    pub(super) a: Matrix<T>,
    pub(super) b: Matrix<T>,
    pub(super) c: Matrix<T>,
    pub(super) alpha: T,
    pub(super) beta: T,
    /// Whether `a` and `b` are conjugated.
    pub(super) conjugate: [bool; 2],
}

/// The scaling factors of a product as real numbers, and whether each operand is conjugated.
#[derive(Debug, Clone, Copy)]
pub(super) struct RealScaling<R> {
    /// `[real part, imaginary part]`; the imaginary part is zero if the elements are real. The same holds for `beta`.
    pub(super) alpha: [R; 2],
    pub(super) beta: [R; 2],
    pub(super) conjugate: [bool; 2],
}

impl<T: Scalar> Product<T> {
    /// Returns the same product, with elements of type [`Scalar::Wrapping`].
    pub(super) fn wrapping(&self) -> Product<T::Wrapping> {
        let matrix = |x: Matrix<T>| Matrix::new(HostPtr::new(x.ptr.get().cast()), [x.down, x.right]);
        Product {
            m: self.m,
            k: self.k,
            n: self.n,
            a: matrix(self.a),
            b: matrix(self.b),
            c: matrix(self.c),
            alpha: self.alpha.to_wrapping(),
            beta: self.beta.to_wrapping(),
            conjugate: self.conjugate,
        }
    }
}

impl<R: Zero> RealScaling<R> {
    /// Returns whether `c` is read. It is not read if `beta` is zero.
    #[inline(always)]
    pub(super) fn reads(&self) -> bool {
        !(self.beta[0].is_zero() && self.beta[1].is_zero())
    }
}

/// Returns `a`, `b`, `c` and the scaling factors in terms of real numbers `R`. `R` is `T`, or the type of the real and imaginary
/// part of a complex `T`. A complex element consists of two real numbers, so the strides double.
pub(super) fn reals<T: Scalar, R: Copy + Zero + 'static>(
    product: &Product<T>,
) -> (Matrix<R>, Matrix<R>, Matrix<R>, RealScaling<R>) {
    let part = if T::COMPLEX { 2 } else { 1 };
    let matrix =
        |x: Matrix<T>| Matrix::new(HostPtr::new(x.ptr.get().cast()), [x.down * part, x.right * part]);
    let number = |x: T| if T::COMPLEX { same::<T, [R; 2]>(x) } else { [same::<T, R>(x), R::zero()] };
    let scaling = RealScaling {
        alpha: number(product.alpha),
        beta: number(product.beta),
        conjugate: product.conjugate,
    };
    (matrix(product.a), matrix(product.b), matrix(product.c), scaling)
}

/// An implementation of products of matrices with elements `T`.
pub(super) trait MatrixProduct<T: Scalar>: Sync {
    /// Computes one product, on several threads if it is large.
    ///
    /// # Errors
    /// [`Error::Arithmetic`] if an integer result overflows and `T` is [`Scalar::SUMS_CHECKED`].
    ///
    /// # Safety
    /// The caller must ensure:
    /// * `a` and `b` are readable at all their indices.
    /// * `c` is exclusive to the caller at all its indices, no two of which are the same element.
    /// * `m`, `n`, `k` and `alpha` are not zero, unless this is [`ScaleOnly`].
    unsafe fn multiply(&self, product: &Product<T>) -> Result<(), Error>;

    /// Computes `count` products of a batch. At each position, `walk` has the offsets of `c`, `a` and `b` of one product. The first
    /// product is the one at the current position of `walk`.
    ///
    /// # Errors
    /// As [`multiply`](MatrixProduct::multiply).
    ///
    /// # Safety
    /// The caller must ensure:
    /// * The conditions of [`multiply`](MatrixProduct::multiply), for each of the `count` products.
    /// * `walk` has at least `count` positions left, including the current one.
    unsafe fn multiply_all(
        &self,
        product: &Product<T>,
        walk: &mut Odometer<3>,
        count: usize,
    ) -> Result<(), Error> {
        // SAFETY: `one_by_one` has the contract of `multiply_all`, which the caller ensures. The arguments are passed on unchanged.
        unsafe { one_by_one(self, product, walk, count) }
    }
}

/// Computes `count` products of a batch, each by a call of [`MatrixProduct::multiply`].
///
/// # Errors
/// As [`MatrixProduct::multiply_all`].
///
/// # Safety
/// As [`MatrixProduct::multiply_all`].
pub(super) unsafe fn one_by_one<T: Scalar>(
    by: &(impl MatrixProduct<T> + ?Sized),
    product: &Product<T>,
    walk: &mut Odometer<3>,
    count: usize,
) -> Result<(), Error> {
    (0..count).try_for_each(|_| {
        let [c, a, b] = walk.offsets();
        walk.advance();
        let one = Product { a: product.a.moved(a), b: product.b.moved(b), c: product.c.moved(c), ..*product };
        // SAFETY: `one` is one of the `count` products. The caller ensures the conditions of `MatrixProduct::multiply` for each of
        // them.
        unsafe { by.multiply(&one) }
    })
}

impl<T: Scalar> Product<T> {
    /// Returns the number of multiplications, `m · k · n`.
    pub(super) fn work(&self) -> usize {
        self.m.saturating_mul(self.k).saturating_mul(self.n)
    }

    /// Returns the transposed product `cᵀ = alpha · bᵀ · aᵀ + beta · cᵀ`, which writes the same values to the same elements.
    pub(super) fn transposed(self) -> Self {
        Product {
            m: self.n,
            n: self.m,
            a: self.b.transposed(),
            b: self.a.transposed(),
            c: self.c.transposed(),
            conjugate: [self.conjugate[1], self.conjugate[0]],
            ..self
        }
    }

    /// Splits the product in two: the first `rows` rows of `c`, and the other rows.
    pub(super) fn split_rows(self, rows: usize) -> (Self, Self) {
        let below = Product { m: self.m - rows, a: self.a.from(rows, 0), c: self.c.from(rows, 0), ..self };
        (Product { m: rows, ..self }, below)
    }

    /// Splits the product in two: the first `columns` columns of `c`, and the other columns.
    pub(super) fn split_columns(self, columns: usize) -> (Self, Self) {
        let beside =
            Product { n: self.n - columns, b: self.b.from(0, columns), c: self.c.from(0, columns), ..self };
        (Product { n: columns, ..self }, beside)
    }
}

/// Computes `c = beta · c`, for products whose sum has no terms (`k` = 0) or is ignored (`alpha` = 0). Does not read `a` and `b`.
#[derive(Debug, Clone, Copy)]
pub(super) struct ScaleOnly;

impl<T: Scalar> MatrixProduct<T> for ScaleOnly {
    unsafe fn multiply(&self, product: &Product<T>) -> Result<(), Error> {
        let Product { m, n, c, beta, .. } = *product;
        // If `beta` is 1, keep the elements as they are. For complex numbers, a multiplication by 1 + 0i would turn infinities into NaN,
        // because ∞ · 0 is NaN.
        if beta.is_one() {
            return Ok(());
        }
        let mut exact = true;
        for i in 0..m {
            for j in 0..n {
                let to = c.from(i, j).ptr.get();
                let value = if beta.is_zero() {
                    T::zero()
                } else {
                    // SAFETY: `i < m` and `j < n`, so `to` points to an element of `c`. The caller of `multiply` ensures exclusive
                    // access to `c`.
                    let (scaled, wrapped) = T::acc_mul(beta.widen(), unsafe { *to }.widen());
                    let (value, fits) = T::narrow(scaled);
                    exact &= fits && !wrapped;
                    value
                };
                // SAFETY: `i < m` and `j < n`, so `to` points to an element of `c`. The caller of `multiply` ensures exclusive access
                // to `c`.
                unsafe { *to = value };
            }
        }
        checked::<T>(exact)
    }
}

/// Returns an error if `exact` is false and `T` is [`Scalar::SUMS_CHECKED`]. Otherwise returns `Ok`.
///
/// # Errors
/// [`Error::Arithmetic`].
pub(super) fn checked<T: Scalar>(exact: bool) -> Result<(), Error> {
    if exact || !T::SUMS_CHECKED {
        return Ok(());
    }
    Err(Error::Arithmetic {
        op: "matmul",
        dtype: T::DTYPE.name(),
        values: "rows and columns whose product overflows".into(),
    })
}

/// Returns `x` as a value of type `U`: `T` itself, or `[T::Real; 2]`, the real and imaginary part of a complex `T`.
///
/// # Panics
/// If `U` is neither of these types.
#[inline]
pub(super) fn same<T: Scalar, U: Copy + 'static>(x: T) -> U {
    let to = TypeId::of::<U>();
    assert!(to == TypeId::of::<T>() || T::COMPLEX && to == TypeId::of::<[T::Real; 2]>());
    // SAFETY: the assertion checks that `U` is `T`, or that `T` is complex and `U` the array of its parts. `Complex` is
    // `repr(C)`, so it has the layout of that array.
    unsafe { core::mem::transmute_copy(&x) }
}
