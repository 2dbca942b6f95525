// `CudaSource::new` is unsafe: the caller must ensure that the text accesses no memory.

use vierbein::device::{CudaSource, UnaryOp};

#[derive(Clone, Copy)]
struct Twice;

impl UnaryOp<f64> for Twice {
    type Output = f64;
    const NAME: &'static str = "double";
    const CUDA: CudaSource = CudaSource::new("2.0 * a");
    fn apply(&self, a: f64) -> f64 {
        2.0 * a
    }
}

fn main() {
    let _ = (Twice, CudaSource::NONE);
}
