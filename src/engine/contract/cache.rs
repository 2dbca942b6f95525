//! A cache for one contraction path, so that a contraction in a loop searches for its path once.

use super::labelled::LabelExtents;
use super::labels::{LABELS, Set};
use super::path::Step;
use super::report::find_path;
use std::sync::{Arc, Mutex};

/// A cache that contains the most recent contraction path. Each call of [`einsum!`](crate::einsum!) in the source has its own
/// cache, in a `static`; all contractions of dynamic tensors share one.
#[derive(Debug)]
pub struct PathCache(Mutex<Option<Kept>>);

#[derive(Debug)]
struct Kept {
    question: Question,
    steps: Arc<[Step]>,
}

/// The cache key: everything that a path depends on.
#[derive(Debug, PartialEq)]
struct Question {
    operands: Vec<Set>,
    result: Set,
    /// The extents of the labels that operands have, in ascending order of labels.
    extents: Vec<usize>,
    /// The maximum number of elements of an intermediate tensor of the contraction.
    limit: Option<usize>,
}

impl PathCache {
    /// Creates an empty cache.
    #[allow(clippy::new_without_default, reason = "a cache is made where it stays, as a `static`")]
    #[must_use]
    pub const fn new() -> PathCache {
        PathCache(Mutex::new(None))
    }

    /// Returns the path for operands with these labels, from the cache or by a new search. A path depends only on the arguments, so
    /// a cached path is the one that a new search would find.
    ///
    /// # Errors
    /// The reason, as text, if no path has intermediates of at most `limit` elements.
    pub(super) fn find(
        &self,
        operands: &[Set],
        result: Set,
        extents: &LabelExtents,
        limit: Option<usize>,
    ) -> Result<Arc<[Step]>, String> {
        let all = operands.iter().fold(0, |all, set| all | set);
        let used = (0..LABELS as u8).filter(|label| all & (1 << label) != 0);
        let question = Question {
            operands: operands.to_vec(),
            result,
            extents: used.map(|label| extents.of(label)).collect(),
            limit,
        };
        // `try_lock` does not wait. If another thread holds the lock, this thread searches for the path itself.
        if let Ok(kept) = self.0.try_lock()
            && let Some(kept) = &*kept
            && kept.question == question
        {
            return Ok(kept.steps.clone());
        }
        let (path, _) = find_path(operands, result, extents, limit)?;
        let steps: Arc<[Step]> = path.steps.into();
        if let Ok(mut kept) = self.0.try_lock() {
            *kept = Some(Kept { question, steps: steps.clone() });
        }
        Ok(steps)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn another_question_gets_another_answer() {
        let cache = PathCache::new();
        let mut extents = LabelExtents::new();
        let chain = |lengths: [usize; 4], extents: &mut LabelExtents| {
            (0..4).for_each(|k| extents.set(k as u8, lengths[k]));
        };
        let operands = [0b0011, 0b0110, 0b1100];
        let first = |cache: &PathCache, extents: &LabelExtents| {
            let steps = cache.find(&operands, 0b1001, extents, None).unwrap();
            let Step { left, right, .. } = steps[0];
            (left.min(right), left.max(right))
        };
        chain([2, 9, 2, 9], &mut extents);
        assert_eq!((first(&cache, &extents), first(&cache, &extents)), ((0, 1), (0, 1)));
        chain([9, 2, 9, 2], &mut extents);
        assert_eq!(first(&cache, &extents), (1, 2));
        assert!(cache.find(&operands, 0b1001, &extents, Some(1)).is_err());
        assert_eq!(first(&cache, &extents), (1, 2));
    }
}
