// A tensor needs exclusive access to its memory. Shared memory can be viewed.

use std::sync::Arc;
use vierbein::TensorView;

pub fn main() {
    let memory: Arc<[f64]> = Arc::from([1.0, 2.0]);
    let _ = TensorView::<f64, _>::from_slice_strided(&memory, [2], [1], 0);
}
