//! A cache for contraction paths, so that contractions in a loop search for their paths once.

use super::labelled::LabelExtents;
use super::labels::{LABELS, Set};
use super::path::Step;
use super::report::find_path;
use std::sync::{Arc, Mutex};

/// A cache that contains the most recently used contraction paths. Each call of [`einsum!`](crate::einsum!) in the source has its own
/// cache, in a `static`; all contractions of dynamic tensors share one.
#[derive(Debug)]
pub struct PathCache {
    /// The paths, the most recently used first.
    kept: Mutex<Vec<Kept>>,
    /// The largest number of paths.
    capacity: usize,
}

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
    /// Creates an empty cache for the calls at one place in the source, whose shapes alternate between a few.
    #[allow(clippy::new_without_default, reason = "a cache is made where it stays, as a `static`")]
    #[must_use]
    pub const fn new() -> PathCache {
        PathCache::with_capacity(4)
    }

    /// Creates an empty cache for at most `capacity` paths.
    pub(crate) const fn with_capacity(capacity: usize) -> PathCache {
        PathCache { kept: Mutex::new(Vec::new()), capacity }
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
        if let Ok(mut kept) = self.kept.try_lock()
            && let Some(at) = kept.iter().position(|kept| kept.question == question)
        {
            kept[..=at].rotate_right(1);
            return Ok(kept[0].steps.clone());
        }
        let (path, _) = find_path(operands, result, extents, limit)?;
        let steps: Arc<[Step]> = path.steps.into();
        if let Ok(mut kept) = self.kept.try_lock() {
            kept.truncate(self.capacity - 1);
            kept.insert(0, Kept { question, steps: steps.clone() });
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

    #[test]
    fn the_least_recently_used_path_is_dropped() {
        let cache = PathCache::with_capacity(2);
        let find = |length: usize| {
            let mut extents = LabelExtents::new();
            (0..4).for_each(|label| extents.set(label, length));
            cache.find(&[0b0011, 0b0110, 0b1100], 0b1001, &extents, None).unwrap()
        };
        let [two, three] = [find(2), find(3)];
        assert!(Arc::ptr_eq(&two, &find(2)));
        // The path for extents of 3 was used before that for 2.
        let four = find(4);
        assert!(Arc::ptr_eq(&two, &find(2)));
        assert!(Arc::ptr_eq(&four, &find(4)));
        assert!(!Arc::ptr_eq(&three, &find(3)));
        assert_eq!(cache.kept.lock().unwrap().len(), 2);
    }
}
