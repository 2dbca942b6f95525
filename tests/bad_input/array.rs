//! A naive reference implementation of tensor operations. An [`Array`] has a shape and elements in row-major order. The rows of the
//! bad-input table (see `bad_input/mod.rs`) compute their expected results with this module, which shares no code with the library.

use super::operand::LONG;

/// The largest number of elements of a tensor that a test creates. An [`Array`] with more elements is huge: it stores only its first
/// element.
const MANY: u128 = 1 << 24;

/// The largest allocation, in bytes, that the global allocator of the tests allows: see the module `limited`. Other tests of the same
/// program have results of up to 181 MB.
pub(crate) const MEMORY_BYTES: u128 = 1 << 28;

#[derive(Debug, Clone)]
pub(crate) struct Array {
    pub(crate) shape: Vec<usize>,
    pub(crate) data: Vec<f64>,
    /// The distance in memory from each element to the next in row-major order. `None` if the distances differ.
    pub(crate) step: Option<isize>,
}

/// The reason why the reference implementation has no result.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Rejection {
    /// The library returns an error. The field is the name of the variant of [`vierbein::Error`].
    Error(&'static str),
    /// The test skips this call: computing its result would take too long, or the call does not compile.
    Untried,
}

pub(crate) type Outcome = Result<Array, Rejection>;

pub(crate) fn reject<V>(variant: &'static str) -> Result<V, Rejection> {
    Err(Rejection::Error(variant))
}

fn size(shape: &[usize]) -> u128 {
    if shape.contains(&0) { 0 } else { shape.iter().fold(1, |n, &d| n.saturating_mul(d as u128)) }
}

/// Returns `Overflow` if the shape exceeds the documented limits: the number of elements, the size in bytes and the strides must fit in
/// `isize`.
pub(crate) fn in_bounds(shape: &[usize], bytes: u128) -> Result<(), Rejection> {
    let span = shape.iter().fold(bytes, |n, &d| n.saturating_mul(d.max(1) as u128));
    if span > isize::MAX as u128 { reject("Overflow") } else { Ok(()) }
}

/// Returns the error that the allocation of a tensor of this shape must return, if any: `Overflow`, or `OutOfMemory` for more than `MANY`
/// elements.
pub(crate) fn allocated(shape: &[usize], bytes: u128) -> Result<(), Rejection> {
    in_bounds(shape, bytes)?;
    let total = size(shape) * bytes;
    assert!(
        (size(shape) > MANY) == (total > MEMORY_BYTES),
        "{total} bytes: more elements than a test makes must be more than memory holds, and only those"
    );
    if size(shape) > MANY { reject("OutOfMemory") } else { Ok(()) }
}

/// Returns all indices in row-major order.
pub(crate) fn indices(shape: &[usize]) -> Vec<Vec<usize>> {
    let mut all = vec![vec![]];
    if shape.contains(&0) {
        return vec![];
    }
    for &n in shape {
        all = all.iter().flat_map(|i| (0..n).map(move |k| [i.as_slice(), &[k]].concat())).collect();
    }
    all
}

impl Array {
    pub(crate) fn scalar(value: f64) -> Array {
        Array { shape: vec![], data: vec![value], step: Some(1) }
    }

    pub(crate) fn line(data: Vec<f64>) -> Array {
        Array { shape: vec![data.len()], data, step: Some(1) }
    }

    /// Computes each element from its index. A huge array is represented by its first element.
    pub(crate) fn from_fn(shape: &[usize], mut f: impl FnMut(&[usize]) -> f64) -> Array {
        let data = if size(shape) > MANY {
            vec![f(&vec![0; shape.len()])]
        } else {
            // A loop compiles faster than the adaptors of an iterator, which are compiled again for each type of closure.
            let mut data = Vec::new();
            for index in indices(shape) {
                data.push(f(&index));
            }
            data
        };
        Array { shape: shape.to_vec(), data, step: Some(1) }
    }

    pub(crate) fn len(&self) -> u128 {
        size(&self.shape)
    }

    pub(crate) fn at(&self, index: &[usize]) -> f64 {
        if self.len() > MANY {
            return self.data[0];
        }
        self.data[index.iter().zip(&self.shape).fold(0, |at, (&i, &n)| at * n + i)]
    }

    /// Concatenates the shapes and the elements of two results.
    pub(crate) fn and(&self, other: &Array) -> Array {
        Array {
            shape: [&self.shape[..], &other.shape].concat(),
            data: [&self.data[..], &other.data].concat(),
            step: None,
        }
    }

    /// Returns whether two results are equal up to rounding. NaN equals NaN, and zeros have no sign.
    pub(crate) fn is(&self, other: &Array) -> bool {
        let close = |a: f64, b: f64| {
            let close = (a - b).abs() <= 1e-12 * a.abs().max(b.abs()).max(1e-3);
            a == b || a.is_nan() && b.is_nan() || a.is_finite() && b.is_finite() && close
        };
        self.shape == other.shape
            && self.data.len() == other.data.len()
            && self.data.iter().zip(&other.data).all(|(&a, &b)| close(a, b))
    }
}

// ------------------------------------------------------------------ elementwise

/// Returns the broadcast shape. Trailing axes are aligned. The extents of an axis must be equal, except for extents of 1.
pub(crate) fn common(shapes: &[&[usize]]) -> Result<Vec<usize>, Rejection> {
    let rank = shapes.iter().map(|shape| shape.len()).max().unwrap_or(0);
    let mut result = vec![1; rank];
    for shape in shapes {
        for (into, &n) in result[rank - shape.len()..].iter_mut().zip(*shape) {
            match (*into, n) {
                (a, b) if a == b || b == 1 => {}
                (1, b) => *into = b,
                _ => return reject("ShapeMismatch"),
            }
        }
    }
    Ok(result)
}

/// Returns the element of `x` at an index of a shape that it was broadcast to.
fn repeated(x: &Array, index: &[usize]) -> f64 {
    let tail = &index[index.len() - x.shape.len()..];
    let at: Vec<usize> = tail.iter().zip(&x.shape).map(|(&i, &n)| if n == 1 { 0 } else { i }).collect();
    x.at(&at)
}

/// Applies `f` to the elements of operands that broadcast. `bytes` is the size of an element of the result.
pub(crate) fn zip(operands: &[&Array], bytes: u128, f: impl Fn(&[f64]) -> f64) -> Outcome {
    zip_with(operands, bytes, &f)
}

/// [`zip`], compiled once for all functions.
fn zip_with(operands: &[&Array], bytes: u128, f: &dyn Fn(&[f64]) -> f64) -> Outcome {
    let shapes: Vec<&[usize]> = operands.iter().map(|x| &x.shape[..]).collect();
    let shape = common(&shapes)?;
    allocated(&shape, bytes)?;
    let values = |index: &[usize]| operands.iter().map(|x| repeated(x, index)).collect::<Vec<_>>();
    Ok(Array::from_fn(&shape, |index| f(&values(index))))
}

/// Assigns `f(x, y)` to `x` in place, so `y` must broadcast to the shape of `x`.
pub(crate) fn assign(x: &Array, y: &Array, f: impl Fn(f64, f64) -> f64) -> Outcome {
    allocated(&x.shape, 8)?;
    match common(&[&x.shape, &y.shape]) {
        Ok(shape) if shape == x.shape => {
            Ok(Array::from_fn(&shape, |index| f(x.at(index), repeated(y, index))))
        }
        _ => reject("AssignShape"),
    }
}

// ------------------------------------------------------------------ along axes

/// A function that reduces elements, given in row-major order of the reduced axes. Returns `None` if the result is undefined.
pub(crate) type Fold = fn(&[f64]) -> Option<f64>;

pub(crate) fn check_axes(rank: usize, axes: &[usize]) -> Result<(), Rejection> {
    if axes.iter().any(|&axis| axis >= rank) {
        return reject("AxisOutOfRange");
    }
    let mut sorted = axes.to_vec();
    sorted.sort_unstable();
    sorted.dedup();
    if sorted.len() < axes.len() { reject("RepeatedAxis") } else { Ok(()) }
}

/// Reduces axes. `fold` returns `None` if the reduction of zero elements is undefined.
pub(crate) fn reduce(x: &Array, axes: &[usize], keep: bool, bytes: u128, fold: Fold) -> Outcome {
    check_axes(x.shape.len(), axes)?;
    let named = |axis: usize| axes.contains(&axis);
    let (kept, gone): (Vec<usize>, Vec<usize>) = (0..x.shape.len()).partition(|&axis| !named(axis));
    let lengths = |axes: &[usize]| -> Vec<usize> { axes.iter().map(|&axis| x.shape[axis]).collect() };
    let (stay, lost) = (lengths(&kept), lengths(&gone));
    if size(&lost) == 0 && size(&stay) > 0 && fold(&[]).is_none() {
        return reject("Empty");
    }
    let shape = match keep {
        true => (0..x.shape.len()).map(|axis| if named(axis) { 1 } else { x.shape[axis] }).collect(),
        false => stay.clone(),
    };
    allocated(&shape, bytes)?;
    if size(&stay) > 0 && size(&lost) > MANY {
        return Err(Rejection::Untried);
    }
    let reduced = Array::from_fn(&stay, |at| {
        let element = |lost_at: &Vec<usize>| {
            let mut index = vec![0; x.shape.len()];
            kept.iter().zip(at).for_each(|(&axis, &i)| index[axis] = i);
            gone.iter().zip(lost_at).for_each(|(&axis, &i)| index[axis] = i);
            x.at(&index)
        };
        let values: Vec<f64> = indices(&lost).iter().map(element).collect();
        fold(&values).expect("there is something")
    });
    Ok(Array { shape, ..reduced })
}

/// Returns the softmax along axes or, if `log`, its logarithm.
pub(crate) fn softmax(x: &Array, axes: &[usize], log: bool) -> Outcome {
    let sums = reduce(x, axes, true, 8, |v| Some(logsumexp(v)))?;
    allocated(&x.shape, 8)?;
    Ok(Array::from_fn(&x.shape, |index| {
        let of_sum: Vec<usize> = index.iter().zip(&sums.shape).map(|(&i, &n)| i.min(n - 1)).collect();
        // A sum is infinite or NaN only if an element is. The softmax is then NaN.
        let y = if sums.at(&of_sum).is_finite() { x.at(index) - sums.at(&of_sum) } else { f64::NAN };
        if log { y } else { y.exp() }
    }))
}

fn logsumexp(v: &[f64]) -> f64 {
    let peak = v.iter().fold(f64::NEG_INFINITY, |m, x| m.max(*x));
    let peak = if peak.is_finite() { peak } else { 0.0 };
    peak + v.iter().map(|x| (x - peak).exp()).sum::<f64>().ln()
}

/// The logarithm of a sum of exponentials. The library allocates memory for the exponentials of all elements.
pub(crate) fn log_sum(x: &Array, axes: &[usize], keep: bool) -> Outcome {
    let result = reduce(x, axes, keep, 8, |v| Some(logsumexp(v)))?;
    allocated(&x.shape, 8)?;
    Ok(result)
}

/// Computes a cumulative reduction: each element of the result is `fold` of the elements up to its index along `axis`.
pub(crate) fn scan(x: &Array, axis: usize, fold: Fold) -> Outcome {
    check_axes(x.shape.len(), &[axis])?;
    allocated(&x.shape, 8)?;
    Ok(Array::from_fn(&x.shape, |index| {
        let up_to = |k: usize| {
            let mut at = index.to_vec();
            at[axis] = k;
            x.at(&at)
        };
        let values: Vec<f64> = (0..=index[axis]).map(up_to).collect();
        fold(&values).expect("there is something")
    }))
}

/// Returns the remaining axes, followed by the diagonal of axes `a` and `b`.
pub(crate) fn diagonal(x: &Array, a: usize, b: usize) -> Outcome {
    let rank = x.shape.len();
    if a.max(b) >= rank {
        return reject("AxisPair");
    }
    if a == b {
        return reject("RepeatedAxis");
    }
    if x.shape[a] != x.shape[b] {
        return reject("ExtentMismatch");
    }
    let kept: Vec<usize> = (0..rank).filter(|&axis| axis != a && axis != b).collect();
    let shape: Vec<usize> = kept.iter().map(|&axis| x.shape[axis]).chain([x.shape[a]]).collect();
    Ok(Array::from_fn(&shape, |at| {
        let mut index = vec![at[kept.len()]; rank];
        kept.iter().zip(at).for_each(|(&axis, &i)| index[axis] = i);
        x.at(&index)
    }))
}

/// The elements whose index along `b` is `k` more than along `a`.
pub(crate) fn diagonal_offset(x: &Array, a: usize, b: usize, k: usize) -> Outcome {
    let rank = x.shape.len();
    if a.max(b) >= rank {
        return reject("AxisPair");
    }
    if a == b {
        return reject("RepeatedAxis");
    }
    let kept: Vec<usize> = (0..rank).filter(|&axis| axis != a && axis != b).collect();
    let n = x.shape[a].min(x.shape[b].saturating_sub(k));
    let shape: Vec<usize> = kept.iter().map(|&axis| x.shape[axis]).chain([n]).collect();
    Ok(Array::from_fn(&shape, |at| {
        let mut index = vec![at[kept.len()]; rank];
        index[b] += k;
        kept.iter().zip(at).for_each(|(&axis, &i)| index[axis] = i);
        x.at(&index)
    }))
}

pub(crate) fn permute(x: &Array, axes: &[usize]) -> Outcome {
    check_axes(x.shape.len(), axes)?;
    let shape: Vec<usize> = axes.iter().map(|&axis| x.shape[axis]).collect();
    Ok(Array::from_fn(&shape, |at| {
        let mut index = vec![0; at.len()];
        axes.iter().zip(at).for_each(|(&axis, &i)| index[axis] = i);
        x.at(&index)
    }))
}

/// Changes the shape. Returns an error if the number of elements changes.
pub(crate) fn reshape(x: &Array, shape: &[usize]) -> Outcome {
    // The strides of an empty tensor must be representable, too.
    if size(shape) == 0 {
        in_bounds(shape, 8)?;
    }
    if size(shape) != x.len() {
        return reject("Reshape");
    }
    Ok(Array { shape: shape.to_vec(), ..x.clone() })
}

/// Returns the elements in row-major order, as an array of rank 1.
pub(crate) fn line(x: &Array) -> Outcome {
    allocated(&x.shape, 8)?;
    Ok(Array::line(x.data.clone()))
}

/// Returns a copy, or the error of its allocation.
pub(crate) fn copy(x: &Array) -> Outcome {
    allocated(&x.shape, 8)?;
    Ok(x.clone())
}

/// Inserts an axis of extent 1 at index `at`.
pub(crate) fn insert(x: &Array, at: usize) -> Outcome {
    if at > x.shape.len() {
        return reject("Argument");
    }
    let mut to = x.clone();
    to.shape.insert(at, 1);
    Ok(to)
}

/// Removes an axis. Returns an error if its extent is not 1.
pub(crate) fn remove(x: &Array, axis: usize) -> Outcome {
    check_axes(x.shape.len(), &[axis])?;
    let mut to = x.clone();
    if to.shape.remove(axis) != 1 { reject("NotUnitAxis") } else { Ok(to) }
}

/// Takes every `step`th index of `from..to` along an axis; a negative step starts at the end of the range.
pub(crate) fn cut(x: &Array, axis: usize, from: usize, to: usize, step: isize) -> Outcome {
    if from > to || to > x.shape[axis] {
        return reject("InvalidSlice");
    }
    let positions: Vec<usize> = match step {
        ..0 => (from..to).rev().step_by(step.unsigned_abs()).collect(),
        _ if to - from > LONG => vec![0],
        _ => (from..to).step_by(step as usize).collect(),
    };
    let mut shape = x.shape.clone();
    shape[axis] = (to - from).div_ceil(step.unsigned_abs());
    Ok(Array::from_fn(&shape, |index| {
        let mut index = index.to_vec();
        index[axis] = positions[index[axis]];
        x.at(&index)
    }))
}

/// Splits at an index along an axis. Returns the elements of the first part, followed by those of the second.
pub(crate) fn split(x: &Array, axis: usize, at: usize) -> Outcome {
    if axis >= x.shape.len() {
        return reject("AxisOutOfRange");
    }
    if at > x.shape[axis] {
        return reject("IndexOutOfBounds");
    }
    Ok(cut(x, axis, 0, at, 1)?.and(&cut(x, axis, at, x.shape[axis], 1)?))
}

/// Takes one index along an axis and removes the axis.
pub(crate) fn index_axis(x: &Array, axis: usize, at: usize) -> Outcome {
    check_axes(x.shape.len(), &[axis])?;
    if at >= x.shape[axis] {
        return reject("IndexOutOfBounds");
    }
    let mut shape = x.shape.clone();
    shape.remove(axis);
    Ok(Array::from_fn(&shape, |index| x.at(&[&index[..axis], &[at], &index[axis..]].concat())))
}

/// Takes the indices 0, -1 and 0 along an axis.
pub(crate) fn taken(x: &Array, axis: usize) -> Outcome {
    check_axes(x.shape.len(), &[axis])?;
    let (mut shape, n) = (x.shape.clone(), x.shape[axis]);
    shape[axis] = 3;
    allocated(&shape, 8)?;
    if n == 0 {
        return reject("IndexOutOfBounds");
    }
    Ok(Array::from_fn(&shape, |index| {
        let mut index = index.to_vec();
        index[axis] = [0, n - 1, 0][index[axis]];
        x.at(&index)
    }))
}

/// Repeats the elements at index 0 along an axis.
pub(crate) fn firsts(x: &Array, axis: usize) -> Outcome {
    check_axes(x.shape.len(), &[axis])?;
    allocated(&x.shape, 8)?;
    Ok(Array::from_fn(&x.shape, |index| {
        let mut index = index.to_vec();
        index[axis] = 0;
        x.at(&index)
    }))
}

/// Sets the elements at index 0 along an axis to 7.
pub(crate) fn put_first(x: &Array, axis: usize) -> Outcome {
    allocated(&x.shape, 8)?;
    check_axes(x.shape.len(), &[axis])?;
    Ok(Array::from_fn(&x.shape, |index| if index[axis] == 0 { 7.0 } else { x.at(index) }))
}

/// Adds 1 at the indices 0, -1 and 0 along an axis.
pub(crate) fn scattered(x: &Array, axis: usize) -> Outcome {
    allocated(&x.shape, 8)?;
    check_axes(x.shape.len(), &[axis])?;
    let n = x.shape[axis];
    if n == 0 {
        return reject("IndexOutOfBounds");
    }
    Ok(Array::from_fn(&x.shape, |index| {
        let times = [0, n - 1, 0].iter().filter(|&&k| k == index[axis]).count();
        (0..times).fold(x.at(index), |sum, _| sum + 1.0)
    }))
}

/// Takes the even indices along an axis.
pub(crate) fn evens(x: &Array, axis: usize) -> Outcome {
    check_axes(x.shape.len(), &[axis])?;
    let mut shape = x.shape.clone();
    shape[axis] = shape[axis].div_ceil(2);
    Ok(Array::from_fn(&shape, |index| {
        let mut index = index.to_vec();
        index[axis] *= 2;
        x.at(&index)
    }))
}

/// Returns the elements of `x` at which the mask is positive. In a huge tensor, these are too many to allocate.
pub(crate) fn masked(x: &Array, mask: &Array) -> Outcome {
    if x.shape != mask.shape {
        return reject("Argument");
    }
    if x.len() > MANY {
        return Err(Rejection::Untried);
    }
    Ok(Array::line(x.data.iter().zip(&mask.data).filter(|(_, m)| **m > 0.0).map(|(x, _)| *x).collect()))
}

/// Replaces the elements at which the mask is positive. The argument of `f` is the number of elements that were replaced before.
pub(crate) fn replaced(x: &Array, mask: &Array, f: impl Fn(usize) -> f64) -> Outcome {
    allocated(&x.shape, 8)?;
    if x.shape != mask.shape {
        return reject("Argument");
    }
    let mut next = 0;
    Ok(Array::from_fn(&x.shape, |index| {
        next += usize::from(mask.at(index) > 0.0);
        if mask.at(index) > 0.0 { f(next - 1) } else { x.at(index) }
    }))
}

/// Returns the indices of the elements that are not zero, one per row.
pub(crate) fn nonzero(x: &Array) -> Outcome {
    allocated(&x.shape, 1)?;
    let rows: Vec<Vec<usize>> = indices(&x.shape).into_iter().filter(|index| x.at(index) != 0.0).collect();
    Ok(Array::from_fn(&[rows.len(), x.shape.len()], |index| rows[index[0]][index[1]] as f64))
}

/// Takes one element twice.
pub(crate) fn twice(x: &Array, index: &[usize]) -> Outcome {
    if index.iter().zip(&x.shape).any(|(i, n)| i >= n) {
        return reject("IndexOutOfBounds");
    }
    Ok(Array::line(vec![x.at(index); 2]))
}

/// Broadcasts to a larger shape without an allocation.
pub(crate) fn broadcast(x: &Array, shape: &[usize]) -> Outcome {
    in_bounds(shape, 8)?;
    match common(&[&x.shape, shape]) {
        Ok(common) if common == shape => Ok(Array::from_fn(shape, |index| repeated(x, index))),
        _ => reject("BroadcastShape"),
    }
}

/// The cross products of vectors along the last axis.
pub(crate) fn cross(x: &Array, y: &Array) -> Outcome {
    let shape = common(&[&x.shape, &y.shape])?;
    let Some(last) = shape.len().checked_sub(1) else { return reject("AxisOutOfRange") };
    if x.shape.last() != Some(&3) || y.shape.last() != Some(&3) {
        return reject("Argument");
    }
    allocated(&shape, 8)?;
    Ok(Array::from_fn(&shape, |index| {
        let of = |x: &Array, step: usize| {
            let mut index = index.to_vec();
            index[last] = (index[last] + step) % 3;
            repeated(x, &index)
        };
        of(x, 1) * of(y, 2) - of(x, 2) * of(y, 1)
    }))
}

// ------------------------------------------------------------------ contractions

/// Contracts operands. Each label is one letter; labels that `result` does not contain are summed over.
pub(crate) fn einsum(operands: &[(&Array, &str)], result: &str, variant: &'static str) -> Outcome {
    let mut extents = std::collections::BTreeMap::new();
    for (x, labels) in operands {
        for (label, &n) in labels.bytes().zip(&x.shape) {
            if *extents.entry(label).or_insert(n) != n {
                return reject(variant);
            }
        }
    }
    let shape: Vec<usize> = result.bytes().map(|label| extents[&label]).collect();
    allocated(&shape, 8)?;
    let summed: Vec<u8> =
        extents.keys().copied().filter(|&label| !result.as_bytes().contains(&label)).collect();
    let lost: Vec<usize> = summed.iter().map(|label| extents[label]).collect();
    if size(&shape) > 0 && size(&lost) > MANY {
        return Err(Rejection::Untried);
    }
    Ok(Array::from_fn(&shape, |at| {
        let term = |lost_at: &Vec<usize>| -> f64 {
            let of = |label: u8| match result.bytes().position(|known| known == label) {
                Some(k) => at[k],
                None => lost_at[summed.iter().position(|&known| known == label).expect("it is summed")],
            };
            let element = |(x, labels): &(&Array, &str)| x.at(&labels.bytes().map(of).collect::<Vec<_>>());
            operands.iter().map(element).product()
        };
        indices(&lost).iter().map(term).sum()
    }))
}

/// The inverse hyperbolic sine. For large arguments, `f64::asinh` overflows although the result is representable.
pub(crate) fn asinh(x: f64) -> f64 {
    let large = (x.abs().ln() + std::f64::consts::LN_2).copysign(x);
    if x.abs() > 1e100 { large } else { x.asinh() }
}

/// The inverse hyperbolic cosine. For large arguments, `f64::acosh` overflows, as `f64::asinh` does.
pub(crate) fn acosh(x: f64) -> f64 {
    if x > 1e100 { x.ln() + std::f64::consts::LN_2 } else { x.acosh() }
}

/// Replaces NaN by 1, infinity by 2 and negative infinity by 3.
pub(crate) fn special(x: f64) -> f64 {
    if x.is_nan() {
        1.0
    } else if x.is_infinite() {
        if x > 0.0 { 2.0 } else { 3.0 }
    } else {
        x
    }
}

/// The error function: a series of positive terms (Abramowitz and Stegun, 7.1.6).
pub(crate) fn erf(x: f64) -> f64 {
    if x.abs() > 6.0 {
        return x.signum();
    }
    let terms = (1..400).scan(x, |term, n| {
        *term *= 2.0 * x * x / f64::from(2 * n + 1);
        Some(*term)
    });
    std::f64::consts::FRAC_2_SQRT_PI * (-x * x).exp() * (x + terms.sum::<f64>())
}

/// The complementary error function, for large arguments as a continued fraction (Abramowitz and Stegun, 7.1.14).
pub(crate) fn erfc(x: f64) -> f64 {
    if x < 2.0 || x.is_infinite() {
        return 1.0 - erf(x);
    }
    let denominator = (1..200).rev().fold(x, |below, n| x + f64::from(n) / 2.0 / below);
    std::f64::consts::FRAC_2_SQRT_PI / 2.0 * (-x * x).exp() / denominator
}

/// The elements that are not NaN.
pub(crate) fn numbers(v: &[f64]) -> Vec<f64> {
    v.iter().copied().filter(|x| !x.is_nan()).collect()
}

/// The weighted means along an axis with the weights 1, 2, .. Returns an error if the axis has extent 0.
pub(crate) fn averages(x: &Array, axis: usize) -> Outcome {
    let means = reduce(x, &[axis], false, 8, |v| {
        let weights = (1..=v.len()).map(|k| k as f64);
        let total: f64 = weights.clone().sum();
        Some(v.iter().zip(weights).map(|(x, w)| x * (w / total)).sum::<f64>())
    });
    if x.shape.get(axis) == Some(&0) { reject("Argument") } else { means }
}

/// The convolution with a kernel whose only element is 2.
pub(crate) fn doubled(x: &Array) -> Outcome {
    if x.shape.contains(&0) { reject("Argument") } else { zip(&[x], 8, |v| 2.0 * v[0]) }
}

/// The polynomial 2 x² − 3.
pub(crate) fn parabola(x: f64) -> f64 {
    2.0 * x * x - 3.0
}

/// The integral by the trapezoidal rule, for points at distance 0.5.
pub(crate) fn trapezoid(v: &[f64]) -> f64 {
    v.windows(2).map(|pair| 0.25 * pair[0] + 0.25 * pair[1]).sum::<f64>()
}

/// The piecewise linear function through (-1, 3), (0.5, -1) and (2, 4).
pub(crate) fn interpolated(x: f64) -> f64 {
    match x {
        ..-1.0 => 3.0,
        ..0.5 => 3.0 - (x + 1.0) * 4.0 / 1.5,
        ..2.0 => -1.0 + (x - 0.5) * 5.0 / 1.5,
        2.0.. => 4.0,
        _ => f64::NAN,
    }
}

/// The square root of a variance, which is in range even if the variance is not.
pub(crate) fn deviation(v: &[f64], variance: impl Fn(&[f64]) -> f64) -> f64 {
    let peak = v.iter().map(|x| x.abs()).fold(0.0, f64::max);
    let peak = if peak > 0.0 && peak.is_finite() { peak } else { 1.0 };
    peak * variance(&v.iter().map(|x| x / peak).collect::<Vec<_>>()).sqrt()
}

/// The covariances of the rows of a matrix.
pub(crate) fn covariances(x: &Array, ddof: f64) -> Outcome {
    let [rows, columns] = x.shape[..] else { return Err(Rejection::Untried) };
    allocated(&x.shape, 8)?;
    allocated(&[rows, 1], 8)?;
    allocated(&[rows, rows], 8)?;
    let count = columns as f64 - ddof;
    let row = |i: usize| (0..columns).map(|k| x.at(&[i, k])).collect::<Vec<_>>();
    Ok(Array::from_fn(&[rows, rows], |index| {
        let (a, b) = (row(index[0]), row(index[1]));
        let mean = |v: &[f64]| v.iter().sum::<f64>() / columns as f64;
        let (mean_a, mean_b) = (mean(&a), mean(&b));
        let sum: f64 = a.iter().zip(&b).map(|(a, b)| (a - mean_a) * (b - mean_b)).sum();
        if count > 0.0 { sum / count } else { f64::NAN }
    }))
}

/// The correlation coefficients of the rows of a matrix.
pub(crate) fn correlations(x: &Array) -> Outcome {
    covariances(x, 0.0)?;
    // The rows have any scale, and the squares of their elements need not be in range.
    let scale = |i: usize| (0..x.shape[1]).map(|k| x.at(&[i, k]).abs()).fold(0.0, f64::max);
    let scaled = |i: usize| if scale(i) > 0.0 && scale(i).is_finite() { scale(i) } else { 1.0 };
    let cov = covariances(&Array::from_fn(&x.shape, |at| x.at(at) / scaled(at[0])), 0.0)?;
    Ok(Array::from_fn(&cov.shape, |index| {
        let deviation = |k: usize| cov.at(&[k, k]).sqrt();
        (cov.at(index) / deviation(index[0]) / deviation(index[1])).clamp(-1.0, 1.0)
    }))
}
