//! Tests of operations that would not compile for typed tensors. For `DynTensor`, they return an error with the text of the
//! compiler message.

use vierbein::{DType, DynTensor, Error, MemoryOrder, c64, s, tensor};

fn f64s() -> DynTensor {
    DynTensor::from(tensor![[1.0, 2.0], [3.0, 4.0]])
}

#[track_caller]
fn rejected<V>(tried: Result<V, Error>, text: &str) {
    assert_eq!(tried.err().expect("an error was expected").to_string(), text);
}

const DTYPES: &str = "cannot combine a tensor of `f64` with a tensor of `f32`: the operands differ in element type; \
    convert one of them first, e.g. with `.to_dtype(DType::F64)`, or both with `promote(a, b)`";
const ORDERS: &str = "cannot combine a `RowMajor` tensor with a `ColMajor` tensor: the operands differ in memory order; \
    convert one of them first: `.as_order(RowMajor)` is a free view, `.to_order(RowMajor)` copies";

#[test]
fn mismatched_element_types_are_errors() {
    let (x, y) = (f64s(), f64s().to_dtype(DType::F32).unwrap());
    rejected(x.try_add(&y), &format!("add: {DTYPES}"));
    rejected(x.lt(&y), &format!("compare: {DTYPES}"));
    rejected(x.maximum(&y), &format!("take maximum of: {DTYPES}"));
    rejected(x.matmul(&y), &format!("matmul: {DTYPES}"));
    rejected(vierbein::dyn_tensor::einsum("ij,ij->", &[&x, &y]), &format!("einsum: {DTYPES}"));
    rejected(x.clone().try_mul_assign(&y), &format!("multiply: {DTYPES}"));
    rejected(x.clone().assign(&y), &format!("assign: {DTYPES}"));
    rejected(x.lt(0.0).unwrap().select(&x, &y), &format!("select from: {DTYPES}"));
    rejected(
        x.try_add(1),
        "add: cannot combine a tensor of `f64` with `i32`: expected a tensor or a scalar of `f64`; \
         a scalar has the type of the elements: `1.0` for `f64`, `Complex::from(1.0)` for `Complex<f64>`",
    );
    // The fixes that the messages name must work.
    assert!(x.try_add(&y.to_dtype(DType::F64).unwrap()).is_ok());
    let (a, b) = vierbein::dyn_tensor::promote(x, y).unwrap();
    assert!(a.try_add(&b).is_ok());
}

#[test]
fn mismatched_memory_orders_are_errors() {
    let x = f64s();
    let y = x.to_order(MemoryOrder::ColMajor).unwrap();
    rejected(x.try_sub(&y), &format!("subtract: {ORDERS}"));
    rejected(x.matmul(&y), &format!("matmul: {ORDERS}"));
    rejected(vierbein::dyn_tensor::einsum("ij,jk->ik", &[&x, &y]), &format!("einsum: {ORDERS}"));
    rejected(x.clone().assign(&y), &format!("assign: {ORDERS}"));
    rejected(x.lt(0.0).unwrap().select(&y, &y), &format!("select from: {ORDERS}"));
    assert!(x.try_sub(y.as_order(MemoryOrder::RowMajor)).is_ok());
    assert!(x.try_sub(&y.to_order(MemoryOrder::RowMajor).unwrap()).is_ok());
    // Operands of rank 0 and 1, left or right, match both memory orders. The result has the memory order of the other operand.
    let v = DynTensor::from(tensor![1.0, 2.0]);
    for (a, b) in [(&v, &y), (&y, &v)] {
        let sum = a.try_add(b).unwrap();
        assert_eq!(sum.order(), MemoryOrder::ColMajor);
        // Column-major aligns leading axes: the vector is added to each column.
        assert_eq!(sum.to_vec::<f64>().unwrap(), [2.0, 5.0, 3.0, 6.0]);
    }
    let mut z = y.clone();
    z.try_add_assign(&v).unwrap();
    assert_eq!(z.to_vec::<f64>().unwrap(), [2.0, 5.0, 3.0, 6.0]);
    assert_eq!(y.matmul(&v).unwrap().to_vec::<f64>().unwrap(), [5.0, 11.0]);
    // A mask of rank 1 matches both memory orders. But the two other operands differ in memory order, which is an error.
    rejected(v.lt(1.5).unwrap().select(&x, &y), &format!("select from: {ORDERS}"));
}

#[test]
fn unsupported_element_types_are_errors() {
    let (b, z, n) =
        (DynTensor::from(tensor![true]), DynTensor::scalar(c64::default()), DynTensor::from(tensor![1u8]));
    let number = "`bool` is not a number: arithmetic needs a numeric element type; convert `bool` with \
        `.to_dtype(DType::I64)`, combine masks with `&`, `|`, `^` and `!`, choose with `.select(&a, &b)`";
    rejected(b.try_add(&b), &format!("add: {number}"));
    rejected(b.sum(), &format!("sum: {number}"));
    rejected(b.matmul(&b), &format!("matmul: {number}"));
    rejected(vierbein::dyn_tensor::einsum("i->", &[&b]), &format!("einsum: {number}"));
    rejected(b.cumsum(0), &format!("accumulate: {number}"));
    let order = "`Complex<f64>` is not an ordered element type: expected integers or real floating-point numbers; \
        compare complex numbers by `.abs()`, `.re()` or `.im()`";
    rejected(z.max(), &format!("maximum: {order}"));
    rejected(z.lt(&z), &format!("compare: {order}"));
    let sortable = "`Complex<f64>` is not an ordered element type: expected integers, real floating-point numbers or `bool`; \
        compare complex numbers by `.abs()`, `.re()` or `.im()`";
    rejected(z.argmax(), &format!("index of the maximum: {sortable}"));
    rejected(z.clamp(0.0, 1.0), &format!("clamp: {order}"));
    rejected(
        n.sqrt(),
        "take sqrt of: `u8` is not a floating-point or complex type: this function needs floating-point or complex elements; \
         convert integers first, e.g. with `.to_dtype(DType::F64)`",
    );
    rejected(
        z.floor(),
        "take floor of: `Complex<f64>` is not a real floating-point type: this function needs `f32` or `f64` elements; \
         convert integers first, e.g. with `.to_dtype(DType::F64)`; take `.abs()`, `.re()` or `.im()` of complex numbers",
    );
    rejected(
        f64s().try_and(&f64s()),
        "combine: `f64` does not support bitwise operations: `&`, `|`, `^` and `!` need `bool` or integers; \
         compare first, e.g. with `.gt(0.0)`",
    );
    rejected(
        n.try_neg(),
        "negate: `u8` has no negative numbers: `-` needs a signed element type; \
         convert first, e.g. with `.to_dtype(DType::I64)`",
    );
    let mask = "is not `bool`: expected a mask; compare first, e.g. with `.gt(0.0)`";
    rejected(n.any(), &format!("any: `u8` {mask}"));
    rejected(f64s().select(&n, &n), &format!("select from: `f64` {mask}"));
}

#[test]
fn shapes_and_axes() {
    let (x, y) = (f64s(), DynTensor::from(tensor![[1.0, 2.0, 3.0]]));
    rejected(
        x.try_add(&y),
        "cannot add shapes [2, 2] and [1, 3]: axis 1 is 2 and 3 (row-major aligns trailing axes)",
    );
    rejected(
        x.clone().try_add_assign(&y),
        "cannot add shape [1, 3] in place to shape [2, 2]: the source does not broadcast to the target's shape \
         (row-major aligns trailing axes); compute a new tensor instead",
    );
    rejected(x.sum_axis(2), "sum: axis 2 is out of range for shape [2, 2], whose axes are 0 to 1");
    rejected(
        x.sum_axes([0, 0]),
        "sum: an axis occurs twice in [0, 0], for shape [2, 2]; name each axis once",
    );
    rejected(
        x.argmax_axis(2),
        "index of the maximum: axis 2 is out of range for shape [2, 2], whose axes are 0 to 1",
    );
    rejected(x.cumsum(5), "accumulate: axis 5 is out of range for shape [2, 2], whose axes are 0 to 1");
    rejected(
        x.trace(0, 2),
        "cannot trace over axes 0 and 2: out of range for shape [2, 2], whose axes are 0 to 1",
    );
    rejected(
        y.trace(0, 1),
        "cannot trace over axes 0 and 1 of shape [1, 3]: their extents 1 and 3 differ; shorten the longer axis \
        with `.slice(..)` first",
    );
    rejected(x.permute(&[0]), "permute: [0] does not have one number for each axis of a tensor of `Rank<2>`");
    rejected(
        x.permute(&[1, 1]),
        "permute: an axis occurs twice in [1, 1], for shape [2, 2]; name each axis once",
    );
    rejected(
        x.index_axis(0, 2),
        "cannot index: index 2 is out of bounds for axis 0 of shape [2, 2], whose extent is 2",
    );
    rejected(x.view().reshape(&[3]), "cannot reshape [2, 2] to [3]: they have 4 and 3 elements");
    rejected(
        x.t().unwrap().as_shape(&[4]),
        "cannot reshape without a copy of a view of shape [2, 2] with strides [1, 2]: \
         it is not contiguous in row-major order; copy it first with `.to_owned()`",
    );
    rejected(
        x.broadcast_to(&[3, 3]),
        "cannot broadcast shape [2, 2] to [3, 3]: only axes of extent 1 are repeated (row-major aligns trailing axes)",
    );
    rejected(
        x.slice(s![0]),
        "slice: this slice has no arguments for the remaining `Rank<1>`: too few arguments; \
         a slice has one argument for each axis; write `..` to keep an axis whole",
    );
    rejected(
        x.slice(s![.., .., 0]),
        "slice: an argument is not valid for the remaining `Rank<0>`: too many arguments; \
         a slice has one argument for each axis, and the tensor is of `Rank<2>`",
    );
    rejected(
        x.slice(s![.., 1..4]),
        "cannot slice axis 1 of shape [2, 2] with 1..4: it extends past the end of the axis",
    );
}

#[test]
fn ranks() {
    let (x, v) = (f64s(), DynTensor::from(tensor![1.0, 2.0]));
    rejected(v.trace(0, 1), "trace: a tensor of `Rank<1>` has no diagonal: a diagonal needs two axes");
    rejected(
        v.t(),
        "transpose: a tensor of `Rank<1>` is not a matrix: expected `Rank<2>`; choose the axes with `.swap_axes(a, b)` or \
         `.permute(..)`, or reverse all with `.reverse_axes()`",
    );
    rejected(
        v.diagonal(0, 1),
        "take the diagonal: a tensor of `Rank<1>` has no diagonal: a diagonal needs two axes",
    );
    rejected(
        x.matmul(&DynTensor::scalar(1.0)),
        "matmul: cannot multiply a tensor of `Rank<2>` with a tensor of `Rank<0>` as matrices: \
         expected vectors, matrices or batches of matrices; a rank-0 tensor scales with `*`",
    );
    let deep = DynTensor::from(vierbein::Tensor::<u8, _>::zeros([1; 16]));
    rejected(
        deep.insert_axis(0),
        "insert an axis: cannot increase the rank of a tensor of `Rank<16>` by 1: \
         ranks run from `Rank<0>` to `Rank<16>`; merge axes first with `.reshape(..)`",
    );
    assert!(deep.view().reshape(&[1; 17]).is_err());
    assert!(deep.broadcast_to(&[1; 17]).is_err());
    assert!(deep.slice(vec![vierbein::dyn_tensor::SliceItem::from(vierbein::NewAxis); 17]).is_err());
}

#[test]
fn failed_in_place_op_leaves_operand_unchanged() {
    let mut x = DynTensor::from(tensor![1, i32::MAX, 3]);
    let before = x.clone();
    let error = x.try_div_assign(&tensor![1, 0, 1]).unwrap_err();
    assert_eq!(
        error.to_string(),
        format!(
            "cannot divide tensors of i32: there is no i32 result for {} and 0; \
             convert them first, e.g. with `.cast::<f64>()`",
            i32::MAX
        )
    );
    assert_eq!(x, before);
    if cfg!(debug_assertions) {
        assert!(matches!(x.try_add_assign(1), Err(Error::Arithmetic { .. })));
        assert_eq!(x, before);
    }
}
