//! Files that are replaced as a whole: whoever looks finds the old one or the new one.

#![forbid(unsafe_code)]

use crate::error::Error;
use std::fs::{self, File, OpenOptions};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

/// A file that is removed unless it gets its proper name.
struct Temporary(Option<PathBuf>);

impl Drop for Temporary {
    fn drop(&mut self) {
        if let Some(path) = &self.0 {
            // There is already an error to report.
            let _ = fs::remove_file(path);
        }
    }
}

/// The file that symbolic links lead to, which may not be there yet.
fn end_of_links(path: &Path) -> io::Result<PathBuf> {
    // As many as Linux follows.
    const LINKS: usize = 40;
    let mut target = path.to_path_buf();
    for _ in 0..=LINKS {
        match (fs::canonicalize(&target), fs::read_link(&target)) {
            (Ok(target), _) => return Ok(target),
            (_, Ok(link)) => target = target.parent().map_or(link.clone(), |folder| folder.join(&link)),
            _ => return Ok(target),
        }
    }
    Err(io::Error::other("too many symbolic links lead to each other"))
}

/// Writes a file beside `path` and renames it, so that `path` always names a complete file: the old one or the new one.
///
/// The new file has the old one's permission bits (its owner is whoever writes it), and a symbolic link goes on pointing to it.
/// What is no file, such as a pipe or a terminal, is written to as it is. A program that is killed leaves `.vierbein-*.tmp`
/// behind, and the old file whole.
pub(super) fn replace(path: &Path, write: impl FnOnce(&mut File) -> Result<(), Error>) -> Result<(), Error> {
    static COUNTER: AtomicU64 = AtomicU64::new(0);
    let failed = |why: &str| Error::File { path: path.display().to_string(), why: why.to_owned() };
    let error = |e: io::Error| failed(&format!("cannot be written: {e}"));
    // Behind a symbolic link, the file itself is replaced.
    let target = end_of_links(path).map_err(error)?;
    let old = fs::metadata(&target).ok();
    if old.as_ref().is_some_and(|old| !old.is_file()) {
        // A folder is an error.
        return write(&mut OpenOptions::new().write(true).open(&target).map_err(error)?);
    }
    // A rename would not ask: whoever may not write the file is not to replace it.
    if let Some(old) = &old {
        if old.permissions().readonly() {
            return Err(failed("cannot be written: it is there already, and read-only"));
        }
        OpenOptions::new().write(true).open(&target).map_err(error)?;
    }
    let (mut file, mut temporary) = loop {
        let count = COUNTER.fetch_add(1, Ordering::Relaxed);
        let beside = target.with_file_name(format!(".vierbein-{}-{count}.tmp", std::process::id()));
        match File::create_new(&beside) {
            Ok(file) => break (file, Temporary(Some(beside))),
            Err(e) if e.kind() == io::ErrorKind::AlreadyExists => {}
            Err(e) => return Err(error(e)),
        }
    };
    // Before there is anything that others might read.
    if let Some(old) = old {
        file.set_permissions(old.permissions()).map_err(error)?;
    }
    write(&mut file)?;
    // Without this, a rename can outlive a loss of power that the data do not.
    file.sync_all().map_err(error)?;
    drop(file);
    if let Some(beside) = temporary.0.as_ref() {
        fs::rename(beside, &target).map_err(error)?;
    }
    temporary.0 = None;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Write;
    use std::panic::{AssertUnwindSafe, catch_unwind};

    #[test]
    fn whoever_fails_half_way_leaves_the_old_file_and_nothing_else() {
        let folder = std::env::temp_dir().join(format!("vierbein-replace-{}", std::process::id()));
        fs::create_dir(&folder).unwrap();
        let path = folder.join("x");
        let names = || fs::read_dir(&folder).unwrap().map(|e| e.unwrap().file_name()).collect::<Vec<_>>();
        let broken = || Error::File { path: "x".to_owned(), why: "the wire is cut".to_owned() };
        let half = |file: &mut File| {
            file.write_all(b"half of the new").unwrap();
            assert_eq!(names().len(), 1 + usize::from(path.exists()));
            Err(broken())
        };
        assert_eq!(replace(&path, half), Err(broken()));
        assert_eq!(names().len(), 0);

        fs::write(&path, "old").unwrap();
        assert_eq!(replace(&path, half), Err(broken()));
        assert_eq!((fs::read(&path).unwrap(), names().len()), (b"old".to_vec(), 1));
        let panics = catch_unwind(AssertUnwindSafe(|| replace(&path, |_| panic!("midway"))));
        assert!(panics.is_err());
        assert_eq!((fs::read(&path).unwrap(), names().len()), (b"old".to_vec(), 1));

        let mut permissions = fs::metadata(&path).unwrap().permissions();
        permissions.set_readonly(true);
        fs::set_permissions(&path, permissions).unwrap();
        let refused = replace(&path, |_| panic!("nothing may be written")).unwrap_err().to_string();
        assert!(refused.ends_with("x: cannot be written: it is there already, and read-only"), "{refused}");
        fs::remove_file(&path).unwrap();

        replace(&path, |file| file.write_all(b"new").map_err(|_| broken())).unwrap();
        assert_eq!((fs::read(&path).unwrap(), names().len()), (b"new".to_vec(), 1));
        fs::remove_dir_all(&folder).unwrap();
    }
}
