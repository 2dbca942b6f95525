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
//! The search is limited by the number of its steps, never by time, so equal networks get equal paths.

#![forbid(unsafe_code)]

use std::cmp::{Ordering, Reverse};
use std::collections::{BinaryHeap, HashMap};
use std::hash::{BuildHasherDefault, Hasher};

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
    let problem = Problem::new(network, limit.unwrap_or(f64::INFINITY), max_rank);
    let n = problem.operands.len();
    if n < 2 {
        return Ok((problem.path(Vec::new()), Method::Exact));
    }
    if n == 2 {
        let labels = (problem.operands[0] | problem.operands[1]) & problem.output;
        return Ok((problem.path(vec![Step { left: 0, right: 1, labels }]), Method::Exact));
    }
    if n <= ALL_PAIRS {
        return Ok((problem.path(problem.all_pairs()?), Method::Exact));
    }
    let greedy = problem.greedy().map(|steps| problem.path(steps));
    let work = greedy.as_ref().map_or(f64::INFINITY, |path| path.multiplications);
    let budget = ((work / WORK_PER_PAIR) as usize).clamp(BUDGET.0, BUDGET.1);
    match problem.connected_pairs(budget) {
        Some(steps) => Ok((problem.path(steps?), Method::Exact)),
        None => Ok((greedy?, Method::Greedy)),
    }
}

/// A network prepared for the search: extents as `f64`, operands without the labels that are summed beforehand.
#[derive(Debug)]
struct Problem {
    operands: Vec<u64>,
    output: u64,
    /// An extent of 0 counts as 1, so that the search still minimises the product of the other extents.
    extents: [f64; LABELS],
    /// Labels of extent 0.
    empty: u64,
    limit: f64,
    max_rank: usize,
}

impl Problem {
    fn new(network: &Network<'_>, limit: f64, max_rank: usize) -> Problem {
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
        Problem { operands, output: network.output, extents, empty, limit, max_rank }
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

// ------------------------------------------------------------------ dynamic programming

/// The quantity that the search minimises first. The other quantity decides between orders that are equal in the first.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Goal {
    Multiplications,
    Largest,
}

/// The best way to contract the operands of a set.
#[derive(Debug, Clone, Copy)]
struct Best {
    /// The labels of the result.
    labels: u64,
    /// The product of the extents of `labels`; an extent of 0 counts as 1.
    size: f64,
    /// The number of elements of the result. 0 if the result is an operand or the output, which are not intermediates.
    own: f64,
    /// Whether the result is within the limits on elements and axes.
    allowed: bool,
    /// The number of multiplications; infinite if no order is known.
    multiplications: f64,
    /// The number of elements of the largest intermediate, including the result if the result is an intermediate.
    largest: f64,
    /// The last step contracts the results of two disjoint subsets of the operands. `part` is the first subset; all other operands are the
    /// second.
    part: u64,
}

impl Best {
    fn known(&self) -> bool {
        self.multiplications < f64::INFINITY
    }
}

impl Problem {
    /// Returns the table entry of a set for which no contraction order is known yet. A single operand needs no contraction, so its costs
    /// are 0.
    fn unknown(&self, set: u64, goal: Goal) -> Best {
        let labels = self.labels_of(set);
        let size = self.size(labels);
        let (single, last) = (set.is_power_of_two(), set == self.everything());
        let own = if single || last || labels & self.empty != 0 { 0.0 } else { size };
        // With `Goal::Largest`, the search determines the smallest possible limit, so it ignores `limit`.
        let fits = goal == Goal::Largest || own <= self.limit;
        let allowed = single || last || (fits && !self.too_many_axes(labels));
        let none = if single { 0.0 } else { f64::INFINITY };
        Best { labels, size, own, allowed, multiplications: none, largest: none, part: 0 }
    }

    /// Compares `best` with the order that contracts the operands of `a` and those of `b` separately, and in its last step the two
    /// results. Updates `best` if that order is better. `part` is the set of operands of `a`.
    fn consider(&self, best: &mut Best, part: u64, a: &Best, b: &Best, goal: Goal) {
        if !best.allowed || !a.known() || !b.known() {
            return;
        }
        let step = best.size * self.size((a.labels | b.labels) & !best.labels);
        let multiplications = (a.multiplications + b.multiplications + step).min(f64::MAX);
        let largest = best.own.max(a.largest).max(b.largest);
        let better = match goal {
            Goal::Multiplications => (multiplications, largest) < (best.multiplications, best.largest),
            Goal::Largest => (largest, multiplications) < (best.largest, best.multiplications),
        };
        if better {
            *best = Best { multiplications, largest, part, ..*best };
        }
    }

    /// Appends the steps that contract the operands in `set`, and returns the number of their result.
    fn append(&self, set: u64, best: &impl Fn(u64) -> Best, steps: &mut Vec<Step>) -> usize {
        if set.is_power_of_two() {
            return set.trailing_zeros() as usize;
        }
        let Best { part, labels, .. } = best(set);
        let left = self.append(part, best, steps);
        let right = self.append(set ^ part, best, steps);
        steps.push(Step { left, right, labels });
        self.operands.len() + steps.len() - 1
    }

    /// Finds the best of all contraction orders, including those with outer products.
    fn all_pairs(&self) -> Result<Vec<Step>, TooLarge> {
        let everything = self.everything();
        let table = self.all_pairs_for(Goal::Multiplications);
        if !table[everything as usize].known() {
            let table = self.all_pairs_for(Goal::Largest);
            return Err(TooLarge { smallest: table[everything as usize].largest });
        }
        let mut steps = Vec::with_capacity(self.operands.len() - 1);
        self.append(everything, &|set| table[set as usize], &mut steps);
        Ok(steps)
    }

    /// Returns the best order for every set of operands. The index into the result is the set.
    fn all_pairs_for(&self, goal: Goal) -> Vec<Best> {
        let mut table: Vec<Best> = Vec::with_capacity(1 << self.operands.len());
        table.push(self.unknown(0, goal));
        for set in 1..=self.everything() {
            let mut best = self.unknown(set, goal);
            // Tries every way to split the set in two parts. One part contains the lowest operand and a proper subset of the other
            // operands, which may be empty.
            let lowest = lowest(set);
            let others = set ^ lowest;
            let mut with = 0;
            while with != others {
                let part = lowest | with;
                let (a, b) = (&table[part as usize], &table[(set ^ part) as usize]);
                self.consider(&mut best, part, a, b, goal);
                with = next_subset(with, others);
            }
            table.push(best);
        }
        table
    }

    /// Finds the best of the contraction orders without outer products. The results of operands that no label connects are contracted at
    /// the end, the smallest first.
    ///
    /// Returns `None` if the search would exceed the budget, or if there are more than 64 operands.
    fn connected_pairs(&self, budget: usize) -> Option<Result<Vec<Step>, TooLarge>> {
        if self.operands.len() > 64 {
            return None;
        }
        let search = Search::run(self, Goal::Multiplications, budget)?;
        let parts = self.connected_parts(&search.neighbours);
        if !parts.iter().all(|part| search.table[part].known()) {
            let search = Search::run(self, Goal::Largest, budget)?;
            let smallest = parts.iter().map(|part| search.table[part].largest).fold(0.0, f64::max);
            return Some(Err(TooLarge { smallest }));
        }
        let mut steps = Vec::with_capacity(self.operands.len() - 1);
        let of_part = |&part: &u64| {
            let number = self.append(part, &|set| search.table[&set], &mut steps);
            (number, search.table[&part].labels)
        };
        let results = parts.iter().map(of_part).collect();
        self.join(results, &mut steps);
        Some(self.checked(steps))
    }

    /// Returns the connected components of the network, as sets of operands.
    fn connected_parts(&self, neighbours: &[u64]) -> Vec<u64> {
        let mut parts = Vec::new();
        let mut left = self.everything();
        while left != 0 {
            let (mut part, mut more) = (0, lowest(left));
            while more != 0 {
                part |= more;
                more = around(neighbours, part);
            }
            parts.push(part);
            left ^= part;
        }
        parts
    }
}

/// The search over pairs of connected sets of operands. The two sets of a pair share a label. Each pair is visited once, after all pairs
/// into which either of its sets can be split.
struct Search<'a> {
    problem: &'a Problem,
    goal: Goal,
    /// For each operand, the set of operands that share a label with it.
    neighbours: Vec<u64>,
    /// The best order found so far, for each connected set.
    table: HashMap<u64, Best, BuildHasherDefault<SetHasher>>,
    /// The number of sets and pairs that may still be visited. If it is exceeded, the methods return `None`.
    budget: usize,
}

impl<'a> Search<'a> {
    fn run(problem: &'a Problem, goal: Goal, budget: usize) -> Option<Search<'a>> {
        let operands = problem.operands.iter().enumerate();
        let shares = |k: usize, labels: u64| {
            operands.clone().map(|(j, &other)| u64::from(j != k && labels & other != 0) << j).sum()
        };
        let neighbours: Vec<u64> = operands.clone().map(|(k, &labels)| shares(k, labels)).collect();
        let table = operands.map(|(k, _)| (1 << k, problem.unknown(1 << k, goal))).collect();
        let mut search = Search { problem, goal, neighbours, table, budget };
        // Each connected set is found by growing it from its lowest operand. Sets with a higher lowest operand are visited first.
        for k in (0..problem.operands.len()).rev() {
            search.partners(1 << k)?;
            search.grow(None, 1 << k, up_to(1 << k))?;
        }
        Some(search)
    }

    /// Visits all connected proper supersets of `set` whose additional operands are not in `excluded`. Calls [`pair`](Search::pair)
    /// with each of them and `partner`, or [`partners`](Search::partners) if `partner` is `None`.
    fn grow(&mut self, partner: Option<u64>, set: u64, excluded: u64) -> Option<()> {
        let around = around(&self.neighbours, set) & !excluded;
        let mut more = lowest(around);
        while more != 0 {
            match partner {
                None => self.partners(set | more)?,
                Some(partner) => self.pair(partner, set | more)?,
            }
            more = next_subset(more, around);
        }
        more = lowest(around);
        while more != 0 {
            self.grow(partner, set | more, excluded | around)?;
            more = next_subset(more, around);
        }
        Some(())
    }

    /// Visits the pairs of `set` with all connected sets that are disjoint from it, share a label with it, and whose lowest operand
    /// is higher than the lowest operand of `set`.
    fn partners(&mut self, set: u64) -> Option<()> {
        self.budget = self.budget.checked_sub(1)?;
        let excluded = set | up_to(lowest(set));
        let around = around(&self.neighbours, set) & !excluded;
        let mut left = around;
        while left != 0 {
            let highest = 1 << (63 - left.leading_zeros());
            self.pair(set, highest)?;
            self.grow(Some(set), highest, excluded | (around & up_to(highest)))?;
            left ^= highest;
        }
        Some(())
    }

    /// Updates the best order for the union of `a` and `b`, if the order whose last step contracts `a` with `b` is better.
    fn pair(&mut self, a: u64, b: u64) -> Option<()> {
        self.budget = self.budget.checked_sub(1)?;
        let (problem, goal) = (self.problem, self.goal);
        let (of_a, of_b) = (self.table[&a], self.table[&b]);
        let best = self.table.entry(a | b).or_insert_with(|| problem.unknown(a | b, goal));
        problem.consider(best, a, &of_a, &of_b, goal);
        Some(())
    }
}

/// Returns all operands that are not in `set`, but share a label with an operand in it.
fn around(neighbours: &[u64], set: u64) -> u64 {
    let (mut left, mut around) = (set, 0);
    while left != 0 {
        around |= neighbours[left.trailing_zeros() as usize];
        left &= left - 1;
    }
    around & !set
}

/// Returns the lowest bit that is set, or 0 for the empty set.
fn lowest(set: u64) -> u64 {
    set & set.wrapping_neg()
}

/// Returns the set of a bit and all lower bits.
fn up_to(bit: u64) -> u64 {
    bit | (bit - 1)
}

/// Returns the subset of `of` that follows `subset` in ascending order. The empty set follows the last one.
fn next_subset(subset: u64, of: u64) -> u64 {
    subset.wrapping_sub(of) & of
}

/// Hashes sets by a multiplication. Not resistant to deliberate collisions, which could only make the search slower.
#[derive(Debug, Default)]
struct SetHasher(u64);

impl Hasher for SetHasher {
    fn write(&mut self, bytes: &[u8]) {
        bytes.iter().for_each(|&byte| self.write_u64(u64::from(byte)));
    }
    fn write_u64(&mut self, set: u64) {
        let product = u128::from(self.0 ^ set) * 0x9E37_79B9_7F4A_7C15;
        self.0 = (product >> 64) as u64 ^ product as u64;
    }
    fn finish(&self) -> u64 {
        self.0
    }
}

// ------------------------------------------------------------------ greedy search

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

impl Problem {
    /// In each step, contracts the pair with a common label that increases the total size least. The increase is the size of the
    /// result minus the sizes of the two operands.
    ///
    /// If all results exceed the limits, contracts the pair with the smallest result, preferably one with few enough axes. Operands that
    /// no label connects are contracted at the end.
    fn greedy(&self) -> Result<Vec<Step>, TooLarge> {
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
    fn join(&self, parts: Vec<(usize, u64)>, steps: &mut Vec<Step>) {
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

#[cfg(test)]
mod tests;
