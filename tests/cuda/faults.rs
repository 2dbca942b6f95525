//! Tests of the CUDA emulator itself: it must report a fault for each incorrect operation, and none for correct operations.

use crate::gpu;
use vierbein::device::{CudaSource, UnaryOp};
use vierbein::prelude::*;
use vierbein::{Cuda, Error};

const EMULATED: &str = "VIERBEIN_TEST_FAULTS";

macro_rules! operations {
    ($($name:ident: $text:expr;)*) => {$(
        #[derive(Clone, Copy)]
        struct $name;
        impl UnaryOp<i64> for $name {
            type Output = i64;
            const NAME: &'static str = stringify!($name);
            // SAFETY: some of these texts violate the conditions of `CudaSource::new` on purpose. They run only in the emulator,
            // which detects each invalid access and returns an error.
            const CUDA: CudaSource = unsafe { CudaSource::new($text) };
            fn apply(&self, a: i64) -> i64 {
                a
            }
        }
    )*};
}

operations! {
    Fine: "a / 3 + (i64)__shfl_xor_sync(0xffffffffu, (i32)a, 1)";
    Wild: "*(i64 *)(a * 8)";
    Misaligned: "*(i32 *)((u64)&a + 2)";
    Divided: "7 / (a >> 62)";
    HalfABarrier: "[&] { if (threadIdx.x < 32) { __syncthreads(); } return a; }(), [&] { if (threadIdx.x >= 32)
        { __syncthreads(); } return a; }()";
    LanesMissing: "threadIdx.x % 32 ? (i64)__shfl_sync(0xffffffffu, (i32)a, 0) : a";
    TwoGroups: "(i64)(threadIdx.x % 2 ? __shfl_xor_sync(0xaaaaaaaau, (i32)a, 2) : __shfl_xor_sync(0x55555555u, (i32)a, 2))";
    MasksDiffer: "(i64)(threadIdx.x % 2 ? __shfl_sync(0xaaaaaaaau, (i32)a, 1) : __shfl_sync(0xffffffffu, (i32)a, 1))";
    Race: "[&] { __shared__ i64 of_block[256]; of_block[threadIdx.x] = a; i64 other = of_block[(threadIdx.x + 1) % 256];
        __syncthreads(); return other; }()";
    NoRace: "[&] { __shared__ i64 of_block[256]; of_block[threadIdx.x] = a; __syncthreads();
        i64 other = of_block[(threadIdx.x + 1) % 256]; __syncthreads(); return other; }()";
}

/// Applies the operation to 256 elements. A single block computes them, with one element per thread.
fn run(op: impl UnaryOp<i64, Output = i64>) -> Result<Vec<i64>, Error> {
    let x = Tensor::<i64, _>::from_vec([256], (0..256).collect()).to_device::<Cuda>()?;
    Ok(x.try_apply(op)?.to_vec())
}

fn in_the_emulator(test: &str, order: &str) -> Option<String> {
    let folder = match gpu::emulator() {
        Ok(folder) => folder,
        Err(why) => {
            println!("skipped: the CUDA emulator is not there: {why}");
            return None;
        }
    };
    let mut program = gpu::program(&folder);
    program.args(["--exact", test, "--nocapture"]).env(EMULATED, "1").env("VIERBEIN_EMULATOR_ORDER", order);
    let ran = program.output().unwrap();
    let text = gpu::text(&ran);
    assert!(ran.status.success(), "{text}");
    Some(text)
}

fn emulated() -> bool {
    std::env::var_os(EMULATED).is_some()
}

#[test]
fn faults_are_errors() {
    if !emulated() {
        if let Some(text) = in_the_emulator("faults::faults_are_errors", "forward") {
            for word in [
                "access to invalid memory",
                "not aligned",
                "divided by zero",
                "wait for different things",
                "lanes do not come",
                "lanes meet with different masks",
            ] {
                assert!(text.contains(word), "nothing of {word:?} in {text}");
            }
        }
        return;
    }
    let expected: Vec<i64> = (0..256).map(|a| a / 3 + (a ^ 1)).collect();
    assert_eq!(run(Fine).unwrap(), expected);
    for error in
        [run(Wild), run(Misaligned), run(Divided), run(HalfABarrier), run(LanesMissing), run(MasksDiffer)]
    {
        assert!(matches!(error, Err(Error::DeviceFailed { .. })), "{error:?}");
    }
    // Lanes of a warp may exchange values in groups.
    assert_eq!(run(TwoGroups).unwrap(), (0..256).map(|a| a ^ 2).collect::<Vec<i64>>());
    // After the errors, the device can still run kernels.
    assert_eq!(run(Fine).unwrap(), expected);
}

/// If a kernel lacks a barrier, its result depends on the order in which the emulator runs the threads.
#[test]
fn races_depend_on_the_order() {
    if emulated() {
        let said = |result: Result<Vec<i64>, Error>| format!("{:?}", result.unwrap());
        return println!("\nrace {}\nno race {}", said(run(Race)), said(run(NoRace)));
    }
    let said: Option<Vec<String>> = ["forward", "reverse", "random"]
        .iter()
        .map(|order| in_the_emulator("faults::races_depend_on_the_order", order))
        .collect();
    let Some(said) = said else { return };
    let lines = |begin: &str| -> Vec<String> {
        let line =
            |text: &String| text.lines().find(|line| line.starts_with(begin)).expect("a line").to_string();
        said.iter().map(line).collect()
    };
    let (race, none) = (lines("race "), lines("no race "));
    assert!(race[0] != race[1] && race[1] != race[2] && race[0] != race[2], "{race:?}");
    assert!(none[0] == none[1] && none[1] == none[2], "{none:?}");
}
