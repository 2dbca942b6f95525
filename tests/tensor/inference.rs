//! Tests of type inference: code with as few type annotations as users write. The main test is that this code compiles.

use std::sync::LazyLock;
use vierbein::DynTensor;
use vierbein::prelude::*;
use vierbein::{CastTo, Complex, Element, c64};

#[test]
fn constructor_types_are_inferred_from_use() {
    let a: Tensor<f64, Rank<2>> = Tensor::zeros([2, 3]);
    assert_eq!(&a + &Tensor::zeros([2, 3]), a);
    let z = Tensor::ones([2, 3]);
    assert_eq!((&a + &z).sum().item(), 6.0);
    let defaults = Tensor::<f32, _>::zeros([4]);
    assert_eq!(defaults.shape(), [4]);
    let column_major: Tensor<_, _, ColMajor> = Tensor::full([2, 2], 1.5);
    assert_eq!(column_major[[0, 1]], 1.5);
}

#[test]
fn literal_types_are_inferred_from_elements() {
    let f: Tensor<f32, Rank<1>> = Tensor::ones([3]);
    assert_eq!((&f + 1.0).as_slice(), [2.0f32; 3]);
    assert_eq!((2.0 * &f - 0.5 / &f).as_slice(), [1.5f32; 3]);
    assert_eq!(f.gt(0.5).to_vec(), [true; 3]);
    assert_eq!(f.maximum(7.0).to_vec(), [7.0f32; 3]);
    let i = tensor![[1u8, 2], [3, 4]];
    assert_eq!((&i % 2).as_slice(), [1u8, 0, 1, 0]);
    let z: Tensor<c64, Rank<1>> = tensor![Complex::new(1.0, 2.0)];
    assert_eq!((&z * Complex::i())[[0]], Complex::new(-2.0, 1.0));
}

#[test]
fn ranks_of_literals_and_slices_are_inferred() {
    assert_eq!(tensor![[1, 2, 3], [4, 5, 6]].shape(), [2, 3]);
    let x = tensor![[1, 2, 3], [4, 5, 6]];
    assert_eq!(x.slice(s![0, ..]).shape(), [3]);
    assert_eq!(x.slice(s![.., -1]).sum().item(), 9);
    let last = 1usize;
    assert_eq!(x.slice(s![last, 1..]).to_vec(), [5, 6]);
    assert_eq!(x.slice(s![.., NewAxis, ..;2]).shape(), [2, 1, 2]);
    assert_eq!(x.sum_axis(0)[[1]], 7);
}

#[test]
fn every_mix_of_owned_and_borrowed_operands() {
    let (a, b) = (tensor![1, 2], tensor![10, 20]);
    let sum = tensor![11, 22];
    assert_eq!(&a + &b, sum);
    assert_eq!(a.clone() + &b, sum);
    assert_eq!(&a + b.clone(), sum);
    assert_eq!(a.clone() + b.clone(), sum);
    assert_eq!(a.view() + b.view(), sum);
    assert_eq!(a.view() + &b, sum);
    assert_eq!(a.view() + b.clone(), sum);
    let mut c = a.clone();
    c += &b;
    c += b.view();
    c -= b;
    assert_eq!(c, sum);
    let (m, v) = (tensor![[1, 2], [3, 4]], tensor![10, 20]);
    let rows: Tensor<i32, Rank<2>> = &v + &m;
    assert_eq!(rows, tensor![[11, 22], [13, 24]]);
    let d: Tensor<i32, Rank<2>, ColMajor> = Tensor::from([[1, 2], [3, 4]]);
    let e: Tensor<i32, Rank<2>, ColMajor> = d.t() + &d;
    assert_eq!(e, Tensor::from([[2, 5], [5, 8]]));
}

#[test]
fn owned_operands_are_reused() {
    let a = Tensor::<f64, _>::ones([100]);
    let b = Tensor::<f64, _>::ones([100]);
    let at = a.as_slice().as_ptr();
    let sum = a + &b;
    assert_eq!(sum.as_slice().as_ptr(), at);
    let sum = &b - sum;
    assert_eq!((sum.as_slice().as_ptr(), sum[[0]]), (at, -1.0));
    let scaled = 2.0 * -sum;
    assert_eq!((scaled.as_slice().as_ptr(), scaled[[0]]), (at, 2.0));
    let row = Tensor::<f64, _>::ones([1]) + scaled;
    assert_eq!(row.as_slice().as_ptr(), at);
    // `row` is smaller than the result, so the result does not reuse its buffer.
    let matrix = row + Tensor::ones([2, 100]);
    assert_ne!(matrix.as_slice().as_ptr(), at);
}

/// Methods take owned tensors, references, views and scalars. The element types and ranks of results are inferred from the arguments.
#[test]
fn arguments_are_tensors_views_or_references() {
    fn norm(x: impl AsView<Element = f64, Dim = Rank<1>, Order = RowMajor, Device = Cpu>) -> f64 {
        let x = x.as_view();
        x.dot(x).item().sqrt()
    }
    let (a, u) = (tensor![[1.0, 2.0], [3.0, 4.0]], tensor![3.0, 4.0]);
    assert_eq!([norm(&u), norm(u.slice(s![1..])), norm(&u), norm(u.clone())], [5.0, 4.0, 5.0, 5.0]);
    let mut to = Tensor::zeros([2, 2]);
    to.assign(a.t());
    assert_eq!(to, tensor![[1.0, 3.0], [2.0, 4.0]]);
    to.assign(a.index_axis(0, 1));
    assert_eq!(to, tensor![[3.0, 4.0], [3.0, 4.0]]);
    to.assign(a.clone());
    to += a.slice(s![.., ..1]);
    assert_eq!(to, tensor![[2.0, 3.0], [6.0, 7.0]]);
    assert_eq!(a.matmul(a.matmul(&u)), tensor![61.0, 133.0]);
    assert_eq!(a.matmul(a.t()), tensor![[5.0, 11.0], [11.0, 25.0]]);
    assert_eq!(a.tensordot(a.clone(), [1], [0]), tensor![[7.0, 10.0], [15.0, 22.0]]);
    assert_eq!(u.vdot(u.conj()).item(), 25.0);
    assert!(a.all_close(a.t().t(), 0.0, 0.0) && !a.all_close(a.t(), 0.1, 0.0));
    assert_eq!(Tensor::from_diagonal(a.index_axis(0, 1)), tensor![[3.0, 0.0], [0.0, 4.0]]);
    to.copy_from(a.t()).unwrap();
    assert_eq!(to, tensor![[1.0, 3.0], [2.0, 4.0]]);
    assert_eq!(a.maximum(a.t()).maximum(2.5), tensor![[2.5, 3.0], [3.0, 4.0]]);
    assert_eq!(a.zip_map(a.t(), |x, y| x - y), tensor![[0.0, -1.0], [1.0, 0.0]]);
    assert_eq!(einsum!("ij,jk->ik", a.matmul(&a), a.clone()), tensor![[37.0, 54.0], [81.0, 118.0]]);
    assert_eq!(einsum!("i,i->", u.conj(), u.conj_view()).item(), 25.0);

    let mask = a.lt(a.t());
    assert_eq!(mask.select(&a, 0.0), tensor![[0.0, 2.0], [0.0, 0.0]]);
    assert_eq!(mask.select(0.0, a.t()), tensor![[1.0, 0.0], [2.0, 4.0]]);
    assert_eq!(mask.select(1, -1), tensor![[-1, 1], [-1, -1]]);
    assert_eq!(mask.select(true, false), mask);
    assert_eq!(tensor![true].select(0.0, &tensor![1.0f32]), tensor![0.0f32]);
    assert_eq!(
        tensor![false].select(Complex::new(0.0, 1.0f32), Complex::from(2.0)),
        tensor![Complex::new(2.0, 0.0)]
    );
}

#[test]
fn rank_0_compares_with_scalars_and_converts() {
    let x = tensor![1.5f32, 2.0];
    assert!(x.sum() == 3.5 && x.sum() != 3.0 && x.sum() > 2.0 && x.sum() <= 3.5);
    assert!(x.index_axis(0, 1) == 2.0 && !(x.index_axis(0, 1) < 2.0));
    let nan = tensor![f64::NAN].sum();
    assert!(nan != nan.item() && !(nan > 0.0) && !(nan <= 0.0));
    assert_eq!(tensor![1, 2].sum(), 3);
    assert_eq!(tensor![true, false].any(), true);
    assert_eq!(tensor![Complex::new(1.0, 2.0)].sum(), Complex::new(1.0, 2.0));
    assert_eq!(f32::from(x.sum()), 3.5);
    let norm: f64 = tensor![3.0, 4.0].norm().into();
    assert_eq!(norm, 5.0);
    assert!(bool::from(tensor![true].all()));
}

#[test]
fn real_scalars_combine_with_complex_tensors() {
    let mut z = tensor![Complex::new(1.0, 2.0)];
    assert_eq!(&z * 2.0, tensor![Complex::new(2.0, 4.0)]);
    assert_eq!(2.0 * &z, tensor![Complex::new(2.0, 4.0)]);
    assert_eq!(1.0 - z.clone(), tensor![Complex::new(0.0, -2.0)]);
    z /= 2.0;
    assert_eq!(z, tensor![Complex::new(0.5, 1.0)]);
    let z = tensor![Complex::new(1.0f32, 2.0)];
    assert_eq!(z * 2.0 + 1.0, tensor![Complex::new(3.0f32, 4.0)]);
}

/// The left operand determines the element type of the result, so a complex tensor accepts real ones. Complex scalars combine with real
/// tensors on either side.
#[test]
fn complex_operands_combine_with_real_ones() {
    let (re, im) = ([1.0, -2.0, 0.5, 3.0], [2.0, 0.25, -1.0, 4.0]);
    let z: Tensor<c64, Rank<2>> =
        Tensor::from_fn([2, 2], |[i, j]| Complex::new(re[2 * i + j], im[2 * i + j]));
    let w = tensor![2.0, -4.0];
    let map = |f: &dyn Fn(f64, f64, f64) -> (f64, f64)| -> Tensor<c64, Rank<2>> {
        Tensor::from_fn([2, 2], |[i, j]| {
            let (re, im) = f(re[2 * i + j], im[2 * i + j], [2.0, -4.0][j]);
            Complex::new(re, im)
        })
    };
    let sum = map(&|re, im, x| (re + x, im));
    let difference = map(&|re, im, x| (re - x, im));
    let product = map(&|re, im, x| (re * x, im * x));
    let quotient = map(&|re, im, x| (re / x, im / x));
    assert_eq!(&z + &w, sum);
    assert_eq!(&z - w.clone(), difference);
    assert_eq!(z.clone() * w.view(), product);
    assert_eq!(z.clone() / &w, quotient);
    assert_eq!(
        z.t().to_order::<ColMajor>() * w.insert_axis(1).to_order(),
        product.t().to_order::<ColMajor>()
    );
    let mut y = z.clone();
    y += &w;
    assert_eq!(y, sum);
    y -= w.view();
    y *= w.clone();
    assert_eq!(y, product);
    y /= &w;
    assert_eq!(y, z);
    // The buffer of an owned left operand is reused.
    let at = y.as_slice().as_ptr();
    assert_eq!((y * &w).as_slice().as_ptr(), at);
    // A vector on the left broadcasts to the shape of the matrix on the right.
    assert_eq!(
        tensor![Complex::i(), Complex::from(1.0)] * tensor![[1.0, 2.0], [3.0, 4.0]],
        tensor![[Complex::i(), Complex::from(2.0)], [Complex::i() * 3.0, Complex::from(4.0)]]
    );

    let i: c64 = Complex::i();
    let turned = tensor![i * 2.0, i * -4.0];
    assert_eq!((i * &w, &w * i), (turned.clone(), turned));
    assert_eq!(i + w.clone(), tensor![Complex::new(2.0, 1.0), Complex::new(-4.0, 1.0)]);
    assert_eq!(w.clone() - i, tensor![Complex::new(2.0, -1.0), Complex::new(-4.0, -1.0)]);
    assert_eq!(i / &w, tensor![i * 0.5, i * -0.25]);
    assert_eq!(w / i, tensor![i * -2.0, i * 4.0]);
    assert_eq!(Complex::new(0.0f32, 2.0) * tensor![0.5f32], tensor![Complex::new(0.0f32, 1.0)]);

    let mut z = tensor![Complex::new(1.0, 2.0), Complex::new(3.0, 4.0)];
    z.masked_fill(tensor![true, false], 0.0);
    assert_eq!(z, tensor![Complex::new(0.0, 0.0), Complex::new(3.0, 4.0)]);
}

#[test]
fn numbers_accumulate_rank_0() {
    let x = tensor![[1.0, 2.0], [3.0, 4.0]];
    let mut total = 0.5;
    total += x.sum();
    total *= x.max();
    total -= x.sum_axis(0).min();
    total /= x.min();
    assert_eq!(total, 38.0);
    let mut count = 1;
    count += x.gt(1.0).cast::<i32>().sum();
    assert_eq!(count, 4);
}

#[test]
fn constants_convert_to_any_element_type() {
    fn halves<T: Scalar>(x: TensorView<'_, T, Rank<1>>) -> Tensor<T, Rank<1>> {
        x * T::from_f64(0.5)
    }
    assert_eq!(halves(tensor![1.0f32].view()), tensor![0.5]);
    assert_eq!(halves(tensor![Complex::new(1.0, 3.0)].view()), tensor![Complex::new(0.5, 1.5)]);
    assert_eq!([i8::from_f64(-300.0), i8::from_f64(2.9), i8::from_f64(f64::NAN)], [-128, 2, 0]);
}

/// The only bound is `T: Scalar` or `T: Inexact`.
#[test]
fn literals_cast_to_generic_element_types() {
    fn weights<T: Inexact>() -> Tensor<T, Rank<2>> {
        tensor![[0.5, 1.5]].cast::<T>()
    }
    assert_eq!(weights::<f32>(), tensor![[0.5f32, 1.5]]);
    assert_eq!(weights::<c64>(), tensor![[Complex::new(0.5, 0.0), Complex::new(1.5, 0.0)]]);

    fn mixed<T: Scalar>(x: &Tensor<T, Rank<1>>) -> Tensor<T, Rank<1>> {
        let single: Tensor<f32, Rank<1>> = tensor![2.0, 3.0];
        x * tensor![3, -1].cast() + tensor![true, false].cast::<T>() - single.cast::<T>()
    }
    assert_eq!(mixed(&tensor![10i16, 20]), tensor![29i16, -23]);
    assert_eq!(
        mixed(&tensor![Complex::new(0.0, 1.0), Complex::from(1.0)]),
        tensor![Complex::new(-1.0, 3.0), Complex::new(-4.0, 0.0)]
    );

    fn from_where_clause<T: Element>() -> Tensor<T, Rank<1>>
    where
        f64: CastTo<T>,
    {
        tensor![2.9, -3.9].cast()
    }
    assert_eq!(from_where_clause::<i8>(), tensor![2i8, -3]);
}

#[test]
fn real_numbers_scale_generic_tensors() {
    fn unit<T: Inexact>(x: Tensor<T, Rank<1>>) -> Tensor<T, Rank<1>> {
        let norm = x.norm().item();
        x / T::from_magnitude(norm)
    }
    assert_eq!(unit(tensor![3.0f32, 4.0]), tensor![0.6f32, 0.8]);
    assert_eq!(
        unit(tensor![Complex::new(0.0, 4.0), Complex::from(-3.0)]),
        tensor![Complex::new(0.0, 0.8), Complex::new(-0.6, 0.0)]
    );

    fn doubled<T: Scalar>(x: Tensor<T, Rank<1>>, two: T::Real) -> Tensor<T, Rank<1>> {
        x * T::from_real(two)
    }
    assert_eq!(doubled(tensor![3i8, -4], 2), tensor![6i8, -8]);
    assert_eq!(doubled(tensor![Complex::new(3.0, 4.0)], 2.0), tensor![Complex::new(6.0, 8.0)]);

    fn scaled<T: Scalar>(x: &Tensor<T, Rank<1>>) -> Tensor<T::Float, Rank<1>> {
        x.cast::<T::Float>() * x.norm().cast()
    }
    assert_eq!(scaled(&tensor![3, -4]), tensor![15.0, -20.0]);
    assert_eq!(scaled(&tensor![Complex::new(3.0, 4.0)]), tensor![Complex::new(15.0, 20.0)]);
}

#[test]
fn views_live_as_long_as_what_they_borrow_from() {
    fn diagonal<'a>(x: TensorView<'a, f64, Rank<2>>) -> TensorView<'a, f64, Rank<1>> {
        x.t().diagonal(0, 1)
    }
    fn rows<'a>(x: TensorView<'a, f64, Rank<2>>) -> Vec<TensorView<'a, f64, Rank<1>>> {
        x.axis_iter(0).collect()
    }
    fn elements<'a>(x: TensorView<'a, f64, Rank<2>>) -> impl Iterator<Item = &'a f64> {
        x.into_iter()
    }
    fn shorter<'a>(
        x: TensorView<'static, f64, Rank<2>>,
        y: &'a TensorView<'a, f64, Rank<2>>,
    ) -> [TensorView<'a, f64, Rank<2>>; 2] {
        [x, y.view()]
    }
    let x = tensor![[1.0, 2.0], [3.0, 4.0]];
    assert_eq!(diagonal(x.view()), tensor![1.0, 4.0]);
    assert_eq!(rows(x.t())[1], tensor![2.0, 4.0]);
    assert_eq!(elements(x.view()).sum::<f64>(), 10.0);
    static ETERNAL: LazyLock<Tensor<f64, Rank<2>>> = LazyLock::new(|| Tensor::eye(2));
    assert_eq!(shorter(ETERNAL.view(), &x.view())[1], x);
}

#[cfg(feature = "rayon")]
#[test]
fn views_are_iterated_on_threads() {
    use rayon::prelude::*;
    fn row_sums(x: TensorView<'_, f64, Rank<2>>) -> Vec<f64> {
        x.par_axis_iter(0).map(|row| row.sum().item()).collect()
    }
    let x = tensor![[1.0, 2.0], [3.0, 4.0]];
    assert_eq!(row_sums(x.t()), [4.0, 6.0]);
}

/// Indices that the library returns are accepted wherever an index is.
#[test]
fn returned_indices_are_arguments() {
    let x = tensor![3.0, 9.0, 1.0, 5.0];
    let best = x.argmax().item();
    assert_eq!((best, x[[best]]), (1, 9.0));
    assert_eq!(x.slice(s![best..]), tensor![9.0, 1.0, 5.0]);
    assert_eq!(x.slice(s![..best; 1]), tensor![3.0]);
    assert_eq!(x.slice(s![best]), 9.0);
    let m = tensor![[1, 2], [3, 4]];
    assert_eq!(m.index_axis(0, best), tensor![3, 4]);
    assert_eq!(m.index_axis(best, 0), tensor![1, 3]);
    let order = x.argsort(0);
    assert_eq!(x.take(0, &order), tensor![1.0, 3.0, 5.0, 9.0]);
    assert_eq!(x.take(0, order.slice(s![..2])), tensor![1.0, 3.0]);
    assert_eq!(x[[order[[0]]]], 1.0);
    assert_eq!(x.take(0, [3_u8, 0]), tensor![5.0, 3.0]);
    assert_eq!(x.take(0, vec![3_u64, 0]), tensor![5.0, 3.0]);
    assert_eq!(x.take(0, [-1_i8, 0]), tensor![5.0, 3.0]);
    assert_eq!(x.take(0, [3_i16, 0]), tensor![5.0, 3.0]);
    assert_eq!(x.take(0, [3_u16, 0]), tensor![5.0, 3.0]);
    assert!(x.try_take(0, [u64::MAX]).is_err());
    let counts = tensor![0, 2, 2, 3, 2].bincount(0);
    let values = tensor![10, 11, 12, 13];
    assert_eq!(values.repeat(0, &counts), tensor![10, 12, 12, 12, 13]);
    assert_eq!(values.repeat(0, counts.to_vec()), tensor![10, 12, 12, 12, 13]);
    assert_eq!(values.repeat(0, [0_u8, 1, 0, 2]), tensor![11, 13, 13]);
    let repeated = DynTensor::from(values.clone()).repeat_each(0, &counts.to_vec()).unwrap();
    assert_eq!(repeated.downcast_ref().unwrap(), tensor![10, 12, 12, 12, 13]);
    assert_eq!(values.repeat(0, best), values);
    assert_eq!(
        values.try_repeat(0, [1, 1, -1, 1]).unwrap_err().to_string(),
        "cannot repeat: -1 is not a number of repetitions; pass numbers that are not negative"
    );
    assert_eq!(x.reshape([2_i64, -1]).shape(), [2, 2]);
}

#[cfg(feature = "rand")]
#[test]
fn complex_normal_samples() {
    use rand::{SeedableRng, rngs::StdRng};
    let n = 200_000;
    let z = Tensor::<c64, _>::randn([n], &mut StdRng::seed_from_u64(1));
    // The standard deviations of the estimates are 1/sqrt(n), about 0.002.
    let power = z.abs().square().mean().item();
    assert!((power - 1.0).abs() < 0.01, "{power}");
    assert!((z.re().var(0).item() - 0.5).abs() < 0.01 && (z.im().var(0).item() - 0.5).abs() < 0.01);
    assert!(z.square().mean().abs() < 0.015 && z.mean().abs() < 0.015);
    let x = tensor![1, 2, 3, 4, 5, 6, 7, 8, 9, 10];
    let rng = &mut StdRng::seed_from_u64(2);
    let mut counts = Tensor::<i64, _>::zeros([11]);
    for _ in 0..3000 {
        let chosen = x.choice(0, 3, rng);
        assert_eq!(chosen.unique().len(), 3);
        counts.scatter_add(0, chosen.to_vec(), &Tensor::scalar(1));
    }
    // Each element is chosen with probability 3/10; the standard deviation is 25.
    assert!(counts.iter().skip(1).all(|&count| (count - 900).abs() < 125), "{counts}");
    assert_eq!(
        x.try_choice(0, 11, rng).unwrap_err().to_string(),
        "cannot choose indices: 11 different indices do not exist along an axis of extent 10"
    );
}

/// `get` takes any integers that name positions. Negative ones count from the end.
#[test]
fn elements_at_positions_from_the_end() {
    fn first<D: Dim>(x: &Tensor<i32, D>) -> Option<&i32> {
        x.get(x.unravel_index(0))
    }
    let mut x = tensor![[1, 2, 3], [4, 5, 6]];
    let (row, column) = (1usize, -3isize);
    assert_eq!([x.get([row, 2]), x.get([-1, -3]), x.get([0, column])], [Some(&6), Some(&4), Some(&1)]);
    assert_eq!([x.get([-3, 0]), x.get([0, 3]), x.get([row, usize::MAX]), x.get([isize::MIN, 0])], [None; 4]);
    assert_eq!(
        (first(&x), first(&Tensor::scalar(7)), tensor![8].sum().get([0; 0])),
        (Some(&1), Some(&7), Some(&8))
    );
    *x.get_mut([-1, -1]).unwrap() = 9;
    assert_eq!(x, tensor![[1, 2, 3], [4, 5, 9]]);

    assert_eq!((x[[-1, -1]], x[[0, -3]], x[[1_u8, 0]], x[[row as i64, 1]], x.sum()[[]]), (9, 1, 4, 5, 24));
    x[[-2, 2_i64]] += 1;
    assert_eq!(x[[0, 2]], 4);
    x[[0_u16, 2]] -= 1;

    let mut x = DynTensor::from(x);
    assert_eq!((x.get(&[-1, -1]), x.get(&[row, 0])), (Ok(9.into()), Ok(4.into())));
    x.set(&[-2, -1], 7).unwrap();
    assert_eq!(x.to_vec::<i32>().unwrap(), [1, 2, 7, 4, 5, 9]);
    assert_eq!(
        x.get(&[0, -4]).unwrap_err().to_string(),
        "cannot index: index -4 is out of bounds for axis 1 of shape [2, 3], whose extent is 3"
    );
}
