//! Compares contraction paths with the best of all contraction orders, found by brute force, with the dynamic programme for matrix
//! chains, and with known optima.

use super::exact::Goal;
use super::*;

/// A generator of pseudorandom numbers: the upper bits of a linear congruential generator.
struct Lcg(u64);

impl Lcg {
    fn below(&mut self, n: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % n
    }
}

/// A network that owns its operands.
#[derive(Debug)]
struct Owned {
    operands: Vec<u64>,
    output: u64,
    extents: Vec<usize>,
}

impl Owned {
    fn network(&self) -> Network<'_> {
        Network { operands: &self.operands, output: self.output, extents: &self.extents }
    }

    fn optimise(&self) -> (Path, Method) {
        optimise(&self.network(), None, 64).unwrap()
    }

    /// Parses `ab,bc->ac`, with the extents of `a`, `b`, ...
    fn parse(expression: &str, extents: &[usize]) -> Owned {
        let bits = |s: &str| s.bytes().map(|c| 1u64 << (c - b'a')).fold(0, |all, bit| all | bit);
        let (operands, output) = expression.split_once("->").unwrap();
        Owned {
            operands: operands.split(',').map(bits).collect(),
            output: bits(output),
            extents: extents.to_vec(),
        }
    }

    /// Returns a random network. Each label occurs in one to three operands, and perhaps in the output. Its extent is one of
    /// `extents`.
    fn random(rng: &mut Lcg, n: usize, labels: usize, extents: &[usize]) -> Owned {
        let mut operands = vec![0; n];
        let mut output = 0;
        for bit in 0..labels {
            for _ in 0..1 + rng.below(3).min(rng.below(4)) {
                operands[rng.below(n)] |= 1 << bit;
            }
            output |= u64::from(rng.below(4) == 0) << bit;
        }
        let extents = (0..labels).map(|_| extents[rng.below(extents.len())]).collect();
        Owned { operands, output, extents }
    }

    /// Returns the product of the extents of the labels. Extents below `least` count as `least`.
    fn product(&self, labels: u64, least: usize) -> f64 {
        let of = |(bit, &extent): (usize, &usize)| match labels >> bit & 1 {
            1 => extent.max(least) as f64,
            _ => 1.0,
        };
        self.extents.iter().enumerate().map(of).product()
    }

    /// Returns, for each operand, the labels that also occur in another operand or in the output. The other labels are summed over
    /// beforehand.
    fn summed(&self) -> Vec<u64> {
        let others = |k: usize| {
            self.operands.iter().enumerate().filter(|&(j, _)| j != k).fold(self.output, |all, (_, l)| all | l)
        };
        (0..self.operands.len()).map(|k| self.operands[k] & others(k)).collect()
    }

    /// Tries all contraction orders. Returns the number of multiplications and the size of the largest intermediate of the best: `goal`
    /// says which of these numbers is minimised first. Intermediates have at most `limit` elements and `max_rank` axes. If
    /// `connected`, only pairs with a common label are contracted.
    fn brute(&self, goal: Goal, limit: f64, max_rank: usize, connected: bool) -> (f64, f64) {
        fn visit(
            net: &Owned,
            parts: &[u64],
            so_far: (f64, f64),
            allowed: &impl Fn(u64, u64) -> bool,
            better: &impl Fn((f64, f64), (f64, f64)) -> bool,
            best: &mut (f64, f64),
        ) {
            if parts.len() == 1 && better(so_far, *best) {
                *best = so_far;
            }
            for j in 1..parts.len() {
                for i in 0..j {
                    let mut rest = parts.to_vec();
                    rest.remove(j);
                    rest.remove(i);
                    let others = rest.iter().fold(net.output, |all, l| all | l);
                    let (pair, last) = (parts[i] | parts[j], rest.is_empty());
                    let made = pair & others;
                    if !allowed(parts[i] & parts[j], if last { 0 } else { made }) {
                        continue;
                    }
                    let own = if last { 0.0 } else { net.product(made, 0) };
                    let next = (so_far.0 + net.product(pair, 1), so_far.1.max(own));
                    rest.push(made);
                    visit(net, &rest, next, allowed, better, best);
                }
            }
        }
        let allowed = |shared: u64, made: u64| {
            let fits = goal == Goal::Largest || self.product(made, 0) <= limit;
            fits && made.count_ones() as usize <= max_rank && (!connected || shared != 0)
        };
        let better = |a: (f64, f64), b: (f64, f64)| match goal {
            Goal::Multiplications => a < b,
            Goal::Largest => (a.1, a.0) < (b.1, b.0),
        };
        let mut best = (f64::INFINITY, f64::INFINITY);
        visit(self, &self.summed(), (0.0, 0.0), &allowed, &better, &mut best);
        best
    }

    /// Follows the steps of a path, and checks its labels and costs. Returns the number of multiplications, for which an extent of
    /// 0 counts as 1, and the size of the largest intermediate.
    fn check(&self, path: &Path) -> (f64, f64) {
        let n = self.operands.len();
        let mut labels: Vec<Option<u64>> = self.summed().into_iter().map(Some).collect();
        let (mut cost, mut multiplications, mut largest) = (0.0, 0.0, 0.0f64);
        assert_eq!(path.steps.len(), n.saturating_sub(1));
        for (k, step) in path.steps.iter().enumerate() {
            assert!(step.left < n + k && step.right < n + k && step.left != step.right);
            let pair = labels[step.left].take().unwrap() | labels[step.right].take().unwrap();
            let others = labels.iter().flatten().fold(self.output, |all, l| all | l);
            assert_eq!(step.labels, pair & others, "step {k} of {self:?}");
            labels.push(Some(step.labels));
            cost += self.product(pair, 1);
            multiplications += self.product(pair, 0);
            if k + 2 < n {
                largest = largest.max(self.product(step.labels, 0));
            }
        }
        assert_eq!((path.multiplications, path.largest), (multiplications, largest), "{self:?}");
        (cost, largest)
    }
}

const EXTENTS: [&[usize]; 4] = [&[2, 3, 5], &[1, 2, 30], &[0, 2, 7], &[1]];

#[test]
fn all_pairs_find_the_best_of_all_orders() {
    let mut rng = Lcg(1);
    for round in 0..600 {
        let n = 1 + rng.below(if round % 10 == 0 { 6 } else { 5 });
        let labels = 1 + rng.below(9);
        let net = Owned::random(&mut rng, n, labels, EXTENTS[round % 4]);
        let (path, method) = net.optimise();
        assert_eq!(method, Method::Exact);
        assert_eq!(net.check(&path), net.brute(Goal::Multiplications, f64::INFINITY, 64, false), "{net:?}");
    }
}

#[test]
fn connected_pairs_find_the_best_order_without_outer_products() {
    let mut rng = Lcg(2);
    let mut tested = 0;
    while tested < 400 {
        let n = 2 + rng.below(5);
        let net = Owned::random(&mut rng, n, n + 5, EXTENTS[tested % 3]);
        let best = net.brute(Goal::Multiplications, f64::INFINITY, 64, true);
        if best.0 < f64::INFINITY {
            let problem = PathProblem::new(&net.network(), f64::INFINITY, 64);
            let path = problem.path(problem.connected_pairs(usize::MAX).unwrap().unwrap());
            assert_eq!(net.check(&path), best, "{net:?}");
            tested += 1;
        }
    }
}

#[test]
fn greedy_paths_and_paths_of_parts_are_valid() {
    let mut rng = Lcg(3);
    // Builds without optimisation take long for networks of many operands.
    for round in 0..if cfg!(debug_assertions) { 200 } else { 400 } {
        let n = 2 + rng.below(30);
        let labels = 1 + rng.below(40);
        let net = Owned::random(&mut rng, n, labels, EXTENTS[round % 4]);
        let problem = PathProblem::new(&net.network(), f64::INFINITY, 64);
        let greedy = problem.path(problem.greedy().unwrap());
        let (cost, _) = net.check(&greedy);
        if let Some(steps) = problem.connected_pairs(1 << 12) {
            assert!(net.check(&problem.path(steps.unwrap())).0 <= cost, "{net:?}");
        }
        net.check(&net.optimise().0);
    }
}

#[test]
fn optimise_finds_optimal_outer_products() {
    // Two short vectors and a large tensor. If the outer product of the vectors is computed first, one pass over the tensor
    // suffices.
    let net = Owned::parse("a,b,abc->c", &[2, 2, 1000]);
    let (path, _) = net.optimise();
    assert_eq!(path.steps[0], Step { left: 0, right: 1, labels: 0b11 });
    assert_eq!(path.multiplications, 4.0 + 4000.0);
}

#[test]
fn chains_of_matrices() {
    let mut rng = Lcg(4);
    for n in 1..=16 {
        for _ in 0..20 {
            let extents: Vec<usize> = (0..=n).map(|_| 1 + rng.below(40)).collect();
            let operands = (0..n).map(|k| 3 << k).collect();
            let net = Owned { operands, output: 1 | 1 << n, extents };
            // The textbook solution: dynamic programming over intervals of the chain.
            let mut least = vec![vec![0.0f64; n + 1]; n + 1];
            for len in 2..=n {
                for i in 0..=n - len {
                    let j = i + len;
                    let ends = net.extents[i] * net.extents[j];
                    let cut = |k: usize| least[i][k] + least[k][j] + (ends * net.extents[k]) as f64;
                    least[i][j] = (i + 1..j).map(cut).fold(f64::INFINITY, f64::min);
                }
            }
            let (path, method) = net.optimise();
            assert_eq!((net.check(&path).0, method), (least[0][n], Method::Exact));
        }
    }
}

#[test]
fn well_known_orders() {
    // All extents are 10. Each step transforms one index of the rank-4 tensor, by 10⁵ multiplications.
    let net = Owned::parse("ea,fb,abcd,gc,hd->efgh", &[10; 8]);
    let (path, _) = net.optimise();
    assert_eq!((path.multiplications, path.largest), (4e5, 1e4));
    // The norm of a matrix product state with bonds of χ = 3 and sites of d = 10. The best order goes along the chain, and needs 2
    // d χ³ multiplications per site.
    let net = Owned::parse("ab,ac,bde,cdf,egh,fgi,hj,ij->", &[10, 3, 3, 10, 3, 3, 10, 3, 3, 10]);
    let (path, _) = net.optimise();
    let (end, site, both_halves) = (90.0, 540.0, 9.0);
    assert_eq!((path.multiplications, path.largest), (2.0 * (end + site) + both_halves, 90.0));
    net.check(&path);
}

#[test]
fn paths_of_zero_one_and_two_operands() {
    let none = Path { steps: vec![], multiplications: 0.0, largest: 0.0 };
    assert_eq!(Owned::parse("ab->a", &[2, 3]).optimise(), (none.clone(), Method::Exact));
    let net = Network { operands: &[], output: 0, extents: &[] };
    assert_eq!(optimise(&net, None, 16), Ok((none, Method::Exact)));
    // `d` is summed over beforehand, which the cost does not include.
    let (path, _) = Owned::parse("abd,bc->ca", &[2, 3, 5, 7]).optimise();
    assert_eq!(
        (path.steps.as_slice(), path.multiplications),
        (&[Step { left: 0, right: 1, labels: 5 }][..], 30.0)
    );
}

#[test]
fn limits_are_kept_or_rejected() {
    let mut rng = Lcg(5);
    let (mut kept, mut rejected) = (0, 0);
    for round in 0..300 {
        let n = 3 + rng.below(3);
        let net = Owned::random(&mut rng, n, 8, EXTENTS[round % 3]);
        let (limit, max_rank) = ((rng.below(40) + 1) as f64, 2 + rng.below(4));
        let best = net.brute(Goal::Multiplications, limit, max_rank, false);
        let smallest = net.brute(Goal::Largest, f64::INFINITY, max_rank, false).1;
        match optimise(&net.network(), Some(limit), max_rank) {
            Ok((path, _)) => {
                kept += 1;
                assert_eq!(net.check(&path), best, "{net:?}");
            }
            Err(error) => {
                rejected += 1;
                assert_eq!((best.0, error.smallest), (f64::INFINITY, smallest), "{net:?}");
            }
        }
    }
    assert!(kept > 30 && rejected > 30, "{kept} kept, {rejected} rejected");
}

#[test]
fn limits_of_large_networks() {
    let mut rng = Lcg(6);
    let (mut kept, mut rejected) = (0, 0);
    for _ in 0..100 {
        let n = 9 + rng.below(6);
        let net = Owned::random(&mut rng, n, 20, &[2, 3]);
        let limit = (rng.below(200) + 1) as f64;
        let problem = PathProblem::new(&net.network(), limit, 6);
        for steps in [Some(problem.greedy()), problem.connected_pairs(1 << 16)].into_iter().flatten() {
            match steps {
                Ok(steps) => {
                    kept += 1;
                    let path = problem.path(steps);
                    net.check(&path);
                    assert!(path.largest <= limit);
                    let intermediates = &path.steps[..n - 2];
                    assert!(intermediates.iter().all(|step| step.labels.count_ones() <= 6));
                }
                Err(error) => {
                    rejected += 1;
                    assert!(error.smallest > limit);
                }
            }
        }
    }
    assert!(kept > 10 && rejected > 10, "{kept} kept, {rejected} rejected");
}

#[test]
fn networks_too_complex_to_search_fall_back_to_greedy() {
    // 14 of the 15 operands share a label, so every set of them is connected. There are some 3¹⁴ / 2 pairs of disjoint sets: more than the
    // search may visit.
    let operands = (0..15).map(|k| u64::from(k < 14) | 3 << (k + 1)).collect();
    let net = Owned { operands, output: 1, extents: vec![2; 17] };
    let (path, method) = net.optimise();
    net.check(&path);
    assert_eq!(method, Method::Greedy);
    // There are more operands than the 64 that a set can hold.
    let net = Owned { operands: vec![1; 100], output: 0, extents: vec![4] };
    let (path, method) = net.optimise();
    assert_eq!((net.check(&path), method), ((396.0, 4.0), Method::Greedy));
}

/// A label that all operands have multiplies the cost of each order by its extent.
#[test]
fn batch_labels_do_not_change_the_order() {
    let mut rng = Lcg(8);
    for n in [3, 5, 8, 12, 14] {
        for (extent, in_output) in [(3, true), (3, false), (0, true), (1, false)] {
            let extents: Vec<usize> = (0..=n).map(|_| 2 + rng.below(9)).collect();
            let chain = |batch: u64| (0..n).map(|k| batch | 3 << k).collect();
            let (ends, batch) = (1 | 1 << n, 1 << (n + 1));
            let plain = Owned { operands: chain(0), output: ends, extents: extents.clone() };
            let output = if in_output { ends | batch } else { ends };
            let batched =
                Owned { operands: chain(batch), output, extents: [&extents[..], &[extent]].concat() };
            let ((expected, _), (path, method)) = (plain.optimise(), batched.optimise());
            let pairs = |path: &Path| -> Vec<_> { path.steps.iter().map(|s| (s.left, s.right)).collect() };
            assert_eq!((pairs(&path), method), (pairs(&expected), Method::Exact));
            assert_eq!(path.multiplications, expected.multiplications * extent as f64);
            assert_eq!(path.largest, expected.largest * extent as f64);
            for (k, (step, of)) in path.steps.iter().zip(&expected.steps).enumerate() {
                let has = k + 2 < n || in_output;
                assert_eq!(step.labels, of.labels | if has { batch } else { 0 });
            }
            if extent > 0 {
                let largest = path.largest;
                assert_eq!(optimise(&batched.network(), Some(largest), 64).unwrap().0, path);
                let smallest = optimise(&batched.network(), Some(0.5), 64).unwrap_err().smallest;
                assert!(smallest <= largest && smallest % extent as f64 == 0.0);
                assert!(optimise(&batched.network(), None, 0).unwrap_err().smallest.is_infinite());
            }
        }
    }
}

#[test]
fn equal_networks_get_equal_paths() {
    let mut rng = Lcg(7);
    for n in [3, 6, 10, 20] {
        let net = Owned::random(&mut rng, n, 30, &[2]);
        assert_eq!(net.optimise(), net.optimise());
    }
}

#[test]
fn extents_whose_product_overflows() {
    let net =
        Owned { operands: (0..20).map(|k| 7 << k).collect(), output: !0, extents: vec![usize::MAX; 64] };
    let (path, _) = net.optimise();
    assert_eq!(path.steps.len(), 19);
    assert!(optimise(&net.network(), Some(1e3), 64).is_err());
}
