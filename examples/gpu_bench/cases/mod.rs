//! The benchmark cases. Each case is an expression. The host evaluates it to get the expected result. On the GPU, its
//! result is compared with the expected one, and its evaluation is timed.

use crate::Bench;
use crate::direct::{Blas, Near};
use rayon::prelude::*;
use std::error::Error;
use vierbein::prelude::*;
use vierbein::{CastTo, Inexact};

type Fallible = Result<(), Box<dyn Error>>;

/// Returns a pseudorandom integer between -2000 and 2095 for an index, as a number of type `T`.
fn value<T: Scalar>(i: usize) -> T {
    let hash = (i as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 52;
    (hash as i32 - 2000).cast_to()
}

/// Returns whether the cases with the largest operands run for the element type: only for `f64`, because copies of such operands from and
/// to the host take most of the time of a run.
fn runs_largest<T: Scalar>() -> bool {
    T::DTYPE == vierbein::DType::F64
}

/// Returns a contiguous row-major tensor with [`value`] of each flat index.
fn filled<T: Scalar, const N: usize>(shape: [usize; N]) -> Tensor<T, Rank<N>>
where
    Rank<N>: Dim<Shape = [usize; N]>,
    [usize; N]: vierbein::IntoShape<Dim = Rank<N>>,
{
    let len: usize = shape.iter().product();
    Tensor::from_vec(shape, (0..len).into_par_iter().map(value).collect())
}

/// Returns an error if the GPU's result differs from the host's by more than rounding errors, which depend on the summation order.
fn differ<T: Near + Scalar, D: Dim>(
    gpu: &Tensor<T, D, RowMajor, Cuda>,
    host: &Tensor<T, D>,
) -> Result<(), String> {
    let gpu = gpu.to_device::<Cpu>().map_err(|error| error.to_string())?;
    if gpu.shape() != host.shape() {
        return Err(format!("shape {:?}, not {:?}", gpu.shape(), host.shape()));
    }
    let typical = host.iter().map(|x| x.size()).sum::<f64>() / host.len().max(1) as f64;
    for (k, (&x, &y)) in gpu.iter().zip(host.iter()).enumerate() {
        let off = (x - y).size();
        if off.is_nan() || off > T::TOLERANCE * (y.size() + typical) {
            return Err(format!("element {k} is {x}, not {y}"));
        }
    }
    Ok(())
}

/// Runs one case. Its operands are created on the host and copied to the GPU, and the same expression is evaluated on both.
/// `$amount` is the number of bytes or operations: see `Limit`.
macro_rules! case {
    ($bench:ident, $T:ident, $name:expr, $amount:expr, $limit:expr, [$($x:ident = $make:expr),*], $result:expr) => {
        if $bench.wanted($name) {
            $(let $x = $make;)*
            let host = if $bench.once { None } else { Some($result) };
            $(let $x = $x.to_device::<Cuda>()?;)*
            match host.map_or_else(|| { drop($result); Ok(()) }, |host| differ(&$result, &host)) {
                Ok(()) if $bench.once => {}
                Err(why) => $bench.wrong($name, $T::DTYPE.name(), &why),
                Ok(()) => {
                    let times = $bench.time(|| drop($result))?;
                    $bench.report($name, $T::DTYPE.name(), $amount as f64, $limit, times, None);
                }
            }
        }
    };
    // The variant for an expression `$write` that writes to a preallocated output `$out`.
    ($bench:ident, $T:ident, $name:expr, $amount:expr, $limit:expr, [$($x:ident = $make:expr),*], into $out:ident = $start:expr, $write:expr) => {
        if $bench.wanted($name) {
            $(let $x = $make;)*
            let host = if $bench.once { None } else { Some({ let mut $out = $start; $write; $out }) };
            $(let $x = $x.to_device::<Cuda>()?;)*
            let mut $out = $start.to_device::<Cuda>()?;
            $write;
            match host.map_or(Ok(()), |host| differ(&$out, &host)) {
                Ok(()) if $bench.once => {}
                Err(why) => $bench.wrong($name, $T::DTYPE.name(), &why),
                Ok(()) => {
                    let times = $bench.time(|| { $write; })?;
                    $bench.report($name, $T::DTYPE.name(), $amount as f64, $limit, times, None);
                }
            }
        }
    };
}

mod contractions;
mod elementwise;
mod permutes;
mod reductions;
mod traces;

/// Bounds that all cases need.
pub(crate) trait Number: Inexact + Blas + CastTo<Self::Float> {}
impl<T: Inexact + Blas + CastTo<T::Float>> Number for T {}

/// Runs all cases of an element type.
pub(crate) fn rows<T: Number>(bench: &mut Bench) -> Fallible
where
    Cuda: Backend<T>,
    Cpu: Backend<T>,
{
    elementwise::rows::<T>(bench)?;
    permutes::rows::<T>(bench)?;
    reductions::rows::<T>(bench)?;
    traces::rows::<T>(bench)?;
    contractions::rows::<T>(bench)
}

/// Runs the cases for real numbers.
pub(crate) fn rows_of_reals<T: Number + RealScalar>(bench: &mut Bench) -> Fallible
where
    Cuda: Backend<T>,
    Cpu: Backend<T>,
{
    reductions::rows_of_reals::<T>(bench)
}
