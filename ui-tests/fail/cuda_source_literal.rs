// A string is not a `CudaSource`. Write `unsafe { CudaSource::new("..") }`, and ensure that the text accesses no memory.

use vierbein::device::{CudaSource, UnaryOp};

#[derive(Clone, Copy)]
struct Twice;

impl UnaryOp<f64> for Twice {
    type Output = f64;
    const NAME: &'static str = "double";
    const CUDA: CudaSource = "2.0 * a";
    fn apply(&self, a: f64) -> f64 {
        2.0 * a
    }
}

fn main() {
    let _ = (Twice, CudaSource::NONE);
}
