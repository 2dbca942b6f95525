//! Tests of reductions over all axes, one axis and several axes, of traces, and of cumulative sums and products.
//!
//! Elements are small integers, so sums, products and extrema are exact in every type. A result that overflows an integer type must
//! be an error.

use super::check::{
    assert_fits, assert_is, assert_owned, cases, elements, fixed, for_rank, for_types, put_all,
};
use super::number::{Exact, Number, Z};
use super::reference::Array;
use super::views::{Recipe, TestDim, recipe, shape, with_view};
use core::marker::PhantomData;
use proptest::prelude::*;
use vierbein::device::Reduction;
use vierbein::{
    AxesArg, ColMajor, Complex, Dim, Error, Order, Rank, RealScalar, RemoveAxes, RowMajor, Tensor, s,
};

/// Returns two different axes to reduce.
fn some_axes(rank: usize, picks: [u8; 2]) -> [usize; 2] {
    let (a, b) = (usize::from(picks[0]) % rank, usize::from(picks[1]) % (rank - 1));
    [a, if b >= a { b + 1 } else { b }]
}

fn all_axes(rank: usize) -> Vec<usize> {
    (0..rank).collect()
}

fn sum(values: &Vec<Z>) -> Z {
    values.iter().fold(Z::ZERO, |sum, z| sum.plus(z))
}

fn product(values: &Vec<Z>) -> Z {
    values.iter().fold(Z::ONE, |product, z| product.times(z))
}

// ------------------------------------------------------------------ sums of all types

/// Checks sums over all axes, over one axis and over two axes, without and with `keepdims`.
fn sums<T: Number, D, O: Order>(recipe: &Recipe, shape: &[usize], picks: [u8; 2])
where
    D: TestDim + RemoveAxes<1> + RemoveAxes<2>,
{
    with_view::<T, D, O>(recipe, shape, &mut |view, shown| {
        let pair = some_axes(shape.len(), picks);
        let over = |axes: &[usize]| shown.groups(axes, O::ROW_MAJOR).map(sum);
        assert_fits(view.try_sum(), &put_all(&over(&all_axes(shape.len()))));
        assert_fits(view.try_sum_axis(pair[0]), &put_all(&over(&pair[..1])));
        assert_fits(view.try_sum_axes(pair), &put_all(&over(&pair)));
        assert_fits(view.try_sum_keepdims(pair[0]), &put_all(&over(&pair[..1]).keeping(&pair[..1])));
        assert_fits(view.try_sum_keepdims(pair), &put_all(&over(&pair).keeping(&pair)));
        assert!(matches!(view.try_sum_axes([pair[0], pair[0]]), Err(Error::RepeatedAxis { .. })));
        assert!(matches!(view.try_sum_axis(shape.len()), Err(Error::AxisOutOfRange { .. })));
    });
}

/// Checks sums over all axes. Unlike [`sums`], this function accepts ranks 0 and 1.
fn whole_sums<T: Number, D: TestDim, O: Order>(recipe: &Recipe, shape: &[usize]) {
    with_view::<T, D, O>(recipe, shape, &mut |view, shown| {
        let total = shown.groups(&all_axes(shape.len()), O::ROW_MAJOR).map(sum);
        assert_fits(view.try_sum(), &put_all(&total));
        assert_fits(
            view.try_sum_keepdims(AllAxes::<D>(fixed::<D>(&all_axes(shape.len())))),
            &put_all(&Array { shape: vec![1; shape.len()], ..total }),
        );
    });
}

/// A list of axes for `keepdims` reductions: all axes of a rank.
#[derive(Debug, Clone, Copy)]
struct AllAxes<D: Dim>(D::Shape);
impl<D: Dim> AxesArg<D> for AllAxes<D> {
    type Axes = D::Shape;
    fn axes(self, _: usize) -> D::Shape {
        self.0
    }
}

fn products<T: Number, D, O: Order>(recipe: &Recipe, shape: &[usize], axis: usize)
where
    D: TestDim + RemoveAxes<1>,
{
    with_view::<T, D, O>(recipe, shape, &mut |view, shown| {
        let over = |axes: &[usize]| shown.groups(axes, O::ROW_MAJOR).map(product);
        assert_fits(view.try_prod(), &put_all(&over(&all_axes(shape.len()))));
        assert_fits(view.try_prod_axis(axis), &put_all(&over(&[axis])));
        assert_fits(view.try_prod_keepdims(axis), &put_all(&over(&[axis]).keeping(&[axis])));
        // Cumulative sums and products along the same axis.
        assert_fits(view.try_cumsum(axis), &put_all(&shown.scan(axis, Z::plus)));
        assert_fits(view.try_cumprod(axis), &put_all(&shown.scan(axis, Z::times)));
    });
}

fn traces<T: Number, D, O: Order>(recipe: &Recipe, shape: &[usize], [a, b]: [usize; 2])
where
    D: TestDim + RemoveAxes<2>,
{
    with_view::<T, D, O>(recipe, shape, &mut |view, shown| {
        if shape[a] != shape[b] {
            assert!(matches!(view.try_trace(a, b), Err(Error::ExtentMismatch { .. })));
            return;
        }
        let diagonal = shown.diagonal(a, b);
        let expected = diagonal.groups(&[diagonal.rank() - 1], O::ROW_MAJOR).map(sum);
        assert_fits(view.try_trace(a, b), &put_all(&expected));
        assert_fits(view.try_trace(b, a), &put_all(&expected));
        assert!(matches!(view.try_trace(a, a), Err(Error::RepeatedAxis { .. })));
    });
}

proptest! {
    #![proptest_config(cases(512))]

    #[test]
    fn sums_of_all_types(recipe in recipe(), shape in shape(2..=2, 25), picks in any::<[u8; 2]>()) {
        for_types!([i8, i16, i32, i64, u8, u16, u32, u64, f32, f64, Complex<f32>, Complex<f64>],
            2, [2], sums(&recipe, &shape, picks));
    }

    #[test]
    fn sums_of_all_ranks(recipe in recipe(), shape in shape(0..=6, 300), picks in any::<[u8; 2]>()) {
        for_rank!(shape.len(), [0 1 2 3 4 5 6], whole_sums::<i32>(&recipe, &shape));
        if shape.len() > 1 {
            for_rank!(shape.len(), [2 3 4 5 6], sums::<f64>(&recipe, &shape, picks));
        }
    }

    #[test]
    fn products_and_running_sums(recipe in recipe(), shape in shape(2..=2, 12), pick in 0usize..2) {
        for_types!([i8, u64, f64, Complex<f64>], 2, [2], products(&recipe, &shape, pick));
    }

    #[test]
    fn running_sums_of_all_ranks(recipe in recipe(), shape in prop_oneof![shape(1..=1, 12), shape(3..=4, 12)], pick in 0usize..12) {
        let axis = pick % shape.len();
        for_rank!(shape.len(), [1 3 4], products::<i32>(&recipe, &shape, axis));
    }

    #[test]
    fn traces_of_all_types(recipe in recipe(), mut shape in shape(2..=2, 25), equal in any::<bool>()) {
        shape[1] = if equal { shape[0] } else { shape[1] };
        for_types!([i8, i32, u64, f32, f64, Complex<f32>, Complex<f64>], 2, [2], traces(&recipe, &shape, [0, 1]));
    }

    #[test]
    fn traces_of_all_ranks(recipe in recipe(), mut shape in shape(2..=6, 100), picks in any::<[u8; 2]>()) {
        let axes = some_axes(shape.len(), picks);
        shape[axes[0]] = shape[axes[1]];
        for_rank!(shape.len(), [2 3 4 5 6], traces::<i32>(&recipe, &shape, axes));
    }
}

// ------------------------------------------------------------------ extrema and their indices

/// Returns the index of the first extremum: the first value `x` such that `beats(other, x)` is `false` for each other value.
fn first_best<T>(values: &[T], beats: fn(&T, &T) -> bool) -> usize {
    let best = (0..values.len()).find(|&k| values.iter().all(|other| !beats(other, &values[k])));
    best.expect("there are values")
}

/// Applies `f` to each group of values. Returns `None` if a group is empty, because the extremum of zero values is undefined.
fn extreme<T: Clone, W: Clone>(groups: Array<Vec<T>>, f: fn(&Vec<T>) -> W) -> Option<Array<W>> {
    groups.values.iter().all(|group| !group.is_empty()).then(|| groups.map(f))
}

#[track_caller]
fn assert_extreme<T: Exact, D: Dim, O: Order>(
    result: Result<Tensor<T, D, O>, Error>,
    expected: &Option<Array<T>>,
) {
    match (result, expected) {
        (Ok(found), Some(expected)) => assert_owned(&found, expected),
        (Ok(_), None) => panic!("nothing has no extreme"),
        (Err(error), expected) => {
            assert!(matches!(error, Error::Empty { .. }) && expected.is_none(), "{error}")
        }
    }
}

fn extremes<T: Number + RealScalar, D, O: Order>(recipe: &Recipe, shape: &[usize], picks: [u8; 2])
where
    D: TestDim + RemoveAxes<1> + RemoveAxes<2>,
{
    with_view::<T, D, O>(recipe, shape, &mut |view, shown| {
        let shown = elements::<T>(shown);
        let pair = some_axes(shape.len(), picks);
        let over = |axes: &[usize]| shown.groups(axes, O::ROW_MAJOR);
        let max = |axes: &[usize]| extreme(over(axes), |group| group[first_best(group, T::gt)]);
        let min = |axes: &[usize]| extreme(over(axes), |group| group[first_best(group, T::lt)]);
        let argmax = |axes: &[usize]| extreme(over(axes), |group| first_best(group, T::gt) as i64);
        let argmin = |axes: &[usize]| extreme(over(axes), |group| first_best(group, T::lt) as i64);
        let all = all_axes(shape.len());
        assert_extreme(view.try_max(), &max(&all));
        assert_extreme(view.try_max_axis(pair[0]), &max(&pair[..1]));
        assert_extreme(view.try_max_keepdims(pair), &max(&pair).map(|x| x.keeping(&pair)));
        assert_extreme(view.try_min_axes(pair), &min(&pair));
        assert_extreme(view.try_min_axis(pair[0]), &min(&pair[..1]));
        assert_extreme(view.try_argmax(), &argmax(&all));
        assert_extreme(view.try_argmax_axis(pair[0]), &argmax(&pair[..1]));
        assert_extreme(view.try_argmax_axes(pair), &argmax(&pair));
        assert_extreme(view.try_argmax_keepdims(pair[1]), &argmax(&pair[1..]).map(|x| x.keeping(&pair[1..])));
        assert_extreme(view.try_argmin(), &argmin(&all));
        assert_extreme(view.try_argmin_axes([pair[1], pair[0]]), &argmin(&pair));
    });
}

fn all_of(group: &Vec<bool>) -> bool {
    !group.contains(&false)
}

fn any_of(group: &Vec<bool>) -> bool {
    group.contains(&true)
}

/// Checks reductions of masks, also of zero elements.
fn quantifies<T: Exact, D, O: Order>(recipe: &Recipe, shape: &[usize], picks: [u8; 2])
where
    D: TestDim + RemoveAxes<1> + RemoveAxes<2>,
{
    with_view::<bool, D, O>(recipe, shape, &mut |view, shown| {
        let shown = elements::<bool>(shown);
        let pair = some_axes(shape.len(), picks);
        let over = |axes: &[usize]| shown.groups(axes, O::ROW_MAJOR);
        let all = |axes: &[usize]| over(axes).map(all_of);
        let any = |axes: &[usize]| over(axes).map(any_of);
        assert_owned(&view.all(), &all(&all_axes(shape.len())));
        assert_owned(&view.any(), &any(&all_axes(shape.len())));
        assert_owned(&view.all_axis(pair[0]), &all(&pair[..1]));
        assert_owned(&view.any_axis(pair[1]), &any(&pair[1..]));
        assert_owned(&view.all_axes(pair), &all(&pair));
        assert_owned(&view.any_keepdims(pair), &any(&pair).keeping(&pair));
        let argmax = |axes: &[usize]| extreme(over(axes), |group| first_best(group, bool::gt) as i64);
        let argmin = |axes: &[usize]| extreme(over(axes), |group| first_best(group, bool::lt) as i64);
        assert_extreme(view.try_argmax(), &argmax(&all_axes(shape.len())));
        assert_extreme(view.try_argmax_axis(pair[0]), &argmax(&pair[..1]));
        assert_extreme(view.try_argmin_axes(pair), &argmin(&pair));
        assert_extreme(view.try_argmin_keepdims(pair[1]), &argmin(&pair[1..]).map(|x| x.keeping(&pair[1..])));
    });
}

proptest! {
    #![proptest_config(cases(512))]

    #[test]
    fn extremes_of_real_types(recipe in recipe(), shape in shape(2..=2, 25), picks in any::<[u8; 2]>()) {
        for_types!([i64, u8, f64], 2, [2], extremes(&recipe, &shape, picks));
    }

    #[test]
    fn extremes_of_all_ranks(recipe in recipe(), shape in shape(3..=4, 200), picks in any::<[u8; 2]>()) {
        for_rank!(shape.len(), [3 4], extremes::<f64>(&recipe, &shape, picks));
    }

    #[test]
    fn reductions_of_masks(recipe in recipe(), shape in shape(2..=3, 60), picks in any::<[u8; 2]>()) {
        for_rank!(shape.len(), [2 3], quantifies::<bool>(&recipe, &shape, picks));
    }

    /// If there is a NaN, it is the extremum, and its first index is the index of the extremum.
    #[test]
    fn extremes_with_nan(
        values in prop::collection::vec(prop_oneof![Just(f64::NAN), Just(f64::INFINITY), Just(-0.0), -9.0..9.0], 1..200),
    ) {
        let x = Tensor::<f64, Rank<1>>::from(values.clone());
        let nan = values.iter().position(|v| v.is_nan());
        let expected = |f: fn(f64, f64) -> f64| if nan.is_some() { f64::NAN } else { values.iter().copied().fold(values[0], f) };
        assert!(x.max().item().same(expected(f64::max)));
        assert!(x.min().item().same(expected(f64::min)));
        let first = |beats: fn(&f64, &f64) -> bool| nan.unwrap_or_else(|| first_best(&values, beats)) as i64;
        assert_eq!(x.argmax().item(), first(f64::gt));
        assert_eq!(x.argmin().item(), first(f64::lt));
        assert_eq!(x.sum().item().is_nan(), nan.is_some());
        // Reduces a matrix along axis 0. Each of its three columns has the same elements as `x`.
        let column = x.insert_axis(1).broadcast_to([values.len(), 3]).to_owned();
        assert_is(&column.argmax_axis(0), &Array { shape: vec![3], values: vec![first(f64::gt); 3] });
        assert_is(&column.max_axis(0), &Array { shape: vec![3], values: vec![expected(f64::max); 3] });
    }
}

// ------------------------------------------------------------------ accumulators of any size and alignment

/// An accumulator of the user-defined reduction [`Histogram`]: an array of bins.
trait Bins: Copy + Send + Sync {
    const EMPTY: Self;
    fn bins(&mut self) -> &mut [u64];
    /// Returns the number of elements in all bins.
    fn total(mut self) -> i64 {
        self.bins().iter().sum::<u64>() as i64
    }
}

macro_rules! bins {
    ($($name:ident: $align:literal $bins:expr;)*) => {$(
        #[derive(Clone, Copy)]
        #[repr(align($align))]
        struct $name([u64; $bins]);
        impl Bins for $name {
            const EMPTY: Self = $name([0; $bins]);
            fn bins(&mut self) -> &mut [u64] {
                &mut self.0
            }
        }
    )*};
}
bins! {
    OneKib: 8 128;
    MoreThanOneKib: 8 129;
    Kib256: 8 1 << 15;
    Kib512: 8 1 << 16;
    Aligned128: 128 16;
    Aligned4096: 4096 512;
    Empty: 1 0;
    EmptyAligned: 4096 0;
}

/// The unit type is an accumulator of zero size, without bins.
impl Bins for () {
    const EMPTY: Self = ();
    fn bins(&mut self) -> &mut [u64] {
        &mut []
    }
}

/// A user-defined reduction that counts elements by their remainders modulo the number of bins. The result depends on every bin and
/// on the number of elements.
struct Histogram<A>(PhantomData<A>);

impl<A> Clone for Histogram<A> {
    fn clone(&self) -> Self {
        *self
    }
}
impl<A> Copy for Histogram<A> {}

impl<A: Bins> Reduction<i32> for Histogram<A> {
    type Acc = A;
    type Output = i64;
    const NAME: &'static str = "histogram";
    fn identity(&self) -> A {
        A::EMPTY
    }
    fn fold(&self, mut acc: A, x: i32, _: usize) -> A {
        assert_eq!((&raw const acc).addr() % align_of::<A>(), 0);
        let bins = acc.bins();
        if !bins.is_empty() {
            bins[x as usize % bins.len()] += 1;
        }
        acc
    }
    fn combine(&self, mut a: A, mut b: A) -> A {
        for (a, b) in a.bins().iter_mut().zip(b.bins()) {
            *a += *b;
        }
        a
    }
    fn finish(&self, mut acc: A, count: usize) -> Option<i64> {
        assert!(acc.bins().is_empty() || acc.total() == count as i64);
        Some(summary(acc.bins(), count))
    }
}

fn summary(bins: &[u64], count: usize) -> i64 {
    bins.iter().zip(1..).map(|(&n, weight)| n as i64 * weight).sum::<i64>() * 10_000_000 + count as i64
}

/// A user-defined reduction that depends on the order of the elements: a polynomial whose coefficients are the elements. The
/// accumulator has `N` numbers, of which only the first and the last are used.
#[derive(Clone, Copy)]
struct InOrder<const N: usize>;

impl<const N: usize> Reduction<i32> for InOrder<N> {
    /// The first number is the value of the polynomial, the last is the base to the power of the number of elements. All others are
    /// zero.
    type Acc = [u64; N];
    type Output = i64;
    const NAME: &'static str = "polynomial";
    const USES_INDEX: bool = true;
    fn identity(&self) -> [u64; N] {
        let mut acc = [0; N];
        acc[N - 1] = 1;
        acc
    }
    fn fold(&self, mut acc: [u64; N], x: i32, _: usize) -> [u64; N] {
        acc[0] = acc[0].wrapping_mul(31).wrapping_add(x as u64);
        acc[N - 1] = acc[N - 1].wrapping_mul(31);
        acc
    }
    fn combine(&self, mut a: [u64; N], b: [u64; N]) -> [u64; N] {
        a[0] = a[0].wrapping_mul(b[N - 1]).wrapping_add(b[0]);
        a[N - 1] = a[N - 1].wrapping_mul(b[N - 1]);
        a
    }
    fn finish(&self, acc: [u64; N], _: usize) -> Option<i64> {
        Some(acc[0] as i64)
    }
}

/// A user-defined reduction whose accumulator has 256 floating-point sums, which are rounded.
#[derive(Clone, Copy)]
struct Rounded;

impl Reduction<i32> for Rounded {
    type Acc = [f64; 256];
    type Output = f64;
    const NAME: &'static str = "sum";
    fn identity(&self) -> [f64; 256] {
        [0.0; 256]
    }
    fn fold(&self, mut acc: [f64; 256], x: i32, _: usize) -> [f64; 256] {
        acc[x as usize % 256] += f64::from(x) / 7.0;
        acc
    }
    fn combine(&self, mut a: [f64; 256], b: [f64; 256]) -> [f64; 256] {
        a.iter_mut().zip(b).for_each(|(a, b)| *a += b);
        a
    }
    fn finish(&self, acc: [f64; 256], _: usize) -> Option<f64> {
        Some(acc.iter().sum())
    }
}

fn on_threads<R: Send>(threads: usize, f: impl FnOnce() -> R + Send) -> R {
    rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap().install(f)
}

/// Reduces a matrix and views of it along axis 0, along axis 1 and along both axes. Does so on the current thread, and on thread
/// pools of one and three threads. `expected` returns the result for a list of elements.
fn reduces<F: Reduction<i32, Output = i64>, O: Order>(
    op: F,
    [rows, columns]: [usize; 2],
    expected: impl Fn(&[i32]) -> i64,
) {
    let x = Tensor::<i32, Rank<2>, O>::from_fn([rows, columns], |[i, j]| {
        ((i * columns + j).wrapping_mul(2_654_435_761) >> 9) as i32 & 0xf_ffff
    });
    let reversed = x.slice(s![..;-1, ..;-2]);
    for view in [x.view(), reversed] {
        let [m, n] = view.shape();
        let (mut by_row, mut by_column) = (Vec::with_capacity(m * n), vec![0; m * n]);
        for i in 0..m {
            for j in 0..n {
                by_row.push(view[[i, j]]);
                by_column[j * m + i] = by_row[i * n + j];
            }
        }
        let columns: Vec<i64> = (0..n).map(|j| expected(&by_column[j * m..][..m])).collect();
        let rows: Vec<i64> = (0..m).map(|i| expected(&by_row[i * n..][..n])).collect();
        // The elements are reduced in memory order.
        let whole = expected(if O::ROW_MAJOR { &by_row } else { &by_column });
        let check = || {
            assert_eq!(view.reduce_axis(0, op).to_vec(), columns);
            assert_eq!(view.reduce_axis(1, op).to_vec(), rows);
            assert_eq!(view.reduce(op).item(), whole);
        };
        check();
        on_threads(1, check);
        on_threads(3, check);
    }
}

fn histograms<A: Bins>(shape: [usize; 2]) {
    let expected = |elements: &[i32]| {
        let n = size_of::<A>() / size_of::<u64>();
        let mut bins = vec![0; n];
        for &x in elements.iter().filter(|_| n > 0) {
            bins[x as usize % n] += 1;
        }
        summary(&bins, elements.len())
    };
    reduces::<_, RowMajor>(Histogram::<A>(PhantomData), shape, expected);
    reduces::<_, ColMajor>(Histogram::<A>(PhantomData), shape, expected);
}

#[test]
fn accumulators_of_any_size() {
    histograms::<()>([400, 100]);
    histograms::<Empty>([40, 70]);
    histograms::<OneKib>([400, 100]);
    histograms::<MoreThanOneKib>([150, 100]);
    histograms::<Kib256>([30, 17]);
    histograms::<Kib512>([7, 9]);
    histograms::<OneKib>([0, 3]);
    histograms::<MoreThanOneKib>([0, 3]);
}

#[test]
fn accumulators_of_any_alignment() {
    histograms::<EmptyAligned>([40, 70]);
    histograms::<Aligned128>([400, 100]);
    histograms::<Aligned4096>([50, 60]);
}

#[test]
fn large_accumulators_take_elements_in_order() {
    fn check<const N: usize>(shape: [usize; 2]) {
        let polynomial = |elements: &[i32]| {
            elements.iter().fold(0u64, |value, &x| value.wrapping_mul(31).wrapping_add(x as u64)) as i64
        };
        reduces::<_, RowMajor>(InOrder::<N>, shape, polynomial);
        reduces::<_, ColMajor>(InOrder::<N>, shape, polynomial);
    }
    check::<128>([100, 90]);
    check::<130>([100, 90]);
    // This matrix is large enough to be reduced in parallel.
    check::<130>([300, 500]);
}

#[test]
fn large_accumulators_do_not_depend_on_threads() {
    let x = Tensor::<i32, Rank<2>>::from_fn([3, 140_000], |[i, j]| (i * 77 + j) as i32 % 100_003);
    let results = [1, 2, 3].map(|threads| {
        on_threads(threads, || (x.reduce_axis(1, Rounded).to_vec(), x.reduce(Rounded).item().to_bits()))
    });
    assert!(results.iter().all(|result| *result == results[0]));
    let exact: f64 = x.to_vec().iter().map(|&x| f64::from(x)).sum::<f64>() / 7.0;
    assert!((f64::from_bits(results[0].1) / exact - 1.0).abs() < 1e-12);
}
