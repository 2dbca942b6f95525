//! Random tensors, from any distribution of the `rand` crate family.

use crate::device::Device;
use crate::element::Element;
use crate::error::{Error, unwrap_or_panic};
use crate::order::Order;
use crate::rank::{Dim, IntoShape};
use crate::tensor::Tensor;
use rand::Rng;
use rand::distr::Distribution;
use rand_distr::StandardNormal;

impl<T: Element, D: Dim, O: Order, Dev: Device> Tensor<T, D, O, Dev> {
    /// Returns samples of a distribution, drawn in memory order. Two generators in the same state give the same tensor.
    ///
    /// Uniform distributions are in the module `rand::distr`, and other distributions in the crate `rand_distr`. The generator and the
    /// distribution must implement the traits of `rand` 0.10. The distributions of `rand_distr` 0.6 implement them. For samples of the
    /// standard normal distribution, see [`randn`](Tensor::randn).
    ///
    /// # Panics
    /// If the shape exceeds the address space, or the allocation fails.
    ///
    /// ```
    /// use rand::{SeedableRng, distr::StandardUniform, rngs::StdRng};
    /// use vierbein::Tensor;
    /// let mut rng = StdRng::seed_from_u64(1);
    /// let x = Tensor::<f64, _>::random([2, 3], StandardUniform, &mut rng);
    /// assert!(x.iter().all(|&v| (0.0..1.0).contains(&v)));
    /// ```
    #[doc(alias = "rand")]
    #[track_caller]
    pub fn random<Sh, Di, R>(shape: Sh, distribution: Di, rng: &mut R) -> Self
    where
        Sh: IntoShape<Dim = D>,
        Di: Distribution<T>,
        R: Rng + ?Sized,
        Dev: Default,
    {
        unwrap_or_panic(Self::try_random(shape, distribution, rng))
    }

    /// Fallible variant of [`random`](Tensor::random).
    ///
    /// # Errors
    /// If the shape exceeds the address space, or the allocation fails.
    pub fn try_random<Sh, Di, R>(shape: Sh, distribution: Di, rng: &mut R) -> Result<Self, Error>
    where
        Sh: IntoShape<Dim = D>,
        Di: Distribution<T>,
        R: Rng + ?Sized,
        Dev: Default,
    {
        Self::try_random_in(shape, distribution, rng, &Dev::default())
    }

    /// Returns samples of the standard normal distribution (mean 0, variance 1), drawn in memory order. Two generators in the same state
    /// give the same tensor. The element type is `f32` or `f64`.
    ///
    /// # Panics
    /// If the shape exceeds the address space, or the allocation fails.
    ///
    /// ```
    /// use rand::{SeedableRng, rngs::StdRng};
    /// use vierbein::Tensor;
    /// let mut rng = StdRng::seed_from_u64(1);
    /// let x = Tensor::<f64, _>::randn([10_000], &mut rng);
    /// assert!(x.mean().item().abs() < 0.05 && (x.var(0).item() - 1.0).abs() < 0.1);
    /// ```
    #[doc(alias = "normal")]
    #[track_caller]
    pub fn randn<Sh, R>(shape: Sh, rng: &mut R) -> Self
    where
        Sh: IntoShape<Dim = D>,
        StandardNormal: Distribution<T>,
        R: Rng + ?Sized,
        Dev: Default,
    {
        unwrap_or_panic(Self::try_randn(shape, rng))
    }

    /// Fallible variant of [`randn`](Tensor::randn).
    ///
    /// # Errors
    /// If the shape exceeds the address space, or the allocation fails.
    pub fn try_randn<Sh, R>(shape: Sh, rng: &mut R) -> Result<Self, Error>
    where
        Sh: IntoShape<Dim = D>,
        StandardNormal: Distribution<T>,
        R: Rng + ?Sized,
        Dev: Default,
    {
        Self::try_random(shape, StandardNormal, rng)
    }

    /// Fallible variant of [`random`](Tensor::random) on a given device.
    ///
    /// # Errors
    /// If the shape exceeds the address space, or the allocation fails.
    pub fn try_random_in<Sh, Di, R>(
        shape: Sh,
        distribution: Di,
        rng: &mut R,
        device: &Dev,
    ) -> Result<Self, Error>
    where
        Sh: IntoShape<Dim = D>,
        Di: Distribution<T>,
        R: Rng + ?Sized,
    {
        Self::written_on_host(shape.into_shape(), |data| draw(data, &distribution, rng), device)
    }
}

/// Overwrites `data` with samples. The compiler keeps the generator's state in registers only if it knows that `data` and `rng` do not
/// overlap. It knows this of the arguments of a function, but loses it when it inlines the function.
#[inline(never)]
fn draw<T>(data: &mut [T], distribution: &impl Distribution<T>, rng: &mut (impl Rng + ?Sized)) {
    for value in data {
        *value = distribution.sample(rng);
    }
}
