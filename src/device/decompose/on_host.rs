//! The default bodies of [`Decompose`]: they copy the matrices to the host, decompose them there, and copy the results back. A device that
//! overrides a method calls the default body for matrices that it cannot decompose itself.

use super::{Decompose, LinalgElement, Structure};
use crate::device::{Cpu, Device, MatrixOperand, Output, via_host};
use crate::element::Element;
use crate::error::Error;

pub(in crate::device) fn svd<T: LinalgElement, Dev: Device>(
    device: &Dev,
    s: Output<'_, T::Magnitude, Dev>,
    vectors: Option<[Output<'_, T, Dev>; 2]>,
    a: MatrixOperand<'_, T, Dev>,
) -> Result<(), Error> {
    let host = fetched(device, &a)?;
    let Some([u, vh]) = vectors else {
        return via_host::write_with(device, s, |s| Cpu.svd(s, None, host.matrices()));
    };
    via_host::write_with(device, s, |s| {
        via_host::write_with(device, u, |u| {
            via_host::write_with(device, vh, |vh| Cpu.svd(s, Some([u, vh]), host.matrices()))
        })
    })
}

pub(in crate::device) fn eigh<T: LinalgElement, Dev: Device>(
    device: &Dev,
    w: Output<'_, T::Magnitude, Dev>,
    v: Option<Output<'_, T, Dev>>,
    a: MatrixOperand<'_, T, Dev>,
) -> Result<(), Error> {
    let host = fetched(device, &a)?;
    via_host::write_with(device, w, |w| write_optional(device, v, |v| Cpu.eigh(w, v, host.matrices())))
}

pub(in crate::device) fn eig<T: LinalgElement, Dev: Device>(
    device: &Dev,
    w: Output<'_, T::Complex, Dev>,
    v: Option<Output<'_, T::Complex, Dev>>,
    a: MatrixOperand<'_, T, Dev>,
) -> Result<(), Error> {
    let host = fetched(device, &a)?;
    via_host::write_with(device, w, |w| write_optional(device, v, |v| Cpu.eig(w, v, host.matrices())))
}

pub(in crate::device) fn schur<T: LinalgElement, Dev: Device>(
    device: &Dev,
    t: Output<'_, T, Dev>,
    z: Output<'_, T, Dev>,
    a: MatrixOperand<'_, T, Dev>,
) -> Result<(), Error> {
    let host = fetched(device, &a)?;
    via_host::write_with(device, t, |t| via_host::write_with(device, z, |z| Cpu.schur(t, z, host.matrices())))
}

pub(in crate::device) fn qr<T: LinalgElement, Dev: Device>(
    device: &Dev,
    q: Option<Output<'_, T, Dev>>,
    r: Output<'_, T, Dev>,
    a: MatrixOperand<'_, T, Dev>,
) -> Result<(), Error> {
    let host = fetched(device, &a)?;
    via_host::write_with(device, r, |r| write_optional(device, q, |q| Cpu.qr(q, r, host.matrices())))
}

pub(in crate::device) fn lu<T: LinalgElement, Dev: Device>(
    device: &Dev,
    lu: Output<'_, T, Dev>,
    rows: Output<'_, i64, Dev>,
    a: MatrixOperand<'_, T, Dev>,
) -> Result<(), Error> {
    let host = fetched(device, &a)?;
    via_host::write_with(device, lu, |lu| {
        via_host::write_with(device, rows, |rows| Cpu.lu(lu, rows, host.matrices()))
    })
}

pub(in crate::device) fn ldl<T: LinalgElement, Dev: Device>(
    device: &Dev,
    l: Output<'_, T, Dev>,
    d: Output<'_, T, Dev>,
    rows: Output<'_, i64, Dev>,
    a: MatrixOperand<'_, T, Dev>,
) -> Result<(), Error> {
    let host = fetched(device, &a)?;
    via_host::write_with(device, l, |l| {
        via_host::write_with(device, d, |d| {
            via_host::write_with(device, rows, |rows| Cpu.ldl(l, d, rows, host.matrices()))
        })
    })
}

pub(in crate::device) fn cholesky<T: LinalgElement, Dev: Device>(
    device: &Dev,
    l: Output<'_, T, Dev>,
    a: MatrixOperand<'_, T, Dev>,
) -> Result<(), Error> {
    let host = fetched(device, &a)?;
    via_host::write_with(device, l, |l| Cpu.cholesky(l, host.matrices()))
}

pub(in crate::device) fn solve<T: LinalgElement, Dev: Device>(
    device: &Dev,
    structure: Structure,
    b: Output<'_, T, Dev>,
    a: MatrixOperand<'_, T, Dev>,
) -> Result<(), Error> {
    let host = fetched(device, &a)?;
    via_host::update_with(device, b, |b| Cpu.solve(structure, b, host.matrices()))
}

/// The matrices of an operand, copied to the host.
struct FetchedMatrices<T> {
    elements: via_host::Fetched<T>,
    conjugate: bool,
}

impl<T: Element> FetchedMatrices<T> {
    fn matrices(&self) -> MatrixOperand<'_, T, Cpu> {
        MatrixOperand { operand: self.elements.operand(), conjugate: self.conjugate }
    }
}

fn fetched<T: Element, Dev: Device>(
    device: &Dev,
    a: &MatrixOperand<'_, T, Dev>,
) -> Result<FetchedMatrices<T>, Error> {
    Ok(FetchedMatrices { elements: via_host::fetch(device, a.operand)?, conjugate: a.conjugate })
}

/// Calls [`via_host::write_with`] if there is an output, otherwise only `kernel`.
fn write_optional<T: Element, Dev: Device>(
    device: &Dev,
    out: Option<Output<'_, T, Dev>>,
    kernel: impl FnOnce(Option<Output<'_, T, Cpu>>) -> Result<(), Error>,
) -> Result<(), Error> {
    match out {
        Some(out) => via_host::write_with(device, out, |out| kernel(Some(out))),
        None => kernel(None),
    }
}
