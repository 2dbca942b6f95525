//! Invalid calls return the documented error, with a message that names the operation, its operands and the fix. The panicking
//! variants panic with the same message, at the caller's line. Operands stay unchanged.

mod any_rank;
#[cfg(feature = "fft")]
mod fft;
mod integers;

use std::cell::RefCell;
use std::panic::{AssertUnwindSafe, catch_unwind, set_hook, take_hook};
use std::sync::Once;
use vierbein::prelude::*;
use vierbein::{DynTensor, Error, op, try_einsum};

thread_local! {
    static PANICKED_IN: RefCell<String> = const { RefCell::new(String::new()) };
}

/// Installs a panic hook that stores, for each thread, the source file to which the last panic was attributed.
fn watch_panics() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        let before = take_hook();
        set_hook(Box::new(move |info| {
            let file = info.location().map_or(String::new(), |location| location.file().into());
            PANICKED_IN.with(|panicked_in| panicked_in.replace(file));
            before(info);
        }));
    });
}

/// Asserts that the fallible variant returns an error, and that the panicking variant panics with the same message. The panic must
/// be attributed to a source file of this test program. Returns the error.
#[track_caller]
fn both_forms(tried: Result<(), Error>, panics: impl FnOnce()) -> Error {
    watch_panics();
    let error = tried.expect_err("an error was expected");
    let payload = catch_unwind(AssertUnwindSafe(panics)).expect_err("a panic was expected");
    assert_eq!(payload.downcast_ref::<String>(), Some(&error.to_string()));
    let file = PANICKED_IN.with(RefCell::take);
    assert!(file.contains("errors"), "the panic points into {file}");
    error
}

/// Calls the fallible and the panicking variant of an operation. Asserts the kind of `Error` and its text.
macro_rules! rejected {
    ($tried:expr, $panics:expr, $variant:pat, $text:expr) => {{
        let error = $crate::errors::both_forms($tried.map(|_| ()), || {
            let _ = $panics;
        });
        assert_eq!(error.to_string(), $text);
        assert!(matches!(error, $variant), "{error:?}");
    }};
}

pub(crate) use rejected;

fn matrix() -> Tensor<f64, Rank<2>> {
    tensor![[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]
}

// ------------------------------------------------------------------ shape mismatches

#[test]
fn broadcasting() {
    let (a, b) = (matrix(), Tensor::<f64, _>::zeros([2, 4]));
    let text = |verb: &str| {
        format!("cannot {verb} shapes [2, 3] and [2, 4]: axis 1 is 3 and 4 (row-major aligns trailing axes)")
    };
    rejected!(a.try_add(&b), &a + &b, Error::ShapeMismatch { .. }, text("add"));
    rejected!(a.try_sub(&b), &a - b.clone(), Error::ShapeMismatch { .. }, text("subtract"));
    rejected!(a.try_mul(&b), a.clone() * &b, Error::ShapeMismatch { .. }, text("multiply"));
    rejected!(a.try_div(&b), a.clone() / b.clone(), Error::ShapeMismatch { .. }, text("divide"));
    rejected!(a.try_rem(&b), a.view() % b.view(), Error::ShapeMismatch { .. }, text("take the remainder of"));
    rejected!(a.try_maximum(&b), a.maximum(&b), Error::ShapeMismatch { .. }, text("take maximum of"));
    rejected!(a.try_minimum(&b), a.minimum(&b), Error::ShapeMismatch { .. }, text("take minimum of"));
    rejected!(a.try_hypot(&b), a.hypot(&b), Error::ShapeMismatch { .. }, text("take hypot of"));
    rejected!(a.try_atan2(&b), a.atan2(&b), Error::ShapeMismatch { .. }, text("take atan2 of"));
    rejected!(a.try_apply2(op::Add, &b), a.apply2(op::Add, &b), Error::ShapeMismatch { .. }, text("add"));
    rejected!(a.try_lt(&b), a.lt(&b), Error::ShapeMismatch { .. }, text("compare"));
    rejected!(a.try_equal(&b), a.equal(&b), Error::ShapeMismatch { .. }, text("compare"));
    let (l, r) = (a.gt(0.0), b.gt(0.0));
    rejected!(l.try_and(&r), &l & &r, Error::ShapeMismatch { .. }, text("combine"));
    rejected!(l.try_select(&b, &a), l.select(&b, &a), Error::ShapeMismatch { .. }, text("select from"));
    rejected!(l.try_select(&a, &b), l.select(&a, &b), Error::ShapeMismatch { .. }, text("select from"));
    let zipped = Err::<(), _>(Error::ShapeMismatch {
        op: "zip",
        left: vec![2, 3],
        right: vec![2, 4],
        row_major: true,
    });
    rejected!(zipped, a.zip_map(&b, |x, y| x + y), Error::ShapeMismatch { .. }, text("zip"));
}

#[test]
fn broadcasting_in_column_major_order() {
    let a = matrix().to_order::<ColMajor>();
    let v = Tensor::<f64, _, ColMajor>::zeros([3]);
    rejected!(
        a.try_add(&v),
        &a + &v,
        Error::ShapeMismatch { row_major: false, .. },
        "cannot add shapes [2, 3] and [3]: axis 0 is 2 and 3 (column-major aligns leading axes)"
    );
    // The extents differ in the last axis (3 and 5) and in the axis before it (2 and 3). The message names the axis with the smaller
    // stride, which is the last axis in row-major order.
    let b = Tensor::<f64, _>::zeros([7, 3, 5]);
    rejected!(
        matrix().try_add(&b),
        &matrix() + &b,
        Error::ShapeMismatch { .. },
        "cannot add shapes [2, 3] and [7, 3, 5]: axis 2 is 3 and 5 (row-major aligns trailing axes)"
    );
}

#[test]
fn assignments() {
    let (mut x, small) = (matrix(), Tensor::<f64, _>::zeros([2]));
    let text = |verb: &str, from: &str| {
        format!(
            "cannot {verb} shape {from} in place to shape [2, 3]: the source does not broadcast to the target's shape \
             (row-major aligns trailing axes); compute a new tensor instead"
        )
    };
    rejected!(x.try_assign(&small), x.assign(&small), Error::AssignShape { .. }, text("assign", "[2]"));
    rejected!(x.try_add_assign(&small), x += &small, Error::AssignShape { .. }, text("add", "[2]"));
    rejected!(
        x.try_sub_assign(&small),
        x -= small.clone(),
        Error::AssignShape { .. },
        text("subtract", "[2]")
    );
    rejected!(x.try_mul_assign(&small), x *= &small, Error::AssignShape { .. }, text("multiply", "[2]"));
    rejected!(x.try_div_assign(&small), x /= &small, Error::AssignShape { .. }, text("divide", "[2]"));
    rejected!(
        x.try_rem_assign(&small),
        x %= &small,
        Error::AssignShape { .. },
        text("take the remainder of", "[2]")
    );
    rejected!(
        x.try_add_scaled(2.0, &small),
        x.add_scaled(2.0, &small),
        Error::AssignShape { .. },
        text("add", "[2]")
    );
    // `row` would broadcast to the shape of `tall`, but an assignment broadcasts only its right operand.
    let tall = Tensor::<f64, _>::zeros([2, 3]);
    let mut row = x.slice_mut(s![..1, ..]);
    let error = row.try_add_assign(&tall).unwrap_err();
    assert!(matches!(error, Error::AssignShape { .. }), "{error}");
    assert_eq!(x, matrix());
}

#[test]
fn broadcast_views() {
    let x = matrix();
    rejected!(
        x.try_broadcast_to([3, 3]),
        x.broadcast_to([3, 3]),
        Error::BroadcastShape { .. },
        "cannot broadcast shape [2, 3] to [3, 3]: only axes of extent 1 are repeated (row-major aligns trailing axes)"
    );
}

#[test]
fn products() {
    let (a, b) = (matrix(), Tensor::<f64, _>::zeros([2, 4]));
    let rule = "(row-major: the last two axes are the matrix, batches lead)";
    let text = format!("cannot matmul shapes [2, 3] and [2, 4]: the summed axes have extents 3 and 2 {rule}");
    rejected!(a.try_matmul(&b), a.matmul(&b), Error::Matmul { .. }, text);
    let (a, b) = (Tensor::<f64, _>::zeros([2, 4, 3]), Tensor::<f64, _>::zeros([5, 3, 1]));
    let text =
        format!("cannot matmul shapes [2, 4, 3] and [5, 3, 1]: the batch axes do not broadcast {rule}");
    rejected!(a.try_matmul(&b), a.matmul(&b), Error::Matmul { .. }, text);
    let (a, v) = (Tensor::<f64, _, ColMajor>::zeros([2, 3]), Tensor::<f64, _, ColMajor>::zeros([2]));
    let text = "cannot matmul shapes [2, 3] and [2]: the summed axes have extents 3 and 2 \
                (column-major: the first two axes are the matrix, batches trail)";
    rejected!(a.try_matmul(&v), a.matmul(&v), Error::Matmul { .. }, text);
}

// ------------------------------------------------------------------ axes, indices, ranges

/// Each message names the operation, the axis and the shape.
#[test]
fn axes_out_of_range() {
    let (mut x, three) = (matrix(), 3);
    let text = |verb: &str| format!("{verb}: axis 3 is out of range for shape [2, 3], whose axes are 0 to 1");
    let pair = |what: &str| format!("cannot {what}: out of range for shape [2, 3], whose axes are 0 to 1");
    rejected!(x.try_sum_axis(three), x.sum_axis(three), Error::AxisOutOfRange { .. }, text("sum"));
    rejected!(x.try_sum_axes([0, 3]), x.sum_axes([0, 3]), Error::AxisOutOfRange { .. }, text("sum"));
    rejected!(x.try_sum_keepdims([3]), x.sum_keepdims([3]), Error::AxisOutOfRange { .. }, text("sum"));
    rejected!(x.try_cumsum(three), x.cumsum(three), Error::AxisOutOfRange { .. }, text("accumulate"));
    rejected!(x.try_cumprod(three), x.cumprod(three), Error::AxisOutOfRange { .. }, text("accumulate"));
    rejected!(
        x.try_trace(0, three),
        x.trace(0, three),
        Error::AxisPair { .. },
        pair("trace over axes 0 and 3")
    );
    rejected!(
        x.try_diagonal(three, 1),
        x.diagonal(three, 1),
        Error::AxisPair { .. },
        pair("take the diagonal over axes 3 and 1")
    );
    rejected!(
        x.try_diagonal(three, 1),
        x.diagonal_mut(three, 1),
        Error::AxisPair { .. },
        pair("take the diagonal over axes 3 and 1")
    );
    rejected!(x.try_permute([0, 3]), x.permute([0, 3]), Error::AxisOutOfRange { .. }, text("permute"));
    rejected!(x.try_permute([0, 3]), x.permute_mut([0, 3]), Error::AxisOutOfRange { .. }, text("permute"));
    rejected!(
        x.try_swap_axes(0, three),
        x.swap_axes(0, three),
        Error::AxisOutOfRange { .. },
        text("swap axes")
    );
    rejected!(
        x.try_remove_axis(three),
        x.remove_axis(three),
        Error::AxisOutOfRange { .. },
        text("remove an axis")
    );
    rejected!(
        x.try_index_axis(three, 0),
        x.index_axis(three, 0),
        Error::AxisOutOfRange { .. },
        text("index")
    );
    rejected!(
        x.try_index_axis(three, 0),
        x.index_axis_mut(three, 0),
        Error::AxisOutOfRange { .. },
        text("index")
    );
    rejected!(x.try_split_at(three, 0), x.split_at(three, 0), Error::AxisOutOfRange { .. }, text("split"));
    rejected!(
        x.try_split_at(three, 0),
        x.split_at_mut(three, 0),
        Error::AxisOutOfRange { .. },
        text("split")
    );
    rejected!(
        x.try_insert_axis(3),
        x.insert_axis(3),
        Error::Argument { .. },
        "cannot insert an axis: index 3 exceeds the rank of shape [2, 3]; valid indices are 0 to 2"
    );
    let single = Tensor::<f64, _>::scalar(1.0);
    let text = "accumulate: axis 0 is out of range: a tensor of rank 0 has no axes";
    rejected!(single.try_cumsum(0), single.cumsum(0), Error::AxisOutOfRange { .. }, text);
}

/// Each message contains the negative number as given, and the valid range of negative numbers.
#[test]
fn negative_axes_and_indices_out_of_range() {
    let mut x = matrix();
    let range = "out of range for shape [2, 3], whose axes are 0 to 1, or -2 to -1";
    let text = |verb: &str| format!("{verb}: axis -3 is {range}");
    rejected!(x.try_sum_axis(-3), x.sum_axis(-3), Error::AxisOutOfRange { axis: -3, .. }, text("sum"));
    rejected!(x.try_sum_axes([0, -3]), x.sum_axes([0, -3]), Error::AxisOutOfRange { .. }, text("sum"));
    rejected!(x.try_sum_keepdims(-3), x.sum_keepdims(-3), Error::AxisOutOfRange { .. }, text("sum"));
    rejected!(x.try_cumsum(-3), x.cumsum(-3), Error::AxisOutOfRange { .. }, text("accumulate"));
    rejected!(x.try_permute([0, -3]), x.permute([0, -3]), Error::AxisOutOfRange { .. }, text("permute"));
    rejected!(x.try_index_axis(-3, 0), x.index_axis_mut(-3, 0), Error::AxisOutOfRange { .. }, text("index"));
    let pair = format!("cannot trace over axes 0 and -3: {range}");
    rejected!(x.try_trace(0, -3), x.trace(0, -3), Error::AxisPair { axes: [0, -3], .. }, pair);
    let twice = "sum: an axis occurs twice in [1, 1], for shape [2, 3]; name each axis once";
    rejected!(x.try_sum_axes([1, -1]), x.sum_axes([1, -1]), Error::RepeatedAxis { .. }, twice);
    let insert = "cannot insert an axis: index -4 is out of range for shape [2, 3]; valid indices are 0 to 2, or -3 to -1";
    rejected!(x.try_insert_axis(-4), x.insert_axis(-4), Error::Argument { .. }, insert);
    let index = |op, at| {
        format!("cannot {op}: index {at} is out of bounds for axis 1 of shape [2, 3], whose extent is 3")
    };
    rejected!(
        x.try_index_axis(1, -4),
        x.index_axis(1, -4),
        Error::IndexOutOfBounds { .. },
        index("index", -4)
    );
    rejected!(x.try_split_at(1, -4), x.split_at(1, -4), Error::IndexOutOfBounds { .. }, index("split", -4));
    let text = "sum: axis -1 is out of range: a tensor of rank 0 has no axes";
    assert_eq!(
        vierbein::DynTensor::from(Tensor::<f64, _>::scalar(1.0)).sum_axis(-1).unwrap_err().to_string(),
        text
    );

    let text = "cannot reshape [2, 3] to [4, -1]: 6 elements are not a multiple of 4";
    rejected!(x.try_as_shape([4, -1]), x.as_shape([4, -1]), Error::Reshape { .. }, text);
    let text = "cannot reshape [2, 3] to [-1, -1]: only one extent can be -1";
    rejected!(x.try_as_shape([-1, -1]), x.clone().reshape((-1, -1)), Error::Reshape { .. }, text);
}

/// Tests the panicking variants only. `rejected!` compares each panic with an error, so the errors are constructed here.
#[test]
fn axes_of_iterators() {
    let mut x = matrix();
    let text = |verb: &str| format!("{verb}: axis 3 is out of range for shape [2, 3], whose axes are 0 to 1");
    let error = |op| Err::<(), _>(Error::AxisOutOfRange { op, axis: 3, shape: vec![2, 3] });
    rejected!(error("iterate"), x.axis_iter(3).len(), Error::AxisOutOfRange { .. }, text("iterate"));
    rejected!(error("iterate"), x.axis_iter_mut(3).len(), Error::AxisOutOfRange { .. }, text("iterate"));
    rejected!(error("take lanes"), x.lanes(3).len(), Error::AxisOutOfRange { .. }, text("take lanes"));
    rejected!(error("take lanes"), x.lanes_mut(3).len(), Error::AxisOutOfRange { .. }, text("take lanes"));
}

/// In every variant of every reduction, the message names the reduction, the axis and the shape.
#[test]
fn axes_of_every_reduction() {
    macro_rules! all_forms {
        ($x:expr, $name:literal: $axis:ident $try_axis:ident $axes:ident $try_axes:ident $keep:ident $try_keepdims:ident $(, $arg:expr)?) => {{
            let x = $x;
            let named = |error: Error| {
                let text = error.to_string();
                assert!([$name, "3", "[2, 3]"].iter().all(|part| text.contains(part)), "{text}");
                assert!(matches!(error, Error::AxisOutOfRange { axis: 3, .. }), "{text}");
            };
            named(both_forms(x.$try_axis(3 $(, $arg)?).map(|_| ()), || drop(x.$axis(3 $(, $arg)?))));
            named(both_forms(x.$try_axes([3, 0] $(, $arg)?).map(|_| ()), || drop(x.$axes([3, 0] $(, $arg)?))));
            named(both_forms(x.$try_keepdims(3 $(, $arg)?).map(|_| ()), || drop(x.$keep(3 $(, $arg)?))));
            let error = both_forms(x.$try_keepdims([1, 1] $(, $arg)?).map(|_| ()), || drop(x.$keep([1, 1] $(, $arg)?)));
            assert!(matches!(error, Error::RepeatedAxis { .. }), "{error}");
        }};
    }
    let x = matrix();
    all_forms!(&x, "sum": sum_axis try_sum_axis sum_axes try_sum_axes sum_keepdims try_sum_keepdims);
    all_forms!(&x, "product": prod_axis try_prod_axis prod_axes try_prod_axes prod_keepdims try_prod_keepdims);
    all_forms!(&x, "mean": mean_axis try_mean_axis mean_axes try_mean_axes mean_keepdims try_mean_keepdims);
    all_forms!(&x, "variance": var_axis try_var_axis var_axes try_var_axes var_keepdims try_var_keepdims, 1);
    all_forms!(&x, "deviation": std_axis try_std_axis std_axes try_std_axes std_keepdims try_std_keepdims, 0);
    all_forms!(&x, "norm": norm_axis try_norm_axis norm_axes try_norm_axes norm_keepdims try_norm_keepdims);
    all_forms!(&x, "maximum": max_axis try_max_axis max_axes try_max_axes max_keepdims try_max_keepdims);
    all_forms!(&x, "minimum": min_axis try_min_axis min_axes try_min_axes min_keepdims try_min_keepdims);
    all_forms!(&x, "maximum": argmax_axis try_argmax_axis argmax_axes try_argmax_axes argmax_keepdims try_argmax_keepdims);
    all_forms!(&x, "minimum": argmin_axis try_argmin_axis argmin_axes try_argmin_axes argmin_keepdims try_argmin_keepdims);
    let mask = x.gt(0.0);
    all_forms!(&mask, "all": all_axis try_all_axis all_axes try_all_axes all_keepdims try_all_keepdims);
    all_forms!(&mask, "any": any_axis try_any_axis any_axes try_any_axes any_keepdims try_any_keepdims);
}

#[test]
fn repeated_and_unequal_axes() {
    let x = matrix();
    let text =
        |verb: &str| format!("{verb}: an axis occurs twice in [1, 1], for shape [2, 3]; name each axis once");
    rejected!(x.try_trace(1, 1), x.trace(1, 1), Error::RepeatedAxis { .. }, text("trace"));
    rejected!(x.try_diagonal(1, 1), x.diagonal(1, 1), Error::RepeatedAxis { .. }, text("take the diagonal"));
    rejected!(x.try_permute([1, 1]), x.permute([1, 1]), Error::RepeatedAxis { .. }, text("permute"));
    rejected!(x.try_sum_axes([1, 1]), x.sum_axes([1, 1]), Error::RepeatedAxis { .. }, text("sum"));
    let text = |verb: &str| {
        format!(
            "cannot {verb} over axes 0 and 1 of shape [2, 3]: their extents 2 and 3 differ; shorten the longer axis \
             with `.slice(..)` first"
        )
    };
    rejected!(x.try_trace(0, 1), x.trace(0, 1), Error::ExtentMismatch { .. }, text("trace"));
    rejected!(
        x.try_diagonal(0, 1),
        x.diagonal(0, 1),
        Error::ExtentMismatch { .. },
        text("take the diagonal")
    );
    rejected!(
        x.try_remove_axis(1),
        x.remove_axis(1),
        Error::NotUnitAxis { .. },
        "cannot remove axis 1 of shape [2, 3]: its extent is 3, not 1; choose one index with `.index_axis(1, i)` instead"
    );
}

#[test]
fn positions() {
    let mut x = matrix();
    let text = |verb: &str, index: isize| {
        format!("cannot {verb}: index {index} is out of bounds for axis 1 of shape [2, 3], whose extent is 3")
    };
    rejected!(x.try_index_axis(1, 3), x.index_axis(1, 3), Error::IndexOutOfBounds { .. }, text("index", 3));
    rejected!(
        x.try_index_axis(1, 3),
        x.index_axis_mut(1, 3),
        Error::IndexOutOfBounds { .. },
        text("index", 3)
    );
    rejected!(x.try_split_at(1, 4), x.split_at(1, 4), Error::IndexOutOfBounds { .. }, text("split", 4));
    rejected!(x.try_split_at(1, 4), x.split_at_mut(1, 4), Error::IndexOutOfBounds { .. }, text("split", 4));
    rejected!(x.try_slice(s![.., 3]), x.slice(s![.., 3]), Error::IndexOutOfBounds { .. }, text("slice", 3));
    rejected!(
        x.try_slice(s![.., -4]),
        x.slice(s![.., -4]),
        Error::IndexOutOfBounds { .. },
        text("slice", -4)
    );
    rejected!(
        x.try_slice_mut(s![0, 7]),
        x.slice_mut(s![0, 7]),
        Error::IndexOutOfBounds { .. },
        text("slice", 7)
    );
    // The fallible variant of `x[index]` is `get`, which returns `None`. So the expected error is created by hand.
    let error =
        || Err::<(), _>(Error::IndexOutOfBounds { op: "index", index: 5, axis: 1, shape: vec![2, 3] });
    rejected!(error(), x[[0, 5]], Error::IndexOutOfBounds { .. }, text("index", 5));
    rejected!(error(), x[[0, 5]] = 1.0, Error::IndexOutOfBounds { .. }, text("index", 5));
    assert!(x.get([0, 5]).is_none() && x.get_mut([2, 0]).is_none());
}

#[test]
fn ranges() {
    let mut x = matrix();
    let text = |range: &str, why: &str| format!("cannot slice axis 1 of shape [2, 3] with {range}: {why}");
    macro_rules! range {
        ($range:expr $(; $step:expr)?, $written:expr, $why:literal) => {
            rejected!(
                x.try_slice(s![.., $range $(; $step)?]),
                x.slice_mut(s![.., $range $(; $step)?]),
                Error::InvalidSlice { .. },
                text($written, $why)
            );
        };
    }
    range!(1..4, "1..4", "it extends past the end of the axis");
    range!(4.., "4..", "it extends past the end of the axis");
    range!(..=3, "..=3", "it extends past the end of the axis");
    range!(-4.., "-4..", "it begins or ends before the first index");
    range!(..-5, "..-5", "it begins or ends before the first index");
    range!(..;0, "..; 0", "the step must not be 0");
    range!(2..usize::MAX;-3, &format!("2..{}; -3", isize::MAX), "it extends past the end of the axis");
    let (from, to) = (2, 1);
    range!(from..to, "2..1", "it ends before it begins; use a negative step to iterate backwards");
}

// ------------------------------------------------------------------ counts

#[test]
fn reshapes() {
    let mut x = matrix();
    let text = "cannot reshape [2, 3] to [4, 2]: they have 6 and 8 elements";
    rejected!(x.try_as_shape([4, 2]), x.as_shape([4, 2]), Error::Reshape { .. }, text);
    rejected!(x.try_as_shape([4, 2]), x.as_shape_mut([4, 2]), Error::Reshape { .. }, text);
    rejected!(x.clone().try_reshape([4, 2]), x.view().reshape([4, 2]), Error::Reshape { .. }, text);
    let max = usize::MAX;
    let text = format!("cannot reshape [2, 3] to [{}, 2]: they have 6 and {} elements", isize::MAX, max - 1);
    rejected!(x.try_as_shape([max, 2]), x.clone().reshape([max, 2]), Error::Reshape { .. }, text);
    let empty = Tensor::<f64, _>::zeros([0]);
    assert!(matches!(empty.try_as_shape([0, max, max]), Err(Error::Overflow { .. })));
    // A failed reshape leaves the tensor unchanged.
    assert_eq!(x, matrix());

    let text = "cannot reshape without a copy of a view of shape [3, 2] with strides [1, 3]: \
                it is not contiguous in row-major order; copy it first with `.to_owned()`";
    rejected!(x.t().try_as_shape([6]), x.t().as_shape([6]), Error::NotContiguous { .. }, text);
    let text = |shape: &str, strides: &str| {
        format!(
            "cannot borrow a slice of a view of shape {shape} with strides {strides}: \
             it is not contiguous in row-major order; copy it first with `.to_owned()`"
        )
    };
    assert_eq!(x.t().try_as_slice().unwrap_err().to_string(), text("[3, 2]", "[1, 3]"));
    assert_eq!(x.index_axis_mut(1, 0).try_as_mut_slice().unwrap_err().to_string(), text("[2]", "[3]"));
}

#[test]
fn lengths() {
    let text = "cannot make a tensor of shape [2, 3] from 5 values: it has 6 elements";
    rejected!(
        Tensor::<i32, _>::try_from_vec([2, 3], vec![0; 5]),
        Tensor::<i32, _>::from_vec([2, 3], vec![0; 5]),
        Error::LengthMismatch { .. },
        text
    );
    rejected!(
        Tensor::<i32, _, ColMajor>::try_from_slice_in([2, 3], &[0; 5], &Cpu),
        Tensor::<i32, _, ColMajor>::from_slice([2, 3], &[0; 5]),
        Error::LengthMismatch { .. },
        text
    );
}

#[test]
fn sizes_beyond_the_address_space() {
    let max = usize::MAX;
    let text = |shape: &str| {
        format!(
            "cannot make a tensor of shape {shape} with 8 bytes per element: its size exceeds the address space"
        )
    };
    type T<const N: usize> = Tensor<f64, Rank<N>>;
    let pair = text(&format!("[{max}, 2]"));
    rejected!(T::try_zeros([max, 2]), T::zeros([max, 2]), Error::Overflow { .. }, pair);
    rejected!(T::try_ones([max, 2]), T::ones([max, 2]), Error::Overflow { .. }, pair);
    rejected!(T::try_full([max, 2], 1.0), T::full([max, 2], 1.0), Error::Overflow { .. }, pair);
    rejected!(T::try_from_vec([max, 2], vec![]), T::from_vec([max, 2], vec![]), Error::Overflow { .. }, pair);
    rejected!(T::try_from_slice([max, 2], &[]), T::from_slice([max, 2], &[]), Error::Overflow { .. }, pair);
    rejected!(
        T::try_from_fn_in([max, 2], |_| 0.0, &Cpu),
        T::from_fn([max, 2], |_| 0.0),
        Error::Overflow { .. },
        pair
    );
    // An empty tensor must have representable strides, too.
    rejected!(
        T::try_zeros([max, 0]),
        T::zeros_in([max, 0], &Cpu),
        Error::Overflow { .. },
        text(&format!("[{max}, 0]"))
    );
    let bytes = text(&format!("[{}]", max / 8));
    rejected!(T::try_zeros([max / 8]), T::zeros([max / 8]), Error::Overflow { .. }, bytes);
    rejected!(
        T::try_eye_in(max, &Cpu),
        T::eye(max),
        Error::Overflow { .. },
        text(&format!("[{max}, {max}]"))
    );
    let line = text(&format!("[{max}]"));
    let linspace = T::try_linspace_in(0.0, 1.0, max, &Cpu);
    rejected!(linspace, T::linspace(0.0, 1.0, max), Error::Overflow { .. }, line);
    // This range has `usize::MAX` elements. On a 64-bit machine it contains all `i64` but the last. On a 32-bit machine, the range
    // `all` has more elements than `usize` can represent.
    let range = isize::MIN as i64..isize::MAX as i64;
    rejected!(
        Tensor::<i64, _>::try_arange_in(range.start, range.end, 1, &Cpu),
        Tensor::<i64, _>::arange(range.clone()),
        Error::Overflow { .. },
        line
    );
    let all = Tensor::<i64, _>::try_arange_in(i64::MIN, i64::MAX, 1, &Cpu).unwrap_err();
    match usize::BITS {
        64 => assert_eq!(all.to_string(), line),
        _ => assert_eq!(
            all.to_string(),
            "cannot create a range: 18446744073709551615 elements exceed the address space"
        ),
    }
}

/// The stride of a diagonal is the sum of the strides of two axes. In an empty tensor, each of the two can be up to `isize::MAX`,
/// so the sum can overflow.
#[test]
fn diagonal_strides_that_overflow() {
    let max = isize::MAX as usize;
    let x = Tensor::<u8, _>::zeros([0, 0, max]);
    assert_eq!(x.try_diagonal(0, 1).map(|x| x.shape()), Ok([max, 0]));
    assert_eq!(Tensor::<u8, _>::zeros([0, 0, max]).try_diagonal_mut(0, 1).map(|x| x.shape()), Ok([max, 0]));
    assert_eq!(DynTensor::from(x.clone()).diagonal(0, 1).unwrap().shape(), [max, 0]);
    // The result has one element for each index of the last axis, too many to fit in memory.
    assert!(matches!(x.try_trace(0, 1), Err(Error::OutOfMemory { .. })), "{:?}", x.try_trace(0, 1));
    assert!(matches!(try_einsum!("iij->j", &x), Err(Error::OutOfMemory { .. })));
    assert_eq!(try_einsum!("iij->", &x), Ok(Tensor::<u8, Rank<0>>::scalar(0)));
}

#[test]
fn wrong_axis_is_reported_before_the_result_is_allocated() {
    let one = Tensor::<f64, Rank<0>>::scalar(1.0);
    let x = one.broadcast_to([1 << (usize::BITS - 8), 4]);
    assert!(matches!(x.try_softmax(0), Err(Error::OutOfMemory { .. })));
    assert!(matches!(x.try_softmax(2), Err(Error::AxisOutOfRange { .. })));
    assert!(matches!(x.try_log_softmax([0, 0]), Err(Error::RepeatedAxis { .. })));
}

#[cfg(feature = "rand")]
#[test]
fn random_tensors_beyond_the_address_space() {
    use rand::{SeedableRng, distr::StandardUniform, rngs::StdRng};
    let mut rng = StdRng::seed_from_u64(1);
    rejected!(
        Tensor::<f64, _>::try_random_in([usize::MAX], StandardUniform, &mut rng, &Cpu),
        Tensor::<f64, _>::random([usize::MAX], StandardUniform, &mut rng),
        Error::Overflow { .. },
        format!(
            "cannot make a tensor of shape [{}] with 8 bytes per element: its size exceeds the address space",
            usize::MAX
        )
    );
}

#[test]
fn sizes_that_exceed_memory() {
    let n = isize::MAX as usize;
    let text = format!("cannot allocate {n} bytes on Cpu: out of memory");
    type T = Tensor<u8, Rank<1>>;
    rejected!(T::try_zeros([n]), T::zeros([n]), Error::OutOfMemory { .. }, text);
    rejected!(T::try_full([n], 1), T::full([n], 1), Error::OutOfMemory { .. }, text);
    rejected!(T::try_from_fn_in([n], |_| 1, &Cpu), T::from_fn([n], |_| 1), Error::OutOfMemory { .. }, text);
    // A broadcast view with `n` elements is valid. Operations on it return an error instead of aborting the process.
    let one = Tensor::<u8, _>::scalar(1);
    let v = one.broadcast_to([n]);
    rejected!(v.try_to_owned(), v.to_owned(), Error::OutOfMemory { .. }, text);
    rejected!(v.try_add(&v), v + v, Error::OutOfMemory { .. }, text);
    rejected!(v.try_add(1), v + 1, Error::OutOfMemory { .. }, text);
    rejected!(v.try_cumsum(0), v.cumsum(0), Error::OutOfMemory { .. }, text);
    rejected!(v.to_device::<Cpu>(), v.to_vec(), Error::OutOfMemory { .. }, text);
    rejected!(v.try_reshape([1, n]), v.flatten(), Error::OutOfMemory { .. }, text);
    rejected!(v.try_to_order::<ColMajor>(), v.to_order::<ColMajor>(), Error::OutOfMemory { .. }, text);
    assert!(matches!(v.try_cast::<f64>(), Err(Error::Overflow { .. })));
    assert!(matches!(v.try_broadcast_to([3, n]), Err(Error::Overflow { .. })));
    let long = 1 << (usize::BITS / 2 + 4);
    let (row, column) = (one.broadcast_to([1, long]), one.broadcast_to([long, 1]));
    assert!(matches!(row.try_mul(&column), Err(Error::Overflow { .. })));
    assert!(matches!(column.try_matmul(row), Err(Error::Overflow { .. })));
    assert!(matches!(Tensor::try_from_diagonal(&v), Err(Error::Overflow { .. })));
}

#[test]
fn extrema_over_zero_elements() {
    let x = Tensor::<f64, _>::zeros([2, 0]);
    let text =
        |name: &str| format!("cannot take the {name} of shape [2, 0]: the reduced axes have zero elements");
    rejected!(x.try_max(), x.max(), Error::Empty { .. }, text("maximum"));
    rejected!(x.try_min_axis(1), x.min_axis(1), Error::Empty { .. }, text("minimum"));
    rejected!(x.try_max_axes([0, 1]), x.max_axes([0, 1]), Error::Empty { .. }, text("maximum"));
    rejected!(x.try_min_keepdims(1), x.min_keepdims(1), Error::Empty { .. }, text("minimum"));
    rejected!(x.try_argmax(), x.argmax(), Error::Empty { .. }, text("index of the maximum"));
    rejected!(
        x.try_argmin_keepdims(1),
        x.argmin_keepdims(1),
        Error::Empty { .. },
        text("index of the minimum")
    );
    // A maximum over zero elements is undefined. But this result has zero elements, so it contains no undefined maximum.
    assert_eq!(x.max_axis(0).shape(), [0]);
}

#[test]
fn arguments() {
    let x = matrix();
    let text = "cannot clamp: the lower bound 2 must be at most the upper bound 1";
    rejected!(x.try_clamp(2.0, 1.0), x.clamp(2.0, 1.0), Error::Argument { .. }, text);
    assert!(matches!(x.try_clamp(f64::NAN, 1.0), Err(Error::Argument { .. })));
    let text = "cannot create a range: the step is 0; it must be positive or negative";
    type T = Tensor<i32, Rank<1>>;
    rejected!(T::try_arange_in(0, 5, 0, &Cpu), T::arange_step(0, 5, 0), Error::Argument { .. }, text);
    for (range, step) in
        [(0.0..f64::NAN, 1.0), (0.0..1.0, f64::NAN), (0.0..f64::INFINITY, 1.0), (0.0..1.0, 1e-300)]
    {
        let error = Tensor::<f64, _>::try_arange_in(range.start, range.end, step, &Cpu).unwrap_err();
        assert!(matches!(error, Error::Argument { .. } | Error::Overflow { .. }), "{error}");
    }
}

#[test]
fn absent_devices() {
    for error in [Cuda::<4095>::new().unwrap_err(), matrix().to_device::<Cuda<4095>>().unwrap_err()] {
        assert!(matches!(error, Error::DeviceUnavailable { .. }), "{error}");
        assert!(error.to_string().starts_with("Cuda<4095> is not available: "), "{error}");
    }
    rejected!(
        Tensor::<f64, _, RowMajor, Cuda<4095>>::try_zeros([2]),
        Tensor::<f64, _, RowMajor, Cuda<4095>>::zeros([2]),
        Error::DeviceUnavailable { .. },
        Cuda::<4095>::new().unwrap_err().to_string()
    );
}

/// A user-defined slice argument that is incorrect: it is declared for tensors of rank 2, but has no items.
#[derive(Clone, Copy)]
struct NoArguments;

impl vierbein::SliceOf<Rank<2>> for NoArguments {
    type Sliced = Rank<0>;
    type Items = [vierbein::dyn_tensor::SliceItem; 0];
    fn items(self) -> Self::Items {
        []
    }
}

#[test]
fn slice_with_missing_arguments_is_error() {
    // `NoArguments` claims that the slice has rank 0, and so one element. But the tensor is empty, so this element would be outside of
    // the tensor.
    let mut x: Tensor<f64, Rank<2>> = Tensor::zeros([0, 3]);
    let expected = "slice: this slice has no arguments for the remaining `Rank<2>`: too few arguments; \
        a slice has one argument for each axis; write `..` to keep an axis whole";
    assert_eq!(x.try_slice(NoArguments).unwrap_err().to_string(), expected);
    assert_eq!(x.try_slice_mut(NoArguments).unwrap_err().to_string(), expected);
    assert_eq!(x.view_mut().try_into_slice(NoArguments).unwrap_err().to_string(), expected);
}
