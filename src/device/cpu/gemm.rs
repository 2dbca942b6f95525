//! Matrix products: matrixmultiply for floating and complex numbers, a plain blocked loop for integers. Strides of any
//! sign and size go in as they are.

use super::threads::join;
use super::{Cpu, HostPtr};
use crate::device::{Factor, Gemm, Output};
use crate::element::{DType, Scalar};
use crate::error::Error;
use crate::layout::walk::Walk;
use core::ops::Range;
use matrixmultiply::CGemmOption;

/// Fewer multiplications than this stay on one thread.
const GRAIN: usize = 1 << 20;

/// `c = alpha · a · b + beta · c` for one matrix of each; strides are (row, column).
#[derive(Clone, Copy)]
struct Product<T> {
    m: usize,
    k: usize,
    n: usize,
    a: (HostPtr<T>, [isize; 2]),
    b: (HostPtr<T>, [isize; 2]),
    c: (HostPtr<T>, [isize; 2]),
    alpha: T,
    beta: T,
    /// Whether the conjugates of `a` and of `b` are meant.
    conjugate: [bool; 2],
}

impl<T: Scalar> Product<T> {
    fn work(&self) -> usize {
        self.m.saturating_mul(self.k).saturating_mul(self.n)
    }

    /// The transposed product `cᵀ = bᵀ · aᵀ`: the same numbers at the same places.
    fn transposed(self) -> Self {
        let swap = |(ptr, [rows, columns]): (HostPtr<T>, [isize; 2])| (ptr, [columns, rows]);
        Product {
            m: self.n,
            n: self.m,
            a: swap(self.b),
            b: swap(self.a),
            c: swap(self.c),
            conjugate: [self.conjugate[1], self.conjugate[0]],
            ..self
        }
    }

    /// The first `rows` rows, and the others.
    fn split(self, rows: usize) -> (Self, Self) {
        let down =
            |(ptr, strides): (HostPtr<T>, [isize; 2])| (ptr.offset(rows as isize * strides[0]), strides);
        let low = Product { m: rows, ..self };
        (low, Product { m: self.m - rows, a: down(self.a), c: down(self.c), ..self })
    }

    /// # Safety
    /// `a` and `b` may be read at all indices of `m × k` and `k × n`; `c` is ours alone at those of `m × n`.
    unsafe fn compute(self) -> Result<(), Error> {
        // The longer side of the result is cut, so the pieces are the same whatever the number of threads.
        if self.n > self.m {
            // SAFETY: the same elements.
            return unsafe { self.transposed().compute() };
        }
        if self.work() >= 2 * GRAIN && self.m >= 16 {
            let (low, high) = self.split((self.m / 2).next_multiple_of(8));
            // SAFETY: the parts write different rows of `c`.
            let (a, b) = join(|| unsafe { low.compute() }, || unsafe { high.compute() });
            return a.and(b);
        }
        // SAFETY: the caller's.
        unsafe { self.compute_here() }
    }

    /// The products of a part of a batch; a walk knows where their matrices begin.
    ///
    /// # Safety
    /// As [`compute`](Product::compute), for each matrix of the part.
    unsafe fn compute_batch(self, walk: &Walk<3>, part: Range<usize>) -> Result<(), Error> {
        if part.len() > 1 && self.work().saturating_mul(part.len()) >= 2 * GRAIN {
            let middle = part.start + part.len() / 2;
            let (a, b) = join(
                // SAFETY: the parts write different matrices.
                || unsafe { self.compute_batch(walk, part.start..middle) },
                // SAFETY: as above.
                || unsafe { self.compute_batch(walk, middle..part.end) },
            );
            return a.and(b);
        }
        let mut walk = walk.at(part.start);
        part.into_iter().try_for_each(|_| {
            let [c, a, b] = walk.offsets();
            walk.advance();
            let at = |(ptr, strides): (HostPtr<T>, [isize; 2]), offset| (ptr.offset(offset), strides);
            let product = Product { a: at(self.a, a), b: at(self.b, b), c: at(self.c, c), ..self };
            // SAFETY: the caller's.
            unsafe { product.compute() }
        })
    }

    /// # Safety
    /// As [`compute`](Product::compute).
    unsafe fn compute_here(self) -> Result<(), Error> {
        let Product { m, k, n, a: (a, [ra, ca]), b: (b, [rb, cb]), c: (c, [rc, cc]), .. } = self;
        macro_rules! real {
            ($gemm:ident, $t:ty) => {{
                let (alpha, beta) = (same::<T, $t>(self.alpha), same::<T, $t>(self.beta));
                let (a, b, c) = (a.get().cast(), b.get().cast(), c.get().cast());
                // SAFETY: `T` is this type, and the caller vouches for the matrices.
                unsafe { matrixmultiply::$gemm(m, k, n, alpha, a, ra, ca, b, rb, cb, beta, c, rc, cc) };
                Ok(())
            }};
        }
        macro_rules! complex {
            ($gemm:ident, $t:ty) => {{
                const PLAIN: CGemmOption = CGemmOption::Standard;
                let (alpha, beta) = (same::<T, [$t; 2]>(self.alpha), same::<T, [$t; 2]>(self.beta));
                let (a, b, c) = (a.get().cast(), b.get().cast(), c.get().cast());
                // SAFETY: `T` is this type's `Complex`, which is two of it (`repr(C)`), and the caller vouches for the
                // matrices.
                unsafe {
                    matrixmultiply::$gemm(
                        PLAIN, PLAIN, m, k, n, alpha, a, ra, ca, b, rb, cb, beta, c, rc, cc,
                    )
                };
                Ok(())
            }};
        }
        match T::DTYPE {
            DType::F32 => real!(sgemm, f32),
            DType::F64 => real!(dgemm, f64),
            DType::C32 if self.conjugate == [false; 2] => complex!(cgemm, f32),
            DType::C64 if self.conjugate == [false; 2] => complex!(zgemm, f64),
            // SAFETY: the caller's.
            _ => unsafe { self.plain() },
        }
    }

    /// Rows of `c` in wide accumulators, a block of columns at a time.
    ///
    /// # Safety
    /// As [`compute`](Product::compute).
    unsafe fn plain(self) -> Result<(), Error> {
        const COLUMNS: usize = 64;
        let Product { m, k, n, a: (a, [ra, ca]), b: (b, [rb, cb]), c: (c, [rc, cc]), .. } = self;
        let overflow = || Error::Arithmetic {
            op: "matmul",
            dtype: T::DTYPE.name(),
            values: "rows and columns whose product overflows".into(),
        };
        let at = |ptr: HostPtr<T>, row: usize, rs: isize, column: usize, cs: isize| {
            ptr.offset(row as isize * rs + column as isize * cs).get()
        };
        let mut exact = true;
        for first in (0..n).step_by(COLUMNS) {
            let columns = COLUMNS.min(n - first);
            for i in 0..m {
                let mut acc = [T::zero().widen(); COLUMNS];
                let mut carry = [0i64; COLUMNS];
                for p in 0..k {
                    // SAFETY: `i < m` and `p < k`.
                    let x = unsafe { *at(a, i, ra, p, ca) };
                    let x = if self.conjugate[0] { x.conj() } else { x }.widen();
                    for (j, acc) in acc.iter_mut().enumerate().take(columns) {
                        // SAFETY: `p < k` and `first + j < n`.
                        let y = unsafe { *at(b, p, rb, first + j, cb) };
                        let y = if self.conjugate[1] { y.conj() } else { y }.widen();
                        let product = T::acc_mul(x, y).0;
                        if cfg!(debug_assertions) {
                            carry[j] += T::acc_add_carry(*acc, product);
                        }
                        *acc = T::acc_add(*acc, product);
                    }
                }
                for (j, &acc) in acc.iter().enumerate().take(columns) {
                    let (scaled, wrapped) = T::acc_mul(self.alpha.widen(), acc);
                    let to = at(c, i, rc, first + j, cc);
                    let sum = if self.beta.is_zero() {
                        scaled
                    } else {
                        // SAFETY: `i < m` and `first + j < n`.
                        let old = unsafe { *to }.widen();
                        let (kept, overflows) = T::acc_mul(self.beta.widen(), old);
                        exact &= !overflows && T::acc_add_carry(scaled, kept) == 0;
                        T::acc_add(scaled, kept)
                    };
                    let (value, fits) = T::narrow(sum);
                    exact &= fits && !wrapped && carry[j] == 0;
                    // SAFETY: `i < m` and `first + j < n`; `c` is ours alone.
                    unsafe { *to = value };
                }
            }
        }
        if exact || !cfg!(debug_assertions) { Ok(()) } else { Err(overflow()) }
    }
}

/// A value of a type that is known to be `U` under another name.
fn same<T: Copy, U: Copy>(x: T) -> U {
    assert_eq!(size_of::<T>(), size_of::<U>());
    // SAFETY: the sizes are equal, and the callers above have matched `T`'s tag: `U` is `T`, or the array of the two parts
    // that a `Complex` consists of.
    unsafe { core::mem::transmute_copy(&x) }
}

#[diagnostic::do_not_recommend]
impl<T: Scalar> Gemm<T> for Cpu {
    fn gemm(
        &self,
        alpha: T,
        a: Factor<'_, T, Cpu>,
        b: Factor<'_, T, Cpu>,
        beta: T,
        out: Output<'_, T, Cpu>,
    ) -> Result<(), Error> {
        let conjugate = [a.conjugate, b.conjugate];
        let (a, b) = (a.operand, b.operand);
        let batch = out.shape().len() - 2;
        let (batch_shape, &[m, n]) = split_matrix(out.shape());
        let (batch_a, &[m_a, k]) = split_matrix(a.shape());
        let (batch_b, &[k_b, n_b]) = split_matrix(b.shape());
        assert!(
            batch_shape == batch_a && batch_shape == batch_b && (m, n, k) == (m_a, n_b, k_b),
            "shapes of a batched matrix product agree"
        );
        let (a_steps, &a_strides) = split_matrix(a.strides());
        let (b_steps, &b_strides) = split_matrix(b.strides());
        let (c_steps, &c_strides) = split_matrix(out.strides());
        let product = Product {
            m,
            k,
            n,
            a: (a.ptr(), a_strides),
            b: (b.ptr(), b_strides),
            c: (out.ptr(), c_strides),
            alpha,
            beta,
            conjugate,
        };
        let count: usize = batch_shape.iter().product();
        if m == 0 || n == 0 || count == 0 {
            return Ok(());
        }
        if batch == 0 {
            // SAFETY: the operands vouch for their matrices.
            return unsafe { product.compute() };
        }
        let walk = Walk::row_major(batch_shape, [c_steps, a_steps, b_steps]);
        // SAFETY: the operands vouch for every matrix of the batch, and the output's are distinct.
        unsafe { product.compute_batch(&walk, 0..count) }
    }

    fn sum_products(
        &self,
        alpha: T,
        a: Factor<'_, T, Cpu>,
        b: Factor<'_, T, Cpu>,
        beta: T,
        out: Output<'_, T, Cpu>,
    ) -> Result<(), Error> {
        super::products::sum_products(alpha, a, b, beta, out)
    }
}

/// The batch axes and the two of the matrix.
fn split_matrix<V>(all: &[V]) -> (&[V], &[V; 2]) {
    all.split_last_chunk::<2>().expect("a matrix has two axes")
}
