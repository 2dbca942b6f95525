//! Draws the figures of memory layouts. In a figure, each box is an element, and red lines show the iteration order. The positions in
//! memory come from the addresses of elements, and the lines from the library's iterators. So the figures show what the library does.

use crate::svg::{COLOURS, Svg};
use vierbein::prelude::*;

/// The width and height of an element's box, in units of the SVG.
const CELL: (usize, usize) = (36, 26);
/// The horizontal and vertical distance between the starts of neighbouring panels, in units of the SVG.
const PANEL: (usize, usize) = (340, 200);

/// Returns the name and contents of each figure.
pub(crate) fn figures() -> Vec<(&'static str, String)> {
    vec![
        ("two-orders", two_orders()),
        ("flat-data", flat_data()),
        ("broadcasting", broadcasting()),
        ("batches", batches()),
        ("views", views()),
    ]
}

/// Returns a matrix of 2 rows and 3 columns. Each element has two digits: its row and its column, counted from 1.
fn numbered<O: Order>() -> Tensor<i32, Rank<2>, O> {
    Tensor::from_fn([2, 3], |[i, j]| 10 * (i + 1) as i32 + (j + 1) as i32)
}

/// Returns the index of an element in the slice `memory` that contains it.
fn offset(memory: &[i32], element: &i32) -> usize {
    let bytes = std::ptr::from_ref(element).addr() - memory.as_ptr().addr();
    let offset = bytes / size_of::<i32>();
    assert_eq!(memory[offset], *element);
    offset
}

/// Draws memory as a row of boxes, one for each element. `owner` returns the number of the row or matrix to which an element
/// belongs, which determines the colour.
fn strip(svg: &mut Svg, (x, y): (usize, usize), memory: &[i32], owner: impl Fn(usize) -> Option<usize>) {
    for (k, value) in memory.iter().enumerate() {
        let at = x + k * CELL.0;
        let colour = COLOURS[owner(k).unwrap_or(COLOURS.len() - 1)];
        svg.cell((at, y), CELL, colour, &value.to_string());
        svg.text((at + 14, y + CELL.1 + 13), "small", &k.to_string());
    }
}

/// Draws a matrix as a grid, with a line through its elements in iteration order. Draws the memory below the grid.
fn panel<O: Order>(
    svg: &mut Svg,
    (x, y): (usize, usize),
    title: &str,
    matrix: TensorView<'_, i32, Rank<2>, O>,
    memory: &[i32],
    whose: &str,
) {
    let (shape, strides) = (matrix.shape(), matrix.strides());
    svg.text((x, y), "code", title);
    svg.text((x, y + 17), "small", &format!("{}, shape {shape:?}, strides {strides:?}", O::NAME));
    let corner = |[i, j]: [usize; 2]| (x + j * CELL.0, y + 27 + i * CELL.1);
    let mut line = Vec::new();
    let mut owners = vec![None; memory.len()];
    for (index, element) in matrix.indexed_iter() {
        let at = corner(index);
        svg.cell(at, CELL, COLOURS[index[0]], &element.to_string());
        line.push((at.0 + CELL.0 - 5, at.1 + CELL.1 - 5));
        owners[offset(memory, element)].get_or_insert(index[0]);
    }
    svg.path(&line);
    let below = y + 27 + 3 * CELL.1 + 16;
    svg.text((x, below), "small", whose);
    strip(svg, (x, below + 6), memory, |k| owners[k]);
}

fn two_orders() -> String {
    let mut svg = Svg::default();
    let (rows, columns) = (numbered::<RowMajor>(), numbered::<ColMajor>());
    panel(&mut svg, (16, 26), "Tensor<i32, Rank<2>, RowMajor>", rows.view(), rows.as_slice(), "memory");
    let right = (16 + PANEL.0, 26);
    panel(&mut svg, right, "Tensor<i32, Rank<2>, ColMajor>", columns.view(), columns.as_slice(), "memory");
    svg.finish()
}

fn flat_data() -> String {
    let mut svg = Svg::default();
    let data: Vec<i32> = (1..7).collect();
    let rows = Tensor::<_, _, RowMajor>::from_vec([2, 3], data.clone());
    let columns = Tensor::<_, _, ColMajor>::from_vec([2, 3], data);
    let title = "from_vec([2, 3], vec![1, 2, 3, 4, 5, 6])";
    panel(&mut svg, (16, 26), title, rows.view(), rows.as_slice(), "the vector");
    panel(&mut svg, (16 + PANEL.0, 26), title, columns.view(), columns.as_slice(), "the vector");
    svg.finish()
}

fn broadcasting() -> String {
    let mut svg = Svg::default();
    let row = tensor![1, 2, 3];
    let column = Tensor::<_, _, ColMajor>::from([1, 2]);
    let (down, across) = (row.broadcast_to([2, 3]), column.broadcast_to([2, 3]));
    panel(&mut svg, (16, 26), "tensor![1, 2, 3].broadcast_to([2, 3])", down, row.as_slice(), "memory");
    let title = "[1, 2] in ColMajor .broadcast_to([2, 3])";
    panel(&mut svg, (16 + PANEL.0, 26), title, across, column.as_slice(), "memory");
    svg.finish()
}

/// Draws a batch of matrices and its memory, with a colour for each matrix.
fn batch<O: Order>(svg: &mut Svg, y: usize, title: &str, batch: &Tensor<i32, Rank<3>, O>, axis: usize) {
    let (shape, strides) = (batch.shape(), batch.strides());
    svg.text((16, y), "code", title);
    svg.text((16, y + 17), "small", &format!("{}, shape {shape:?}, strides {strides:?}", O::NAME));
    let mut owners = vec![None; batch.len()];
    for (k, colour) in (0..shape[axis]).zip(COLOURS) {
        let matrix = batch.index_axis(axis, k);
        for ([i, j], element) in matrix.indexed_iter() {
            let left = 16 + k * (matrix.shape()[1] * CELL.0 + 24);
            let at = (left + j * CELL.0, y + 27 + i * CELL.1);
            svg.cell(at, CELL, colour, &element.to_string());
            owners[offset(batch.as_slice(), element)] = Some(k);
        }
    }
    svg.text((16, y + 99), "small", "memory: one matrix after the other");
    strip(svg, (16, y + 105), batch.as_slice(), |k| owners[k]);
}

fn batches() -> String {
    let mut svg = Svg::default();
    let value = |k: usize, i: usize, j: usize| (100 * (k + 1) + 10 * (i + 1) + j + 1) as i32;
    let rows = Tensor::<_, _, RowMajor>::from_fn([3, 2, 2], |[k, i, j]| value(k, i, j));
    let columns = Tensor::<_, _, ColMajor>::from_fn([2, 2, 3], |[i, j, k]| value(k, i, j));
    batch(&mut svg, 26, "three matrices: axes [batch, row, column]", &rows, 0);
    batch(&mut svg, 26 + PANEL.1, "three matrices: axes [row, column, batch]", &columns, 2);
    svg.finish()
}

fn views() -> String {
    let mut svg = Svg::default();
    let x = numbered::<RowMajor>();
    let memory = x.as_slice();
    let at = |k: usize| (16 + k % 2 * PANEL.0, 26 + k / 2 * PANEL.1);
    panel(&mut svg, at(0), "x", x.view(), memory, "memory of x");
    panel(&mut svg, at(1), "x.as_order::<ColMajor>()", x.as_order::<ColMajor>(), memory, "memory of x");
    panel(&mut svg, at(2), "x.t()", x.t(), memory, "memory of x");
    panel(&mut svg, at(3), "x.flip_order()", x.flip_order(), memory, "memory of x");
    panel(&mut svg, at(4), "x.slice(s![.., ..;-2])", x.slice(s![.., ..;-2]), memory, "memory of x");
    let columns = x.to_order::<ColMajor>();
    panel(
        &mut svg,
        at(5),
        "x.to_order::<ColMajor>()",
        columns.view(),
        columns.as_slice(),
        "memory of its own",
    );
    svg.finish()
}
