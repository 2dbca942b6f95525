//! `einsum!` and its kin: the specification becomes a constant, and its numbers of labels become types.

/// Contracts up to 16 tensors, as Einstein's summation convention says: `einsum!("ij,jk->ik", &a, &b)`.
#[macro_export]
macro_rules! einsum {
    ($spec:expr, $($x:expr),+ $(; limit = $limit:expr)? $(,)?) => {
        $crate::__contract!($spec, [$($x,)+], contract($crate::__limit!($($limit)?)))
    };
}

/// [`einsum!`](crate::einsum!) with a `Result`.
#[macro_export]
macro_rules! try_einsum {
    ($spec:expr, $($x:expr),+ $(; limit = $limit:expr)? $(,)?) => {
        $crate::__contract!($spec, [$($x,)+], try_contract($crate::__limit!($($limit)?)))
    };
}

/// Contracts into a tensor that is there: `einsum_into!(&mut out, alpha, beta; "ij,jk->ik", &a, &b)`.
#[macro_export]
macro_rules! einsum_into {
    ($out:expr, $alpha:expr, $beta:expr ; $spec:expr, $($x:expr),+ $(; limit = $limit:expr)? $(,)?) => {
        $crate::__contract!($spec, [$($x,)+], contract_into($out, $alpha, $beta, $crate::__limit!($($limit)?)))
    };
}

/// [`einsum_into!`](crate::einsum_into!) with a `Result`.
#[macro_export]
macro_rules! try_einsum_into {
    ($out:expr, $alpha:expr, $beta:expr ; $spec:expr, $($x:expr),+ $(; limit = $limit:expr)? $(,)?) => {
        $crate::__contract!($spec, [$($x,)+], try_contract_into($out, $alpha, $beta, $crate::__limit!($($limit)?)))
    };
}

/// The sequence of pairs in which [`einsum!`](crate::einsum!) would contract, to be printed.
#[macro_export]
macro_rules! einsum_path {
    ($spec:expr, $($x:expr),+ $(; limit = $limit:expr)? $(,)?) => {
        $crate::__contract!($spec, [$($x,)+], path($crate::__limit!($($limit)?)))
    };
}

/// [`einsum_path!`](crate::einsum_path!) with a `Result`.
#[macro_export]
macro_rules! try_einsum_path {
    ($spec:expr, $($x:expr),+ $(; limit = $limit:expr)? $(,)?) => {
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

// The specification is a constant of the block, so that its numbers can stand in types. Its name is nobody else's: operands
// are written in the same block.
#[doc(hidden)]
#[macro_export]
macro_rules! __contract {
    ($spec:expr, [$first:expr, $($x:expr,)*], $method:ident($($argument:expr),*)) => {{
        const __VIERBEIN_SPEC: $crate::einsum::Spec<'static> =
            $crate::einsum::Spec::new($spec, $crate::__contract!(@count $first, $($x,)*));
        $crate::__contract!(@and __VIERBEIN_SPEC (1) (
            $crate::einsum::contraction::<
                { __VIERBEIN_SPEC.operands() }, { __VIERBEIN_SPEC.labels(0) }, { __VIERBEIN_SPEC.ellipsis(0) }, _, _, _, _, _, _
            >(&__VIERBEIN_SPEC, $first)
        ) $($x,)*)
            .result::<{ __VIERBEIN_SPEC.labels(__VIERBEIN_SPEC.operands()) }, _>()
            .$method($($argument),*)
    }};
    (@count) => { 0 };
    (@count $x:expr, $($rest:expr,)*) => { 1 + $crate::__contract!(@count $($rest,)*) };
    (@and $spec:ident ($($k:tt)+) ($($built:tt)+)) => { $($built)+ };
    (@and $spec:ident ($($k:tt)+) ($($built:tt)+) $x:expr, $($rest:expr,)*) => {
        $crate::__contract!(@and $spec ($($k)+ + 1) (
            $($built)+ .and::<{ $spec.labels($($k)+) }, { $spec.ellipsis($($k)+) }, _, _>($x)
        ) $($rest,)*)
    };
}
