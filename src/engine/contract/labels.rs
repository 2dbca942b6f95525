//! Sets and ordered lists of labels. A label names an axis; it is a number below 64.

use crate::rank::MAX_RANK;

/// Number of possible labels: a [`Set`] has one bit for each.
pub(super) const LABELS: usize = 64;

/// A set of labels: bit `k` is set if label `k` is in the set.
pub(super) type Set = u64;

/// Returns the set of the labels in a list.
pub(super) fn set_of(labels: &[u8]) -> Set {
    labels.iter().fold(0, |set, label| set | 1 << label)
}

/// An ordered list of at most [`MAX_RANK`] labels.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Labels {
    labels: [u8; MAX_RANK],
    len: usize,
}

impl Labels {
    pub(crate) const NONE: Labels = Labels { labels: [0; MAX_RANK], len: 0 };

    /// Creates a list of the first `len` entries of `labels`.
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

    /// Returns whether a label occurs twice.
    pub(crate) fn repeat(&self) -> bool {
        (1..self.len).any(|k| self[..k].contains(&self[k]))
    }
}

impl PartialEq for Labels {
    fn eq(&self, other: &Labels) -> bool {
        **self == **other
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
