//! Tests of bad input to Fourier transforms: invalid axes and lengths, zero and huge extents, elements that are not finite, rank 0 and
//! rank 16.

use super::rejected;
use vierbein::fft::Fft;
use vierbein::prelude::*;
use vierbein::{DynTensor, Error, c64};

fn matrix() -> Tensor<c64, Rank<2>> {
    tensor![[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]].cast()
}

/// The error of each variant of each transform names the operation, the axis and the shape.
#[test]
fn axes_out_of_range() {
    let (z, x, three) = (matrix(), matrix().re(), 3);
    let plain = Fft::new();
    macro_rules! all {
        ($($name:literal: $tried:expr, $panics:expr;)*) => {$(
            let text = format!("{}: axis 3 is out of range for shape [2, 3], whose axes are 0 to 1", $name);
            rejected!($tried, $panics, Error::AxisOutOfRange { axis: 3, .. }, text);
        )*};
    }
    all! {
        "fft": z.try_fft(three), z.fft(three);
        "fft": x.try_fft_axes([0, 3]), x.fft_axes([0, 3]);
        "fft": z.try_fft_with(three, plain), z.fft_with(three, plain);
        "ifft": x.try_ifft(three), x.ifft(three);
        "ifft": z.try_ifft_axes([3, 0]), z.ifft_axes([3, 0]);
        "ifft": z.try_ifft_with([3], plain), z.ifft_with([3], plain);
        "rfft": x.try_rfft(three), x.rfft(three);
        "rfft": x.try_rfft_axes([0, 3]), x.rfft_axes([0, 3]);
        "rfft": x.try_rfft_with(three, plain), x.rfft_with(three, plain);
        "irfft": z.try_irfft(three, 4), z.irfft(three, 4);
        "irfft": z.try_irfft_axes([3, 1], 4), z.irfft_axes([3, 1], 4);
        "irfft": z.try_irfft_with(three, plain.len(4)), z.irfft_with(three, plain.len(4));
        "fftshift": z.try_fftshift(three), z.fftshift(three);
        "ifftshift": z.try_ifftshift([1, 3]), z.ifftshift([1, 3]);
    }
    let text = "fft: axis -3 is out of range for shape [2, 3], whose axes are 0 to 1, or -2 to -1";
    rejected!(z.try_fft(-3), z.fft(-3), Error::AxisOutOfRange { axis: -3, .. }, text);
    let dynamic = DynTensor::from(z.clone());
    assert_eq!(dynamic.fft(-3).unwrap_err().to_string(), text);
    assert_eq!(dynamic.fftshift(-3).unwrap_err().to_string(), text.replace("fft", "fftshift"));
}

#[test]
fn axes_named_twice_or_not_at_all() {
    let (z, x) = (matrix(), matrix().re());
    let text =
        |op: &str| format!("{op}: an axis occurs twice in [1, 1], for shape [2, 3]; name each axis once");
    rejected!(z.try_fft_axes([1, -1]), z.fft_axes([1, -1]), Error::RepeatedAxis { .. }, text("fft"));
    rejected!(x.try_rfft_axes([1, 1]), x.rfft_axes([1, 1]), Error::RepeatedAxis { .. }, text("rfft"));
    rejected!(z.try_ifftshift([1, 1]), z.ifftshift([1, 1]), Error::RepeatedAxis { .. }, text("ifftshift"));
    let text = "cannot fft: shape [2, 3] over zero axes; name at least one axis";
    rejected!(z.try_fft_axes([0; 0]), z.fft_axes([0; 0]), Error::Argument { .. }, text);
    assert_eq!(DynTensor::from(z).fft(&[0usize; 0][..]).unwrap_err().to_string(), text);
    let scalar = Tensor::<f64, _>::scalar(1.0);
    let text = "fft: axis 0 is out of range: a tensor of rank 0 has no axes";
    rejected!(scalar.try_fft(0), scalar.fft(0), Error::AxisOutOfRange { .. }, text);
    assert!(matches!(DynTensor::from(scalar.clone()).rfft(..), Err(Error::Argument { .. })));
    assert_eq!(DynTensor::from(scalar.clone()).fftshift(..).unwrap(), DynTensor::from(scalar));
}

#[test]
fn lengths() {
    let (z, x) = (matrix(), matrix().re());
    let text = |op: &str, axis: usize| {
        format!(
            "cannot {op}: shape [2, 3] along axis {axis}: the length of the transform is 0; give a length of at least 1, \
             e.g. with `.len(n)`"
        )
    };
    let none = Fft::new().len(0);
    rejected!(z.try_fft_with(1, none), z.fft_with(1, none), Error::Argument { .. }, text("fft", 1));
    rejected!(z.try_ifft_with(0, none), z.ifft_with(0, none), Error::Argument { .. }, text("ifft", 0));
    rejected!(
        x.try_rfft_with([1, 0], none),
        x.rfft_with([1, 0], none),
        Error::Argument { .. },
        text("rfft", 0)
    );
    rejected!(z.try_irfft(0, 0), z.irfft(0, 0), Error::Argument { .. }, text("irfft", 0));
    rejected!(z.try_irfft_axes([0, 1], 0), z.irfft_axes([0, 1], 0), Error::Argument { .. }, text("irfft", 1));
    let text =
        "cannot fft: shape [2, 3] over axes [0, 1]: 1 lengths are given; give one length for each axis";
    let one = Fft::new().lens([4]);
    rejected!(z.try_fft_with([0, 1], one), z.fft_with([0, 1], one), Error::Argument { .. }, text);
    let many = Fft::new().lens([1; 17]);
    assert!(matches!(z.try_fft_with([0, 1], many), Err(Error::Argument { .. })));
    let text = "cannot irfft: shape [2, 3] to real numbers along axis 1: the result can have 4 or 5 elements; \
                give the length with `.len(n)`";
    let open = Fft::new();
    rejected!(z.try_irfft_with(1, open), z.irfft_with(1, open), Error::Argument { .. }, text);

    let empty = Tensor::<f64, _>::zeros([2, 0]);
    let text = "cannot rfft: shape [2, 0] along axis 1: the length of the transform is 0; give a length of at least 1, \
                e.g. with `.len(n)`";
    rejected!(empty.try_rfft(1), empty.rfft(1), Error::Argument { .. }, text);
    assert_eq!(empty.fft(0).shape(), [2, 0]);
}

/// Results that exceed the address space or the memory. The operands are broadcast views of one element.
#[test]
fn huge_extents() {
    let one = Tensor::<f32, _>::scalar(1.0);
    let long = one.broadcast_to([isize::MAX as usize / 8]);
    assert!(matches!(long.try_fft(0), Err(Error::OutOfMemory { .. })));
    assert!(matches!(long.try_rfft(0), Err(Error::OutOfMemory { .. })));
    let one = Tensor::<Complex<f32>, _>::scalar(Complex::from(1.0));
    assert!(matches!(one.broadcast_to(long.shape()).try_fft(0), Err(Error::OutOfMemory { .. })));
    assert!(matches!(
        one.broadcast_to(long.shape()).try_irfft(0, long.len()),
        Err(Error::OutOfMemory { .. })
    ));
    assert!(matches!(long.try_fftshift(0), Err(Error::OutOfMemory { .. })));
    let max = usize::MAX;
    for result in [
        matrix().try_fft_with(1, Fft::new().len(max)).map(drop),
        matrix().re().try_rfft_with(1, Fft::new().len(max)).map(drop),
        matrix().try_irfft(1, max).map(drop),
        Tensor::<f64, _>::try_fftfreq(max, 1.0).map(drop),
        Tensor::<f64, _>::try_rfftfreq(max, 1.0).map(drop),
    ] {
        assert!(matches!(result, Err(Error::Overflow { .. })), "{result:?}");
    }
}

#[test]
fn elements_that_are_not_finite() {
    for bad in [f64::NAN, f64::INFINITY] {
        let x = tensor![1.0, bad, 2.0, 3.0];
        assert!(x.fft(0).iter().all(|z| !z.is_finite()), "{bad}");
        assert!(x.rfft(0).iter().all(|z| !z.is_finite()), "{bad}");
        assert!(x.rfft(0).irfft(0, 4).iter().all(|x| !x.is_finite()), "{bad}");
        // Lines in which all elements are finite are not affected.
        let lines = tensor![[1.0, bad], [2.0, 0.5]];
        assert_eq!(lines.fft(0).index_axis(1, 0), tensor![1.0, 2.0].fft(0).view());
        assert_eq!(x.fftshift(0).slice(s![..2]).to_vec(), [2.0, 3.0]);
    }
    let largest = tensor![f64::MAX, f64::MAX];
    assert_eq!(largest.rfft(0).re(), tensor![f64::INFINITY, 0.0]);
}

#[test]
fn rank_16() {
    let x = Tensor::<f64, Rank<16>>::from_fn([2, 1, 1, 1, 1, 3, 1, 1, 1, 1, 1, 1, 1, 1, 1, 2], |i| {
        (i[0] + 2 * i[5] + i[15]) as f64
    });
    let matrix = x.as_shape([2, 3, 2]);
    assert_eq!(x.fft(5).as_shape([2, 3, 2]), matrix.fft(1));
    assert_eq!(x.rfft_axes([15, 0]).as_shape([2, 3, 2]), matrix.rfft_axes([2, 0]));
    assert_eq!(x.fftshift([0, 5]).as_shape([2, 3, 2]), matrix.fftshift([0, 1]));
    let text = "fft: axis 16 is out of range for shape [2, 1, 1, 1, 1, 3, 1, 1, 1, 1, 1, 1, 1, 1, 1, 2], whose axes are 0 to 15";
    rejected!(x.try_fft(16), x.fft(16), Error::AxisOutOfRange { .. }, text);
}

#[test]
fn frequencies() {
    type T = Tensor<f64, Rank<1>>;
    let text = "cannot create frequencies: the length of the transform is 0; it must be at least 1";
    rejected!(T::try_fftfreq(0, 1.0), T::fftfreq(0, 1.0), Error::Argument { .. }, text);
    rejected!(T::try_rfftfreq(0, 1.0), T::rfftfreq(0, 1.0), Error::Argument { .. }, text);
    let text = "cannot create frequencies: the spacing of the samples is 0; it must be finite and not 0";
    rejected!(T::try_fftfreq(4, 0.0), T::fftfreq(4, 0.0), Error::Argument { .. }, text);
    rejected!(
        T::try_rfftfreq(4, -0.0),
        T::rfftfreq(4, -0.0),
        Error::Argument { .. },
        text.replace("is 0", "is -0")
    );
    assert!(matches!(T::try_fftfreq(4, f64::NAN), Err(Error::Argument { .. })));
    assert!(matches!(T::try_rfftfreq_in(4, f64::INFINITY, &Cpu), Err(Error::Argument { .. })));
    assert!(matches!(T::try_fftfreq_in(4, f64::NEG_INFINITY, &Cpu), Err(Error::Argument { .. })));
}
