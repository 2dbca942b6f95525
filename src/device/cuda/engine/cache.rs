//! Compiled kernels on disk, so that a second process need not compile them again.
//!
//! A file is named for a hash of all that it was made from, and begins with a hash of what it holds: that which it was made from,
//! and the machine code. Whatever does not fit is compiled again; a folder that cannot be written is no error.

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
    let (version, option) = (env!("CARGO_PKG_VERSION"), target.option());
    let made_from = format!("{version} {OPTIONS:?} {option} {:?}\n{source}", compiler.version);
    let file = folder.join(format!("{:032x}", hash(&[made_from.as_bytes()])));
    if let Some(image) = load(&file, &made_from) {
        return Ok(image);
    }
    let image = compile(source, target)?;
    // Another process finds nothing or all of it.
    let _ = store(&file, &made_from, &image);
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

/// The machine code in a file. `made_from` is compared as well: safe code chooses the names of scalars, which are part of a source,
/// and with this hash it could find two sources of one name.
fn load(file: &Path, made_from: &str) -> Option<Vec<u8>> {
    let mut bytes = std::fs::read(file).ok()?;
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

fn store(file: &Path, made_from: &str, image: &[u8]) -> std::io::Result<()> {
    static COUNT: AtomicU32 = AtomicU32::new(0);
    let folder = file.parent().ok_or(std::io::ErrorKind::NotFound)?;
    std::fs::create_dir_all(folder)?;
    let number = COUNT.fetch_add(1, Ordering::Relaxed);
    let unfinished = folder.join(format!("unfinished-{}-{number}", std::process::id()));
    let content = [&length_of(made_from)[..], made_from.as_bytes(), image];
    let sum = hash(&content).to_le_bytes();
    let bytes = [&[MAGIC, &sum[..]][..], &content].concat().concat();
    let stored = std::fs::write(&unfinished, bytes).and_then(|()| std::fs::rename(&unfinished, file));
    if stored.is_err() {
        let _ = std::fs::remove_file(&unfinished);
    }
    stored
}

/// FNV-1a of 128 bits (Fowler, Noll and Vo; RFC 9923): the same in every build. Collisions can be computed, so [`load`]
/// does not rely on it.
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
        assert_eq!(folder.read_dir().unwrap().count(), 1);
        std::fs::remove_dir_all(folder).unwrap();
    }

    #[test]
    fn load_rejects_the_machine_code_of_another_source() {
        let folder = std::env::temp_dir().join(format!("vierbein-cache-of-two-{}", std::process::id()));
        let file = folder.join("x");
        store(&file, "source", b"image").unwrap();
        // The last two are the beginning of what the file holds, cut elsewhere.
        for other in ["sourcf", "", "sourc", "sourceimage"] {
            assert_eq!(load(&file, other), None, "{other:?}");
        }
        std::fs::remove_dir_all(folder).unwrap();
    }
}
