//! Contractions whose specification and ranks are known at run time only: the same parser, paths and kernels, and the messages
//! that the compiler would give.

use super::cache::PathCache;
use super::labelled::Bound;
use super::report::ContractionPath;
use super::run::{Given, Search, write};
use super::spec::Spec;
use crate::device::Contract;
use crate::element::Scalar;
use crate::error::Error;
use crate::layout::Layout;
use crate::ops::Constant;
use crate::order::MemoryOrder;
use crate::rank::MAX_RANK;
use crate::storage::{OwnedData, View};
use crate::strided::Strided;

/// The last path of all contractions at run time.
static PATHS: PathCache = PathCache::new();

/// Reads a specification for operands with these layouts.
///
/// # Errors
/// Where it is not one, or does not fit the operands' ranks.
pub(crate) fn parse<'s>(text: &'s str, operands: &[&Layout]) -> Result<Spec<'s>, Error> {
    let spec = Spec::parse(text, operands.len()).map_err(|error| Error::Spec { why: error.to_string() })?;
    if operands.is_empty() {
        return Err(Error::Spec { why: format!("einsum \"{text}\": there are no operands") });
    }
    let fail = |why: String| Err(Error::Spec { why: format!("einsum \"{text}\": {why}") });
    let mut ellipsis = 0;
    for (k, layout) in operands.iter().enumerate() {
        let (labels, rank) = (spec.labels(k), layout.rank());
        if labels > rank || (labels < rank && !spec.ellipsis(k)) {
            return fail(format!(
                "the specification has {labels} labels for an operand that is a tensor of `Rank<{rank}>`: \
                 an operand has one label for each axis; write a letter for each axis; `...` stands for any number of them"
            ));
        }
        ellipsis = ellipsis.max(rank - labels);
    }
    let labels = spec.labels(spec.operands());
    if spec.ellipsis(spec.operands()) && labels + ellipsis > MAX_RANK {
        return fail(format!(
            "the result cannot have {labels} labels beside an ellipsis of `Rank<{ellipsis}>`: \
             ranks run from `Rank<0>` to `Rank<16>`"
        ));
    }
    Ok(spec)
}

/// Contracts into a new tensor, dense in the order. The operands live on this instance of the device.
///
/// # Errors
/// Where axes of one label differ in length, the device has no memory left, or integers have no such result.
pub(crate) fn contract<T: Scalar, Dev: Contract<T>>(
    spec: &Spec<'_>,
    order: MemoryOrder,
    device: &Dev,
    operands: &[Strided<T, Dev, View<'_, T, Dev>>],
) -> Result<Strided<T, Dev, OwnedData<T, Dev>>, Error> {
    let layouts = operands.iter().map(Strided::layout);
    let bound = Bound::new(spec, order.is_row_major(), layouts)?;
    let labels = bound.result();
    let shape: Vec<usize> = labels.iter().map(|&label| bound.extents().of(label)).collect();
    let layout = Layout::dense(&shape, order.is_row_major());
    let mut out = Strided::allocate_as(layout, device)?;
    if labels.repeat() {
        // Beside the diagonal of a result with a repeated label there are zeros.
        device.generate(&Constant(T::zero()), out.output(&layout))?;
    }
    let given: Vec<_> = operands.iter().map(|&data| Given { data, conjugate: false }).collect();
    let search = Search { limit: None, cache: &PATHS };
    write(device, &bound, &given, search, &mut out.view_mut())?;
    Ok(out)
}

/// The sequence in which operands of these layouts would be contracted.
///
/// # Errors
/// Where axes of one label differ in length.
pub(crate) fn path(
    spec: &Spec<'_>,
    order: MemoryOrder,
    operands: &[&Layout],
) -> Result<ContractionPath, Error> {
    ContractionPath::new(spec, order.is_row_major(), operands.iter().copied(), None)
}
