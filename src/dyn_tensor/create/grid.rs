//! Grids of coordinates as views of dynamic tensors.

use crate::dyn_tensor::tensor::{DynTensor, DynView};
use crate::error::Error;
use crate::layout::{Layout, element_count};
use crate::order::MemoryOrder;
use crate::rank::MAX_RANK;

/// Returns the coordinates of all points of a grid: see [`meshgrid`](crate::meshgrid). Each axis is a vector of coordinates, and their
/// element types may differ. The result contains one view for each axis. The rank of each view is the number of axes.
///
/// # Errors
/// If an axis is not a vector, there are more than 16 axes, or the shape of the grid exceeds the address space.
///
/// ```
/// use vierbein::dyn_tensor::meshgrid;
/// use vierbein::{DynTensor, tensor};
/// let (rows, columns) = (DynTensor::from(tensor![0.0, 1.0]), DynTensor::from(tensor![0.0, 10.0, 20.0]));
/// let grid = meshgrid(&[&rows, &columns])?;
/// let sums = grid[0].try_add(grid[1])?;
/// assert_eq!(sums.downcast_ref()?, tensor![[0.0, 10.0, 20.0], [1.0, 11.0, 21.0]]);
/// # Ok::<(), vierbein::Error>(())
/// ```
pub fn meshgrid<'a, X: Copy + Into<DynView<'a>>>(axes: &[X]) -> Result<Vec<DynView<'a>>, Error> {
    let rejected = |reason: String| Err(Error::UnsupportedRank { op: "make a grid", reason });
    if axes.len() > MAX_RANK {
        return rejected(format!("{} axes were given; ranks run from 0 to {MAX_RANK}", axes.len()));
    }
    let axes: Vec<DynView<'a>> = axes.iter().map(|&axis| axis.into()).collect();
    let mut shape = [0; MAX_RANK];
    let shape = &mut shape[..axes.len()];
    for (extent, axis) in shape.iter_mut().zip(&axes) {
        let &[len] = axis.shape() else {
            return rejected(format!(
                "expected vectors, found a tensor of shape {:?}; flatten it first",
                axis.shape()
            ));
        };
        *extent = len;
    }
    let order = axes.first().map_or(MemoryOrder::RowMajor, |axis| axis.order());
    let view = |(k, axis): (usize, &DynView<'a>)| {
        element_count(shape, axis.dtype().size())?;
        let mut strides = [0; MAX_RANK];
        strides[k] = axis.layout().strides()[0];
        let layout = Layout::new(shape, &strides[..shape.len()]).moved(axis.layout().offset());
        Ok(DynTensor::of(*axis.storage(), layout, order))
    };
    axes.iter().enumerate().map(view).collect()
}
