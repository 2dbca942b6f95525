//! Describes the machine, the system and the versions of the libraries, for the file of results.

use std::fmt::Write;
use std::fs::read_to_string;
use std::process::Command;

const LIBRARIES: [&str; 7] =
    ["ndarray", "strided-kernel", "strided-opteinsum", "rstsr-core", "faer", "rayon", "rustfft"];

/// Returns the description as a Markdown list. Omits properties that the system does not report.
pub fn description() -> String {
    let mut list = String::new();
    let mut item = |name: &str, value: Option<String>| {
        if let Some(value) = value {
            writeln!(list, "- {name}: {value}").expect("a string grows");
        }
    };
    item("processor", processor());
    item("instruction sets", Some(instruction_sets()));
    item("caches of one core", caches());
    item("memory", field("/proc/meminfo", "MemTotal"));
    item("transparent huge pages", page_setting("enabled"));
    item("their defragmentation", page_setting("defrag"));
    item(
        "kernel",
        line("/proc/sys/kernel/osrelease")
            .map(|release| release.split('-').next().unwrap_or_default().into()),
    );
    item("compiler", output("rustc", &["--version"]));
    item("vierbein", output("git", &["describe", "--always", "--dirty"]));
    item("peers", Some(LIBRARIES.map(locked).join(", ")));
    list
}

fn line(path: &str) -> Option<String> {
    Some(read_to_string(path).ok()?.trim().into())
}

/// Returns the value of the first line `name: value` of a file.
fn field(path: &str, name: &str) -> Option<String> {
    let text = read_to_string(path).ok()?;
    let value = text.lines().find(|line| line.starts_with(name))?.split_once(':')?.1;
    Some(value.trim().into())
}

fn processor() -> Option<String> {
    let cores = std::thread::available_parallelism().ok()?;
    let name = field("/proc/cpuinfo", "model name").unwrap_or_else(|| std::env::consts::ARCH.into());
    let numbers = ["cpu family", "model\t"].map(|number| field("/proc/cpuinfo", number));
    let [Some(family), Some(model)] = numbers else { return Some(format!("{name}, {cores} cores")) };
    Some(format!("{name} (family {family}, model {model}), {cores} cores"))
}

fn instruction_sets() -> String {
    #[cfg(target_arch = "x86_64")]
    let found = [
        ("AVX2", is_x86_feature_detected!("avx2")),
        ("FMA", is_x86_feature_detected!("fma")),
        ("AVX-512", is_x86_feature_detected!("avx512f")),
    ];
    #[cfg(not(target_arch = "x86_64"))]
    let found: [(&str, bool); 0] = [];
    let names: Vec<_> = found.iter().filter(|(_, is_there)| *is_there).map(|(name, _)| *name).collect();
    if names.is_empty() { "those of every machine of its kind".into() } else { names.join(", ") }
}

fn caches() -> Option<String> {
    let mut caches = Vec::new();
    for index in 0..4 {
        let part = |name| line(&format!("/sys/devices/system/cpu/cpu0/cache/index{index}/{name}"));
        if let (Some(level), Some(kind), Some(size)) = (part("level"), part("type"), part("size")) {
            caches.push(format!("L{level} {} {size}", kind.to_lowercase()));
        }
    }
    (!caches.is_empty()).then(|| caches.join(", "))
}

fn page_setting(name: &str) -> Option<String> {
    line(&format!("/sys/kernel/mm/transparent_hugepage/{name}"))
}

fn output(program: &str, arguments: &[&str]) -> Option<String> {
    let output = Command::new(program).args(arguments).output().ok()?;
    let text = String::from_utf8(output.stdout).ok()?;
    (output.status.success() && !text.is_empty()).then(|| text.trim().into())
}

/// Returns a package's name and its newest version in `Cargo.lock`.
fn locked(name: &str) -> String {
    let name_line = format!("name = \"{name}\"");
    let mut lines = include_str!("../Cargo.lock").lines();
    let mut version = "";
    while lines.by_ref().any(|line| line == name_line) {
        version = lines.next().and_then(|line| line.split('"').nth(1)).unwrap_or_default();
    }
    format!("{name} {version}")
}
