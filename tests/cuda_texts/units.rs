//! A test that compiles every kernel by NVRTC, for every element type and several architectures. It needs neither a GPU nor a
//! driver. It takes long, so only `scripts/check-cuda.sh` runs it.

use super::super::compile::{compile, compiler};
use super::super::program::{PRELUDE, Program};
use super::kernels::Kernels;
use std::fmt::Write;
use std::process::{Command, Stdio};
use std::time::Instant;

const ARCHITECTURES: [u32; 5] = [75, 80, 90, 100, 120];
/// Environment variable with the directory of NVRTC.
const FOLDER: &str = "VIERBEIN_TEST_NVRTC";
/// Environment variable that selects the units to compile, as "i/n": the units of process i of n, counted from 0.
const SHARE: &str = "VIERBEIN_TEST_SHARE";
/// Maximum number of kernels per unit, that is, per source. The compiler takes longer to read the common part of a source than
/// to compile most kernels.
const TOGETHER: usize = 32;

/// Combines kernels whose templates have the same files into one source. Each kernel is renamed from `entry` to `entry0`,
/// `entry1`, .., in a namespace of its own.
fn unit(kernels: &[Program]) -> String {
    let mut source: String = PRELUDE.iter().chain(kernels[0].template.files).copied().collect();
    for (n, kernel) in kernels.iter().enumerate() {
        let text = (kernel.template.entry)(kernel).replace("entry(", &format!("entry{n}("));
        let _ = writeln!(source, "namespace kernel{n} {{\n{text}}}");
    }
    source
}

/// Returns all kernels, grouped into units.
fn units() -> Vec<Vec<Program>> {
    let mut kernels = Kernels::all().list;
    kernels.sort_by_key(|kernel| kernel.template.files);
    let same_files = kernels.chunk_by(|a, b| a.template.files == b.template.files);
    same_files.flat_map(|kernels| kernels.chunks(TOGETHER)).map(<[_]>::to_vec).collect()
}

/// Returns messages about the kernels of a unit that do not compile.
fn failures(kernels: &[Program], architecture: u32) -> Vec<String> {
    let target = compiler().and_then(|compiler| compiler.target(architecture)).expect("NVRTC is there");
    assert_eq!(target.option(), format!("--gpu-architecture=sm_{architecture}"), "NVRTC knows it");
    let Err(together) = compile(&unit(kernels), target) else { return vec![] };
    let failing = kernels.iter().filter_map(|kernel| {
        let reason = compile(&kernel.source(), target).err()?;
        let Program { name, types, variant, .. } = kernel;
        Some(format!("sm_{architecture}: {name:?} of {types:?} {variant:?}: {reason}"))
    });
    let failing: Vec<String> = failing.collect();
    if failing.is_empty() { vec![format!("sm_{architecture}, together only: {together}")] } else { failing }
}

#[test]
fn every_kernel_compiles() {
    let units = units();
    if let Ok(share) = std::env::var(SHARE) {
        let (own, of) = share.split_once('/').expect("a number, and of how many");
        let (own, of) = (own.parse().expect("a number"), of.parse().expect("a number"));
        let failing: Vec<String> = units
            .iter()
            .skip(own)
            .step_by(of)
            .flat_map(|unit| ARCHITECTURES.map(|architecture| failures(unit, architecture)))
            .flatten()
            .collect();
        assert!(failing.is_empty(), "{} fail\n{}", failing.len(), failing.join("\n"));
        return;
    }
    let Some(folder) = std::env::var_os(FOLDER) else {
        return println!("skipped: {FOLDER} names no folder with NVRTC; `scripts/check-cuda.sh` has one");
    };

    // NVRTC compiles one source at a time in a process, even if several threads call it. So run several processes.
    let start = Instant::now();
    let processes = std::thread::available_parallelism().map_or(1, usize::from);
    let process = |own: usize| {
        let mut command = Command::new(std::env::current_exe().expect("this program"));
        let path = module_path!().split_once("::").expect("a module of a crate").1;
        command.args(["--exact", &format!("{path}::every_kernel_compiles"), "--nocapture"]);
        command.env(SHARE, format!("{own}/{processes}")).env("VIERBEIN_CUDA_LIB_DIR", &folder);
        command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("this program again")
    };
    let running: Vec<_> = (0..processes).map(process).collect();
    for process in running {
        let output = process.wait_with_output().expect("its output");
        let said = String::from_utf8_lossy(&output.stdout) + String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success() && said.contains("1 passed"), "{said}");
    }
    let (count, time) = (units.iter().map(Vec::len).sum::<usize>(), start.elapsed());
    println!(
        "{count} kernels in {} units for each of sm_{ARCHITECTURES:?}: {time:.1?} in {processes} processes",
        units.len()
    );
}
