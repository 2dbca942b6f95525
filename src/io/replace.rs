//! Replaces a file as a whole: other programs see the complete old file or the complete new one.

#![forbid(unsafe_code)]

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

mod in_use {
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
        moved_away
            .retain(|path| matches!(fs::remove_file(path), Err(e) if e.kind() != io::ErrorKind::NotFound));
        result
    }
}

#[cfg(unix)]
mod links {
    //! Follows symbolic links, with the restrictions that Linux applies if `fs.protected_symlinks`, `fs.protected_regular` and
    //! `fs.protected_fifos` are 1.
    //!
    //! Linux applies these restrictions when it follows a link itself and when it creates a file. `fs::canonicalize` and
    //! `fs::read_link` read links as data, so the restrictions do not apply to these functions. Linux does not apply the
    //! restrictions on files and pipes when an existing file is opened without `O_CREAT`. Other systems have no such restrictions.

    use std::ffi::{OsStr, OsString};
    use std::fs::{self, File, Metadata};
    use std::io;
    use std::os::unix::ffi::{OsStrExt, OsStringExt};
    use std::os::unix::fs::MetadataExt;
    use std::path::{Path, PathBuf};

    /// Maximum number of links in a path, as on Linux.
    const MAX_LINKS: usize = 40;

    /// Returns the path that `path` leads to, without links. The last component of the returned path need not exist.
    ///
    /// # Errors
    /// If a directory is missing, there are more than [`MAX_LINKS`] links, or [`check_owner`] rejects one of the links.
    pub(super) fn resolve(path: &Path) -> io::Result<PathBuf> {
        let mut resolved = PathBuf::from(if path.has_root() { "/" } else { "" });
        // The remaining components, in reverse, so that `pop` returns the next component.
        let mut names = components(path);
        let mut links = 0;
        while let Some(name) = names.pop() {
            let next = resolved.join(&name);
            // If `name` is empty, "." or "..", this checks that `resolved` is a directory.
            let metadata = match fs::symlink_metadata(&next) {
                Err(e) if e.kind() == io::ErrorKind::NotFound && names.is_empty() && is_entry(&name) => {
                    return Ok(next);
                }
                metadata => metadata?,
            };
            if name == ".." {
                // `resolved` has no links, so removing its last component gives its parent. The parent of "" is "..".
                if resolved.file_name().is_some() {
                    resolved.pop();
                } else if !resolved.has_root() {
                    resolved.push("..");
                }
            } else if metadata.is_symlink() {
                check_owner(&next, &metadata)?;
                links += 1;
                if links > MAX_LINKS {
                    return Err(io::Error::other("too many symbolic links lead to each other"));
                }
                let destination = fs::read_link(&next)?;
                if destination.has_root() {
                    resolved = PathBuf::from("/");
                }
                names.extend(components(&destination));
            } else if is_entry(&name) {
                resolved = next;
            }
        }
        Ok(resolved)
    }

    /// Returns the components of a path in reverse. Unlike [`Path::components`], this keeps empty names: the empty name after the last
    /// slash of "x/" says that "x" must be a directory.
    fn components(path: &Path) -> Vec<OsString> {
        let names = path.as_os_str().as_bytes().rsplit(|&byte| byte == b'/');
        names.map(|name| OsString::from_vec(name.to_vec())).collect()
    }

    fn is_entry(name: &OsStr) -> bool {
        !["", ".", ".."].iter().any(|special| name == *special)
    }

    /// Returns the metadata of an open file. `_before`, the earlier metadata of its path, is not used: the path may lead to another file by
    /// now.
    pub(super) fn metadata_of_opened(opened: &File, _before: Metadata) -> io::Result<Metadata> {
        opened.metadata()
    }

    /// Rejects entries of other users in a sticky directory that all users can write to, such as `/tmp`. A link of another user may point
    /// to any file that this process can write to. The owner of a file or pipe can read what is written to it. Entries of the effective
    /// user and of the directory's owner are allowed.
    pub(super) fn check_owner(entry: &Path, metadata: &Metadata) -> io::Result<()> {
        const STICKY_AND_WORLD_WRITABLE: u32 = 0o1002;
        let directory = match entry.parent() {
            Some(parent) if !parent.as_os_str().is_empty() => fs::metadata(parent)?,
            _ => fs::metadata(".")?,
        };
        let owner = metadata.uid();
        if directory.mode() & STICKY_AND_WORLD_WRITABLE != STICKY_AND_WORLD_WRITABLE
            || owner == directory.uid()
            || owner == crate::user::effective()
        {
            return Ok(());
        }
        let (what, remedy) = match metadata.is_symlink() {
            true => {
                ("is a symbolic link that belongs", "pass the path that it points to, or choose another path")
            }
            false => ("belongs", "choose another path"),
        };
        Err(io::Error::new(
            io::ErrorKind::PermissionDenied,
            format!(
                "`{}` {what} to another user (ID {owner}), in a directory that all users can write to; {remedy}",
                entry.display()
            ),
        ))
    }
}

#[cfg(not(unix))]
mod links {
    //! Follows symbolic links without restrictions.

    use std::fs::{self, File, Metadata};
    use std::io;
    use std::path::{Path, PathBuf};

    /// Returns the path that `path` leads to. The last component of the returned path need not exist.
    pub(super) fn resolve(path: &Path) -> io::Result<PathBuf> {
        const MAX_LINKS: usize = 40;
        let mut target = path.to_path_buf();
        for _ in 0..=MAX_LINKS {
            match (fs::canonicalize(&target), fs::read_link(&target)) {
                (Ok(target), _) => return Ok(target),
                (_, Ok(link)) => target = target.parent().map_or(link.clone(), |parent| parent.join(&link)),
                _ => return Ok(target),
            }
        }
        Err(io::Error::other("too many symbolic links lead to each other"))
    }

    /// Returns `before`, the metadata of the path, because on Windows the handle of a console has no metadata.
    pub(super) fn metadata_of_opened(_opened: &File, before: Metadata) -> io::Result<Metadata> {
        Ok(before)
    }

    /// Does nothing, because only Unix has sticky directories.
    pub(super) fn check_owner(_entry: &Path, _metadata: &Metadata) -> io::Result<()> {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Write;
    use std::panic::{AssertUnwindSafe, catch_unwind};

    fn denied() -> io::Error {
        io::ErrorKind::PermissionDenied.into()
    }

    fn is_denied(e: &io::Error) -> bool {
        e.kind() == io::ErrorKind::PermissionDenied
    }

    /// Renames a new file over an old file `x` in a new directory. `rename` fails with `denied` if `rejects` returns `true`. Returns the
    /// result, the content of `x` if there is such a file, and the names of all files.
    fn rename_over_old(
        test: &str,
        mut rejects: impl FnMut(&Path, &Path) -> bool,
    ) -> (io::Result<()>, Option<Vec<u8>>, Vec<String>) {
        let directory = std::env::temp_dir().join(format!("vierbein-{test}-{}", std::process::id()));
        fs::create_dir(&directory).unwrap();
        let (new, target) = (directory.join("new"), directory.join("x"));
        fs::write(&new, "new").unwrap();
        fs::write(&target, "old").unwrap();
        let mut rename = |from: &Path, to: &Path| match rejects(from, to) {
            true => Err(denied()),
            false => fs::rename(from, to),
        };
        let result = in_use::rename_if(&is_denied, &new, &target, &mut rename);
        let names = fs::read_dir(&directory).unwrap().map(|e| e.unwrap().file_name().into_string().unwrap());
        let found = (result, fs::read(&target).ok(), names.collect());
        fs::remove_dir_all(&directory).unwrap();
        found
    }

    #[test]
    fn rename_waits_for_a_file_that_is_closed_soon() {
        let mut calls = 0;
        let (result, content, names) = rename_over_old("closed-soon", |_, to| {
            assert!(to.ends_with("x"), "nothing is moved away");
            calls += 1;
            calls < 4
        });
        result.unwrap();
        assert_eq!((content, names), (Some(b"new".to_vec()), vec!["x".to_owned()]));
    }

    #[test]
    fn rename_moves_a_mapped_file_away() {
        let (result, content, names) = rename_over_old("mapped", |_, to| to.ends_with("x") && to.exists());
        result.unwrap();
        assert_eq!((content, names), (Some(b"new".to_vec()), vec!["x".to_owned()]));
    }

    #[test]
    fn rename_keeps_a_file_that_cannot_be_moved() {
        let (result, content, names) = rename_over_old("unmovable", |_, _| true);
        let error = result.unwrap_err().to_string();
        assert!(
            error.contains("is open or memory-mapped and cannot be replaced: drop what reads it"),
            "{error}"
        );
        assert_eq!((content, names.len()), (Some(b"old".to_vec()), 2));
    }

    #[test]
    fn rename_restores_the_old_file_if_the_new_one_fails() {
        let (result, content, names) = rename_over_old("restored", |from, _| from.ends_with("new"));
        assert!(is_denied(&result.unwrap_err()));
        assert_eq!((content, names.len()), (Some(b"old".to_vec()), 2));
    }

    #[test]
    fn rename_reports_where_the_old_file_is_if_it_cannot_be_restored() {
        let (result, content, names) = rename_over_old("lost", |_, to| to.ends_with("x"));
        let error = result.unwrap_err().to_string();
        let old = names.iter().find(|name| *name != "new").unwrap();
        assert!(error.contains("the old file is now `") && error.contains(&old[..]), "{error} {names:?}");
        assert_eq!((content, names.len()), (None, 2));
    }

    #[test]
    fn rename_reports_other_errors_at_once() {
        let mut calls = 0;
        let mut rename = |_: &Path, _: &Path| {
            calls += 1;
            Err(io::ErrorKind::StorageFull.into())
        };
        let (new, target) = (Path::new("new"), Path::new("x"));
        let error = in_use::rename_if(&is_denied, new, target, &mut rename).unwrap_err();
        assert_eq!((error.kind(), calls), (io::ErrorKind::StorageFull, 1));
    }

    #[test]
    fn failed_write_leaves_old_file_and_no_other_file() {
        let folder = std::env::temp_dir().join(format!("vierbein-replace-{}", std::process::id()));
        fs::create_dir(&folder).unwrap();
        let path = folder.join("x");
        let names = || fs::read_dir(&folder).unwrap().map(|e| e.unwrap().file_name()).collect::<Vec<_>>();
        let broken = || Error::File { path: "x".to_owned(), reason: "the wire is cut".to_owned() };
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
        let rejected = replace(&path, |_| panic!("nothing may be written")).unwrap_err().to_string();
        assert!(rejected.ends_with("x: cannot be written: the file exists and is read-only"), "{rejected}");
        fs::remove_file(&path).unwrap();

        replace(&path, |file| file.write_all(b"new").map_err(|_| broken())).unwrap();
        assert_eq!((fs::read(&path).unwrap(), names().len()), (b"new".to_vec(), 1));
        fs::remove_dir_all(&folder).unwrap();
    }

    /// The umask belongs to the process, so each umask is tested in a child process.
    #[cfg(unix)]
    #[test]
    fn replace_keeps_the_temporary_private_under_any_umask() {
        use std::os::unix::fs::PermissionsExt;
        const UMASK: &str = "VIERBEIN_TEST_UMASK";
        let Ok(umask) = std::env::var(UMASK) else {
            let name = module_path!().split_once("::").unwrap().1;
            let name = format!("{name}::replace_keeps_the_temporary_private_under_any_umask");
            for umask in ["000", "022", "027", "077"] {
                let mut shell = std::process::Command::new("sh");
                shell.args(["-c", &format!("umask {umask} && exec \"$0\" \"$@\"")]);
                shell.arg(std::env::current_exe().unwrap()).args(["--exact", &name]).env(UMASK, umask);
                let ran = shell.output().unwrap();
                let said = String::from_utf8_lossy(&[ran.stdout, ran.stderr].concat()).into_owned();
                assert!(ran.status.success() && said.contains("1 passed"), "umask {umask}: {said}");
            }
            return;
        };
        let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o7777;
        let directory = std::env::temp_dir().join(format!("vierbein-umask-{}", std::process::id()));
        fs::create_dir(&directory).unwrap();
        let path = directory.join("x");
        let names = || fs::read_dir(&directory).unwrap().map(|e| e.unwrap().path()).collect::<Vec<_>>();
        // `replace` creates its temporary file like this.
        let (file, temporary) = create_in_directory_of(&path, &private()).unwrap();
        assert_eq!((mode(temporary.0.as_ref().unwrap()), file.metadata().unwrap().len()), (0o600, 0));
        drop(temporary);
        assert_eq!(names().len(), 0);

        let write = |file: &mut File| {
            let temporary: Vec<_> = names().into_iter().filter(|name| *name != path).collect();
            assert_eq!((temporary.len(), mode(&temporary[0])), (1, 0o600));
            file.write_all(b"secret").unwrap();
            assert_eq!(mode(&temporary[0]), 0o600);
            Ok(())
        };
        replace(&path, write).unwrap();
        assert_eq!(mode(&path), 0o666 & !u32::from_str_radix(&umask, 8).unwrap());
        for (old, new) in [(0o600, 0o600), (0o640, 0o640), (0o666, 0o666), (0o755, 0o755), (0o4755, 0o755)] {
            fs::set_permissions(&path, Permissions::from_mode(old)).unwrap();
            assert_eq!(mode(&path), old);
            replace(&path, write).unwrap();
            assert_eq!(mode(&path), new, "{old:o}");
        }
        assert_eq!(names(), std::slice::from_ref(&path));
        fs::remove_dir_all(&directory).unwrap();
    }

    /// Compares with `fs::canonicalize`, an independent implementation that follows the same links.
    #[cfg(unix)]
    #[test]
    fn resolve_agrees_with_canonicalize() {
        use std::os::unix::fs::symlink;
        let directory = std::env::temp_dir().join(format!("vierbein-resolve-{}", std::process::id()));
        fs::create_dir_all(directory.join("a/b")).unwrap();
        fs::write(directory.join("a/b/file"), "").unwrap();
        let directory = fs::canonicalize(&directory).unwrap();
        let links = [
            ("up", "..".to_owned()),
            ("a/to_b", "b/".to_owned()),
            ("a/b/to_file", "./file".to_owned()),
            ("absolute", directory.join("a/to_b/../to_b").display().to_string()),
            ("around", "absolute/../../a/../absolute/to_file".to_owned()),
            ("not_a_directory", "a/b/file/".to_owned()),
            ("dangling", "a/to_b/missing".to_owned()),
            ("a/circle", "to_circle".to_owned()),
            ("a/to_circle", "../a/circle".to_owned()),
        ];
        for (link, to) in &links {
            symlink(to, directory.join(link)).unwrap();
        }
        let mut paths: Vec<_> = [
            "",
            ".",
            "..",
            "/",
            "a",
            "a/",
            "a/.",
            "a//b///file",
            "a/b/file/",
            "a/b/file/.",
            "a/b/file/..",
            "a/b/../b/file",
            "a/to_b/..",
            "a/to_b/../to_b/to_file",
            "missing/..",
            "missing/../a",
            "a/./to_b/./file",
            "absolute/file",
            "around/",
            "../",
            "a/b/..//",
            "/..",
            "/../..",
            "a/b/file/x",
        ]
        .map(String::from)
        .to_vec();
        paths.extend(links.iter().map(|(link, _)| (*link).to_owned()));
        for path in paths {
            let path = match path.starts_with('/') {
                true => PathBuf::from(path),
                false => PathBuf::from(format!("{}/{path}", directory.display())),
            };
            match (links::resolve(&path), fs::canonicalize(&path)) {
                (Ok(found), Ok(expected)) => assert_eq!(found, expected, "{path:?}"),
                (Err(_), Err(_)) => {}
                (Ok(found), Err(_)) => {
                    assert_eq!((&path, found), (&directory.join("dangling"), directory.join("a/b/missing")));
                }
                (found, expected) => panic!("{path:?}: {found:?}, and {expected:?}"),
            }
        }
        // Paths relative to the package directory, in which tests run.
        for path in ["src", "src/..", "src/../..", "..", "../..", ".", "./src//io/../lib.rs"] {
            let found = links::resolve(Path::new(path)).unwrap();
            assert!(found.is_relative());
            let found = Path::new(".").join(found);
            assert_eq!(fs::canonicalize(found).unwrap(), fs::canonicalize(path).unwrap(), "{path}");
        }
        assert_eq!(links::resolve(Path::new("new")).unwrap(), Path::new("new"));
        fs::remove_dir_all(&directory).unwrap();
    }
}
