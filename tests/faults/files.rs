//! Tests with full disks, and with writers that are killed at any time. Afterwards, each file must have either its complete old or
//! its complete new contents.

use super::allocator::Alone;
use super::golden::Folder;
use super::restart::this_program;
use super::{Random, seed};
use std::fs;
use std::io::{self, Seek, SeekFrom, Write};
use std::path::Path;
#[cfg(unix)]
use std::process::Command;
use std::time::{Duration, Instant};
use vierbein::io::npz::{Npz, NpzWriter};
use vierbein::io::safetensors::{Safetensors, SafetensorsWriter};
use vierbein::prelude::*;
use vierbein::{Error, tensor};

const NAMES: [&str; 5] = ["packed.npz", "x.csv", "x.npy", "x.npz", "x.safetensors"];

/// Returns the tensor that the tests write for a number. All its elements equal the number, and its length depends on the number.
fn of(value: i64) -> Tensor<i64, Rank<1>> {
    Tensor::full([length(value)], value)
}

fn length(value: i64) -> usize {
    1000 + (value * 7919 % 60_000) as usize
}

fn write(name: &str, folder: &Path, x: &Tensor<i64, Rank<1>>) -> Result<(), Error> {
    let _alone = Alone::new();
    let path = folder.join(name);
    match name {
        "packed.npz" => NpzWriter::new().compressed().push(x)?.write(path),
        "x.csv" => x.insert_axis(1).write_csv(path, &["x"]),
        "x.npy" => x.write_npy(path),
        "x.npz" => NpzWriter::new().push(x)?.write(path),
        _ => SafetensorsWriter::new().add("x", x)?.write(path),
    }
}

fn read(name: &str, folder: &Path) -> Result<Tensor<i64, Rank<1>>, Error> {
    let path = folder.join(name);
    match name {
        "x.csv" => Tensor::<i64, Rank<2>>::read_csv(path).map(|(_, x)| x.flatten()),
        "x.npy" => Tensor::read_npy(path),
        "x.safetensors" => Safetensors::read(path)?.get("x"),
        _ => Npz::open(path)?.get("arr_0"),
    }
}

/// Reads a file that a test has written. Asserts that the file is complete, and returns the number that it contains.
fn whole(name: &str, folder: &Path) -> i64 {
    // Readers return large blocks to the buffer pool, whose contents other tests check.
    let _alone = Alone::new();
    let x = read(name, folder).unwrap();
    assert_eq!(x, of(x[[0]]), "{name}");
    x[[0]]
}

/// The environment variable that makes a test act as its own child process. Its value is the directory for the child's files.
const PART: &str = "VIERBEIN_TEST_FAULTS_FOLDER";

// ------------------------------------------------------------------ disk full

/// A writer that accepts a few bytes per call, reports an interruption at random, and has a limited capacity.
struct Stutters {
    to: io::Cursor<Vec<u8>>,
    room: u64,
    random: Random,
}

impl Write for Stutters {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let left = self.room.saturating_sub(self.to.position()) as usize;
        match (self.random.below(8), left) {
            (0, _) => Err(io::ErrorKind::Interrupted.into()),
            (_, 0) => Err(io::ErrorKind::StorageFull.into()),
            (some, left) => self.to.write(&bytes[..bytes.len().min(8 * some).min(left)]),
        }
    }
    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl Seek for Stutters {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        self.to.seek(to)
    }
}

type Writes<'a> = &'a dyn Fn(&mut Stutters) -> Result<(), Error>;

#[test]
fn interrupted_and_full_writer_is_handled() {
    let (x, y) = (tensor![[1.5, 2.5, 3.5], [4.5, 5.5, 6.5]], tensor![true, false]);
    let mut stored = NpzWriter::new();
    stored.add("x", &x).unwrap().add("y", &y).unwrap();
    let mut packed = NpzWriter::new();
    packed.compressed().add("x", &x).unwrap().add("y", &y).unwrap();
    let mut flat = SafetensorsWriter::new();
    flat.add("x", &x).unwrap().add("y", &y).unwrap();
    let all: [Writes<'_>; 5] = [
        &|to| x.write_npy_to(to),
        &|to| stored.write_to(to),
        &|to| packed.write_to(to),
        &|to| flat.write_to(to),
        &|to| x.write_csv_to(to, &["a", "b", "c"]),
    ];
    for (k, write) in all.into_iter().enumerate() {
        let stutters = |room| Stutters { to: io::Cursor::default(), room, random: Random(seed() + room) };
        let mut whole = stutters(u64::MAX);
        write(&mut whole).unwrap();
        let whole = whole.to.into_inner();
        for room in 0..=whole.len() as u64 {
            let mut to = stutters(room);
            match write(&mut to) {
                Ok(()) => {
                    assert_eq!((room, &to.to.get_ref()[..]), (whole.len() as u64, &whole[..]), "writer {k}")
                }
                Err(Error::File { path, reason }) => {
                    assert!(
                        path == "<stream>" && reason.starts_with("cannot be written: "),
                        "{path}: {reason}"
                    );
                    assert!(room < whole.len() as u64, "writer {k} has room for {room} bytes, and {reason}");
                }
                Err(error) => panic!("writer {k}, {room} bytes: {error}"),
            }
        }
    }
}

/// Runs in a child process whose disk or file size is limited. Writes larger and smaller files. A write that fails must leave the
/// old file unchanged.
#[cfg(unix)]
fn play_with_no_room(folder: &Path) {
    for value in [59, 7] {
        for name in NAMES {
            let result = write(name, folder, &of(value));
            let found = whole(name, folder);
            match result {
                Ok(()) => assert_eq!(found, value, "{name}"),
                Err(Error::File { path, reason }) => {
                    assert!(
                        path.ends_with(name) && reason.starts_with("cannot be written: "),
                        "{path}: {reason}"
                    );
                    println!("failed to write {name}: {reason}");
                    assert_ne!(found, value, "{name}");
                }
                Err(error) => panic!("{name}: {error}"),
            }
            assert_eq!(names(folder), NAMES, "{name}");
        }
    }
    println!("played");
}

#[cfg(unix)]
fn names(folder: &Path) -> Vec<String> {
    let mut names: Vec<_> = fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    names
}

/// Runs a shell script with the command `with`. The script gets this program as `$0`, the name of the test as `$1`, and the directory
/// as `$2`.
#[cfg(unix)]
fn shell(with: &[&str], script: &str, test: &str, folder: &Path) -> std::process::Output {
    let mut shell = Command::new(with[0]);
    shell.args(&with[1..]).args(["-c", script]).arg(std::env::current_exe().unwrap()).arg(test).arg(folder);
    shell.env(PART, folder).env("RUST_BACKTRACE", "0").output().unwrap()
}

#[cfg(unix)]
#[test]
fn file_size_limit_leaves_old_file() {
    if let Some(folder) = std::env::var_os(PART) {
        return play_with_no_room(Path::new(&folder));
    }
    // The unit of `ulimit -f` is 512 or 1024 bytes, depending on the shell. The files have up to 500 KB.
    let mut rejected = 0;
    for blocks in [0, 1, 30, 300] {
        let folder = Folder::new();
        NAMES.iter().for_each(|name| write(name, &folder.0, &of(1)).unwrap());
        // The script ignores SIGXFSZ. Otherwise the system would kill the process at the limit, instead of returning an error.
        let script =
            format!("ulimit -f {blocks}; trap '' XFSZ; exec \"$0\" --exact \"$1\" --nocapture | cat");
        let ran = shell(&["sh"], &script, "files::file_size_limit_leaves_old_file", &folder.0);
        let text = String::from_utf8_lossy(&ran.stdout).into_owned();
        assert!(text.contains("played"), "{blocks}: {text} {}", String::from_utf8_lossy(&ran.stderr));
        rejected += text.matches("failed to write").count();
        assert_eq!(folder.names(), NAMES);
    }
    assert!(rejected > 12, "{rejected}");
}

#[cfg(target_os = "linux")]
#[test]
fn full_disk_leaves_old_file() {
    if let Some(folder) = std::env::var_os(PART) {
        let folder = Path::new(&folder);
        NAMES.iter().for_each(|name| write(name, folder, &of(1)).unwrap());
        return play_with_no_room(folder);
    }
    let folder = Folder::new();
    let user = ["unshare", "--user", "--map-root-user", "--mount", "sh"];
    if !Command::new("unshare").args(&user[1..4]).arg("true").output().is_ok_and(|ran| ran.status.success()) {
        println!("skipped: this process may not have a disk of its own (`unshare --user --mount`)");
        return;
    }
    // The disk is large enough for the old files and one small new file.
    let script = "mount -t tmpfs -o size=400k none \"$2\" && exec \"$0\" --exact \"$1\" --nocapture";
    let ran = shell(&user, script, "files::full_disk_leaves_old_file", &folder.0);
    let text = String::from_utf8_lossy(&[&ran.stdout[..], &ran.stderr[..]].concat()).into_owned();
    if text.contains("mount:") {
        println!("skipped: this process may not mount a disk of its own: {text}");
        return;
    }
    assert!(text.contains("played") && text.contains("failed to write"), "{text}");
}

// ------------------------------------------------------------------ killed

#[test]
fn killed_writer_leaves_complete_files() {
    if let Some(folder) = std::env::var_os(PART) {
        let folder = Path::new(&folder);
        let first = whole("x.safetensors", folder) + 1;
        for value in first.. {
            let x = of(value);
            NAMES.iter().for_each(|name| write(name, folder, &x).unwrap());
        }
    }
    let folder = Folder::new();
    NAMES.iter().for_each(|name| write(name, &folder.0, &of(0)).unwrap());
    let mut random = Random(seed());
    let (mut unfinished, mut written) = (0, 0);
    for round in 0..30 {
        let mut victim = this_program()
            .args(["--exact", "files::killed_writer_leaves_complete_files", "--quiet"])
            .env(PART, &folder.0)
            .stdout(std::process::Stdio::null())
            .spawn()
            .unwrap();
        // In every third round, the child is killed after it has written a file. In the other rounds, it may be killed at its
        // start.
        let start = Instant::now();
        while round % 3 == 0 && whole("x.safetensors", &folder.0) == written {
            assert!(start.elapsed() < Duration::from_secs(60), "nothing is written");
            std::thread::sleep(Duration::from_millis(1));
        }
        std::thread::sleep(Duration::from_micros(random.below(40_000) as u64));
        victim.kill().unwrap();
        victim.wait().unwrap();
        let found = NAMES.map(|name| whole(name, &folder.0));
        // The child writes the files in the order of `NAMES`. So each file contains the number in the last file, or that
        // number plus 1.
        assert!(
            found.iter().all(|&value| (found[4]..=found[4] + 1).contains(&value)),
            "round {round}: {found:?}"
        );
        assert!(found[4] >= written, "round {round}: {found:?} after {written}");
        written = found[4];
        // A killed writer leaves at most one unfinished temporary file, which has the documented name.
        let left: Vec<_> = folder.names().into_iter().filter(|name| !NAMES.contains(&&name[..])).collect();
        let own = format!(".vierbein-{}-", victim.id());
        let is_own = |name: &String| name.starts_with(&own) && name.ends_with(".tmp");
        assert!(left.len() <= 1 && left.iter().all(is_own), "round {round}: {left:?}");
        unfinished += left.len();
        left.iter().for_each(|name| fs::remove_file(folder.file(name)).unwrap());
    }
    println!(
        "seed {}: 30 writers killed at file {written}, {unfinished} of them in the middle of one",
        seed()
    );
}
