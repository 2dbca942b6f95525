//! Tests of products of matrices, vectors and batches of matrices in both memory orders, on views of every kind.

use super::check::{assert_fits, cases, for_rank, for_types, put_all, rank};
use super::number::Number;
use super::reference::{count, matmul};
use super::views::{Recipe, TestDim, recipe, with_view};
use proptest::prelude::*;
use vierbein::{ColMajor, Complex, Dim, Error, MatmulRanks, Order, Rank, RowMajor};

/// The extents of the operands of a product:
///
/// * the numbers of rows, of terms of each sum, and of columns;
/// * the extents of two batch axes;
/// * a random number, for which some values make the extents of the operands differ (see `side`);
/// * for each batch axis of the left and of the right operand, whether its extent is 1.
type Lengths = ([usize; 3], [usize; 2], u8, [bool; 4]);

fn lengths() -> impl Strategy<Value = Lengths> {
    let extent = || prop_oneof![1 => Just(0usize), 2 => Just(1), 8 => 2usize..=5];
    ([extent(), extent(), extent()], [extent(), extent()], any::<u8>(), any::<[bool; 4]>())
}

/// Returns the shape of the left or right operand with the given rank.
fn side(lengths: &Lengths, right: bool, rank: usize, row_major: bool) -> Vec<usize> {
    let ([m, k, n], batch, spoil, ones) = *lengths;
    // If `spoil` is 0, the extents of the summed axes differ. If it is 1, those of the batch axes differ.
    let summed = if right && spoil == 0 { k + 1 } else { k };
    let matrix = if right { [summed, n] } else { [m, summed] };
    if rank == 1 {
        return vec![summed];
    }
    let own = rank - 2;
    let first = if row_major { batch.len() - own } else { 0 };
    let extent = |axis: usize| match ones[axis + if right { 2 } else { 0 }] {
        true => 1,
        false => batch[axis] + usize::from(right && spoil == 1),
    };
    let batch: Vec<usize> = (first..first + own).map(extent).collect();
    if row_major { [&batch[..], &matrix].concat() } else { [&matrix[..], &batch].concat() }
}

fn multiplies<T: Number, D, E, R: Dim, O: Order>(recipes: &[Recipe; 2], lengths: &Lengths)
where
    D: TestDim + MatmulRanks<E, Product = R>,
    E: TestDim,
{
    let left = side(lengths, false, rank::<D>(3), O::ROW_MAJOR);
    let right = side(lengths, true, rank::<E>(2), O::ROW_MAJOR);
    if count(&left).max(count(&right)) > 500 {
        return;
    }
    with_view::<T, D, O>(&recipes[0], &left, &mut |a, in_a| {
        with_view::<T, E, O>(&recipes[1], &right, &mut |b, in_b| match matmul(in_a, in_b, O::ROW_MAJOR) {
            Some(expected) => assert_fits(a.try_matmul(&b), &put_all(&expected)),
            None => assert!(matches!(a.try_matmul(&b), Err(Error::Matmul { .. }))),
        });
    });
}

/// Calls `multiplies` with two operands of the same rank.
fn multiplies_evenly<T: Number, D, O: Order>(recipes: &[Recipe; 2], lengths: &Lengths)
where
    D: TestDim + MatmulRanks<D>,
{
    multiplies::<T, D, D, D::Product, O>(recipes, lengths);
}

proptest! {
    #![proptest_config(cases(1024))]

    #[test]
    fn matrices_of_all_types(recipes in [recipe(), recipe()], lengths in lengths()) {
        for_types!([i8, i64, u16, u32, f32, Complex<f32>, Complex<f64>], 2, [2], multiplies_evenly(&recipes, &lengths));
    }

    #[test]
    fn vectors_and_batches(
        recipes in [recipe(), recipe()],
        lengths in lengths(),
        ranks in proptest::sample::select(&[[1, 1], [1, 2], [2, 1], [2, 2], [1, 3], [3, 1], [2, 3], [4, 2], [3, 3], [3, 4]]),
    ) {
        macro_rules! pairs {
            ($($D:literal $E:literal,)*) => {
                match ranks {
                    $([$D, $E] => {
                        multiplies::<f64, Rank<$D>, Rank<$E>, _, RowMajor>(&recipes, &lengths);
                        multiplies::<f64, Rank<$D>, Rank<$E>, _, ColMajor>(&recipes, &lengths);
                    })*
                    _ => unreachable!("no such ranks here"),
                }
            };
        }
        pairs! { 1 1, 1 2, 2 1, 2 2, 1 3, 3 1, 2 3, 4 2, 3 3, 3 4, }
        if ranks == [3, 3] {
            for_rank!(3, [3], multiplies_evenly::<i32>(&recipes, &lengths));
            for_rank!(3, [3], multiplies_evenly::<Complex<f64>>(&recipes, &lengths));
        }
    }
}
