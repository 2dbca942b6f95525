//! The greedy search, and outer products of operands that share no labels.

use super::{LABELS, PathProblem, Step, TooLarge};
use std::cmp::{Ordering, Reverse};
use std::collections::BinaryHeap;

/// A floating-point number with a total order, as a key of a heap.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Ordered(f64);

impl Eq for Ordered {}
impl PartialOrd for Ordered {
    fn partial_cmp(&self, other: &Ordered) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}
impl Ord for Ordered {
    fn cmp(&self, other: &Ordered) -> Ordering {
        self.0.total_cmp(&other.0)
    }
}

impl PathProblem {
    /// In each step, contracts the pair with a common label that increases the total size least. The increase is the size of the
    /// result minus the sizes of the two operands.
    ///
    /// If all results exceed the limits, contracts the pair with the smallest result, preferably one with few enough axes. Operands that
    /// no label connects are contracted at the end.
    pub(super) fn greedy(&self) -> Result<Vec<Step>, TooLarge> {
        let n = self.operands.len();
        let mut labels = self.operands.clone();
        let mut alive = vec![true; n];
        let mut having = [0usize; LABELS];
        for &of in &labels {
            each_bit(of, |bit| having[bit] += 1);
        }
        let mut steps = Vec::with_capacity(n - 1);
        let mut pairs = BinaryHeap::new();
        // A pair on the heap stays valid until one of its operands is contracted with another: until then, the labels of the pair's result
        // do not change. If a third operand shares a label with both, every result that replaces the third operand also has this label.
        let result = |a: u64, b: u64, having: &[usize; LABELS]| {
            let mut labels = a | b;
            each_bit(a & b & !self.output, |bit| labels ^= u64::from(having[bit] == 2) << bit);
            labels
        };
        let pair = |labels: &[u64], left: usize, right: usize, having: &[usize; LABELS], last: bool| {
            let (a, b) = (labels[left], labels[right]);
            let made = result(a, b, having);
            let excess = match last {
                true => 0,
                false if self.too_many_axes(made) => 2,
                false => u8::from(self.elements(made) > self.limit),
            };
            let size = self.size(made);
            let growth = if excess == 0 { size - self.size(a) - self.size(b) } else { size };
            Reverse((excess, Ordered(growth), left, right, made))
        };
        for right in 1..n {
            let meets = |&left: &usize| labels[left] & labels[right] != 0;
            pairs.extend((0..right).filter(meets).map(|left| pair(&labels, left, right, &having, n == 2)));
        }
        while let Some(Reverse((.., left, right, made))) = pairs.pop() {
            if !alive[left] || !alive[right] {
                continue;
            }
            let both = labels[left] & labels[right];
            each_bit(both, |bit| having[bit] -= 1);
            (alive[left], alive[right]) = (false, false);
            let new = labels.len();
            steps.push(Step { left, right, labels: made });
            labels.push(made);
            alive.push(true);
            let last = steps.len() + 2 == n;
            let meets = |&other: &usize| alive[other] && labels[other] & made != 0;
            pairs.extend((0..new).filter(meets).map(|other| pair(&labels, other, new, &having, last)));
        }
        let left = (0..labels.len()).filter(|&k| alive[k]).map(|k| (k, labels[k])).collect();
        self.join(left, &mut steps);
        self.checked(steps)
    }

    /// Contracts operands or results that have no labels in common, by outer products. Each step contracts the two smallest.
    pub(super) fn join(&self, parts: Vec<(usize, u64)>, steps: &mut Vec<Step>) {
        let item = |(number, labels)| Reverse((Ordered(self.size(labels)), number, labels));
        let mut parts: BinaryHeap<_> = parts.into_iter().map(item).collect();
        while let (Some(Reverse((_, a, of_a))), Some(Reverse((_, b, of_b)))) = (parts.pop(), parts.pop()) {
            let labels = of_a | of_b;
            steps.push(Step { left: a.min(b), right: a.max(b), labels });
            parts.push(item((self.operands.len() + steps.len() - 1, labels)));
        }
    }
}

/// Calls `f` with the number of each bit that is set.
fn each_bit(mut labels: u64, mut f: impl FnMut(usize)) {
    while labels != 0 {
        f(labels.trailing_zeros() as usize);
        labels &= labels - 1;
    }
}
