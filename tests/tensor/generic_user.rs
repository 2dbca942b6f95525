//! Generic functions as users write them, over element type, rank, memory order and device. They have the four bounds
//! `T: Scalar, D: Dim, O: Order, Dev: Backend<T>`. If necessary, a narrower trait replaces `Scalar`. A call that changes the rank needs
//! one more bound.

use crate::common::Remote;
use vierbein::device::{BinaryOp, UnaryOp};

use vierbein::prelude::*;
use vierbein::{MatmulRanks, MergeAxes, Removed, op};

// ------------------------------------------------------------------ same rank

/// Returns `x` with mean 0 and norm 1.
fn normalised<T: Scalar, D: Dim, O: Order, Dev: Backend<T>>(
    x: &Tensor<T, D, O, Dev>,
) -> Tensor<T, D, O, Dev> {
    let centred = x - x.mean().cast::<T>();
    let norm = centred.norm().cast::<T>();
    centred / norm
}

/// Returns `x` with mean 0 and standard deviation 1.
fn standardised<T: Scalar, D: Dim, O: Order, Dev: Backend<T>>(
    x: TensorView<'_, T, D, O, Dev>,
) -> Tensor<T, D, O, Dev> {
    (x - x.mean().cast::<T>()) / x.std(0).cast::<T>()
}

fn axpy<T: Scalar, D: Dim, O: Order, Dev: Backend<T>>(
    alpha: T,
    x: TensorView<'_, T, D, O, Dev>,
    y: &mut Tensor<T, D, O, Dev>,
) {
    *y += x * alpha;
}

/// Computes the same as [`axpy`], without a temporary tensor for the product.
fn axpy_fused<T: Scalar, D: Dim, O: Order, Dev: Backend<T>>(
    alpha: T,
    x: TensorView<'_, T, D, O, Dev>,
    mut y: TensorViewMut<'_, T, D, O, Dev>,
) {
    y.add_scaled(alpha, &x);
}

fn centred_along<T: Scalar, D: Dim, O: Order, Dev: Backend<T>>(
    x: &Tensor<T, D, O, Dev>,
    axis: usize,
) -> Tensor<T, D, O, Dev> {
    x - x.mean_keepdims(axis).cast::<T>()
}

/// Subtracts `x` from its sum, and the sum from `x`. The sum has rank 0, so an operand of rank 0 occurs on both sides.
fn from_total<T: Scalar, D: Dim, O: Order, Dev: Backend<T>>(
    x: &Tensor<T, D, O, Dev>,
) -> [Tensor<T, D, O, Dev>; 2] {
    [&x.sum() - x, x - &x.sum()]
}

/// Computes `a x² + b x + c` with scalars of the generic type `T`.
fn parabola<T: Scalar, D: Dim, O: Order, Dev: Backend<T>>(
    x: &Tensor<T, D, O, Dev>,
    [a, b, c]: [T; 3],
) -> Tensor<T, D, O, Dev> {
    (x * a + b) * x + c
}

/// Computes `1 - x`, with ones on the device of `x`.
fn complement<T: Scalar, D: Dim, O: Order, Dev: Backend<T>>(
    x: &Tensor<T, D, O, Dev>,
) -> Tensor<T, D, O, Dev> {
    Tensor::full_in(x.shape(), T::one(), x.device()) - x
}

fn clipped<T: RealScalar, D: Dim, O: Order, Dev: Backend<T>>(
    x: &Tensor<T, D, O, Dev>,
) -> Tensor<T, D, O, Dev> {
    x.lt(T::zero()).select(T::zero(), x)
}

fn in_range<T: RealScalar, D: Dim, O: Order, Dev: Backend<T>>(
    x: &Tensor<T, D, O, Dev>,
    low: T,
    high: T,
) -> bool {
    (x.ge(low) & x.le(high)).all().item()
}

fn softmax<T: RealFloat, D: Dim, O: Order, Dev: Backend<T>>(
    x: TensorView<'_, T, D, O, Dev>,
    axis: usize,
) -> Tensor<T, D, O, Dev> {
    let weights = (x - x.max_keepdims(axis)).exp();
    let total = weights.sum_keepdims(axis);
    weights / total
}

/// Divides each element by its modulus. The element type may be real or complex.
fn phases<T: Inexact, D: Dim, O: Order, Dev: Backend<T>>(x: &Tensor<T, D, O, Dev>) -> Tensor<T, D, O, Dev> {
    -(-x / x.abs().cast::<T>())
}

fn relative_distance<T: Scalar, D: Dim, O: Order, Dev: Backend<T>>(
    x: TensorView<'_, T, D, O, Dev>,
    y: TensorView<'_, T, D, O, Dev>,
) -> T::Magnitude {
    (x - y).norm().item() / y.norm().item()
}

// ------------------------------------------------------------------ other ranks

/// Returns the first slice along an axis minus the mean along it.
fn first_off_mean<T: Scalar, D: RemoveAxes<1>, O: Order, Dev: Backend<T>>(
    x: &Tensor<T, D, O, Dev>,
    axis: usize,
) -> Tensor<T, D::Removed, O, Dev> {
    x.index_axis(axis, 0) - x.mean_axis(axis).cast::<T>()
}

/// Computes the trace over axes 0 and 1, and then the trace of the result over its axes 0 and 1.
fn traced_twice<T, D, O, Dev>(x: &Tensor<T, D, O, Dev>) -> Tensor<T, Removed<D::Removed, 2>, O, Dev>
where
    T: Scalar,
    D: RemoveAxes<2, Removed: RemoveAxes<2>>,
    O: Order,
    Dev: Backend<T>,
{
    x.trace(0, 1).trace(0, 1)
}

/// Returns the trace of `x` minus the mean of the trace. The trace has another rank than `x`.
fn traceless<T, D, O, Dev>(x: TensorView<'_, T, D, O, Dev>) -> Tensor<T, D::Removed, O, Dev>
where
    T: Scalar,
    D: RemoveAxes<2>,
    O: Order,
    Dev: Backend<T>,
{
    let trace = x.trace(0, 1);
    let mean = trace.mean().cast::<T>();
    trace - mean
}

fn outer_sum<T, D, O, Dev>(x: &Tensor<T, D, O, Dev>) -> Tensor<T, D::Inserted, O, Dev>
where
    T: Scalar,
    D: InsertAxes<1>,
    O: Order,
    Dev: Backend<T>,
{
    x.insert_axis(0) + x.insert_axis(0)
}

fn gram<T, D, O, Dev>(x: &Tensor<T, D, O, Dev>) -> Tensor<T, D::Product, O, Dev>
where
    T: Scalar,
    D: MatmulRanks<D>,
    O: Order,
    Dev: Backend<T>,
{
    x.conj().matmul(x)
}

fn diagonal_sum<T, D, O, Dev>(x: &Tensor<T, D, O, Dev>) -> T
where
    T: Scalar,
    D: MergeAxes,
    O: Order,
    Dev: Backend<T>,
{
    x.diagonal(0, 1).sum().item()
}

// ------------------------------------------------------------------ views as arguments and results

fn first<'a>(x: TensorView<'a, f64, Rank<2>>) -> TensorView<'a, f64, Rank<1>> {
    x.index_axis(0, 0)
}

fn border<'a, T: Scalar, D: RemoveAxes<1>, O: Order, Dev: Backend<T>>(
    x: TensorView<'a, T, D, O, Dev>,
    axis: usize,
) -> [TensorView<'a, T, D::Removed, O, Dev>; 2] {
    let last = x.shape().as_ref()[axis] - 1;
    [x.index_axis(axis, 0), x.index_axis(axis, last)]
}

fn longer<'a, T: RealScalar, D: Dim, O: Order, Dev: Backend<T>>(
    x: TensorView<'a, T, D, O, Dev>,
    y: TensorView<'a, T, D, O, Dev>,
) -> TensorView<'a, T, D, O, Dev> {
    if x.norm().item() > y.norm().item() { x } else { y }
}

fn clear_corner<T: Scalar, O: Order, Dev: Backend<T>>(mut x: TensorViewMut<'_, T, Rank<2>, O, Dev>) {
    x.slice_mut(s![..1, ..1]).fill(T::zero());
    // `view_mut` reborrows a view that the function owns.
    let mut again = x.view_mut();
    again.slice_mut(s![-1, -1]).fill(T::zero());
}

// ------------------------------------------------------------------ rank as a const parameter

/// A field on a grid of `N` dimensions.
#[derive(Debug, Clone)]
struct Field<const N: usize, O: Order = RowMajor>
where
    Rank<N>: Dim,
{
    values: Tensor<f64, Rank<N>, O>,
}

impl<const N: usize, O: Order> Field<N, O>
where
    Rank<N>: Dim<Shape = [usize; N]>,
{
    fn new(shape: [usize; N], f: impl FnMut([usize; N]) -> f64) -> Self {
        Field { values: Tensor::from_fn(shape, f) }
    }
    fn at(&self, index: [usize; N]) -> f64 {
        self.values[index]
    }
}
impl<const N: usize, O: Order> Field<N, O>
where
    Rank<N>: Dim,
{
    fn energy(&self) -> f64 {
        self.values.square().sum().item() / 2.0
    }
    fn scaled(self, by: f64) -> Self {
        Field { values: self.values * by }
    }
}

// ------------------------------------------------------------------ user-defined operations

/// `1 / (1 + exp(-steepness x))`.
#[derive(Debug, Clone, Copy)]
struct Logistic<T> {
    steepness: T,
}

impl<T: RealFloat> UnaryOp<T> for Logistic<T> {
    type Output = T;
    const NAME: &'static str = "take the logistic function of";
    fn apply(&self, x: T) -> T {
        T::one() / (T::one() + (-(self.steepness * x)).exp())
    }
}

/// An operation that tests whether `a` is a multiple of `b`. It is undefined if `b` is zero.
#[derive(Debug, Clone, Copy)]
struct MultipleOf;

impl<T: RealScalar> BinaryOp<T, T> for MultipleOf {
    type Output = bool;
    const NAME: &'static str = "find the multiples among";
    const CHECKED: bool = true;
    fn apply(&self, a: T, b: T) -> bool {
        (a % b).is_zero()
    }
    fn is_defined(&self, _: T, b: T) -> bool {
        !b.is_zero()
    }
}

fn activated<T: RealFloat, D: Dim, O: Order, Dev: Backend<T>>(
    x: &Tensor<T, D, O, Dev>,
    steepness: T,
) -> Tensor<T, D, O, Dev> {
    x.apply(Logistic { steepness })
}

// ------------------------------------------------------------------ calls with concrete types

/// The bounds that these tests require of a device.
trait Full: Backend<f64> + Backend<i32> + Backend<f32> + Backend<Complex<f64>> + Default {}
impl<Dev: Backend<f64> + Backend<i32> + Backend<f32> + Backend<Complex<f64>> + Default> Full for Dev {}

/// Runs each test body for both memory orders, on the CPU and on the user-defined device `Remote`.
macro_rules! tests {
    ($($body:ident)*) => {$(
        mod $body {
            use super::*;
            #[test]
            fn cpu_row() {
                super::$body::<RowMajor, Cpu>();
            }
            #[test]
            fn cpu_col() {
                super::$body::<ColMajor, Cpu>();
            }
            #[test]
            fn remote_row() {
                super::$body::<RowMajor, Remote>();
            }
            #[test]
            fn remote_col() {
                super::$body::<ColMajor, Remote>();
            }
        }
    )*};
}
tests! { of_the_same_rank of_real_numbers of_complex_numbers of_integers of_other_ranks of_views of_own_operations }

/// Copies `x` to memory order `O` and to the device `Dev`.
fn on<T: Element, D: Dim, O: Order, Dev: Device + Default>(x: &Tensor<T, D>) -> Tensor<T, D, O, Dev> {
    x.to_order::<O>().to_device().unwrap()
}

#[track_caller]
fn close<T, D: Dim, O: Order, Dev: Device>(got: &Tensor<T, D, O, Dev>, expected: &Tensor<T, D>)
where
    T: Scalar<Magnitude = f64>,
{
    let got = got.to_device_in(&Cpu).unwrap().to_order::<RowMajor>();
    assert!(got.all_close(expected, 1e-14, 1e-15), "{:?} is not {:?}", got.to_vec(), expected.to_vec());
}

/// Returns the tensor `x` of the NumPy expressions below.
fn sample<O: Order, Dev: Device + Default>() -> Tensor<f64, Rank<2>, O, Dev> {
    on(&tensor![[1.0, 2.0, 4.0], [-1.0, 0.0, 6.0]])
}

fn of_the_same_rank<O: Order, Dev: Full>() {
    let x = sample::<O, Dev>();
    // (x - x.mean()) / np.linalg.norm(x - x.mean())
    let expected = tensor![
        [-0.17149858514250882, 0.0, 0.34299717028501764],
        [-0.5144957554275265, -0.34299717028501764, 0.6859943405700353]
    ];
    close(&normalised(&x), &expected);
    // (x - x.mean()) / x.std()
    let expected = tensor![
        [-0.42008402520840293, 0.0, 0.8401680504168059],
        [-1.260252075625209, -0.8401680504168059, 1.6803361008336117]
    ];
    close(&standardised(x.view()), &expected);

    let mut y = Tensor::ones_in([2, 3], x.device());
    axpy(2.0, x.view(), &mut y);
    close(&y, &tensor![[3.0, 5.0, 9.0], [-1.0, 1.0, 13.0]]);
    axpy_fused(-2.0, x.view(), y.view_mut());
    close(&y, &tensor![[1.0, 1.0, 1.0], [1.0, 1.0, 1.0]]);
    axpy_fused(1.0, x.index_axis(0, 1), y.index_axis_mut(0, 0));
    close(&y, &tensor![[0.0, 1.0, 7.0], [1.0, 1.0, 1.0]]);

    close(&centred_along(&x, 0), &tensor![[1.0, 1.0, -1.0], [-1.0, -1.0, 1.0]]);
    let thirds = tensor![[-4.0, -1.0, 5.0], [-8.0, -5.0, 13.0]] / 3.0;
    close(&centred_along(&x, 1), &thirds);
    let [below, above] = from_total(&x);
    close(&below, &tensor![[11.0, 10.0, 8.0], [13.0, 12.0, 6.0]]);
    close(&above, &tensor![[-11.0, -10.0, -8.0], [-13.0, -12.0, -6.0]]);
    close(&parabola(&x, [1.0, -2.0, 3.0]), &tensor![[2.0, 3.0, 11.0], [6.0, 3.0, 27.0]]);
    close(&complement(&x), &tensor![[0.0, -1.0, -3.0], [2.0, 1.0, -5.0]]);
    // np.linalg.norm(x - 1) / np.linalg.norm(np.ones((2, 3)))
    let ones = Tensor::ones_in([2, 3], x.device());
    assert!((relative_distance(x.view(), ones.view()) - 2.5819888974716116).abs() < 1e-15);
}

#[expect(clippy::excessive_precision, reason = "as NumPy prints them")]
fn of_real_numbers<O: Order, Dev: Full>() {
    let x = sample::<O, Dev>();
    close(&clipped(&x), &tensor![[1.0, 2.0, 4.0], [0.0, 0.0, 6.0]]);
    assert!(in_range(&x, -1.0, 6.0) && !in_range(&x, 0.0, 6.0) && !in_range(&x, -1.0, 5.5));
    // e = np.exp(x - x.max(1, keepdims=True)); e / e.sum(1, keepdims=True)
    let expected = tensor![
        [4.2010066134066049e-02, 1.1419519938459449e-01, 8.4379473448133946e-01],
        [9.0880055536303299e-04, 2.4703760353368210e-03, 9.9662082340930003e-01]
    ];
    close(&softmax(x.view(), 1), &expected);
    // The same expression along axis 0, which has two elements.
    let expected = tensor![
        [0.8807970779778823, 0.8807970779778823, 0.11920292202211755],
        [0.11920292202211755, 0.11920292202211755, 0.8807970779778823]
    ];
    close(&softmax(x.view(), 0), &expected);
    close(&softmax(x.t(), 1).t().to_owned(), &expected);
    close(&phases(&(x + 0.5)), &tensor![[1.0, 1.0, 1.0], [-1.0, 1.0, 1.0]]);
    let single = normalised(&on::<f32, _, O, Dev>(&tensor![3.0f32, -3.0])).to_vec();
    assert!((single[0] - 0.5f32.sqrt()).abs() < 1e-7 && (single[1] + 0.5f32.sqrt()).abs() < 1e-7);
}

fn of_complex_numbers<O: Order, Dev: Full>() {
    let c = Complex::<f64>::new;
    let z = on::<_, _, O, Dev>(&tensor![[c(1.0, 2.0), c(0.0, -3.0)], [c(4.0, 0.0), c(-1.0, -1.0)]]);
    // (z - z.mean()) / np.linalg.norm(z - z.mean())
    let expected = tensor![
        [c(0.0, 0.4811252243246882), c(-0.19245008972987526, -0.4811252243246882)],
        [c(0.5773502691896257, 0.09622504486493763), c(-0.3849001794597505, -0.09622504486493763)]
    ];
    close(&normalised(&z), &expected);
    // (z - z.mean()) / z.std(): the norm of four centred elements is √4 times their standard deviation, so the result is twice as
    // large.
    close(&standardised(z.view()), &(expected * c(2.0, 0.0)));
    close(
        &phases(&on::<_, _, O, Dev>(&tensor![c(3.0, 4.0), c(0.0, -5.0)])),
        &tensor![c(0.6, 0.8), c(0.0, -1.0)],
    );
    assert_eq!(diagonal_sum(&z), c(0.0, 1.0));
    // z.conj() @ z
    let expected = tensor![[c(5.0, 12.0), c(-3.0, -6.0)], [c(0.0, 12.0), c(2.0, -12.0)]];
    close(&gram(&z), &expected);
}

fn of_integers<O: Order, Dev: Full>() {
    let n = on::<_, _, O, Dev>(&tensor![[1, 2], [-3, 8]]);
    let same = |got: Tensor<i32, Rank<2>, O, Dev>, expected: Tensor<i32, Rank<2>>| {
        assert_eq!(got.to_device::<Cpu>().unwrap(), expected.to_order());
    };
    same(centred_along(&n, 0), tensor![[2, -3], [-2, 3]]);
    let [below, _] = from_total(&n);
    same(below, tensor![[7, 6], [11, 0]]);
    same(parabola(&n, [1, 0, -1]), tensor![[0, 3], [8, 63]]);
    same(clipped(&n), tensor![[1, 2], [0, 8]]);
    same(complement(&n), tensor![[0, -1], [4, -7]]);
    same(gram(&n), tensor![[-5, 18], [-27, 58]]); // n @ n
    assert_eq!(diagonal_sum(&n), 9);
    // The mean is 2. The squares of the differences -1, 0, -5, 6 sum to 62, so the truncated norm is 7. Division by 7 truncates to
    // 0.
    same(normalised(&n), tensor![[0, 0], [0, 0]]);
}

fn of_other_ranks<O: Order, Dev: Full>() {
    let x = on::<_, _, O, Dev>(&Tensor::<f64, _>::arange(0.0..81.0).reshape([3, 3, 3, 3]));
    // x[i, j, k, l] = 27 i + 9 j + 3 k + l. The sum over i = j is 108 + 9 k + 3 l. The sum of that over k = l is 324 + 36.
    assert_eq!(traced_twice(&x).item(), 360.0);
    let trace = traceless(x.view());
    let expected = Tensor::<f64, _>::from_fn([3, 3], |[k, l]| 9.0 * k as f64 + 3.0 * l as f64 - 12.0);
    close(&trace, &expected);

    let x = sample::<O, Dev>();
    close(&first_off_mean(&x, 0), &tensor![1.0, 1.0, -1.0]);
    close(&first_off_mean(&x, 1), &(tensor![-4.0, -8.0] / 3.0));
    close(&outer_sum(&x), &tensor![[[2.0, 4.0, 8.0], [-2.0, 0.0, 12.0]]]);
    let v = on::<_, _, O, Dev>(&tensor![1.0, -2.0, 3.0]);
    assert_eq!(gram(&v).item(), 14.0);
}

fn of_views<O: Order, Dev: Full>() {
    let x = sample::<O, Dev>();
    // The lifetime of the views that `border` returns is that of the tensor. They remain valid after the view `whole` is dropped.
    let [low, high] = {
        let whole = x.view();
        border(whole, 1)
    };
    close(&low.to_owned(), &tensor![1.0, -1.0]);
    close(&high.to_owned(), &tensor![4.0, 6.0]);
    close(&longer(low, high).to_owned(), &tensor![4.0, 6.0]);
    let mut y = x.clone();
    clear_corner(y.view_mut());
    clear_corner(y.slice_mut(s![.., ..2]));
    close(&y, &tensor![[0.0, 2.0, 4.0], [-1.0, 0.0, 0.0]]);
}

fn of_own_operations<O: Order, Dev: Full>() {
    let x = on::<_, _, O, Dev>(&tensor![[0.0, 1.0, -1.0]]);
    // 1 / (1 + exp(-2)) = 0.88079..., and 1 - 0.88079...
    close(&activated(&x, 2.0), &tensor![[0.5, 0.8807970779778823, 0.11920292202211755]]);
    let mut y = x.t().to_owned();
    y.apply_inplace(Logistic { steepness: 0.0 });
    close(&y, &tensor![[0.5], [0.5], [0.5]]);

    let (n, m) = (on::<_, _, O, Dev>(&tensor![[4, 5], [6, 0]]), on::<_, _, O, Dev>(&tensor![[2, 2], [3, 3]]));
    let multiples = n.apply2(MultipleOf, &m).to_device::<Cpu>().unwrap();
    assert_eq!(multiples, tensor![[true, false], [true, true]].to_order());
    assert_eq!(n.apply2(MultipleOf, 5).cast::<i32>().sum().item(), 2);
    let error = m.try_apply2(MultipleOf, &n).unwrap_err().to_string();
    assert_eq!(
        error,
        "cannot find the multiples among tensors of i32: there is no i32 result for 3 and 0; convert them first, e.g. with `.cast::<f64>()`"
    );
    assert!(n.try_apply2(MultipleOf, &n.slice(s![.., ..0])).is_err());
}

// ------------------------------------------------------------------ concrete code

#[test]
fn first_row() {
    let x = tensor![[1.0, 2.0], [3.0, 4.0]];
    let row = first(x.view());
    assert_eq!(row, tensor![1.0, 2.0]);
    assert_eq!(first(x.t()), tensor![1.0, 3.0]);
    assert_eq!(first((&x).into()), row);
}

#[test]
fn fields_of_some_dimension() {
    let line = Field::<1>::new([3], |[i]| i as f64);
    assert_eq!((line.energy(), line.at([2])), (2.5, 2.0));
    let grid = Field::<3, ColMajor>::new([2, 2, 2], |[i, j, k]| (4 * i + 2 * j + k) as f64);
    assert_eq!(grid.clone().scaled(2.0).energy(), 280.0);
    assert_eq!(grid.at([1, 0, 1]), 5.0);
}

/// Constructors receive a device instance. Results of operations are on the instance of their operands.
#[test]
fn a_device_without_a_default() {
    let device = Remote::default();
    let x = Tensor::<f64, _, ColMajor, _>::from_vec_in([2, 2], vec![3.0, 0.0, 0.0, 4.0], &device);
    let y = normalised(&x);
    assert_eq!(y.device().allocated(), device.allocated());
    assert_eq!(Remote::default().allocated(), 0);
    assert!((y.norm().item() - 1.0).abs() < 1e-15);
    let z = sample::<ColMajor, Cpu>().to_device_in(&device).unwrap();
    assert_eq!(softmax(z.view(), 0).apply(op::Ceil).sum().item(), 6.0);
}

/// A contraction in generic code, which needs no additional bounds.
fn overlap<T: Scalar, O: Order, Dev: Backend<T>>(
    bra: TensorView<'_, T, Rank<3>, O, Dev>,
    ket: TensorView<'_, T, Rank<3>, O, Dev>,
    environment: &Tensor<T, Rank<2>, O, Dev>,
) -> Tensor<T, Rank<2>, O, Dev> {
    let mut out = einsum!("xy,xsa,ysb->ab", environment, bra.conj_view(), ket);
    einsum_into!(&mut out, T::one(), T::one(); "xy,xsa,ysb->ab", environment, bra.conj_view(), ket);
    out
}

fn energy<T: Scalar, D: Dim, O: Order, Dev: Backend<T>>(
    psi: TensorView<'_, T, D, O, Dev>,
    hamiltonian_psi: TensorView<'_, T, D, O, Dev>,
) -> Tensor<T, Rank<0>, O, Dev> {
    psi.vdot(hamiltonian_psi)
}

#[test]
fn contractions_in_generic_code() {
    let i = Complex::new(0.0, 1.0);
    let a = Tensor::<Complex<f64>, _, ColMajor>::from_fn([2, 2, 3], |[x, s, a]| {
        i * (x + 2 * s) as f64 + a as f64
    });
    let e = Tensor::<Complex<f64>, _, ColMajor>::eye(2);
    let found = overlap(a.view(), a.view(), &e);
    let expected = Tensor::<Complex<f64>, _, ColMajor>::from_fn([3, 3], |[p, q]| {
        let terms = (0..2).flat_map(|x| (0..2).map(move |s| (x, s)));
        terms.map(|(x, s)| a[[x, s, p]].conj() * a[[x, s, q]] * 2.0).sum()
    });
    assert_eq!(found, expected);
    assert_eq!(energy(a.view(), a.view()).item().im, 0.0);
    assert_eq!(energy(tensor![1, 2].view(), tensor![3, 4].view()).item(), 11);
}

/// `COST`, the cost of an operation per element, can have any value. Computations with `usize::MAX` must not overflow.
#[test]
fn maximum_operation_cost_is_accepted() {
    #[derive(Debug, Clone, Copy)]
    struct Forever;
    impl UnaryOp<f64> for Forever {
        type Output = f64;
        const NAME: &'static str = "wait for";
        const COST: usize = usize::MAX;
        fn apply(&self, x: f64) -> f64 {
            x + 1.0
        }
    }
    let x = Tensor::<f64, _>::from_fn([3, 70], |[i, j]| (i * j) as f64);
    assert_eq!(x.apply(Forever), &x + 1.0);
    assert_eq!(x.t().try_apply(Forever), Ok(x.t() + 1.0));
    assert_eq!(x.slice(s![..0, ..]).apply(Forever).shape(), [0, 70]);
}
