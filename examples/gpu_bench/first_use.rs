//! Times the first call of a kernel in a process: in a first process, which compiles the kernel, and in a second one, which loads
//! it from disk.

use crate::Bench;
use std::error::Error;
use std::process::Command;
use std::time::Instant;
use vierbein::{Cuda, Rank, RowMajor, Tensor};

/// The environment variable that is set for the timed processes. They run this program, which then calls [`child`].
pub(crate) const CHILD: &str = "VIERBEIN_GPU_BENCH_CHILD";

/// Prints the times of the first and of the second addition, in seconds. Runs in the timed process.
pub(crate) fn child() -> Result<(), Box<dyn Error>> {
    let gpu = Cuda::<0>::new()?;
    let x = Tensor::<f64, Rank<2>, RowMajor, Cuda>::zeros([100, 100]);
    let y = Tensor::<f64, Rank<2>, RowMajor, Cuda>::zeros([100, 100]);
    gpu.synchronize()?;
    let mut times = [0.0; 2];
    for time in &mut times {
        let start = Instant::now();
        let _sum = &x + &y;
        gpu.synchronize()?;
        *time = start.elapsed().as_secs_f64();
    }
    println!("{} {}", times[0], times[1]);
    Ok(())
}

/// Runs the two timed processes, and prints their times.
pub(crate) fn report(bench: &Bench) -> Result<(), Box<dyn Error>> {
    let folder = std::env::temp_dir().join(format!("vierbein-gpu-bench-{}", std::process::id()));
    for (name, target) in [("first use of a kernel", 150.0), ("first use, second process", 5.0)] {
        let output = Command::new(std::env::current_exe()?)
            .env(CHILD, "1")
            .env("VIERBEIN_CUDA_CACHE_DIR", &folder)
            .output()?;
        let printed = String::from_utf8(output.stdout)?;
        let times: Vec<f64> = printed.split_whitespace().map(str::parse).collect::<Result<_, _>>()?;
        let [first, second] = times[..] else {
            return Err(format!("the timed process printed {printed:?}").into());
        };
        println!("{name:<34} {:.2} ms, again {:.3} ms (target {target} ms)", first * 1e3, second * 1e3);
        let json = serde_json::json!({ "case": name, "ms": first * 1e3, "again_ms": second * 1e3, "target_ms": target, "quick": bench.quick });
        println!("{json}");
    }
    std::fs::remove_dir_all(folder)?;
    Ok(())
}
