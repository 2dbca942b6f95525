//! The methods of `Decompose` for operands and outputs in host memory: operands are copied to the GPU with the same strides, and outputs
//! are copied back.

use vierbein::device::{Cpu, Device, MatrixOperand, Operand, Output};
use vierbein::linalg::{Decompose, LinalgElement, Structure};
use vierbein::{Cuda, Element, Error};

type Buffer<T> = <Cuda as Device>::Buffer<T>;

/// The first GPU.
#[derive(Debug, Clone, Copy)]
pub(super) struct ThroughGpu;

/// Returns the range of memory offsets of the elements, relative to the element at index 0.
fn span(shape: &[usize], strides: &[isize]) -> core::ops::Range<isize> {
    if shape.contains(&0) {
        return 0..0;
    }
    let ends = shape.iter().zip(strides).map(|(&n, &stride)| (n as isize - 1) * stride);
    ends.clone().map(|end| end.min(0)).sum()..ends.map(|end| end.max(0)).sum::<isize>() + 1
}

/// Copies the memory of an operand to the GPU, including the gaps between its elements. Returns the buffer, and the offset of index
/// 0 in it.
fn copied<T: Element>(operand: Operand<'_, T, Cpu>) -> Result<(Buffer<T>, isize), Error> {
    let span = span(operand.shape(), operand.strides());
    let first = operand.ptr().offset(span.start).get();
    let len = span.len();
    // SAFETY: in these tests, every operand is in a vector. `span` is within this vector, to which nothing writes during the call.
    let memory = if len == 0 { &[] } else { unsafe { core::slice::from_raw_parts(first, len) } };
    let device = Cuda::<0>::default();
    let mut buffer = device.alloc::<T>(len)?;
    if len > 0 {
        // SAFETY: the new buffer has `len` elements, and nothing else accesses it.
        unsafe { device.write(memory, Cuda::<0>::ptr_mut(&mut buffer))? };
    }
    Ok((buffer, -span.start))
}

fn with_operand<T: LinalgElement, R>(
    a: MatrixOperand<'_, T, Cpu>,
    f: impl FnOnce(MatrixOperand<'_, T, Cuda>) -> Result<R, Error>,
) -> Result<R, Error> {
    let (buffer, first) = copied(a.operand)?;
    let at = Cuda::<0>::offset(Cuda::<0>::ptr(&buffer), first);
    // SAFETY: the buffer has an element for each index of the shape, and nothing writes to it during the call.
    let operand = unsafe { Operand::from_raw(at, a.operand.shape(), a.operand.strides()) };
    f(MatrixOperand { operand, conjugate: a.conjugate })
}

/// Calls `f` with a copy of the output on the GPU, and copies the result back. Asserts that `f` does not change the gaps between
/// the elements.
fn with_output<T: Element, R>(
    out: Output<'_, T, Cpu>,
    f: impl FnOnce(Output<'_, T, Cuda>) -> Result<R, Error>,
) -> Result<R, Error> {
    let (mut buffer, first) = copied(out.as_operand())?;
    let at = Cuda::<0>::offset(Cuda::<0>::ptr_mut(&mut buffer), first);
    // SAFETY: the buffer has an element for each index of the shape, and nothing else accesses it during the call.
    let result = f(unsafe { Output::from_raw(at, out.shape(), out.strides()) })?;
    let len = Cuda::<0>::len(&buffer);
    let mut back = vec![T::default(); len];
    if len > 0 {
        // SAFETY: the buffer has `len` elements, and nothing writes to it.
        unsafe { Cuda::<0>::default().read(Cuda::<0>::ptr(&buffer), &mut back)? };
    }
    let own = offsets(out.shape(), out.strides());
    for (at, &x) in (-first..).zip(&back) {
        let to = out.ptr().offset(at).get();
        // SAFETY: `to` is within the memory that `copied` read, so it is initialised and may be read.
        let before = unsafe { to.read() };
        if own.contains(&at) {
            // SAFETY: `own` contains `at`, so this is an element of the output, to which access is exclusive.
            unsafe { to.write(x) };
        } else {
            assert!(x == before, "an element between those of the output changed");
        }
    }
    Ok(result)
}

fn offsets(shape: &[usize], strides: &[isize]) -> std::collections::HashSet<isize> {
    shape.iter().zip(strides).fold([0].into(), |all, (&n, &stride)| {
        all.iter().flat_map(|at| (0..n as isize).map(move |i| at + i * stride)).collect()
    })
}

fn with_optional<T: Element, R>(
    out: Option<Output<'_, T, Cpu>>,
    f: impl FnOnce(Option<Output<'_, T, Cuda>>) -> Result<R, Error>,
) -> Result<R, Error> {
    match out {
        Some(out) => with_output(out, |out| f(Some(out))),
        None => f(None),
    }
}

impl ThroughGpu {
    pub(super) fn svd<T: LinalgElement>(
        self,
        s: Output<'_, T::Magnitude, Cpu>,
        vectors: Option<[Output<'_, T, Cpu>; 2]>,
        a: MatrixOperand<'_, T, Cpu>,
    ) -> Result<(), Error> {
        with_output(s, |s| {
            with_operand(a, |a| match vectors {
                None => Cuda::<0>::default().svd(s, None, a),
                Some([u, vh]) => {
                    with_output(u, |u| with_output(vh, |vh| Cuda::<0>::default().svd(s, Some([u, vh]), a)))
                }
            })
        })
    }

    pub(super) fn eigh<T: LinalgElement>(
        self,
        w: Output<'_, T::Magnitude, Cpu>,
        v: Option<Output<'_, T, Cpu>>,
        a: MatrixOperand<'_, T, Cpu>,
    ) -> Result<(), Error> {
        with_output(w, |w| with_optional(v, |v| with_operand(a, |a| Cuda::<0>::default().eigh(w, v, a))))
    }

    pub(super) fn eig<T: LinalgElement>(
        self,
        w: Output<'_, T::Complex, Cpu>,
        v: Option<Output<'_, T::Complex, Cpu>>,
        a: MatrixOperand<'_, T, Cpu>,
    ) -> Result<(), Error> {
        with_output(w, |w| with_optional(v, |v| with_operand(a, |a| Cuda::<0>::default().eig(w, v, a))))
    }

    pub(super) fn schur<T: LinalgElement>(
        self,
        t: Output<'_, T, Cpu>,
        z: Output<'_, T, Cpu>,
        a: MatrixOperand<'_, T, Cpu>,
    ) -> Result<(), Error> {
        with_output(t, |t| with_output(z, |z| with_operand(a, |a| Cuda::<0>::default().schur(t, z, a))))
    }

    pub(super) fn qr<T: LinalgElement>(
        self,
        q: Option<Output<'_, T, Cpu>>,
        r: Output<'_, T, Cpu>,
        a: MatrixOperand<'_, T, Cpu>,
    ) -> Result<(), Error> {
        with_output(r, |r| with_optional(q, |q| with_operand(a, |a| Cuda::<0>::default().qr(q, r, a))))
    }

    pub(super) fn lu<T: LinalgElement>(
        self,
        lu: Output<'_, T, Cpu>,
        rows: Output<'_, i64, Cpu>,
        a: MatrixOperand<'_, T, Cpu>,
    ) -> Result<(), Error> {
        with_output(lu, |lu| {
            with_output(rows, |rows| with_operand(a, |a| Cuda::<0>::default().lu(lu, rows, a)))
        })
    }

    pub(super) fn ldl<T: LinalgElement>(
        self,
        l: Output<'_, T, Cpu>,
        d: Output<'_, T, Cpu>,
        rows: Output<'_, i64, Cpu>,
        a: MatrixOperand<'_, T, Cpu>,
    ) -> Result<(), Error> {
        with_output(l, |l| {
            with_output(d, |d| {
                with_output(rows, |rows| with_operand(a, |a| Cuda::<0>::default().ldl(l, d, rows, a)))
            })
        })
    }

    pub(super) fn cholesky<T: LinalgElement>(
        self,
        l: Output<'_, T, Cpu>,
        a: MatrixOperand<'_, T, Cpu>,
    ) -> Result<(), Error> {
        with_output(l, |l| with_operand(a, |a| Cuda::<0>::default().cholesky(l, a)))
    }

    pub(super) fn solve<T: LinalgElement>(
        self,
        structure: Structure,
        b: Output<'_, T, Cpu>,
        a: MatrixOperand<'_, T, Cpu>,
    ) -> Result<(), Error> {
        with_output(b, |b| with_operand(a, |a| Cuda::<0>::default().solve(structure, b, a)))
    }
}
