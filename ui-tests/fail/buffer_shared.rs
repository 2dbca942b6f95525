// A tensor may be written to, so its memory is nobody else's.

use std::sync::Arc;
use vierbein::Tensor;

fn main() {
    let memory: Arc<[f64]> = Arc::from([1.0, 2.0]);
    let _ = Tensor::<f64, _>::from_buffer([2], memory);
}
