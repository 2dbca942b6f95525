//! Tests that every operation rounds as IEEE 754 specifies, that products and sums are not fused, and that no code is compiled with
//! "fast" floating-point arithmetic.

use super::data::{Kind, numbers};
use crate::random::Random;
use core::hint::black_box;
use std::path::{Path, PathBuf};
use vierbein::{DynTensor, Rank, Tensor, c64, einsum, s};

type V<T = f64> = Tensor<T, Rank<1>>;

/// Number of elements of the operands: enough for operations to run in parallel.
const MANY: usize = 300_000;

/// Special numbers, for which an invalid optimisation would change results: signed zeros, subnormal numbers, numbers near 1, the
/// largest numbers, infinities and NaN.
const SPECIAL: [f64; 22] = [
    0.0,
    -0.0,
    5e-324,
    -5e-324,
    1e-310,
    f64::MIN_POSITIVE,
    -f64::MIN_POSITIVE,
    1e-200,
    0.1,
    -1.0 / 3.0,
    1.0 - f64::EPSILON / 2.0,
    1.0,
    -1.0,
    1.0 + f64::EPSILON,
    3.0,
    -1e16,
    1e16 + 2.0,
    1e200,
    f64::MAX,
    f64::INFINITY,
    f64::NEG_INFINITY,
    f64::NAN,
];

/// Returns operands of `MANY` elements: all pairs of special numbers, followed by pairs of numbers with random bits.
fn pairs() -> (Vec<f64>, Vec<f64>) {
    let mut random = Random(11);
    let special = SPECIAL.into_iter().flat_map(|x| SPECIAL.into_iter().map(move |y| (x, y)));
    let others = core::iter::from_fn(|| Some((f64::from_bits(random.bits()), f64::from_bits(random.bits()))));
    special.chain(others).take(MANY).unzip()
}

#[track_caller]
fn assert_same(found: &V, expected: impl Fn(usize) -> f64, name: &str) {
    for (i, &found) in found.iter().enumerate() {
        let expected = expected(i);
        // Two NaN may have different bits, because IEEE 754 does not specify the bits of a resulting NaN.
        let same = found.to_bits() == expected.to_bits() || (found.is_nan() && expected.is_nan());
        assert!(same, "{name}: {found:e} instead of {expected:e} at {i}");
    }
}

#[test]
fn operations_round_as_a_single_one_does() {
    let (a, b) = pairs();
    let (x, y) = (V::from(a.clone()), V::from(b.clone()));
    let spread = V::from_fn([2 * MANY], |[i]| b[MANY - 1 - i / 2]);
    let views = spread.slice(s![..;-2]);
    let pool = rayon::ThreadPoolBuilder::new().num_threads(3).build().expect("threads can be had");
    pool.install(|| {
        macro_rules! pairwise {
            ($($found:expr, |$a:ident, $b:ident| $expected:expr;)*) => {$(
                assert_same(&$found, |i| { let ($a, $b) = (black_box(a[i]), black_box(b[i])); $expected }, stringify!($found));
            )*};
        }
        pairwise! {
            &x + &y, |a, b| a + b;
            &x - &y, |a, b| a - b;
            &x * &y, |a, b| a * b;
            &x / &y, |a, b| a / b;
            &x % &y, |a, b| a % b;
            &x + views, |a, b| a + b;
            &x / views, |a, b| a / b;
            einsum!("i,i->i", &x, &y), |a, b| a * b;
            -&x, |a, _b| -a;
            &x * 0.0, |a, _b| a * 0.0;
            &x + 0.0, |a, _b| a + 0.0;
            &x - &x, |a, _b| a - a;
            &x / 3.0, |a, _b| a / 3.0;
            &x / &x, |a, _b| a / a;
            x.abs(), |a, _b| a.abs();
            x.sqrt(), |a, _b| a.sqrt();
            x.recip(), |a, _b| 1.0 / a;
            x.square(), |a, _b| a * a;
            x.floor(), |a, _b| a.floor();
            x.trunc(), |a, _b| a.trunc();
            x.cast::<f32>().cast::<f64>(), |a, _b| f64::from(a as f32);
            x.cast::<i8>().cast::<f64>(), |a, _b| f64::from(a as i8);
            x.cast::<u16>().cast::<f64>(), |a, _b| f64::from(a as u16);
            x.cast::<i32>().cast::<f64>(), |a, _b| f64::from(a as i32);
            x.cast::<u32>().cast::<f64>(), |a, _b| f64::from(a as u32);
            x.cast::<i64>().cast::<f64>(), |a, _b| a as i64 as f64;
            x.cast::<u64>().cast::<f64>(), |a, _b| a as u64 as f64;
            x.cast::<f32>().cast::<i32>().cast::<f64>(), |a, _b| f64::from(a as f32 as i32);
            x.cast::<f32>().cast::<u32>().cast::<f64>(), |a, _b| f64::from(a as f32 as u32);
        }
        let narrow = &x.cast::<f32>() * &y.cast::<f32>();
        pairwise! { narrow.cast::<f64>(), |a, b| f64::from(a as f32 * b as f32); }
    });
}

/// Powers have errors below one unit in the last place, in each form, and so have those of the C library.
#[test]
fn powers_have_small_errors() {
    let numbers = V::from(pairs().0[..1000].to_vec());
    for n in -40i32..=40 {
        let check = |found: f64, x: f64, name: &str| {
            let expected = x.powf(f64::from(n));
            let near =
                found.to_bits().abs_diff(expected.to_bits()) <= 1 || found.is_nan() && expected.is_nan();
            assert!(near, "{name} {n} of {x:e}: {found:e} instead of {expected:e}");
        };
        let found = numbers.powi(n);
        (0..1000).for_each(|i| check(found[[i]], numbers[[i]], "power"));
        let dynamic = DynTensor::from(numbers.clone()).powi(n).unwrap();
        assert_same(&dynamic.downcast().unwrap(), |i| found[[i]], &format!("dynamic power {n}"));
        let every_third = numbers.slice(s![..;3]).powi(n);
        assert_same(&every_third, |i| found[[3 * i]], &format!("strided power {n}"));
    }
}

/// Integer and Gaussian integer powers, compared with products in 128 bits.
#[test]
fn powers_of_integers_are_exact() {
    let power = |x: i128, n: u32| (0..n).map(|_| x).product::<i128>();
    macro_rules! check {
        ($($T:ident up to $limit:expr;)*) => {$(
            let x = V::<$T>::from_fn([150], |[i]| (i % 11) as $T);
            for n in (0..20).filter(|&n| power(10, n) <= i128::from($limit)) {
                let found = x.powi(n as i32);
                assert!((0..150).all(|i| found[[i]] as i128 == power(x[[i]] as i128, n)), "{} to the power {n}", stringify!($T));
            }
        )*};
    }
    check! {
        i8 up to i8::MAX; u8 up to u8::MAX; i16 up to i16::MAX; u16 up to u16::MAX; i32 up to i32::MAX; u32 up to u32::MAX;
        i64 up to i64::MAX; u64 up to u64::MAX; f32 up to 1 << 24; f64 up to 1i64 << 53;
    }
    let z = Tensor::<c64, Rank<1>>::from_fn([100], |[i]| {
        c64::new((i % 7) as f64 - 3.0, (i / 7 % 5) as f64 - 2.0)
    });
    for n in 0..=16 {
        let found = z.powi(n);
        for i in 0..100 {
            let [re, im] = [z[[i]].re, z[[i]].im].map(|x| x as i128);
            let (a, b) = (0..n).fold((1, 0), |(a, b), _| (a * re - b * im, a * im + b * re));
            assert_eq!(found[[i]], c64::new(a as f64, b as f64), "{} to the power {n}", z[[i]]);
        }
    }
}

/// Returns the exact rounding error of `a · b`, computed by multiplications and additions (T. J. Dekker, *A floating-point
/// technique for extending the available precision*, Numerische Mathematik 18, 1971). `f64::mul_add` is no alternative: on targets
/// without FMA instructions it calls the C library, and MinGW's function rounds twice.
fn rounding_error(a: f64, b: f64) -> f64 {
    let halves = |x: f64| {
        let scaled = x * ((1 << 27) + 1) as f64;
        let high = scaled - (scaled - x);
        (high, x - high)
    };
    let ((a_high, a_low), (b_high, b_low)) = (halves(a), halves(b));
    a_high * b_high - a * b + a_high * b_low + a_low * b_high + a_low * b_low
}

/// Returns factors `a` and `b`, and `minus`, the negated rounded products. `a · b + minus` is zero, unless product and sum are
/// fused.
fn products() -> (V, V, V) {
    let (a, b) = (numbers(Kind::Mixed, MANY, 53, 1), numbers(Kind::Mixed, MANY, 53, 2));
    let minus: Vec<f64> = a.iter().zip(&b).map(|(a, b)| -(a * b)).collect();
    let fused = (0..MANY).filter(|&i| rounding_error(a[i], b[i]) != 0.0).count();
    assert!(fused > MANY * 9 / 10, "fused, {fused} of {MANY} would not be zero");
    (a.into(), b.into(), minus.into())
}

#[test]
fn products_are_not_fused_with_sums() {
    let (a, b, minus) = products();
    let zeros = V::zeros([MANY]);
    assert_eq!(&a * &b + &minus, zeros);
    assert_eq!(&minus + &a * &b, zeros);
    let mut product = &a * &b;
    product += &minus;
    assert_eq!(product, zeros);
    assert_eq!(a.zip_map3(&b, &minus, |a, b, c| a * b + c), zeros);
    // `add_scaled` computes `out = alpha · b + out`.
    let alpha = 1.0 / 3.0;
    let mut out = &b * -alpha;
    out.add_scaled(alpha, &b);
    assert_eq!(out, zeros);
    let mut out = minus.clone();
    vierbein::einsum_into!(&mut out, 1.0, 1.0; "i,i->i", &a, &b);
    assert_eq!(out, zeros);
    // Each of the next sums has two terms, `minus` · 1 and a·b. The first contraction sums over rows, the second over columns.
    let one = V::ones([MANY]);
    let rows = |low: &V, high: &V| {
        Tensor::<f64, Rank<2>>::from_fn([2, MANY], |[i, j]| if i == 0 { low[[j]] } else { high[[j]] })
    };
    let (left, right) = (rows(&minus, &a), rows(&one, &b));
    assert_eq!(einsum!("ij,ij->j", &left, &right), zeros);
    assert_eq!(einsum!("ji,ji->j", &left.t().to_owned(), &right.t().to_owned()), zeros);
    assert_eq!(left.slice(s![.., 7]).dot(right.slice(s![.., 7])).item(), 0.0);
    // Matrix products use fused multiply-add if the processor has it. So the result is zero, or the rounding error of the product.
    for i in 0..200 {
        let (row, column) =
            (left.slice(s![.., i..i + 1]).t().to_owned(), right.slice(s![.., i..i + 1]).to_owned());
        let (rows, columns) = (row.broadcast_to([9, 2]).to_owned(), column.broadcast_to([2, 9]).to_owned());
        let fused = rounding_error(a[[i]], b[[i]]);
        assert!(rows.matmul(&columns).iter().all(|&found| found == 0.0 || found == fused));
    }
}

/// Kahan summation, by operations on tensors. A compiler that assumed associativity of additions would remove its compensation
/// term.
#[test]
fn compensation_is_not_optimised_away() {
    let rows = 2000;
    let x = Tensor::<f64, Rank<2>>::full([rows, 1000], 0.1);
    let (mut sum, mut plain): (V, V) = (V::zeros([1000]), V::zeros([1000]));
    let mut lost: V = V::zeros([1000]);
    for row in x.axis_iter(0) {
        let term = row - &lost;
        let next = &sum + &term;
        lost = (&next - &sum) - &term;
        sum = next;
        plain += row;
    }
    // The `f64` 0.1 is 3602879701896397 / 2^55. 2000 times this number rounds to 200.
    assert_eq!(sum, V::full([1000], 200.0));
    assert!((plain[[0]] - 200.0).abs() > 1e-12);
    // Computes the rounding error of a sum by the error-free transformation of Knuth and Dekker.
    let (a, b) = (V::full([1000], 1e16), V::full([1000], 2.71));
    let s = &a + &b;
    let t = &s - &a;
    assert_eq!((&a - (&s - &t)) + (&b - &t), V::full([1000], 2.71 - 2.0));
}

/// No operation treats subnormal operands as zero or flushes subnormal results to zero. This holds on any thread, and after matrix
/// products, which could change the mode of the processor.
#[test]
fn small_numbers_are_kept() {
    let tiny = 5e-324;
    let x = V::full([MANY], f64::MIN_POSITIVE);
    let pool = rayon::ThreadPoolBuilder::new().num_threads(3).build().expect("threads can be had");
    let kept = || {
        black_box(f64::MIN_POSITIVE) * black_box(0.5) == (f64::MIN_POSITIVE / 2.0)
            && black_box(tiny) * black_box(1.0) > 0.0
    };
    pool.install(|| {
        let half = &x * 0.5;
        assert!(half.iter().all(|&x| x == (f64::MIN_POSITIVE / 2.0)));
        assert_eq!(&half + &half, x);
        assert_eq!(half.sum().item(), MANY as f64 * (f64::MIN_POSITIVE / 2.0));
        assert_eq!(V::full([MANY], tiny).sum().item(), MANY as f64 * tiny);
        assert_eq!(V::full([MANY], tiny).max().item(), tiny);
        assert_eq!(half.dot(&V::full([MANY], 0.5)).item(), MANY as f64 * (f64::MIN_POSITIVE / 4.0));
        assert_eq!(V::<f32>::full([MANY], 1e-45).sum().item(), MANY as f32 * 1e-45);
        for size in [2, 5, 300] {
            let small = Tensor::<f64, Rank<2>>::full([size, size], tiny);
            assert_eq!(small.matmul(Tensor::eye(size)), small);
            let sums = small.matmul(Tensor::ones([size, size]));
            assert!(sums.iter().all(|&x| x == size as f64 * tiny));
        }
        assert!(small_numbers_differ(tiny));
    });
    assert!(pool.broadcast(|_| kept()).into_iter().all(|kept| kept) && kept());
}

fn small_numbers_differ(tiny: f64) -> bool {
    let x = V::full([MANY], tiny);
    x.not_equal(0.0).all().item() && x.gt(0.0).all().item() && x.lt(2.0 * tiny).all().item()
}

/// Returns all files in a directory and its subdirectories.
fn sources(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder)
        .expect("sources are there")
        .map(|entry| entry.expect("it can be read").path());
    entries.flat_map(|path| if path.is_dir() { sources(&path) } else { vec![path] }).collect()
}

/// Searches the source and configuration files. None may request "fast" arithmetic or another floating-point mode, and only listed
/// files may use fused multiply-add.
#[test]
fn sources_ask_for_nothing_fast() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let (mut lines, mut fused, mut checked) = (0, 0, 0);
    let configuration = [".cargo/config.toml", "build.rs", "Cargo.toml"].map(|name| root.join(name));
    for path in
        sources(&root.join("src")).into_iter().chain(configuration.into_iter().filter(|path| path.exists()))
    {
        let text = std::fs::read_to_string(&path).expect("sources are text");
        let name = path.strip_prefix(root).expect("it lies below").to_string_lossy().into_owned();
        checked += 1;
        for (number, line) in text.lines().enumerate() {
            lines += 1;
            // Names that Rust, LLVM, C compilers and NVRTC use for fast-math modes, and names of the register that controls rounding
            // and whether subnormal numbers are flushed to zero.
            for word in [
                "_fast(",
                "algebraic",
                "fast-math",
                "fast_math",
                "fastmath",
                "-Ofast",
                "fp-contract=fast",
                "fp-contract=on",
                "setcsr",
                "ldmxcsr",
                "MXCSR",
                "FLUSH_ZERO",
                "DENORMALS",
                "fmad=true",
                "ftz=true",
                "prec-div=false",
                "prec-sqrt=false",
                "fesetround",
                "__fdividef",
                "__expf",
                "__sinf",
                "__cosf",
                "__logf",
                "__powf",
                "__fmaf",
            ] {
                assert!(!line.contains(word), "{name}:{}: `{word}`", number + 1);
            }
            let fuses = ["mul_add(", "fmadd", "fma("].iter().any(|word| line.contains(word));
            fused += usize::from(fuses);
            let name = name.replace('\\', "/");
            // Only matrix products, Fourier transforms and elementary functions may use fused multiply-add.
            let fused_places = [
                "kernels/fourier/",
                "src/simd/",
                "kernels/gemm/simd/",
                "kernels/gemm/portable.rs",
                "codegen/sources/products.cu",
                "codegen/sources/powers.cu",
                "src/elementary/",
            ];
            let allowed = fused_places.iter().any(|part| name.contains(part));
            assert!(!fuses || allowed, "{name}:{}: a product and a sum are fused", number + 1);
        }
    }
    assert!(checked > 100 && fused > 5, "{checked} files of {lines} lines, {fused} fused operations");
    let compile = std::fs::read_to_string(root.join("src/device/cuda/runtime/codegen/compile.rs"))
        .expect("it is there");
    assert!(compile.contains("--fmad=false"), "kernels of a GPU are compiled without fusing, too");
}
