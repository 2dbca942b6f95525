//! The problem of a benchmark: labels, extents and numbers. Each library builds its own tensors from them.

use crate::Number;
use crate::number::Generator;
use ndarray::{Array, Dimension, IxDyn};
use vierbein::{ColMajor, Dim, IntoShape, Rank, Tensor};

/// Returns the element of a result at an index, and the sum of the magnitudes of its terms, to which the tolerance is proportional. If the
/// computation is exact, returns 0 instead of this sum.
pub type Definition<T> = Box<dyn Fn(&[usize]) -> (T, f64) + Send>;

/// The shape of a result and the definition of its elements. Most problems are Einstein sums over contiguous row-major operands.
///
/// The labels of an operand with another layout are in the order of its axes in memory, the axis with unit stride last. So a column-major
/// matrix `ij` has the labels `ji`, and a permuted view has the labels of the tensor before the permutation.
pub struct Problem<T> {
    pub inputs: Vec<Input<T>>,
    pub output: String,
    pub shape: Vec<usize>,
    extents: Vec<(char, usize)>,
    definition: Option<Definition<T>>,
}

/// An operand of an Einstein sum.
pub struct Input<T> {
    pub labels: String,
    pub shape: Vec<usize>,
    pub data: Vec<T>,
}

impl<T: Number> Problem<T> {
    /// Creates an Einstein sum from a specification and the extent of each label. The operands contain pseudo-random numbers.
    pub fn new(spec: &str, extents: &[(char, usize)]) -> Problem<T> {
        let mut numbers = Generator(1);
        let (inputs, output) = spec.split_once("->").expect("a specification has an arrow");
        let shape = |labels: &str| labels.chars().map(|label| extent(extents, label)).collect::<Vec<_>>();
        let input = |labels: &str| {
            let shape = shape(labels);
            let data = (0..shape.iter().product()).map(|_| numbers.number()).collect();
            Input { labels: labels.into(), shape, data }
        };
        Problem {
            inputs: inputs.split(',').map(input).collect(),
            output: output.into(),
            shape: shape(output),
            extents: extents.into(),
            definition: None,
        }
    }

    /// Creates a problem that is not an Einstein sum, or whose operands are built elsewhere.
    pub fn defined(
        shape: impl AsRef<[usize]>,
        definition: impl Fn(&[usize]) -> (T, f64) + Send + 'static,
    ) -> Problem<T> {
        Problem {
            inputs: Vec::new(),
            output: String::new(),
            shape: shape.as_ref().into(),
            extents: Vec::new(),
            definition: Some(Box::new(definition)),
        }
    }

    /// Returns an operand as a row-major tensor of vierbein.
    pub fn tensor<const N: usize>(&self, input: usize) -> Tensor<T, Rank<N>>
    where
        Rank<N>: Dim<Shape = [usize; N]>,
        [usize; N]: IntoShape<Dim = Rank<N>>,
    {
        let Input { shape, data, .. } = &self.inputs[input];
        let shape: [usize; N] = shape[..].try_into().expect("the rank of the operand");
        Tensor::from_vec(shape, data.clone())
    }

    /// Returns an operand as a column-major tensor of vierbein, with its axes reversed.
    pub fn col_major<const N: usize>(&self, input: usize) -> Tensor<T, Rank<N>, ColMajor>
    where
        Rank<N>: Dim<Shape = [usize; N]>,
        [usize; N]: IntoShape<Dim = Rank<N>>,
    {
        self.tensor(input).into_flipped()
    }

    /// Returns an operand as an array of ndarray.
    pub fn array<D: Dimension>(&self, input: usize) -> Array<T, D> {
        let Input { shape, data, .. } = &self.inputs[input];
        let array =
            Array::from_shape_vec(IxDyn(shape), data.clone()).expect("as many numbers as the shape says");
        array.into_dimensionality().expect("the rank of the operand")
    }

    /// Computes the element of the result at a flat index, by definition. Also returns the sum of the magnitudes of its terms.
    pub fn element(&self, position: usize) -> (T, f64) {
        if let Some(definition) = &self.definition {
            return definition(&index(&self.shape, position));
        }
        let (mut summed, mut at) = (Vec::new(), vec![0; self.extents.len()]);
        let mut rest = position;
        for label in self.output.chars().rev() {
            let axis = self.axis(label);
            at[axis] = rest % self.extents[axis].1;
            rest /= self.extents[axis].1;
        }
        for (axis, (label, _)) in self.extents.iter().enumerate() {
            if !self.output.contains(*label) {
                summed.push(axis);
            }
        }
        let terms = summed.iter().map(|&axis| self.extents[axis].1).product();
        let (mut sum, mut magnitudes) = (T::sample(0.0, 0.0), 0.0);
        for term in 0..terms {
            let mut rest = term;
            for &axis in &summed {
                at[axis] = rest % self.extents[axis].1;
                rest /= self.extents[axis].1;
            }
            let mut product = T::sample(1.0, 0.0);
            for input in &self.inputs {
                let axes = input.labels.chars().map(|label| self.axis(label));
                let flat = axes.fold(0, |flat, axis| flat * self.extents[axis].1 + at[axis]);
                product *= input.data[flat];
            }
            sum += product;
            magnitudes += product.magnitude();
        }
        (sum, magnitudes)
    }

    fn axis(&self, label: char) -> usize {
        self.extents.iter().position(|&(known, _)| known == label).expect("each label has an extent")
    }
}

fn extent(extents: &[(char, usize)], label: char) -> usize {
    extents.iter().find(|&&(known, _)| known == label).expect("each label has an extent").1
}

/// Converts a flat index in row-major order to an index.
pub(crate) fn index(shape: &[usize], position: usize) -> Vec<usize> {
    let mut index = vec![0; shape.len()];
    let mut rest = position;
    for (at, &extent) in index.iter_mut().zip(shape).rev() {
        *at = rest % extent;
        rest /= extent;
    }
    index
}
