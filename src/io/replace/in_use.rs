//! Replaces files that are open or memory-mapped. Windows may reject a rename over such a file.
//!
//! On Unix, a rename replaces any file. On Windows 10 and later, `fs::rename` on NTFS does so too, if every other handle of the old
//! file was opened with `FILE_SHARE_DELETE`. The standard library opens files with this flag. Otherwise the rename fails while the
//! old file is open, for instance in a virus scanner or an indexer. It also fails while the old file is memory-mapped.
//!
//! Scanners and indexers soon close a file, so each operation on a file in use is retried for [`PATIENCE`]. If the rename still
//! fails, the file is replaced in three steps: rename the old file, which Windows allows for a mapped file too; rename the new file to
//! `target`; delete the old file. LLVM replaces its outputs in the same way.
//!
//! Between the two renames, there is no file `target`. If the process is killed at that moment, the old file and the new one remain
//! as `.vierbein-*.tmp`, both complete.

use super::new_name_next_to;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

/// How long to retry a step that fails because a file is in use. Scanners close a file within milliseconds.
const PATIENCE: Duration = Duration::from_millis(500);

/// Old files that could not be deleted because they are mapped. The next call that moves a file away tries again to delete them.
static MOVED_AWAY: Mutex<Vec<PathBuf>> = Mutex::new(Vec::new());

/// Returns whether this is an error that Windows reports for a file in use: access denied, sharing violation, lock, pending
/// deletion, or mapped section. Missing permissions are reported as access denied too.
fn says_in_use(e: &io::Error) -> bool {
    cfg!(windows) && matches!(e.raw_os_error(), Some(5 | 32 | 33 | 303 | 1224))
}

/// Repeats `step` while it fails because a file is in use, for at most [`PATIENCE`].
pub(super) fn retry<R>(step: impl FnMut() -> io::Result<R>) -> io::Result<R> {
    retry_if(&says_in_use, step)
}

fn retry_if<R>(
    in_use: &dyn Fn(&io::Error) -> bool,
    mut step: impl FnMut() -> io::Result<R>,
) -> io::Result<R> {
    let start = Instant::now();
    let mut pause = Duration::from_millis(1);
    loop {
        match step() {
            Err(e) if in_use(&e) && start.elapsed() < PATIENCE => std::thread::sleep(pause),
            result => return result,
        }
        pause = (2 * pause).min(Duration::from_millis(50));
    }
}

/// Renames the complete file `new` to `target`. `rename` is [`fs::rename`], except in tests.
pub(super) fn rename(
    new: &Path,
    target: &Path,
    rename: &mut dyn FnMut(&Path, &Path) -> io::Result<()>,
) -> io::Result<()> {
    rename_if(&says_in_use, new, target, rename)
}

pub(super) fn rename_if(
    in_use: &dyn Fn(&io::Error) -> bool,
    new: &Path,
    target: &Path,
    rename: &mut dyn FnMut(&Path, &Path) -> io::Result<()>,
) -> io::Result<()> {
    match retry_if(in_use, || rename(new, target)) {
        Err(e) if in_use(&e) => {}
        result => return result,
    }
    let explain = |e: io::Error| {
        let reason = format!(
            "{e}; the file is open or memory-mapped and cannot be replaced: drop what reads it (a mapped `Safetensors`), or \
             write to another path"
        );
        io::Error::new(e.kind(), reason)
    };
    let old = new_name_next_to(target);
    match rename(target, &old) {
        // Another writer has moved the old file away.
        Err(e) if e.kind() == io::ErrorKind::NotFound => {
            return retry_if(in_use, || rename(new, target)).map_err(explain);
        }
        result => result.map_err(explain)?,
    }
    let result = retry_if(in_use, || rename(new, target)).map_err(explain);
    // If there is a file `target` now, another writer has put it there, so the old file is not moved back.
    if result.is_err() && !target.exists() {
        return match rename(&old, target) {
            Ok(()) => result,
            Err(_) => result.map_err(|e| {
                io::Error::new(e.kind(), format!("{e}; the old file is now `{}`", old.display()))
            }),
        };
    }
    let mut moved_away = MOVED_AWAY.lock().unwrap_or_else(PoisonError::into_inner);
    moved_away.push(old);
    moved_away.retain(|path| matches!(fs::remove_file(path), Err(e) if e.kind() != io::ErrorKind::NotFound));
    result
}
