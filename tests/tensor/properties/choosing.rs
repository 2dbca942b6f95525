//! Tests of operations that read or write the elements at given positions or under a mask. The expected results come from loops over
//! indices.

use super::check::{
    assert_is, assert_owned, assert_sequence, cases, elements, fixed, for_rank, for_types, put_all, tensor,
};
use super::number::{Exact, Number, Z};
use super::reference::{Array, indices};
use super::views::{Recipe, TestDim, recipe, shape, with_view, with_view_mut};
use crate::random::Random;
use proptest::prelude::*;
use vierbein::{ColMajor, Complex, Dim, Error, Order, Rank, RowMajor, TakeRanks, Tensor, c64, s};

/// Returns a tensor of pseudorandom positions with the given shape, valid for an axis of extent `n`. About half of them are negative.
fn positions(random: &mut Random, shape: &[usize], n: usize) -> Array<i64> {
    Array::from_fn(shape, |_| (random.bits() % (2 * n as u64)) as i64 - n as i64)
}

/// Returns the index for a position, which counts from the end if it is negative.
fn place(position: i64, n: usize) -> usize {
    if position < 0 { (n as i64 + position) as usize } else { position as usize }
}

fn integers<D: Dim, O: Order>(from: &Array<i64>) -> Tensor<i64, D, O> {
    Tensor::from_vec(fixed::<D>(&from.shape), from.enumerate(O::ROW_MAJOR))
}

fn flags<D: Dim, O: Order>(from: &Array<bool>) -> Tensor<bool, D, O> {
    Tensor::from_vec(fixed::<D>(&from.shape), from.enumerate(O::ROW_MAJOR))
}

fn mask_of(random: &mut Random, shape: &[usize], density: u64) -> Array<bool> {
    Array::from_fn(shape, |_| random.bits() % 4 < density)
}

/// The reference for `take`: in the result, the axes of `at` replace axis `axis`.
fn taken<V: Clone>(x: &Array<V>, axis: usize, at: &Array<i64>) -> Array<V> {
    let (after, rank) = (axis + at.rank(), at.rank());
    let shape = [&x.shape[..axis], &at.shape, &x.shape[axis + 1..]].concat();
    Array::from_fn(&shape, |index| {
        let k = place(*at.at(&index[axis..axis + rank]), x.shape[axis]);
        x.at(&[&index[..axis], &[k], &index[after..]].concat()).clone()
    })
}

/// Returns `shape` with the extent of one axis replaced by `n`.
fn with_extent(shape: &[usize], axis: usize, n: usize) -> Vec<usize> {
    let mut shape = shape.to_vec();
    shape[axis] = n;
    shape
}

fn takes<T: Exact, D, O: Order>(recipe: &Recipe, shape: &[usize], axis: usize, [p, q]: [usize; 2])
where
    D: TestDim + TakeRanks<Rank<1>, Taken = D> + TakeRanks<Rank<2>>,
{
    let n = shape[axis];
    let (p, q) = if n == 0 { (0, 0) } else { (p, q) };
    let random = &mut Random(recipe.seed);
    with_view::<T, D, O>(recipe, shape, &mut |view, shown| {
        let matrix = positions(random, &[p, q], n.max(1));
        let expected = elements::<T>(&taken(shown, axis, &matrix));
        assert_owned(&view.take(axis, integers::<Rank<2>, O>(&matrix)), &expected);
        // The positions are a view with other strides.
        let transposed = integers::<Rank<2>, O>(&matrix.permute(&[1, 0]));
        assert_owned(&view.take(axis, transposed.t()), &expected);
        let line = positions(random, &[p], n.max(1));
        let expected = elements::<T>(&taken(shown, axis, &line));
        assert_owned(&view.take(axis, &line.values), &expected);
        let counted: Vec<usize> = line.values.iter().map(|&k| place(k, n)).collect();
        assert_owned(&view.take(axis, counted), &expected);
        let mut out = Tensor::<T, D, O>::zeros(fixed::<D>(&expected.shape));
        view.take_into(axis, &line.values[..], &mut out);
        assert_is(&out, &expected);
        // Each index of the other axes has its own positions.
        let each = positions(random, &with_extent(shape, axis, p), n.max(1));
        let expected = Array::from_fn(&each.shape, |index| {
            let mut index = index.to_vec();
            index[axis] = place(*each.at(&index), n);
            *shown.at(&index)
        });
        let at = integers::<D, O>(&each);
        assert_owned(&view.take_along_axis(axis, &at), &elements::<T>(&expected));
    });
}

fn masks<T: Exact, D, O: Order>(recipe: &Recipe, shape: &[usize], axis: usize, density: u64)
where
    D: TestDim,
{
    let random = &mut Random(recipe.seed);
    with_view::<T, D, O>(recipe, shape, &mut |view, shown| {
        let mask = mask_of(random, shape, density);
        let all = indices(shape, O::ROW_MAJOR);
        let chosen: Vec<&Vec<usize>> = all.iter().filter(|index| *mask.at(index)).collect();
        let expected: Vec<T> =
            chosen.iter().map(|index| T::put(*shown.at(index)).expect("samples fit")).collect();
        assert_sequence(view.masked(flags::<D, O>(&mask)).as_slice(), &expected);
        let rows = flags::<D, O>(&mask).nonzero();
        assert_eq!(rows.shape(), [chosen.len(), shape.len()]);
        for (k, index) in chosen.iter().enumerate() {
            let row: Vec<usize> = (0..shape.len()).map(|axis| rows[[k, axis]] as usize).collect();
            assert_eq!(row, **index);
        }
        assert_sequence(view.at(&rows).as_slice(), &expected);
        let values = elements::<T>(shown).values;
        let nonzero = values.iter().filter(|&&x| x != T::default()).count();
        assert_eq!(view.nonzero().shape()[0], nonzero);
        if let Some(&n) = shape.get(axis) {
            let mask = mask_of(random, &[n], density);
            let kept: Vec<usize> = (0..n).filter(|&k| mask.values[k]).collect();
            let expected = elements::<T>(&shown.choose(axis, &kept));
            assert_owned(&view.compress(axis, flags::<Rank<1>, O>(&mask)), &expected);
        }
    });
}

fn writes<T: Number, D, O: Order>(recipe: &Recipe, shape: &[usize], axis: usize, p: usize)
where
    D: TestDim + TakeRanks<Rank<1>, Taken = D>,
{
    let n = shape[axis];
    let p = if n == 0 { 0 } else { p };
    let random = &mut Random(recipe.seed);
    let value =
        |random: &mut Random| T::put(Z::real(i128::from(random.bits() % 3))).expect("it fits every type");
    // Overwrites elements. If several values have the same position, the last of them, in memory order, stays.
    let each = positions(random, &with_extent(shape, axis, p), n.max(1));
    let values = Array::from_fn(&each.shape, |_| value(random));
    with_view_mut::<T, D, O>(
        recipe,
        shape,
        &mut |mut view| view.put_along_axis(axis, integers::<D, O>(&each), tensor::<T, D, O>(&values)),
        &mut |shown| {
            let mut expected = shown.clone();
            for index in indices(&each.shape, O::ROW_MAJOR) {
                let mut to = index.clone();
                to[axis] = place(*each.at(&index), n);
                expected.set(&to, *values.at(&index));
            }
            expected
        },
    );
    // Adds values.
    let line = positions(random, &[p], n.max(1));
    let values = Array::from_fn(&with_extent(shape, axis, p), |_| value(random));
    with_view_mut::<T, D, O>(
        recipe,
        shape,
        &mut |mut view| view.scatter_add(axis, &line.values, tensor::<T, D, O>(&values)),
        &mut |shown| {
            let mut sums = shown.map(|x| x.take());
            for index in indices(&values.shape, true) {
                let mut to = index.clone();
                to[axis] = place(line.values[index[axis]], n);
                sums.set(&to, sums.at(&to).plus(&values.at(&index).take()));
            }
            put_all(&sums).expect("small sums fit")
        },
    );
    // Writes under a mask.
    let mask = mask_of(random, shape, 2);
    let values: Vec<T> = mask.values.iter().filter(|&&chosen| chosen).map(|_| value(random)).collect();
    with_view_mut::<T, D, O>(
        recipe,
        shape,
        &mut |mut view| {
            view.masked_assign(flags::<D, O>(&mask), Tensor::from_vec([values.len()], values.clone()))
        },
        &mut |shown| {
            let (mut expected, mut next) = (shown.clone(), values.iter());
            for index in indices(shape, O::ROW_MAJOR).iter().filter(|index| *mask.at(index)) {
                expected.set(index, *next.next().expect("one value for each"));
            }
            expected
        },
    );
    let filled = value(random);
    with_view_mut::<T, D, O>(
        recipe,
        shape,
        &mut |mut view| view.masked_fill(flags::<D, O>(&mask), filled),
        &mut |shown| Array::from_fn(shape, |index| if *mask.at(index) { filled } else { *shown.at(index) }),
    );
}

proptest! {
    #![proptest_config(cases(256))]

    #[test]
    fn all_types(recipe in recipe(), shape in shape(2..=2, 25), axis in 0usize..2, p in 0usize..5, density in 0u64..5) {
        for_types!([bool, i8, i16, i32, i64, u8, u16, u32, u64, f32, f64, Complex<f32>, Complex<f64>],
            2, [2], takes(&recipe, &shape, axis, [p, 2]));
        for_types!([bool, i8, i16, i32, i64, u8, u16, u32, u64, f32, f64, Complex<f32>, Complex<f64>],
            2, [2], masks(&recipe, &shape, axis, density));
        for_types!([i8, i16, i32, i64, u8, u16, u32, u64, f32, f64, Complex<f32>, Complex<f64>],
            2, [2], writes(&recipe, &shape, axis, p));
    }

    #[test]
    fn all_ranks(recipe in recipe(), shape in shape(1..=5, 150), axis in 0usize..5, p in 0usize..7, density in 0u64..5) {
        let axis = axis % shape.len();
        for_rank!(shape.len(), [1 2 3 4 5], takes::<i32>(&recipe, &shape, axis, [p, 3]));
        for_rank!(shape.len(), [1 2 3 4 5], masks::<i32>(&recipe, &shape, axis, density));
        for_rank!(shape.len(), [1 2 3 4 5], writes::<i32>(&recipe, &shape, axis, p));
    }
}

#[test]
fn rank_zero_and_rank_limits() {
    let scalar = Tensor::<f64, Rank<0>>::scalar(3.0);
    let yes = Tensor::<bool, Rank<0>>::scalar(true);
    assert_eq!(scalar.masked(&yes).to_vec(), [3.0]);
    assert_eq!(
        (scalar.nonzero().shape(), Tensor::<u8, Rank<0>>::scalar(0).nonzero().shape()),
        ([1, 0], [0, 0])
    );
    assert_eq!(scalar.at(scalar.nonzero()).to_vec(), [3.0]);
    let x = Tensor::<i32, _>::arange(0..6).reshape([2, 3]);
    assert_eq!(x.take(-1, Tensor::scalar(1)).to_vec(), [1, 4]);
    let wide = Tensor::<i32, Rank<16>>::ones([1; 16]);
    assert_eq!(wide.take(15, [0, -1, 0]).shape()[15], 3);
    let negative_zero = Tensor::<f64, _>::from_vec([3], vec![-0.0, f64::NAN, 0.0]);
    assert_eq!(negative_zero.nonzero().to_vec(), [1]);
}

/// Tests positions at the limits of the range, and one outside of it. The error names this position, and no element is written.
#[test]
fn positions_out_of_range() {
    fn check<O: Order>() {
        let x = Tensor::<i32, _, O>::from_fn([3, 4], |[i, j]| (10 * i + j) as i32);
        for (axis, n) in [(0, 3i64), (1, 4)] {
            assert_eq!(x.take(axis, [-n, n - 1]).shape()[axis], 2);
            for bad in [n, -n - 1, i64::MAX, i64::MIN] {
                let named = |error: Error, op: &str| {
                    let text = format!(
                        "cannot {op}: index {bad} is out of bounds for axis {axis} of shape [3, 4], whose extent is {n}"
                    );
                    assert_eq!(error.to_string(), text);
                };
                named(x.try_take(axis, [0, bad, n + 7]).unwrap_err(), "take");
                let mut out = x.take(axis, [0, 0]);
                let before = out.clone();
                named(x.try_take_into(axis, [1, bad], &mut out).unwrap_err(), "take");
                assert_eq!(out, before);
                let at = Tensor::<i64, _, O>::from_fn([3, 4], |[i, j]| if i * j == 6 { bad } else { 0 });
                named(x.try_take_along_axis(axis, &at).unwrap_err(), "take along an axis");
                let mut to = x.clone();
                named(to.try_put_along_axis(axis, &at, Tensor::scalar(-1)).unwrap_err(), "put along an axis");
                named(to.try_scatter_add(axis, [1, bad], Tensor::scalar(1)).unwrap_err(), "scatter-add");
                assert_eq!(to, x);
            }
        }
        // An axis of extent 0 has no valid position. An invalid position along another axis is an error even if the tensor is empty.
        let empty = Tensor::<i32, _, O>::zeros([0, 2]);
        assert_eq!(empty.take(0, Tensor::<i64, _, O>::zeros([0])).shape(), [0, 2]);
        assert!(matches!(empty.try_take(0, [-1]), Err(Error::IndexOutOfBounds { .. })));
        assert!(matches!(empty.try_take(1, [2]), Err(Error::IndexOutOfBounds { .. })));
        let mut empty = empty;
        assert!(matches!(
            empty.try_scatter_add(1, [2], Tensor::scalar(1)),
            Err(Error::IndexOutOfBounds { .. })
        ));
    }
    check::<RowMajor>();
    check::<ColMajor>();
    let x = Tensor::<i32, _>::zeros([2]);
    assert!(matches!(x.try_take(0, [usize::MAX]), Err(Error::IndexOutOfBounds { .. })));
    assert!(matches!(x.try_take(0, [isize::MIN]), Err(Error::IndexOutOfBounds { .. })));
    assert!(matches!(x.try_at([[2u32]]), Err(Error::IndexOutOfBounds { .. })));
}

/// Values for the same position are added in the memory order of the positions, so the result has the same bits as that of a loop. There
/// are enough positions for several threads and for prefetching.
#[test]
fn scatter_add_sums_in_order() {
    const N: usize = 200_000;
    let mut random = Random(7);
    let at: Vec<i64> = (0..3 * N).map(|_| (random.bits() % N as u64) as i64 - (N / 2) as i64).collect();
    let values: Vec<f64> = (0..3 * N).map(|k| 1.0 / (1.0 + k as f64)).collect();
    let mut expected = vec![0.5; N];
    for (&k, value) in at.iter().zip(&values) {
        expected[place(k, N)] += value;
    }
    let mut sums = Tensor::<f64, _>::full([N], 0.5);
    sums.scatter_add(0, &at, Tensor::from_slice([3 * N], &values));
    assert_eq!(sums.as_slice(), expected);
    // The same sums in each column of a matrix.
    let columns = 5;
    let mut table = Tensor::<f64, _>::full([N, columns], 0.5);
    table.scatter_add(0, &at, Tensor::from_slice([3 * N, 1], &values));
    for column in 0..columns {
        assert_eq!(table.slice(s![.., column]).to_vec(), expected);
    }
    let taken: Vec<f64> = at.iter().map(|&k| expected[place(k, N)]).collect();
    assert_eq!(sums.take(0, &at).to_vec(), taken);
}

/// Results of 16 MB and more are written with non-temporal stores if the operand fits in L2.
#[test]
fn take_of_many_positions() {
    const N: usize = 999;
    let x = Tensor::<c64, _>::from_fn([2, N], |[i, j]| c64::new(i as f64, j as f64));
    let at: Vec<i64> = (0..550_003).map(|k| (k * 7919) % (2 * N as i64) - N as i64).collect();
    let check = |out: &Tensor<c64, Rank<2>>| {
        assert_eq!(out.shape(), [2, at.len()]);
        for (i, row) in out.axis_iter(0).enumerate() {
            let expected = at.iter().map(|&k| c64::new(i as f64, place(k, N) as f64));
            assert!(row.iter().copied().eq(expected));
        }
    };
    check(&x.take(1, &at));
    let mut out = Tensor::zeros([2, at.len()]);
    x.take_into(1, &at, &mut out);
    check(&out);
    let mut wrong = at.clone();
    wrong[at.len() - 1] = N as i64;
    x.try_take(1, &wrong).unwrap_err();
    x.try_take_into(1, &wrong, &mut out).unwrap_err();
    check(&out);
}

/// If there are many positions for each element, `scatter_add` checks the positions while it adds the values. If a position is invalid,
/// `scatter_add` restores the output.
#[test]
fn scatter_add_of_many_positions_restores_the_output_after_an_error() {
    const N: usize = 50;
    for count in [8191, 8192, 20_000] {
        let mut random = Random(count as u64);
        let at: Vec<i64> = (0..count).map(|_| (random.bits() % N as u64) as i64 - 20).collect();
        let values: Vec<f64> = (0..count).map(|k| 1.0 / (1.0 + k as f64)).collect();
        let mut expected = vec![0.5; N];
        for (&k, value) in at.iter().zip(&values) {
            expected[place(k, N)] += value;
        }
        let values = Tensor::from_slice([count], &values);
        let mut sums = Tensor::<f64, _>::full([N], 0.5);
        sums.scatter_add(0, &at, &values);
        assert_eq!(sums.as_slice(), expected);
        for (index, wrong) in [(0, N as i64), (count / 2, i64::MIN), (count - 1, -(N as i64) - 1)] {
            let mut at = at.clone();
            at[index] = wrong;
            let error = sums.try_scatter_add(0, &at, &values).unwrap_err().to_string();
            assert!(
                error.starts_with(&format!("cannot scatter-add: index {wrong} is out of bounds")),
                "{error}"
            );
            assert_eq!(sums.as_slice(), expected);
        }
        let unsigned = vec![usize::MAX; count];
        sums.try_scatter_add(0, &unsigned, &values).unwrap_err();
        assert_eq!(sums.as_slice(), expected);
        let unsigned: Vec<usize> = at.iter().map(|&k| place(k, N)).collect();
        let mut again = Tensor::<f64, _>::full([N], 0.5);
        again.scatter_add(0, &unsigned, &values);
        assert_eq!(again.as_slice(), expected);
    }
}

#[test]
fn sums_of_integers_are_checked() {
    let mut x = Tensor::<u8, _>::full([2], 200);
    let added = x.try_scatter_add(0, [1, 0, 1], Tensor::scalar(50u8));
    if cfg!(debug_assertions) {
        assert!(matches!(added, Err(Error::Arithmetic { .. })));
    } else {
        assert_eq!((added, x.to_vec()), (Ok(()), vec![250, 44]));
    }
}

/// `take` checks positions in blocks. Some lists have fewer positions than a block, others more. The positions have each supported
/// integer type. The smaller tensor fits in L1, the larger tensor does not.
#[test]
fn take_at_lists_of_positions_agrees_with_definition() {
    for extent in [300_usize, 200_000] {
        let x = Tensor::<i64, Rank<1>>::from_fn([extent], |[k]| 3 * k as i64 + 1);
        for count in [15, 16, 31, 1024, 1025, 2600] {
            let mut random = Random(count as u64);
            // Only the second block has negative positions.
            let at: Vec<i64> = (0..count)
                .map(|i| {
                    let k = (random.bits() % extent as u64) as i64;
                    if (1024..1100).contains(&i) { k - extent as i64 } else { k }
                })
                .collect();
            let expected: Vec<i64> = at.iter().map(|&k| 3 * k.rem_euclid(extent as i64) + 1).collect();
            let unsigned: Vec<usize> = at.iter().map(|&k| k.rem_euclid(extent as i64) as usize).collect();
            let signed: Vec<isize> = at.iter().map(|&k| k as isize).collect();
            let narrow: Vec<i32> = at.iter().map(|&k| k as i32).collect();
            let tensor = Tensor::<i64, Rank<1>>::from_slice([count], &at);
            assert_eq!(x.take(0, &tensor).as_slice(), expected);
            assert_eq!(x.take(0, &at).as_slice(), expected);
            assert_eq!(x.take(0, &unsigned[..]).as_slice(), expected);
            assert_eq!(x.take(0, signed).as_slice(), expected);
            assert_eq!(x.take(0, narrow).as_slice(), expected);
            for (wrong, place) in
                [(extent as i64, count - 1), (-(extent as i64) - 1, 0), (i64::MAX, count / 2)]
            {
                let mut at = at.clone();
                at[place] = wrong;
                let error = x.try_take(0, &at).unwrap_err().to_string();
                assert!(
                    error.starts_with(&format!("cannot take: index {wrong} is out of bounds")),
                    "{error}"
                );
            }
            let mut unsigned = unsigned;
            // Positions that exceed `i64` do not count from the end.
            unsigned[count - 1] = usize::MAX;
            let exceeds = |error: Error, op: &str| {
                let text = format!("cannot {op}: index {} is out of bounds", isize::MAX);
                assert!(error.to_string().starts_with(&text), "{error}");
            };
            exceeds(x.try_take(0, &unsigned).unwrap_err(), "take");
            let mut out = Tensor::<i64, Rank<1>>::zeros([count]);
            exceeds(x.try_take_into(0, &unsigned, &mut out).unwrap_err(), "take");
            assert!(out.as_slice().iter().all(|&x| x == 0));
            exceeds(x.try_take_along_axis(0, &unsigned).unwrap_err(), "take along an axis");
            let mut sums = x.clone();
            exceeds(sums.try_scatter_add(0, &unsigned, Tensor::scalar(1)).unwrap_err(), "scatter-add");
            assert_eq!(sums, x);
        }
    }
}
