//! The identity of a kernel, and its source: the prelude, the kernel's template, the operation as a functor, and an entry function that
//! combines them.

use crate::device::CudaSource;
use crate::device::scalars::{Scalars, Signature};
use crate::element::DType;
use std::fmt::Write;

/// The files at the beginning of every source.
pub(super) const PRELUDE: &[&str] = &[
    include_str!("sources/prelude.cu"),
    include_str!("sources/arithmetic.cu"),
    include_str!("sources/powers.cu"),
    include_str!("sources/functions.cu"),
];

/// A family of kernels that differ in operations, element types and a few numbers.
#[derive(Debug)]
pub(in crate::device::cuda::runtime) struct Template {
    /// The contents of the files between the prelude and the functor.
    pub(in crate::device::cuda::runtime) files: &'static [&'static str],
    /// Returns the end of the source: type names, the functor if there is one, and the kernel function `entry`.
    pub(in crate::device::cuda::runtime) entry: fn(&Program) -> String,
}

/// Identifies a kernel. Every launch looks up the compiled kernel by this value; the source is generated only if this process has
/// not used the kernel before.
#[derive(Debug, Clone, Copy)]
pub(in crate::device::cuda::runtime) struct Program {
    pub(in crate::device::cuda::runtime) template: &'static Template,
    /// The name of the operation in messages. Programs that differ only in `name` are equal.
    pub(in crate::device::cuda::runtime) name: &'static str,
    /// The operation's own source.
    pub(in crate::device::cuda::runtime) text: CudaSource,
    /// Element types of the result and of up to three operands.
    pub(in crate::device::cuda::runtime) types: [Option<DType>; 4],
    /// The scalars and operands of the operation.
    pub(in crate::device::cuda::runtime) signature: Signature,
    /// Template parameters; each template defines their meaning.
    pub(in crate::device::cuda::runtime) variant: [u32; 6],
}

impl PartialEq for Program {
    fn eq(&self, other: &Self) -> bool {
        std::ptr::eq(self.template, other.template) && self.key() == other.key()
    }
}
impl Eq for Program {}
impl std::hash::Hash for Program {
    fn hash<H: std::hash::Hasher>(&self, state: &mut H) {
        std::ptr::from_ref(self.template).hash(state);
        self.key().hash(state);
    }
}

impl Program {
    fn key(&self) -> (&str, &[Option<DType>; 4], &Signature, &[u32; 6]) {
        (self.text.as_str(), &self.types, &self.signature, &self.variant)
    }

    /// Returns the kernel's complete source.
    pub(in crate::device::cuda::runtime) fn source(&self) -> String {
        let mut source: String = PRELUDE.iter().chain(self.template.files).copied().collect();
        source += &(self.template.entry)(self);
        source
    }

    /// Returns the `typedef`s that name the element types: `R` for the result, `A`, `B` and `C` for the operands.
    pub(in crate::device::cuda::runtime) fn typedefs(&self) -> String {
        let named = self.types.iter().zip(["R", "A", "B", "C"]);
        named
            .filter_map(|(dtype, name)| Some(format!("typedef {} {name};\n", cuda_name((*dtype)?))))
            .collect()
    }

    /// Returns the declarations of the scalars, as members of a structure.
    pub(in crate::device::cuda::runtime) fn members(&self) -> String {
        let constant = |(name, value)| format!("static constexpr u8 {name} = {value}; ");
        let mut members = self.signature.constant().map_or(String::new(), constant);
        for (name, dtype) in self.signature.scalars() {
            let _ = write!(members, "{} {name}; ", cuda_name(dtype));
        }
        members
    }

    /// Returns the operation as a functor `F`, whose parameters are the operands that are not bound to a scalar. Its result type is
    /// `result`.
    pub(in crate::device::cuda::runtime) fn functor(&self, operands: u32, result: &str) -> String {
        let of = |name: &str| format!("{} {name}", name.to_uppercase());
        let parameters: Vec<String> = self.signature.operands().take(operands as usize).map(of).collect();
        // An operation without operands is a function of the index.
        let parameters = if operands == 0 { "u64 k".into() } else { parameters.join(", ") };
        format!(
            // The operation's source may end with a comment. The line break ends this comment.
            "struct F {{ {}DEV {result} operator()({parameters}) const {{ return ({result})({}\n); }} }};\n",
            self.members(),
            self.text.as_str()
        )
    }
}

/// Returns the name of an element type in CUDA C++.
pub(super) fn cuda_name(dtype: DType) -> &'static str {
    match dtype {
        DType::C32 => "c32",
        DType::C64 => "c64",
        other => other.name(),
    }
}

/// The bytes of an operation's scalars, with the layout of a C structure whose members are the scalars.
#[derive(Debug, Clone, Copy)]
#[repr(C, align(16))]
pub(in crate::device::cuda::runtime) struct Packed([u8; 96]);

impl Packed {
    pub(in crate::device::cuda::runtime) fn new(scalars: &Scalars) -> Packed {
        let mut packed = Packed([0; 96]);
        let mut at = 0usize;
        for (bytes, dtype) in scalars.values() {
            let size = dtype.size();
            // Every element type is aligned to its size; `prelude.cu` declares this alignment for complex numbers.
            at = at.next_multiple_of(size);
            packed.0[at..at + size].copy_from_slice(&bytes[..size]);
            at += size;
        }
        packed
    }
}
