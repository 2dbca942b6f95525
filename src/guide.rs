//! The guide: what the four types are for, one page each, and the way here from other libraries. The pages are the files in `docs/`
//! of the repository; what is written in them as Rust runs as a test.
//!
//! | | |
//! |---|---|
//! | [`orders`] | what row-major and column-major mean, with pictures of memory |
//! | [`devices`] | hosts and GPUs: what goes where, what waits, a device of one's own |
//! | [`ranks_and_errors`] | how ranks are reckoned, bounds of generic code, reading the compiler's messages |
//! | [`performance`] | what allocates, what copies, what is free |
//! | [`from_numpy`] | NumPy's calls and the ones here, side by side |
//! | [`from_ndarray`] | ndarray's |

/// A page. The definitions in front of it are what its references mean in this documentation: of two, Markdown takes the first.
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
    performance "performance.md";
    from_numpy "from_numpy.md";
    from_ndarray "from_ndarray.md";
}
