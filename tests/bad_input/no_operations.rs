//! Public items that need no row in the bad-input table (see `bad_input/mod.rs`), because they are not operations on elements. A comment
//! gives the reason for each group.

pub(crate) const LIST: &[&str] = &[
    // Metadata of a tensor.
    "shape",
    "strides",
    "rank",
    "len",
    "is_empty",
    "device",
    "is_contiguous",
    // What the library selected on this machine.
    "info",
    // Borrows of the tensor.
    "view",
    "view_mut",
    // Pointers to the first element.
    "as_ptr",
    "as_mut_ptr",
    "device_ptr",
    "device_ptr_mut",
    // Functions of values that devices pass and receive: marker types that prove a capability, scaling factors and addresses. No function
    // reads elements.
    "device::Copies::new",
    "device::OnHost::new",
    "device::Scaling::overwrite",
    "device::HostPtr::new",
    "device::HostPtr::get",
    "device::HostPtr::offset",
    "device::CudaPtr::address",
    // Returns the value that an error contains.
    "ConversionError::into_inner",
    // Formatting, and the CUDA C++ source text of an operation.
    "fmt",
    "device::CudaSource::as_str",
    "device::CudaSource::new",
    // Methods of hidden or sealed traits. Operations call them to access their operands; the traits occur in bounds of generic
    // code.
    "as_view",
    "agreeing",
    "operand",
    "contents",
    // Compares the one element of a rank-0 tensor on the host.
    "partial_cmp",
    // Has the same result as `downcast` of a `DynTensor`.
    "try_from",
    // Methods of `num_complex::Complex`, which is re-exported.
    "Complex::acos",
    "Complex::acosh",
    "Complex::arg",
    "Complex::asin",
    "Complex::asinh",
    "Complex::atan",
    "Complex::atanh",
    "Complex::cbrt",
    "Complex::cis",
    "Complex::conj",
    "Complex::cos",
    "Complex::cosh",
    "Complex::exp",
    "Complex::exp2",
    "Complex::expf",
    "Complex::fdiv",
    "Complex::finv",
    "Complex::from_polar",
    "Complex::i",
    "Complex::inv",
    "Complex::is_finite",
    "Complex::is_infinite",
    "Complex::is_nan",
    "Complex::is_normal",
    "Complex::l1_norm",
    "Complex::ln",
    "Complex::log",
    "Complex::log10",
    "Complex::log2",
    "Complex::new",
    "Complex::norm",
    "Complex::norm_sqr",
    "Complex::powc",
    "Complex::powf",
    "Complex::powi",
    "Complex::powu",
    "Complex::scale",
    "Complex::sin",
    "Complex::sinh",
    "Complex::sqrt",
    "Complex::tan",
    "Complex::tanh",
    "Complex::to_polar",
    "Complex::unscale",
    // Options of interpolations.
    "Interpolation::new",
    "op::RoundTo::new",
    "Interpolation::left",
    "Interpolation::right",
    "Interpolation::period",
    // Options of Fourier transforms.
    #[cfg(feature = "fft")]
    "fft::Fft::new",
    #[cfg(feature = "fft")]
    "fft::Fft::len",
    #[cfg(feature = "fft")]
    "fft::Fft::lens",
    #[cfg(feature = "fft")]
    "fft::Fft::norm",
    #[cfg(feature = "fft")]
    "fft::Transform::factor",
    // Conditions for truncated decompositions, which `svd_truncated` checks.
    #[cfg(feature = "linalg")]
    "linalg::Truncation::below",
    #[cfg(feature = "linalg")]
    "linalg::Truncation::cutoff",
    #[cfg(feature = "linalg")]
    "linalg::Truncation::max_rank",
    #[cfg(feature = "linalg")]
    "linalg::Truncation::multiplets",
    #[cfg(feature = "linalg")]
    "linalg::Truncation::new",
    #[cfg(feature = "linalg")]
    "linalg::Truncation::rank",
    #[cfg(feature = "linalg")]
    "linalg::Truncation::relative",
    // Names and sizes of element types and memory orders.
    "DType::name",
    "DType::promote",
    "DType::size",
    "MemoryOrder::is_row_major",
    "MemoryOrder::name",
    "MemoryOrder::transposed",
    "interop::dlpack::DLDataType::dtype",
    "interop::dlpack::DLDataType::of",
    // `dispatch!` selects the type that belongs to a `DType`. The compiler checks the code for each type.
    "dispatch!",
    // Devices: buffer pool, synchronisation.
    "device::Cpu::pooled_bytes",
    "device::Cpu::pool_limit",
    "device::Cpu::set_pool_limit",
    "device::Cpu::trim_pool",
    "device::Cuda::count",
    "device::Cuda::memory",
    "device::Cuda::new",
    "device::Cuda::pinned",
    "device::Cuda::synchronize",
    "device::Cuda::trim_pool",
    // Methods of the operands that kernels receive, for kernels in other crates. The caller of a kernel has checked shapes and
    // strides.
    "device::Operand::from_raw",
    "device::Operand::on_host",
    "device::Operand::ptr",
    "device::Operand::shape",
    "device::Operand::strides",
    "device::Output::as_operand",
    "device::Output::from_raw",
    "device::Output::on_host",
    "device::Output::ptr",
    "device::Output::shape",
    "device::Output::strides",
    "device::Scalars::scalar",
    // The specifications of `einsum!`, which are parsed at compile time, and methods that only describe a contraction path or a message.
    "einsum::Spec::ellipsis",
    "einsum::Spec::labels",
    "einsum::Spec::new",
    "einsum::Spec::operands",
    "einsum::Spec::parse",
    "einsum::Spec::text",
    "einsum::SpecError::message",
    "einsum::Message::as_str",
    "einsum::PathCache::new",
    "einsum::ContractionPath::flops",
    "einsum::ContractionPath::largest_intermediate",
    "einsum::ContractionPath::multiplications",
    "einsum::ContractionPath::steps",
    // Specifications of factorisations by labels, which are also parsed at compile time.
    #[cfg(feature = "linalg")]
    "factorise::FactorSpec::ellipsis",
    #[cfg(feature = "linalg")]
    "factorise::FactorSpec::factorisation",
    #[cfg(feature = "linalg")]
    "factorise::FactorSpec::labels",
    #[cfg(feature = "linalg")]
    "factorise::FactorSpec::new",
    #[cfg(feature = "linalg")]
    "factorise::FactorSpec::parse",
    #[cfg(feature = "linalg")]
    "factorise::FactorSpec::text",
    #[cfg(feature = "linalg")]
    "factorise::FactorSpecError::message",
    #[cfg(feature = "linalg")]
    "factorise::Factorisation::name",
    // Returns the view from which a conjugated operand was made.
    "einsum::Conjugate::conj_view",
    // Metadata of memory from other libraries.
    "interop::dlpack::Dlpack::device",
    "interop::dlpack::Dlpack::dtype",
    "interop::dlpack::Dlpack::is_read_only",
    "interop::dlpack::Dlpack::shape",
    "interop::dlpack::Dlpack::strides",
];

/// Functions that are hidden in the documentation, grouped by the reason why they accept any input. None of them accesses memory at an
/// address that its arguments determine.
pub(crate) const HIDDEN: &[(&str, &[&str])] = &[
    (
        "numbers to numbers",
        &[
            "Element::printed",
            "Scalar::widen",
            "Scalar::narrow",
            "Scalar::acc_add",
            "Scalar::acc_add_carry",
            "Scalar::acc_mul",
            "Scalar::fits",
            "Scalar::to_wrapping",
            "Scalar::wrapping",
            "Scalar::wrapping_by_invariant",
            "Scalar::neg_fits",
            "Scalar::acc_to_float",
            "Scalar::acc_sum",
            "Scalar::wrapping_neg",
            "RealScalar::in_f64",
            "RealScalar::in_i128",
            "RealScalar::wrapped",
            "Scalar::is_close",
            "Scalar::integer_power",
            "Inexact::function",
            "Inexact::real_function",
            "Inexact::pair_function",
            "Inexact::quotient",
            "Inexact::remainder",
            "BinaryOp::elementary",
            "BinaryOp::elementary_with_scalar",
            "BinaryOp::elementary_with_left_scalar",
            "UnaryOp::elementary",
            "Function::elementary",
            "Inexact::unscale",
            "Inexact::dot_re",
            "Inexact::raised",
            "Inexact::has_nan",
            "Inexact::all_finite",
            "Inexact::has_infinite",
            "Inexact::map_parts",
            "ScalarFor::into_element",
            "IndexNumber::within",
        ],
    ),
    (
        "a type under another name of its own",
        &[
            "SameDtype::same_ptr",
            "SameDtype::same_buffer",
            "SameDevice::same_device",
            "SameDevice::same_device_ref",
            "SameDevice::same_ptr",
            "SameDevice::same_buffer",
        ],
    ),
    ("takes slices and accumulators", &["Reduction::fold_block", "Reduction::fold_rows"]),
    (
        "takes results and elements",
        &["Reduction::is_doubtful", "Reduction::restored", "Reduction::scale", "Reduction::scaled"],
    ),
    (
        "arguments of public methods, as numbers: the methods check them",
        &["DynAxes::axes", "DynSlice::of", "SliceArg::item", "SliceOf::items", "impl::copied"],
    ),
    (
        "of sealed traits: kernels, whose operands the methods check (`errors/fft.rs`)",
        &[
            "FftElement::fft_on_host",
            "FftElement::spectrum",
            "FftElement::of_spectrum",
            "FftReal::rfft_on_host",
            "FftComplex::irfft_on_host",
            "LinalgElement::cholesky_on_host",
            "LinalgElement::complex",
            "LinalgElement::eig_on_host",
            "LinalgElement::eigh_on_host",
            "LinalgElement::ldl_on_host",
            "LinalgElement::lu_on_host",
            "LinalgElement::qr_on_host",
            "LinalgElement::schur_on_host",
            "LinalgElement::solve_on_host",
            "LinalgElement::svd_on_host",
            "LinalgElement::from_complex",
            "LinalgElement::to_complex",
        ],
    ),
    (
        "of sealed traits: an index as numbers, an address as a pointer",
        &["IndexArray::counted_from_start", "IndexArray::given", "TensorIndex::address"],
    ),
    (
        "the way from operators and methods, which have rows, to their operands",
        &[
            "Operands::combine",
            "Operands::combine_into",
            "SelectOperand::on",
            "PadWidths::of_axis",
            "RepeatCounts::counts",
            "Positions::positions",
            "PositionNumber::as_i64",
            "Indices::rows",
            "Mask::mask",
            "RightOperand::operate",
            "AcceptsRight::assign",
            "AcceptsRight::combine",
            "AssignOperand::operate_on",
        ],
    ),
    (
        "methods of storage and buffers, which no public function hands out",
        &[
            "DynData::into_owned",
            "Storage::ptr",
            "Storage::device",
            "Storage::share",
            "Storage::into_buffer",
            "StorageMut::share_mut",
            "BorrowedStorage::moved",
            "Device::adopt_buffer",
        ],
    ),
    (
        "sealed traits of files and of DLPack, whose values only unsafe code makes",
        &[
            "CsvElement::parse",
            "CsvElement::parse_start",
            "CsvElement::reason",
            "CsvElement::missing",
            "CsvElement::put",
            "FromCsv::of_rows",
            "ToCsv::matrix",
            "ToCsv::put_rows",
            "FromFile::rejection",
            "FromFile::of_elements",
            "ToFile::put_bytes",
            "Managed::assemble",
            "Managed::major",
            "Managed::tensor",
            "Managed::context",
            "Managed::deleter",
            "Managed::read_only",
            "SharedDevice::get",
            "SharedDevice::pointer",
            "SharedDevice::address",
            "SharedDevice::buffer",
        ],
    ),
    (
        "operands of any types: sealed, for devices of this crate; those that access memory are unsafe",
        &[
            "Arguments::map_contiguous",
            "Arguments::defined_contiguous",
            "ElementTuple::broadcast",
            "ElementTuple::copies",
            "ElementTuple::fetched",
            "ElementTuple::read",
        ],
    ),
    (
        "hidden variants of public methods for positions of type `usize`: lists of them are operands of `take` and `scatter_add`",
        &[
            "Permute::check_unsigned",
            "Permute::take_unsigned",
            "Reduce::scatter_with_unsigned",
            "Positions::bits",
        ],
    ),
    (
        "names of other libraries for public methods that have rows",
        &[
            "impl::unsqueeze",
            "impl::expand_dims",
            "impl::squeeze",
            "impl::transpose",
            "impl::astype",
            "impl::ravel",
            "impl::copy",
            "impl::ndim",
            "impl::numel",
        ],
    ),
    (
        "parts of public macros: the builder that they call checks its numbers (`builder.rs`)",
        &["__dispatch!", "__limit!", "__contract!", "__factorise!", "OperandList::factors", "impl::boxed"],
    ),
];
