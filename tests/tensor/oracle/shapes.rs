//! Checks each row of `tests/data/order_shapes.csv`, the shape rules of both memory orders. The expected elements are computed by
//! naive loops.

use vierbein::{
    Broadcast, BroadcastTo, ColMajor, Common, Dim, Error, MatmulRanks, Order, Rank, RowMajor, Tensor,
};

const TABLE: &str = include_str!("../../data/order_shapes.csv");

/// One row of the table. `output` is `None` if the shapes do not match.
struct Row {
    id: String,
    op: String,
    order: String,
    inputs: Vec<Vec<usize>>,
    output: Option<Vec<usize>>,
}

fn shape(text: &str) -> Vec<usize> {
    match text {
        "()" => vec![],
        extents => extents.split(',').map(|extent| extent.parse().expect("an extent")).collect(),
    }
}

/// Splits a line at the commas that are not in quotes.
fn fields(line: &str) -> Vec<String> {
    let mut fields = vec![String::new()];
    let mut quoted = false;
    for c in line.chars() {
        match c {
            '"' => quoted = !quoted,
            ',' if !quoted => fields.push(String::new()),
            c => fields.last_mut().expect("one field at least").push(c),
        }
    }
    fields
}

fn rows(op: &str) -> Vec<Row> {
    let parse = |line: &str| match <[String; 5]>::try_from(fields(line)) {
        Ok([id, op, order, inputs, output]) => Row {
            id,
            op,
            order,
            inputs: inputs.split(';').map(shape).collect(),
            output: (output != "Err").then(|| shape(&output)),
        },
        Err(fields) => panic!("five fields, not {fields:?}"),
    };
    TABLE.lines().skip(1).map(parse).filter(|row| row.op == op).collect()
}

#[test]
fn every_row_belongs_to_a_test() {
    let (broadcast, broadcast_to, matmul) = (rows("broadcast"), rows("broadcast_to"), rows("matmul"));
    assert_eq!((broadcast.len(), broadcast_to.len(), matmul.len()), (19, 7, 15));
    assert_eq!(TABLE.lines().count() - 1, 19 + 7 + 15);
    for row in broadcast.iter().chain(&broadcast_to).chain(&matmul) {
        assert_eq!(row.inputs.len(), 2, "{}", row.id);
    }
}

// ------------------------------------------------------------------ naive evaluation

/// Converts a list of extents or indices to an array whose length is the rank.
fn typed<D: Dim>(extents: &[usize]) -> D::Shape {
    D::shape_from(extents).unwrap()
}

/// Returns all indices of a shape in row-major order.
fn indices(shape: &[usize]) -> Vec<Vec<usize>> {
    shape.iter().fold(vec![vec![]], |heads, &extent| {
        let longer = |head: Vec<usize>| (0..extent).map(move |i| [&head[..], &[i]].concat());
        heads.into_iter().flat_map(longer).collect()
    })
}

/// Returns a number that depends on the operand and on every component of the index.
fn value(seed: i64, index: &[usize]) -> i64 {
    index.iter().fold(seed, |v, &i| 7 * v + i as i64) % 101 - 50
}

fn operand<D: Dim, O: Order>(seed: i64, shape: &[usize]) -> Tensor<i64, D, O> {
    Tensor::from_fn(typed::<D>(shape), |index| value(seed, index.as_ref()))
}

/// Returns the index of an operand's element for an index of the broadcast shape. Additional axes are leading axes in row-major
/// order, and trailing axes in column-major order. For an axis of extent 1, the index is 0.
fn reduced<O: Order>(index: &[usize], shape: &[usize]) -> Vec<usize> {
    let extra = index.len() - shape.len();
    let kept = if O::ROW_MAJOR { &index[extra..] } else { &index[..shape.len()] };
    kept.iter().zip(shape).map(|(&i, &extent)| if extent == 1 { 0 } else { i }).collect()
}

fn check<D: Dim, O: Order>(row: &Row, got: &Tensor<i64, D, O>, expected: impl Fn(&[usize]) -> i64) {
    let shape = row.output.as_deref().unwrap_or_else(|| panic!("{}: an error was expected", row.id));
    assert_eq!(got.shape().as_ref(), shape, "{}", row.id);
    for index in indices(shape) {
        assert_eq!(got.get(typed::<D>(&index)), Some(&expected(&index)), "{} at {index:?}", row.id);
    }
}

/// Asserts that the error names both shapes and the memory order.
fn check_error<O: Order>(row: &Row, error: &Error) {
    assert_eq!(row.output, None, "{}: {error}", row.id);
    let message = error.to_string();
    for part in [format!("{:?}", row.inputs[0]), format!("{:?}", row.inputs[1]), O::NAME.into()] {
        assert!(message.contains(&part), "{}: {message:?} lacks {part:?}", row.id);
    }
}

// ------------------------------------------------------------------ dispatch from dynamic to static rank

/// Evaluates `$body` with `$D` as the static rank that equals `$n`, for the listed ranks.
macro_rules! with_rank {
    ($n:expr, $D:ident in $($r:literal)* => $body:expr) => {
        match $n {
            $($r => {
                {
                    type $D = Rank<$r>;
                    $body
                }
                {
                    type $D = vierbein::AnyRank;
                    $body
                }
            })*
            rank => panic!("the dispatch knows no rank {rank}"),
        }
    };
}

/// Evaluates `$body` with `$O` as the memory order of the row.
macro_rules! with_order {
    ($row:expr, $O:ident => $body:expr) => {
        match $row.order.as_str() {
            "R" => {
                type $O = RowMajor;
                $body
            }
            "C" => {
                type $O = ColMajor;
                $body
            }
            order => panic!("no such order: {order}"),
        }
    };
}

// ------------------------------------------------------------------ the three operations

#[test]
fn broadcast() {
    fn run<D, E, O: Order>(row: &Row)
    where
        D: Dim + Broadcast<E>,
        E: Dim,
    {
        let [l, r] = [&row.inputs[0][..], &row.inputs[1][..]];
        let (a, b) = (operand::<D, O>(1, l), operand::<E, O>(2, r));
        let (from_a, from_b) =
            (|i: &[usize]| value(1, &reduced::<O>(i, l)), |i: &[usize]| value(2, &reduced::<O>(i, r)));
        // Selects from `b` and from a scalar, by a mask with the shape of `a`.
        let select = a.gt(0).try_select(&b, &Tensor::scalar(99));
        match a.try_add(&b) {
            Ok(sum) => {
                check(row, &sum, |i| from_a(i) + from_b(i));
                check(row, &(&a + &b), |i| from_a(i) + from_b(i));
                check(row, &(a.view() - b.view()), |i| from_a(i) - from_b(i));
                check(row, &(a.clone() * b.clone()), |i| from_a(i) * from_b(i));
                check(row, &a.maximum(&b), |i| from_a(i).max(from_b(i)));
                check(row, &select.unwrap(), |i| if from_a(i) > 0 { from_b(i) } else { 99 });
                // A sum of three operands, in two steps.
                let three: Tensor<i64, Common<D, E>, O> = &(&a + &b) + &Tensor::scalar(5);
                check(row, &three, |i| from_a(i) + from_b(i) + 5);
            }
            Err(error) => {
                check_error::<O>(row, &error);
                check_error::<O>(row, &select.unwrap_err());
                check_error::<O>(row, &a.try_apply2(vierbein::op::Lt, &b).unwrap_err());
            }
        }
    }
    for row in rows("broadcast") {
        with_order!(row, O => with_rank!(row.inputs[0].len(), D in 0 1 2 3 4 =>
            with_rank!(row.inputs[1].len(), E in 0 1 2 3 4 => run::<D, E, O>(&row))));
    }
}

#[test]
fn broadcast_to() {
    fn run<D: BroadcastTo<E>, E: Dim, O: Order>(row: &Row) {
        let [from, to] = [&row.inputs[0][..], &row.inputs[1][..]];
        let x = operand::<D, O>(3, from);
        let expected = |i: &[usize]| value(3, &reduced::<O>(i, from));
        let mut target = Tensor::<i64, E, O>::zeros(typed::<E>(to));
        let assigned = target.try_assign(&x);
        match x.try_broadcast_to(typed::<E>(to)) {
            Ok(view) => {
                check(row, &view.to_owned(), expected);
                assigned.unwrap();
                check(row, &target, expected);
                target += &x;
                check(row, &target, |i| 2 * expected(i));
            }
            Err(error) => {
                check_error::<O>(row, &error);
                check_error::<O>(row, &assigned.unwrap_err());
                check_error::<O>(row, &target.try_add_assign(&x).unwrap_err());
            }
        }
    }
    let mut lower = 0;
    for row in rows("broadcast_to") {
        with_order!(row, O => match (row.inputs[0].len(), row.inputs[1].len()) {
            (0, to) => with_rank!(to, E in 0 1 2 3 => run::<Rank<0>, E, O>(&row)),
            (1, to @ 1..) => with_rank!(to, E in 1 2 3 => run::<Rank<1>, E, O>(&row)),
            (2, to @ 2..) => with_rank!(to, E in 2 3 => run::<Rank<2>, E, O>(&row)),
            // Broadcasting to a lower rank does not compile, because `D: BroadcastTo<E>` does not hold.
            (from, to) => {
                assert!(from > to && row.output.is_none(), "{} has no ranks in the dispatch", row.id);
                lower += 1;
            }
        });
    }
    assert_eq!(lower, 1, "only T4e, from rank 1 to rank 0");
}

/// Returns rows, columns and batch extents of an operand. A vector is a row on the left, and a column on the right.
fn matrix<O: Order>(shape: &[usize], left: bool) -> (usize, usize, &[usize]) {
    match (shape, O::ROW_MAJOR) {
        ([k], _) if left => (1, *k, &[]),
        ([k], _) => (*k, 1, &[]),
        ([batch @ .., rows, columns], true) | ([rows, columns, batch @ ..], false) => {
            (*rows, *columns, batch)
        }
        ([], _) => panic!("rank 0 is no matrix"),
    }
}

/// Returns the index of element `[i, j]` of the matrix at index `batch` of an operand. For a vector, the index is `along`.
fn place<O: Order>(shape: &[usize], along: usize, [i, j]: [usize; 2], batch: &[usize]) -> Vec<usize> {
    match (shape.len(), O::ROW_MAJOR) {
        (1, _) => vec![along],
        (_, true) => [batch, &[i, j]].concat(),
        (_, false) => [&[i, j], batch].concat(),
    }
}

#[test]
fn matmul() {
    fn run<D, E, O: Order>(row: &Row)
    where
        D: MatmulRanks<E>,
        E: Dim,
    {
        let [l, r] = [&row.inputs[0][..], &row.inputs[1][..]];
        let (a, b) = (operand::<D, O>(4, l), operand::<E, O>(5, r));
        let (_, k, batch_l) = matrix::<O>(l, true);
        let (_, _, batch_r) = matrix::<O>(r, false);
        let kept = usize::from(l.len() > 1) + usize::from(r.len() > 1);
        let expected = |index: &[usize]| {
            let cut = if O::ROW_MAJOR { index.len() - kept } else { kept };
            let (head, tail) = index.split_at(cut);
            let (batch, ij) = if O::ROW_MAJOR { (head, tail) } else { (tail, head) };
            // If an operand is a vector, the result lacks the index `i` or `j`. The missing variable then gets the value of the other
            // one, and is not used, because a vector has the index `p` only.
            let (i, j) = (ij.first().copied().unwrap_or(0), ij.last().copied().unwrap_or(0));
            let (batch_l, batch_r) = (reduced::<O>(batch, batch_l), reduced::<O>(batch, batch_r));
            let term = |p: usize| {
                value(4, &place::<O>(l, p, [i, p], &batch_l)) * value(5, &place::<O>(r, p, [p, j], &batch_r))
            };
            (0..k).map(term).sum()
        };
        check(row, &a.try_matmul(&b).unwrap(), expected);
        check(row, &a.matmul(&b.view()), expected);
        let floats = a.cast::<f64>().matmul(&b.cast::<f64>());
        check(row, &floats.cast::<i64>(), expected);
    }
    for row in rows("matmul") {
        with_order!(row, O => with_rank!(row.inputs[0].len(), D in 1 2 3 4 5 =>
            with_rank!(row.inputs[1].len(), E in 1 2 3 4 5 => run::<D, E, O>(&row))));
    }
}
