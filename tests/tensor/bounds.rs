//! Guarantees of the types that the compiler checks: which bounds hold and which do not, which bounds are implied, the types of
//! results, and sizes. `ui-tests` checks the compiler messages for bounds that do not hold.

use core::ops::{Add, AddAssign, BitAnd, Div, Mul, Neg, Not, Rem, Sub};
use static_assertions::{
    assert_eq_size, assert_impl_all, assert_not_impl_any, assert_type_eq_all, const_assert_eq,
};
use vierbein::device::{
    Elementwise, Fourier, Gemm, Reduce, RunsClosures, SameDevice, SameDtype, SameOrder, Select, Sort,
};
use vierbein::einsum::{EinsumOperand, EinsumOutput, LabelledBy, ProductOperand, Spec};
use vierbein::prelude::*;
use vierbein::{
    AssignOperand, AxisArg, Bits, BroadcastTo, CastTo, Common, ContractRanks, DistinctAxis, Error,
    HostAccess, MatchingOperand, MatmulRanks, MatrixRank, MergeAxes, Operands, OrderAgnostic, Removed,
    RightOperand, SameOrderOperand, ScalarRank, SliceOf, Stepped, StorageMut, TensorIndex, View, ViewMut,
    c32, c64, op,
};

type M<T = f64, O = RowMajor, Dev = Cpu> = Tensor<T, Rank<2>, O, Dev>;

// ------------------------------------------------------------------ operands of contractions must match

assert_impl_all!(&'static M: EinsumOperand, ProductOperand<f64, RowMajor, Cpu>);
assert_impl_all!(TensorView<'static, f64, Rank<2>>: ProductOperand<f64, RowMajor, Cpu>);
assert_impl_all!(M: EinsumOperand, ProductOperand<f64, RowMajor, Cpu>);
assert_not_impl_any!(f64: EinsumOperand);
assert_not_impl_any!(&'static M<f32>: ProductOperand<f64, RowMajor, Cpu>);
assert_not_impl_any!(&'static M<f64, ColMajor>: ProductOperand<f64, RowMajor, Cpu>);
assert_not_impl_any!(&'static M<f64, RowMajor, Cuda>: ProductOperand<f64, RowMajor, Cpu>);
assert_impl_all!(&'static mut M: EinsumOutput<'static, f64, Rank<2>, RowMajor, Cpu>);
assert_not_impl_any!(&'static mut M: EinsumOutput<'static, f64, Rank<1>, RowMajor, Cpu>);
assert_not_impl_any!(&'static mut M<f32>: EinsumOutput<'static, f64, Rank<2>, RowMajor, Cpu>);
assert_not_impl_any!(&'static mut M<f64, ColMajor>: EinsumOutput<'static, f64, Rank<2>, RowMajor, Cpu>);
assert_impl_all!(Rank<2>: LabelledBy<2, false>, LabelledBy<1, true>);
assert_not_impl_any!(Rank<2>: LabelledBy<3, false>);
assert_not_impl_any!(Rank<2>: LabelledBy<3, true>);
// The specification is parsed at compile time, so it determines the rank in the result type.
const _: fn(&M) -> Tensor<f64, Rank<0>> = |x| einsum!("ij,ij->", x, x);
const _: fn(&M) -> Tensor<f64, Rank<4>> = |x| einsum!("ij,kl->ikjl", x, x);
const _: () = assert!(Spec::parse("ij,jk->ix", 2).is_err() && Spec::parse("ij,jk->ik", 2).is_ok());

// ------------------------------------------------------------------ memory orders, devices and element types do not mix

assert_impl_all!(RowMajor: Order, SameOrder<RowMajor>);
assert_not_impl_any!(RowMajor: SameOrder<ColMajor>);
assert_not_impl_any!(ColMajor: SameOrder<RowMajor>);
assert_impl_all!(Cpu: SameDevice<Cpu>);
assert_not_impl_any!(Cpu: SameDevice<Cuda>);
assert_not_impl_any!(Cuda<0>: SameDevice<Cuda<1>>);
assert_impl_all!(Cuda: SameDevice<Cuda<0>>);
assert_not_impl_any!(f64: SameDtype<f32>);
assert_not_impl_any!(i32: SameDtype<u32>);
assert_not_impl_any!(f64: SameDtype<c64>);

assert_impl_all!(M: Add<M>, Sub<f64>, Mul<&'static M>, Div<M>, Rem<M>, Neg, AddAssign<f64>, AddAssign<M>);
assert_not_impl_any!(M: Add<M<f64, ColMajor>>, Add<&'static M<f64, ColMajor>>, AddAssign<M<f64, ColMajor>>);
assert_not_impl_any!(M: Add<M<f64, RowMajor, Cuda>>, Add<M<f32>>, Add<f32>, Add<M<c64>>, Mul<i32>);
assert_not_impl_any!(M<f64, RowMajor, Cuda<0>>: Add<M<f64, RowMajor, Cuda<1>>>);
assert_not_impl_any!(&'static M<f64, ColMajor>: SameOrderOperand<RowMajor, Cpu>);
assert_not_impl_any!(&'static M<f64, RowMajor, Cuda>: SameOrderOperand<RowMajor, Cpu>);
assert_impl_all!(&'static M: MatchingOperand<f64, RowMajor, Cpu>);
assert_not_impl_any!(&'static M<f32>: MatchingOperand<f64, RowMajor, Cpu>);
assert_not_impl_any!(&'static M<f32>: Operands<f64, Rank<2>, RowMajor, Cpu>);
assert_impl_all!(&'static M: Operands<f64, Rank<2>, RowMajor, Cpu>);
assert_impl_all!(f64: Operands<f64, Rank<2>, RowMajor, Cpu>);
assert_not_impl_any!(f32: Operands<f64, Rank<2>, RowMajor, Cpu>);

assert_impl_all!(M: RightOperand<op::Add, f64, Rank<2>, RowMajor, Cpu>);
assert_impl_all!(&'static M: RightOperand<op::Add, f64, Rank<2>, RowMajor, Cpu>);
assert_impl_all!(f64: RightOperand<op::Add, f64, Rank<2>, RowMajor, Cpu>, AssignOperand<op::Add, M>);
assert_not_impl_any!(f32: RightOperand<op::Add, f64, Rank<2>, RowMajor, Cpu>, AssignOperand<op::Add, M>);

// ------------------------------------------------------------------ element types with arithmetic

assert_impl_all!(bool: Element);
assert_not_impl_any!(bool: Scalar);
assert_not_impl_any!(M<bool>: RightOperand<op::Add, bool, Rank<2>, RowMajor, Cpu>);
assert_impl_all!(M<bool>: RightOperand<op::BitAnd, bool, Rank<2>, RowMajor, Cpu>);
assert_impl_all!(bool: Bits, RightOperand<op::BitOr, bool, Rank<2>, RowMajor, Cpu>);
assert_impl_all!(u8: Bits);
assert_not_impl_any!(f64: Bits);
assert_not_impl_any!(M<bool>: Add<M<bool>>, Neg, Mul<M<bool>>);
assert_impl_all!(M<bool>: BitAnd<M<bool>>, Not);
assert_not_impl_any!(M<f64>: BitAnd<M<f64>>, Not);
assert_not_impl_any!(usize: Element);
assert_not_impl_any!(String: Element);
assert_impl_all!(f64: RealFloat, Inexact, RealScalar);
assert_impl_all!(c64: Inexact);
assert_not_impl_any!(c64: RealScalar, RealFloat);
assert_impl_all!(i64: RealScalar);
assert_not_impl_any!(i64: Inexact);
assert_impl_all!(M<i8>: Neg);
assert_not_impl_any!(M<u8>: Neg);
assert_impl_all!(f64: CastTo<i8>, CastTo<c32>, CastTo<f32>);
assert_impl_all!(bool: CastTo<u8>, CastTo<c64>);
assert_not_impl_any!(c64: CastTo<f64>, CastTo<i32>, CastTo<bool>);
assert_not_impl_any!(f64: CastTo<bool>);
assert_type_eq_all!(<c32 as Scalar>::Real, <c32 as Scalar>::Magnitude, <f32 as Scalar>::Float, f32);
assert_type_eq_all!(<i16 as Scalar>::Float, <i16 as Scalar>::Magnitude, f64);

// ------------------------------------------------------------------ ranks

static_assertions::const_assert!(matches!(<Rank<16> as Dim>::NDIM, Some(16)));
assert_not_impl_any!(Rank<17>: Dim);
assert_type_eq_all!(Removed<Rank<2>, 2>, Rank<0>);
assert_type_eq_all!(Removed<Rank<16>, 3>, Rank<13>);
assert_not_impl_any!(Rank<1>: RemoveAxes<2>);
assert_not_impl_any!(Rank<0>: RemoveAxes<1>);
assert_type_eq_all!(<Rank<3> as InsertAxes<1>>::Inserted, Rank<4>);
assert_not_impl_any!(Rank<16>: InsertAxes<1>);
assert_type_eq_all!(<Rank<2> as MergeAxes>::Merged, Rank<1>);
assert_not_impl_any!(Rank<1>: MergeAxes);
assert_not_impl_any!(Rank<0>: MergeAxes);
assert_type_eq_all!(Common<Rank<2>, Rank<3>>, Common<Rank<3>, Rank<0>>, Common<Rank<0>, Rank<3>>, Rank<3>);
assert_impl_all!(Rank<1>: BroadcastTo<Rank<1>>, BroadcastTo<Rank<5>>);
assert_not_impl_any!(Rank<2>: BroadcastTo<Rank<1>>);
assert_not_impl_any!(Tensor<f64, Rank<1>>: AddAssign<M>);
assert_type_eq_all!(<Rank<3> as ContractRanks<Rank<2>, 1>>::Contracted, Rank<3>);
assert_type_eq_all!(<Rank<3> as ContractRanks<Rank<2>, 2>>::Contracted, Rank<1>);
assert_not_impl_any!(Rank<1>: ContractRanks<Rank<3>, 2>);
assert_not_impl_any!(Rank<9>: ContractRanks<Rank<9>, 0>);
assert_type_eq_all!(<Rank<1> as MatmulRanks<Rank<1>>>::Product, Rank<0>);
assert_type_eq_all!(
    <Rank<4> as MatmulRanks<Rank<1>>>::Product,
    <Rank<1> as MatmulRanks<Rank<4>>>::Product,
    Rank<3>
);
assert_type_eq_all!(<Rank<2> as MatmulRanks<Rank<5>>>::Product, Rank<5>);
assert_not_impl_any!(Rank<0>: MatmulRanks<Rank<2>>);
assert_not_impl_any!(Rank<2>: MatmulRanks<Rank<0>>);
assert_impl_all!(Rank<1>: OrderAgnostic);
assert_not_impl_any!(Rank<2>: OrderAgnostic);
assert_impl_all!(Rank<0>: ScalarRank);
assert_not_impl_any!(Rank<1>: ScalarRank);
assert_impl_all!(Rank<2>: MatrixRank);
assert_not_impl_any!(Rank<3>: MatrixRank);

// ------------------------------------------------------------------ axes, indices, slices

assert_impl_all!(Axis<2>: AxisArg<Rank<3>>);
assert_not_impl_any!(Axis<3>: AxisArg<Rank<3>>);
assert_not_impl_any!(Axis<0>: AxisArg<Rank<0>>);
assert_impl_all!(Axis<0>: DistinctAxis<Axis<1>>, DistinctAxis<usize>);
assert_not_impl_any!(Axis<1>: DistinctAxis<Axis<1>>);
assert_impl_all!([usize; 2]: TensorIndex<Rank<2>, Cpu>);
assert_not_impl_any!([usize; 1]: TensorIndex<Rank<2>, Cpu>);
assert_not_impl_any!([usize; 2]: TensorIndex<Rank<2>, Cuda>);
assert_type_eq_all!(<(i32, core::ops::RangeFull) as SliceOf<Rank<2>>>::Sliced, Rank<1>);
assert_type_eq_all!(
    <(NewAxis, Stepped<core::ops::RangeFull>, usize, NewAxis) as SliceOf<Rank<2>>>::Sliced,
    Rank<3>
);
assert_not_impl_any!((i32,): SliceOf<Rank<2>>);
assert_not_impl_any!((i32, i32, i32): SliceOf<Rank<2>>);
assert_not_impl_any!((f64, i32): SliceOf<Rank<2>>);

// ------------------------------------------------------------------ devices

assert_impl_all!(Cpu: HostAccess, RunsClosures, Backend<f32>, Backend<f64>, Backend<c64>, Backend<u8>, Gemm<i64>);
assert_impl_all!(Cuda: Backend<f64>, Backend<c32>, Elementwise<bool>, vierbein::device::Copy<u16>, Select<u8>, Reduce<i64>, Sort<i32>, Fourier<f32>);
assert_not_impl_any!(Cuda: HostAccess, RunsClosures);
const_assert_eq!(size_of::<Cpu>(), 0);
const_assert_eq!(size_of::<Cuda<3>>(), 0);

// ------------------------------------------------------------------ ownership

assert_impl_all!(TensorView<'static, f64, Rank<2>, ColMajor, Cuda>: Copy, Send, Sync);
assert_impl_all!(TensorViewMut<'static, f64, Rank<2>>: Send, Sync);
assert_not_impl_any!(TensorViewMut<'static, f64, Rank<2>>: Clone, Copy);
assert_impl_all!(M: Clone, Send, Sync, PartialEq, core::fmt::Debug, core::fmt::Display);
assert_not_impl_any!(M: Copy);
assert_impl_all!(ViewMut<'static, f64, Cpu>: StorageMut<f64, Cpu>);
assert_not_impl_any!(View<'static, f64, Cpu>: StorageMut<f64, Cpu>);
assert_not_impl_any!(f64: AssignOperand<op::Add, TensorView<'static, f64, Rank<2>>>);
assert_impl_all!(f64: AssignOperand<op::Add, TensorViewMut<'static, f64, Rank<2>>>);
assert_impl_all!(Error: std::error::Error, Send, Sync, Clone, PartialEq);
// The size of a matrix is eight words. Four are the buffer's: pointer, length, and start and size of the allocated block. Four are
// the extents and strides of two axes. The zero-sized device needs no space.
assert_eq_size!(M, [usize; 4 + 4]);

/// Compiles only if views are covariant in their lifetime: a view with a longer lifetime coerces to one with a shorter lifetime.
fn covariant<'short>(
    x: TensorView<'static, f64, Rank<2>>,
    y: TensorViewMut<'static, f64, Rank<2>>,
    _: &'short (),
) -> (TensorView<'short, f64, Rank<2>>, TensorViewMut<'short, f64, Rank<2>>) {
    (x, y)
}

/// Compiles only if the four bounds in the signature imply all bounds that the calls need, such as those for rank 0 and for the
/// other memory order.
fn implied<T: Scalar, D: Dim, O: Order, Dev: Backend<T>>(
    x: TensorView<'_, T, D, O, Dev>,
) -> Tensor<T, D, O, Dev> {
    let zeros = Tensor::<T, D, O, Dev>::zeros_in(x.shape(), x.device());
    let sum = x.sum() + x;
    let back: Tensor<T, D, O::Transposed, Dev> = sum.flip_order().to_owned();
    let again: Tensor<T, D, O, Dev> = zeros + Tensor::contiguous_like(back);
    again
}

trait ContiguousLike<T: Scalar, D: Dim, O: Order, Dev: Backend<T>> {
    fn contiguous_like(x: Tensor<T, D, O::Transposed, Dev>) -> Tensor<T, D, O, Dev>;
}
impl<T: Scalar, D: Dim, O: Order, Dev: Backend<T>> ContiguousLike<T, D, O, Dev> for Tensor<T, D, O, Dev> {
    fn contiguous_like(x: Tensor<T, D, O::Transposed, Dev>) -> Tensor<T, D, O, Dev> {
        x.into_flipped()
    }
}

#[test]
fn implied_bounds_suffice() {
    let x = tensor![[1, 2], [3, 4]];
    assert_eq!(implied(x.view()), tensor![[11, 12], [13, 14]]);
    let mut y = tensor![[1.0]];
    let _ = covariant as fn(_, _, &'static ()) -> _;
    assert_eq!(y.view_mut().len(), 1);
}
