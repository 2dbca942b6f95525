// `CudaSource::new` is unsafe: the caller must ensure that the text accesses no memory.

use vierbein::device::{CudaSource, UnaryOp};

#[derive(Clone, Copy)]
struct Twice;

impl UnaryOp<f64> for Twice {
    type Output = f64;
    const NAME: &'static str = "double";
    // SAFETY: the text is an expression of the operand's value `a`. It accesses no memory.
    const CUDA: CudaSource = unsafe { CudaSource::new("2.0 * a") };
    fn apply(&self, a: f64) -> f64 {
        2.0 * a
    }
}

pub fn main() {
    let _ = (Twice, CudaSource::NONE);
}
