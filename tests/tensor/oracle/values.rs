//! Tests of permutations, slices, products, broadcasting and reshaping, with known results. `tests/tensor/contraction.rs` tests outer
//! products, Kronecker products and `beta` = 0.

use super::{Matrix, ar, both_orders, listed};
use vierbein::{ColMajor, Complex, Error, Order, Rank, RowMajor, Tensor, s};

both_orders! { permutations slices complex_products integer_products empty_products }

fn permutations<O: Order>() {
    let x = ar::<Rank<3>, O>([2, 2, 3]);
    let y = x.permute([1, 2, 0]);
    assert_eq!(y.shape(), [2, 3, 2]);
    assert_eq!(listed(&y), [0, 6, 1, 7, 2, 8, 3, 9, 4, 10, 5, 11]);
    assert_eq!(listed(&y.to_owned()), listed(&y));
    // Lists of axes that are no permutation: an axis is repeated or out of range.
    for axes in [[0, 0, 1], [1, 2, 1], [2, 2, 2], [0, 1, 3], [1, 2, 9]] {
        let error = x.try_permute(axes).unwrap_err();
        assert!(matches!(error, Error::RepeatedAxis { .. } | Error::AxisOutOfRange { .. }), "{error}");
        assert!(error.to_string().contains("[2, 2, 3]"), "{error}");
    }
}

fn slices<O: Order>() {
    let x = ar::<Rank<3>, O>([2, 3, 4]);
    let y: Matrix<i64, O> = x.slice(s![0, .., 1..4;2]).to_owned();
    assert_eq!(y.shape(), [3, 2]);
    assert_eq!(listed(&y), [1, 3, 5, 7, 9, 11]);
}

fn complex_products<O: Order>() {
    let z = |re: f64, im: f64| Complex::new(re, im);
    let a = Matrix::<_, O>::from([[z(1.0, 2.0), z(3.0, 0.0)], [z(0.0, -1.0), z(2.0, 0.5)]]);
    let b = Matrix::<f64, O>::from([[0.5, 1.0], [2.0, -1.5]]).cast::<Complex<f64>>();
    let ab = [[z(6.5, 1.0), z(-3.5, 2.0)], [z(4.0, 0.5), z(-3.0, -1.75)]];
    let ba = [[z(0.5, 0.0), z(3.5, 0.5)], [z(2.0, 5.5), z(3.0, -0.75)]];
    assert_eq!(a.matmul(&b), ab.into());
    assert_eq!(b.matmul(&a), ba.into());
    // The numbers are small multiples of powers of two, so products are exact in single precision, too. The last line tests
    // (A B)ᵀ = Bᵀ Aᵀ.
    let (a32, b32) = (a.cast::<Complex<f32>>(), b.cast::<Complex<f32>>());
    assert_eq!(a32.matmul(&b32).cast::<Complex<f64>>(), ab.into());
    assert_eq!(b.t().matmul(a.t()).t(), Matrix::from(ab));
}

fn integer_products<O: Order>() {
    let a = Matrix::<i64, O>::from([[1, 2], [3, 4]]);
    let b = Matrix::<i64, O>::from([[5, 6], [7, 8]]);
    assert_eq!(a.matmul(&b), [[19, 22], [43, 50]].into());
    assert_eq!(a.cast::<u8>().matmul(b.cast::<u8>()), [[19, 22], [43, 50]].into());
    assert_eq!(a.cast::<f32>().matmul(b.cast::<f32>()), [[19.0, 22.0], [43.0, 50.0]].into());
}

fn empty_products<O: Order>() {
    let zeros = |shape: [usize; 2]| Matrix::<f64, O>::zeros(shape);
    assert_eq!(zeros([2, 0]).matmul(zeros([0, 3])), zeros([2, 3]));
    assert_eq!(zeros([0, 2]).matmul(zeros([2, 3])), zeros([0, 3]));
    let ints = Matrix::<i32, O>::zeros([2, 0]).matmul(Matrix::zeros([0, 3]));
    assert_eq!(ints, Matrix::zeros([2, 3]));
    let nothing = Tensor::<f64, _, O>::zeros([0]);
    assert_eq!(nothing.matmul(&nothing).item(), 0.0);
}

#[test]
fn broadcasting_row_major() {
    let x = Matrix::<i32, RowMajor>::from([[1, 2, 3], [4, 5, 6]]);
    assert_eq!(&x * &Tensor::from([1, 0, -1]), [[1, 0, -3], [4, 0, -6]].into());
    assert_eq!(
        x.try_mul(&Tensor::from([1, -1])).unwrap_err().to_string(),
        "cannot multiply shapes [2, 3] and [2]: axis 1 is 3 and 2 (row-major aligns trailing axes)"
    );
}

#[test]
fn broadcasting_col_major() {
    let x = Matrix::<i32, ColMajor>::from([[1, 2, 3], [4, 5, 6]]);
    assert_eq!(&x * &Tensor::from([1, -1]), [[1, 2, 3], [-4, -5, -6]].into());
    assert_eq!(
        x.try_mul(&Tensor::from([1, 0, -1])).unwrap_err().to_string(),
        "cannot multiply shapes [2, 3] and [3]: axis 0 is 2 and 3 (column-major aligns leading axes)"
    );
}

#[test]
fn reshaping() {
    let x = Tensor::<i32, _, RowMajor>::arange(0..6);
    assert_eq!(x.as_shape([2, 3]), Matrix::from([[0, 1, 2], [3, 4, 5]]));
    assert_eq!(x.reshape([2, 3]), [[0, 1, 2], [3, 4, 5]].into());
    let x = Tensor::<i32, _, ColMajor>::arange(0..6);
    assert_eq!(x.as_shape([2, 3]), Matrix::from([[0, 2, 4], [1, 3, 5]]));
    assert_eq!(x.reshape([2, 3]), [[0, 2, 4], [1, 3, 5]].into());
}
