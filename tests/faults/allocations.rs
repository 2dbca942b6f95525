//! Runs each kind of operation with failing allocations. In run `n`, the `n`th allocation fails. The runs end when an operation makes
//! fewer than `n` allocations.
//!
//! Allocations below a minimum size never fail: see the constants `ALL`, `ELEMENTS` and `FILES`.

use super::allocator::{Alone, FailingAllocations, live};
use super::quietly;
use super::restart::this_program;
use std::fmt::Debug;
use std::io::Cursor;
use std::panic::{AssertUnwindSafe, catch_unwind};
use vierbein::dyn_tensor::einsum as dyn_einsum;
use vierbein::io::csv::{CsvReader, CsvWriter};
use vierbein::io::npz::{Npz, NpzWriter};
use vierbein::io::safetensors::{Safetensors, SafetensorsWriter};
use vierbein::prelude::*;
use vierbein::{DType, DynTensor, Error, MemoryOrder, op, try_einsum, try_einsum_into};

/// Minimum size in bytes of the allocations that fail, for tests in which any allocation can fail.
const ALL: usize = 1;
/// Minimum size in bytes of the allocations that fail, for tests in which only allocations for elements of tensors can fail. The operands
/// in this file have more bytes; names, shapes and boxes have fewer.
const ELEMENTS: usize = 4 << 10;

/// Minimum size in bytes of the allocations that fail, for tests in which only buffers for whole files can fail. The memory for parsing a
/// header is smaller.
const FILES: usize = 64 << 10;

/// Runs `operation` many times. In run `n`, allocation `n` fails, counted from 0 among the allocations of at least `least` bytes.
/// Then repeats the runs. In these, all allocations from number `n` on fail.
///
/// The operation must succeed or return an error that says that memory is exhausted, and must not leak. The closure receives a
/// description of the allocations that must fail. It returns the operation's result and the number of allocations that failed.
fn drive(
    least: usize,
    what: &str,
    operation: &mut dyn FnMut(FailingAllocations) -> (Result<(), Error>, usize),
) -> Counts {
    let nothing = FailingAllocations { least: usize::MAX, granted: 0, for_good: false };
    let mut counts = Counts { errors: 0, managed: 0 };
    for for_good in [false, true] {
        // If `for_good` is set, all later allocations fail too. Those below 64 bytes are exempt, because the creation of an error
        // allocates a short string.
        let least = if for_good { least.max(64) } else { least };
        for granted in 0.. {
            let before = live();
            let (result, rejected) = operation(FailingAllocations { least, granted, for_good });
            match &result {
                Ok(()) if rejected == 0 => break,
                Ok(()) => counts.managed += 1,
                Err(Error::OutOfMemory { device, bytes }) => {
                    assert!(rejected > 0 && device == "Cpu" && *bytes > 0, "{what}: {result:?}");
                    counts.errors += 1;
                }
                // If memory for the directory of a zip archive cannot be allocated, readers return a file error.
                Err(Error::File { reason, .. }) if reason.contains("for its directory failed") => {
                    counts.errors += 1
                }
                Err(error) => panic!("{what}: {error}"),
            }
            drop(result);
            assert_eq!(live(), before, "{what}: bytes in use when request {granted} was rejected");
            assert!(granted < 1000, "{what} never ends");
            let (again, _) = operation(nothing);
            again.unwrap_or_else(|error| panic!("{what}, behind request {granted}: {error}"));
        }
    }
    counts
}

#[derive(Debug, Clone, Copy, PartialEq)]
struct Counts {
    /// The number of runs in which the operation returned an error.
    errors: usize,
    /// The number of runs in which the operation succeeded although an allocation failed.
    managed: usize,
}

/// Checks an operation that returns a value. If allocations fail, it must return an error or its usual result.
fn check<R: PartialEq + Debug>(least: usize, what: &str, f: impl Fn() -> Result<R, Error>) -> Counts {
    let expected = f().unwrap();
    let counts = drive(least, what, &mut |failing| {
        let (result, rejected) = failing.during(&f);
        (result.map(|found| assert!(found == expected, "{what}: {found:?}")), rejected)
    });
    assert!(counts.errors > 0, "no allocation of {what} ever failed");
    counts
}

/// Checks an operation that writes to an output. If the operation returns an error, the output must stay unchanged.
fn check_writing<X: Clone + PartialEq>(what: &str, there: X, f: impl Fn(&mut X) -> Result<(), Error>) {
    let [old, mut new] = [there.clone(), there];
    f(&mut new).unwrap();
    let mut to = old.clone();
    let counts = drive(ELEMENTS, what, &mut |failing| {
        let (result, rejected) = failing.during(|| f(&mut to));
        assert!(to == *if result.is_ok() { &new } else { &old }, "{what}: half done, with {result:?}");
        to.clone_from(&old);
        (result, rejected)
    });
    assert!(counts.errors > 0, "no allocation of {what} ever failed");
}

macro_rules! check_all {
    ($least:expr; $($f:expr;)*) => { $( check($least, stringify!($f), || $f); )* };
}

fn square() -> Tensor<f64, Rank<2>> {
    Tensor::from_fn([30, 30], |[i, j]| (i * 7 + j * 3) as f64 % 11.0 + 1.0)
}

#[test]
fn constructors_return_out_of_memory() {
    let _alone = Alone::new();
    let (x, cpu) = (square(), Cpu);
    let row = x.index_axis(0, 1);
    check_all! { ALL;
        Tensor::<f64, _>::try_zeros([2, 3]);
        Tensor::<bool, _>::try_zeros([200, 300]);
        Tensor::<i32, _>::try_full([2, 3], 5);
        Tensor::<f64, _>::try_from_fn([20, 30], |[i, j]| (i * j) as f64);
        Tensor::<f64, Rank<2>>::try_eye_in(20, &cpu);
        Tensor::<f64, Rank<1>>::try_arange_in(0.0, 100.0, 0.5, &cpu);
        Tensor::<f64, Rank<1>>::try_linspace_in(0.0, 1.0, 100, &cpu);
        Tensor::<f64, Rank<0>>::try_scalar_in(1.0, &cpu);
        Tensor::<f64, Rank<2>>::try_from_diagonal(&row);
        x.try_clone();
        x.t().try_to_owned();
        x.t().try_to_vec();
        x.try_to_order::<ColMajor>();
    }
    check(ELEMENTS, "to_device", || x.to_device::<Cpu>());
    assert_eq!(x, square());
}

#[test]
fn elementwise_operations_return_out_of_memory() {
    let _alone = Alone::new();
    let (x, y) = (square(), square().into_flipped().to_order::<RowMajor>());
    let (row, turned, mask, whole) = (x.index_axis(0, 1), x.t(), x.gt(5.0), x.cast::<i32>());
    check_all! { ALL;
        x.try_add(&y);
        x.try_mul(&turned);
        x.try_sub(&row);
        x.try_div(2.0);
        whole.try_rem(7);
        whole.try_add(&whole.t());
        x.try_apply(op::Sqrt);
        turned.try_apply(op::Exp);
        x.try_apply(op::Neg);
        x.try_cast::<f32>();
        x.try_apply2(op::Lt, &y);
        mask.try_apply(op::Not);
        mask.try_select(&x, &y);
        x.try_clamp(2.0, 3.0);
        x.try_round_to(2);
        x.try_nan_to_num_with(0.0, 1.0, 2.0);
        x.try_is_close(&y, 0.5, 0.0);
        x.try_map(|x| x + 1.0);
        x.try_zip_map(&turned, |x, y| x * y);
        x.try_zip_map3(turned, &row, |x, y, z| x * y + z);
        x.try_apply2(op::Maximum, &y);
        // If a later step fails, the results of earlier steps and owned operands must be freed.
        x.try_add(&y).and_then(|sum| sum.try_apply2(op::Lt, &turned));
        x.try_clone().and_then(|x| x.try_add(&y)).and_then(|sum| sum.try_matmul(&y));
    }
    // Operations in place and into preallocated outputs do not allocate.
    let mut out = Tensor::<f64, _>::zeros([30, 30]);
    let in_place = || {
        out.try_add_assign(&turned)?;
        out.try_assign(&row)?;
        x.try_apply2_into(op::Mul, &turned, &mut out)
    };
    let (result, rejected) = FailingAllocations { least: ALL, granted: 0, for_good: true }.during(in_place);
    assert_eq!(result, Ok(()));
    // In a build with `--cfg vierbein_exact_memory`, each call allocates its workspace. It succeeds even if that allocation fails.
    assert!(rejected == 0 || cfg!(vierbein_exact_memory), "{rejected}");
}

#[test]
fn reductions_return_out_of_memory() {
    let _alone = Alone::new();
    let x = square();
    let cube = Tensor::<f64, _>::from_fn([6, 6, 20], |[i, j, k]| (i * 5 + j * 3 + k) as f64);
    let (turned, mask) = (cube.permute([2, 0, 1]), cube.gt(10.0));
    // Results of rank 0 are missing here, because their memory is not from the global allocator: see the unit tests of `CpuBuffer`.
    check_all! { ALL;
        x.try_sum_axis(0);
        turned.try_prod_axes([0, 2]);
        turned.try_mean_keepdims(1);
        x.try_var_axis(1, 1);
        x.try_std_axis(0, 0);
        x.try_norm_axis(0);
        turned.try_max_axis(0);
        x.try_argmin_axis(1);
        turned.try_argmax_axes([0, 1]);
        mask.try_all_axis(2);
        mask.try_count_axis(0);
        cube.try_trace(0, 1);
        x.try_cumsum(0);
        turned.try_cumprod(1);
    }
}

#[test]
fn choosing_elements_returns_out_of_memory() {
    let _alone = Alone::new();
    let (x, mask) = (square(), square().gt(5.0));
    let (at, firsts) = ([2, -1, 0], x.argmax_keepdims(1));
    let (rows, chosen) = (mask.nonzero(), mask.index_axis(0, 1));
    let (one, values) = (Tensor::scalar(1.0), x.masked(&mask));
    check_all! { ALL;
        x.try_take(1, at);
        x.try_take_along_axis(0, x.try_argmax_keepdims(0)?);
        x.try_at([[2, -1], [0, 3]]);
        x.try_at(&rows);
        x.try_compress(0, chosen);
        x.try_masked(&mask);
        x.try_nonzero();
        x.try_clone().and_then(|mut y| y.try_put_along_axis(1, &firsts, &one).map(|()| y));
        x.try_clone().and_then(|mut y| y.try_scatter_add(0, at, &one).map(|()| y));
        x.try_clone().and_then(|mut y| y.try_masked_assign(&mask, &values).map(|()| y));
        x.try_clone().and_then(|mut y| y.try_masked_fill(&mask, 1.0).map(|()| y));
    }
}

#[test]
fn contractions_return_out_of_memory() {
    let _alone = Alone::new();
    let (x, y) = (square(), square().map(|x| 12.0 - x));
    let cube = Tensor::<f64, _>::from_fn([12, 12, 12], |[i, j, k]| ((i * 5 + j * 3 + k) % 7) as f64);
    let (row, complex, whole) = (x.index_axis(0, 1), x.cast::<Complex<f64>>(), x.cast::<i64>());
    check_all! { ALL;
        x.try_matmul(&y);
        x.try_matmul(y.t());
        x.try_matmul(row);
        whole.try_matmul(whole.t());
        complex.try_matmul(complex.conj_view());
        row.try_outer(row);
        x.try_tensordot(&y, [0], [1]);
        cube.try_matmul(&cube);
        try_einsum!("ij,jk->ik", &x, &y);
        try_einsum!("ij->ji", &x);
        try_einsum!("ij,ij->", &x, &y);
        // In these contractions, an operand is summed or copied first, or the result is computed in a temporary buffer.
        try_einsum!("ijk,il->jkl", &cube, x.slice(s![..12, ..]));
        try_einsum!("ijk,kjl->li", &cube, &cube);
        try_einsum!("ijk,jil->kl", &cube, &cube);
    }
    check_all! { ELEMENTS;
        try_einsum!("ij,jk,kl->il", &x, &y, &x);
        try_einsum!("ij,jk,kl,lm->mi", &x, &y, &x, &y);
        try_einsum!("ij,jk,kl,lm->im", complex.conj_view(), &complex, complex.t(), &complex);
    }
    check_writing(
        "einsum_into",
        x.clone(),
        |out| try_einsum_into!(out, 2.0, 1.0; "ij,jk,kl->il", &x, &y, &x),
    );
    check_writing(
        "einsum_into of integers",
        whole.clone(),
        |out| try_einsum_into!(out, 2, 1; "ij,jk,kl->il", &whole, &whole, &whole),
    );
    // With overflow checks, a product of two integer operands is computed in a temporary buffer. So an overflow leaves the output
    // unchanged.
    if cfg!(debug_assertions) {
        check_writing(
            "einsum_into of two factors of integers",
            whole.clone(),
            |out| try_einsum_into!(out, 2, 1; "ij,jk->ik", &whole, &whole),
        );
    }
    check_writing("einsum_into a diagonal", x.clone(), |out| try_einsum_into!(out, 2.0, 3.0; "ij->ii", &x));
}

#[test]
fn dyn_tensors_return_out_of_memory() {
    let _alone = Alone::new();
    let (x, z) = (DynTensor::from(square()), DynTensor::from(square().cast::<Complex<f64>>()));
    let column = DynTensor::from(square().to_order::<ColMajor>());
    // Converts a result to a vector of elements, which `check` compares.
    let text = |x: DynTensor| x.to_vec::<f64>();
    check_all! { ELEMENTS;
        x.try_add(&x).and_then(text);
        x.try_mul(2.0).and_then(text);
        x.try_add(x.t()?).and_then(text);
        x.to_owned().and_then(text);
        x.to_order(MemoryOrder::ColMajor).and_then(text);
        z.to_dtype(DType::C32).map(|x| x.dtype());
        x.cumsum(0).and_then(text);
        x.matmul(&x).and_then(text);
        dyn_einsum("ij,jk,kl->il", &[&x, &x, &x]).and_then(text);
        dyn_einsum("ij,ik->jk", &[&x, &x]).and_then(text);
        x.broadcast_to(&[3, 30, 30])?.sum_axis(0).and_then(text);
        column.to_owned()?.reshape(&[900]).and_then(text);
        DynTensor::zeros(&[30, 30], DType::F64, MemoryOrder::RowMajor).and_then(text);
        x.to_owned()?.cast_into::<f64, Rank<2>, ColMajor>().map_err(Error::from);
    }
}

#[test]
fn readers_and_writers_return_out_of_memory() {
    let _alone = Alone::new();
    let mask = square().gt(5.0);
    let long = Tensor::<i64, _>::from_fn([100_000], |[i]| (i as i64).pow(2));
    let (mut npy, mut npz, mut packed, mut flat) =
        (Vec::new(), Cursor::new(Vec::new()), Cursor::new(Vec::new()), Vec::new());
    long.write_npy_to(&mut npy).unwrap();
    NpzWriter::new().push(&long).unwrap().push(&mask).unwrap().write_to(&mut npz).unwrap();
    NpzWriter::new().compressed().push(&long).unwrap().push(&mask).unwrap().write_to(&mut packed).unwrap();
    SafetensorsWriter::new()
        .add("x", &long)
        .unwrap()
        .add("mask", &mask)
        .unwrap()
        .write_to(&mut flat)
        .unwrap();
    let folder = super::golden::Folder::new();
    let path = folder.file("x.npy");
    long.write_npy(&path).unwrap();
    let flat_path = folder.file("x.safetensors");
    std::fs::write(&flat_path, &flat).unwrap();
    // The standard library reads the bytes of a stream. If its allocation fails, the error has the standard library's text.
    let (read, rejected) = FailingAllocations { least: FILES, granted: 1, for_good: true }
        .during(|| Safetensors::read_from(&flat[..]));
    assert!(rejected > 0 && read.unwrap_err().to_string().contains("memory"));

    check_all! { FILES;
        Tensor::<i64, Rank<1>>::read_npy_from(&npy[..]);
        Tensor::<i64, Rank<1>>::read_npy(&path);
        DynTensor::read_npy_from(&npy[..]).and_then(|x| x.to_vec::<i64>());
        Safetensors::read(&flat_path)?.get::<Tensor<i64, Rank<1>>>("x");
    }
    let [stored, packed] = [npz.get_ref(), packed.get_ref()];
    check(FILES, "a stored entry", || Npz::new(Cursor::new(stored))?.get::<Tensor<i64, Rank<1>>>("arr_0"));
    check(FILES, "a compressed entry", || {
        Npz::new(Cursor::new(packed))?.get::<Tensor<i64, Rank<1>>>("arr_0")
    });

    /// A writer that counts bytes and allocates nothing.
    struct Nowhere(usize);
    impl std::io::Write for Nowhere {
        fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
            self.0 += bytes.len();
            Ok(bytes.len())
        }
        fn flush(&mut self) -> std::io::Result<()> {
            Ok(())
        }
    }
    let length = |write: &dyn Fn(&mut Nowhere) -> Result<(), Error>| {
        let mut to = Nowhere(0);
        write(&mut to).map(|()| to.0)
    };
    // A reversed view must be copied before it is written. A contiguous tensor would be written without an allocation.
    let backwards = long.slice(s![..;-1]);
    check(FILES, "write_npy_to", || length(&|to| backwards.write_npy_to(to)));
    check(FILES, "write_npy_to, erased", || {
        length(&|to| DynTensor::from(long.try_clone()?).write_npy_to(to))
    });
    check(FILES, "safetensors", || length(&|to| SafetensorsWriter::new().add("x", &backwards)?.write_to(to)));
    // CSV files: the memory for the elements and for the longest line when a file is read, and for the text of a line when it is written.
    // The text has at least 512 KiB, so it is read in parts, each with memory of its own.
    let (table, mut text) = (long.slice(s![50_000..]).to_owned().reshape([500, 100]), Vec::new());
    let names: Vec<_> = (0..100).map(|k| k.to_string()).collect();
    table.write_csv_to(&mut text, &names).unwrap();
    assert!(text.len() >= 512 << 10);
    let wide = format!("{}1\n", "1,".repeat(20_000));
    check(ELEMENTS, "read_csv_from", || Tensor::<i64, Rank<2>>::read_csv_from(&text[..]));
    check(ELEMENTS, "read_csv_from, column-major", || {
        Tensor::<i64, Rank<2>, ColMajor>::read_csv_from(&text[..])
    });
    check(ELEMENTS, "a long row", || {
        CsvReader::new().no_header().read_from::<Tensor<u8, Rank<2>>>(wide.as_bytes())
    });
    check(ELEMENTS, "write_csv_to", || length(&|to| table.write_csv_to(to, &names)));
    check(ELEMENTS, "write_csv_to, transposed", || length(&|to| CsvWriter::new().write_to(to, &table.t())));
    // A failed write leaves the old file unchanged.
    check(FILES, "write_npy", || {
        let result = backwards.write_npy(&path);
        assert_eq!(std::fs::metadata(&path).unwrap().len(), npy.len() as u64);
        result
    });
    assert_eq!(folder.names(), ["x.npy", "x.safetensors"]);
}

#[test]
fn interop_conversions_return_out_of_memory() {
    let _alone = Alone::new();
    let x = square();
    check_all! { ELEMENTS;
        x.try_clone()?.into_dlpack().into_tensor::<f64, Rank<2>, RowMajor, Cpu>().map_err(Error::from);
        x.try_clone()?.into_dlpack().view::<f64, Rank<2>, RowMajor, Cpu>()?.try_to_owned();
        // `try_into_vec` copies elements in foreign memory to a new `Vec`.
        Tensor::<f64, Rank<2>>::try_from_buffer([30, 30], x.try_to_vec()?.into_boxed_slice()).map_err(Error::from)?.try_into_vec();
    }
}

#[test]
fn operators_panic_with_out_of_memory_message() {
    let _alone = Alone::new();
    let x = square();
    let words = |f: &dyn Fn() -> Tensor<f64, Rank<2>>| {
        let before = live();
        let failing = FailingAllocations { least: ELEMENTS, granted: 0, for_good: false };
        let (panic, rejected) = failing.during(|| quietly(|| catch_unwind(AssertUnwindSafe(f))));
        let text = *panic.unwrap_err().downcast::<String>().unwrap();
        assert_eq!(rejected, 1);
        (text, live() - before)
    };
    for (text, leaked) in [words(&|| &x + &x), words(&|| x.matmul(&x)), words(&|| x.clone())] {
        assert_eq!(text, "cannot allocate 7200 bytes on Cpu: out of memory");
        assert_eq!(leaked, text.capacity() as isize);
    }
    assert_eq!(&x + &x, 2.0 * x);
}

/// If an allocation fails, the buffer pool is freed and the allocation is tried again.
#[test]
#[cfg_attr(vierbein_exact_memory, ignore = "no memory is kept for reuse in this build")]
fn pool_is_freed_before_allocation_fails() {
    let _alone = Alone::new();
    Cpu::set_pool_limit(64 << 20);
    let x = Tensor::<f64, _>::ones([200, 200]);
    for _ in 0..3 {
        drop(Tensor::<u8, _>::ones([1 << 20]));
        assert!(Cpu::pooled_bytes() > 0);
        // The first allocation fails. The second attempt, after the pool is freed, succeeds.
        let (sum, rejected) =
            FailingAllocations { least: 200 * 200 * 8, granted: 0, for_good: false }.during(|| x.try_add(&x));
        assert_eq!((sum, rejected, Cpu::pooled_bytes()), (Ok(2.0 * &x), 1, 0));
        Cpu::trim_pool();
        drop(Tensor::<u8, _>::ones([1 << 20]));
        let (sum, rejected) =
            FailingAllocations { least: 200 * 200 * 8, granted: 0, for_good: true }.during(|| x.try_add(&x));
        assert!(matches!(sum, Err(Error::OutOfMemory { .. })), "{sum:?}");
        assert_eq!((rejected, Cpu::pooled_bytes()), (2, 0));
    }
}

/// If a small allocation for other data than elements fails, the process aborts with a message, as in all Rust programs.
#[test]
fn failed_small_allocation_aborts_with_message() {
    const LAST: &str = "VIERBEIN_TEST_LAST_BYTES";
    if std::env::var_os(LAST).is_some() {
        let _alone = Alone::new();
        let x = DynTensor::from(square());
        let _ =
            FailingAllocations { least: 1, granted: 1, for_good: true }.during(|| x.try_add(&x).map(drop));
        return;
    }
    let mut this = this_program();
    let test = "allocations::failed_small_allocation_aborts_with_message";
    let ran = this.args(["--exact", test, "--nocapture"]).env(LAST, "1").output().unwrap();
    assert!(!ran.status.success());
    let text = String::from_utf8_lossy(&ran.stderr).into_owned();
    assert!(text.contains("memory allocation of "), "{text}");
}
