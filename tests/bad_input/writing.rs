//! Rows of the bad-input table (see `bad_input/mod.rs`): operations that write to existing tensors (preallocated outputs, in-place
//! operations, and copies).

use super::array::{Array, Outcome, Rejection, allocated, assign, reject, zip};
use super::driver::{Call, Hazard, Hazard::*, Row};
use super::hazards::{one, two};
use super::operand::{HUGE, LONG, Operand, ToArray};
use super::{done, elementwise::ONE};
use vierbein::prelude::*;
use vierbein::{Error, op};

/// Returns the operand's elements after `$body` has changed them in place.
macro_rules! changed {
    ($o:expr, $rank:literal, $out:ident, $body:expr) => {
        $o.changed::<$rank>(&|mut $out| {
            let $out = &mut $out;
            $body?;
            Ok($out.array())
        })
    };
}

/// Variant of `changed` for a `$body` that panics instead of returning an error.
macro_rules! changed_or_panic {
    ($o:expr, $rank:literal, $out:ident, $body:expr) => {
        $o.changed::<$rank>(&|mut $out| {
            let $out = &mut $out;
            $body;
            Ok($out.array())
        })
        .unwrap_or_else(|error| panic!("{error}"))
    };
}

/// Runs the fallible and the panicking variant of an operation, if all operands have the same rank. The last operand is the output.
macro_rules! written {
    ($o:ident, $operands:tt => $out:ident, $tried:expr, $panics:expr) => {
        match $o[0].rank() {
            _ if $o.iter().any(|x| x.rank() != $o[0].rank()) => None,
            0 => written!(@at 0, $o, $operands => $out, $tried, $panics),
            1 => written!(@at 1, $o, $operands => $out, $tried, $panics),
            2 => written!(@at 2, $o, $operands => $out, $tried, $panics),
            16 => written!(@at 16, $o, $operands => $out, $tried, $panics),
            _ => None,
        }
    };
    (@at $rank:literal, $o:ident, [$($x:ident: $view:ident),*] => $out:ident, $tried:expr, $panics:expr) => {{
        let [$($x,)* target] = $o else { unreachable!("as many operands as names") };
        $(let $x = &$x.$view::<$rank>();)*
        Some(done!(
            try changed!(target, $rank, $out, $tried),
            panics changed_or_panic!(target, $rank, $out, $panics)
        ))
    }};
}

// ------------------------------------------------------------------ preallocated outputs

/// Writes the result to a preallocated output, whose shape must equal the result's.
pub(crate) fn into(result: Outcome, out: &Array) -> Outcome {
    allocated(&out.shape, 8)?;
    match preallocated(result) {
        Ok(result) if result.shape != out.shape => reject("OutputShape"),
        other => other,
    }
}

/// Returns the outcome of an operation that does not allocate its result: if the result does not fit in memory, it has another shape than
/// the output, which does fit.
pub(crate) fn preallocated(result: Outcome) -> Outcome {
    result.map_err(|rejection| match rejection {
        Rejection::Error("OutOfMemory" | "Overflow") => Rejection::Error("OutputShape"),
        other => other,
    })
}

/// Returns the shape of the result, or zeros if there is none.
pub(crate) fn shape_of<const N: usize>(result: Result<Tensor<impl Element, Rank<N>>, Error>) -> [usize; N]
where
    Rank<N>: Dim<Shape = [usize; N]>,
{
    result.map_or([0; N], |y| y.shape())
}

/// Runs an operation that writes to a preallocated output `$out` of shape `$shape`, whose elements are `$fill`.
macro_rules! done_into {
    ($shape:expr, $fill:expr, $out:ident, $tried:expr, $panics:expr) => {{
        let out = || Tensor::full($shape, $fill);
        done!(
            try { let mut $out = out(); ($tried).map(|()| $out) },
            panics { let mut $out = out(); $panics; $out }
        )
    }};
}
pub(crate) use done_into;

/// Returns pairs of an operand and a preallocated output.
pub(crate) fn one_into(hazard: Hazard) -> Vec<Vec<Operand>> {
    match hazard {
        WrongShape => [([2, 3], [2, 4]), ([2, 3], [1, 3]), ([1, 3], [2, 3]), ([2, 3], [0, 3])]
            .map(|(x, out)| vec![Operand::contiguous(&x), Operand::contiguous(&out)])
            .to_vec(),
        _ => one(hazard)
            .into_iter()
            .map(|mut operands| {
                let out = operands[0].clone().shifted();
                operands.push(out);
                operands
            })
            // Adds a pair of a huge input and a small output. The input is a view with stride 0. A huge output cannot be allocated.
            .chain(
                (hazard == HugeExtents)
                    .then(|| vec![Operand::repeated(&[HUGE], 0), Operand::contiguous(&[3])]),
            )
            .collect(),
    }
}

/// Returns triples of operands that broadcast. For `WrongShape`, they do not.
pub(crate) fn three(hazard: Hazard) -> Vec<Vec<Operand>> {
    if hazard == WrongShape {
        let contiguous = |shape: &[usize]| Operand::contiguous(shape);
        let of = |a: &[usize], b: &[usize], c: &[usize]| vec![contiguous(a), contiguous(b), contiguous(c)];
        return vec![of(&[2, 3], &[2, 3], &[2, 4]), of(&[2, 3], &[3, 2], &[2, 3]), of(&[2], &[3], &[2])];
    }
    // The third operand has the layout of the first.
    let third = |mut pair: Vec<Operand>| {
        pair.push(pair[0].clone().shifted().shifted());
        pair
    };
    two(hazard).into_iter().map(third).collect()
}

const INTO: Call = Call { operands: one_into, ..Call::NOTHING };

/// Returns triples: two operands that broadcast, followed by the output.
fn two_into(hazard: Hazard) -> Vec<Vec<Operand>> {
    with_output(two(hazard), hazard)
}

fn three_into(hazard: Hazard) -> Vec<Vec<Operand>> {
    with_output(three(hazard), hazard)
}

fn with_output(all: Vec<Vec<Operand>>, hazard: Hazard) -> Vec<Vec<Operand>> {
    let same_rank = |x: &Vec<Operand>| x.iter().all(|y| y.rank() == x[0].rank());
    let mut all: Vec<_> = all.into_iter().filter(same_rank).collect();
    for operands in &mut all {
        let larger = |axis: usize| operands.iter().map(|x| x.shape[axis]).max().unwrap_or(0);
        let result: Vec<usize> = (0..operands[0].rank())
            .map(|axis| if operands.iter().any(|x| x.shape[axis] == 0) { 0 } else { larger(axis) })
            .collect();
        let huge = result.iter().any(|&n| n > LONG);
        let out = match hazard {
            // An output with a huge extent can be created only if it has zero elements.
            HugeExtents if huge && result.contains(&0) => Operand::repeated(&result, 0),
            HugeExtents if huge => Operand::contiguous(&vec![2; result.len()]),
            NegativeStrides => Operand::reversed(&result),
            _ => Operand::contiguous(&result),
        };
        operands.push(out);
    }
    if hazard == WrongShape {
        for out in [[2, 3], [3, 3], [3, 1]] {
            let mut operands = vec![Operand::contiguous(&[3, 2]); all[0].len() - 1];
            operands.push(Operand::contiguous(&out));
            all.push(operands);
        }
    }
    all
}

fn outputs() -> Vec<Row> {
    let calls = [
        Call {
            names: &["apply_into", "try_apply_into"],
            verb: "take abs of",
            run: |o, _| written!(o, [x: view] => out, x.try_apply_into(op::Abs, out), x.apply_into(op::Abs, out)),
            expected: |a, _| into(zip(&[&a[0]], 8, |v| v[0].abs()), &a[1]),
            ..INTO
        },
        Call {
            names: &["map_into", "try_map_into"],
            verb: "map",
            run: |o, _| written!(o, [x: view] => out, x.try_map_into(|x| 2.0 * x, out), x.map_into(|x| 2.0 * x, out)),
            expected: |a, _| into(zip(&[&a[0]], 8, |v| 2.0 * v[0]), &a[1]),
            ..INTO
        },
        Call {
            names: &["cast_into", "try_cast_into"],
            verb: "cast",
            run: |o, _| written!(o, [x: mask] => out, x.try_cast_into(out), x.cast_into(out)),
            expected: |a, _| into(zip(&[&a[0]], 8, |v| f64::from(v[0] > 0.0)), &a[1]),
            ..INTO
        },
        Call {
            names: &["copy_from"],
            verb: "copy",
            run: |o, _| written!(o, [x: view] => out, out.copy_from(x), out.copy_from(x).unwrap_or_else(|e| panic!("{e}"))),
            expected: |a, _| into(Ok(a[0].clone()), &a[1]),
            ..INTO
        },
        Call {
            names: &["apply2_into", "try_apply2_into"],
            verb: "add",
            operands: two_into,
            run: |o, _| written!(o, [x: view, y: view] => out, x.try_apply2_into(op::Add, y, out), x.apply2_into(op::Add, y, out)),
            expected: |a, _| into(zip(&[&a[0], &a[1]], 8, |v| v[0] + v[1]), &a[2]),
            ..INTO
        },
        Call {
            names: &["zip_map_into", "try_zip_map_into"],
            verb: "zip",
            operands: two_into,
            run: |o, _| {
                written!(o, [x: view, y: view] => out,
                    x.try_zip_map_into(y, |a, b| a * b, out), x.zip_map_into(y, |a, b| a * b, out))
            },
            expected: |a, _| into(zip(&[&a[0], &a[1]], 8, |v| v[0] * v[1]), &a[2]),
            ..INTO
        },
        Call {
            names: &["apply3_into", "try_apply3_into"],
            verb: "select",
            operands: three_into,
            run: |o, _| {
                written!(o, [m: mask, x: view, y: view] => out,
                    m.try_apply3_into(op::Select, x, y, out), m.apply3_into(op::Select, x, y, out))
            },
            expected: |a, _| {
                into(zip(&[&a[0], &a[1], &a[2]], 8, |v| if v[0] > 0.0 { v[1] } else { v[2] }), &a[3])
            },
            ..INTO
        },
        Call {
            names: &["zip_map3_into", "try_zip_map3_into"],
            verb: "zip",
            operands: three_into,
            run: |o, _| {
                written!(o, [w: view, x: view, y: view] => out,
                    w.try_zip_map3_into(x, y, |a, b, c| a * b + c, out), w.zip_map3_into(x, y, |a, b, c| a * b + c, out))
            },
            expected: |a, _| into(zip(&[&a[0], &a[1], &a[2]], 8, |v| v[0] * v[1] + v[2]), &a[3]),
            ..INTO
        },
    ];
    calls.into_iter().map(Row::from).collect()
}

// ------------------------------------------------------------------ in-place operations

/// Returns pairs of an operand to read and the target that the operation changes.
fn two_in_place(hazard: Hazard) -> Vec<Vec<Operand>> {
    let mut all: Vec<_> = two(hazard)
        .into_iter()
        .map(|mut pair| {
            pair.reverse();
            pair
        })
        .collect();
    if hazard == HugeExtents {
        all.push(vec![Operand::repeated(&[HUGE], 0), Operand::contiguous(&[3])]);
    }
    all
}

/// Creates the rows of assignments, whose right operand broadcasts to the target.
macro_rules! assignments {
    ($([$($name:literal)*] $verb:literal, |$out:ident, $y:ident| $tried:expr, $panics:expr, |$a:ident, $b:ident| $reference:expr;)*) => {
        vec![$(Call {
            names: &[$($name),*],
            verb: $verb,
            operands: two_in_place,
            run: |o, _| match (o[0].rank(), o[1].rank()) {
                (0, 0) => assignments!(@at o, 0 0, $out, $y, $tried, $panics),
                (1, 1) => assignments!(@at o, 1 1, $out, $y, $tried, $panics),
                (2, 2) => assignments!(@at o, 2 2, $out, $y, $tried, $panics),
                (1, 2) => assignments!(@at o, 1 2, $out, $y, $tried, $panics),
                (16, 16) => assignments!(@at o, 16 16, $out, $y, $tried, $panics),
                (1, 16) => assignments!(@at o, 1 16, $out, $y, $tried, $panics),
                _ => None,
            },
            expected: |a, _| assign(&a[1], &a[0], |$a, $b| $reference),
            ..Call::NOTHING
        }
        .into()),*]
    };
    (@at $o:ident, $of_y:literal $of_x:literal, $out:ident, $y:ident, $tried:expr, $panics:expr) => {{
        let $y = &$o[0].view::<$of_y>();
        Some(done!(try changed!($o[1], $of_x, $out, $tried), panics changed_or_panic!($o[1], $of_x, $out, $panics)))
    }};
}

fn in_place() -> Vec<Row> {
    assignments! {
        ["add_assign" "try_add_assign"] "add", |out, y| out.try_add_assign(y), *out += y, |a, b| a + b;
        ["sub_assign" "try_sub_assign"] "subtract", |out, y| out.try_sub_assign(y), *out -= y, |a, b| a - b;
        ["mul_assign" "try_mul_assign"] "multiply", |out, y| out.try_mul_assign(y), *out *= y, |a, b| a * b;
        ["div_assign" "try_div_assign"] "divide", |out, y| out.try_div_assign(y), *out /= y, |a, b| a / b;
        ["rem_assign" "try_rem_assign"] "remainder", |out, y| out.try_rem_assign(y), *out %= y, |a, b| a % b;
        ["add_scaled" "try_add_scaled"] "add", |out, y| out.try_add_scaled(2.0, y), out.add_scaled(2.0, y), |a, b| a + 2.0 * b;
        ["apply2_inplace" "try_apply2_inplace"] "subtract",
            |out, y| out.try_apply2_inplace(op::Sub, y), out.apply2_inplace(op::Sub, y), |a, b| a - b;
        ["assign" "try_assign"] "assign", |out, y| out.try_assign(y), out.assign(y), |_a, b| b;
    }
}

/// Returns the rows of in-place operations without another operand.
fn alone() -> Vec<Row> {
    let calls = [
        Call {
            names: &["apply_inplace", "try_apply_inplace"],
            run: |o, _| written!(o, [] => out, out.try_apply_inplace(op::Neg), out.apply_inplace(op::Neg)),
            expected: |a, _| zip(&[&a[0]], 8, |v| -v[0]),
            ..ONE
        },
        Call {
            names: &["mapv_inplace"],
            run: |o, _| written!(o, [] => out, Ok::<(), vierbein::Error>(out.mapv_inplace(|x| 3.0 * x)), out.mapv_inplace(|x| 3.0 * x)),
            expected: |a, _| zip(&[&a[0]], 8, |v| 3.0 * v[0]),
            ..ONE
        },
        Call {
            names: &["fill", "try_fill"],
            run: |o, _| written!(o, [] => out, out.try_fill(7.0), out.fill(7.0)),
            expected: |a, _| zip(&[&a[0]], 8, |_| 7.0),
            ..ONE
        },
    ];
    calls.into_iter().map(Row::from).collect()
}

pub(crate) fn rows() -> Vec<Row> {
    [outputs(), in_place(), alone()].into_iter().flatten().collect()
}
