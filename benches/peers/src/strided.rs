//! Computes Einstein sums with strided-opteinsum.
//!
//! This library is designed for column-major arrays. So this module passes the mirrored problem to it: the labels of all operands and of
//! the result are reversed, and all arrays are column-major. The elements then have the same places in memory as those of the other
//! libraries.

use crate::implementation::{Library, Outcome, Row};
use crate::problem::{Input, Problem};
use crate::{Contracted, Number};
use strided_opteinsum::{EinsumCode, EinsumOperand, StridedData, parse_einsum};
use strided_view::{StridedArray, col_major_strides};

struct Mirrored<T> {
    code: EinsumCode,
    inputs: Vec<StridedArray<T>>,
}

impl<T: Contracted> Mirrored<T> {
    fn new(problem: &Problem<T>) -> Mirrored<T> {
        let labels: Vec<_> = problem.inputs.iter().map(|input| reversed(&input.labels)).collect();
        let spec = format!("{}->{}", labels.join(","), reversed(&problem.output));
        let array = |Input { shape, data, .. }: &Input<T>| {
            let shape: Vec<_> = shape.iter().rev().copied().collect();
            StridedArray::from_parts(data.clone(), &shape, &col_major_strides(&shape), 0)
                .expect("a contiguous array")
        };
        // The specification is parsed once, as in the benchmarks of the library's authors. Each call still plans the contraction.
        Mirrored {
            code: parse_einsum(&spec).expect("a specification"),
            inputs: problem.inputs.iter().map(array).collect(),
        }
    }

    fn operands(&self) -> Vec<EinsumOperand<'_>> {
        self.inputs.iter().map(|input| EinsumOperand::from_view(&input.view())).collect()
    }
}

fn reversed(labels: &str) -> String {
    labels.chars().rev().collect()
}

impl<T: Number> Outcome<T> for StridedArray<T> {
    fn size(&self) -> usize {
        self.len()
    }
    fn at(&self, position: usize) -> T {
        // `position` is the flat row-major index of an element. The axes of this array are reversed, so its first index varies fastest.
        // The element is not at offset `position` in memory if the contraction has returned an array with permuted strides.
        let mut rest = position;
        let index = self.dims().iter().map(|&extent| {
            let at = rest % extent;
            rest /= extent;
            at
        });
        self.get(&index.collect::<Vec<_>>())
    }
}

impl<T: Contracted> Row<T> {
    pub(crate) fn strided(self) -> Row<T> {
        let mirrored = Mirrored::new(&self.problem);
        self.fresh(Library::Strided, move || {
            let found = mirrored.code.evaluate(mirrored.operands(), None).expect("shapes that fit");
            // The result is always owned, although its type could also be a view of an operand.
            match T::extract_data(found).expect("the type of the operands") {
                StridedData::Owned(array) => array,
                StridedData::View(_) => unreachable!("every problem computes something"),
            }
        })
    }

    pub(crate) fn strided_into(self) -> Row<T> {
        let mirrored = Mirrored::new(&self.problem);
        let shape: Vec<_> = self.problem.shape.iter().rev().copied().collect();
        let (zero, one) = (T::sample(0.0, 0.0), T::sample(1.0, 0.0));
        self.over(Library::Strided, StridedArray::col_major(&shape), move |out| {
            mirrored
                .code
                .evaluate_into(mirrored.operands(), out.view_mut(), one, zero, None)
                .expect("shapes that fit");
        })
    }
}
