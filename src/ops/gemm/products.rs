//! Named contractions: `tensordot`, `dot`, `vdot`, `inner`, `outer`, `kron`. They label the axes with numbers and call the
//! contraction engine.

use crate::device::wide::{Arranged, Nest, is_wide};
use crate::device::{Contract, Device, IntoOutput, MatrixOperand, OnDevice, Output, ProductArgs, Scaling};
use crate::einsum::{ProductOperand, SameRankAs};
use crate::element::{Element, Scalar};
use crate::engine::contract::{
    Elements, Factor, Input, LabelExtents, Labelled, Labels, contract_wide, two, without_value,
};
use crate::engine::same_instance;
use crate::error::{Error, fallible};
use crate::layout::axes::Axes;
use crate::layout::broadcast::same;
use crate::layout::{Layout, element_count};
use crate::order::Order;
use crate::rank::{
    Broadcast, Common, ContractRanks, Dim, IndexNumber, MAX_RANK, Rank, all_from_start, check_axis_count,
    check_rank, shape_of,
};
use crate::storage::Storage;
use crate::tensor::Tensor;

/// Two operands of a contraction, and their device.
struct Pair<'a, T: Scalar, Dev: Device> {
    device: &'a Dev,
    left: Factor<'a, T, Dev>,
    right: Factor<'a, T, Dev>,
}

impl<'a, T: Scalar, Dev: Contract<T>> Pair<'a, T, Dev> {
    fn new(
        op: &'static str,
        (left, device): OnDevice<'a, T, Dev>,
        (right, of_right): (Factor<'a, T, Dev>, &Dev),
    ) -> Result<Self, Error> {
        same_instance(op, device, of_right)?;
        Ok(Pair { device, left: left.into(), right })
    }

    /// Returns an error with the reason and both operands' shapes.
    fn error(&self, op: String, reason: String) -> Error {
        let shapes = [self.left, self.right].map(|factor| factor.axes().shape().to_vec());
        Error::Contraction { op, shapes: shapes.to_vec(), reason }
    }

    /// Writes the contraction to `out`. `labels` holds the labels of the left and of the right operand's axes. `result` describes the
    /// output's axes with their labels.
    fn write<R: Dim, O: Order>(
        &self,
        labels: [&[u8]; 2],
        extents: &LabelExtents,
        op: &dyn Fn() -> String,
        out: &mut Tensor<T, R, O, Dev>,
        result: &Labelled,
    ) -> Result<(), Error> {
        let input = |factor: Factor<'a, T, Dev>, labels| {
            Input::given(factor, Labelled::new(factor.axes(), labels, extents))
        };
        let (a, b) = (input(self.left, labels[0]), input(self.right, labels[1]));
        two(self.device, a, b, Scaling::overwrite(), out.output().0, result, extents)
            .map_err(|error| without_value(error, |reason| self.error(op(), reason)))
    }
}

/// Contracts two operands over pairs of axes. The result has the remaining axes, the left operand's first.
fn contract_axes<T: Scalar, R: Dim, O: Order, Dev: Contract<T>>(
    name: &'static str,
    left: OnDevice<'_, T, Dev>,
    right: (Factor<'_, T, Dev>, &Dev),
    axes: [&[usize]; 2],
) -> Result<Tensor<T, R, O, Dev>, Error> {
    let pair = Pair::new(name, left, right)?;
    let operands = [pair.left.axes(), pair.right.axes()];
    let op = || match name {
        "tensordot" => format!("tensordot over axes {:?} and {:?} of", axes[0], axes[1]),
        _ => format!("{name} of"),
    };
    for (axes, operand) in axes.iter().zip(operands) {
        for (k, &axis) in axes.iter().enumerate() {
            operand.check_axis(name, axis)?;
            if axes[..k].contains(&axis) {
                let shape = operand.shape().to_vec();
                return Err(Error::RepeatedAxis { op: name, axes: axes.to_vec(), shape });
            }
        }
    }
    for (&l, &r) in axes[0].iter().zip(axes[1]) {
        let (of_l, of_r) = (operands[0].shape()[l], operands[1].shape()[r]);
        if of_l != of_r {
            return Err(pair.error(
                op(),
                format!("axis {l} of the left operand is {of_l} and axis {r} of the right operand is {of_r}"),
            ));
        }
    }
    let ranks = operands.map(|operand| operand.rank());
    let rank = ranks[0] + ranks[1] - 2 * axes[0].len();
    check_rank::<R>(rank)?;
    if is_wide!(R, ranks[0].max(ranks[1]).max(rank)) {
        return contract_axes_wide(&pair, axes, &op);
    }
    // The left operand's axes have labels 0, 1, .. . An axis of the right operand has the label of the left axis that it is paired
    // with, or a label of its own.
    let on_left: Labels = (0..ranks[0] as u8).collect();
    let partner = |axis: usize| axes[1].iter().position(|&a| a == axis);
    let label = |axis: usize| partner(axis).map_or(ranks[0] + axis, |k| axes[0][k]) as u8;
    let on_right: Labels = (0..ranks[1]).map(label).collect();
    let mut extents = LabelExtents::new();
    for (labels, operand) in [&on_left, &on_right].into_iter().zip(operands) {
        labels.iter().zip(operand.shape()).for_each(|(&label, &extent)| extents.set(label, extent));
    }
    let kept = (0..ranks[0]).filter(|axis| !axes[0].contains(axis)).map(|axis| axis as u8);
    let result: Labels =
        kept.chain((0..ranks[1]).filter(|&axis| partner(axis).is_none()).map(label)).collect();
    let mut shape = R::shape(rank);
    shape.as_mut().iter_mut().zip(result.iter()).for_each(|(extent, &label)| *extent = extents.of(label));
    let mut out = Tensor::<T, R, O, Dev>::allocate(shape, pair.device.clone())?;
    let c = Labelled::new(out.axes(), &result, &extents);
    pair.write([&on_left, &on_right], &extents, &op, &mut out, &c)?;
    Ok(out)
}

/// Variant of [`contract_axes`] for operands or results with more than 16 axes. The axes were checked.
#[cold]
#[inline(never)]
fn contract_axes_wide<T, R, O, Dev>(
    pair: &Pair<'_, T, Dev>,
    axes: [&[usize]; 2],
    op: &dyn Fn() -> String,
) -> Result<Tensor<T, R, O, Dev>, Error>
where
    T: Scalar,
    R: Dim,
    O: Order,
    Dev: Contract<T>,
{
    let kept = |operand: Axes<'_>, axes: &[usize]| -> Vec<usize> {
        let kept = operand.shape().iter().enumerate().filter(|(axis, _)| !axes.contains(axis));
        kept.map(|(_, &extent)| extent).collect()
    };
    let shape = [kept(pair.left.axes(), axes[0]), kept(pair.right.axes(), axes[1])].concat();
    element_count(&shape, size_of::<T>())?;
    let made = contract_wide(pair.device, [pair.left, pair.right], axes, O::ROW_MAJOR)
        .map_err(|error| without_value(error, |reason| pair.error(op(), reason)))?;
    Ok(Tensor::contiguous(made.buffer, shape_of::<R>(&shape), made.device))
}

/// Sums the products of elements at equal indices, over all indices. `D` is the rank of the left operand.
// Always inlined, like reductions of a whole tensor.
#[cfg_attr(not(debug_assertions), inline(always))]
fn whole<D: Dim, T: Scalar, O: Order, Dev: Contract<T>>(
    name: &'static str,
    left: OnDevice<'_, T, Dev>,
    conjugate: bool,
    (right, of_right): (Factor<'_, T, Dev>, &Dev),
) -> Result<Tensor<T, Rank<0>, O, Dev>, Error> {
    let (MatrixOperand { operand, .. }, device) = left;
    same_instance(name, device, of_right)?;
    check_same_shape(name, operand.shape(), right.axes().shape())?;
    if is_wide!(D, operand.shape().len()) {
        return whole_wide(name, left, conjugate, right);
    }
    let a = MatrixOperand { operand, conjugate };
    match right.0 {
        Elements::Same(b) => Tensor::computed([], device.clone(), Whole { name, a, b }),
        Elements::Real(b, products) => {
            let layout = Layout::contiguous(b.shape(), true);
            let b = (products.widened)(device, b)?;
            Tensor::computed([], device.clone(), Whole { name, a, b: b.operand(&layout).into() })
        }
    }
}

/// Variant of [`whole`] for operands with more than 16 axes, which have the same shape.
#[cold]
#[inline(never)]
fn whole_wide<T: Scalar, O: Order, Dev: Contract<T>>(
    name: &'static str,
    left: OnDevice<'_, T, Dev>,
    conjugate: bool,
    right: Factor<'_, T, Dev>,
) -> Result<Tensor<T, Rank<0>, O, Dev>, Error> {
    let (MatrixOperand { operand, .. }, device) = left;
    let mut nest = Nest::new(operand.axes());
    nest.push(right.axes());
    let nest = nest.unordered();
    let a = Arranged::new(device, operand, &nest, 0)?;
    let left = (a.operand().into(), device);
    let whole = |b| whole::<Rank<1>, _, _, _>(name, left, conjugate, (Factor(b), device));
    match right.0 {
        Elements::Same(MatrixOperand { operand, conjugate }) => {
            let b = Arranged::new(device, operand, &nest, 1)?;
            whole(Elements::Same(MatrixOperand { operand: b.operand(), conjugate }))
        }
        Elements::Real(operand, products) => {
            let b = Arranged::new(device, operand, &nest, 1)?;
            whole(Elements::Real(b.operand(), products))
        }
    }
}

#[cfg_attr(not(debug_assertions), inline(always))]
fn check_same_shape(name: &'static str, x: &[usize], y: &[usize]) -> Result<(), Error> {
    if same(x, y) {
        return Ok(());
    }
    // The variant is constructed here and not in the cold function, so that the compiler knows that the value is an error. Otherwise, it
    // would check the value again, and keep all operands in registers for the case that it is not.
    let (op, shapes) = operands(name, x, y);
    Err(Error::Contraction { op, shapes, reason: different_shapes() })
}

#[cold]
#[inline(never)]
fn different_shapes() -> String {
    "it sums over all elements, so the shapes must be equal".into()
}

/// Returns the fields of an error that name the operation and its operands.
#[cold]
#[inline(never)]
fn operands(name: &'static str, x: &[usize], y: &[usize]) -> (String, Vec<Vec<usize>>) {
    (format!("{name} of"), vec![x.to_vec(), y.to_vec()])
}

/// The sum of the products of corresponding elements of two operands of the same shape.
struct Whole<'a, T: Element, Dev: Device> {
    name: &'static str,
    a: MatrixOperand<'a, T, Dev>,
    b: MatrixOperand<'a, T, Dev>,
}

impl<T: Scalar, Dev: Contract<T>> IntoOutput<T, Dev> for Whole<'_, T, Dev> {
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn write(self, out: Output<'_, T, Dev>, device: &Dev) -> Result<(), Error> {
        let Whole { name, a, b } = self;
        let computed = device.sum_products(ProductArgs { scaling: Scaling::overwrite(), a, b, out });
        // Only sums of integers overflow. The errors of other sums are not replaced, because the compiler does not know that the replacement
        // is an error: it would check the replacement, and the result of every call would pass through memory.
        if const { !T::INTEGER } {
            return computed;
        }
        computed.map_err(|error| without_sum(error, name, a.operand.shape(), b.operand.shape()))
    }
}

#[cold]
fn without_sum(error: Error, name: &'static str, x: &[usize], y: &[usize]) -> Error {
    without_value(error, |reason| {
        let (op, shapes) = operands(name, x, y);
        Error::Contraction { op, shapes, reason }
    })
}

impl<T: Element, D: Dim, O: Order, Dev: Device, S: Storage<T, Dev>> Tensor<T, D, O, Dev, S> {
    /// Returns the sums of products over K pairs of axes: axis `left_axes[k]` of `self` and axis `right_axes[k]` of `right`. The result
    /// has the remaining axes, first those of `self`. For operands of ranks N and M, the rank of the result is N + M − 2K.
    ///
    /// An operand is copied only if strides alone cannot express it as a matrix.
    ///
    /// # Errors
    /// * If an axis is out of range or named twice, or the axes of a pair differ in extent.
    /// * If an integer result overflows (of 64 bits: only in builds with debug assertions).
    /// * If the allocation fails.
    ///
    /// ```
    /// use vierbein::{Rank, Tensor};
    /// let a = Tensor::arange(0..60).reshape([3, 4, 5]).cast::<f64>();
    /// let b = Tensor::arange(0..24).reshape([4, 3, 2]).cast::<f64>();
    /// let c: Tensor<f64, Rank<2>> = a.tensordot(&b, [1, 0], [0, 1]);
    /// assert_eq!(c.shape(), [5, 2]);
    /// assert_eq!((c[[0, 0]], c[[4, 1]]), (4400.0, 5306.0));
    /// ```
    #[fallible]
    pub fn tensordot<B, R, const K: usize>(
        &self,
        right: B,
        left_axes: [impl IndexNumber; K],
        right_axes: [impl IndexNumber; K],
    ) -> Tensor<T, R, O, Dev>
    where
        T: Scalar,
        B: ProductOperand<T, O, Dev>,
        D: ContractRanks<B::Dim, K, Contracted = R>,
        R: Dim,
        Dev: Contract<T>,
    {
        let right = right.agreeing();
        let axes =
            (all_from_start(left_axes, self.rank()), all_from_start(right_axes, right.0.axes().rank()));
        contract_axes("tensordot", self.on_device(), right, [&axes.0, &axes.1])
    }

    /// Returns the sum of `a · b` over all elements of two tensors of the same shape, without conjugation.
    ///
    /// [`vdot`](Tensor::vdot) conjugates; [`matmul`](Tensor::matmul) multiplies matrices. The error grows like that of a
    /// [`sum`](Tensor::sum).
    ///
    /// # Errors
    /// If the shapes differ, an integer result overflows (of 64 bits: only in builds with debug assertions), or the allocation fails.
    ///
    /// ```
    /// use vierbein::tensor;
    /// assert_eq!(tensor![1, 2, 3].dot(&tensor![4, 5, 6]).item(), 32);
    /// ```
    #[fallible]
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub fn dot<B>(&self, right: B) -> Tensor<T, Rank<0>, O, Dev>
    where
        T: Scalar,
        B: ProductOperand<T, O, Dev>,
        B::Dim: SameRankAs<D>,
        Dev: Contract<T>,
    {
        whole::<D, _, _, _>("dot", self.on_device(), false, right.agreeing())
    }

    /// Returns the sum of `conj(a) · b` over all elements of two tensors of the same shape. `a` is an element of `self`, `b` of `right`.
    ///
    /// # Errors
    /// If the shapes differ, an integer result overflows (of 64 bits: only in builds with debug assertions), or the allocation fails.
    ///
    /// ```
    /// use vierbein::{Complex, tensor};
    /// let i = Complex::new(0.0, 1.0);
    /// let (a, b) = (tensor![i, i], tensor![i, i * 2.0]);
    /// assert_eq!(a.vdot(&b).item(), Complex::new(3.0, 0.0));
    /// ```
    #[fallible]
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub fn vdot<B>(&self, right: B) -> Tensor<T, Rank<0>, O, Dev>
    where
        T: Scalar,
        B: ProductOperand<T, O, Dev>,
        B::Dim: SameRankAs<D>,
        Dev: Contract<T>,
    {
        whole::<D, _, _, _>("vdot", self.on_device(), true, right.agreeing())
    }

    /// Returns the sums of products over one axis of each operand: the last axis if row-major, the first if column-major. The result has
    /// the remaining axes, first those of `self`.
    ///
    /// # Errors
    /// If the summed axes differ in extent, an integer result overflows (of 64 bits: only in builds with debug assertions), or the allocation fails.
    ///
    /// ```
    /// use vierbein::tensor;
    /// let a = tensor![[1, 2], [3, 4]];
    /// assert_eq!(a.inner(&tensor![[1, 0], [1, 1]]), tensor![[1, 3], [3, 7]]);
    /// ```
    #[fallible]
    pub fn inner<B, R>(&self, right: B) -> Tensor<T, R, O, Dev>
    where
        T: Scalar,
        B: ProductOperand<T, O, Dev>,
        D: ContractRanks<B::Dim, 1, Contracted = R>,
        R: Dim,
        Dev: Contract<T>,
    {
        let right = right.agreeing();
        let last = |rank: usize| if O::ROW_MAJOR { rank.saturating_sub(1) } else { 0 };
        let axes = [last(self.rank()), last(right.0.axes().rank())];
        contract_axes("inner", self.on_device(), right, [&axes[..1], &axes[1..]])
    }

    /// Returns the outer product: the products of all pairs of elements. The result has the axes of `self`, then those of `right`.
    ///
    /// # Errors
    /// If an integer product overflows (of 64 bits: only in builds with debug assertions), or the allocation fails.
    ///
    /// ```
    /// use vierbein::tensor;
    /// assert_eq!(tensor![1, 2].outer(&tensor![3, 4, 5]), tensor![[3, 4, 5], [6, 8, 10]]);
    /// ```
    #[fallible]
    pub fn outer<B, R>(&self, right: B) -> Tensor<T, R, O, Dev>
    where
        T: Scalar,
        B: ProductOperand<T, O, Dev>,
        D: ContractRanks<B::Dim, 0, Contracted = R>,
        R: Dim,
        Dev: Contract<T>,
    {
        contract_axes("outer", self.on_device(), right.agreeing(), [&[], &[]])
    }

    /// Returns the Kronecker product: each element of `self` is replaced by its product with `right`.
    ///
    /// The extents of the result are the products of the operands' extents. An operand with fewer axes gets axes of extent 1,
    /// leading if row-major, trailing if column-major.
    ///
    /// # Errors
    /// * If the operands together have more than 16 axes with an extent other than 1.
    /// * If the result's shape exceeds the address space, or the allocation fails.
    /// * If an integer product overflows (of 64 bits: only in builds with debug assertions).
    ///
    /// ```
    /// use vierbein::{Tensor, tensor};
    /// let x = tensor![[0, 1], [1, 0]];
    /// assert_eq!(Tensor::eye(2).kron(&x), tensor![[0, 1, 0, 0], [1, 0, 0, 0], [0, 0, 0, 1], [0, 0, 1, 0]]);
    /// ```
    #[fallible]
    pub fn kron<B>(&self, right: B) -> Tensor<T, Common<D, B::Dim>, O, Dev>
    where
        T: Scalar,
        B: ProductOperand<T, O, Dev>,
        D: Broadcast<B::Dim>,
        Dev: Contract<T>,
    {
        let pair = Pair::new("kron", self.on_device(), right.agreeing())?;
        check_axis_count("kron", pair.left.axes().shape())?;
        check_axis_count("kron", pair.right.axes().shape())?;
        let rank = pair.left.axes().rank().max(pair.right.axes().rank());
        let of = |shape: &[usize], axis: usize| {
            let missing = if O::ROW_MAJOR { rank - shape.len() } else { 0 };
            axis.checked_sub(missing).and_then(|axis| shape.get(axis)).copied().unwrap_or(1)
        };
        let (left, right) = (pair.left.axes(), pair.right.axes());
        let op = || "kron of".to_string();
        if left.shape().iter().chain(right.shape()).filter(|&&extent| extent != 1).count() > MAX_RANK {
            let reason =
                "together they have more than 16 axes with an extent other than 1; merge some with `.reshape(..)`".into();
            return Err(pair.error(op(), reason));
        }
        let mut shape = Common::<D, B::Dim>::shape(rank);
        for (axis, extent) in shape.as_mut().iter_mut().enumerate() {
            *extent = of(left.shape(), axis).checked_mul(of(right.shape(), axis)).ok_or_else(|| {
                Error::Overflow {
                    shape: [left.shape(), right.shape()].concat(),
                    element_bytes: size_of::<T>(),
                }
            })?;
        }
        let mut out = Tensor::<T, Common<D, B::Dim>, O, Dev>::allocate(shape, self.device().clone())?;
        // Each axis of the result is split in two. The outer axis belongs to the left operand; its stride is `step` times the right
        // operand's extent. The inner axis belongs to the right operand; its stride is `step`.
        let mut extents = LabelExtents::new();
        let (mut labels, mut shape, mut strides) = (Labels::NONE, [1; MAX_RANK], [0; MAX_RANK]);
        for axis in 0..rank {
            let (l, r, step) =
                (of(left.shape(), axis), of(right.shape(), axis), out.strides().as_ref()[axis]);
            // If the result is empty, `r` can exceed `isize::MAX`. The stride is not used then, so it does no harm if it wraps.
            for (label, extent, stride) in
                [(axis, l, step.wrapping_mul(r as isize)), (MAX_RANK + axis, r, step)]
            {
                extents.set(label as u8, extent);
                if extent != 1 {
                    (shape[labels.len()], strides[labels.len()]) = (extent, stride);
                    labels.push(label as u8);
                }
            }
        }
        let c = Labelled::new(Axes::new(&shape[..labels.len()], &strides[..labels.len()]), &labels, &extents);
        let first = |axes: Axes<'_>| if O::ROW_MAJOR { rank - axes.rank() } else { 0 };
        let on_left: Labels = (0..left.rank()).map(|axis| (first(left) + axis) as u8).collect();
        let on_right: Labels = (0..right.rank()).map(|axis| (MAX_RANK + first(right) + axis) as u8).collect();
        pair.write([&on_left, &on_right], &extents, &op, &mut out, &c)?;
        Ok(out)
    }
}
