// Names of NumPy, PyTorch and ndarray work, with a warning that says the name here.

#![deny(deprecated)]

use vierbein::prelude::*;

fn main() {
    let x = tensor![1.0, 2.0];
    let _ = x.unsqueeze(0).astype::<f32>();
}
