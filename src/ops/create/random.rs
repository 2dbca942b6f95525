//! Random tensors, from any distribution of the `rand` crate family.

use crate::axis::AxisArg;
use crate::device::{Copy, Device, Select};
use crate::element::Element;
use crate::error::{Error, fallible};
use crate::order::Order;
use crate::rank::{Dim, IntoShape, Rank, TakeRanks};
use crate::storage::{Storage, StorageMut};
use crate::tensor::Tensor;
use num_complex::Complex;
use rand::Rng;
use rand::distr::Distribution;
use rand::seq::SliceRandom;
use rand_distr::StandardNormal;

impl<T: Element, D: Dim, O: Order, Dev: Device> Tensor<T, D, O, Dev> {
    /// Returns samples of a distribution, drawn in memory order. Two generators in the same state give the same tensor.
    ///
    /// Uniform distributions are in the module `rand::distr`, and other distributions in the crate `rand_distr`. The generator and the
    /// distribution must implement the traits of `rand` 0.10. The distributions of `rand_distr` 0.6 implement them. For samples of the
    /// standard normal distribution, see [`randn`](Tensor::randn).
    ///
    /// # Errors
    /// If the shape exceeds the address space, or the allocation fails.
    ///
    /// ```
    /// use rand::{SeedableRng, distr::StandardUniform, rngs::StdRng};
    /// use vierbein::Tensor;
    /// let mut rng = StdRng::seed_from_u64(1);
    /// let x = Tensor::<f64, _>::random([2, 3], StandardUniform, &mut rng);
    /// assert!(x.iter().all(|&v| (0.0..1.0).contains(&v)));
    /// ```
    #[fallible]
    #[doc(alias = "rand")]
    pub fn random<Sh, Di, R>(shape: Sh, distribution: Di, rng: &mut R) -> Self
    where
        Sh: IntoShape<Dim = D>,
        Di: Distribution<T>,
        R: Rng + ?Sized,
        Dev: Default,
    {
        Self::try_random_in(shape, distribution, rng, &Dev::default())
    }

    /// Returns samples of the standard normal distribution (mean 0, variance 1), drawn in memory order. Two generators in the same state
    /// give the same tensor. The element type is `f32`, `f64`, `Complex<f32>` or `Complex<f64>`. For complex elements, the real and the
    /// imaginary part are independent and have the variance 1/2 each, so that the mean of `|z|²` is 1.
    ///
    /// # Errors
    /// If the shape exceeds the address space, or the allocation fails.
    ///
    /// ```
    /// use rand::{SeedableRng, rngs::StdRng};
    /// use vierbein::Tensor;
    /// let mut rng = StdRng::seed_from_u64(1);
    /// let x = Tensor::<f64, _>::randn([10_000], &mut rng);
    /// assert!(x.mean().item().abs() < 0.05 && (x.var(0).item() - 1.0).abs() < 0.1);
    /// ```
    #[fallible]
    #[doc(alias = "normal")]
    pub fn randn<Sh, R>(shape: Sh, rng: &mut R) -> Self
    where
        Sh: IntoShape<Dim = D>,
        Gaussian: Distribution<T>,
        R: Rng + ?Sized,
        Dev: Default,
    {
        Self::try_random(shape, Gaussian, rng)
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
        Self::written_on_host(shape.into_shape()?, |data| draw(data, &distribution, rng), device)
    }
}

/// The standard normal distribution of real and complex numbers: see [`randn`](Tensor::randn).
#[derive(Debug, Clone, Copy)]
pub struct Gaussian;

macro_rules! gaussian {
    ($($t:ident)*) => {$(
        impl Distribution<$t> for Gaussian {
            #[inline]
            fn sample<R: Rng + ?Sized>(&self, rng: &mut R) -> $t {
                StandardNormal.sample(rng)
            }
        }
        impl Distribution<Complex<$t>> for Gaussian {
            #[inline]
            fn sample<R: Rng + ?Sized>(&self, rng: &mut R) -> Complex<$t> {
                let mut part = || -> $t { StandardNormal.sample(rng) };
                Complex::new(part(), part()) * core::$t::consts::FRAC_1_SQRT_2
            }
        }
    )*};
}
gaussian!(f32 f64);

impl<T: Element, D: Dim, O: Order, Dev: Device, S: Storage<T, Dev>> Tensor<T, D, O, Dev, S> {
    /// Returns a tensor with the indices along an axis in random order: the rows of a matrix for axis 0. Each order is equally likely.
    ///
    /// # Errors
    /// If the axis is out of range, or the allocation fails.
    ///
    /// ```
    /// use rand::{SeedableRng, rngs::StdRng};
    /// use vierbein::tensor;
    /// let mut rng = StdRng::seed_from_u64(1);
    /// let x = tensor![[1, 10], [2, 20], [3, 30]].permutation(0, &mut rng);
    /// assert_eq!(x.sort(0), tensor![[1, 10], [2, 20], [3, 30]]);
    /// ```
    #[fallible]
    pub fn permutation<A, R, E>(&self, axis: A, rng: &mut R) -> Tensor<T, E, O, Dev>
    where
        A: AxisArg<D>,
        R: Rng + ?Sized,
        E: Dim,
        D: TakeRanks<Rank<1>, Taken = E>,
        Dev: Select<T>,
    {
        let extent = self.shape().as_ref().get(axis.index(self.rank())).copied().unwrap_or(0);
        self.try_choice(axis, extent, rng)
    }

    /// Returns `count` different indices along an axis, chosen at random, in random order: `count` rows of a matrix for axis 0. Each choice
    /// is equally likely.
    ///
    /// To choose with replacement, take random positions: `x.take(0, Tensor::<i64, _>::random([n], Uniform::new(0, len)?, &mut rng))`.
    ///
    /// # Errors
    /// If the axis is out of range, `count` exceeds its extent, or the allocation fails.
    ///
    /// ```
    /// use rand::{SeedableRng, rngs::StdRng};
    /// use vierbein::tensor;
    /// let mut rng = StdRng::seed_from_u64(1);
    /// let x = tensor![2, 3, 5, 7, 11].choice(0, 3, &mut rng);
    /// assert_eq!(x.unique().len(), 3);
    /// ```
    #[fallible]
    #[doc(alias = "sample")]
    pub fn choice<A, R, E>(&self, axis: A, count: usize, rng: &mut R) -> Tensor<T, E, O, Dev>
    where
        A: AxisArg<D>,
        R: Rng + ?Sized,
        E: Dim,
        D: TakeRanks<Rank<1>, Taken = E>,
        Dev: Select<T>,
    {
        const OP: &str = "choose indices";
        self.axes().check_axis(OP, axis.index(self.rank()))?;
        let extent = self.shape().as_ref()[axis.index(self.rank())];
        if count > extent {
            let reason = format!("{count} different indices do not exist along an axis of extent {extent}");
            return Err(Error::Argument { op: OP, reason });
        }
        let mut positions = Tensor::<i64, Rank<1>>::try_arange(0..extent as i64)?;
        let (chosen, _) = positions.as_mut_slice().partial_shuffle(rng, count);
        self.try_take(axis, &*chosen)
    }

    /// Puts the indices along an axis in random order, in place. Each order is equally likely.
    ///
    /// # Errors
    /// If the axis is out of range, or an allocation fails. `self` is unchanged then.
    ///
    /// ```
    /// use rand::{SeedableRng, rngs::StdRng};
    /// use vierbein::tensor;
    /// let mut x = tensor![1, 2, 3, 4];
    /// x.shuffle(0, &mut StdRng::seed_from_u64(1));
    /// assert_eq!(x.sort(0), tensor![1, 2, 3, 4]);
    /// ```
    #[fallible]
    pub fn shuffle<A, R>(&mut self, axis: A, rng: &mut R)
    where
        A: AxisArg<D>,
        R: Rng + ?Sized,
        D: TakeRanks<Rank<1>, Taken = D>,
        Dev: Copy<T> + Select<T>,
        S: StorageMut<T, Dev>,
    {
        let shuffled = self.try_permutation(axis, rng)?;
        self.try_assign(&shuffled)
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
