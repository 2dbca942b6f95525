//! Cache of compiled kernels on disk, so that later processes need not compile them.
//!
//! The name of a file is a hash of everything that its kernel was compiled from: the source, the options and the versions. A file
//! contains a hash of its other contents, the text that was hashed for the name, and the compiled kernel. If the hash or the text does
//! not match, the kernel is compiled again. If the directory cannot be written to, new kernels are not stored; no error is returned.
//!
//! The GPU runs what the files contain. On Unix, the cache is used only if no other user but root can have changed it:
//! see [`is_private`].

use super::compile::{OPTIONS, compile, compiler};
use std::fs::{self, DirBuilder, File, Metadata, OpenOptions};
use std::io::{self, ErrorKind, Read, Write};
use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU32, Ordering};

/// Environment variable with the path of the directory. If it is empty, there is no cache.
const DIRECTORY: &str = "VIERBEIN_CUDA_CACHE_DIR";
const MAGIC: &[u8; 8] = b"vierbein";

/// Returns the machine code of a source, from the cache if possible.
pub(in crate::device::cuda::engine) fn compiled(source: &str, arch: u32) -> Result<Vec<u8>, String> {
    let compiler = compiler()?;
    let target = compiler.target(arch)?;
    let Some(directory) = directory().and_then(open_directory) else {
        return compile(source, target);
    };
    let (version, option) = (env!("CARGO_PKG_VERSION"), target.option());
    let made_from = format!("{version} {OPTIONS:?} {option} {:?}\n{source}", compiler.version);
    let file = directory.join(format!("{:032x}", hash(&[made_from.as_bytes()])));
    if let Some(image) = load(&file, &made_from) {
        return Ok(image);
    }
    let image = compile(source, target)?;
    // If this fails, the next process compiles the kernel again.
    let _ = store(&file, &made_from, &image);
    Ok(image)
}

/// Returns the directory of the cache, which may be missing.
fn directory() -> Option<&'static Path> {
    static FOUND: OnceLock<Option<PathBuf>> = OnceLock::new();
    let find = || {
        if let Some(named) = std::env::var_os(DIRECTORY) {
            return (!named.is_empty()).then(|| named.into());
        }
        let usual = |name: &str| std::env::var_os(name).map(PathBuf::from).filter(|path| path.is_absolute());
        let caches = usual("XDG_CACHE_HOME").or_else(|| usual("HOME").map(|home| home.join(".cache")))?;
        Some(caches.join("vierbein").join("cuda"))
    };
    FOUND.get_or_init(find).as_deref()
}

/// Creates the directory if it is missing, for this user only. Returns its path, without links that could be changed after this
/// check, or `None` if kernels must not be loaded from it.
fn open_directory(directory: &Path) -> Option<PathBuf> {
    let mut builder = DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(directory).ok()?;
    let directory = fs::canonicalize(directory).ok()?;
    is_private(&fs::symlink_metadata(&directory).ok()?).then_some(directory)
}

/// Returns whether a file or directory belongs to the effective user or to root and neither its group nor others can write to
/// it. If it has an access control list, its group bits are the list's upper bound.
///
/// Root is trusted as it can change this process anyway, and so can provide a cache for all users.
#[cfg(unix)]
fn is_private(metadata: &Metadata) -> bool {
    use std::os::unix::fs::MetadataExt;
    const ROOT: u32 = 0;
    const GROUP_OR_OTHERS_CAN_WRITE: u32 = 0o022;
    metadata.mode() & GROUP_OR_OTHERS_CAN_WRITE == 0
        && (metadata.uid() == ROOT || metadata.uid() == crate::user::effective())
}

/// Returns `true`, as other systems have no permission bits. Their default directory belongs to the user.
#[cfg(not(unix))]
fn is_private(_: &Metadata) -> bool {
    true
}

/// Reads the machine code in a file of a directory that [`open_directory`] returned. Returns `None` if the file is a link, belongs to
/// another user, is damaged, or was made from something else. `made_from` is compared in full: safe code chooses the names of scalars,
/// which are part of a source, and could find two sources with the same hash.
fn load(file: &Path, made_from: &str) -> Option<Vec<u8>> {
    // No other user can replace the entries of the directory. So the file cannot be replaced by a link between this call and `open`.
    if !fs::symlink_metadata(file).ok()?.is_file() {
        return None;
    }
    let mut opened = File::open(file).ok()?;
    if !is_private(&opened.metadata().ok()?) {
        return None;
    }
    let mut bytes = Vec::new();
    opened.read_to_end(&mut bytes).ok()?;
    let (sum, content) = bytes.strip_prefix(MAGIC)?.split_first_chunk::<16>()?;
    if *sum != hash(&[content]).to_le_bytes() {
        return None;
    }
    let (length, content) = content.split_first_chunk::<8>()?;
    if *length != length_of(made_from) || !content.starts_with(made_from.as_bytes()) {
        return None;
    }
    Some(bytes.split_off(MAGIC.len() + sum.len() + length.len() + made_from.len()))
}

fn length_of(made_from: &str) -> [u8; 8] {
    (made_from.len() as u64).to_le_bytes()
}

/// Writes a file to a directory that [`open_directory`] returned. Other processes see a complete file or none.
fn store(file: &Path, made_from: &str, image: &[u8]) -> io::Result<()> {
    let directory = file.parent().ok_or(ErrorKind::NotFound)?;
    let (mut opened, unfinished) = create_unfinished(directory)?;
    let content = [&length_of(made_from)[..], made_from.as_bytes(), image];
    let sum = hash(&content).to_le_bytes();
    let bytes = [&[MAGIC, &sum[..]][..], &content].concat().concat();
    let written = opened.write_all(&bytes);
    drop(opened);
    let stored = written.and_then(|()| fs::rename(&unfinished, file));
    if stored.is_err() {
        let _ = fs::remove_file(&unfinished);
    }
    stored
}

/// Creates a file with a new name that only this user can open. Fails if there is a link of that name.
fn create_unfinished(directory: &Path) -> io::Result<(File, PathBuf)> {
    static COUNT: AtomicU32 = AtomicU32::new(0);
    let mut options = OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    loop {
        let number = COUNT.fetch_add(1, Ordering::Relaxed);
        let unfinished = directory.join(format!("unfinished-{}-{number}", std::process::id()));
        match options.open(&unfinished) {
            Ok(opened) => return Ok((opened, unfinished)),
            // A process with the same ID was killed while it wrote.
            Err(error) if error.kind() == ErrorKind::AlreadyExists => {}
            Err(error) => return Err(error),
        }
    }
}

/// Returns the 128-bit FNV-1a hash (Fowler, Noll and Vo; RFC 9923), which is the same in every build. Collisions can be computed, so
/// [`load`] does not rely on it.
fn hash(parts: &[&[u8]]) -> u128 {
    const PRIME: u128 = (1 << 88) + 0x13b;
    const START: u128 = 0x6c62_272e_07bb_0142_62b8_2175_6295_c58d;
    let bytes = parts.iter().flat_map(|part| part.iter());
    bytes.fold(START, |hash, &byte| (hash ^ u128::from(byte)).wrapping_mul(PRIME))
}

#[cfg(test)]
mod tests {
    use super::{hash, load, open_directory, store};
    use std::path::PathBuf;

    /// Vectors of the authors' reference implementation.
    #[test]
    fn hashes() {
        assert_eq!(hash(&[b""]), 0x6c62272e07bb014262b821756295c58d);
        assert_eq!(hash(&[b"a"]), 0xd228cb696f1a8caf78912b704e4a8964);
        assert_eq!(hash(&[b"foo", b"bar"]), 0x343e1662793c64bf6f0d3597ba446f18);
    }

    /// A directory that is deleted at the end of the test.
    struct Temporary(PathBuf);

    impl Temporary {
        fn new(name: &str) -> Temporary {
            let path = std::env::temp_dir().join(format!("vierbein-cache-{}-{name}", std::process::id()));
            std::fs::create_dir(&path).unwrap();
            Temporary(path)
        }
    }

    impl Drop for Temporary {
        fn drop(&mut self) {
            let _ = std::fs::remove_dir_all(&self.0);
        }
    }

    #[test]
    fn load_rejects_damaged_files() {
        let parent = Temporary::new("damaged");
        let directory = parent.0.join("vierbein/cuda");
        let file = directory.join("x");
        assert_eq!(load(&file, "source"), None);
        assert!(open_directory(&directory).is_some());
        assert_eq!(load(&file, "source"), None);
        store(&file, "source", b"image").unwrap();
        assert_eq!(load(&file, "source").as_deref(), Some(&b"image"[..]));
        let whole = std::fs::read(&file).unwrap();
        for cut in 0..whole.len() {
            std::fs::write(&file, &whole[..cut]).unwrap();
            assert_eq!(load(&file, "source"), None, "cut to {cut} bytes");
            let mut damaged = whole.clone();
            damaged[cut] ^= 4;
            std::fs::write(&file, &damaged).unwrap();
            assert_eq!(load(&file, "source"), None, "byte {cut} changed");
        }
        assert_eq!(directory.read_dir().unwrap().count(), 1);
    }

    #[test]
    fn load_rejects_the_machine_code_of_another_source() {
        let directory = Temporary::new("two");
        let file = directory.0.join("x");
        store(&file, "source", b"image").unwrap();
        // The last two are the beginning of what the file holds, cut elsewhere.
        for other in ["sourcf", "", "sourc", "sourceimage"] {
            assert_eq!(load(&file, other), None, "{other:?}");
        }
    }

    #[cfg(unix)]
    mod private {
        use super::super::create_unfinished;
        use super::{Temporary, load, open_directory, store};
        use std::fs::{self, Permissions};
        use std::os::unix::fs::{PermissionsExt, chown, symlink};
        use std::path::Path;

        fn is_usable(directory: &Path) -> bool {
            open_directory(directory).is_some()
        }

        fn mode(path: &Path) -> u32 {
            fs::metadata(path).unwrap().permissions().mode() & 0o7777
        }

        fn set_mode(path: &Path, mode: u32) {
            fs::set_permissions(path, Permissions::from_mode(mode)).unwrap();
        }

        #[test]
        fn directory_and_files_are_created_for_one_user() {
            let parent = Temporary::new("created");
            let directory = parent.0.join("vierbein/cuda");
            assert!(is_usable(&directory));
            assert_eq!((mode(&directory), mode(&parent.0.join("vierbein"))), (0o700, 0o700));
            store(&directory.join("x"), "source", b"image").unwrap();
            assert_eq!(mode(&directory.join("x")), 0o600);
            // An existing directory keeps its mode.
            set_mode(&directory, 0o755);
            assert!(is_usable(&directory));
            assert_eq!(mode(&directory), 0o755);
        }

        #[test]
        fn directory_that_others_can_write_to_is_not_used() {
            let directory = Temporary::new("writable");
            for (mode, usable) in
                [(0o700, true), (0o755, true), (0o770, false), (0o702, false), (0o1777, false)]
            {
                set_mode(&directory.0, mode);
                assert_eq!(is_usable(&directory.0), usable, "{mode:o}");
            }
            fs::write(directory.0.join("file"), "").unwrap();
            let link = directory.0.join("link");
            symlink("directory", &link).unwrap();
            assert!(!is_usable(&link));
            fs::create_dir(directory.0.join("directory")).unwrap();
            assert_eq!(open_directory(&link), Some(directory.0.canonicalize().unwrap().join("directory")));
            set_mode(&link, 0o777);
            assert!(!is_usable(&link));
            assert!(!is_usable(&directory.0.join("file")) && !is_usable(&directory.0.join("file/directory")));
        }

        #[test]
        fn file_that_others_can_write_to_is_not_loaded() {
            let directory = Temporary::new("file");
            let file = directory.0.join("x");
            store(&file, "source", b"image").unwrap();
            for (mode, loaded) in [(0o600, true), (0o644, true), (0o620, false), (0o602, false)] {
                set_mode(&file, mode);
                assert_eq!(load(&file, "source").is_some(), loaded, "{mode:o}");
            }
        }

        #[test]
        fn directory_and_file_of_another_user_are_not_used() {
            const OTHER: u32 = 54_321;
            let directory = Temporary::new("other");
            let file = directory.0.join("x");
            store(&file, "source", b"image").unwrap();
            set_mode(&directory.0, 0o700);
            if let Err(error) = chown(&file, Some(OTHER), None) {
                println!(
                    "skipped: directory_and_file_of_another_user_are_not_used: only root can give files away: {error}"
                );
                return;
            }
            assert_eq!(load(&file, "source"), None);
            assert!(is_usable(&directory.0));
            chown(&directory.0, Some(OTHER), None).unwrap();
            assert!(!is_usable(&directory.0));
        }

        #[test]
        fn links_are_not_followed() {
            let directory = Temporary::new("links");
            let (file, link) = (directory.0.join("x"), directory.0.join("link"));
            store(&file, "source", b"image").unwrap();
            symlink(&file, &link).unwrap();
            assert!(load(&file, "source").is_some() && load(&link, "source").is_none());
            // Storing replaces a link and leaves its target.
            store(&link, "source", b"another").unwrap();
            assert_eq!(load(&file, "source").as_deref(), Some(&b"image"[..]));
            assert_eq!(load(&link, "source").as_deref(), Some(&b"another"[..]));

            // Links in place of the next unfinished files. Other tests may take some of the numbers.
            let (opened, last) = create_unfinished(&directory.0).unwrap();
            drop(opened);
            let (prefix, number) = last.to_str().unwrap().rsplit_once('-').unwrap();
            let number: u32 = number.parse().unwrap();
            for next in number + 1..number + 100 {
                symlink(&file, format!("{prefix}-{next}")).unwrap();
            }
            store(&link, "source", b"a third").unwrap();
            assert_eq!(load(&file, "source").as_deref(), Some(&b"image"[..]));
            assert_eq!(load(&link, "source").as_deref(), Some(&b"a third"[..]));
        }
    }
}
