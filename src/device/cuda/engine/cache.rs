//! Compiled kernels on disk, so that a second process need not compile them again.
//!
//! A file is named for a hash of all that it was made from, and begins with a hash of what it holds. Whatever does not fit is
//! compiled again; a folder that cannot be written is no error.

use super::compile::{OPTIONS, compile, compiler};
use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU32, Ordering};

/// Where the files are; empty for nowhere.
const FOLDER: &str = "VIERBEIN_CUDA_CACHE_DIR";
const MAGIC: &[u8; 8] = b"vierbein";

/// The machine code of a source.
pub(super) fn compiled(source: &str, arch: u32) -> Result<Vec<u8>, String> {
    let compiler = compiler()?;
    let target = compiler.target(arch)?;
    let Some(folder) = folder() else { return compile(source, target) };
    let made_from =
        format!("{} {OPTIONS:?} {} {:?}\n", env!("CARGO_PKG_VERSION"), target.option(), compiler.version);
    let file = folder.join(format!("{:032x}", hash(&[made_from.as_bytes(), source.as_bytes()])));
    if let Some(image) = load(&file) {
        return Ok(image);
    }
    let image = compile(source, target)?;
    // Another process finds nothing or all of it.
    let _ = store(&file, &image);
    Ok(image)
}

fn folder() -> Option<&'static Path> {
    static FOUND: OnceLock<Option<PathBuf>> = OnceLock::new();
    let find = || {
        if let Some(named) = std::env::var_os(FOLDER) {
            return (!named.is_empty()).then(|| named.into());
        }
        let usual = |name: &str| std::env::var_os(name).map(PathBuf::from).filter(|path| path.is_absolute());
        let caches = usual("XDG_CACHE_HOME").or_else(|| usual("HOME").map(|home| home.join(".cache")))?;
        Some(caches.join("vierbein").join("cuda"))
    };
    FOUND.get_or_init(find).as_deref()
}

fn load(file: &Path) -> Option<Vec<u8>> {
    let mut bytes = std::fs::read(file).ok()?;
    let (head, image) = bytes.split_at_checked(MAGIC.len() + 16)?;
    let sound = head.starts_with(MAGIC) && head[MAGIC.len()..] == hash(&[image]).to_le_bytes();
    sound.then(|| bytes.split_off(MAGIC.len() + 16))
}

fn store(file: &Path, image: &[u8]) -> std::io::Result<()> {
    static COUNT: AtomicU32 = AtomicU32::new(0);
    let folder = file.parent().ok_or(std::io::ErrorKind::NotFound)?;
    std::fs::create_dir_all(folder)?;
    let number = COUNT.fetch_add(1, Ordering::Relaxed);
    let unfinished = folder.join(format!("unfinished-{}-{number}", std::process::id()));
    let bytes = [MAGIC, &hash(&[image]).to_le_bytes()[..], image].concat();
    let stored = std::fs::write(&unfinished, bytes).and_then(|()| std::fs::rename(&unfinished, file));
    if stored.is_err() {
        let _ = std::fs::remove_file(&unfinished);
    }
    stored
}

/// FNV-1a of 128 bits (Fowler, Noll and Vo; RFC 9923): the same in every build, and no one is after collisions.
fn hash(parts: &[&[u8]]) -> u128 {
    const PRIME: u128 = (1 << 88) + 0x13b;
    const START: u128 = 0x6c62_272e_07bb_0142_62b8_2175_6295_c58d;
    let bytes = parts.iter().flat_map(|part| part.iter());
    bytes.fold(START, |hash, &byte| (hash ^ u128::from(byte)).wrapping_mul(PRIME))
}

#[cfg(test)]
mod tests {
    use super::{hash, load, store};

    /// Vectors of the authors' reference implementation.
    #[test]
    fn hashes() {
        assert_eq!(hash(&[b""]), 0x6c62272e07bb014262b821756295c58d);
        assert_eq!(hash(&[b"a"]), 0xd228cb696f1a8caf78912b704e4a8964);
        assert_eq!(hash(&[b"foo", b"bar"]), 0x343e1662793c64bf6f0d3597ba446f18);
    }

    #[test]
    fn damaged_files_are_no_files() {
        let folder = std::env::temp_dir().join(format!("vierbein-cache-{}", std::process::id()));
        let file = folder.join("x");
        assert_eq!(load(&file), None);
        store(&file, b"image").unwrap();
        assert_eq!(load(&file).as_deref(), Some(&b"image"[..]));
        let whole = std::fs::read(&file).unwrap();
        for cut in 0..whole.len() {
            std::fs::write(&file, &whole[..cut]).unwrap();
            assert_eq!(load(&file), None, "cut to {cut} bytes");
            let mut damaged = whole.clone();
            damaged[cut] ^= 4;
            std::fs::write(&file, &damaged).unwrap();
            assert_eq!(load(&file), None, "byte {cut} changed");
        }
        assert_eq!(folder.read_dir().unwrap().count(), 1);
        std::fs::remove_dir_all(folder).unwrap();
    }
}
