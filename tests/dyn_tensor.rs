use vierbein::prelude::*;
use vierbein::*;
#[test]
fn there_and_back() {
    let x = tensor![[1.0, 2.0], [3.0, 4.0]];
    let p = x.as_slice().as_ptr();
    let d = DynTensor::from(x);
    println!("{d}");
    let e = d.downcast::<f32, Rank<2>, RowMajor, Cpu>().unwrap_err();
    println!("{e}");
    let y: Tensor<f64, Rank<2>> = e.into_inner().downcast().unwrap();
    assert_eq!(y.as_slice().as_ptr(), p);
    let v = DynView::from(&y);
    assert_eq!(v.downcast_ref::<f64, Rank<2>, RowMajor, Cpu>().unwrap(), y);
    let c = v.to_order(MemoryOrder::ColMajor).unwrap();
    assert_eq!(c.to_vec::<f64>().unwrap(), [1.0, 3.0, 2.0, 4.0]);
}
