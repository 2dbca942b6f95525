//! The same simulation without the library: a handwritten loop that passes over both vectors of concentrations once per step.

use crate::{DIFFUSION_U, DIFFUSION_V, FEED, KILL};

/// Two concentrations on a periodic grid in row-major order.
pub(crate) struct Vectors {
    columns: usize,
    pub(crate) u: Vec<f32>,
    pub(crate) v: Vec<f32>,
    next_u: Vec<f32>,
    next_v: Vec<f32>,
}

impl Vectors {
    pub(crate) fn new(columns: usize, u: Vec<f32>, v: Vec<f32>) -> Vectors {
        let (next_u, next_v) = (u.clone(), v.clone());
        Vectors { columns, u, v, next_u, next_v }
    }

    /// Advances the simulation by one step.
    pub(crate) fn step(&mut self) {
        let n = self.columns;
        let rows = self.u.len() / n;
        for row in 0..rows {
            let [above, here, below] =
                [(row + rows - 1) % rows, row, (row + 1) % rows].map(|row| row * n..row * n + n);
            let us = [&self.u[above.clone()], &self.u[here.clone()], &self.u[below.clone()]];
            let vs = [&self.v[above], &self.v[here.clone()], &self.v[below]];
            let (next_u, next_v) = (&mut self.next_u[here.clone()], &mut self.next_v[here]);
            // The first and the last column have periodic neighbours. They are computed separately, so that the loop over the other
            // columns is vectorised.
            for column in [0, n - 1] {
                let (left, right) = ((column + n - 1) % n, (column + 1) % n);
                (next_u[column], next_v[column]) = cell(us, vs, [left, column, right]);
            }
            for column in 1..n - 1 {
                (next_u[column], next_v[column]) = cell(us, vs, [column - 1, column, column + 1]);
            }
        }
        std::mem::swap(&mut self.u, &mut self.next_u);
        std::mem::swap(&mut self.v, &mut self.next_v);
    }
}

/// Returns the new concentrations of a cell. `us` and `vs` are the rows above, at and below the cell; the three columns are those to its
/// left, at the cell and to its right.
#[inline(always)]
fn cell(us: [&[f32]; 3], vs: [&[f32]; 3], [left, column, right]: [usize; 3]) -> (f32, f32) {
    let laplacian = |[above, here, below]: [&[f32]; 3]| {
        above[column] + below[column] + here[left] + here[right] - 4.0 * here[column]
    };
    let (u, v) = (us[1][column], vs[1][column]);
    let reaction = u * v * v;
    (
        u + DIFFUSION_U * laplacian(us) - reaction + FEED * (1.0 - u),
        v + DIFFUSION_V * laplacian(vs) + reaction - (FEED + KILL) * v,
    )
}
