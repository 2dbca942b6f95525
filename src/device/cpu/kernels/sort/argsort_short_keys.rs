//! Sorts the indices of lines of fewer than 2¹⁶ elements by short keys: words of 31 bits, of which a SIMD register holds twice as many as of
//! the words of 63 bits in module [`words`](super::words).
//!
//! ```text
//! position:  an integer in proportion to the distance of an element from the least one
//! word:      bits of the position, then the index of the element
//!
//! up to 2048 elements:   sort the words
//! otherwise:             distribute the elements to bins by the high bits of their positions
//!                        for each group of adjacent bins that fits in a sorting network, or each larger bin:
//!                            sort the words of the group
//! in both cases:         sort elements with the same position by their keys
//! ```
//!
//! Elements with the same position must be few, or the last step takes too long. They are many if a few elements are much farther away than
//! the others, so a sample of the elements is tested first ([`few_repeated`]).

use super::lines::reuse;
use super::numbers::{Numbers, network_len};
use super::words::{Bounds, first_run, replace_by_indices, sort_words};
use crate::element::DType;
use crate::error::Error;
use crate::simd::kernel;
use num_traits::{AsPrimitive, PrimInt};

/// Minimum number of elements. The sample takes too long for shorter lines. Without SIMD, lines with a single bin are not faster.
const MIN_LEN: usize = 400;
/// Maximum number of elements.
const MAX_LEN: usize = (1 << 16) - 1;
/// Maximum number of elements of a line with a single bin. SIMD quicksort of such lines is faster than distributing their elements.
const ONE_BIN: usize = 2048;
/// Mean number of elements per bin of a longer line. It is small, so that few bins have more elements than a sorting network sorts
/// if the elements are not uniformly distributed.
const BIN_LEN: usize = 28;
/// Maximum number of bins.
const MAX_BINS: usize = MAX_LEN.div_ceil(BIN_LEN);
/// Number of bits of a word.
const WORD_BITS: u32 = 31;
/// Minimum number of positions per element in a range that is not dense: see [`few_repeated`].
const DENSE: u64 = 16;
/// Maximum number of elements in a sample.
const SAMPLE: usize = 64;
/// Minimum number of elements for each one in the sample.
const MIN_PER_SAMPLE: usize = 32;
/// The floating-point numbers from this one up to its double are integers. So adding it rounds a small number to an integer, which is then
/// in the low bits.
const ROUNDER: f64 = (1u64 << 52) as f64;

/// The difference between two elements, from their [keys](super::key::Key). In a descending sort, the key of an element is approximately
/// that of the negated element.
trait Difference {
    /// Returns the element with key `key` minus the one with key `least`, rounded. It does not decrease if `key` increases.
    fn difference(key: u64, least: u64) -> f64;
}

struct Integers;
struct Floats32;
struct Floats64;

impl Difference for Integers {
    #[inline(always)]
    fn difference(key: u64, least: u64) -> f64 {
        (key - least) as f64
    }
}
impl Difference for Floats32 {
    #[inline(always)]
    fn difference(key: u64, least: u64) -> f64 {
        let value = |key: u64| {
            let key = (key as u32 ^ (1 << 31)).cast_signed();
            f32::from_bits(key.unsigned_abs() | (key.cast_unsigned() & 1 << 31))
        };
        f64::from(value(key)) - f64::from(value(least))
    }
}
impl Difference for Floats64 {
    #[inline(always)]
    fn difference(key: u64, least: u64) -> f64 {
        let value = |key: u64| {
            let key = (key ^ (1 << 63)).cast_signed();
            f64::from_bits(key.unsigned_abs() | (key.cast_unsigned() & 1 << 63))
        };
        value(key) - value(least)
    }
}

/// The parameters of words that consist of a position and an index: `position << index_bits | index`. The position is the rounded product of
/// `scale` and the difference to the least key, and must be less than 2⁴⁷.
#[derive(Debug, Clone, Copy)]
struct PositionWords {
    least: u64,
    scale: f64,
    index_bits: u32,
}

impl PositionWords {
    #[inline(always)]
    fn word<D: Difference>(self, key: u64, index: u64) -> u64 {
        let rounded = D::difference(key, self.least) * self.scale + ROUNDER;
        (rounded.to_bits() - ROUNDER.to_bits()) << self.index_bits | index
    }
}

kernel! {
    /// Replaces keys by their words.
    wide fn replace_keys[D: Difference][D](x: &mut [u64], by: PositionWords) -> () {
        for (i, x) in (0u64..).zip(x) {
            *x = by.word::<D>(*x, i);
        }
    }
}

kernel! {
    /// Writes the words of keys, which must be less than 2³¹.
    wide fn write_words[D: Difference][D](x: &[u64], by: PositionWords, words: &mut [i32]) -> () {
        for (i, (word, &x)) in (0u64..).zip(words.iter_mut().zip(x)) {
            *word = by.word::<D>(x, i) as i32;
        }
    }
}

kernel! {
    /// Shortens the words of a group.
    wide fn shorten[][](x: &[u64], group: Group, words: &mut [i32]) -> () {
        let Group { base, shift, indices } = group;
        for (word, &x) in words.iter_mut().zip(x) {
            *word = (((x - base) >> shift & !indices) | (x & indices)) as i32;
        }
    }
}

kernel! {
    /// Writes the indices of words, which are their `index_bits` low bits.
    wide fn write_indices[T: AsPrimitive<u64>][T](words: &[T], index_bits: u32, x: &mut [u64]) -> () {
        x.iter_mut().zip(words).for_each(|(x, &word)| *x = word.as_() & ((1 << index_bits) - 1));
    }
}

/// Writes the indices of sorted words, which are their `index_bits` low bits. `sort_run` sorts indices of words that are equal apart from
/// these bits; it may leave other bits above them.
fn restore<T: PrimInt + AsPrimitive<u64>>(
    words: &[T],
    index_bits: u32,
    x: &mut [u64],
    sort_run: &dyn Fn(&mut [u64]),
) {
    write_indices(words, index_bits, x);
    let mut first = 0;
    while let Some(run) = first_run(&words[first..], index_bits) {
        let indices = &mut x[first..][run.clone()];
        sort_run(indices);
        replace_by_indices(indices, index_bits);
        first += run.end;
    }
}

/// Memory for the words of lines.
#[derive(Default)]
pub(super) struct Buffers {
    /// The words of a group.
    words: Vec<i32>,
    /// All elements, distributed to bins.
    distributed: Vec<u64>,
}

/// Replaces the keys of a line by the indices that sort it, which have at most `index_bits` bits. `sort_run` sorts some of these indices by
/// the keys of their elements; it may leave other bits above the indices. Returns `false`, and changes nothing, if the line is not suitable.
///
/// # Errors
/// If an allocation fails.
// Not inlined: in `argsort`, its arrays would enlarge the stack frame of the sort of short lines.
#[inline(never)]
pub(super) fn sort(
    dtype: DType,
    x: &mut [u64],
    bounds: Bounds,
    index_bits: u32,
    buffers: &mut Buffers,
    sort_run: &dyn Fn(&mut [u64]),
) -> Result<bool, Error> {
    let min = if network_len() > 0 { MIN_LEN } else { ONE_BIN + 1 };
    if !(min..=MAX_LEN).contains(&x.len()) {
        return Ok(false);
    }
    match dtype {
        DType::F32 => sort_by::<Floats32>(x, bounds, index_bits, buffers, sort_run),
        DType::F64 => sort_by::<Floats64>(x, bounds, index_bits, buffers, sort_run),
        _ => sort_by::<Integers>(x, bounds, index_bits, buffers, sort_run),
    }
}

fn sort_by<D: Difference>(
    x: &mut [u64],
    bounds: Bounds,
    index_bits: u32,
    buffers: &mut Buffers,
    sort_run: &dyn Fn(&mut [u64]),
) -> Result<bool, Error> {
    let (n, Bounds { least, greatest, .. }) = (x.len(), bounds);
    let bins = if n <= ONE_BIN { 1 } else { n.div_ceil(BIN_LEN) };
    let greatest_position = ((bins as u64) << (WORD_BITS - index_bits)) - 1;
    let scale = greatest_position as f64 / D::difference(greatest, least);
    let positions = PositionWords { least, scale, index_bits };
    // The difference is infinite or NaN if an element is.
    if !(scale.is_finite() && scale > 0.0 && few_repeated::<D>(x, positions)) {
        return Ok(false);
    }
    let words = reuse(&mut buffers.words, 1, n.min(ONE_BIN))?;
    if bins == 1 {
        write_words::<D>(x, positions, words);
        i32::sort_numbers(words);
        restore(words, index_bits, x, sort_run);
    } else {
        let distributed = reuse(&mut buffers.distributed, 1, n)?;
        replace_keys::<D>(x, positions);
        sort_bins(x, bins, index_bits, distributed, words, sort_run);
    }
    Ok(true)
}

/// Returns whether probably few elements have the same position as an element with another key. (Elements with equal keys are in the order
/// of their indices, so they need no further sort.) Tests a sample: there must be no such elements in it, and at most one in eight of its
/// elements may be in a dense range. A range is dense if it has fewer than [`DENSE`] positions per element.
fn few_repeated<D: Difference>(x: &[u64], positions: PositionWords) -> bool {
    let mut sample = [0; SAMPLE];
    let sample = &mut sample[..SAMPLE.min(x.len() / MIN_PER_SAMPLE)];
    let step = x.len() / sample.len();
    for (sample, x) in sample.iter_mut().zip(x.chunks_exact(step)) {
        *sample = x[0];
    }
    let bits = SAMPLE.trailing_zeros();
    replace_keys::<D>(sample, PositionWords { index_bits: bits, ..positions });
    sort_words(sample);
    let key = |word: u64| x[(word & (SAMPLE as u64 - 1)) as usize * step];
    if sample.windows(2).any(|x| x[0] >> bits == x[1] >> bits && key(x[0]) != key(x[1])) {
        return false;
    }
    // About `4 * step` elements are between every fourth position of the sample.
    let dense = 4 * DENSE * step as u64;
    let is_dense = |x: &[u64]| (x[4] >> bits) - (x[0] >> bits) < dense && key(x[0]) != key(x[4]);
    let count = sample.windows(5).filter(|x| is_dense(x)).count();
    count <= sample.len() / 8
}

/// Adjacent bins, whose words are shortened to [`WORD_BITS`].
#[derive(Debug, Clone, Copy)]
struct Group {
    /// The least word of the first bin.
    base: u64,
    /// The number of low bits of a position that are dropped.
    shift: u32,
    /// The bits of an index.
    indices: u64,
}

impl Group {
    fn new(first: usize, bins: usize, index_bits: u32) -> Self {
        let shift = bins.next_power_of_two().trailing_zeros();
        Group { base: (first as u64) << WORD_BITS, shift, indices: (1 << index_bits) - 1 }
    }
}

/// Replaces the words of several bins by the indices that sort them. `distributed` has the length of `x`, and `words` room for the words of
/// a group.
fn sort_bins(
    x: &mut [u64],
    bins: usize,
    index_bits: u32,
    distributed: &mut [u64],
    words: &mut [i32],
    sort_run: &dyn Fn(&mut [u64]),
) {
    let bin = |x: u64| (x >> WORD_BITS) as usize;
    // Each half of the elements has counters of its own, because a second addition to the same counter waits for the store of the first.
    let mut ends = [[0u16; 2]; MAX_BINS];
    let (low, high) = x.split_at(x.len() / 2);
    let (high, odd) = high.split_at(low.len());
    let pairs = || low.iter().zip(high);
    for (&low, &high) in pairs() {
        ends[bin(low)][0] += 1;
        ends[bin(high)][1] += 1;
    }
    for &x in odd {
        ends[bin(x)][0] += 1;
    }
    // The counters become the index at which the next element is written.
    let mut end = 0;
    for at in ends[..bins].as_flattened_mut() {
        (*at, end) = (end, end + *at);
    }
    let mut put = |half: usize, x: u64| {
        let at = &mut ends[bin(x)][half];
        distributed[usize::from(*at)] = x;
        *at += 1;
    };
    for (&low, &high) in pairs() {
        put(0, low);
        put(1, high);
    }
    for &x in odd {
        put(0, x);
    }
    let group_len = if network_len() > 0 { network_len() } else { 256 };
    let end_of = |bin: usize| usize::from(ends[bin][1]);
    let (mut bin, mut first) = (0, 0);
    while bin < bins {
        let (first_bin, mut end) = (bin, end_of(bin));
        bin += 1;
        while bin < bins && end_of(bin) - first <= group_len {
            end = end_of(bin);
            bin += 1;
        }
        let (from, to) = (&mut distributed[first..end], &mut x[first..end]);
        if let Some(words) = words.get_mut(..from.len()) {
            let group = Group::new(first_bin, bin - first_bin, index_bits);
            shorten(from, group, words);
            i32::sort_numbers(words);
            restore(words, index_bits, to, sort_run);
        } else {
            sort_words(from);
            restore(from, index_bits, to, sort_run);
        }
        first = end;
    }
}
