//! Random orders of dynamic tensors.

use crate::dyn_tensor::operand::placed;
use crate::dyn_tensor::storage::{DynData, DynDataMut};
use crate::dyn_tensor::tensor::{DynTensor, DynView};
use crate::error::Error;
use crate::rank::{IndexNumber, from_start};
use rand::Rng;
use rand::seq::SliceRandom;

fn chosen(
    x: DynView<'_>,
    axis: usize,
    count: Option<usize>,
    rng: &mut (impl Rng + ?Sized),
) -> Result<DynTensor, Error> {
    const OP: &str = "choose indices";
    x.layout().axes().check_axis(OP, axis)?;
    let extent = x.shape()[axis];
    let count = count.unwrap_or(extent);
    if count > extent {
        let reason = format!("{count} different indices do not exist along an axis of extent {extent}");
        return Err(Error::Argument { op: OP, reason });
    }
    let mut positions = crate::Tensor::<i64, crate::Rank<1>>::try_arange(0..extent as i64)?;
    let (chosen, _) = positions.as_mut_slice().partial_shuffle(rng, count);
    let chosen = crate::Tensor::<i64, crate::Rank<1>>::try_from_slice([count], chosen)?;
    x.take(axis, &placed(OP, x, chosen.into())?)
}

impl<S: DynData> DynTensor<S> {
    /// Returns a tensor with the indices along an axis in random order: see [`Tensor::permutation`](crate::Tensor::permutation).
    ///
    /// # Errors
    /// If the axis is out of range, dynamic tensors do not compute on the device, or an allocation fails.
    ///
    /// ```
    /// use rand::{SeedableRng, rngs::StdRng};
    /// use vierbein::{DynTensor, tensor};
    /// let mut rng = StdRng::seed_from_u64(1);
    /// let x = DynTensor::from(tensor![[1, 10], [2, 20], [3, 30]]).permutation(0, &mut rng)?;
    /// assert_eq!(x.sort(0)?.downcast_ref()?, tensor![[1, 10], [2, 20], [3, 30]]);
    /// # Ok::<(), vierbein::Error>(())
    /// ```
    pub fn permutation<R: Rng + ?Sized>(
        &self,
        axis: impl IndexNumber,
        rng: &mut R,
    ) -> Result<DynTensor, Error> {
        chosen(self.look(), from_start(axis, self.rank()), None, rng)
    }

    /// Returns `count` different indices along an axis, chosen at random, in random order: see
    /// [`Tensor::choice`](crate::Tensor::choice).
    ///
    /// # Errors
    /// If the axis is out of range, `count` exceeds its extent, dynamic tensors do not compute on the device, or an allocation fails.
    ///
    /// ```
    /// use rand::{SeedableRng, rngs::StdRng};
    /// use vierbein::{DynTensor, tensor};
    /// let mut rng = StdRng::seed_from_u64(1);
    /// let x = DynTensor::from(tensor![2, 3, 5, 7, 11]).choice(0, 3, &mut rng)?;
    /// assert_eq!(x.unique()?.len(), 3);
    /// # Ok::<(), vierbein::Error>(())
    /// ```
    #[doc(alias = "sample")]
    pub fn choice<R: Rng + ?Sized>(
        &self,
        axis: impl IndexNumber,
        count: usize,
        rng: &mut R,
    ) -> Result<DynTensor, Error> {
        chosen(self.look(), from_start(axis, self.rank()), Some(count), rng)
    }
}

impl<S: DynDataMut> DynTensor<S> {
    /// Puts the indices along an axis in random order, in place. Each order is equally likely.
    ///
    /// # Errors
    /// If the axis is out of range, dynamic tensors do not compute on the device, or an allocation fails. `self` is unchanged then.
    ///
    /// ```
    /// use rand::{SeedableRng, rngs::StdRng};
    /// use vierbein::{DynTensor, tensor};
    /// let mut x = DynTensor::from(tensor![1, 2, 3, 4]);
    /// x.shuffle(0, &mut StdRng::seed_from_u64(1))?;
    /// assert_eq!(x.sort(0)?.downcast_ref()?, tensor![1, 2, 3, 4]);
    /// # Ok::<(), vierbein::Error>(())
    /// ```
    pub fn shuffle<R: Rng + ?Sized>(&mut self, axis: impl IndexNumber, rng: &mut R) -> Result<(), Error> {
        let shuffled = self.permutation(axis, rng)?;
        self.assign(&shuffled)
    }
}
