//! What an operation's value carries, on its way to a device that takes it as parameters of a kernel.

use crate::element::{DType, Element};

/// At most so many scalars.
const MOST: usize = 6;
/// At most so large: a complex number of two `f64`.
const LARGEST: usize = 16;

/// The scalars that an operation carries, by the names that its text has for them.
///
/// ```
/// use vierbein::device::{CudaSource, Scalars, UnaryOp};
/// use vierbein::tensor;
/// #[derive(Clone, Copy)]
/// struct Scaled(f64);
/// impl UnaryOp<f64> for Scaled {
///     type Output = f64;
///     const NAME: &'static str = "scale";
///     // SAFETY: an expression of the operand's and the scalar's value: it accesses no memory.
///     const CUDA: CudaSource = unsafe { CudaSource::new("factor * a") };
///     fn apply(&self, a: f64) -> f64 {
///         self.0 * a
///     }
///     fn scalars(&self, bind: &mut Scalars) {
///         bind.scalar("factor", self.0);
///     }
/// }
/// assert_eq!(tensor![1.0, 2.0].apply(Scaled(3.0)), tensor![3.0, 6.0]);
/// ```
#[derive(Debug, Clone, Copy, Default)]
pub struct Scalars {
    signature: Signature,
    bytes: [[u8; LARGEST]; MOST],
}

/// Names and types of scalars.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
pub(crate) struct Signature {
    count: usize,
    names: [&'static str; MOST],
    types: [Option<DType>; MOST],
    /// Whether the operands `a` and `b` come the other way round.
    swapped: bool,
    /// What the text is compiled for.
    constant: Option<(&'static str, u8)>,
}

impl Scalars {
    /// Gives a value the name that the text has for it: any but those of operands and of the position.
    ///
    /// # Panics
    /// From the seventh scalar on, and for the names `a`, `b`, `c` and `k`.
    pub fn scalar<T: Element>(&mut self, name: &'static str, value: T) {
        assert!(
            !["a", "b", "c", "k"].contains(&name),
            "`{name}` is an operand's name, or the position's: give the scalar another"
        );
        self.bind(name, value);
    }

    /// The same for an operand that is a scalar.
    pub(crate) fn operand<T: Element>(&mut self, name: &'static str, value: T) {
        self.bind(name, value);
    }

    fn bind<T: Element>(&mut self, name: &'static str, value: T) {
        let at = self.signature.count;
        assert!(at < MOST, "an operation carries at most {MOST} scalars");
        self.signature.count += 1;
        self.signature.names[at] = name;
        self.signature.types[at] = Some(T::DTYPE);
        self.bytes[at] = bytes_of(value);
    }

    /// Gives a number a name, and the text a kernel for each number: what it chooses is chosen when it is compiled.
    pub(crate) fn constant(&mut self, name: &'static str, value: u8) {
        self.signature.constant = Some((name, value));
    }

    /// The operands `a` and `b` come the other way round.
    pub(crate) fn swap_operands(&mut self) {
        self.signature.swapped = !self.signature.swapped;
    }
}

/// The bytes of an element, zeros behind them.
fn bytes_of<T: Element>(value: T) -> [u8; LARGEST] {
    const { assert!(size_of::<T>() <= LARGEST) };
    let mut bytes = [0; LARGEST];
    // SAFETY: elements are numbers without padding, of at most `LARGEST` bytes, and the two places do not overlap.
    unsafe {
        core::ptr::copy_nonoverlapping((&raw const value).cast::<u8>(), bytes.as_mut_ptr(), size_of::<T>())
    };
    bytes
}

#[cfg(feature = "cuda")]
impl Signature {
    /// Names and types, in the sequence in which they were bound.
    pub(crate) fn scalars(&self) -> impl Iterator<Item = (&'static str, DType)> {
        self.names.into_iter().zip(self.types).map_while(|(name, dtype)| Some((name, dtype?)))
    }

    /// The name and the number that the text is compiled for.
    pub(crate) fn constant(&self) -> Option<(&'static str, u8)> {
        self.constant
    }

    /// The names of the operands, in the sequence in which they come: those that are not bound to a scalar.
    pub(crate) fn operands(&self) -> impl Iterator<Item = &'static str> {
        let order = if self.swapped { ["b", "a", "c"] } else { ["a", "b", "c"] };
        order.into_iter().filter(|name| !self.names[..self.count].contains(name))
    }
}

#[cfg(feature = "cuda")]
impl Scalars {
    pub(crate) fn signature(&self) -> Signature {
        self.signature
    }

    /// The bytes of each value, and its type.
    pub(crate) fn values(&self) -> impl Iterator<Item = (&[u8; LARGEST], DType)> {
        self.bytes.iter().zip(self.signature.scalars().map(|(_, dtype)| dtype))
    }
}
