//! Creates typed views of operands. The rank of an operand is known at run time only. So macros `match` on it, with one
//! arm for each rank for which the tested method compiles.

use super::array::Array;
use super::operand::Operand;
use vierbein::Error;
use vierbein::prelude::*;

impl Operand {
    fn viewed<'a, T: Element, const N: usize>(&self, data: &'a [T]) -> TensorView<'a, T, Rank<N>>
    where
        Rank<N>: Dim<Shape = [usize; N], Strides = [isize; N]>,
    {
        let (strides, offset) = self.strides();
        let shape: [usize; N] = self.shape[..].try_into().expect("the rank was found to be N");
        TensorView::from_slice_strided(data, shape, strides[..].try_into().expect("one each"), offset)
    }

    pub(crate) fn view<const N: usize>(&self) -> TensorView<'_, f64, Rank<N>>
    where
        Rank<N>: Dim<Shape = [usize; N], Strides = [isize; N]>,
    {
        self.viewed(&self.floats)
    }

    pub(crate) fn mask<const N: usize>(&self) -> TensorView<'_, bool, Rank<N>>
    where
        Rank<N>: Dim<Shape = [usize; N], Strides = [isize; N]>,
    {
        self.viewed(&self.flags)
    }

    /// Calls `change` with a mutable view that has this operand's elements and layout. If several indices refer to one element, a mutable
    /// view would be invalid, and `change` receives a view of a contiguous copy.
    pub(crate) fn changed<const N: usize>(
        &self,
        change: &dyn Fn(TensorViewMut<'_, f64, Rank<N>>) -> Result<Array, Error>,
    ) -> Result<Array, Error>
    where
        Rank<N>: Dim<Shape = [usize; N], Strides = [isize; N]>,
    {
        let (strides, offset) = self.strides();
        let shape: [usize; N] = self.shape[..].try_into().expect("the rank was found to be N");
        let strides: [isize; N] = strides[..].try_into().expect("one each");
        let mut data = self.floats.clone();
        match TensorViewMut::try_from_slice_strided_mut(&mut data, shape, strides, offset) {
            Ok(view) => change(view),
            Err(_) => change(self.view::<N>().try_to_owned()?.view_mut()),
        }
    }
}

/// Evaluates `$body` with a view of the operand, if its rank is in the list.
macro_rules! at_rank {
    ($o:ident, $x:ident: $view:ident, [$($rank:literal)*], $body:expr) => {
        match $o[0].rank() {
            $($rank => {
                let $x = &$o[0].$view::<$rank>();
                Some($body)
            })*
            _ => None,
        }
    };
}

/// Variant of `at_rank` for two or three operands: evaluates `$body` with their views if their ranks are in the list.
macro_rules! at_ranks {
    ($o:ident, $x:ident: $view_x:ident, $y:ident: $view_y:ident, [$($rank_x:literal $rank_y:literal),*], $body:expr) => {
        match ($o[0].rank(), $o[1].rank()) {
            $(($rank_x, $rank_y) => {
                let ($x, $y) = (&$o[0].$view_x::<$rank_x>(), &$o[1].$view_y::<$rank_y>());
                Some($body)
            })*
            _ => None,
        }
    };
    (
        $o:ident, $x:ident: $view_x:ident, $y:ident: $view_y:ident, $z:ident: $view_z:ident,
        [$($rank_x:literal $rank_y:literal $rank_z:literal),*], $body:expr
    ) => {
        match ($o[0].rank(), $o[1].rank(), $o[2].rank()) {
            $(($rank_x, $rank_y, $rank_z) => {
                let ($x, $y) = (&$o[0].$view_x::<$rank_x>(), &$o[1].$view_y::<$rank_y>());
                let $z = &$o[2].$view_z::<$rank_z>();
                Some($body)
            })*
            _ => None,
        }
    };
}

/// Makes a mutable view of the operand, and calls a method that borrows a part of it, in its fallible and in its panicking variant.
macro_rules! cut_mut {
    ($o:ident, $n:ident, $x:ident, [$($rank:literal)*], $tried:expr, $panics:expr) => {
        match $o[0].rank() {
            $($rank => Some($crate::bad_input::done!(
                try $o[0].changed::<$rank>(&|mut $x| { let $x = &mut $x; Ok(ToArray::array(&$tried?)) }),
                panics $o[0].changed::<$rank>(&|mut $x| { let $x = &mut $x; Ok(ToArray::array(&$panics)) })
                    .unwrap_or_else(|error| panic!("{error}"))
            )),)*
            _ => None,
        }
    };
}

pub(crate) use {at_rank, at_ranks, cut_mut};
