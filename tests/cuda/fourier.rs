//! Compares Fourier transforms on the GPU with those on the host, for different lengths, axes and normalisations, with padding, for
//! views, and in both memory orders. Without cuFFT, the host also computes the transforms of tensors on the GPU.

use crate::data::scrambled;
use crate::gpu::there;
use vierbein::fft::{Fft, Norm};
use vierbein::prelude::*;
use vierbein::{Cuda, c32, c64};

/// Returns small pseudorandom numbers.
fn value(k: usize) -> f64 {
    (scrambled(k) % 2001) as f64 / 1000.0 - 1.0
}

/// A description of the transform, the shape of its result, and the real and imaginary parts of the result's elements.
type Got = (String, Vec<usize>, Vec<f64>);

macro_rules! transforms {
    ($name:ident, $R:ty, $C:ty) => {
        fn $name<O: Order, Dev: Backend<$R> + Backend<$C> + Backend<f64> + Default>() -> Vec<Got> {
            let device = Dev::default();
            let mut all = Vec::new();
            fn put<D: Dim, O: Order, Dev: Backend<$R> + Backend<$C>>(
                all: &mut Vec<Got>,
                what: String,
                x: &Tensor<$C, D, O, Dev>,
            ) {
                let parts = x.to_vec().into_iter().flat_map(|z| [f64::from(z.re), f64::from(z.im)]).collect();
                all.push((what, x.shape().as_ref().to_vec(), parts));
            }
            fn put_real<D: Dim, O: Order, Dev: Backend<$R>>(
                all: &mut Vec<Got>,
                what: String,
                x: &Tensor<$R, D, O, Dev>,
            ) {
                let parts = x.to_vec().into_iter().map(f64::from).collect();
                all.push((what, x.shape().as_ref().to_vec(), parts));
            }
            for shape in [[1, 1, 1], [4, 5, 6], [2, 3, 16], [7, 1, 9], [3, 8, 1]] {
                let n = shape.iter().product();
                let z: Vec<$C> = (0..n).map(|k| <$C>::new(value(k) as $R, value(k + n) as $R)).collect();
                let z = Tensor::<$C, _, O, Dev>::from_slice_in(shape, &z, &device);
                let x = z.re();
                for axis in 0..3 {
                    for norm in [Norm::Backward, Norm::Ortho, Norm::Forward] {
                        let what = |name: &str| format!("{name} of {shape:?} along {axis}, {norm:?}");
                        put(&mut all, what("fft"), &z.fft_with(axis, Fft::new().norm(norm)));
                        put(&mut all, what("ifft"), &z.ifft_with(axis, Fft::new().norm(norm).len(5)));
                        put(&mut all, what("real fft"), &x.fft_with(axis, Fft::new().norm(norm).len(9)));
                        put(&mut all, what("rfft"), &x.rfft_with(axis, Fft::new().norm(norm)));
                        for len in [1, 6, 7] {
                            let options = Fft::new().norm(norm).len(len);
                            put(&mut all, what("rfft"), &x.rfft_with(axis, options));
                            put_real(&mut all, what("irfft"), &z.irfft_with(axis, options));
                        }
                    }
                }
                for axes in [[0, 1], [2, 0], [1, 2]] {
                    let what = |name: &str| format!("{name} of {shape:?} along {axes:?}");
                    put(&mut all, what("fft"), &z.fft_axes(axes));
                    put(&mut all, what("ifft"), &z.permute([2, 0, 1]).ifft_axes(axes));
                    put(&mut all, what("rfft"), &x.rfft_axes(axes));
                    put_real(&mut all, what("irfft"), &z.irfft_axes(axes, 8));
                    let lens = Fft::new().lens([7, 4]).norm(Norm::Ortho);
                    put(&mut all, what("rfft"), &x.slice(s![..;-1, .., ..]).rfft_with(axes, lens));
                    put_real(&mut all, what("irfft"), &z.slice(s![.., .., ..;-1]).irfft_with(axes, lens));
                }
                put(&mut all, format!("fft of {shape:?}"), &z.fft_axes([2, 0, 1]));
                put_real(&mut all, format!("irfft of {shape:?}"), &z.irfft_axes([2, 0, 1], 5));
            }
            let empty = Tensor::<$C, _, O, Dev>::from_slice_in([0, 3], &[], &device);
            put(&mut all, "fft of no lines".into(), &empty.fft(1));
            put(&mut all, "fft of empty lines".into(), &empty.fft_with(0, Fft::new().len(4)));
            put_real(&mut all, "irfft of empty lines".into(), &empty.irfft(0, 4));
            // These are more lengths than the library keeps plans for.
            for n in 1..=70 {
                let x = Tensor::<$R, _, O, Dev>::ones([n]);
                put(&mut all, format!("rfft of {n}"), &x.rfft(0));
            }
            all
        }
    };
}
transforms!(single, f32, c32);
transforms!(double, f64, c64);

fn compare(host: Vec<Got>, gpu: Vec<Got>, tolerance: f64) {
    assert_eq!(host.len(), gpu.len());
    for ((what, shape, expected), (_, found_shape, found)) in host.iter().zip(&gpu) {
        assert_eq!(shape, found_shape, "{what}");
        let largest = expected.iter().fold(1.0, |most: f64, x| most.max(x.abs()));
        for (k, (x, y)) in expected.iter().zip(found).enumerate() {
            assert!((x - y).abs() <= tolerance * largest, "{what}: {x} and {y} at {k}");
        }
    }
}

#[test]
fn transforms_equal_those_of_the_host() {
    if !there() {
        return;
    }
    let host = double::<RowMajor, Cpu>();
    compare(host, double::<RowMajor, Cuda>(), 1e-13);
    compare(double::<ColMajor, Cpu>(), double::<ColMajor, Cuda>(), 1e-13);
    compare(single::<RowMajor, Cpu>(), single::<RowMajor, Cuda>(), 2e-5);
}
