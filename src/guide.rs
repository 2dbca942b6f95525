//! The guide: memory orders, devices, ranks, contractions, data exchange and performance, and the switch from NumPy or ndarray. The
//! pages are the files in `docs/` of the repository; their Rust examples run as tests.
//!
//! | page | contents |
//! |---|---|
//! | [`orders`] | what row-major and column-major mean, with pictures of memory |
//! | [`devices`] | hosts and GPUs: transfers, synchronisation, how to implement a device |
//! | [`ranks_and_errors`] | rank of the result, bounds of generic code, how to read the compiler's messages |
//! | [`contractions`] | `einsum!` and matrix products: kernels, contraction order |
//! | [`data_exchange`] | dynamic tensors, files, memory of other libraries |
//! | [`performance`] | what allocates, what copies, what is free |
//! | [`from_numpy`] | NumPy's calls and their equivalents |
//! | [`from_ndarray`] | ndarray's calls and their equivalents |

/// Defines the pages as modules. Link definitions for rustdoc precede each page. They take precedence over those in the page, because
/// Markdown uses the first definition of a reference.
macro_rules! pages {
    ($($name:ident $file:literal;)*) => {$(
        #[doc = include_str!("../docs/figures/rustdoc.md")]
        #[doc = include_str!("../docs/rustdoc.md")]
        #[doc = include_str!(concat!("../docs/", $file))]
        pub mod $name {}
    )*};
}
pages! {
    orders "orders.md";
    devices "devices.md";
    ranks_and_errors "ranks_and_errors.md";
    contractions "contractions.md";
    data_exchange "data_exchange.md";
    performance "performance.md";
    from_numpy "from_numpy.md";
    from_ndarray "from_ndarray.md";
}
