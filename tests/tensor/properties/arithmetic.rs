//! Tests of arithmetic between tensors and with scalars: with broadcasting, with owned and borrowed operands, and in place.

use super::check::{assert_fits, assert_is, assert_owned, cases, elements, for_rank, rank};
use super::number::{Exact, Number, OPS, Op};
use super::reference::{Array, common_shape};
use super::views::{Recipe, TestDim, recipe, shape, with_view, with_view_mut};
use core::ops::{Mul, Neg, Sub};
use proptest::prelude::*;
use vierbein::{
    Broadcast, BroadcastTo, ColMajor, Complex, Error, Order, Rank, RealScalar, RowMajor, Tensor, TensorView,
};

/// Returns the array of values, or `None` if a value is `None`, because the operation is undefined for it.
fn whole<T: Exact>(from: &Array<Option<T>>) -> Option<Array<T>> {
    let values = from.values.iter().copied().collect::<Option<Vec<T>>>()?;
    Some(Array { shape: from.shape.clone(), values })
}

/// Returns the expected result of an operation on two arrays that broadcast, or `None` if the operation is undefined for an
/// element.
#[inline(never)]
fn computed<T: Number>(op: Op, a: &Array<T>, b: &Array<T>, row_major: bool) -> Option<Array<T>> {
    whole(&a.zip(b, row_major, |&x, &y| T::compute(op, x, y)).expect("they broadcast"))
}

/// Returns two shapes that usually broadcast to a common shape. Some extents are replaced by 1, and axes are omitted: leading axes
/// for row-major order, trailing axes for column-major order.
fn pair(common: &[usize], ranks: [usize; 2], picks: &[u8], row_major: bool) -> [Vec<usize>; 2] {
    [0, 1].map(|side| {
        let first = if row_major { common.len() - ranks[side] } else { 0 };
        let mut own = common[first..first + ranks[side]].to_vec();
        for (k, extent) in own.iter_mut().enumerate() {
            match picks[2 * k + side] % 8 {
                0 | 1 => *extent = 1,
                2 if picks[2 * k + 1 - side] > 250 => *extent += 1,
                _ => {}
            }
        }
        own
    })
}

/// The recipes of two views, the shape that they broadcast to, and random bytes from which [`pair`] computes their shapes.
type Operands = ([Recipe; 2], Vec<usize>, [u8; 12]);

fn operands(ranks: core::ops::RangeInclusive<usize>, limit: usize) -> impl Strategy<Value = Operands> {
    ([recipe(), recipe()], shape(ranks, limit), any::<[u8; 12]>())
}

fn with_views<T: Exact, D: TestDim, E: TestDim, O: Order>(
    (recipes, common, picks): &Operands,
    f: &mut dyn FnMut(TensorView<'_, T, D, O>, TensorView<'_, T, E, O>, &Array<T>, &Array<T>),
) {
    let [left, right] = pair(common, [rank::<D>(2), rank::<E>(2)], picks, O::ROW_MAJOR);
    with_view::<T, D, O>(&recipes[0], &left, &mut |a, in_a| {
        let in_a = elements::<T>(in_a);
        with_view::<T, E, O>(&recipes[1], &right, &mut |b, in_b| f(a, b, &in_a, &elements::<T>(in_b)));
    });
}

/// Checks the fallible variant of each operation on two views.
fn checks<T: Number, D, E, O: Order>(operands: &Operands)
where
    D: TestDim + Broadcast<E>,
    E: TestDim,
{
    with_views::<T, D, E, O>(operands, &mut |a, b, in_a, in_b| {
        if common_shape(&in_a.shape, &in_b.shape, O::ROW_MAJOR).is_none() {
            assert!(matches!(a.try_add(&b), Err(Error::ShapeMismatch { .. })));
            return;
        }
        for op in OPS {
            let result = match op {
                Op::Add => a.try_add(&b),
                Op::Sub => a.try_sub(&b),
                Op::Mul => a.try_mul(&b),
                Op::Div => a.try_div(&b),
                Op::Rem => a.try_rem(&b),
            };
            assert_fits(result, &computed(op, in_a, in_b, O::ROW_MAJOR));
        }
    });
}

/// Calls [`checks`] with two operands of the same rank.
fn checks_equal_ranks<T: Number, D: TestDim, O: Order>(operands: &Operands) {
    checks::<T, D, D, O>(operands);
}

/// Checks subtraction of owned tensors, references and views in every combination. Subtraction is not commutative, so exchanged
/// operands would be noticed.
fn mixes<T: Number, D, E, O: Order>(operands: &Operands)
where
    D: TestDim + Broadcast<E>,
    E: TestDim,
{
    with_views::<T, D, E, O>(operands, &mut |a, b, in_a, in_b| {
        if common_shape(&in_a.shape, &in_b.shape, O::ROW_MAJOR).is_none() {
            return;
        }
        let Some(expected) = computed(Op::Sub, in_a, in_b, O::ROW_MAJOR) else {
            return;
        };
        let owned = || (a.to_owned(), b.to_owned());
        assert_owned(&(&a - &b), &expected);
        assert_owned(&(a - b), &expected);
        assert_owned(&(owned().0 - &b), &expected);
        assert_owned(&(owned().0 - b), &expected);
        assert_owned(&(&a - owned().1), &expected);
        assert_owned(&(a - owned().1), &expected);
        let (x, y) = owned();
        assert_owned(&(&x - &y), &expected);
        assert_owned(&(x - y), &expected);
    });
}

/// Checks operations with a scalar as left or as right operand, and negation.
fn scales<T: Number, D: TestDim, O: Order>(recipe: &Recipe, shape: &[usize])
where
    T: for<'x> Sub<&'x Tensor<T, D, O>, Output = Tensor<T, D, O>>
        + Sub<Tensor<T, D, O>, Output = Tensor<T, D, O>>,
    T: for<'x> Mul<&'x Tensor<T, D, O>, Output = Tensor<T, D, O>> + Neg<Output = T>,
{
    let scalar = T::sample(recipe.seed, 0, 9);
    with_view::<T, D, O>(recipe, shape, &mut |a, in_a| {
        let in_a = elements::<T>(in_a);
        let right = whole(&in_a.map(|&x| T::compute(Op::Sub, x, scalar))).expect("small numbers");
        let left = whole(&in_a.map(|&x| T::compute(Op::Sub, scalar, x))).expect("small numbers");
        let owned = || a.to_owned();
        assert_owned(&(&a - scalar), &right);
        assert_owned(&(a - scalar), &right);
        assert_owned(&(owned() - scalar), &right);
        assert_owned(&(scalar - &owned()), &left);
        assert_owned(&(scalar - owned()), &left);
        assert_owned(&(scalar * &owned()), &in_a.map(|&x| scalar * x));
        assert_fits(a.try_div(scalar), &whole(&in_a.map(|&x| T::compute(Op::Div, x, scalar))));
        assert_owned(&-&a, &in_a.map(|&x| -x));
        assert_owned(&-owned(), &in_a.map(|&x| -x));
        let rank_0 = Tensor::<T, Rank<0>, O>::scalar(scalar);
        assert_owned(&(&a - &rank_0), &right);
        assert_owned(&(&rank_0 - &a), &left);
    });
}

/// Checks compound assignment into mutable views, with a right operand that broadcasts.
fn assigns<T: Number, D, E, O: Order>(operands: &Operands)
where
    D: TestDim,
    E: TestDim + BroadcastTo<D>,
{
    let (recipes, target, picks) = operands;
    let [_, right] = pair(target, [rank::<D>(target.len()), rank::<E>(2)], picks, O::ROW_MAJOR);
    let scalar = T::sample(recipes[0].seed, 1, 3);
    with_view::<T, E, O>(&recipes[1], &right, &mut |b, in_b| {
        let in_b = elements::<T>(in_b);
        let repeated = in_b.broadcast_to(target, O::ROW_MAJOR);
        // In builds without debug assertions, negative differences of unsigned numbers wrap. Subtraction of unsigned numbers is not tested
        // then.
        let differences = T::SIGNED || cfg!(debug_assertions);
        for op in if differences { &[Op::Sub, Op::Mul][..] } else { &[Op::Mul] } {
            with_view_mut::<T, D, O>(
                &recipes[0],
                target,
                &mut |mut a| {
                    let result = if *op == Op::Sub { a.try_sub_assign(&b) } else { a.try_mul_assign(&b) };
                    match (result, repeated.is_some()) {
                        (Ok(()), fits) => assert!(fits),
                        (Err(Error::AssignShape { .. }), fits) => assert!(!fits),
                        (Err(error), _) => assert!(matches!(error, Error::Arithmetic { .. }), "{error}"),
                    }
                },
                &mut |in_a| {
                    // If the shapes do not match or an element overflows, the target stays unchanged.
                    let Some(repeated) = &repeated else { return in_a.clone() };
                    computed(*op, in_a, repeated, O::ROW_MAJOR).unwrap_or_else(|| in_a.clone())
                },
            );
        }
        let Some(repeated) = &repeated else { return };
        let sum = |x: T, y: T| x + scalar * y;
        with_view_mut::<T, D, O>(&recipes[0], target, &mut |mut a| a.add_scaled(scalar, &b), &mut |in_a| {
            in_a.zip(repeated, O::ROW_MAJOR, |&x, &y| sum(x, y)).expect("one shape")
        });
        with_view_mut::<T, D, O>(
            &recipes[0],
            target,
            &mut |mut a| {
                a += &b;
                a *= scalar;
            },
            &mut |in_a| in_a.zip(repeated, O::ROW_MAJOR, |&x, &y| (x + y) * scalar).expect("one shape"),
        );
    });
}

/// Calls [`assigns`] with a target and a right operand of the same rank.
fn assigns_evenly<T: Number, D: TestDim, O: Order>(operands: &Operands) {
    assigns::<T, D, D, O>(operands);
}

macro_rules! rank_pairs {
    ($f:ident::<$T:ty>($operands:expr), $ranks:expr, [$($D:literal $E:literal,)*]) => {
        match $ranks {
            $([$D, $E] => {
                $f::<$T, Rank<$D>, Rank<$E>, RowMajor>($operands);
                $f::<$T, Rank<$D>, Rank<$E>, ColMajor>($operands);
            })*
            _ => unreachable!("no such ranks here"),
        }
    };
}

/// Returns operands whose ranks are a pair from the list. The common shape has the larger rank.
fn ranked(pairs: &'static [[usize; 2]], limit: usize) -> impl Strategy<Value = ([usize; 2], Operands)> {
    proptest::sample::select(pairs).prop_flat_map(move |ranks| {
        let rank = ranks[0].max(ranks[1]);
        (Just(ranks), operands(rank..=rank, limit))
    })
}

proptest! {
    #![proptest_config(cases(512))]

    #[test]
    fn arithmetic_of_all_types(operands in operands(2..=2, 25)) {
        macro_rules! all {
            ($($T:ty)*) => {
                $( for_rank!(2, [2], checks_equal_ranks::<$T>(&operands)); )*
            };
        }
        all!(i8 i16 i32 i64 u8 u16 u32 u64 f32 f64 Complex<f32> Complex<f64>);
    }

    #[test]
    fn all_ranks_broadcast(
        (ranks, operands) in ranked(&[[0, 0], [0, 2], [1, 0], [1, 2], [2, 1], [1, 1], [3, 2], [3, 3], [1, 4], [5, 3], [6, 6]], 200),
    ) {
        rank_pairs!(checks::<f64>(&operands), ranks,
            [0 0, 0 2, 1 0, 1 2, 2 1, 1 1, 3 2, 3 3, 1 4, 5 3, 6 6,]);
    }

    #[test]
    fn owned_and_borrowed_operands((ranks, operands) in ranked(&[[2, 2], [1, 2], [2, 0], [3, 2]], 60)) {
        rank_pairs!(mixes::<i32>(&operands), ranks, [2 2, 1 2, 2 0, 3 2,]);
        rank_pairs!(mixes::<f64>(&operands), ranks, [2 2, 1 2, 2 0, 3 2,]);
    }

    #[test]
    fn scalars_on_either_side(recipe in recipe(), shape in shape(2..=2, 25)) {
        for_rank!(2, [2], scales::<i8>(&recipe, &shape));
        for_rank!(2, [2], scales::<Complex<f64>>(&recipe, &shape));
    }

    #[test]
    fn compound_assignment_into_views((ranks, operands) in ranked(&[[2, 2], [2, 1], [2, 0], [3, 2]], 60)) {
        rank_pairs!(assigns::<i32>(&operands), ranks, [2 2, 2 1, 2 0, 3 2,]);
        rank_pairs!(assigns::<f64>(&operands), ranks, [2 2, 2 1, 2 0, 3 2,]);
        if ranks == [2, 2] {
            for_rank!(2, [2], assigns_evenly::<u8>(&operands));
        }
    }
}

/// Tests operations on random values from the whole range of a type. If Rust's checked operator returns `None`, the result must be
/// an error, and operands must stay unchanged.
macro_rules! extremes {
    ($($test:ident $T:ident;)*) => {
        proptest! {
            #![proptest_config(cases(1024))]
            $(
                #[test]
                fn $test(a in prop::collection::vec(any::<$T>(), 1..5), b in edge::<$T>(), scalar in any::<$T>()) {
                    let x = Tensor::<$T, Rank<1>>::from(a.clone());
                    for op in OPS {
                        let expected = a.iter().map(|&a| <$T>::compute(op, a, b)).collect::<Option<Vec<$T>>>();
                        let expected = expected.map(|values| Array { shape: vec![a.len()], values });
                        let mut y = x.clone();
                        let result = match op {
                            Op::Add => y.try_add_assign(&Tensor::scalar(b)),
                            Op::Sub => y.try_sub_assign(&Tensor::scalar(b)),
                            Op::Mul => y.try_mul_assign(&Tensor::scalar(b)),
                            Op::Div => y.try_div_assign(&Tensor::scalar(b)),
                            Op::Rem => y.try_rem_assign(&Tensor::scalar(b)),
                        };
                        match expected {
                            Some(expected) => assert_is(&y, &expected),
                            None if cfg!(debug_assertions) || matches!(op, Op::Div | Op::Rem) => {
                                assert!(matches!(result, Err(Error::Arithmetic { .. })));
                                assert_is(&y, &Array { shape: vec![a.len()], values: a.clone() });
                            }
                            None => {}
                        }
                    }
                    let all = a.iter().map(|&x| b.checked_mul(x).and_then(|bx| bx.checked_add(scalar)));
                    let expected = all.collect::<Option<Vec<$T>>>();
                    let mut y = Tensor::<$T, Rank<1>>::full([a.len()], scalar);
                    let result = y.try_add_scaled(b, &x);
                    match expected {
                        Some(values) => assert_is(&y, &Array { shape: vec![a.len()], values }),
                        None => assert!(result.is_err() || !cfg!(debug_assertions)),
                    }
                }
            )*
        }
    };
}
extremes! {
    extremes_of_i8 i8;
    extremes_of_u64 u64;
}

/// Returns random values. Many of them are values for which operators overflow or are undefined.
fn edge<T: Arbitrary + RealScalar>() -> impl Strategy<Value = T> {
    // The last value is −1 for signed types.
    let edges = vec![T::zero(), T::one(), T::LOWEST, T::HIGHEST, T::LOWEST + T::HIGHEST];
    prop_oneof![any::<T>(), proptest::sample::select(edges)]
}

proptest! {
    #![proptest_config(cases(1024))]

    /// Checks every operator on arbitrary bit patterns, including infinities, NaN and subnormal numbers.
    #[test]
    fn float_arithmetic_equals_rust(a in any::<[u32; 4]>(), b in any::<[u32; 4]>()) {
        let bits = |all: [u32; 4]| all.map(|x| if x % 7 == 0 { f32::from_bits(x | 0x7f80_0000) } else { f32::from_bits(x) });
        let (a, b) = (bits(a), bits(b));
        let array = |values: [f32; 4]| Array { shape: vec![4], values: values.to_vec() };
        let (x, y) = (Tensor::<f32, Rank<1>>::from(a), Tensor::<f32, Rank<1>>::from(b));
        let expected = |op| computed(op, &array(a), &array(b), true).expect("floats always have a result");
        assert_owned(&(&x + &y), &expected(Op::Add));
        assert_owned(&(&x - &y), &expected(Op::Sub));
        assert_owned(&(&x * &y), &expected(Op::Mul));
        assert_owned(&(&x / &y), &expected(Op::Div));
        assert_owned(&(&x % &y), &expected(Op::Rem));
    }
}
