//! Scaling of the sums of a register tile by `alpha`, with the signs of conjugation, and addition of `beta · c`.

use crate::device::cpu::kernels::gemm::product::RealScaling;
use crate::simd::vector::FloatVector;
use num_traits::{One, Zero};

/// The scaling factors as vectors, multiplied by the signs that conjugation causes.
#[derive(Debug, Clone, Copy)]
pub(super) struct Scale<V: FloatVector> {
    pub(super) scaling: RealScaling<V::Real>,
    /// The factor of `plain` (see the module `tile`): the sign of each lane, multiplied by `alpha` if `alpha` is real.
    plain: V,
    /// The factor of `swap_pairs(swapped)` (see the module `tile`): the sign of each lane, multiplied by `alpha` if `alpha` is real.
    swapped: V,
    /// The factor of the sums of [`of_joint_sums`](super::tile::MicroTile): the sign of each lane, multiplied by `alpha` if `alpha` is real.
    pub(super) joint: V,
    /// -0 in each lane if exactly one operand is conjugated, otherwise 0.
    pub(super) flip: V,
    /// If `alpha` is not real: its real part, and its imaginary part with alternating signs. The sum is then multiplied by `alpha` in a
    /// second step.
    turn: Option<[V; 2]>,
    /// The real part of `beta`.
    beta: V,
    /// The imaginary part of `beta`, with alternating signs, if it is not zero.
    beta_turn: Option<V>,
    /// Whether `c` is read. It is not read if `beta` is zero.
    pub(super) reads: bool,
}

impl<V: FloatVector> Scale<V> {
    /// Broadcasts `scaling` to vectors. Uses `zero` only to create vectors: its existence proves that the processor has the
    /// instruction set.
    #[inline(always)]
    pub(super) fn new(zero: V, scaling: RealScaling<V::Real>, complex: bool) -> Self {
        let RealScaling { alpha: [alpha, alpha_im], beta: [beta, beta_im], conjugate: [a, b] } = scaling;
        let reads = scaling.reads();
        if !complex {
            let (alpha, beta) = (zero.splat(alpha), zero.splat(beta));
            return Scale {
                scaling,
                plain: alpha,
                swapped: alpha,
                joint: alpha,
                flip: zero,
                turn: None,
                beta,
                beta_turn: None,
                reads,
            };
        }
        let turns = !alpha_im.is_zero();
        let weight = if turns { V::Real::one() } else { alpha };
        let signed = |minus: bool| if minus { -weight } else { weight };
        let turn = |im: V::Real| zero.alternating(-im, im);
        Scale {
            scaling,
            plain: zero.alternating(weight, signed(a)),
            swapped: zero.alternating(signed(a == b), signed(b)),
            joint: zero.alternating(-weight, signed(a)),
            flip: zero.splat(if a == b { V::Real::zero() } else { -V::Real::zero() }),
            turn: if turns { Some([zero.splat(alpha), turn(alpha_im)]) } else { None },
            beta: zero.splat(beta),
            beta_turn: if beta_im.is_zero() { None } else { Some(turn(beta_im)) },
            reads,
        }
    }

    /// Returns the sums of one column, multiplied by `alpha`. A complex column has two columns of sums, `plain` and `swapped`. For a real
    /// column, `swapped` is not used.
    #[inline(always)]
    pub(super) fn scaled<const COMPLEX: bool, const VECTORS: usize>(
        &self,
        [mut sums, swapped]: [[V; VECTORS]; 2],
    ) -> [V; VECTORS] {
        for i in 0..VECTORS {
            sums[i] = sums[i].mul(self.plain);
            if COMPLEX {
                sums[i] = swapped[i].swap_pairs().mul_add(self.swapped, sums[i]);
            }
        }
        if COMPLEX { self.turned(sums) } else { sums }
    }

    /// Multiplies complex sums by `alpha`, unless it is real and has been applied with the signs.
    #[inline(always)]
    pub(super) fn turned<const VECTORS: usize>(&self, mut sums: [V; VECTORS]) -> [V; VECTORS] {
        if let Some([re, im]) = self.turn {
            for sum in &mut sums {
                *sum = sum.swap_pairs().mul_add(im, sum.mul(re));
            }
        }
        sums
    }
}

/// Adds `beta · c` to the scaled sums of one column, and writes the result to `c`.
///
/// # Safety
/// The caller must ensure:
/// * The processor has the instruction set of `V`.
/// * `VECTORS` contiguous vectors are exclusive to the caller from `to` on. Of the last vector, this is required only for the
///   lanes that `last` selects, unless `WHOLE`.
#[inline(always)]
pub(super) unsafe fn finish<V: FloatVector, const COMPLEX: bool, const VECTORS: usize, const WHOLE: bool>(
    scale: &Scale<V>,
    sums: [V; VECTORS],
    to: *mut V::Real,
    last: V::Mask,
) {
    for (i, mut sum) in sums.into_iter().enumerate() {
        let to = to.wrapping_add(i * V::LANES);
        let whole = WHOLE || i < VECTORS - 1;
        if scale.reads {
            let old = if whole {
                // SAFETY: this vector is before the last, or `WHOLE`. The caller ensures exclusive access to the numbers of all its lanes.
                unsafe { V::load(to) }
            } else {
                // SAFETY: this is the last vector. The caller ensures exclusive access to the numbers of the lanes that `last` selects.
                unsafe { V::load_some(to, last) }
            };
            sum = old.mul_add(scale.beta, sum);
            if COMPLEX && let Some(im) = scale.beta_turn {
                sum = old.swap_pairs().mul_add(im, sum);
            }
        }
        if whole {
            // SAFETY: this vector is before the last, or `WHOLE`. The caller ensures exclusive access to the numbers of all its lanes.
            unsafe { sum.store(to) };
        } else {
            // SAFETY: this is the last vector. The caller ensures exclusive access to the numbers of the lanes that `last` selects.
            unsafe { sum.store_some(to, last) };
        }
    }
}
