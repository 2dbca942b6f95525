// 

use vierbein::Tensor;

fn main() {
    let _ = Tensor::<f64>::zeros([2, 3]);
}
