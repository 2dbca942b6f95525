//! Compares convolutions by Fourier transforms with the results of NumPy and SciPy by direct summation
//! (`tests/data/statistics/make.py`).

use super::both_orders;
use std::path::Path;
use vierbein::prelude::*;
use vierbein::{ConvolutionMode, DynTensor};

both_orders! { convolutions_by_transforms }

const MODES: [ConvolutionMode; 3] = [ConvolutionMode::Full, ConvolutionMode::Same, ConvolutionMode::Valid];

fn read<D: Dim, O: Order>(name: &str) -> Tensor<f64, D, O> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/statistics");
    Tensor::<f64, D>::read_npy(folder.join(format!("{name}.npy"))).unwrap().to_order()
}

fn dynamic<D: Dim, O: Order>(x: &Tensor<f64, D, O>) -> DynTensor {
    DynTensor::from(x.clone())
}

fn convolutions_by_transforms<O: Order>() {
    let (a, b) = (read::<Rank<1>, O>("signal"), read::<Rank<1>, O>("kernel"));
    let expected = [read::<Rank<1>, O>("convolve").to_vec(), read::<Rank<1>, O>("correlate").to_vec()];
    let mut found: [Vec<f64>; 2] = Default::default();
    for (n, m) in [(9, 4), (9, 5), (4, 9), (5, 9), (3, 3), (1, 5), (6, 1)] {
        for mode in MODES {
            let (x, kernel) = (a.slice(s![..n]), b.slice(s![..m]));
            found[0].extend(x.fft_convolve(kernel, mode).iter());
            found[1].extend(x.fft_correlate(kernel, mode).iter());
        }
    }
    for (found, expected) in found.iter().zip(&expected) {
        assert_eq!(found.len(), expected.len());
        assert!(found.iter().zip(expected).all(|(x, y)| (x - y).abs() < 1e-13), "{found:?} {expected:?}");
    }
    let (x, kernel) = (read::<Rank<3>, O>("image"), read::<Rank<3>, O>("stencil"));
    let near = |found: &Tensor<f64, Rank<3>, O>, expected: &Tensor<f64, Rank<3>, O>| {
        assert!(found.all_close(expected, 0.0, 1e-13), "{found}\n{expected}");
    };
    let near_typed = |x: &DynTensor, y: &Tensor<f64, Rank<3>, O>| near(&x.clone().downcast().unwrap(), y);
    let turned = x.reverse_axes().to_owned();
    let complex = |x: &Tensor<f64, Rank<3>, O>, y: TensorView<'_, f64, Rank<3>, O>, factor: f64| {
        x.zip_map(&y, move |re, im| Complex::new(re, factor * im))
    };
    let (z, w) = (complex(&x, x.flip(0), 1.0), complex(&kernel, kernel.flip(2), -2.0));
    for (mode, name) in MODES.into_iter().zip(["full", "same", "valid"]) {
        let (convolved, correlated) = (read(&format!("convolve_{name}")), read(&format!("correlate_{name}")));
        near(&x.fft_convolve(&kernel, mode), &convolved);
        near(&turned.reverse_axes().fft_convolve(kernel.view(), mode), &convolved);
        near(&x.fft_correlate(&kernel, mode), &correlated);
        near_typed(&dynamic(&x).fft_convolve(&dynamic(&kernel), mode).unwrap(), &convolved);
        near_typed(&dynamic(&x).fft_correlate(&dynamic(&kernel), mode).unwrap(), &correlated);
        let backwards = kernel.flip([0, 2]).to_owned();
        near(&x.fft_correlate(backwards.flip([0, 2]), mode), &correlated);
        for (correlate, of) in [(false, "convolve"), (true, "correlate")] {
            let parts = read::<Rank<4>, O>(&format!("{of}_complex_{name}"));
            let part = |k: usize| parts.index_axis(0, k).to_owned();
            let typed = if correlate { z.fft_correlate(&w, mode) } else { z.fft_convolve(&w, mode) };
            let (x, kernel) = (DynTensor::from(z.clone()), DynTensor::from(w.clone()));
            let any = if correlate { x.fft_correlate(&kernel, mode) } else { x.fft_convolve(&kernel, mode) };
            let any = any.unwrap().downcast::<Complex<f64>, Rank<3>, O, Cpu>().unwrap();
            for found in [typed, any] {
                near(&found.re(), &part(0));
                near(&found.im(), &part(1));
            }
        }
    }
    // Either operand can be the longer one along an axis. Also tests single precision.
    let value = |k: usize| ((k * 37) % 101) as f64 / 50.0 - 1.0;
    for (n, m) in
        [([30, 1, 4], [7, 5, 9]), ([1, 1, 60], [1, 1, 31]), ([2, 8, 3], [11, 2, 1]), ([5, 1, 1], [1, 6, 1])]
    {
        let x = Tensor::<f64, Rank<3>, O>::from_fn(n, |[i, j, k]| value(i + 7 * j + 13 * k));
        let kernel = Tensor::<f64, Rank<3>, O>::from_fn(m, |[i, j, k]| value(5 * i + 3 * j + k));
        for mode in MODES {
            near(&x.fft_convolve(&kernel, mode), &x.convolve(&kernel, mode));
            near(&x.fft_correlate(&kernel, mode), &x.correlate(&kernel, mode));
            let single = x.cast::<f32>().fft_correlate(kernel.cast::<f32>(), mode);
            assert!(single.cast::<f64>().all_close(&x.correlate(&kernel, mode), 0.0, 1e-5));
            let (z, w) = (x.cast::<Complex<f32>>(), kernel.cast::<Complex<f32>>());
            let single = z.fft_convolve(&w, mode).re().cast::<f64>();
            assert!(single.all_close(&x.convolve(&kernel, mode), 0.0, 1e-5));
        }
    }
    let none = Tensor::<f64, Rank<3>, O>::zeros([2, 0, 1]);
    let errors = [
        x.try_fft_convolve(&none, ConvolutionMode::Same).unwrap_err(),
        dynamic(&x).fft_convolve(&dynamic(&none), ConvolutionMode::Same).unwrap_err(),
    ];
    let text = "cannot convolve: an operand of shape [2, 0, 1] has zero elements; each operand must have at least one";
    assert_eq!(errors.map(|error| error.to_string()), [text; 2]);
    let integers = DynTensor::from(tensor![1, 2]).fft_convolve(&tensor![1, 2], ConvolutionMode::Full);
    assert!(integers.unwrap_err().to_string().contains("has no Fourier transform"));
    let flat = dynamic(&x).fft_correlate(&tensor![1.0, 2.0], ConvolutionMode::Full);
    assert!(flat.unwrap_err().to_string().contains("insert axes"));
    let number = Tensor::<f64, Rank<0>, O>::scalar(3.0);
    assert_eq!(number.fft_convolve(&number, ConvolutionMode::Full).item(), 9.0);
}
