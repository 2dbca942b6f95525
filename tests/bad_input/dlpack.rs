//! The row of the bad-input table (see `bad_input/mod.rs`) for exports to DLPack and imports from DLPack.

use super::array::copy;
use super::driver::{Call, Row};
use super::hazards::countable;
use super::operand::ToArray;
use super::{at_rank, done, elementwise::ONE};
use vierbein::Error;
use vierbein::interop::dlpack::{DLManagedTensorVersioned, Dlpack};
use vierbein::prelude::*;

/// Returns the row. Its operation exports a tensor, views the exported memory, and imports it as a tensor again.
pub(crate) fn row() -> Row {
    Call {
        names: &[
            "into_dlpack",
            "interop::dlpack::Dlpack::into_tensor",
            "interop::dlpack::Dlpack::view",
            "interop::dlpack::Dlpack::view_mut",
            "interop::dlpack::Dlpack::to_dyn_tensor",
            "interop::dlpack::Dlpack::from_raw",
            "interop::dlpack::Dlpack::into_raw",
        ],
        operands: countable,
        run: |o, _| {
            at_rank!(o, x: view, [0 1 2 16], {
                let x = x.to_owned();
                done!(try round_trip(x.clone()))
            })
        },
        expected: |a, _| copy(&a[0]),
        ..ONE
    }
    .into()
}

fn round_trip<const N: usize>(x: Tensor<f64, Rank<N>>) -> Result<Tensor<f64, Rank<N>>, Error>
where
    Rank<N>: Dim<Shape = [usize; N], Strides = [isize; N]>,
{
    let expected = x.array();
    let raw = x.into_dlpack().into_raw();
    // SAFETY: `raw` comes from `into_raw` in the line above, so it is a valid exported tensor. It is imported only here. `x` was moved into
    // the export, so only the import accesses the elements.
    let mut given = unsafe { Dlpack::<DLManagedTensorVersioned>::from_raw(raw) }?;
    assert!(given.view::<f64, Rank<N>, RowMajor, Cpu>()?.array().is(&expected));
    assert!(given.view_mut::<f64, Rank<N>, RowMajor, Cpu>()?.array().is(&expected));
    assert_eq!(given.to_dyn_tensor(vierbein::MemoryOrder::RowMajor)?.shape(), &expected.shape[..]);
    given.into_tensor().map_err(Error::from)
}
