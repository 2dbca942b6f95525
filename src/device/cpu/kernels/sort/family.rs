//! Implements [`Sort`] for [`Cpu`]: passes the operands to the kernels without their types.

use super::{argsort, contains, lexsort, partition, quantile, search, sort, top_k, unique, unique_with};
use crate::device::quantile::Quantile;
use crate::device::{Cpu, CpuBuffer, Device, Operand, Output, Sort, via_host};
use crate::element::{Element, Ordered, RealScalar};
use crate::error::Error;

#[diagnostic::do_not_recommend]
impl<T: Element> Sort<T> for Cpu {
    fn sort(&self, a: Output<'_, T, Cpu>, descending: bool) -> Result<(), Error>
    where
        T: Ordered,
    {
        sort(a.into(), descending)
    }

    fn argsort(
        &self,
        out: Output<'_, i64, Cpu>,
        a: Operand<'_, T, Cpu>,
        descending: bool,
    ) -> Result<(), Error>
    where
        T: Ordered,
    {
        argsort(out, a.into(), descending)
    }

    fn partition(&self, a: Output<'_, T, Cpu>, k: usize) -> Result<(), Error>
    where
        T: Ordered,
    {
        partition(a.into(), k)
    }

    fn top_k(
        &self,
        values: Output<'_, T, Cpu>,
        indices: Output<'_, i64, Cpu>,
        a: Operand<'_, T, Cpu>,
        descending: bool,
    ) -> Result<(), Error>
    where
        T: Ordered,
    {
        top_k(values.into(), indices, a.into(), descending)
    }

    fn quantile(
        &self,
        out: Output<'_, T::Float, Cpu>,
        a: Operand<'_, T, Cpu>,
        levels: &[f64],
        method: Option<Quantile>,
    ) -> Result<(), Error>
    where
        T: RealScalar,
    {
        quantile(out.into(), a.into(), levels, method)
    }

    fn unique(&self, a: Operand<'_, T, Cpu>) -> Result<CpuBuffer<T>, Error>
    where
        T: Ordered,
    {
        self.adopt(sorted_unique(a, None)?)
    }

    fn unique_counts(&self, a: Operand<'_, T, Cpu>) -> Result<(CpuBuffer<T>, CpuBuffer<i64>), Error>
    where
        T: Ordered,
    {
        let mut counts = Vec::new();
        let values = sorted_unique(a, Some(&mut counts))?;
        Ok((self.adopt(values)?, self.adopt(counts)?))
    }

    fn unique_with(&self, a: Operand<'_, T, Cpu>) -> Result<(CpuBuffer<T>, [CpuBuffer<i64>; 3]), Error>
    where
        T: Ordered,
    {
        let x = self.gather(a)?;
        let (shape, strides) = ([x.len()], [1]);
        // SAFETY: `x` has an element for each index of the shape, and is borrowed.
        let all = unsafe { Operand::<T, Cpu>::from_raw(Cpu::slice_ptr(&x), &shape, &strides) };
        let [first, inverse, counts] = unique_with(all.into())?;
        let mut values: Vec<T> = via_host::zeros(first.len())?;
        values.iter_mut().zip(&first).for_each(|(value, &i)| *value = x[i as usize]);
        Ok((self.adopt(values)?, [self.adopt(first)?, self.adopt(inverse)?, self.adopt(counts)?]))
    }

    fn lexsort(&self, out: Output<'_, i64, Cpu>, a: Operand<'_, T, Cpu>) -> Result<(), Error>
    where
        T: Ordered,
    {
        lexsort(out, a.into())
    }

    fn search(
        &self,
        out: Output<'_, i64, Cpu>,
        sorted: Operand<'_, T, Cpu>,
        a: Operand<'_, T, Cpu>,
        right: bool,
    ) -> Result<(), Error>
    where
        T: Ordered,
    {
        search(out, sorted.into(), a.into(), right)
    }

    fn contains(
        &self,
        out: Output<'_, bool, Cpu>,
        a: Operand<'_, T, Cpu>,
        of: Operand<'_, T, Cpu>,
    ) -> Result<(), Error>
    where
        T: Ordered,
    {
        contains(out, a.into(), of.into())
    }
}

/// Returns the distinct elements, in ascending order. If `counts` is given, it becomes the number of elements that are equal to each of them.
fn sorted_unique<T: Ordered>(a: Operand<'_, T, Cpu>, counts: Option<&mut Vec<i64>>) -> Result<Vec<T>, Error> {
    let mut x = Cpu.gather(a)?;
    let (shape, strides) = ([x.len()], [1]);
    // SAFETY: `x` has an element for each index of the shape, and is exclusively borrowed.
    let all = unsafe { Output::<T, Cpu>::from_raw(Cpu::slice_ptr_mut(&mut x), &shape, &strides) };
    let found = unique(all.into(), counts)?;
    x.truncate(found);
    Ok(x)
}
