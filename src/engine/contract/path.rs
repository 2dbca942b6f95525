//! Searches for the order in which the tensors of a network are contracted, pair by pair. `report.rs` calls [`optimise`].
//!
//! * Up to [`ALL_PAIRS`] operands: dynamic programming over all subsets. Outer products are included, because the best order may
//!   need one. Example: two vectors, each of which shares a label with the same large tensor.
//! * More operands: dynamic programming over connected subsets only. Each pair of such subsets is enumerated once (Moerkotte and
//!   Neumann, *Analysis of two existing and one new dynamic programming algorithm for the generation of optimal bushy join trees
//!   without cross products*, VLDB 2006). The result is optimal among the orders without outer products. Pfeifer, Haegeman and
//!   Verstraete, Phys. Rev. E 90, 033315 (2014) search tensor networks in this way.
//! * If there are too many pairs of connected subsets: a greedy search. Each step contracts the pair of operands whose contraction
//!   reduces the total number of elements most.
//!
//! A label that every operand has, such as that of a batch, belongs to each step: it multiplies the cost of each order by the same factor.
//! The search leaves it out, because it would connect all operands, and there are too many connected subsets then.
//!
//! The search is limited by the number of its steps, never by time, so equal networks get equal paths.

#![forbid(unsafe_code)]

mod exact;
mod greedy;

/// Number of labels: a set of labels is a `u64` with one bit for each.
const LABELS: usize = 64;
/// Largest number of operands for which all pairs of subsets are searched: 3⁸ / 2 pairs take some ten microseconds.
pub(super) const ALL_PAIRS: usize = 8;
/// Smallest and largest budget of a search: the number of connected subsets plus the number of pairs of them that the search is allowed
/// to visit. Searches of these sizes take about a millisecond and some ten milliseconds.
const BUDGET: (usize, usize) = (1 << 15, 1 << 19);
/// Between the bounds of [`BUDGET`], the budget is the number of multiplications of the greedy path, divided by this number. The
/// search then takes about as long as the contraction.
const WORK_PER_PAIR: f64 = 32.0;

/// The operands and the result of a contraction, as sets of labels.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Network<'a> {
    /// The labels of each operand.
    pub(crate) operands: &'a [u64],
    /// The labels of the result.
    pub(crate) output: u64,
    /// The extents: `extents[k]` is the extent of the label with bit `k`.
    pub(crate) extents: &'a [usize],
}

/// One pairwise contraction. The operands are numbered from 0. The results of the steps have the numbers that follow: with `n`
/// operands, the result of the first step has number `n`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Step {
    pub(crate) left: usize,
    pub(crate) right: usize,
    /// The labels of the step's result: those labels of the pair that also occur in the output or in a remaining operand.
    pub(crate) labels: u64,
}

/// A contraction order and its cost.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Path {
    pub(crate) steps: Vec<Step>,
    /// The number of multiplications of all steps together. One step takes the product of the extents of all labels of its
    /// two operands.
    pub(crate) multiplications: f64,
    /// The number of elements of the largest intermediate; the output does not count.
    pub(crate) largest: f64,
}

/// How a path was found.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Method {
    /// By dynamic programming: the path has the fewest multiplications. With more than [`ALL_PAIRS`] operands, it has the fewest
    /// among orders without outer products.
    Exact,
    /// By the greedy search: other orders may have fewer multiplications.
    Greedy,
}

/// Error: no path was found whose intermediates are all within the limits.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct TooLarge {
    /// The number of elements of the largest intermediate, for the path that the search found. An exact search finds the path with
    /// the smallest such number; a greedy search does not always. Infinite if an intermediate has too many axes, or if no path was found.
    pub(crate) smallest: f64,
}

/// Finds the order with the fewest multiplications, or, if that search would take too long, a greedy order. Intermediates have at
/// most `limit` elements and `max_rank` axes.
///
/// A label that occurs in one operand only, and not in the output, is assumed to be summed beforehand, at no cost.
pub(crate) fn optimise(
    network: &Network<'_>,
    limit: Option<f64>,
    max_rank: usize,
) -> Result<(Path, Method), TooLarge> {
    let common = match network.operands {
        [] | [_] => 0,
        operands => operands.iter().fold(!0, |common, labels| common & labels),
    };
    let operands: Vec<u64> = network.operands.iter().map(|labels| labels & !common).collect();
    let without = Network { operands: &operands, output: network.output & !common, ..*network };
    let mut problem = PathProblem::new(&without, f64::INFINITY, max_rank);
    let (scale, axes) = (problem.elements(common), common.count_ones() as usize);
    // No intermediate without elements exceeds a limit.
    problem.limit = limit.filter(|_| scale > 0.0).map_or(f64::INFINITY, |limit| limit / scale);
    problem.max_rank = match max_rank.checked_sub(axes) {
        None if operands.len() > 2 => return Err(TooLarge { smallest: f64::INFINITY }),
        left => left.unwrap_or(0),
    };
    // Numbers of elements and of multiplications remain finite.
    let scaled = |x: f64| (x * scale).min(f64::MAX);
    let (mut path, method) = problem.search(scale).map_err(|TooLarge { smallest }| TooLarge {
        smallest: if smallest.is_finite() { scaled(smallest) } else { smallest },
    })?;
    path.multiplications = scaled(path.multiplications);
    path.largest = scaled(path.largest);
    if let Some((last, intermediates)) = path.steps.split_last_mut() {
        intermediates.iter_mut().for_each(|step| step.labels |= common);
        last.labels |= common & network.output;
    }
    Ok((path, method))
}

/// A network prepared for the search: extents as `f64`, operands without the labels that are summed beforehand.
#[derive(Debug)]
struct PathProblem {
    operands: Vec<u64>,
    output: u64,
    /// An extent of 0 counts as 1, so that the search still minimises the product of the other extents.
    extents: [f64; LABELS],
    /// Labels of extent 0.
    empty: u64,
    limit: f64,
    max_rank: usize,
}

impl PathProblem {
    fn new(network: &Network<'_>, limit: f64, max_rank: usize) -> PathProblem {
        let (mut once, mut twice) = (0, 0);
        for &labels in network.operands {
            twice |= once & labels;
            once |= labels;
        }
        let kept = twice | network.output;
        let (mut extents, mut empty) = ([1.0; LABELS], 0);
        for (bit, &extent) in network.extents.iter().enumerate().take(LABELS) {
            extents[bit] = extent.max(1) as f64;
            empty |= u64::from(extent == 0) << bit;
        }
        let operands = network.operands.iter().map(|labels| labels & kept).collect();
        PathProblem { operands, output: network.output, extents, empty, limit, max_rank }
    }

    /// Finds the order with the fewest multiplications, or, if that search would take too long, a greedy order. The contraction takes
    /// `scale` times the multiplications of this problem.
    fn search(&self, scale: f64) -> Result<(Path, Method), TooLarge> {
        let n = self.operands.len();
        if n < 2 {
            return Ok((self.path(Vec::new()), Method::Exact));
        }
        if n == 2 {
            let labels = (self.operands[0] | self.operands[1]) & self.output;
            return Ok((self.path(vec![Step { left: 0, right: 1, labels }]), Method::Exact));
        }
        if n <= ALL_PAIRS {
            return Ok((self.path(self.all_pairs()?), Method::Exact));
        }
        let greedy = self.greedy().map(|steps| self.path(steps));
        let work = greedy.as_ref().map_or(f64::INFINITY, |path| path.multiplications * scale);
        let budget = ((work / WORK_PER_PAIR) as usize).clamp(BUDGET.0, BUDGET.1);
        match self.connected_pairs(budget) {
            Some(steps) => Ok((self.path(steps?), Method::Exact)),
            None => Ok((greedy?, Method::Greedy)),
        }
    }

    /// Returns the product of the extents of the labels, for comparisons. It is always finite, and an extent of 0 counts as 1.
    fn size(&self, mut labels: u64) -> f64 {
        let mut size = 1.0;
        while labels != 0 {
            size *= self.extents[labels.trailing_zeros() as usize];
            labels &= labels - 1;
        }
        f64::min(size, f64::MAX)
    }

    /// Returns the number of elements of a tensor with these labels.
    fn elements(&self, labels: u64) -> f64 {
        if labels & self.empty != 0 { 0.0 } else { self.size(labels) }
    }

    fn too_many_axes(&self, labels: u64) -> bool {
        labels.count_ones() as usize > self.max_rank
    }

    /// Returns the labels of the result if the operands in `set` are contracted with each other.
    fn labels_of(&self, set: u64) -> u64 {
        let (mut inside, mut outside) = (0, self.output);
        for (k, labels) in self.operands.iter().enumerate() {
            let of = if set >> k & 1 == 1 { &mut inside } else { &mut outside };
            *of |= labels;
        }
        inside & outside
    }

    /// Returns the set of all operands. The caller must ensure that there are 1 to 64 operands.
    fn everything(&self) -> u64 {
        u64::MAX >> (64 - self.operands.len())
    }

    /// Returns the path that consists of these steps, with its cost.
    fn path(&self, steps: Vec<Step>) -> Path {
        let n = self.operands.len();
        let labels_of = |k: usize| if k < n { self.operands[k] } else { steps[k - n].labels };
        let of_step = |step: &Step| self.elements(labels_of(step.left) | labels_of(step.right));
        let multiplications = steps.iter().map(of_step).fold(0.0, |sum, x| sum + x);
        let largest = self.largest(&steps);
        Path { steps, multiplications, largest }
    }

    /// Returns the number of elements of the largest intermediate.
    fn largest(&self, steps: &[Step]) -> f64 {
        let intermediates = steps.split_last().map_or(steps, |(_, before)| before);
        intermediates.iter().map(|step| self.elements(step.labels)).fold(0.0, f64::max)
    }

    /// Returns the steps, or an error if an intermediate has too many elements or axes.
    fn checked(&self, steps: Vec<Step>) -> Result<Vec<Step>, TooLarge> {
        let intermediates = steps.split_last().map_or(&steps[..], |(_, before)| before);
        let axes = intermediates.iter().any(|step| self.too_many_axes(step.labels));
        let smallest = if axes { f64::INFINITY } else { self.largest(&steps) };
        if axes || smallest > self.limit { Err(TooLarge { smallest }) } else { Ok(steps) }
    }
}

#[cfg(test)]
mod tests;
