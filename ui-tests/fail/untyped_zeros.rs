// 

use vierbein::Tensor;

fn main() {
    let _ = Tensor::zeros([2, 3]);
}
