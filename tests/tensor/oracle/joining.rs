//! Compares operations that join, cut, repeat, pad and pair with NumPy's results in `tests/data/joining.txt`. `scripts/joining.py` writes
//! this file.

use vierbein::dyn_tensor::{self, DynData, SliceItem};
use vierbein::prelude::*;
use vierbein::{ContractRanks, DynTensor, DynView, MemoryOrder, Pad, concatenate, stack};

const TABLE: &str = include_str!("../../data/joining.txt");
/// The value of padded elements in `joining.txt`, for the mode `constant`.
const CONSTANT: i64 = -7;

/// A shape, and elements in row-major order.
#[derive(Debug, Clone, PartialEq)]
struct Expected {
    shape: Vec<usize>,
    elements: Vec<i64>,
}

struct Case<'a> {
    op: &'a str,
    arguments: Vec<&'a str>,
    operands: Vec<Vec<usize>>,
    results: Vec<Expected>,
}

fn numbers<N: std::str::FromStr<Err: std::fmt::Debug>>(text: &str) -> Vec<N> {
    text.split_whitespace().map(|number| number.parse().unwrap()).collect()
}

fn cases() -> impl Iterator<Item = Case<'static>> {
    TABLE.lines().filter(|line| !line.starts_with('#')).map(|line| {
        let [op, arguments, operands, shapes, elements] =
            line.split('|').collect::<Vec<_>>().try_into().expect("five columns");
        let results = shapes
            .split(';')
            .zip(elements.split(';'))
            .map(|(shape, elements)| Expected { shape: numbers(shape), elements: numbers(elements) })
            .collect();
        let operands = operands.split(';').map(numbers).collect();
        Case { op, arguments: arguments.split(';').collect(), operands, results }
    })
}

fn found(x: &DynTensor) -> Expected {
    let row_major = x.to_order(MemoryOrder::RowMajor).unwrap();
    Expected { shape: x.shape().to_vec(), elements: row_major.to_vec::<i64>().unwrap() }
}

fn of_view<S: DynData>(x: &DynTensor<S>) -> Expected {
    found(&x.to_owned().unwrap())
}

/// Returns the operands of a case. Their elements are 0, 1, 2, .., continued from each operand to the next.
fn operands(case: &Case<'_>, order: MemoryOrder) -> Vec<DynTensor> {
    let mut first = 0i64;
    case.operands
        .iter()
        .map(|shape| {
            let len: usize = shape.iter().product();
            let elements: Vec<i64> = (first..first + len as i64).collect();
            first += len as i64;
            let x = DynTensor::from(Tensor::<i64, Rank<1>>::from_vec([len], elements));
            x.reshape(shape).unwrap().to_order(order).unwrap()
        })
        .collect()
}

fn pad<T>(mode: &str, constant: T) -> Pad<T> {
    match mode {
        "constant" => Pad::Constant(constant),
        "edge" => Pad::Edge,
        "reflect" => Pad::Reflect,
        "symmetric" => Pad::Symmetric,
        "wrap" => Pad::Wrap,
        _ => panic!("{mode}"),
    }
}

fn pairs(widths: &[usize]) -> Vec<(usize, usize)> {
    widths.chunks(2).map(|pair| (pair[0], pair[1])).collect()
}

/// Runs a case with dynamic tensors. `x` is the first operand.
fn dynamic(case: &Case<'_>, x: DynView<'_>, all: &[DynTensor]) -> Vec<Expected> {
    let (first, second) = (case.arguments[0], case.arguments.get(1).copied().unwrap_or(""));
    let axis = || first.parse::<isize>().unwrap();
    let one = |x: Result<DynTensor, vierbein::Error>| vec![found(&x.unwrap())];
    match case.op {
        "roll" => one(x.roll(&numbers::<isize>(first), &numbers::<isize>(second))),
        "repeat" => one(x.repeat(axis(), second.parse().unwrap())),
        "repeat_each" => one(x.repeat_each(axis(), &numbers::<usize>(second))),
        "diff" => one(x.diff(axis(), second.parse().unwrap())),
        "tile" => one(x.tile(&numbers::<usize>(first))),
        "tril" => one(x.tril(axis())),
        "triu" => one(x.triu(axis())),
        "pad" => one(x.pad(&pairs(&numbers::<usize>(second)), pad(first, CONSTANT.into()))),
        "concatenate" => one(dyn_tensor::concatenate(axis(), &all.iter().collect::<Vec<_>>())),
        "stack" => one(dyn_tensor::stack(axis(), &all.iter().collect::<Vec<_>>())),
        "flip" => vec![of_view(&x.flip(&numbers::<isize>(first)).unwrap())],
        "rot90" => {
            let axes = numbers::<isize>(second);
            vec![of_view(&x.rot90(axis(), axes[0], axes[1]).unwrap())]
        }
        "windows" => vec![of_view(&x.windows(&numbers::<isize>(first), &numbers::<usize>(second)).unwrap())],
        "chunks" => x.chunks(axis(), second.parse().unwrap()).unwrap().map(|chunk| of_view(&chunk)).collect(),
        "meshgrid" => {
            let axes: Vec<_> = std::iter::once(x).chain(all[1..].iter().map(DynTensor::view)).collect();
            dyn_tensor::meshgrid(&axes).unwrap().iter().map(of_view).collect()
        }
        "split" => x.split(axis(), second.parse().unwrap()).unwrap().iter().map(of_view).collect(),
        "split_at_each" => {
            let positions = numbers::<isize>(second);
            x.split_at_each(axis(), &positions).unwrap().iter().map(of_view).collect()
        }
        other => panic!("{other}"),
    }
}

/// Runs a case with typed tensors of rank `N`. Returns `None` if the first operand has another rank, or the case is not tested here.
fn typed<const N: usize, const M: usize, const P: usize, O: Order>(
    case: &Case<'_>,
    all: &[DynTensor],
) -> Option<Vec<Expected>>
where
    Rank<N>: Dim<Shape = [usize; N]> + Broadcast<Rank<N>, Common = Rank<N>>,
    Rank<N>: InsertAxes<1, Inserted = Rank<M>> + InsertAxes<2, Inserted = Rank<P>>,
    Rank<M>: Dim,
    Rank<P>: Dim,
{
    if case.operands[0].len() != N || matches!(case.op, "meshgrid" | "outer_map") {
        return None;
    }
    let all: Vec<Tensor<i64, Rank<N>, O>> =
        all.iter().map(|x| x.clone().downcast().map_err(|error| error.to_string()).unwrap()).collect();
    let x = &all[0];
    let (first, second) = (case.arguments[0], case.arguments.get(1).copied().unwrap_or(""));
    let axis = || first.parse::<isize>().unwrap();
    fn one<D: Dim, O: Order>(x: Tensor<i64, D, O>) -> Expected {
        found(&DynTensor::from(x))
    }
    fn into<D: Dim, O: Order>(x: &Tensor<i64, D, O>, write: impl FnOnce(&mut Tensor<i64, D, O>)) {
        let mut out = Tensor::full(x.shape(), i64::MIN);
        write(&mut out);
        assert_eq!(&out, x);
    }
    Some(match case.op {
        "roll" => {
            let (axes, by) = (numbers::<isize>(first), numbers::<isize>(second));
            let result = match axes.len() {
                1 => x.roll(axes[0], by[0]),
                2 => x.roll_axes([axes[0], axes[1]], [by[0], by[1]]),
                _ => x.roll_axes([axes[0], axes[1], axes[2]], [by[0], by[1], by[2]]),
            };
            if axes.len() == 1 {
                into(&result, |out| x.roll_into(axes[0], by[0], out));
            }
            vec![one(result)]
        }
        "repeat" => {
            let result = x.repeat(axis(), second.parse::<usize>().unwrap());
            into(&result, |out| x.repeat_into(axis(), second.parse::<usize>().unwrap(), out));
            vec![one(result)]
        }
        "repeat_each" => vec![one(x.repeat(axis(), &numbers::<usize>(second)[..]))],
        "diff" => vec![one(x.diff(axis(), second.parse().unwrap()))],
        "tile" => {
            let counts: [usize; N] = numbers(first).try_into().unwrap();
            let result = x.tile(counts);
            into(&result, |out| x.tile_into(counts, out));
            vec![one(result)]
        }
        "pad" => {
            let widths: [(usize, usize); N] = pairs(&numbers(second)).try_into().unwrap();
            let result = x.pad(widths, pad(first, CONSTANT));
            into(&result, |out| x.pad_into(widths, pad(first, CONSTANT), out));
            vec![one(result)]
        }
        "concatenate" => {
            let result = concatenate(axis(), &all);
            into(&result, |out| vierbein::concatenate_into(axis(), &all, out));
            vec![one(result)]
        }
        "stack" => vec![one(stack(axis(), all.iter().map(Tensor::view)))],
        "flip" => {
            let axes = numbers::<isize>(first);
            vec![one(match axes.len() {
                0 => x.flip([0_usize; 0]).to_owned(),
                1 => x.flip(axes[0]).to_owned(),
                2 => x.flip([axes[0], axes[1]]).to_owned(),
                _ => x.flip([axes[0], axes[1], axes[2]]).to_owned(),
            })]
        }
        "rot90" => {
            let axes = numbers::<isize>(second);
            vec![one(x.rot90(axis(), axes[0], axes[1]).to_owned())]
        }
        "windows" => {
            let (axes, lengths) = (numbers::<isize>(first), numbers::<usize>(second));
            vec![match axes.len() {
                0 => one(x.clone()),
                1 => one(x.windows([axes[0]], [lengths[0]]).to_owned()),
                _ => one(x.windows([axes[0], axes[1]], [lengths[0], lengths[1]]).to_owned()),
            }]
        }
        "chunks" => x.chunks(axis(), second.parse().unwrap()).map(|chunk| one(chunk.to_owned())).collect(),
        "split" => x.split(axis(), second.parse().unwrap()).iter().map(|part| one(part.to_owned())).collect(),
        "split_at_each" => {
            let parts = x.split_at_each(axis(), &numbers::<isize>(second));
            parts.iter().map(|part| one(part.to_owned())).collect()
        }
        _ => return None,
    })
}

/// Runs a case whose operands have different shapes: `meshgrid`, or `outer_map` with a vector.
fn typed_pairs<O: Order>(case: &Case<'_>, all: &[DynTensor]) -> Option<Vec<Expected>> {
    fn of<D: Dim, O: Order>(x: &DynTensor) -> Tensor<i64, D, O> {
        x.clone().downcast().map_err(|error| error.to_string()).unwrap()
    }
    fn grid<const N: usize, O: Order>(axes: &[Tensor<i64, Rank<1>, O>]) -> Vec<Expected>
    where
        Rank<N>: Dim<Shape = [usize; N], Strides = [isize; N]>,
    {
        let axes: [&Tensor<i64, Rank<1>, O>; N] = std::array::from_fn(|k| &axes[k]);
        meshgrid(axes).iter().map(|view| found(&DynTensor::from(view.to_owned()))).collect()
    }
    fn differences<const N: usize, const M: usize, O: Order>(all: &[DynTensor]) -> Vec<Expected>
    where
        Rank<N>: ContractRanks<Rank<1>, 0, Contracted = Rank<M>>,
        Rank<M>: Dim,
    {
        let (x, y) = (of::<Rank<N>, O>(&all[0]), of::<Rank<1>, O>(&all[1]));
        // Views with negative strides.
        let axes = std::array::from_fn::<usize, N, _>(|axis| axis);
        let reversed = x.flip(axes).to_owned();
        vec![found(&reversed.flip(axes).outer_map(&y, |x, y| x - y).into())]
    }
    let axes = || all.iter().map(of).collect::<Vec<Tensor<i64, Rank<1>, O>>>();
    Some(match (case.op, case.operands.len(), case.operands[0].len()) {
        ("meshgrid", 1, _) => grid::<1, O>(&axes()),
        ("meshgrid", 2, _) => grid::<2, O>(&axes()),
        ("meshgrid", ..) => grid::<3, O>(&axes()),
        ("outer_map", _, 0) => differences::<0, 1, O>(all),
        ("outer_map", _, 1) => differences::<1, 2, O>(all),
        ("outer_map", _, 2) => differences::<2, 3, O>(all),
        ("outer_map", ..) => differences::<3, 4, O>(all),
        _ => return None,
    })
}

/// Returns whether the operation applies to matrices. In row-major tensors, these are in the last two axes, as in NumPy; in
/// column-major tensors, in the first two. So column-major tensors of more than two axes have other results than NumPy.
fn is_of_matrices(case: &Case<'_>) -> bool {
    matches!(case.op, "tril" | "triu")
}

#[test]
fn dynamic_results_are_those_of_numpy() {
    let mut count = 0;
    // Dynamic tensors have no method that takes a closure.
    for case in cases().filter(|case| case.op != "outer_map") {
        for order in [MemoryOrder::RowMajor, MemoryOrder::ColMajor] {
            if is_of_matrices(&case) && order == MemoryOrder::ColMajor && case.operands[0].len() > 2 {
                continue;
            }
            let all = operands(&case, order);
            let x = &all[0];
            let message = || format!("{} {:?} of {:?}, {order:?}", case.op, case.arguments, case.operands);
            assert_eq!(dynamic(&case, x.view(), &all), case.results, "{}", message());
            // The same operand as a view with negative strides, and as a view of every third index of axis 0.
            let axes: Vec<_> = (0..x.rank()).collect();
            let reversed = x.flip(&axes).unwrap().to_owned().unwrap();
            assert_eq!(dynamic(&case, reversed.flip(&axes).unwrap(), &all), case.results, "{}", message());
            count += 1;
            if x.rank() == 0 {
                continue;
            }
            let tripled = x.repeat(0, 3).unwrap();
            let mut slice = vec![SliceItem::Span { start: 0, end: None, inclusive: false, step: 3 }];
            slice.extend(axes[1..].iter().map(|_| SliceItem::from(..)));
            assert_eq!(
                dynamic(&case, tripled.slice(&slice[..]).unwrap(), &all),
                case.results,
                "{}",
                message()
            );
        }
    }
    assert_eq!(count, 2922);
}

#[test]
fn typed_results_are_those_of_numpy() {
    let mut count = 0;
    for case in cases() {
        for order in [MemoryOrder::RowMajor, MemoryOrder::ColMajor] {
            let all = operands(&case, order);
            let result = match order {
                MemoryOrder::RowMajor => typed::<0, 1, 2, RowMajor>(&case, &all)
                    .or_else(|| typed::<1, 2, 3, RowMajor>(&case, &all))
                    .or_else(|| typed::<2, 3, 4, RowMajor>(&case, &all))
                    .or_else(|| typed::<3, 4, 5, RowMajor>(&case, &all))
                    .or_else(|| typed_pairs::<RowMajor>(&case, &all)),
                MemoryOrder::ColMajor => typed::<0, 1, 2, ColMajor>(&case, &all)
                    .or_else(|| typed::<1, 2, 3, ColMajor>(&case, &all))
                    .or_else(|| typed::<2, 3, 4, ColMajor>(&case, &all))
                    .or_else(|| typed::<3, 4, 5, ColMajor>(&case, &all))
                    .or_else(|| typed_pairs::<ColMajor>(&case, &all)),
            };
            if let Some(result) = result {
                let of = format!("{} {:?} of {:?}, {order:?}", case.op, case.arguments, case.operands);
                assert_eq!(result, case.results, "{of}");
                count += 1;
            }
        }
    }
    assert_eq!(count, 2862);
}

#[test]
fn triangles_are_those_of_numpy() {
    for case in cases().filter(is_of_matrices) {
        let k = case.arguments[0].parse().unwrap();
        let triangle = |x: &DynTensor| if case.op == "tril" { x.tril(k) } else { x.triu(k) };
        let all = operands(&case, MemoryOrder::RowMajor);
        if case.operands[0].len() == 2 {
            let x: Tensor<i64, Rank<2>> = all[0].clone().downcast().unwrap_or_else(|_| unreachable!());
            let typed = if case.op == "tril" { x.tril(k) } else { x.triu(k) };
            assert_eq!(vec![found(&typed.into())], case.results);
        } else {
            // With reversed axes and column-major order, each matrix is transposed, so its other triangle must be kept.
            let mirrored = all[0].flip_order().to_owned().unwrap();
            let opposite = if case.op == "tril" { mirrored.triu(-k) } else { mirrored.tril(-k) }.unwrap();
            assert_eq!(vec![of_view(&opposite.flip_order())], case.results, "{}", case.op);
            assert_eq!(vec![found(&triangle(&all[0]).unwrap())], case.results);
        }
    }
}
