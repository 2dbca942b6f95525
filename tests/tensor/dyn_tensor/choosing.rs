//! Tests of operations that read or write the elements at given positions or under a mask, such as `take` and `masked_fill`.

use super::naive::{Naive, cases, indices};
use super::values::{Value, for_each_type};
use vierbein::{DType, DynTensor, Error, MemoryOrder, tensor};

const ORDERS: [MemoryOrder; 2] = [MemoryOrder::RowMajor, MemoryOrder::ColMajor];
const SHAPES: [&[usize]; 4] = [&[4], &[2, 3], &[2, 3, 2], &[2, 0]];

/// Returns the `k`th entry of a list of positions along an axis of extent `n`. The positions are from `-n` to `n - 1`. If `n` is 0,
/// returns 0.
fn position(k: usize, n: usize) -> i64 {
    if n == 0 { 0 } else { ((5 * k + 1) % (2 * n)) as i64 - n as i64 }
}

/// Asserts the shape, memory order and elements of a tensor.
#[track_caller]
fn check<T: Value>(found: &DynTensor, expected: &Naive<T>, order: MemoryOrder, what: impl std::fmt::Debug) {
    super::naive::check(found, &expected.map(Into::into), order, what);
}

fn place(position: i64, n: usize) -> usize {
    if position < 0 { (n as i64 + position) as usize } else { position as usize }
}

fn positions_of<T: Value>(order: MemoryOrder, shape: &[usize], axis: usize) {
    let n = shape[axis];
    for case in cases(shape, order, T::small) {
        let (view, x) = (case.view(), &case.naive);
        // Positions of rank 2.
        let m = if n == 0 { 0 } else { 3 };
        let at = Naive::new(&[2, m], |index| position(3 * index[0] + index[1], n));
        let expected = Naive::new(&[&shape[..axis], &[2, m], &shape[axis + 1..]].concat(), |index| {
            let k = place(at.at(&index[axis..axis + 2]), n);
            x.at(&[&index[..axis], &[k], &index[axis + 2..]].concat())
        });
        check(&view.take(axis, &at.tensor(order)).unwrap(), &expected, order, (T::DTYPE, axis, &case.steps));
        // Each index of the other axes has positions of its own: one fewer than the extent of `axis`.
        let mut fewer = shape.to_vec();
        fewer[axis] = n.saturating_sub(1);
        let mut count = 0;
        let each = Naive::new(&fewer, |_| {
            count += 1;
            position(count, n)
        });
        let to = |index: &[usize]| {
            let mut to = index.to_vec();
            to[axis] = place(each.at(index), n);
            to
        };
        let expected = Naive::new(&fewer, |index| x.at(&to(index)));
        let at = each.tensor(order);
        check(&view.take_along_axis(axis, &at).unwrap(), &expected, order, (T::DTYPE, axis, &case.steps));
        // Writes values. If several values are written to one position, the last of them in memory order remains.
        let mut put = view.to_owned().unwrap();
        let mut count = 0;
        let values = Naive::new(&fewer, |_| {
            count += 1;
            T::larger(count)
        });
        put.put_along_axis(axis, &at, &values.tensor(order)).unwrap();
        let mut expected = x.clone();
        let mut all = indices(&fewer);
        if !order.is_row_major() {
            all.sort_by_key(|index| index.iter().rev().copied().collect::<Vec<_>>());
        }
        for index in all {
            let to = to(&index);
            expected = Naive::new(shape, |at| if at == to { values.at(&index) } else { expected.at(at) });
        }
        check(&put, &expected, order, (T::DTYPE, axis, &case.steps));
    }
}

fn masks_of<T: Value>(order: MemoryOrder, shape: &[usize]) {
    for case in cases(shape, order, T::small) {
        let (view, x) = (case.view(), &case.naive);
        let mut count = 0;
        let mask = Naive::new(shape, |_| {
            count += 1;
            count % 3 != 1
        });
        let listed = |all: Vec<T>, mask: Vec<bool>| -> Vec<T> {
            all.into_iter().zip(mask).filter(|(_, chosen)| *chosen).map(|(x, _)| x).collect()
        };
        let chosen = listed(x.listed(order), mask.listed(order));
        let expected = Naive { shape: vec![chosen.len()], elements: chosen.clone() };
        let flags = mask.tensor(order);
        let found = view.masked(&flags).unwrap();
        check(&found, &expected, order, (T::DTYPE, &case.steps));
        let rows = flags.nonzero().unwrap();
        assert_eq!((rows.dtype(), rows.shape()), (DType::I64, &[chosen.len(), shape.len()][..]));
        check(&view.at(&rows).unwrap(), &expected, order, (T::DTYPE, &case.steps));
        let nonzero = x.elements.iter().filter(|&&x| x != T::default()).count();
        assert_eq!(view.nonzero().unwrap().shape(), [nonzero, shape.len()]);
        for axis in 0..shape.len() {
            let kept: Vec<usize> = (0..shape[axis]).filter(|k| k % 2 == 1).collect();
            let mut fewer = shape.to_vec();
            fewer[axis] = kept.len();
            let expected = Naive::new(&fewer, |index| {
                let mut index = index.to_vec();
                index[axis] = kept[index[axis]];
                x.at(&index)
            });
            let flags = Naive::new(&[shape[axis]], |index| index[0] % 2 == 1).tensor(order);
            check(&view.compress(axis, &flags).unwrap(), &expected, order, (T::DTYPE, axis, &case.steps));
        }
        // Replaces the elements under the mask by one value, and then by the elements that `masked` returned, which restores the tensor.
        let mut changed = view.to_owned().unwrap();
        let value: vierbein::DynScalar = T::larger(2).into();
        changed.masked_fill(&flags, value).unwrap();
        let filled = Naive::new(shape, |index| if mask.at(index) { T::larger(2) } else { x.at(index) });
        check(&changed, &filled, order, (T::DTYPE, &case.steps));
        changed.masked_assign(&flags, &found).unwrap();
        check(&changed, x, order, (T::DTYPE, &case.steps));
    }
}

fn all_of<T: Value>() {
    for order in ORDERS {
        for shape in SHAPES {
            (0..shape.len()).for_each(|axis| positions_of::<T>(order, shape, axis));
            masks_of::<T>(order, shape);
        }
        masks_of::<T>(order, &[]);
    }
}

#[test]
fn positions_and_masks() {
    for_each_type!(all_of());
}

#[test]
fn sums_at_positions() {
    for order in ORDERS {
        let mut x = DynTensor::from_vec(&[2, 3], vec![0.0; 6], order).unwrap();
        let values = Naive::new(&[2, 4], |index| (10 * index[0] + index[1]) as f64);
        x.scatter_add(-1, &tensor![2_i64, 0, -1, 2], &values.tensor(order)).unwrap();
        let expected = Naive { shape: vec![2, 3], elements: vec![1.0, 0.0, 5.0, 11.0, 0.0, 35.0] };
        check(&x, &expected, order, ());
        x.index_axis_mut(0, 1).unwrap().scatter_add(0, 1_i64, 4.0).unwrap();
        assert_eq!(x.get(&[1, 1]).unwrap(), 4.0.into());
    }
}

#[test]
fn operands_that_do_not_fit_are_errors() {
    fn rejected<V>(tried: Result<V, Error>, text: &str) {
        assert_eq!(tried.err().expect("an error was expected").to_string(), text);
    }
    let mut x = DynTensor::from(tensor![[1.0, 2.0], [3.0, 4.0]]);
    let reason =
        "is not `i64`: positions are tensors of `i64`; convert them first with `.to_dtype(DType::I64)`";
    rejected(x.take(0, &tensor![0, 1]), &format!("take: `i32` {reason}"));
    rejected(x.take_along_axis(0, 1.0), &format!("take along an axis: `f64` {reason}"));
    rejected(x.scatter_add(0, 1, 1.0), &format!("scatter-add: `i32` {reason}"));
    rejected(
        x.masked(&tensor![1, 0]),
        "choose under a mask: `i32` is not `bool`: expected a mask; compare first, e.g. with `.gt(0.0)`",
    );
    rejected(
        x.masked(&tensor![true, false]),
        "cannot choose under a mask: the mask has shape [2] and the tensor has shape [2, 2]; the shapes must be equal; broadcast the \
         mask with `.broadcast_to(..)`",
    );
    rejected(
        x.compress(1, &tensor![true]),
        "cannot compress: the mask has shape [1], but axis 1 of shape [2, 2] has extent 2",
    );
    rejected(
        x.take_along_axis(1, &tensor![[0_i64, 1]]),
        "cannot take along an axis: the positions have shape [1, 2] and the tensor has shape [2, 2]; only the extents of axis 1 may \
         differ; broadcast the positions with `.broadcast_to(..)`",
    );
    rejected(
        x.at(&tensor![[0_i64], [1]]),
        "cannot take elements: the indices have shape [2, 1] and the tensor has shape [2, 2]; there must be one column for each axis",
    );
    rejected(
        x.at(&tensor![0_i64]),
        "take elements: expected a matrix with one index per row, found a tensor of `Rank<1>`",
    );
    let all = x.gt(0.0).unwrap();
    rejected(
        x.masked_assign(&all, 1.0),
        "assign under a mask: expected a vector of values, found a tensor of `Rank<0>`",
    );
    assert!(matches!(x.masked_fill(&all, 1), Err(Error::ScalarType { .. })));
    assert!(matches!(x.put_along_axis(0, &tensor![[0_i64, 1]], 1), Err(Error::ScalarType { .. })));
    assert!(matches!(
        x.scatter_add(0, &tensor![0_i64], &tensor![1.0f32, 2.0]),
        Err(Error::DTypeMismatch { .. })
    ));
    assert!(matches!(all.clone().scatter_add(0, 0_i64, true), Err(Error::UnsupportedDType { .. })));
    let other = x.to_order(MemoryOrder::ColMajor).unwrap();
    assert!(matches!(x.masked(&other.gt(0.0).unwrap()), Err(Error::OrderMismatch { .. })));
    let sixteen = DynTensor::from_vec(&[1; 16], vec![1.0], MemoryOrder::RowMajor).unwrap();
    assert!(matches!(sixteen.take(0, &tensor![[0_i64]]), Err(Error::UnsupportedRank { .. })));
    assert!(matches!(
        sixteen.clone().scatter_add(0, &tensor![[0_i64]], 1.0),
        Err(Error::UnsupportedRank { .. })
    ));
    assert_eq!(x.downcast_ref().unwrap(), tensor![[1.0, 2.0], [3.0, 4.0]]);
}

#[test]
fn flat_indices_and_swaps() {
    #[track_caller]
    fn assert_error<V>(tried: Result<V, Error>, text: &str) {
        assert_eq!(tried.err().expect("an error was expected").to_string(), text);
    }
    let x = DynTensor::from(tensor![[1, 9, 2], [3, 4, 5]]);
    assert_eq!((x.unravel_index(1).unwrap(), x.ravel_index(&[0, 1]).unwrap()), (vec![0, 1], 1));
    assert_eq!(x.unravel_index(-1).unwrap(), [1, 2]);
    // In column-major order, the first index varies fastest.
    let y = x.to_order(MemoryOrder::ColMajor).unwrap();
    let flat = i64::try_from(y.argmax().unwrap().item().unwrap()).unwrap();
    assert_eq!((flat, y.unravel_index(flat).unwrap(), y.ravel_index(&[0, 1]).unwrap()), (2, vec![0, 1], 2));
    assert_error(
        x.unravel_index(6),
        "cannot unravel: index 6 is out of bounds for axis 0 of shape [6], whose extent is 6",
    );
    assert_error(
        x.ravel_index(&[0]),
        "cannot ravel: an index of a tensor of `Rank<2>` has one number for each axis, and this one has 1",
    );
    let mut y = DynTensor::from(tensor![[1, 2, 3]]);
    assert_error(
        y.swap_with(x.clone().view_mut()),
        "cannot swap: the shapes [1, 3] and [2, 3] differ; pass tensors or views of the same shape",
    );
    assert!(matches!(
        y.swap_with(DynTensor::from(tensor![[1.0, 2.0, 3.0]]).view_mut()),
        Err(Error::DTypeMismatch { .. })
    ));
    assert_eq!(y.downcast_ref().unwrap(), tensor![[1, 2, 3]]);
}
