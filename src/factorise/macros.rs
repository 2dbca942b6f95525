//! [`svd!`](crate::svd!) and the macros of the other factorisations. Each parses its specification, such as `"abcd -> abk, kcd"`, in a
//! constant. It passes the number of labels of each term as const generics to the functions of `builder.rs`.

/// Returns the singular value decomposition of a tensor, whose axes are split into rows and columns by labels:
/// `let (u, s, vh) = svd!("abcd -> abk, kcd", &t)`.
///
/// The axes `a` and `b` are the rows of a matrix, `c` and `d` its columns, and the new label `k` numbers the singular values. `u` has the
/// labels `abk`, `vh` has the labels `kcd`, and `s`, in descending order, has the label `k`: `t[a, b, c, d]` is the sum of `u[a, b, k] ·
/// s[k] · vh[k, c, d]` over `k`. The module [`factorise`](crate::factorise) describes specifications, batches, signs and costs. With an
/// ellipsis, `s` has the axes of the batch, too; `k` labels its last axis in row-major order, its first axis in column-major order.
///
/// **Truncation.** Options after a semicolon keep fewer singular values, and shorten the axis `k` of all three results:
/// `svd!("abcd -> abk, kcd", &t; max_rank = 32, cutoff = 1e-12)`. They can be in any order. A singular value is discarded if any of the
/// options discards it, but the largest one is always kept. In a batch, all matrices keep the same number of singular values: that of the
/// matrix that needs most. The kept singular values are not rescaled.
///
/// | option | discards |
/// |---|---|
/// | `max_rank = r` | all but the `r` largest singular values |
/// | `cutoff = x` | the smallest singular values, as long as the sum of their squares is at most `x` times the sum of all squares |
/// | `below = x` | singular values that are at most `x` |
/// | `relative = x` | singular values that are at most `x` times the largest one |
/// | `multiplets = x` | also those values that are equal to a discarded one, except for a relative difference of `x` |
///
/// The options are the methods of [`Truncation`](crate::linalg::Truncation). [`svd_truncated!`](crate::svd_truncated!) also returns the
/// weight of the discarded values: the error of the truncation.
///
/// # Panics
/// * If an element is NaN or infinite.
/// * If `max_rank` is 0, or another option is negative or NaN.
/// * If the iteration does not converge, or an allocation fails.
/// * If the ellipsis stands for more than 12 axes.
///
/// [`try_svd!`](crate::try_svd!) returns an error in these cases.
///
/// ```
/// use vierbein::prelude::*;
///
/// let t: Tensor<f64, Rank<4>> = Tensor::from_fn([2, 3, 4, 5], |[a, b, c, d]| 1.0 / (1 + a + b + c * d) as f64);
/// let (u, s, vh) = svd!("abcd -> abk, kcd", &t);
/// assert_eq!((u.shape(), s.shape(), vh.shape()), ([2, 3, 6], [6], [6, 4, 5]));
/// assert!(einsum!("abk,k,kcd->abcd", &u, &s, &vh).all_close(&t, 0.0, 1e-14));
///
/// let (u, s, vh) = svd!("abcd -> kda, ckb", &t; max_rank = 3, cutoff = 1e-20);
/// assert_eq!((u.shape(), s.shape(), vh.shape()), ([3, 5, 2], [3], [4, 3, 3]));
/// ```
#[macro_export]
macro_rules! svd {
    ($spec:expr, $x:expr $(,)? $(; $($option:ident = $value:expr),+ $(,)?)?) => {
        $crate::__factorise!(Svd, svd, $spec, $x, $crate::linalg::Truncation::new()$($(.$option($value))+)?)
    };
}

/// Fallible variant of [`svd!`](crate::svd!). Returns an error if `svd!` would panic.
///
/// ```
/// use vierbein::prelude::*;
/// let mut t = Tensor::<f64, _>::ones([2, 3, 2]);
/// assert!(try_svd!("abc -> ak, kbc", &t; max_rank = 1).is_ok());
/// t[[1, 2, 0]] = f64::NAN;
/// assert_eq!(
///     try_svd!("abc -> ak, kbc", &t).unwrap_err().to_string(),
///     "cannot svd shape [2, 3, 2]: the matrix has an element that is NaN or infinite; find it with `.is_finite()`, or \
///      replace it with `.nan_to_num()`"
/// );
/// ```
#[macro_export]
macro_rules! try_svd {
    ($spec:expr, $x:expr $(,)? $(; $($option:ident = $value:expr),+ $(,)?)?) => {
        $crate::__factorise!(Svd, try_svd, $spec, $x, $crate::linalg::Truncation::new()$($(.$option($value))+)?)
    };
}

/// Variant of [`svd!`](crate::svd!) that also returns what the truncation discards:
/// `let (u, s, vh, discarded) = svd_truncated!("abcd -> abk, kcd", &t; max_rank = 32)`.
///
/// `discarded.weight` is the sum of the squares of the discarded singular values: the square of the norm of the error. `discarded.share` is
/// the weight divided by the sum of the squares of all singular values. Both have the axes of the batch: their rank is 0 if the
/// specification has no ellipsis. See [`Discarded`](crate::linalg::Discarded).
///
/// # Panics
/// For the reasons for which [`svd!`](crate::svd!) panics. [`try_svd_truncated!`](crate::try_svd_truncated!) returns an error instead.
///
/// ```
/// use vierbein::prelude::*;
///
/// // The singular values are 4, 2 and 1.
/// let t = tensor![[0.0, 4.0, 0.0], [2.0, 0.0, 0.0], [0.0, 0.0, 1.0]];
/// let (u, s, vh, discarded) = svd_truncated!("ij -> ik, kj", &t; max_rank = 1);
/// assert_eq!(discarded.weight, 5.0);
/// assert!(discarded.share.is_close(5.0 / 21.0, 1e-15, 0.0).item());
/// let error: Tensor<f64, Rank<2>> = einsum!("ik,k,kj->ij", &u, &s, &vh) - &t;
/// assert!((error.norm().item() - 5.0_f64.sqrt()).abs() < 1e-15);
/// ```
#[macro_export]
macro_rules! svd_truncated {
    ($spec:expr, $x:expr $(,)? $(; $($option:ident = $value:expr),+ $(,)?)?) => {
        $crate::__factorise!(Svd, svd_truncated, $spec, $x, $crate::linalg::Truncation::new()$($(.$option($value))+)?)
    };
}

/// Fallible variant of [`svd_truncated!`](crate::svd_truncated!). Returns an error if `svd_truncated!` would panic.
///
/// ```
/// use vierbein::prelude::*;
/// let t = Tensor::<f64, _>::ones([2, 3, 2]);
/// let (_, s, _, discarded) = try_svd_truncated!("abc -> ak, kbc", &t; max_rank = 1)?;
/// assert_eq!(s.len(), 1);
/// assert!(discarded.weight.item() < 1e-28);
/// # Ok::<(), vierbein::Error>(())
/// ```
#[macro_export]
macro_rules! try_svd_truncated {
    ($spec:expr, $x:expr $(,)? $(; $($option:ident = $value:expr),+ $(,)?)?) => {
        $crate::__factorise!(Svd, try_svd_truncated, $spec, $x, $crate::linalg::Truncation::new()$($(.$option($value))+)?)
    };
}

/// Returns the reduced QR decomposition of a tensor, whose axes are split into rows and columns by labels:
/// `let (q, r) = qr!("aib -> aik, kb", &t)`.
///
/// The axes `a` and `i` are the rows of a matrix, `b` its columns, and `k` is the new label that the factors share. `q` has the labels
/// `aik`, and is orthonormal: the sum of `q[a, i, k] · conj(q[a, i, l])` over `a` and `i` is 1 if `k` = `l`, and otherwise 0. `r` has the
/// labels `kb`, and is upper triangular as a matrix, with the columns numbered as the module [`factorise`](crate::factorise) describes. In
/// each row of `r`, the first element that is not 0 is real and positive.
///
/// # Panics
/// * If an element is NaN or infinite.
/// * If an allocation fails.
/// * If the ellipsis stands for more than 12 axes.
///
/// [`try_qr!`](crate::try_qr!) returns an error in these cases.
///
/// ```
/// use vierbein::prelude::*;
///
/// let t = tensor![[[1.0, 2.0], [0.0, 1.0]], [[0.0, 1.0], [2.0, 0.0]]];
/// let (q, r) = qr!("aib -> aik, kb", &t);
/// assert_eq!((q.shape(), r.shape()), ([2, 2, 2], [2, 2]));
/// assert!(einsum!("aik,kb->aib", &q, &r).all_close(&t, 0.0, 1e-15));
/// assert!(einsum!("aik,ail->kl", &q, &q).all_close(&Tensor::eye(2), 0.0, 1e-15));
/// ```
#[macro_export]
macro_rules! qr {
    ($spec:expr, $x:expr $(,)?) => {
        $crate::__factorise!(Qr, qr, $spec, $x,)
    };
}

/// Fallible variant of [`qr!`](crate::qr!). Returns an error if `qr!` would panic.
///
/// ```
/// use vierbein::prelude::*;
/// let t = tensor![[1.0, f64::INFINITY], [0.0, 1.0]];
/// assert!(try_qr!("ab -> ak, kb", &t).is_err());
/// ```
#[macro_export]
macro_rules! try_qr {
    ($spec:expr, $x:expr $(,)?) => {
        $crate::__factorise!(Qr, try_qr, $spec, $x,)
    };
}

/// Returns the reduced LQ decomposition of a tensor, whose axes are split into rows and columns by labels:
/// `let (l, q) = lq!("aib -> ak, kib", &t)`.
///
/// The axis `a` is the row of a matrix, `i` and `b` are its columns, and `k` is the new label that the factors share. `l` has the labels
/// `ak`, and is lower triangular as a matrix. `q` has the labels `kib`, and its rows, numbered by `k`, are orthonormal. In each column of
/// `l`, the first element that is not 0 is real and positive. In all other respects, the macro behaves like [`qr!`](crate::qr!).
///
/// # Panics
/// For the reasons for which [`qr!`](crate::qr!) panics. [`try_lq!`](crate::try_lq!) returns an error instead.
///
/// ```
/// use vierbein::prelude::*;
///
/// let t = tensor![[[1.0, 2.0], [0.0, 1.0]], [[0.0, 1.0], [2.0, 0.0]]];
/// let (l, q) = lq!("aib -> ak, kib", &t);
/// assert_eq!((l.shape(), q.shape()), ([2, 2], [2, 2, 2]));
/// assert!(einsum!("ak,kib->aib", &l, &q).all_close(&t, 0.0, 1e-15));
/// assert!(einsum!("kib,lib->kl", &q, &q).all_close(&Tensor::eye(2), 0.0, 1e-15));
/// ```
#[macro_export]
macro_rules! lq {
    ($spec:expr, $x:expr $(,)?) => {
        $crate::__factorise!(Lq, lq, $spec, $x,)
    };
}

/// Fallible variant of [`lq!`](crate::lq!). Returns an error if `lq!` would panic.
///
/// ```
/// use vierbein::prelude::*;
/// let t = tensor![[1.0, f64::INFINITY], [0.0, 1.0]];
/// assert!(try_lq!("ab -> ak, kb", &t).is_err());
/// ```
#[macro_export]
macro_rules! try_lq {
    ($spec:expr, $x:expr $(,)?) => {
        $crate::__factorise!(Lq, try_lq, $spec, $x,)
    };
}

/// Returns the eigenvalues and eigenvectors of a Hermitian operator, whose axes are split into rows and columns by labels:
/// `let (w, v) = eigh!("ijkl -> ijn, nkl", &h)`.
///
/// The result satisfies h = v · w · vᴴ as a product of matrices. The axes `i` and `j` are the rows of `h`, `k` and `l` its columns, and the
/// new label `n` numbers the eigenvalues. Rows and columns are paired by their places in the factors, here `i` with `k` and `j` with `l`.
/// `v` has the labels of the first factor, `ijn`. `w`, in ascending order, has the label `n`. With an ellipsis, `w` has the axes of the
/// batch, too; `n` labels its last axis in row-major order, its first axis in column-major order.
///
/// Whether the matrix is Hermitian is not checked: only its lower triangle and the real parts of its diagonal are used. The module
/// [`factorise`](crate::factorise) describes specifications, batches, signs and costs.
///
/// # Panics
/// * If the extents of a row label and its column label differ.
/// * If an element is NaN or infinite.
/// * If the iteration does not converge, or an allocation fails.
/// * If the ellipsis stands for more than 12 axes.
///
/// [`try_eigh!`](crate::try_eigh!) returns an error in these cases.
///
/// ```
/// use vierbein::prelude::*;
///
/// // The interaction of two spins 1/2, S·S, has the eigenvalues -3/4 (once) and 1/4 (three times).
/// let (up, x) = (tensor![[0.5, 0.0], [0.0, -0.5]], tensor![[0.0, 0.5], [0.5, 0.0]]);
/// let minus_y = tensor![[0.0, 0.5], [-0.5, 0.0]]; // i · S_y
/// let h = einsum!("ik,jl->ijkl", &up, &up) + einsum!("ik,jl->ijkl", &x, &x) - einsum!("ik,jl->ijkl", &minus_y, &minus_y);
/// let (w, v) = eigh!("ijkl -> ijn, nkl", &h);
/// assert!(w.all_close(&tensor![-0.75, 0.25, 0.25, 0.25], 1e-15, 0.0));
/// assert!(einsum!("ijn,n,kln->ijkl", &v, &w, &v).all_close(&h, 0.0, 1e-15));
/// ```
#[macro_export]
macro_rules! eigh {
    ($spec:expr, $x:expr $(,)?) => {
        $crate::__factorise!(Eigh, eigh, $spec, $x,)
    };
}

/// Fallible variant of [`eigh!`](crate::eigh!). Returns an error if `eigh!` would panic.
///
/// ```
/// use vierbein::prelude::*;
/// let h = Tensor::<f64, _>::ones([2, 3, 2, 4]);
/// assert_eq!(
///     try_eigh!("ijkl -> ijn, nkl", &h).unwrap_err().to_string(),
///     "cannot eigh \"ijkl -> ijn, nkl\" over shape [2, 3, 2, 4]: label `j` of the rows has extent 3, but its column label \
///      `l` has extent 4; the matrix must be square"
/// );
/// ```
#[macro_export]
macro_rules! try_eigh {
    ($spec:expr, $x:expr $(,)?) => {
        $crate::__factorise!(Eigh, try_eigh, $spec, $x,)
    };
}

/// Returns the polar decomposition of a tensor, whose axes are split into rows and columns by labels:
/// `let (u, p) = polar!("abcd -> abxy, xycd", &t)`.
///
/// The axes `a` and `b` are the rows of a matrix, `c` and `d` its columns. The new labels `x` and `y` are in both factors. They are paired
/// with the column labels by their places in the second factor, here `x` with `c` and `y` with `d`. Paired labels have the same extent.
/// `t` is the product of the factors, summed over `x` and `y`. `p`, with the rows `x` and `y`, is Hermitian and has no negative
/// eigenvalues. The columns of `u` are orthonormal if there are at least as many rows as columns, otherwise its rows are. The module
/// [`factorise`](crate::factorise) describes specifications, batches and costs. The device must support matrix products.
///
/// # Panics
/// For the reasons for which [`svd!`](crate::svd!) panics. [`try_polar!`](crate::try_polar!) returns an error instead.
///
/// ```
/// use vierbein::prelude::*;
///
/// let t: Tensor<f64, Rank<3>> = Tensor::from_fn([2, 3, 2], |[a, i, b]| if i == a + b { 2.0 } else { 0.5 });
/// let (u, p) = polar!("aib -> aix, xb", &t);
/// assert_eq!((u.shape(), p.shape()), ([2, 3, 2], [2, 2]));
/// assert!(einsum!("aix,xb->aib", &u, &p).all_close(&t, 0.0, 1e-14));
/// assert!(einsum!("aix,aiy->xy", &u, &u).all_close(&Tensor::eye(2), 0.0, 1e-14));
/// assert!(p.all_close(&p.t(), 0.0, 1e-14));
/// ```
#[macro_export]
macro_rules! polar {
    ($spec:expr, $x:expr $(,)?) => {
        $crate::__factorise!(Polar, polar, $spec, $x,)
    };
}

/// Fallible variant of [`polar!`](crate::polar!). Returns an error if `polar!` would panic.
///
/// ```
/// use vierbein::prelude::*;
/// let t = tensor![[1.0, f64::INFINITY], [0.0, 1.0]];
/// assert!(try_polar!("ab -> ax, xb", &t).is_err());
/// ```
#[macro_export]
macro_rules! try_polar {
    ($spec:expr, $x:expr $(,)?) => {
        $crate::__factorise!(Polar, try_polar, $spec, $x,)
    };
}

// Expands to a block with a constant, the specification, so that its numbers of labels can be const arguments. The operand and the options
// are expressions in the same block, so the name of the constant must not clash with the caller's names.
#[doc(hidden)]
#[macro_export]
macro_rules! __factorise {
    ($factorisation:ident, $method:ident, $spec:expr, $x:expr, $($argument:expr)?) => {{
        const __VIERBEIN_FACTORS: $crate::factorise::FactorSpec<'static> =
            $crate::factorise::FactorSpec::new($crate::factorise::Factorisation::$factorisation, $spec);
        $crate::factorise::labelled(
            &__VIERBEIN_FACTORS,
            $crate::factorise::TermOf::<{ __VIERBEIN_FACTORS.labels(0) }, { __VIERBEIN_FACTORS.ellipsis() }>,
            $x,
        )
        .factors::<{ __VIERBEIN_FACTORS.labels(1) }, { __VIERBEIN_FACTORS.labels(2) }, _, _>()
        .$method($($argument)?)
    }};
}
