//! Labels: as a set, and in a sequence.

use crate::rank::MAX_RANK;

/// Labels are the bits of a word.
pub(super) const LABELS: usize = 64;

/// A set of labels.
pub(super) type Set = u64;

/// The set of some labels.
pub(super) fn set_of(labels: &[u8]) -> Set {
    labels.iter().fold(0, |set, label| set | 1 << label)
}

/// A few labels in a sequence: up to as many as a tensor has axes.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Labels {
    labels: [u8; MAX_RANK],
    len: usize,
}

impl Labels {
    pub(crate) const NONE: Labels = Labels { labels: [0; MAX_RANK], len: 0 };

    /// The first `len` of these.
    pub(super) fn first(labels: [u8; MAX_RANK], len: usize) -> Labels {
        Labels { labels, len }
    }

    pub(crate) fn push(&mut self, label: u8) {
        self.labels[self.len] = label;
        self.len += 1;
    }

    pub(crate) fn extend(&mut self, labels: &[u8]) {
        labels.iter().for_each(|&label| self.push(label));
    }

    /// Whether a label occurs twice.
    pub(crate) fn repeat(&self) -> bool {
        (1..self.len).any(|k| self[..k].contains(&self[k]))
    }
}

impl core::ops::Deref for Labels {
    type Target = [u8];
    fn deref(&self) -> &[u8] {
        &self.labels[..self.len]
    }
}

impl core::ops::DerefMut for Labels {
    fn deref_mut(&mut self) -> &mut [u8] {
        &mut self.labels[..self.len]
    }
}

impl FromIterator<u8> for Labels {
    fn from_iter<I: IntoIterator<Item = u8>>(labels: I) -> Labels {
        let mut all = Labels::NONE;
        labels.into_iter().for_each(|label| all.push(label));
        all
    }
}
