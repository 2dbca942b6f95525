//! Compares operations that choose, write or add elements at positions and under masks with NumPy's results in `tests/data/choosing.txt`.

use super::table::{Number, Results, Run, Values, check_dynamic_table, check_table};
use vierbein::prelude::*;
use vierbein::{DynTensor, DynView, MemoryOrder, TakeRanks, c64};

/// Runs a case whose first operand has elements of type `T` and rank `D`.
fn choose<T: Number, D: Dim, O: Order>(run: &Run<'_>) -> Results {
    let mut memory = run.operand::<T, D, O>(0);
    let x = memory.view::<O>();
    let axis = || run.argument::<isize>(0);
    let one = |values: Values| Ok(vec![values]);
    match run.case.op {
        "take_along_axis" => {
            one(Values::of(&x.try_take_along_axis(axis(), run.operand::<i64, D, O>(1).view())?))
        }
        "compress" => one(Values::of(&x.try_compress(axis(), run.operand::<bool, Rank<1>, O>(1).view())?)),
        "masked" => one(Values::of(&x.try_masked(run.operand::<bool, D, O>(1).view())?)),
        "nonzero" => one(Values::of(&x.try_nonzero()?)),
        "at" => one(Values::of(&x.try_at(run.operand::<i64, Rank<2>, O>(1).view())?)),
        _ => {
            let before = Values::of(&x);
            let mut x = memory.view_mut::<O>();
            let written = match run.case.op {
                "put_along_axis" => {
                    let (at, values) = (run.operand::<i64, D, O>(1), run.operand::<T, D, O>(2));
                    x.try_put_along_axis(axis(), at.view(), values.view())
                }
                "masked_fill" => {
                    let value = run.operand::<T, Rank<1>, O>(2).view::<O>()[[0]];
                    x.try_masked_fill(run.operand::<bool, D, O>(1).view(), value)
                }
                "masked_assign" => {
                    let (mask, values) = (run.operand::<bool, D, O>(1), run.operand::<T, Rank<1>, O>(2));
                    x.try_masked_assign(mask.view(), values.view())
                }
                other => panic!("{other}"),
            };
            if written.is_err() {
                assert_eq!(Values::of(&x), before, "an operation that fails must not write elements");
            }
            written?;
            let after = Values::of(&x);
            memory.check_unused();
            one(after)
        }
    }
}

/// Runs a case of `take`, as [`choose`]. The positions have rank `E`.
fn take<T: Number, D: TakeRanks<E>, E: Dim, O: Order>(run: &Run<'_>) -> Results {
    let (memory, at) = (run.operand::<T, D, O>(0), run.operand::<i64, E, O>(1));
    Ok(vec![Values::of(&memory.view::<O>().try_take(run.argument::<isize>(0), at.view())?)])
}

/// Runs a case of `scatter_add`, as [`choose`]. The positions have rank `E`.
fn add<T: Number + Scalar, D: TakeRanks<E>, E: Dim, O: Order>(run: &Run<'_>) -> Results {
    let mut memory = run.operand::<T, D, O>(0);
    let (at, values) = (run.operand::<i64, E, O>(1), run.operand::<T, D::Taken, O>(2));
    let before = Values::of(&memory.view::<O>());
    let mut x = memory.view_mut::<O>();
    let added = x.try_scatter_add(run.argument::<isize>(0), at.view(), values.view());
    assert!(added.is_ok() || Values::of(&x) == before);
    added?;
    let after = Values::of(&x);
    memory.check_unused();
    Ok(vec![after])
}

/// Calls `choose` or `take` with the rank of the operands.
fn of_rank<T: Number, O: Order>(run: &Run<'_>) -> Results {
    match (run.case.op, run.rank(0), run.rank(1)) {
        ("take", 1, 0) => take::<T, Rank<1>, Rank<0>, O>(run),
        ("take", 1, 1) => take::<T, Rank<1>, Rank<1>, O>(run),
        ("take", 1, _) => take::<T, Rank<1>, Rank<2>, O>(run),
        ("take", 2, 0) => take::<T, Rank<2>, Rank<0>, O>(run),
        ("take", 2, 1) => take::<T, Rank<2>, Rank<1>, O>(run),
        ("take", 2, _) => take::<T, Rank<2>, Rank<2>, O>(run),
        ("take", _, 0) => take::<T, Rank<3>, Rank<0>, O>(run),
        ("take", _, 1) => take::<T, Rank<3>, Rank<1>, O>(run),
        ("take", ..) => take::<T, Rank<3>, Rank<2>, O>(run),
        (_, 0, _) => choose::<T, Rank<0>, O>(run),
        (_, 1, _) => choose::<T, Rank<1>, O>(run),
        (_, 2, _) => choose::<T, Rank<2>, O>(run),
        _ => choose::<T, Rank<3>, O>(run),
    }
}

/// Calls `add` with the rank of the operands.
fn add_of_rank<T: Number + Scalar, O: Order>(run: &Run<'_>) -> Results {
    match (run.rank(0), run.rank(1)) {
        (1, 0) => add::<T, Rank<1>, Rank<0>, O>(run),
        (1, 1) => add::<T, Rank<1>, Rank<1>, O>(run),
        (1, _) => add::<T, Rank<1>, Rank<2>, O>(run),
        (2, 0) => add::<T, Rank<2>, Rank<0>, O>(run),
        (2, 1) => add::<T, Rank<2>, Rank<1>, O>(run),
        (2, _) => add::<T, Rank<2>, Rank<2>, O>(run),
        (_, 0) => add::<T, Rank<3>, Rank<0>, O>(run),
        (_, 1) => add::<T, Rank<3>, Rank<1>, O>(run),
        _ => add::<T, Rank<3>, Rank<2>, O>(run),
    }
}

fn of_order<O: Order>(run: &Run<'_>) -> Results {
    match (run.case.op, run.case.dtype(0)) {
        ("scatter_add", "f64") => add_of_rank::<f64, O>(run),
        ("scatter_add", "f32") => add_of_rank::<f32, O>(run),
        ("scatter_add", "i64") => add_of_rank::<i64, O>(run),
        ("scatter_add", "i32") => add_of_rank::<i32, O>(run),
        ("scatter_add", _) => add_of_rank::<c64, O>(run),
        (_, "f64") => of_rank::<f64, O>(run),
        (_, "f32") => of_rank::<f32, O>(run),
        (_, "i64") => of_rank::<i64, O>(run),
        (_, "i32") => of_rank::<i32, O>(run),
        (_, "bool") => of_rank::<bool, O>(run),
        _ => of_rank::<c64, O>(run),
    }
}

#[test]
fn chosen_elements_are_those_of_numpy() {
    check_table(
        include_str!("../../data/choosing.txt"),
        1501,
        4,
        |_| 0.0,
        |run, order| match order {
            MemoryOrder::RowMajor => of_order::<RowMajor>(run),
            MemoryOrder::ColMajor => of_order::<ColMajor>(run),
        },
    );
}

/// Runs a case with dynamic tensors.
fn dynamic(run: &Run<'_>, x: DynView<'_>, operands: &[DynTensor]) -> Results {
    let mut base = operands[0].try_clone()?;
    let (second, third) = (|| &operands[1], || &operands[2]);
    let axis = || run.argument::<isize>(0);
    let found = match run.case.op {
        "take" => x.take(axis(), second())?,
        "take_along_axis" => x.take_along_axis(axis(), second())?,
        "compress" => x.compress(axis(), second())?,
        "masked" => x.masked(second())?,
        "nonzero" => x.nonzero()?,
        "at" => x.at(second())?,
        "put_along_axis" => {
            base.put_along_axis(axis(), second(), third())?;
            base
        }
        "scatter_add" => {
            base.scatter_add(axis(), second(), third())?;
            base
        }
        "masked_fill" => {
            base.masked_fill(second(), third().get(&[0])?)?;
            base
        }
        "masked_assign" => {
            base.masked_assign(second(), third())?;
            base
        }
        other => panic!("{other}"),
    };
    Ok(vec![Values::of_dynamic(&found)])
}

#[test]
fn chosen_elements_of_dynamic_tensors_are_those_of_numpy() {
    check_dynamic_table(include_str!("../../data/choosing.txt"), 1501, |_| 0.0, dynamic);
}
