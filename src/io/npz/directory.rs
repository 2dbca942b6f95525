//! Reads the central directory of a zip archive, which lists the entries and their offsets. The directory is found from
//! the end of the file.

#![forbid(unsafe_code)]

use super::{DEFLATED, LARGEST_RATIO, STORED};
use crate::device::cpu::reserve;
use crate::io::contents::shorten;
use std::io::{Read, Seek, SeekFrom};

/// One file in the archive.
#[derive(Debug)]
pub(super) struct Entry {
    /// The name in the archive, with `.npy`.
    full_name: String,
    pub(super) method: u16,
    pub(super) checksum: u32,
    /// Compressed size in bytes.
    pub(super) packed: u64,
    /// Uncompressed size in bytes.
    pub(super) size: u64,
    /// Offset of the local header.
    header: u64,
    /// Offset of the next entry's local header, or of the directory.
    end: u64,
}

const LOCAL: [u8; 4] = *b"PK\x03\x04";
const CENTRAL: [u8; 4] = *b"PK\x01\x02";
const END: [u8; 4] = *b"PK\x05\x06";
const LOCATOR_64: [u8; 4] = *b"PK\x06\x07";
const END_64: [u8; 4] = *b"PK\x06\x06";
/// Sizes in bytes of the records with these signatures, without names, comments and extra fields.
const LOCAL_BYTES: usize = 30;
const CENTRAL_BYTES: usize = 46;
const END_BYTES: usize = 22;
const LOCATOR_BYTES: u64 = 20;
const END_64_BYTES: usize = 56;

fn u16_at(bytes: &[u8], at: usize) -> u16 {
    u16::from_le_bytes([bytes[at], bytes[at + 1]])
}
fn u32_at(bytes: &[u8], at: usize) -> u32 {
    u32::from(u16_at(bytes, at)) | u32::from(u16_at(bytes, at + 2)) << 16
}
fn u64_at(bytes: &[u8], at: usize) -> u64 {
    u64::from(u32_at(bytes, at)) | u64::from(u32_at(bytes, at + 4)) << 32
}

/// Allocates a zeroed buffer. The caller ensures that the file is at least this long, so that a damaged size cannot exhaust the memory.
fn zeros(bytes: u64) -> Result<Vec<u8>, String> {
    let none = || format!("cannot be read: the allocation of {bytes} bytes for its directory failed");
    let length = usize::try_from(bytes).map_err(|_| none())?;
    let mut memory = Vec::new();
    reserve(&mut memory, length).map_err(|_| none())?;
    memory.resize(length, 0);
    Ok(memory)
}

/// Reads bytes at an offset. Returns an error if they are not all within the file.
fn bytes_at(reader: &mut (impl Read + Seek), at: u64, buffer: &mut [u8]) -> Result<(), String> {
    let result = reader.seek(SeekFrom::Start(at)).and_then(|_| reader.read_exact(buffer));
    result.map_err(|e| format!("cannot be read at byte {at}: {e}"))
}

/// Offset, size in bytes and number of entries of the directory.
#[derive(Debug, PartialEq)]
struct EntryPlace {
    at: u64,
    bytes: u64,
    entries: u64,
}

/// The parsed directory of an archive.
#[derive(Debug)]
pub(super) struct Directory {
    /// The entries, in the order of the directory.
    pub(super) entries: Vec<Entry>,
    /// Indices into `entries`, sorted by name.
    by_name: Vec<usize>,
}

impl Directory {
    /// Returns the entry of that name.
    pub(super) fn find(&self, name: &str) -> Option<&Entry> {
        let found = self.by_name.binary_search_by_key(&name, |&k| self.entries[k].name()).ok()?;
        Some(&self.entries[self.by_name[found]])
    }
}

/// Finds, reads and checks the directory.
pub(super) fn read(reader: &mut (impl Read + Seek)) -> Result<Directory, String> {
    let size = reader.seek(SeekFrom::End(0)).map_err(|e| format!("cannot be read: {e}"))?;
    let place = find(reader, size)?;
    let mut directory = zeros(place.bytes)?;
    bytes_at(reader, place.at, &mut directory)?;
    let mut entries: Vec<Entry> = Vec::new();
    let mut rest = &directory[..];
    for _ in 0..place.entries {
        let at = place.at + (directory.len() - rest.len()) as u64;
        let (entry, behind) =
            parse(rest, place.at).map_err(|reason| format!("has a directory that {reason}, at byte {at}"))?;
        entries.push(entry);
        rest = behind;
    }
    if !rest.is_empty() {
        return Err(format!("has a directory with {} bytes after its entries", rest.len()));
    }
    let mut by_name: Vec<usize> = (0..entries.len()).collect();
    by_name.sort_by_key(|&k| entries[k].name());
    if let Some(twice) = by_name.windows(2).find(|pair| entries[pair[0]].name() == entries[pair[1]].name()) {
        return Err(format!("has two entries of the name `{}`", shorten(entries[twice[0]].name())));
    }
    let mut by_place: Vec<usize> = (0..entries.len()).collect();
    by_place.sort_by_key(|&k| entries[k].header);
    for pair in by_place.windows(2) {
        // The directory bounds all entries, even if the next local header claims to be in it or after it.
        entries[pair[0]].end = entries[pair[1]].header.min(place.at);
    }
    Ok(Directory { entries, by_name })
}

/// Finds the directory through the end record, after which there may be a comment. Supports Zip64.
fn find(reader: &mut (impl Read + Seek), size: u64) -> Result<EntryPlace, String> {
    let mut tail = zeros(size.min((END_BYTES + usize::from(u16::MAX)) as u64))?;
    bytes_at(reader, size - tail.len() as u64, &mut tail)?;
    let ends_here = |&at: &usize| {
        tail[at..].starts_with(&END) && at + END_BYTES + usize::from(u16_at(&tail, at + 20)) == tail.len()
    };
    let Some(at) = (0..(tail.len() + 1).saturating_sub(END_BYTES)).rev().find(ends_here) else {
        let mut first = [0; 6];
        let npy = size >= 6 && bytes_at(reader, 0, &mut first).is_ok() && first == *b"\x93NUMPY";
        return Err(match npy {
            true => "is one npy file, not an archive of them; read it with `read_npy`".to_owned(),
            false => "is not a zip archive, or is truncated: it has no end record".to_owned(),
        });
    };
    let end = &tail[at..];
    let end_at = size - (tail.len() - at) as u64;
    let mut place = EntryPlace {
        at: u64::from(u32_at(end, 16)),
        bytes: u64::from(u32_at(end, 12)),
        entries: u64::from(u16_at(end, 10)),
    };
    let mut behind = end_at;
    let mut locator = [0; LOCATOR_BYTES as usize];
    if end_at >= LOCATOR_BYTES {
        bytes_at(reader, end_at - LOCATOR_BYTES, &mut locator)?;
    }
    if locator.starts_with(&LOCATOR_64) {
        behind = u64_at(&locator, 8);
        let mut end = [0; END_64_BYTES];
        if behind > end_at - LOCATOR_BYTES {
            return Err(format!(
                "says that the end of its directory is at byte {behind}, which is past its own end"
            ));
        }
        bytes_at(reader, behind, &mut end)?;
        if !end.starts_with(&END_64) {
            return Err(format!("has no directory end record at byte {behind}, where it says that it is"));
        }
        place = EntryPlace { at: u64_at(&end, 48), bytes: u64_at(&end, 40), entries: u64_at(&end, 32) };
    }
    if place.at.checked_add(place.bytes).is_none_or(|end| end > behind) {
        return Err(format!(
            "says that its directory has {} bytes from byte {}, which is past its end",
            place.bytes, place.at
        ));
    }
    if place.entries > place.bytes / CENTRAL_BYTES as u64 {
        return Err(format!(
            "says that its directory has {} entries in {} bytes, too few for them",
            place.entries, place.bytes
        ));
    }
    Ok(place)
}

/// Parses the first entry of `bytes`. Returns it and the remaining bytes, or an error if the file of the entry does not end before the
/// offset `end` of the archive.
fn parse(bytes: &[u8], end: u64) -> Result<(Entry, &[u8]), String> {
    if bytes.len() < CENTRAL_BYTES || !bytes.starts_with(&CENTRAL) {
        return Err("has no entry".to_owned());
    }
    let (fixed, rest) = bytes.split_at(CENTRAL_BYTES);
    let lengths = [28, 30, 32].map(|at| usize::from(u16_at(fixed, at)));
    if rest.len() < lengths.iter().sum() {
        return Err("ends within an entry".to_owned());
    }
    let (name, rest) = rest.split_at(lengths[0]);
    let (extra, rest) = rest.split_at(lengths[1]);
    let name = str::from_utf8(name)
        .map_err(|e| format!("has a name that is not UTF-8 at its byte {}", e.valid_up_to()))?;
    let shown = shorten(name);
    let mut entry = Entry {
        full_name: name.to_owned(),
        method: u16_at(fixed, 10),
        checksum: u32_at(fixed, 16),
        packed: u64::from(u32_at(fixed, 20)),
        size: u64::from(u32_at(fixed, 24)),
        header: u64::from(u32_at(fixed, 42)),
        end,
    };
    // Sizes and offsets that do not fit in 32 bits are in the Zip64 extra field, in this order.
    let mut wide = wide_fields(extra).into_iter().flatten();
    for field in [&mut entry.size, &mut entry.packed, &mut entry.header] {
        if *field == u64::from(u32::MAX) {
            *field = wide.next().ok_or_else(|| format!("lacks the 64-bit sizes of `{shown}`"))?;
        }
    }
    if u16_at(fixed, 8) & 1 != 0 {
        return Err(format!("has the entry `{shown}`, which is encrypted"));
    }
    match entry.method {
        STORED if entry.packed != entry.size => Err(format!(
            "says that `{shown}` is stored uncompressed, but has {} bytes for contents of {}",
            entry.packed, entry.size
        )),
        DEFLATED if entry.size / LARGEST_RATIO > entry.packed => Err(format!(
            "says that the {} bytes of `{shown}` inflate to {}, which is impossible",
            entry.packed, entry.size
        )),
        STORED | DEFLATED => Ok((entry, &rest[lengths[2]..])),
        method => Err(format!(
            "has the entry `{shown}`, which is compressed by method {method}; \
             stored and deflated ones (0 and 8) can be read, as `np.savez` and `np.savez_compressed` write them"
        )),
    }
}

/// Returns the 64-bit numbers in the Zip64 extra field, or `None` if there is no such field.
fn wide_fields(mut extra: &[u8]) -> Option<Vec<u64>> {
    while extra.len() >= 4 {
        let (id, length) = (u16_at(extra, 0), usize::from(u16_at(extra, 2)));
        let field = extra.get(4..4 + length)?;
        if id == 1 {
            return Some(field.chunks_exact(8).map(|b| u64_at(b, 0)).collect());
        }
        extra = &extra[4 + length..];
    }
    None
}

impl Entry {
    /// Returns the name that NumPy shows for the array: the file name in the archive, without `.npy`.
    pub(super) fn name(&self) -> &str {
        self.full_name.strip_suffix(".npy").unwrap_or(&self.full_name)
    }

    /// Returns the offset of the entry's data. Checks that the local header before the data exists and belongs to this entry, and that
    /// header and data end before the next entry.
    pub(super) fn data(&self, reader: &mut (impl Read + Seek)) -> Result<u64, String> {
        let header = self.header;
        let mut fixed = [0; LOCAL_BYTES];
        let room = |bytes: u64| {
            let end = header.checked_add(bytes);
            end.filter(|&end| end <= self.end).ok_or_else(|| {
                format!("has {bytes} bytes from byte {header}, which extend past byte {}", self.end)
            })
        };
        room(LOCAL_BYTES as u64)?;
        bytes_at(reader, header, &mut fixed)?;
        if !fixed.starts_with(&LOCAL) {
            return Err(format!("has no header at byte {header}, where the directory says that it is"));
        }
        let (name_bytes, extra_bytes) = (usize::from(u16_at(&fixed, 26)), u64::from(u16_at(&fixed, 28)));
        let before = (LOCAL_BYTES + name_bytes) as u64 + extra_bytes;
        room(before.saturating_add(self.packed))?;
        let mut name = vec![0; name_bytes];
        bytes_at(reader, header + LOCAL_BYTES as u64, &mut name)?;
        if name != self.full_name.as_bytes() || u16_at(&fixed, 8) != self.method {
            return Err(format!("has a header at byte {header} that contradicts the directory"));
        }
        Ok(header + before)
    }
}
