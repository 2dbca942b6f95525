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
