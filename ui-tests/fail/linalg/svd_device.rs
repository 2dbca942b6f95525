// The device has all families of operations, but not decompositions. Compute on the host: `.to_device::<Cpu>()?`.

use remote::Remote;
use vierbein::device::{Copy, Elementwise, Fourier, Gemm, Reduce, Select, Sort};
use vierbein::{Rank, RowMajor, Tensor};

#[path = "../../remote.rs"]
mod remote;

impl Elementwise<bool> for Remote {}
impl Elementwise<i64> for Remote {}
impl Copy<bool> for Remote {}
impl Select<f64> for Remote {}
impl Select<bool> for Remote {}
impl Copy<i64> for Remote {}
impl Select<i64> for Remote {}
impl Reduce<f64> for Remote {}
impl Sort<f64> for Remote {}
impl Fourier<f64> for Remote {}
impl Reduce<bool> for Remote {}
impl Sort<bool> for Remote {}
impl Reduce<i64> for Remote {}
impl Sort<i64> for Remote {}
impl Gemm<f64> for Remote {}

fn main() {
    let a: Tensor<f64, Rank<2>, RowMajor, Remote> = Tensor::ones([2, 2]);
    let _ = a.svd();
}
