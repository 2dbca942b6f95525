//! [`einsum!`](crate::einsum!) and its variants. The macros parse the specification in a constant. They pass the number of labels
//! of each operand and of the result, as const generics, to the methods that build the contraction.

/// Contracts up to 16 tensors in Einstein notation: `einsum!("ij,jk->ik", &a, &b)` is a matrix product.
///
/// The specification names each axis of each operand by a letter, `a` to `z` or `A` to `Z`. Axes with the same letter share one
/// index; letters that the result lacks are summed over. The specification is a literal or a `const`, which is parsed **at compile
/// time**. The program does not compile if the specification has an invalid label, or a label of the result that no operand has.
/// Nor does it compile if the rank of an operand does not match its labels, or if operands differ in order, element type or device. If the
/// first operand is complex, the others may be real, of the same precision. The rank of the result is in its type.
///
/// | specification | operation |
/// |---|---|
/// | `"ij->ji"` `"ijk->kij"` | a permutation of axes |
/// | `"ii->"` `"iij->j"` | a trace, a partial trace |
/// | `"ii->i"` `"i->ii"` | a diagonal; a matrix with that diagonal and zeros elsewhere |
/// | `"ij->j"` `"ij->"` | sums |
/// | `"ij,ij->ij"` `"i,ij->ij"` | elementwise products, also with an operand that broadcasts |
/// | `"i,j->ij"` | an outer product |
/// | `"i,i->"` `"ij,ij->i"` | a dot product, one for each row |
/// | `"ij,j->i"` `"ij,jk->ik"` `"bij,bjk->bik"` | products of matrices and vectors, and of batches of matrices |
/// | `"ab,bc,cd->ad"` | a network of several contractions |
///
/// The notation is NumPy's. Without `->`, the result has the letters that occur once, in alphabetical order (capitals first).
/// `...` stands for up to 12 axes without letters. These axes broadcast by the rule of the memory order: row-major order aligns the
/// last axes, column-major order the first axes. Axes of extent 1 broadcast in an ellipsis only. Spaces are ignored.
///
/// Operands are `&tensor`, views by value such as `x.t()`, and their conjugates, [`conj_view`](crate::Tensor::conj_view). In
/// addition to the result, a contraction allocates memory, if necessary, for
///
/// * a copy of an operand whose axes do not fuse into the rows and columns of a matrix;
/// * a temporary buffer for a result that would otherwise be written in very small tiles;
/// * sums over letters that occur in one operand only, and not in the result;
/// * the intermediate results of three or more operands;
/// * packed panels of matrices; each thread keeps these buffers between calls.
///
/// Three or more operands are contracted pair by pair, in the order that needs the fewest multiplications. For large networks, the
/// search for this order may be greedy: see [`einsum_path!`](crate::einsum_path!). Each call in the source keeps its last
/// contraction order, and reuses it if the shapes are the same. With `; limit = bytes` at the end, each intermediate result has at
/// most this number of bytes; the final result is not limited.
///
/// Real operands beside complex ones stay real where that saves time: elementwise products and large matrix products then cost half, and the
/// product of two real operands is real. If an element is infinite or NaN, both parts of a result may be NaN.
///
/// Sums are computed pairwise, or in the blocks of the matrix kernels. Integers are summed in 64 or 128 bits, but each intermediate
/// result must be representable in the element type. Without the feature `blas`, results do not depend on the number of threads.
///
/// # Panics
/// * If axes of one letter differ in extent.
/// * If no contraction order is found whose intermediate results are within the limit.
/// * If an integer result, final or intermediate, overflows. Results of 64 bits wrap in builds without debug assertions.
/// * If the device allocation fails.
///
/// [`try_einsum!`](crate::try_einsum!) returns an error in these cases.
///
/// ```
/// use vierbein::prelude::*;
///
/// let a = tensor![[1, 2, 3], [4, 5, 6]];
/// let b = tensor![[1, 0], [0, 1], [2, 2]];
/// assert_eq!(einsum!("ij,jk->ik", &a, &b), tensor![[7, 8], [16, 17]]);
/// assert_eq!(einsum!("ij->j", &a), tensor![5, 7, 9]);
/// assert_eq!(einsum!("ij,ij->i", &a, b.t()), tensor![7, 17]);
/// let trace: Tensor<i32, Rank<0>> = einsum!("ii", a.matmul(&b).view());
/// assert_eq!(trace.item(), 24);
///
/// // A change of basis by a real matrix.
/// let (psi, q) = (tensor![Complex::new(1.0, 2.0), Complex::new(0.0, 3.0)], tensor![[0.0, 1.0], [2.0, 0.0]]);
/// assert_eq!(einsum!("j,ij->i", &psi, &q), tensor![Complex::new(0.0, 3.0), Complex::new(2.0, 4.0)]);
/// ```
#[macro_export]
macro_rules! einsum {
    ($spec:expr, $($x:expr),+ $(,)? $(; limit = $limit:expr $(,)?)?) => {
        $crate::__contract!($spec, [$($x,)+], contract($crate::__limit!($($limit)?)))
    };
}

/// Fallible variant of [`einsum!`](crate::einsum!). Returns an error if `einsum!` would panic.
///
/// ```
/// use vierbein::prelude::*;
/// let (a, b) = (tensor![[1, 2], [3, 4]], tensor![1, 2, 3]);
/// assert_eq!(
///     try_einsum!("ij,j->i", &a, &b).unwrap_err().to_string(),
///     "cannot einsum \"ij,j->i\" over shapes [2, 2] and [3]: label `j` has extent 2 in operand 1 and 3 in operand 2"
/// );
/// ```
#[macro_export]
macro_rules! try_einsum {
    ($spec:expr, $($x:expr),+ $(,)? $(; limit = $limit:expr $(,)?)?) => {
        $crate::__contract!($spec, [$($x,)+], try_contract($crate::__limit!($($limit)?)))
    };
}

/// Contracts into a preallocated output: `einsum_into!(&mut out, alpha, beta; "ij,jk->ik", &a, &b)` computes
/// `out = alpha · a · b + beta · out`.
///
/// If `beta` is zero, the old elements of `out` are ignored, even if they are NaN. `einsum_into!(&mut out; "ij,jk->ik", &a, &b)` is
/// short for `alpha` = 1 and `beta` = 0. `out` is a tensor or a mutable view with any strides. In all other respects, the macro
/// behaves like [`einsum!`](crate::einsum!).
///
/// # Panics
/// If [`einsum!`](crate::einsum!) would panic, or if the shape of `out` differs from that of the result. In these cases, `out` is
/// unchanged.
///
/// ```
/// use vierbein::prelude::*;
/// let (a, b) = (tensor![[1.0, 2.0], [3.0, 4.0]], tensor![[0.0, 1.0], [1.0, 0.0]]);
/// let mut out: Tensor<f64, Rank<2>> = Tensor::ones([2, 2]);
/// einsum_into!(&mut out, 2.0, -1.0; "ij,jk->ik", &a, &b);
/// assert_eq!(out, tensor![[3.0, 1.0], [7.0, 5.0]]);
/// einsum_into!(&mut out.index_axis_mut(0, 1); "ij->j", &a);
/// assert_eq!(out, tensor![[3.0, 1.0], [4.0, 6.0]]);
/// ```
#[macro_export]
macro_rules! einsum_into {
    ($out:expr ; $spec:expr, $($x:expr),+ $(,)? $(; limit = $limit:expr $(,)?)?) => {
        $crate::__contract!($spec, [$($x,)+], write_into($out, $crate::__limit!($($limit)?)))
    };
    ($out:expr, $alpha:expr, $beta:expr ; $spec:expr, $($x:expr),+ $(,)? $(; limit = $limit:expr $(,)?)?) => {
        $crate::__contract!($spec, [$($x,)+], contract_into($out, $alpha, $beta, $crate::__limit!($($limit)?)))
    };
}

/// Fallible variant of [`einsum_into!`](crate::einsum_into!). Returns an error if `einsum_into!` would panic.
///
/// ```
/// use vierbein::prelude::*;
/// let mut out = tensor![0, 0, 0];
/// assert!(try_einsum_into!(&mut out, 1, 0; "ij->i", &tensor![[1, 2], [3, 4]]).is_err());
/// assert_eq!(out, tensor![0, 0, 0]);
/// ```
#[macro_export]
macro_rules! try_einsum_into {
    ($out:expr ; $spec:expr, $($x:expr),+ $(,)? $(; limit = $limit:expr $(,)?)?) => {
        $crate::__contract!($spec, [$($x,)+], try_write_into($out, $crate::__limit!($($limit)?)))
    };
    ($out:expr, $alpha:expr, $beta:expr ; $spec:expr, $($x:expr),+ $(,)? $(; limit = $limit:expr $(,)?)?) => {
        $crate::__contract!($spec, [$($x,)+], try_contract_into($out, $alpha, $beta, $crate::__limit!($($limit)?)))
    };
}

/// Returns the contraction path that [`einsum!`](crate::einsum!) would choose, to be inspected or printed: its steps, its number of
/// multiplications, and the size of its largest intermediate result.
///
/// For small networks, the path has the fewest multiplications (dynamic programming over sets of operands: Pfeifer, Haegeman and
/// Verstraete, Phys. Rev. E 90, 033315, 2014). If that search would take too long, a greedy search chooses the path. With nine or
/// more operands, both searches consider only pairs that share a letter; parts without a common letter are combined at the end.
/// Equal networks get equal paths.
///
/// # Panics
/// If axes of one letter differ in extent, or if no path is found whose intermediate results are within the limit.
///
/// ```
/// use vierbein::prelude::*;
/// let (a, b) = (Tensor::<f64, _>::zeros([10, 100]), Tensor::<f64, _>::zeros([100, 5]));
/// let c = Tensor::<f64, _>::zeros([5, 50]);
/// let path = einsum_path!("ij,jk,kl->il", &a, &b, &c);
/// assert_eq!(path.steps()[0].spec, "ij,jk->ik");
/// assert_eq!(path.multiplications(), 7_500.0); // the other order needs 75 000
/// println!("{path}");
/// ```
#[macro_export]
macro_rules! einsum_path {
    ($spec:expr, $($x:expr),+ $(,)? $(; limit = $limit:expr $(,)?)?) => {
        $crate::__contract!($spec, [$($x,)+], path($crate::__limit!($($limit)?)))
    };
}

/// Fallible variant of [`einsum_path!`](crate::einsum_path!). Returns an error if `einsum_path!` would panic.
///
/// ```
/// use vierbein::prelude::*;
/// let x = Tensor::<f64, _>::zeros([1000, 2]);
/// // The product of 1000 × 1000 elements has 8 MB.
/// assert!(try_einsum_path!("ij,kj,kl->il", &x, &x, &x; limit = 1_000).is_ok());
/// assert!(try_einsum_path!("ij,kj,lj->ikl", &x, &x, &x; limit = 1_000).is_err());
/// ```
#[macro_export]
macro_rules! try_einsum_path {
    ($spec:expr, $($x:expr),+ $(,)? $(; limit = $limit:expr $(,)?)?) => {
        $crate::__contract!($spec, [$($x,)+], try_path($crate::__limit!($($limit)?)))
    };
}

#[doc(hidden)]
#[macro_export]
macro_rules! __limit {
    () => {
        ::core::option::Option::None
    };
    ($limit:expr) => {
        ::core::option::Option::Some($limit)
    };
}

// Expands to a block in which the specification is a constant, so that its numbers of labels can be const arguments. The `static` keeps the
// contraction path between calls. The caller's operands are expressions in the same block, so the names of the constant and of the `static`
// must not clash with the caller's names.
#[doc(hidden)]
#[macro_export]
macro_rules! __contract {
    ($spec:expr, [$first:expr, $($x:expr,)*], $method:ident($($argument:expr),*)) => {{
        const __VIERBEIN_SPEC: $crate::einsum::Spec<'static> =
            $crate::einsum::Spec::new($spec, $crate::__contract!(@count $first, $($x,)*));
        static __VIERBEIN_PATHS: $crate::einsum::PathCache = $crate::einsum::PathCache::new();
        $crate::__contract!(@and __VIERBEIN_SPEC (1) (
            $crate::einsum::contraction(
                &__VIERBEIN_SPEC,
                &__VIERBEIN_PATHS,
                $crate::einsum::Count::<{ $crate::__contract!(@count $first, $($x,)*) }>,
                $crate::einsum::TermOf::<{ __VIERBEIN_SPEC.labels(0) }, { __VIERBEIN_SPEC.ellipsis(0) }>,
                $first
            )
        ) $($x,)*)
            .result::<{ __VIERBEIN_SPEC.labels(__VIERBEIN_SPEC.operands()) }, _>()
            .$method($($argument),*)
    }};
    (@count) => { 0 };
    (@count $x:expr, $($rest:expr,)*) => { 1 + $crate::__contract!(@count $($rest,)*) };
    (@and $spec:ident ($($k:tt)+) ($($built:tt)+)) => { $($built)+ };
    (@and $spec:ident ($($k:tt)+) ($($built:tt)+) $x:expr, $($rest:expr,)*) => {
        $crate::__contract!(@and $spec ($($k)+ + 1) (
            $($built)+ .and($crate::einsum::TermOf::<{ $spec.labels($($k)+) }, { $spec.ellipsis($($k)+) }>, $x)
        ) $($rest,)*)
    };
}
