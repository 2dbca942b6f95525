//! Cache of compiled kernels on disk, so that later processes need not compile them.
//!
//! The name of a file is a hash of a text with everything that determines the compiled kernel: the source, the compiler options,
//! and the versions of this crate and of NVRTC. The file contains this text, the compiled kernel, and a hash of both. If the hash
//! or the text does not match, the kernel is compiled again. If the directory cannot be written to, new kernels are not stored, and
//! no error is returned.
//!
//! The GPU executes the machine code in the files. So on Unix, a directory or file is used only if it passes the check of
//! [`is_private`]: no user other than its owner and root can change it.

use super::compile::{OPTIONS, compile, compiler};
use std::fs::{self, DirBuilder, File, Metadata, OpenOptions};
use std::io::{self, ErrorKind, Read, Write};
use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU32, Ordering};

/// Environment variable with the path of the cache directory. If its value is empty, there is no cache.
const DIRECTORY: &str = "VIERBEIN_CUDA_CACHE_DIR";
const MAGIC: &[u8; 8] = b"vierbein";

/// Returns the compiled kernel for a source, from the cache if possible.
pub(in crate::device::cuda::runtime) fn compiled(source: &str, arch: u32) -> Result<Vec<u8>, String> {
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
    // If the kernel cannot be stored, the next process compiles it again.
    let _ = store(&file, &made_from, &image);
    Ok(image)
}

/// Returns the path of the cache directory, which may not exist yet. Returns `None` if there is no cache.
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

/// Creates the directory if it is missing, with access for this user only. Returns its canonical path, so that no symbolic link in
/// the path can be changed after the check. Returns `None` if kernels must not be loaded from the directory.
fn open_directory(directory: &Path) -> Option<PathBuf> {
    let mut builder = DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(directory).ok()?;
    let directory = fs::canonicalize(directory).ok()?;
    is_private(&fs::symlink_metadata(&directory).ok()?).then_some(directory)
}

/// Returns whether a file or directory belongs to the effective user or to root, and neither its group nor other users can write to
/// it. If it has an access control list, the group bits are an upper bound of the list's permissions.
///
/// Root is trusted, because root can change this process anyway. So root can provide a cache for all users.
#[cfg(unix)]
fn is_private(metadata: &Metadata) -> bool {
    use std::os::unix::fs::MetadataExt;
    const ROOT: u32 = 0;
    const GROUP_OR_OTHERS_CAN_WRITE: u32 = 0o022;
    metadata.mode() & GROUP_OR_OTHERS_CAN_WRITE == 0
        && (metadata.uid() == ROOT || metadata.uid() == crate::user::effective())
}

/// Returns `true`, because systems other than Unix have no permission bits. On these systems, the default directory belongs to the user.
#[cfg(not(unix))]
fn is_private(_: &Metadata) -> bool {
    true
}

/// Reads the compiled kernel in a file of a directory that [`open_directory`] returned. Returns `None` if the file is a link, is
/// not private, is damaged, or contains another text than `made_from`. The text is compared in full, because the hash alone does
/// not protect memory safety: safe code chooses the names of a kernel's scalar arguments, which are part of its source. So safe code
/// could search for two sources with the same hash, and run one kernel in place of the other.
fn load(file: &Path, made_from: &str) -> Option<Vec<u8>> {
    // The directory is private, so no other user can replace the file by a link between this check and `open`.
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

/// Writes a file to a directory that [`open_directory`] returned. Other processes see either a complete file or no file: the data
/// is written to a new file, which is then renamed.
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

/// Creates a file that only this user can open. If a file or a link has the name already, another name is tried. So no link is followed.
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
            // The name is taken, for example because an earlier process with the same ID was killed while it wrote. Try the next
            // number.
            Err(error) if error.kind() == ErrorKind::AlreadyExists => {}
            Err(error) => return Err(error),
        }
    }
}

/// Returns the 128-bit FNV-1a hash (Fowler, Noll and Vo; RFC 9923), which is the same in every build. Collisions can be
/// constructed, so [`load`] also compares the hashed text.
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

    /// Test vectors of the reference implementation by the authors of FNV.
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
        // The file contains the length of `source`, then `sourceimage`. `sourc` and `sourceimage` are prefixes of this text, but their
        // lengths differ from the stored one.
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
            // `store` replaces the link, and leaves the file that the link names unchanged.
            store(&link, "source", b"another").unwrap();
            assert_eq!(load(&file, "source").as_deref(), Some(&b"image"[..]));
            assert_eq!(load(&link, "source").as_deref(), Some(&b"another"[..]));

            // `store` first writes to an unfinished file with the next free number. The test creates links with the next 99 such names:
            // `store` must not follow them. Other tests in this process may take some of the numbers.
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
