// The device has all families of operations, but not decompositions. Compute on the host: `.to_device::<Cpu>()?`.

use remote::Remote;
use vierbein::device::{Elementwise, Gemm, Permute, Reduce};
use vierbein::{Cpu, Rank, RowMajor, Tensor};

#[path = "../../remote.rs"]
mod remote;

impl Elementwise<bool> for Remote {}
impl Elementwise<i64> for Remote {}
impl Permute<bool> for Remote {}
impl Permute<i64> for Remote {}
impl Reduce<f64> for Remote {}
impl Reduce<bool> for Remote {}
impl Reduce<i64> for Remote {}
impl Gemm<f64> for Remote {}

pub fn main() {
    let a: Tensor<f64, Rank<2>, RowMajor, Remote> = Tensor::ones([2, 2]);
    let _ = a.to_device::<Cpu>().unwrap().svd();
}
