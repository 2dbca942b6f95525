//! The reaction and diffusion of two substances (Gray–Scott model), computed in place on slices. The code is generic over memory order
//! and device.
//!
//! The substance U is fed, V is removed, and both react, U + 2 V → 3 V. The concentrations u and v change by
//!
//! ```text
//! ∂u/∂t = Dᵤ ∇²u − u v² + F (1 − u)
//! ∂v/∂t = Dᵥ ∇²v + u v² − (F + k) v
//! ```
//!
//! The source is J. E. Pearson, Science 261, 189 (1993). With these parameters, spots of V divide until they fill the grid. Each step
//! uses the explicit Euler method, with time step 1, on a periodic grid with spacing 1. The grid has a border of one cell on each
//! side, which is a copy of the cells at the opposite side. So the left neighbours of all cells are one slice, as are the right, upper
//! and lower neighbours.
//!
//! Prints the time of a step for both memory orders, and for a handwritten loop over vectors. Both orders must give the same bits, and
//! the loop the same values except for rounding. Then writes the concentrations of V as a PNG image after every 200 steps, with a
//! progress bar.
//!
//! `cargo run --release --example gray_scott [cells per side [images [directory]]]`

mod by_hand;

use by_hand::Vectors;
use indicatif::{ProgressBar, ProgressStyle};
use std::error::Error;
use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::Path;
use std::time::Instant;
use vierbein::prelude::*;

const DIFFUSION_U: f32 = 0.16;
const DIFFUSION_V: f32 = 0.08;
/// The rate at which U is fed, F.
const FEED: f32 = 0.035;
/// The rate at which V is removed, k.
const KILL: f32 = 0.065;
/// The number of steps that are timed. After them, the results of the implementations are compared.
const TIMED: u32 = 100;
/// The tolerance for differences of the concentrations of V after [`TIMED`] steps. Rounding errors grow with each step. The largest
/// concentrations are about 0.4.
const TOLERANCE: f32 = 1e-4;

type Matrix<O, Dev> = Tensor<f32, Rank<2>, O, Dev>;

/// The two concentrations, each with a border of one cell, and preallocated results.
struct Grid<O: Order, Dev: Device> {
    u: Matrix<O, Dev>,
    v: Matrix<O, Dev>,
    laplacian: Matrix<O, Dev>,
    reaction: Matrix<O, Dev>,
}

/// Copies the cells at each side to the border at the opposite side. Copies rows first: the columns that are copied afterwards then
/// include the corners.
fn wrap<O: Order, Dev: Backend<f32>>(x: &mut Matrix<O, Dev>) {
    for axis in [0, 1] {
        let n = x.shape()[axis];
        for (border, inside) in [(0, n - 2), (n - 1, 1)] {
            // A copy, because a tensor cannot be read and written at the same time.
            let line = x.index_axis(axis, inside).to_owned();
            x.index_axis_mut(axis, border).assign(&line);
        }
    }
}

/// Writes the sum of the four neighbours minus four times the cell, for each cell that is not in the border.
fn laplacian<O: Order, Dev: Backend<f32>>(x: &Matrix<O, Dev>, out: &mut Matrix<O, Dev>) {
    out.assign(x.slice(s![..-2, 1..-1]));
    *out += x.slice(s![2.., 1..-1]);
    *out += x.slice(s![1..-1, ..-2]);
    *out += x.slice(s![1..-1, 2..]);
    out.add_scaled(-4.0, x.slice(s![1..-1, 1..-1]));
}

impl<O: Order, Dev: Backend<f32>> Grid<O, Dev> {
    /// Returns a grid with the concentrations u = 1 and v = 0, except for rectangles in which u = 0.5 and v = 0.25. There is one
    /// rectangle for each 4096 cells, and at least three. Their positions are fractional parts of multiples of irrational
    /// numbers, which are spread evenly.
    fn new([rows, columns]: [usize; 2], device: &Dev) -> Result<Self, vierbein::Error> {
        const HEIGHT: usize = 12;
        const WIDTH: usize = 9;
        let mut v = Tensor::<f32, _, O>::zeros([rows + 2, columns + 2]);
        for k in 1..=(rows * columns / 4096).max(3) {
            let [y, x] = [0.754_877_666, 0.569_840_291].map(|part: f64| (k as f64 * part).fract());
            let row = 1 + (y * (rows - HEIGHT) as f64) as usize;
            let column = 1 + (x * (columns - WIDTH) as f64) as usize;
            v.slice_mut(s![row..row + HEIGHT, column..column + WIDTH]).fill(0.25);
        }
        let u = 1.0 - 2.0 * &v;
        Ok(Grid {
            u: u.to_device_in(device)?,
            v: v.to_device_in(device)?,
            laplacian: Tensor::try_zeros_in([rows, columns], device)?,
            reaction: Tensor::try_zeros_in([rows, columns], device)?,
        })
    }

    /// Advances the simulation by one step.
    fn step(&mut self) {
        wrap(&mut self.u);
        wrap(&mut self.v);
        let (u, v) = (&mut self.u, &mut self.v);
        self.reaction.assign(u.slice(s![1..-1, 1..-1]));
        self.reaction *= v.slice(s![1..-1, 1..-1]);
        self.reaction *= v.slice(s![1..-1, 1..-1]);

        laplacian(u, &mut self.laplacian);
        let mut u = u.slice_mut(s![1..-1, 1..-1]);
        u *= 1.0 - FEED;
        u += FEED;
        u.add_scaled(DIFFUSION_U, &self.laplacian);
        u -= &self.reaction;

        laplacian(v, &mut self.laplacian);
        let mut v = v.slice_mut(s![1..-1, 1..-1]);
        v *= 1.0 - FEED - KILL;
        v.add_scaled(DIFFUSION_V, &self.laplacian);
        v += &self.reaction;
    }

    /// Returns the colours of the concentrations of V, as an image of three bytes for each cell.
    fn image(&self, palette: &Tensor<u8, Rank<2>, O, Dev>) -> Result<Vec<u8>, vierbein::Error>
    where
        Dev: Backend<u8> + Backend<i64>,
    {
        let v = self.v.slice(s![1..-1, 1..-1]);
        let colours = (v * (255.0 / 0.4)).clamp(0.0, 255.0).cast::<i64>();
        // The axes of the positions replace the first axis of the palette: the result is an image of [rows, columns, 3].
        let image: Tensor<u8, Rank<3>, O, Dev> = palette.take(0, &colours);
        Ok(image.to_device::<Cpu>()?.to_order::<RowMajor>().into_vec())
    }
}

/// Returns 256 colours as rows of red, green and blue, from dark blue through green to yellow.
fn palette<O: Order>() -> Tensor<u8, Rank<2>, O> {
    let stops = [[20.0, 15.0, 60.0], [20.0, 110.0, 140.0], [60.0, 190.0, 110.0], [255.0, 230.0, 60.0]];
    let at: Tensor<f64, _> = Tensor::linspace(0.0, 3.0, 256);
    let colours =
        [0, 1, 2].map(|k| at.interp(&tensor![0.0, 1.0, 2.0, 3.0], &Tensor::from(stops.map(|stop| stop[k]))));
    stack(1, &colours).cast::<u8>().to_order()
}

/// Writes a PNG file of 8-bit colours.
fn write_png(to: impl Write, [rows, columns]: [usize; 2], image: &[u8]) -> Result<(), Box<dyn Error>> {
    let mut encoder = png::Encoder::new(to, u32::try_from(columns)?, u32::try_from(rows)?);
    encoder.set_color(png::ColorType::Rgb);
    encoder.set_depth(png::BitDepth::Eight);
    encoder.write_header()?.write_image_data(image)?;
    Ok(())
}

/// Runs `step` [`TIMED`] times, and prints and returns the milliseconds of one step.
fn time(what: &str, mut step: impl FnMut()) -> f64 {
    let start = Instant::now();
    for _ in 0..TIMED {
        step();
    }
    let each = start.elapsed().as_secs_f64() * 1e3 / f64::from(TIMED);
    println!("{what:<28}{each:>9.3} ms per step");
    each
}

/// Returns the largest difference between the concentrations of V in `grid` and in the handwritten simulation.
fn difference<O: Order, Dev: Backend<f32>>(
    grid: &Grid<O, Dev>,
    by_hand: &Vectors,
) -> Result<f32, vierbein::Error> {
    let v = grid.v.slice(s![1..-1, 1..-1]).to_device::<Cpu>()?.to_order::<RowMajor>();
    let expected = Tensor::from(by_hand.v.clone()).reshape(v.shape());
    Ok((v - expected).abs().max().item())
}

/// Returns the handwritten simulation, which begins with the concentrations of `grid`.
fn by_hand<O: Order>(grid: &Grid<O, Cpu>) -> Vectors {
    let [u, v] = [&grid.u, &grid.v].map(|x| x.slice(s![1..-1, 1..-1]).to_order::<RowMajor>());
    Vectors::new(u.shape()[1], u.into_vec(), v.into_vec())
}

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1);
    // A debug build is slower, so it computes less by default.
    let (usual_size, usual_images) = if cfg!(debug_assertions) { (128, 3) } else { (512, 50) };
    let size: usize = arguments.next().map_or(Ok(usual_size), |size| size.parse())?;
    assert!((32..=4096).contains(&size), "32 to 4096 cells per side, not {size}");
    let images = arguments.next().map_or(Ok(usual_images), |images| images.parse())?;
    let folder = arguments.next().unwrap_or_else(|| "target/gray_scott".into());

    println!("{size} × {size} cells of f32");
    let mut grid = Grid::<RowMajor, _>::new([size, size], &Cpu)?;
    let mut by_columns = Grid::<ColMajor, _>::new([size, size], &Cpu)?;
    let mut vectors = by_hand(&grid);
    let slices = time("slices, row-major", || grid.step());
    time("slices, column-major", || by_columns.step());
    let by_hand = time("loop by hand, one thread", || vectors.step());
    println!("{:<28}{:>9.1}", "slices / loop", slices / by_hand);

    assert_eq!(by_columns.v.to_order::<RowMajor>(), grid.v, "the orders compute different bits");
    let difference = difference(&grid, &vectors)?;
    println!("{:<28}{difference:>9.1e} after {TIMED} steps", "largest difference");
    assert!(difference < TOLERANCE);

    std::fs::create_dir_all(&folder)?;
    let palette = palette();
    let style = ProgressStyle::with_template("{bar:40} {pos}/{len} images, {eta} left")?;
    let progress = ProgressBar::new(images).with_style(style);
    for k in 0..images {
        for _ in 0..200 {
            grid.step();
        }
        let file = File::create(Path::new(&folder).join(format!("{k:03}.png")))?;
        write_png(BufWriter::new(file), [size, size], &grid.image(&palette)?)?;
        progress.inc(1);
    }
    progress.finish();
    println!("{images} images in {folder}");
    Ok(())
}

#[test]
fn steps_agree_with_loop() {
    let mut grid = Grid::<RowMajor, _>::new([32, 48], &Cpu).unwrap();
    let mut by_columns = Grid::<ColMajor, _>::new([32, 48], &Cpu).unwrap();
    let mut vectors = by_hand(&grid);
    for _ in 0..TIMED {
        grid.step();
        by_columns.step();
        vectors.step();
    }
    assert_eq!(by_columns.v.to_order::<RowMajor>(), grid.v);
    let difference = difference(&grid, &vectors).unwrap();
    assert!(difference < TOLERANCE, "{difference}");
    // V has not died out, and has reached the sides of the grid.
    let v = grid.v.slice(s![1..-1, 1..-1]);
    let sides = [v.index_axis(0, 0).max().item(), v.index_axis(1, -1).max().item()];
    assert!(v.max().item() > 0.2 && sides.iter().all(|&side| side > 1e-3), "{v}{sides:?}");
}

#[test]
fn images_have_colours_of_cells() {
    let mut grid = Grid::<ColMajor, _>::new([32, 48], &Cpu).unwrap();
    grid.v.fill(0.0);
    grid.v[[1 + 5, 1 + 7]] = 1.0;
    let mut file = Vec::new();
    write_png(&mut file, [32, 48], &grid.image(&palette()).unwrap()).unwrap();

    let mut reader = png::Decoder::new(std::io::Cursor::new(file)).read_info().unwrap();
    let mut image = vec![0; reader.output_buffer_size().unwrap()];
    let info = reader.next_frame(&mut image).unwrap();
    assert_eq!((info.width, info.height), (48, 32));
    for (k, colour) in image.chunks(3).enumerate() {
        let expected = if k == 5 * 48 + 7 { [255, 230, 60] } else { [20, 15, 60] };
        assert_eq!(colour, expected, "cell {k}");
    }
}
