// A tensor needs exclusive access to its memory. Shared memory can be viewed.

use std::sync::Arc;
use vierbein::Tensor;

fn main() {
    let memory: Arc<[f64]> = Arc::from([1.0, 2.0]);
    let _ = Tensor::<f64, _>::from_buffer([2], memory);
}
