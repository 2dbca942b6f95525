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
