//! Compares random contractions with a brute-force evaluator that iterates over all indices of all labels. The evaluator chooses no
//! contraction order and calls no kernel.

use super::Factor;
use super::cache::PathCache;
use super::execute::Einsum;
use super::spec::Spec;
use crate::device::{Cpu, MatrixOperand, Scaling};
use crate::element::{Scalar, c64};
use crate::layout::Layout;
use crate::rank::Rank;
use crate::tensor::Tensor;
use num_complex::Complex;
use proptest::prelude::*;
use proptest::test_runner::TestCaseError;
use std::collections::BTreeMap;

/// An operand or output of a test: labels, and a layout in a buffer of `memory` elements.
#[derive(Debug, Clone)]
struct Case {
    labels: Vec<char>,
    layout: Layout,
    memory: usize,
    conjugate: bool,
}

/// A contraction of operands that are contiguous, permuted, gapped, reversed or broadcast.
#[derive(Debug, Clone)]
struct Network {
    operands: Vec<Case>,
    result: Vec<char>,
    /// The layout of a preallocated output.
    target: Case,
    extents: BTreeMap<char, usize>,
}

impl Network {
    fn text(&self) -> String {
        let word = |labels: &[char]| labels.iter().collect::<String>();
        let all: Vec<_> = self.operands.iter().map(|case| word(&case.labels)).collect();
        format!("{}->{}", all.join(","), word(&self.result))
    }
}

/// Returns an operand with these labels. Its axes are in random order in memory. Each axis can have a gap, can be reversed, and, if
/// `may_repeat`, can be broadcast. `dice` contains the random numbers.
fn placed(labels: Vec<char>, extents: &BTreeMap<char, usize>, dice: &[u8], may_repeat: bool) -> Case {
    let shape: Vec<usize> = labels.iter().map(|label| extents[label]).collect();
    let mut axes: Vec<usize> = (0..shape.len()).collect();
    axes.sort_by_key(|&axis| {
        dice[axis % dice.len()].wrapping_mul(31).wrapping_add(dice[(axis + 1) % dice.len()])
    });
    let (mut strides, mut step, mut first) = (vec![0isize; shape.len()], 1isize, 0isize);
    for &axis in &axes {
        let choice = dice[(axis + 2) % dice.len()] % 8;
        if may_repeat && choice == 7 {
            continue;
        }
        let gap = if choice >= 5 { 2 } else { 1 };
        strides[axis] = step * gap;
        step *= gap * shape[axis].max(1) as isize;
        if choice == 3 {
            first += strides[axis] * (shape[axis] as isize - 1).max(0);
            strides[axis] = -strides[axis];
        }
    }
    let conjugate = dice[0].is_multiple_of(3);
    Case { labels, layout: Layout::new(&shape, &strides).moved(first), memory: step as usize, conjugate }
}

fn networks(
    operands: core::ops::RangeInclusive<usize>,
    letters: usize,
    longest: usize,
) -> impl Strategy<Value = Network> {
    const LETTERS: [char; 7] = ['a', 'b', 'c', 'd', 'e', 'Z', 'k'];
    let extent = prop_oneof![1 => Just(0usize), 2 => Just(1), 9 => 2..longest + 1];
    let extents = proptest::collection::vec(extent, LETTERS.len());
    let words = proptest::collection::vec(proptest::collection::vec(0..letters, 0..5), operands);
    let result = proptest::collection::vec(any::<prop::sample::Index>(), 0..5);
    let dice = proptest::collection::vec(any::<u8>(), 40);
    (extents, words, result, dice).prop_map(|(extents, words, result, dice)| {
        let extents: BTreeMap<char, usize> = LETTERS.into_iter().zip(extents).collect();
        let words: Vec<Vec<char>> =
            words.into_iter().map(|word| word.into_iter().map(|k| LETTERS[k]).collect()).collect();
        let used: Vec<char> = words.iter().flatten().copied().collect();
        // In half of the networks, repeated labels are removed from the result, because in practice few results repeat labels.
        let mut chosen: Vec<char> =
            if used.is_empty() { vec![] } else { result.iter().map(|index| *index.get(&used)).collect() };
        if dice[39].is_multiple_of(2) {
            let mut seen = vec![];
            chosen.retain(|label| {
                !seen.contains(label) && {
                    seen.push(*label);
                    true
                }
            });
        }
        let operands = words
            .into_iter()
            .enumerate()
            .map(|(k, word)| placed(word, &extents, &dice[k * 7..k * 7 + 7], true))
            .collect();
        let target = placed(chosen.clone(), &extents, &dice[32..39], false);
        Network { operands, result: chosen, target, extents }
    })
}

/// Evaluates the contraction by iterating over the indices of all labels. Returns the elements of the result in row-major order.
fn brute<T: Scalar>(network: &Network, memories: &[Vec<T>]) -> Vec<T> {
    let mut labels: Vec<char> = network
        .extents
        .keys()
        .copied()
        .filter(|label| network.operands.iter().any(|case| case.labels.contains(label)))
        .collect();
    // The last label is the inner loop, which is the fastest one in builds without optimisation.
    labels.sort_by_key(|label| network.extents[label]);
    let extents: Vec<usize> = labels.iter().map(|label| network.extents[label]).collect();
    // Returns the distance between elements whose indices of one label differ by 1, for each label.
    let steps = |axes: &[char], strides: &[isize]| -> Vec<isize> {
        let of_label =
            |label| axes.iter().zip(strides).filter(|(axis, _)| *axis == label).map(|(_, s)| s).sum();
        labels.iter().map(of_label).collect()
    };
    let conjugated = |(case, memory): (&Case, &Vec<T>)| -> Vec<T> {
        memory.iter().map(|&x| if case.conjugate { x.conj() } else { x }).collect()
    };
    let operands: Vec<Vec<T>> = network.operands.iter().zip(memories).map(conjugated).collect();
    let shape: Vec<usize> = network.result.iter().map(|label| network.extents[label]).collect();
    let result = Layout::contiguous(&shape, true);
    // Every element of the result is set, even if the sum has zero terms.
    let mut sums = vec![T::zero(); shape.iter().product()];
    // The offset of index 0 and the steps, for each operand and for the result.
    let mut places: Vec<(isize, Vec<isize>)> = network
        .operands
        .iter()
        .map(|case| (case.layout.offset(), steps(&case.labels, case.layout.strides())))
        .collect();
    places.push((0, steps(&network.result, result.strides())));
    let (&inner, outer) = extents.split_last().unwrap_or((&1, &[]));
    count(outer, |index| {
        let first = |(first, steps): &(isize, Vec<isize>)| {
            first + index.iter().zip(steps).map(|(&i, step)| i as isize * step).sum::<isize>()
        };
        let mut at: Vec<isize> = places.iter().map(first).collect();
        for _ in 0..inner {
            let mut product = T::one();
            for (memory, &at) in operands.iter().zip(&at) {
                product *= memory[at as usize];
            }
            sums[at[operands.len()] as usize] += product;
            for (at, (_, steps)) in at.iter_mut().zip(&places) {
                *at += steps.last().unwrap_or(&0);
            }
        }
    });
    sums
}

/// Calls `f` with each index of `shape`, in row-major order.
fn count(shape: &[usize], mut f: impl FnMut(&[usize])) {
    let mut index = vec![0; shape.len()];
    for _ in 0..shape.iter().product() {
        f(&index);
        for (axis, &extent) in shape.iter().enumerate().rev() {
            index[axis] += 1;
            if index[axis] < extent {
                break;
            }
            index[axis] = 0;
        }
    }
}

/// Element types with a function that returns small integers. Every sum of products of these integers is exact in every type.
trait Small: Scalar {
    fn small(k: usize) -> Self;
}
impl Small for f64 {
    fn small(k: usize) -> f64 {
        ((k * 7 + 3) % 11) as f64 - 5.0
    }
}
impl Small for i64 {
    fn small(k: usize) -> i64 {
        ((k * 5 + 1) % 7) as i64 - 3
    }
}
impl Small for c64 {
    fn small(k: usize) -> c64 {
        Complex::new(f64::small(k), ((k * 3 + 1) % 5) as f64 - 2.0)
    }
}

fn elements<T: Small>(len: usize, seed: usize) -> Tensor<T, Rank<1>> {
    Tensor::from_vec([len], (0..len).map(|k| T::small(k + seed)).collect())
}

fn agrees<T: Small>(network: &Network) -> Result<(), TestCaseError> {
    let cache = PathCache::new();
    let text = network.text();
    let spec = match Spec::parse(&text, network.operands.len()) {
        Ok(spec) => spec,
        Err(error) => panic!("{error}"),
    };
    let memories: Vec<Tensor<T, Rank<1>>> =
        network.operands.iter().enumerate().map(|(k, case)| elements(case.memory, 13 * k)).collect();
    let given: Vec<Factor<'_, T, Cpu>> = network
        .operands
        .iter()
        .zip(&memories)
        .map(|(case, memory)| {
            assert_within(&case.layout, memory.len());
            MatrixOperand { operand: memory.operand().in_layout(&case.layout), conjugate: case.conjugate }
                .into()
        })
        .collect();
    let einsum =
        Einsum { spec: &spec, row_major: true, device: &Cpu, operands: &given, limit: None, cache: &cache };
    let bound = einsum.bind().unwrap();
    let plain: Vec<Vec<T>> = memories.iter().map(|memory| memory.as_slice().to_vec()).collect();
    let expected = brute(network, &plain);

    let shape: Vec<usize> = network.result.iter().map(|label| network.extents[label]).collect();
    let len: usize = shape.iter().product();
    let mut fresh: Tensor<T, Rank<1>> = Tensor::zeros([len]);
    let contiguous = Layout::contiguous(&shape, true);
    einsum.write(&bound, fresh.output().0.in_layout(&contiguous)).unwrap();
    let mut place = 0;
    let mut wrong = None;
    count(&shape, |index| {
        let (found, expected) = (fresh.as_slice()[place], expected[place]);
        if found != expected && wrong.is_none() {
            wrong = Some(format!("{text}: {found} at {index:?}, not {expected}"));
        }
        place += 1;
    });
    prop_assert!(wrong.is_none(), "{}", wrong.unwrap());

    // Contracts into a preallocated output: `3 · result − 2 · old`. The buffer's elements between those of the output stay
    // unchanged.
    let before = elements::<T>(network.target.memory, 5);
    let mut target = before.clone();
    let (alpha, beta) = (T::from_usize(3), T::zero() - T::from_usize(2));
    let layout = network.target.layout;
    assert_within(&layout, target.len());
    einsum.accumulate(&bound, Scaling { alpha, beta }, target.output().0.in_layout(&layout)).unwrap();
    let mut left = before.as_slice().to_vec();
    let mut terms = expected.iter();
    count(&shape, |index| {
        let offset = offset_of(&layout, index);
        left[offset as usize] = alpha * *terms.next().unwrap() + beta * left[offset as usize];
    });
    prop_assert_eq!(target.as_slice(), &left[..], "{} into {:?}", &text, layout);
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 1500, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn one_operand(network in networks(1..=1, 7, 4)) {
        agrees::<i64>(&network)?;
        agrees::<c64>(&network)?;
    }

    #[test]
    fn two_operands(network in networks(2..=2, 7, 4)) {
        agrees::<f64>(&network)?;
        agrees::<i64>(&network)?;
        agrees::<c64>(&network)?;
    }

    #[test]
    fn three_and_four_operands(network in networks(3..=4, 7, 4)) {
        agrees::<f64>(&network)?;
        agrees::<c64>(&network)?;
    }
}

fn assert_within(layout: &Layout, len: usize) {
    count(layout.shape(), |index| {
        assert!((0..len as isize).contains(&offset_of(layout, index)));
    });
}

fn offset_of(layout: &Layout, index: &[usize]) -> isize {
    let mut offset = layout.offset();
    for (axis, &stride) in layout.strides().iter().enumerate() {
        offset += index[axis] as isize * stride;
    }
    offset
}

/// Returns networks that multiply two matrices, or two batches of matrices. Each label belongs to the rows, the columns, the sum or
/// the batch. Each of these four classes may have several labels or none. The axes of the operands and of the result are in any order.
fn products() -> impl Strategy<Value = Network> {
    const LETTERS: [char; 6] = ['a', 'b', 'c', 'd', 'e', 'f'];
    let extents = proptest::collection::vec(prop_oneof![2 => 2usize..4, 1 => 8usize..14], LETTERS.len());
    let classes = proptest::collection::vec(0usize..7, LETTERS.len());
    let dice = proptest::collection::vec(any::<u8>(), 40);
    let small = |extents: &Vec<usize>| extents.iter().product::<usize>() <= 40_000;
    (extents.prop_filter("few terms", small), classes, dice).prop_map(|(extents, classes, dice)| {
        let extents: BTreeMap<char, usize> = LETTERS.into_iter().zip(extents).collect();
        // `classes[k]` is below 7: two values stand for rows, two for columns, two for summed labels, and one for the batch.
        let word = |absent: usize, dice: &[u8]| {
            let mut word: Vec<(u8, char)> =
                (0..6).filter(|&k| classes[k] / 2 != absent).map(|k| (dice[k], LETTERS[k])).collect();
            word.sort();
            word.into_iter().map(|(_, label)| label).collect::<Vec<_>>()
        };
        let operands = vec![
            placed(word(1, &dice[..6]), &extents, &dice[6..13], true),
            placed(word(0, &dice[13..19]), &extents, &dice[19..26], true),
        ];
        let result = word(2, &dice[26..32]);
        let target = placed(result.clone(), &extents, &dice[32..39], false);
        Network { operands, result, target, extents }
    })
}

/// Number of cases of products. Builds without optimisation are slow, so they test fewer.
const PRODUCT_CASES: u32 = if cfg!(debug_assertions) { 120 } else { 400 };

proptest! {
    #![proptest_config(ProptestConfig { cases: PRODUCT_CASES, failure_persistence: None, ..ProptestConfig::default() })]

    /// The extents are large enough to test loops over rows or summed labels around the matrix products, packed operands, and results in
    /// temporary buffers.
    #[test]
    fn products_of_matrices(network in products()) {
        agrees::<f64>(&network)?;
        agrees::<c64>(&network)?;
        agrees::<i64>(&network)?;
    }
}
