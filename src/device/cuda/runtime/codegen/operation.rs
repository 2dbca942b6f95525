//! Operations and their operands, without type parameters. Also the parts of kernel sources that the templates of elementwise
//! kernels share.

use super::program::{Program, Template};
use crate::device::CudaSource;
use crate::device::scalars::Scalars;
use crate::element::DType;

/// Number of threads per block of elementwise kernels.
pub(in crate::device::cuda::runtime) const THREADS: usize = 256;
/// Operations on fewer than this number of elements use 32-bit indices. The margin of 2²⁰ keeps indices below 2³¹ after a kernel adds
/// the offsets of its last block.
pub(in crate::device::cuda::runtime) const NARROW: usize = (1 << 31) - (1 << 20);

/// An operation as data, without type parameters.
#[derive(Debug, Clone, Copy)]
pub(in crate::device::cuda::runtime) struct Operation {
    /// The name of the operation in messages: a verb or a noun.
    pub(in crate::device::cuda::runtime) name: &'static str,
    pub(in crate::device::cuda::runtime) text: CudaSource,
    pub(in crate::device::cuda::runtime) scalars: Scalars,
}

/// An operand or a result: the address of its first element, the element type, and the strides.
#[derive(Debug, Clone, Copy)]
pub(in crate::device::cuda::runtime) struct RawOperand<'a> {
    pub(in crate::device::cuda::runtime) address: u64,
    pub(in crate::device::cuda::runtime) dtype: DType,
    pub(in crate::device::cuda::runtime) strides: &'a [isize],
}

/// The address of an element of an operand or a result, and the element type.
#[derive(Debug, Clone, Copy)]
pub(in crate::device::cuda::runtime) struct RawElements {
    pub(in crate::device::cuda::runtime) address: u64,
    pub(in crate::device::cuda::runtime) dtype: DType,
}

impl RawElements {
    /// Returns the element `elements` places after this one.
    pub(in crate::device::cuda::runtime) fn offset(self, elements: isize) -> RawElements {
        let bytes = elements as i64 * self.dtype.size() as i64;
        RawElements { address: self.address.wrapping_add_signed(bytes), ..self }
    }
}

impl Operation {
    /// Returns the operation's domain check: the same operation with the source `text`, an expression of type `bool`.
    pub(in crate::device::cuda::runtime) fn domain(&self, text: CudaSource) -> Operation {
        Operation { text, ..*self }
    }

    /// Returns the program that instantiates a template for these operands.
    pub(in crate::device::cuda::runtime) fn program(
        &self,
        template: &'static Template,
        result: DType,
        operands: &[RawElements],
        variant: [u32; 5],
    ) -> Program {
        let signature = self.scalars.signature();
        let mut types = [Some(result), None, None, None];
        let slot = |name: &str| ["a", "b", "c"].iter().position(|of| *of == name).map(|at| at + 1);
        let free = signature.operands().zip(operands).map(|(name, operand)| (name, operand.dtype));
        // An operand that is bound to a scalar has a type, too: the operation's source may name the type.
        for (name, dtype) in signature.scalars().chain(free) {
            if let Some(slot) = slot(name) {
                types[slot] = Some(dtype);
            }
        }
        let [p, q, r, s, t] = variant;
        Program {
            template,
            name: self.name,
            text: self.text,
            types,
            signature,
            variant: [operands.len() as u32, p, q, r, s, t],
        }
    }
}

/// Returns a mask of the operands for which `is` returns `true`: bit `k - 1` for operand `k`. Operand 0, the result, has no bit.
pub(in crate::device::cuda::runtime) fn mask(is: impl Fn(usize) -> bool, n: usize) -> u32 {
    (1..n).filter(|&k| is(k)).map(|k| 1 << (k - 1)).sum()
}

// ------------------------------------------------------------------ sources

/// Returns the declarations of a kernel's operand parameters, and the reader objects that the kernel constructs from them. Bit `k`
/// of `mask` belongs to the `k`th operand, counted from 0 without the result. If the bit is 0, the reader has the type `kinds[0]`,
/// otherwise `kinds[1]`. If the kernel has loops, `first` is the index of the first operand's stride among the strides of each loop.
pub(in crate::device::cuda::runtime) fn readers(
    program: &Program,
    mask: u32,
    kinds: [&str; 2],
    first: Option<usize>,
) -> (String, String) {
    let (mut parameters, mut readers) = (String::new(), String::new());
    for (k, name) in program.signature.operands().take(program.variant[0] as usize).enumerate() {
        let (kind, of) = (kinds[(mask >> k & 1) as usize], name.to_uppercase());
        let position = first.map_or(String::new(), |first| format!("{}, ", first + k));
        parameters += &format!(", const {of} *{name}");
        readers += &format!(", {kind}<{position}{of}>{{{name}}}");
    }
    (parameters, readers)
}

pub(in crate::device::cuda::runtime) fn head(program: &Program, result: &str) -> String {
    program.typedefs() + &program.functor(program.variant[0], result)
}
