//! Functions of two elements, one of which is a fixed scalar.

use super::{BinaryOp, UnaryOp};
use crate::device::{CudaSource, Scalars};
use crate::element::{Element, Elementary};

/// A function of two elements whose right operand is fixed.
#[derive(Debug, Clone, Copy)]
pub(crate) struct WithRight<F, B> {
    pub(crate) op: F,
    pub(crate) right: B,
}

impl<A: Element, B: Element, F: BinaryOp<A, B>> UnaryOp<A> for WithRight<F, B> {
    type Output = F::Output;
    const NAME: &'static str = F::NAME;
    const CUDA: CudaSource = F::CUDA;
    const CUDA_DEFINED: CudaSource = F::CUDA_DEFINED;
    const CHECKED: bool = F::CHECKED;
    const COST: usize = F::COST_WITH_SCALAR;
    const MULTIPLIES: bool = F::MULTIPLIES;
    fn apply(&self, a: A) -> F::Output {
        self.op.apply_with_scalar(a, self.right)
    }
    #[inline]
    fn elementary(&self) -> Option<Elementary> {
        self.op.elementary_with_scalar(self.right)
    }
    fn is_defined(&self, a: A) -> bool {
        self.op.is_defined(a, self.right)
    }
    fn always_defined(&self) -> bool {
        self.op.always_defined_with_scalar(self.right)
    }
    fn operands(&self, a: A) -> String {
        self.op.operands(a, self.right)
    }
    fn scalars(&self, bind: &mut Scalars) {
        self.op.scalars(bind);
        bind.operand("b", self.right);
    }
}

/// A function of two elements whose left operand is fixed.
#[derive(Debug, Clone, Copy)]
pub(crate) struct WithLeft<F, A> {
    pub(crate) op: F,
    pub(crate) left: A,
}

impl<A: Element, B: Element, F: BinaryOp<A, B>> UnaryOp<B> for WithLeft<F, A> {
    type Output = F::Output;
    const NAME: &'static str = F::NAME;
    const CUDA: CudaSource = F::CUDA;
    const CUDA_DEFINED: CudaSource = F::CUDA_DEFINED;
    const CHECKED: bool = F::CHECKED;
    const COST: usize = F::COST;
    const MULTIPLIES: bool = F::MULTIPLIES;
    fn apply(&self, b: B) -> F::Output {
        self.op.apply(self.left, b)
    }
    #[inline]
    fn elementary(&self) -> Option<Elementary> {
        self.op.elementary_with_left_scalar(self.left)
    }
    fn is_defined(&self, b: B) -> bool {
        self.op.is_defined(self.left, b)
    }
    fn operands(&self, b: B) -> String {
        self.op.operands(self.left, b)
    }
    fn scalars(&self, bind: &mut Scalars) {
        self.op.scalars(bind);
        bind.operand("a", self.left);
    }
}
