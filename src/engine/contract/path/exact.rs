//! Exact searches, by dynamic programming: over all subsets of the operands, or over the connected ones.

use super::{PathProblem, Step, TooLarge};
use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};

/// The quantity that the search minimises first. The other quantity decides between orders that are equal in the first.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Goal {
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

impl PathProblem {
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
    pub(super) fn all_pairs(&self) -> Result<Vec<Step>, TooLarge> {
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
    pub(super) fn connected_pairs(&self, budget: usize) -> Option<Result<Vec<Step>, TooLarge>> {
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
    problem: &'a PathProblem,
    goal: Goal,
    /// For each operand, the set of operands that share a label with it.
    neighbours: Vec<u64>,
    /// The best order found so far, for each connected set.
    table: HashMap<u64, Best, BuildHasherDefault<SetHasher>>,
    /// The number of sets and pairs that may still be visited. If it is exceeded, the methods return `None`.
    budget: usize,
}

impl<'a> Search<'a> {
    fn run(problem: &'a PathProblem, goal: Goal, budget: usize) -> Option<Search<'a>> {
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
