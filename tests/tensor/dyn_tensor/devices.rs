//! Tests of dynamic tensors on a device for which `DynTensor` has no kernels. Operations that need no kernel must work. All others
//! must return an error that names the fix.

use crate::common::Remote;
use vierbein::prelude::*;
use vierbein::{DType, DynTensor, DynView, MemoryOrder};

fn remote() -> DynTensor {
    DynTensor::from(tensor![[1, 2, 3], [4, 5, 6]].to_device::<Remote>().unwrap())
}

#[test]
fn operations_without_kernels_work_on_any_device() {
    let mut x = remote();
    assert_eq!((x.device_name(), x.dtype()), ("Remote".to_string(), DType::I32));
    assert!(x.device::<Remote>().is_some() && x.device::<Cpu>().is_none());
    assert_eq!(x.get(&[1, 2]).unwrap(), 6.into());
    x.set(&[0, 0], 9).unwrap();
    let turned = x.permute(&[1, 0]).unwrap();
    assert_eq!(turned.to_vec::<i32>().unwrap(), [9, 4, 2, 5, 3, 6]);
    let copied = turned.to_order(MemoryOrder::ColMajor).unwrap();
    assert_eq!(copied.device_name(), "Remote");
    assert_eq!(copied, turned);
    assert_eq!(x.to_string(), "[[9, 2, 3],\n [4, 5, 6]]\ni32 [2, 3] row-major on Remote");
    let home = x.to_device::<Cpu>().unwrap();
    assert_eq!(home.downcast_ref().unwrap(), tensor![[9, 2, 3], [4, 5, 6]]);
    assert_ne!(home, x);
    assert_eq!(home.to_device::<Remote>().unwrap(), x);
    // `cast_into` converts elements on the host, so it works for each device.
    let cast: Tensor<f64, Rank<2>> = x.clone().cast_into().unwrap();
    assert_eq!(cast, tensor![[9.0, 2.0, 3.0], [4.0, 5.0, 6.0]]);
    // After a downcast to a typed tensor, all operations work on the device.
    let typed: Tensor<i32, Rank<2>, RowMajor, Remote> = x.downcast().unwrap();
    assert_eq!(DynView::from(&(&typed + &typed)).get(&[0, 0]).unwrap(), 18.into());
}

#[test]
fn operations_with_kernels_are_errors_on_other_devices() {
    let x = remote();
    let text = |op: &str| {
        format!(
            "{op}: a `DynTensor` does not compute on `Remote`; move it to the host with `.to_device::<Cpu>()?`, \
             or compute with a typed tensor: `.downcast::<T, D, O, Dev>()?`"
        )
    };
    assert_eq!(x.try_add(&x).unwrap_err().to_string(), text("add"));
    assert_eq!(x.try_add(1).unwrap_err().to_string(), text("add"));
    assert_eq!(remote().fill(1).unwrap_err().to_string(), text("fill"));
    assert_eq!(x.sum().unwrap_err().to_string(), text("sum"));
    assert_eq!(x.abs().unwrap_err().to_string(), text("take abs of"));
    assert_eq!(x.to_dtype(DType::F64).unwrap_err().to_string(), text("cast"));
    assert_eq!(x.trace(0, 1).unwrap_err().to_string(), text("trace"));
    assert_eq!(x.matmul(x.t().unwrap()).unwrap_err().to_string(), text("matmul"));
    assert_eq!(vierbein::dyn_tensor::einsum("ij->j", &[&x]).unwrap_err().to_string(), text("einsum"));
    assert_eq!(remote().assign(&x).unwrap_err().to_string(), text("assign"));
}

#[test]
fn mismatched_devices_are_errors() {
    let (here, there) = (DynTensor::from(tensor![[1, 2, 3], [4, 5, 6]]), remote());
    let text = |op: &str| {
        format!(
            "{op}: cannot combine a tensor on `Cpu` with a tensor on `Remote`: the operands are on different devices; \
             move one of them first, e.g. with `.to_device::<Cpu>()?`"
        )
    };
    assert_eq!(here.try_add(&there).unwrap_err().to_string(), text("add"));
    assert_eq!(here.lt(&there).unwrap_err().to_string(), text("compare"));
    assert_eq!(here.matmul(&there).unwrap_err().to_string(), text("matmul"));
    assert_eq!(here.clone().assign(&there).unwrap_err().to_string(), text("assign"));
    assert!(here.try_add(&there.to_device::<Cpu>().unwrap()).is_ok());
}
