//! Random orders of dynamic tensors.

use crate::dyn_tensor::storage::{DynData, DynDataMut};
use crate::dyn_tensor::tensor::DynTensor;
use crate::dyn_tensor::typed::typed;
use crate::error::Error;
use crate::rank::IndexNumber;
use rand::Rng;

const CHOOSE: &str = "choose indices";

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
        mut rng: &mut R,
    ) -> Result<DynTensor, Error> {
        typed!(CHOOSE, Element, (x = self.look(); axis: isize = axis.number(), rng: &mut dyn Rng = &mut rng) => {
            x.try_permutation(axis, rng)
        })
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
        mut rng: &mut R,
    ) -> Result<DynTensor, Error> {
        typed!(
            CHOOSE, Element,
            (x = self.look(); axis: isize = axis.number(), count: usize = count, rng: &mut dyn Rng = &mut rng) => {
                x.try_choice(axis, count, rng)
            }
        )
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
    pub fn shuffle<R: Rng + ?Sized>(&mut self, axis: impl IndexNumber, mut rng: &mut R) -> Result<(), Error> {
        typed!(CHOOSE, Element -> (), (mut x = self.view_mut(); axis: isize = axis.number(), rng: &mut dyn Rng = &mut rng) => {
            x.try_shuffle(axis, rng)
        })
    }
}
