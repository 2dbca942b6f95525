//! Replaces a file as a whole: other programs see the complete old file or the complete new one.

#![forbid(unsafe_code)]

mod in_use;
#[cfg_attr(unix, path = "replace/links_unix.rs")]
mod links;
#[cfg(test)]
mod tests;

use crate::error::Error;
use std::fs::{self, File, OpenOptions, Permissions};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};

/// The path of a temporary file. Dropping it deletes the file.
struct Temporary(Option<PathBuf>);

impl Drop for Temporary {
    fn drop(&mut self) {
        if let Some(path) = &self.0 {
            // A failure is ignored: the caller has its own error to return, or is done with the file.
            let _ = fs::remove_file(path);
        }
    }
}

/// Writes a temporary file in the directory of `path` and renames it to `path`.
///
/// * An existing file must be writable. Its permission bits carry over to the new file. Owner, group and access control list do
///   not: the new file has those of any newly created file.
/// * A new file gets the permissions of any newly created file: `0666` without the bits of the umask.
/// * The temporary file has mode `0600` until it is complete, so the data are never more accessible than in the complete file.
/// * Symbolic links are followed: the link stays, and the file that it points to is replaced.
/// * A pipe or a device is not replaced but written to.
///
/// Links, files and pipes of other users in a directory such as `/tmp` are rejected: see `links::check_owner`.
///
/// If the process is killed, the old file is unchanged and a `.vierbein-*.tmp` may remain. On Windows, a file that is in use may
/// have to be moved away first: see [`in_use`].
pub(super) fn replace(path: &Path, write: impl FnOnce(&mut File) -> Result<(), Error>) -> Result<(), Error> {
    let failed = |reason: &str| Error::File { path: path.display().to_string(), reason: reason.to_owned() };
    let error = |e: io::Error| failed(&format!("cannot be written: {e}"));
    let target = in_use::retry(|| links::resolve(path)).map_err(error)?;
    let permissions = match in_use::retry(|| fs::metadata(path)) {
        Ok(old) => {
            // WASI has no permissions and reports every file as read-only. There, opening the file for writing below is the check.
            if cfg!(not(target_family = "wasm")) && old.is_file() && old.permissions().readonly() {
                return Err(failed("cannot be written: the file exists and is read-only"));
            }
            // Checked before the file is opened, because opening a pipe blocks until the pipe has a reader.
            links::check_owner(&target, &old).map_err(error)?;
            // A rename does not need write access to the old file, so opening the file for writing checks for it. This opens `path`, not
            // `target`: the operating system follows the links once more and applies its own restrictions. Opening a directory fails.
            let open = || OpenOptions::new().write(true).open(path);
            let mut opened = if old.is_file() { in_use::retry(open) } else { open() }.map_err(error)?;
            let opened_file = links::metadata_of_opened(&opened, old).map_err(error)?;
            links::check_owner(&target, &opened_file).map_err(error)?;
            if !opened_file.is_file() {
                return write(&mut opened);
            }
            Some(carried_over(opened_file.permissions()))
        }
        Err(e) if e.kind() == io::ErrorKind::NotFound => permissions_of_new_file(&target).map_err(error)?,
        Err(e) => return Err(error(e)),
    };
    let (mut file, mut temporary) = create_in_directory_of(&target, &private()).map_err(error)?;
    write(&mut file)?;
    if let Some(permissions) = permissions {
        // Some file systems have fixed permissions and reject any change.
        if file.metadata().map_err(error)?.permissions() != permissions {
            file.set_permissions(permissions).map_err(error)?;
        }
    }
    // Without `sync_all`, a power failure after the rename could keep the new name and lose the data.
    file.sync_all().map_err(error)?;
    drop(file);
    if let Some(name) = temporary.0.as_ref() {
        in_use::rename(name, &target, &mut |from, to| fs::rename(from, to)).map_err(error)?;
    }
    temporary.0 = None;
    Ok(())
}

/// Returns a name in the directory of `target` that this process has not used before.
fn new_name_next_to(target: &Path) -> PathBuf {
    static COUNTER: AtomicUsize = AtomicUsize::new(0);
    let count = COUNTER.fetch_add(1, Ordering::Relaxed);
    // WebAssembly has no process ID: `std::process::id` panics there.
    let process = if cfg!(target_family = "wasm") { 0 } else { std::process::id() };
    target.with_file_name(format!(".vierbein-{process}-{count}.tmp"))
}

/// Creates a file with a new name in the directory of `target`. `options` must contain `create_new`, which follows no links.
fn create_in_directory_of(target: &Path, options: &OpenOptions) -> io::Result<(File, Temporary)> {
    loop {
        let name = new_name_next_to(target);
        match options.open(&name) {
            Ok(file) => return Ok((file, Temporary(Some(name)))),
            Err(e) if e.kind() == io::ErrorKind::AlreadyExists => {}
            Err(e) => return Err(e),
        }
    }
}

/// Returns options that create a new file. On Unix, users other than the owner cannot open that file.
fn private() -> OpenOptions {
    let mut options = OpenOptions::new();
    options.read(true).write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options
}

/// Returns the permissions that replacing a file keeps: read, write and execute. Writing to a file clears the set-user-ID bit, so
/// replacing a file clears that bit as well.
fn carried_over(old: Permissions) -> Permissions {
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        Permissions::from_mode(old.mode() & 0o777)
    }
    #[cfg(not(unix))]
    old
}

/// Returns the permissions of a newly created file in the directory of `target`, or `None` if the temporary file has them already.
///
/// Creates an empty file, reads its mode and deletes it. All other ways to read the umask change it for all threads, except on Linux,
/// where `/proc` has the umask. The mode of the empty file also reflects the directory's default access control list, which
/// replaces the umask, and the mount options of file systems without permissions.
fn permissions_of_new_file(target: &Path) -> io::Result<Option<Permissions>> {
    if cfg!(not(unix)) {
        return Ok(None);
    }
    let (file, _temporary) = create_in_directory_of(target, OpenOptions::new().write(true).create_new(true))?;
    Ok(Some(file.metadata()?.permissions()))
}
