//! Executes contractions: reduces and packs operands, calls the kernels that `pair.rs` chooses, and creates intermediates.
//! `src/einsum/` and `src/dyn_tensor/gemm/contract.rs` call [`Einsum`]; `src/ops/gemm/products.rs` calls [`two`].

use super::cache::PathCache;
use super::labelled::{Bound, LabelExtents, Labelled};
use super::labels::{Labels, Set};
use super::operand::{Factor, Input, two_real, with_real};
use super::pair::{Classes, Kernel, Matrices};
use super::scaled_sum::ScaledSum;
use super::spec::Spec;
use crate::device::op::checked::CheckedMul;
use crate::device::op::scalar::WithRight;
use crate::device::op::{reduction::Sum, unary::Conj};
use crate::device::{Contract, Device, Output, ProductArgs, Scaling};
use crate::element::{Element, Scalar};
use crate::error::{Error, wider};
use crate::layout::odometer::Odometer;
use crate::layout::{Layout, element_count};
use crate::storage::OwnedData;

/// A contraction with its operands. All operands are on the same instance of a device.
#[derive(Debug)]
pub(crate) struct Einsum<'a, T: Element, Dev: Device> {
    pub(crate) spec: &'a Spec<'a>,
    pub(crate) row_major: bool,
    pub(crate) device: &'a Dev,
    pub(crate) operands: &'a [Factor<'a, T, Dev>],
    /// Largest permitted size of an intermediate, in bytes.
    pub(crate) limit: Option<usize>,
    /// The cache for the contraction path. It may contain the path of an earlier call with the same shapes.
    pub(crate) cache: &'a PathCache,
}

impl<'a, T: Scalar, Dev: Contract<T>> Input<'a, T, Dev> {
    /// Returns an operand with these labels in a new buffer, to which `kernel` writes the elements. `kernel` must not conjugate:
    /// the new operand keeps the flag `conjugate`.
    fn remade(
        self,
        device: &Dev,
        labels: &[u8],
        extents: &LabelExtents,
        kernel: impl FnOnce(&Self, Output<'_, T, Dev>, &Labelled) -> Result<(), Error>,
    ) -> Result<Self, Error> {
        let (mut made, axes) = make(device, labels, extents)?;
        kernel(&self, made.output(axes.layout()), &axes)?;
        Ok(Input { conjugate: self.conjugate, ..Input::made(made, axes) })
    }

    /// Returns whether the operand has a label that is not in `kept`.
    pub(super) fn has_more_than(&self, kept: Set) -> bool {
        self.axes.set() & !kept != 0
    }

    /// Sums over the labels that are not in `kept`. The sums are in a new buffer.
    pub(super) fn reduced(self, device: &Dev, kept: Set, extents: &LabelExtents) -> Result<Self, Error> {
        let labels = self.axes.labels().iter().copied().filter(|l| kept & (1 << l) != 0).collect();
        let labels = self.axes.by_stride(labels);
        self.remade(device, &labels, extents, |from, to, axes| reduce(device, from, to, axes, extents))
    }

    /// Copies the operand to a new contiguous buffer whose axes are in the order of `labels`.
    fn packed(self, device: &Dev, labels: &[u8], extents: &LabelExtents) -> Result<Self, Error> {
        self.remade(device, labels, extents, |from, to, axes| {
            device.copy(to.in_layout(axes.layout()), from.operand(&from.axes.arrange(labels, extents)))
        })
    }
}

/// Allocates a contiguous buffer for axes with these labels; the axis of the last label has unit stride. The elements are
/// unspecified, and the caller must write all of them.
pub(super) fn make<T: Element, Dev: Device>(
    device: &Dev,
    labels: &[u8],
    extents: &LabelExtents,
) -> Result<(OwnedData<T, Dev>, Labelled), Error> {
    let axes = Labelled::contiguous(labels, extents);
    let len = element_count(axes.layout().shape(), size_of::<T>())?;
    Ok((OwnedData::for_overwrite(len, device.clone())?, axes))
}

/// Computes `out = Σ a`, summed over the labels that `out` lacks. `c` contains the axes of `out`.
fn reduce<T: Scalar, Dev: Contract<T>>(
    device: &Dev,
    a: &Input<'_, T, Dev>,
    out: Output<'_, T, Dev>,
    c: &Labelled,
    extents: &LabelExtents,
) -> Result<(), Error> {
    let mut labels = c.labels();
    labels.extend(&a.axes.labels().iter().copied().filter(|l| !c.labels().contains(l)).collect::<Labels>());
    device.reduce(&Sum, out.in_layout(c.layout()), a.operand(&a.axes.arrange(&labels, extents)))
}

/// Returns whether the result overwrites the output without scaling: `alpha` is 1 and `beta` is 0.
pub(super) fn overwrites<T: Scalar>(scaling: Scaling<T>) -> bool {
    scaling.alpha.is_one() && scaling.beta.is_zero()
}

pub(super) fn scaled_sum<T: Scalar>(scaling: Scaling<T>, conjugate: bool) -> ScaledSum<T> {
    ScaledSum { alpha: scaling.alpha, beta: scaling.beta, conjugate }
}

/// Contracts one operand. If the result has all labels of the operand, elements are copied, as for a permutation or a diagonal.
/// Otherwise, the labels that the result lacks are summed over, as for a sum or a trace. `c` contains the axes of `out`.
fn one<T: Scalar, Dev: Contract<T>>(
    device: &Dev,
    a: Input<'_, T, Dev>,
    scaling: Scaling<T>,
    mut out: Output<'_, T, Dev>,
    c: &Labelled,
    extents: &LabelExtents,
) -> Result<(), Error> {
    let conjugate = a.conjugate && T::COMPLEX;
    let sums = a.has_more_than(c.set());
    if sums && overwrites(scaling) {
        reduce(device, &a, out.reborrow(), c, extents)?;
        // With `const`, the compiler does not instantiate the conjugation kernel for real numbers.
        if const { T::COMPLEX } && conjugate {
            device.update::<(T,), _>(&Conj, out.in_layout(c.layout()), ())?;
        }
        return Ok(());
    }
    let a = if sums { a.reduced(device, c.set(), extents)? } else { a };
    let from = a.axes.arrange(&c.labels(), extents);
    let (to, from) = (out.in_layout(c.layout()), a.operand(&from));
    if !overwrites(scaling) {
        device.update::<(T, T), _>(&scaled_sum(scaling, conjugate), to, (from,))
    } else if const { T::COMPLEX } && conjugate {
        device.map::<(T,), _>(&Conj, to, (from,))
    } else {
        device.copy(to, from)
    }
}

/// Contracts two operands. `c` contains the axes of `out`.
pub(crate) fn two<T: Scalar, Dev: Contract<T>>(
    device: &Dev,
    a: Input<'_, T, Dev>,
    b: Input<'_, T, Dev>,
    scaling: Scaling<T>,
    out: Output<'_, T, Dev>,
    c: &Labelled,
    extents: &LabelExtents,
) -> Result<(), Error> {
    if a.is_real() || b.is_real() {
        return with_real(device, a, b, scaling, out, c, extents);
    }
    // A label that occurs in one operand only, and not in the result, is summed over first. This makes the product smaller.
    let (in_a, in_b) = (a.axes.set(), b.axes.set());
    let (kept_of_a, kept_of_b) = (in_b | c.set(), in_a | c.set());
    let (mut a, mut b) = (a, b);
    if a.has_more_than(kept_of_a) {
        a = a.reduced(device, kept_of_a, extents)?;
    }
    if b.has_more_than(kept_of_b) {
        b = b.reduced(device, kept_of_b, extents)?;
    }
    match Kernel::choose(&a.axes, &b.axes, c, extents, Dev::START_COST, !T::INTEGER) {
        Kernel::Multiply => {
            // Measured on the host only.
            if Dev::START_COST == 0 {
                if let Some(labels) = repeated_across(&a.axes, c, extents) {
                    a = a.packed(device, &labels, extents)?;
                }
                if let Some(labels) = repeated_across(&b.axes, c, extents) {
                    b = b.packed(device, &labels, extents)?;
                }
            }
            let arrange = |x: &Input<'_, T, Dev>| x.axes.arrange(&c.labels(), extents);
            let (of_a, of_b) = (arrange(&a), arrange(&b));
            let (a, b, out) = (a.factor(&of_a), b.factor(&of_b), out.in_layout(c.layout()));
            if overwrites(scaling) && !(T::COMPLEX && (a.conjugate || b.conjugate)) {
                device.map::<(T, T), _>(&CheckedMul, out, (a.operand, b.operand))
            } else {
                device.sum_products(ProductArgs { scaling, a, b, out })
            }
        }
        Kernel::SumProducts(sum) => {
            let mut labels = c.labels();
            labels.extend(&sum);
            let (of_a, of_b) = (a.axes.arrange(&labels, extents), b.axes.arrange(&labels, extents));
            let (a, b, out) = (a.factor(&of_a), b.factor(&of_b), out.in_layout(c.layout()));
            device.sum_products(ProductArgs { scaling, a, b, out })
        }
        Kernel::Gemm(plan) => {
            let [pack_a, pack_b] = &plan.pack;
            if let Some(labels) = pack_a {
                a = a.packed(device, labels, extents)?;
            }
            if let Some(labels) = pack_b {
                b = b.packed(device, labels, extents)?;
            }
            if !plan.into_temporary {
                return gemm(device, &plan, [&a, &b], scaling, out, c, extents);
            }
            let (mut made, axes) = make(device, &plan.result(), extents)?;
            gemm(device, &plan, [&a, &b], Scaling::overwrite(), made.output(axes.layout()), &axes, extents)?;
            let from = axes.arrange(&c.labels(), extents);
            let (to, from) = (out.in_layout(c.layout()), made.operand(&from));
            if overwrites(scaling) {
                device.copy(to, from)
            } else {
                device.update::<(T, T), _>(&scaled_sum(scaling, false), to, (from,))
            }
        }
    }
}

/// Minimum number of elements of an operand of an elementwise product that is packed.
const MIN_PACKED: usize = 256;

/// Returns the axis order in which an operand of an elementwise product is packed, if it is: the operand repeats in the result, and its
/// elements are not adjacent along the result's innermost axis. Otherwise, each repetition would read it with large strides.
fn repeated_across(x: &Labelled, c: &Labelled, extents: &LabelExtents) -> Option<Labels> {
    let has = |label: &u8| x.labels().contains(label);
    let innermost = c.innermost().filter(has)?;
    if x.stride(innermost).unsigned_abs() <= 1 {
        return None;
    }
    let (len, of_result) = (extents.product(&x.labels()), extents.product(&c.labels()));
    (len >= MIN_PACKED && of_result / len >= 2)
        .then(|| c.by_stride(c.labels()).iter().copied().filter(has).collect())
}

/// Contracts two operands into a new buffer, whose axes have these labels.
pub(super) fn into_new<T: Scalar, Dev: Contract<T>>(
    device: &Dev,
    a: Input<'_, T, Dev>,
    b: Input<'_, T, Dev>,
    labels: &[u8],
    extents: &LabelExtents,
) -> Result<(OwnedData<T, Dev>, Labelled), Error> {
    let (mut made, axes) = make(device, labels, extents)?;
    two(device, a, b, Scaling::overwrite(), made.output(axes.layout()), &axes, extents)?;
    Ok((made, axes))
}

/// Computes the matrix products of a plan. The axes of each group of labels are fused to one axis. The summed labels in `plan.walk`
/// are not part of the matrices: a loop over them adds one product per iteration to `out`. `c` contains the axes of `out`.
fn gemm<T: Scalar, Dev: Contract<T>>(
    device: &Dev,
    plan: &Matrices,
    [a, b]: [&Input<'_, T, Dev>; 2],
    scaling: Scaling<T>,
    mut out: Output<'_, T, Dev>,
    c: &Labelled,
    extents: &LabelExtents,
) -> Result<(), Error> {
    let matrix = |x: &Labelled, rows: &[u8], columns: &[u8]| {
        let mut layout = x.arrange(&plan.batch, extents);
        for group in [rows, columns] {
            let stride = x.fused(group, extents).expect("groups that do not fuse were packed");
            layout.push(extents.product(group), stride);
        }
        layout
    };
    let (of_a, of_b) = (matrix(&a.axes, &plan.left, &plan.sum), matrix(&b.axes, &plan.sum, &plan.right));
    let of_c = matrix(c, &plan.left, &plan.right);
    if plan.walk.is_empty() {
        let (a, b, out) = (a.factor(&of_a), b.factor(&of_b), out.in_layout(&of_c));
        return device.gemm(ProductArgs { scaling, a, b, out });
    }
    let (in_a, in_b) = (a.axes.arrange(&plan.walk, extents), b.axes.arrange(&plan.walk, extents));
    let mut walk = Odometer::row_major(in_a.shape(), [in_a.strides(), in_b.strides()]);
    let mut scaling = scaling;
    debug_assert!(extents.product(&plan.walk) > 0, "the loop nest is not empty");
    for _ in 0..extents.product(&plan.walk) {
        let [at_a, at_b] = walk.offsets();
        walk.advance();
        let (of_a, of_b) = (of_a.moved(at_a), of_b.moved(at_b));
        let (a, b, out) = (a.factor(&of_a), b.factor(&of_b), out.reborrow().in_layout(&of_c));
        device.gemm(ProductArgs { scaling, a, b, out })?;
        scaling.beta = T::one();
    }
    Ok(())
}

impl<T: Scalar, Dev: Contract<T>> Einsum<'_, T, Dev> {
    /// Determines the extent of each label.
    ///
    /// # Errors
    /// * If axes with the same letter differ in extent, or if the axes of ellipses do not broadcast.
    /// * If an ellipsis stands for more than 12 axes.
    pub(crate) fn bind(&self) -> Result<Bound<'_>, Error> {
        Bound::new(self.spec, self.row_major, self.shapes())
    }

    fn shapes(&self) -> impl Iterator<Item = &[usize]> + Clone {
        self.operands.iter().map(|factor| factor.axes().shape())
    }

    /// Contracts the operands, and writes the result to `out`. If the result repeats a label, only a diagonal of `out` is written,
    /// so the caller must have filled `out` with zeros.
    ///
    /// # Errors
    /// * If no path is found whose intermediates are within the limit and have no more axes than a tensor can have.
    /// * If an allocation fails.
    /// * If an integer result overflows (of 64 bits: only in builds with debug assertions).
    pub(crate) fn write(&self, bound: &Bound<'_>, out: Output<'_, T, Dev>) -> Result<(), Error> {
        let axes = Labelled::new(out.axes(), &bound.result(), bound.extents());
        self.run(bound, Scaling::overwrite(), out, &axes)
    }

    /// Computes `out = alpha · result + beta · out`.
    ///
    /// # Errors
    /// * The errors of [`write`](Einsum::write), and an error if the shape of `out` differs from that of the result. `out` is then
    ///   unchanged.
    /// * Any other error of the device. The elements of `out` are then unspecified.
    pub(crate) fn accumulate(
        &self,
        bound: &Bound<'_>,
        scaling: Scaling<T>,
        mut out: Output<'_, T, Dev>,
    ) -> Result<(), Error> {
        let (labels, extents, device) = (bound.result(), bound.extents(), self.device);
        if !labels.iter().map(|&label| extents.of(label)).eq(out.shape().iter().copied()) {
            let shape: Vec<usize> = labels.iter().map(|&label| extents.of(label)).collect();
            let reason =
                format!("the result has shape {shape:?}, but the output has shape {:?}", out.shape());
            return Err(bound.error(self.shapes(), reason));
        }
        let axes = Labelled::new(out.axes(), &labels, extents);
        // If an integer result overflows, `out` must remain unchanged.
        if !labels.repeat() && !T::SUMS_CHECKED {
            return self.run(bound, scaling, out, &axes);
        }
        // The contraction writes to a copy of `out`, which is copied back at the end.
        let (mut into_temporary, contiguous) = make(device, &axes.labels(), extents)?;
        device.copy(into_temporary.output(contiguous.layout()), out.as_operand().in_layout(axes.layout()))?;
        self.run(bound, scaling, into_temporary.output(contiguous.layout()), &contiguous)?;
        if labels.repeat() && !scaling.beta.is_one() {
            // The elements of `out` that are not on the diagonal of the result are multiplied by `beta`, too. The diagonal is
            // cleared first: its new elements are in `into_temporary`, and multiplying its old elements could overflow.
            let old = |beta| {
                let op = scaled_sum(Scaling { alpha: T::zero(), beta }, false);
                WithRight { op, right: T::zero() }
            };
            let (scale, clear) = (old(scaling.beta), old(T::zero()));
            let beside = Layout::contiguous(out.shape(), true);
            let mut scaled = OwnedData::for_overwrite(beside.shape().iter().product(), device.clone())?;
            device.copy(scaled.output(&beside), out.as_operand())?;
            let diagonal = Labelled::new(beside.axes(), &labels, extents);
            device.update::<(T,), _>(&clear, scaled.output(diagonal.layout()), ())?;
            device.update::<(T,), _>(&scale, scaled.output(&beside), ())?;
            device.copy(out.reborrow(), scaled.operand(&beside))?;
        }
        device.copy(out.in_layout(axes.layout()), into_temporary.operand(contiguous.layout()))
    }

    /// Computes `out = alpha · result + beta · out`. `c` contains the axes of `out`, one for each label.
    fn run(
        &self,
        bound: &Bound<'_>,
        scaling: Scaling<T>,
        out: Output<'_, T, Dev>,
        c: &Labelled,
    ) -> Result<(), Error> {
        // The result has no elements, so there is nothing to compute. Without this check, the operands would be summed over labels that
        // occur in one of them only, although nothing uses these sums.
        if c.layout().shape().contains(&0) {
            return Ok(());
        }
        self.many(bound, scaling, out, c)
            .map_err(|error| without_value(error, |reason| bound.error(self.shapes(), reason)))
    }

    /// Contracts the operands: one or two directly, three or more pair by pair.
    fn many(
        &self,
        bound: &Bound<'_>,
        scaling: Scaling<T>,
        out: Output<'_, T, Dev>,
        c: &Labelled,
    ) -> Result<(), Error> {
        let (extents, device, count) = (bound.extents(), self.device, self.operands.len());
        let input = |k: usize| {
            let factor = self.operands[k];
            Input::given(factor, bound.operand(k, factor.axes()))
        };
        match count {
            0 => unreachable!("a contraction has at least one operand"),
            1 => return one(device, input(0), scaling, out, c, extents),
            2 => return two(device, input(0), input(1), scaling, out, c, extents),
            _ => {}
        }
        let mut values: Vec<_> = (0..count).map(|k| Some(input(k))).collect();
        let sets: Vec<_> = values.iter().flatten().map(|input| input.axes.set()).collect();
        let limit = self.limit.map(|bytes| bytes / size_of::<T>());
        let steps = self
            .cache
            .find(&sets, c.set(), extents, limit)
            .map_err(|reason| bound.error(self.shapes(), reason))?;
        for (k, step) in steps.iter().enumerate() {
            let mut take = |k: usize| values[k].take().expect("a path uses each operand once");
            let (a, b) = (take(step.left), take(step.right));
            if k + 1 == steps.len() {
                return two(device, a, b, scaling, out, c, extents);
            }
            let labels = Classes::new(&a.axes, &b.axes, step.labels).free_result(&a.axes, &b.axes);
            values.push(Some(if a.is_real() && b.is_real() {
                two_real(device, a, b, &labels, extents)?
            } else {
                let (made, axes) = into_new(device, a, b, &labels, extents)?;
                Input::made(made, axes)
            }));
        }
        unreachable!("the last step writes the result")
    }
}

/// Replaces an arithmetic error of a kernel by an error of the contraction, which `name` creates from the reason. Returns other
/// errors unchanged.
pub(crate) fn without_value(error: Error, name: impl FnOnce(String) -> Error) -> Error {
    match error {
        Error::Arithmetic { dtype, .. } => name(format!(
            "a sum of products overflows {dtype}; convert the operands first, e.g. with `.cast::<{}>()`",
            wider(dtype)
        )),
        other => other,
    }
}
