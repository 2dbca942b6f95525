//! Export to DLPack and import from it.

use super::array::copy;
use super::driver::{Call, Row};
use super::hazards::countable;
use super::operand::ToArray;
use super::{at_rank, done, elementwise::ONE};
use vierbein::Error;
use vierbein::interop::dlpack::{DLManagedTensorVersioned, Dlpack};
use vierbein::prelude::*;

/// Exports a tensor, views it through the import, and imports it again.
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
    // SAFETY: `raw` comes from `into_raw` just above, and is imported only once.
    let mut given = unsafe { Dlpack::<DLManagedTensorVersioned>::from_raw(raw) }?;
    assert!(given.view::<f64, Rank<N>, RowMajor, Cpu>()?.array().is(&expected));
    // SAFETY: nothing else accesses the memory: the tensor was moved into the export.
    assert!(given.view_mut::<f64, Rank<N>, RowMajor, Cpu>()?.array().is(&expected));
    assert_eq!(given.to_dyn_tensor(vierbein::MemoryOrder::RowMajor)?.shape(), &expected.shape[..]);
    given.into_tensor().map_err(Error::from)
}
