//! The choice of a contraction path (`find_path`), and its description for users (`ContractionPath`).

use super::labelled::{Bound, LabelExtents};
use super::labels::{LABELS, Set};
use super::notation::symbol;
use super::path::{Method, Network, Path, TooLarge, optimise};
use super::spec::Spec;
use crate::error::Error;
use crate::rank::MAX_RANK;
use core::fmt;

/// Searches for the path with the fewest multiplications for operands with these labels. Each intermediate of the path has at most
/// `limit` elements. Also returns the method of the search.
///
/// # Errors
/// The reason, as text, if every path that was found has an intermediate that is too large or has more than 16 axes.
pub(super) fn find_path(
    operands: &[Set],
    result: Set,
    extents: &LabelExtents,
    limit: Option<usize>,
) -> Result<(Path, Method), String> {
    let network = Network { operands, output: result, extents: extents.all() };
    optimise(&network, limit.map(|limit| limit as f64), MAX_RANK).map_err(|TooLarge { smallest }| match limit {
        Some(limit) if smallest > limit as f64 => format!(
            "every contraction order that was tried needs an intermediate larger than the limit of {limit} elements: the smallest \
             that was found has {smallest}; raise the limit, or contract a part of the operands first"
        ),
        _ => "every contraction order that was tried needs an intermediate with more than 16 axes; contract a part of the operands \
              first"
            .into(),
    })
}

/// The order in which [`einsum!`](crate::einsum!) contracts operands of given shapes, pair by pair.
/// [`einsum_path!`](crate::einsum_path!) returns it. `Display` prints it as a table with one row for each step.
#[derive(Debug, Clone, PartialEq)]
pub struct ContractionPath {
    spec: String,
    shapes: Vec<Vec<usize>>,
    steps: Vec<ContractionStep>,
    method: &'static str,
    multiplications: f64,
    /// The number of multiplications of one loop nest over all labels that multiplies all operands at once.
    unordered: f64,
    /// The number of elements of the largest intermediate.
    largest: f64,
}

/// One pairwise contraction.
#[derive(Debug, Clone, PartialEq)]
pub struct ContractionStep {
    /// The numbers of the two operands. The given operands are numbered from 0. The results of the steps have the numbers that
    /// follow.
    pub operands: [usize; 2],
    /// The step as a specification of its own, such as `ij,jk->ik`. Axes of an ellipsis are written as digits. Axes of extent 1 are
    /// left out.
    pub spec: String,
    /// The number of multiplications: the product of the extents of all labels in `spec`.
    pub multiplications: f64,
    /// The number of elements of the result.
    pub elements: f64,
}

impl ContractionPath {
    /// Returns the pairwise contractions in the order of their execution: none for a single operand.
    #[must_use]
    pub fn steps(&self) -> &[ContractionStep] {
        &self.steps
    }

    /// Returns the number of multiplications of all steps together. A label that occurs in one operand only, and not in the result,
    /// is summed beforehand. It does not count here.
    #[must_use]
    pub fn multiplications(&self) -> f64 {
        self.multiplications
    }

    /// Returns the number of floating-point operations of all steps together, for real elements: twice the number of
    /// [`multiplications`](ContractionPath::multiplications), as each product is added to a sum. Complex elements need more
    /// operations.
    #[must_use]
    pub fn flops(&self) -> f64 {
        2.0 * self.multiplications
    }

    /// Returns the number of elements of the largest intermediate, or 0 if there is none. Operands and the final result do not
    /// count.
    #[must_use]
    pub fn largest_intermediate(&self) -> f64 {
        self.largest
    }

    /// Finds the path for operands of these shapes. Each intermediate has at most `limit` elements.
    pub(crate) fn new<'l>(
        spec: &Spec<'_>,
        row_major: bool,
        shapes: impl Iterator<Item = &'l [usize]> + Clone,
        limit: Option<usize>,
    ) -> Result<ContractionPath, Error> {
        let bound = Bound::new(spec, row_major, shapes.clone())?;
        let extents = bound.extents();
        let sets: Vec<Set> = shapes.clone().enumerate().map(|(k, shape)| bound.set(k, shape)).collect();
        let result =
            bound.result().iter().filter(|&&l| extents.of(l) != 1).fold(0, |set, label| set | 1 << label);
        let (path, method) =
            find_path(&sets, result, extents, limit).map_err(|reason| bound.error(shapes.clone(), reason))?;
        let size = |set: Set| -> f64 { labels(set).map(|label| extents.of(label) as f64).product() };
        let mut all = sets.clone();
        let steps = path.steps.iter().map(|step| {
            let (left, right) = (all[step.left], all[step.right]);
            all.push(step.labels);
            ContractionStep {
                operands: [step.left, step.right],
                spec: format!("{},{}->{}", written(left), written(right), written(step.labels)),
                multiplications: size(left | right),
                elements: size(step.labels),
            }
        });
        Ok(ContractionPath {
            spec: spec.text().to_string(),
            shapes: shapes.map(<[usize]>::to_vec).collect(),
            steps: steps.collect(),
            method: match method {
                Method::Exact => "exact",
                Method::Greedy => "greedy",
            },
            multiplications: path.multiplications,
            unordered: size(sets.iter().fold(0, |all, set| all | set)) * (sets.len() as f64 - 1.0),
            largest: path.largest,
        })
    }
}

fn labels(set: Set) -> impl Iterator<Item = u8> {
    (0..LABELS as u8).filter(move |label| set & (1 << label) != 0)
}

fn written(set: Set) -> String {
    labels(set).map(symbol).collect()
}

impl fmt::Display for ContractionPath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let shapes: Vec<_> = self.shapes.iter().map(|shape| format!("{shape:?}")).collect();
        writeln!(f, "{}  over  {}", self.spec, shapes.join(" "))?;
        writeln!(f, "{:>4}  {:>9}  {:>14}  {:>14}  pair", "step", "operands", "multiplications", "elements")?;
        for (k, step) in self.steps.iter().enumerate() {
            let [a, b] = step.operands;
            let (pair, count, size) = (format!("{a}, {b}"), step.multiplications, step.elements);
            writeln!(
                f,
                "{:>4}  {pair:>9}  {count:>14.3e}  {size:>14.3e}  {}",
                k + self.shapes.len(),
                step.spec
            )?;
        }
        write!(
            f,
            "{} order: {:.3e} multiplications (unoptimised: {:.3e}), largest intermediate {:.3e} elements",
            self.method, self.multiplications, self.unordered, self.largest
        )
    }
}
