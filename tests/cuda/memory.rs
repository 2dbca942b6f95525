//! Tests of device memory, of its use by several threads, and of two kinds of errors: out of memory, and kernels that do not compile.

use crate::{device, gpu};
use vierbein::device::{CudaSource, UnaryOp};
use vierbein::prelude::*;
use vierbein::{Cuda, Error, c64, try_einsum};

type OnGpu<T, D> = Tensor<T, D, RowMajor, Cuda>;

#[test]
fn failed_device_allocation_is_error() {
    let Some(gpu) = device() else { return };
    // The first request exceeds the memory of any GPU, the second exceeds the address space.
    for len in [1usize << 42, 1 << 59] {
        let error = OnGpu::<f64, Rank<1>>::try_zeros([len]).unwrap_err();
        let bytes = 8 * len;
        assert_eq!(error.to_string(), format!("cannot allocate {bytes} bytes on Cuda<0>: out of memory"));
        assert!(matches!(error, Error::OutOfMemory { bytes: asked, .. } if asked == bytes), "{error:?}");
    }
    let error = OnGpu::<f64, Rank<1>>::try_zeros([1 << 61]).unwrap_err();
    assert!(matches!(error, Error::Overflow { .. }), "{error:?}");
    // After the errors, the device can still be used.
    let x = tensor![1.0, 2.0, 3.0].to_device::<Cuda>().unwrap();
    assert_eq!((&x + &x).into_vec(), [2.0, 4.0, 6.0]);
    let (free, total) = gpu.memory().unwrap();
    assert!(0 < free && free <= total, "{free} of {total} bytes");
}

/// Pinned host memory is initialised with zeros, and can be the memory of a tensor. An allocation that fails is an error.
#[test]
fn pinned_memory() {
    let Some(gpu) = device() else { return };
    let mut here =
        Tensor::<f64, Rank<2>, ColMajor>::from_buffer([3, 2], gpu.pinned(6).expect("there is so much"));
    assert!(here.iter().all(|x| x.to_bits() == 0));
    let there = tensor![[1.0, f64::NAN], [f64::INFINITY, -0.0], [f64::MIN_POSITIVE, f64::MAX]]
        .to_order::<ColMajor>()
        .to_device::<Cuda>()
        .expect("there is a GPU");
    here.copy_from(&there).expect("the shapes are equal");
    let bits = |x: &Tensor<f64, Rank<2>, ColMajor>| x.iter().map(|x| x.to_bits()).collect::<Vec<_>>();
    assert_eq!(bits(&here), bits(&there.to_device::<Cpu>().expect("it comes back")));
    assert_eq!(bits(&here.to_device::<Cuda>().and_then(|x| x.to_device::<Cpu>()).unwrap()), bits(&here));

    let nothing = Tensor::<c64, Rank<2>>::from_buffer([0, 5], gpu.pinned(0).expect("nothing is there"));
    assert_eq!(nothing.to_device::<Cuda>().expect("it is nothing").shape(), [0, 5]);

    let error = gpu.pinned::<f64>(1 << 45).unwrap_err();
    assert!(matches!(error, Error::OutOfMemory { bytes, .. } if bytes == 1 << 48), "{error:?}");
    let says = format!("cannot allocate {} bytes on the host (page-locked): out of memory", 1usize << 48);
    assert_eq!(error.to_string(), says);
    for len in [usize::MAX, usize::MAX / 8 + 1, isize::MAX as usize / 8 + 1] {
        let error = gpu.pinned::<f64>(len).unwrap_err();
        assert!(matches!(error, Error::Overflow { .. }), "{len}: {error:?}");
    }
    // The shapes have one element more or fewer than the buffer.
    for shape in [[7], [5]] {
        let error = Tensor::<u8, Rank<1>>::try_from_buffer(shape, gpu.pinned(6).unwrap()).unwrap_err();
        assert!(error.to_string().contains("from 6 values"), "{error}");
    }
    gpu.synchronize().unwrap();
    gpu.trim_pool().unwrap();
    assert!(Cuda::<0>::count().unwrap() > 0);
}

/// Allocates until the device memory is exhausted. Freed memory must be available again. Runs in a child process, whose emulated
/// GPU has little memory.
#[test]
fn freed_device_memory_can_be_allocated_again() {
    const SMALL: &str = "VIERBEIN_TEST_SMALL_MEMORY";
    if std::env::var_os(SMALL).is_none() {
        let Some(folder) = gpu::emulator_or_say() else { return };
        let mut program = gpu::program(&folder);
        program.args(["--exact", "memory::freed_device_memory_can_be_allocated_again", "--nocapture"]);
        program.env(SMALL, "1").env("VIERBEIN_EMULATOR_MEMORY", "1000000");
        let ran = program.env("VIERBEIN_REQUIRE_GPU", "1").output().unwrap();
        let text = gpu::text(&ran);
        return assert!(ran.status.success() && text.contains("1 passed"), "{text}");
    }
    for _ in 0..3 {
        let mut held = Vec::new();
        let error = loop {
            match OnGpu::<u8, Rank<1>>::try_zeros([300_000]) {
                Ok(x) => held.push(x),
                Err(error) => break error,
            }
        };
        assert_eq!(held.len(), 3);
        assert!(matches!(error, Error::OutOfMemory { .. }), "{error}");
        // An operation that cannot allocate its result leaves its operands unchanged.
        assert!(matches!(held[0].try_add(&held[1]), Err(Error::OutOfMemory { .. })));
        held.pop();
        assert_eq!(held[0].try_add(&held[1]).unwrap().into_vec(), vec![0; 300_000]);
    }
    let (free, total) = Cuda::<0>::new().unwrap().memory().unwrap();
    assert_eq!((free, total), (1_000_000, 1_000_000));
}

/// Tests operations that need workspace in addition to the result. Other tensors occupy most of the memory. Each attempt leaves more of the
/// memory free, so the operation fails at first and then succeeds. An allocation may fail only after the buffer pool was freed. Runs in a
/// child process, whose emulated GPU has little memory.
#[test]
fn operations_fail_or_succeed_with_little_device_memory() {
    const SMALL: &str = "VIERBEIN_TEST_LITTLE_MEMORY";
    const ALL: usize = 1 << 20;
    if std::env::var_os(SMALL).is_none() {
        let Some(folder) = gpu::emulator_or_say() else { return };
        for kept in ["0", "100000000"] {
            let mut program = gpu::program(&folder);
            let test = "memory::operations_fail_or_succeed_with_little_device_memory";
            program.args(["--exact", test, "--nocapture"]).env("VIERBEIN_CUDA_POOL_BYTES", kept);
            program.env(SMALL, "1").env("VIERBEIN_EMULATOR_MEMORY", ALL.to_string());
            let ran = program.env("VIERBEIN_REQUIRE_GPU", "1").output().unwrap();
            let text = gpu::text(&ran);
            assert!(ran.status.success() && text.contains("1 passed"), "pool limit {kept}: {text}");
        }
        return;
    }
    let x = Tensor::<f64, _>::from_fn([32, 32], |[i, j]| ((i * 5 + j * 3) % 7) as f64);
    let long = Tensor::<f64, _>::from_fn([1 << 14], |[i]| (i % 5) as f64);
    let (on_gpu, long_on_gpu) = (x.to_device::<Cuda>().unwrap(), long.to_device::<Cuda>().unwrap());
    type Tried<'a> = &'a dyn Fn() -> Result<Vec<f64>, Error>;
    let a = &on_gpu;
    let chain: Tried<'_> = &|| try_einsum!("ij,jk,kl,lm->mi", a, a, a, a)?.try_into_vec();
    let packed: Tried<'_> = &|| try_einsum!("ij,ik,il->jkl", a, a, a.slice(s![.., ..2]))?.try_into_vec();
    let sum: Tried<'_> = &|| long_on_gpu.try_sum()?.try_into_vec();
    let expected = [
        einsum!("ij,jk,kl,lm->mi", &x, &x, &x, &x).into_vec(),
        einsum!("ij,ik,il->jkl", &x, &x, x.slice(s![.., ..2])).into_vec(),
        long.sum().into_vec(),
    ];
    for (tried, expected) in [chain, packed, sum].into_iter().zip(expected) {
        // The first call loads the kernels. So the calls below allocate only workspace and results.
        assert_eq!(tried().unwrap(), expected);
        with_little_memory(tried, |found| assert_eq!(found, expected));
        assert_eq!(on_gpu.to_device::<Cpu>().unwrap(), x);
    }
    // The buffers in the pool occupy most of the memory, and each is too small for the request. So the library must free them.
    drop((0..4).map(|_| OnGpu::<u8, _>::ones([ALL / 5])).collect::<Vec<_>>());
    assert!(OnGpu::<u8, Rank<1>>::try_zeros([ALL / 2]).is_ok());
}

/// Calls `tried` several times while other tensors occupy most of the memory. Each call leaves more of the memory free than the one before.
/// The first calls must return `OutOfMemory`. Once a call has succeeded, all later ones must succeed, too. Passes their results to `check`.
/// After each call, as much memory must be free as before.
pub(crate) fn with_little_memory<R>(tried: &dyn Fn() -> Result<R, Error>, check: impl Fn(R)) {
    let gpu = Cuda::<0>::new().unwrap();
    let (mut failed, mut done) = (0, false);
    for spare in (0..64).map(|k| 256 * (k + k * k / 2)) {
        gpu.trim_pool().unwrap();
        let (free, _) = gpu.memory().unwrap();
        // Occupies memory with tensors whose sizes are powers of two, because the allocator does not round such sizes up.
        let mut left = free.saturating_sub(spare);
        let mut held = Vec::new();
        for size in (8..=20).rev().map(|bits| 1 << bits) {
            while left >= size {
                held.push(OnGpu::<u8, Rank<1>>::zeros([size]));
                left -= size;
            }
        }
        let rest = OnGpu::<u8, Rank<1>>::try_zeros([left]);
        match tried() {
            Ok(found) => {
                check(found);
                done = true;
            }
            Err(Error::OutOfMemory { device, .. }) => {
                assert!(device == "Cuda<0>" && !done, "with {spare} bytes to spare, and done with less");
                failed += 1;
            }
            Err(error) => panic!("with {spare} bytes to spare: {error}"),
        }
        drop((held, rest));
        gpu.trim_pool().unwrap();
        assert_eq!(gpu.memory().unwrap().0, free, "bytes that are free again");
    }
    assert!(failed > 0 && done, "{failed} failures, and done: {done}");
}

#[test]
fn threads_share_the_device() {
    if device().is_none() {
        return;
    }
    std::thread::scope(|scope| {
        for k in 0..8 {
            scope.spawn(move || {
                for n in 1..20 {
                    let x = OnGpu::<i64, _>::full([n, 100], k);
                    let y = &x * 2 + &x;
                    assert_eq!(y.into_vec(), vec![3 * k; 100 * n]);
                }
            });
        }
    });
}

/// A user-defined operation whose CUDA text does not compile.
#[derive(Clone, Copy)]
struct Misspelt;

impl UnaryOp<f64> for Misspelt {
    type Output = f64;
    const NAME: &'static str = "misspell";
    // SAFETY: the text calls a function that does not exist. So it does not compile, and never runs.
    const CUDA: CudaSource = unsafe { CudaSource::new("no_function_of_this_name(a)") };
    fn apply(&self, a: f64) -> f64 {
        a
    }
}

#[test]
fn kernel_compile_error_is_error() {
    if device().is_none() {
        return;
    }
    let x = tensor![1.0, 2.0].to_device::<Cuda>().unwrap();
    for _ in 0..2 {
        let error = x.try_apply(Misspelt).unwrap_err();
        assert!(matches!(error, Error::DeviceFailed { .. }), "{error:?}");
        let text = error.to_string();
        assert!(text.contains("Cuda<0>") && text.contains("no_function_of_this_name"), "{text}");
    }
    assert_eq!((&x - 1.0).into_vec(), [0.0, 1.0]);
}
