//! Tests of serde: the serialised form of tensors, accepted input, and rejected input.

use super::memory::modest;
use super::says;
use proptest::prelude::*;
use serde_json::{Value, json};
use vierbein::prelude::*;
use vierbein::{DynTensor, c64, tensor};

type Matrix = Tensor<f64, Rank<2>>;

fn rejected<X: serde_core::de::DeserializeOwned + std::fmt::Debug>(text: &str) -> String {
    modest(text.len(), || serde_json::from_str::<X>(text)).unwrap_err().to_string()
}

#[test]
fn serialised_form_equals_documentation() {
    let x = tensor![[1.5, 2.0], [3.0, 4.0]];
    let text = r#"{"dtype":"f64","order":"row-major","shape":[2,2],"values":[1.5,2.0,3.0,4.0]}"#;
    assert_eq!(serde_json::to_string(&x).unwrap(), text);
    assert_eq!(serde_json::to_string(&DynTensor::from(x.clone())).unwrap(), text);
    let columns = r#"{"dtype":"f64","order":"column-major","shape":[2,2],"values":[1.5,3.0,2.0,4.0]}"#;
    assert_eq!(serde_json::to_string(&x.as_order::<ColMajor>()).unwrap(), columns);
    assert_eq!(
        serde_json::to_string(&x.t()).unwrap().split_once("values").unwrap().1,
        "\":[1.5,3.0,2.0,4.0]}"
    );
    let z = tensor![c64::new(1.0, -2.0)];
    let text = r#"{"dtype":"Complex<f64>","order":"row-major","shape":[1],"values":[[1.0,-2.0]]}"#;
    assert_eq!(serde_json::to_string(&z).unwrap(), text);
    assert_eq!(serde_json::from_str::<Tensor<c64, Rank<1>>>(text).unwrap(), z);
    // The fields are accepted in alphabetical order, and as a list without names.
    let value = serde_json::to_value(&x).unwrap();
    assert_eq!(serde_json::from_value::<Matrix>(value).unwrap(), x);
    let fields = json!(["f64", "row-major", [2, 2], [1.5, 2.0, 3.0, 4.0]]);
    assert_eq!(serde_json::from_value::<Matrix>(fields).unwrap(), x);
    // Integers are accepted as floating-point numbers.
    assert_eq!(
        serde_json::from_str::<DynTensor>(r#"{"shape":[],"order":"row-major","dtype":"f32","values":[3]}"#)
            .unwrap()
            .downcast_ref::<f32, Rank<0>, RowMajor, Cpu>()
            .unwrap()
            .item(),
        3.0
    );
}

#[test]
fn json_has_no_nan() {
    let text = serde_json::to_string(&tensor![1.0, f64::NAN, f64::INFINITY]).unwrap();
    assert!(text.ends_with("[1.0,null,null]}"), "{text}");
    says(&rejected::<Tensor<f64, Rank<1>>>(&text), "invalid type: null, expected f64");
    // Binary formats support NaN and infinities, which are preserved.
    let x = tensor![f32::NAN, f32::NEG_INFINITY, -0.0];
    let back: Tensor<f32, Rank<1>> = serde_bare::from_slice(&serde_bare::to_vec(&x).unwrap()).unwrap();
    let bits = |x: &Tensor<f32, Rank<1>>| x.iter().map(|x| x.to_bits()).collect::<Vec<_>>();
    assert_eq!(bits(&back), bits(&x));
}

#[test]
fn integers_round_trip_exactly() {
    let x = tensor![u64::MAX, 1 << 53 | 1];
    assert_eq!(serde_json::from_str::<Tensor<u64, Rank<1>>>(&serde_json::to_string(&x).unwrap()).unwrap(), x);
    let x = tensor![i64::MIN, i64::MAX];
    assert_eq!(serde_json::from_str::<Tensor<i64, Rank<1>>>(&serde_json::to_string(&x).unwrap()).unwrap(), x);
    let x = tensor![0.1, f64::MIN_POSITIVE, f64::MAX, 5e-324, 1.0 / 3.0];
    assert_eq!(serde_json::from_str::<Tensor<f64, Rank<1>>>(&serde_json::to_string(&x).unwrap()).unwrap(), x);
    let x = Tensor::<f64, _>::from_fn([2000], |[k]| k as f64 / 7.0);
    assert_eq!(serde_json::from_str::<Tensor<f64, Rank<1>>>(&serde_json::to_string(&x).unwrap()).unwrap(), x);
    let x = tensor![0.1f32, f32::MIN_POSITIVE, f32::MAX, 1.0 / 3.0];
    assert_eq!(serde_json::from_str::<Tensor<f32, Rank<1>>>(&serde_json::to_string(&x).unwrap()).unwrap(), x);
}

#[test]
fn mismatched_tensor_is_error_naming_fix() {
    let text = r#"{"dtype":"i32","order":"column-major","shape":[2,2],"values":[1,2,3,4]}"#;
    says(
        &rejected::<Matrix>(text),
        "the data holds a column-major i32 tensor of shape [2, 2], not a row-major one of f64; read it as \
         `Tensor<i32, Rank<2>, ColMajor>` and convert with `.cast::<f64>()`, then `.to_order::<RowMajor>()`",
    );
    // A tensor of rank 1 is accepted with either memory order.
    let text = r#"{"dtype":"i32","order":"column-major","shape":[2],"values":[1,2]}"#;
    assert_eq!(serde_json::from_str::<Tensor<i32, Rank<1>>>(text).unwrap(), tensor![1, 2]);
}

#[test]
fn deserialize_rejects_inconsistent_shape_and_values() {
    let of = |dtype: &str, order: &str, shape: &str, values: &str| {
        format!(r#"{{"dtype":{dtype},"order":{order},"shape":{shape},"values":{values}}}"#)
    };
    let shaped = |shape: &str, values: &str| of("\"f64\"", "\"row-major\"", shape, values);
    // `huge` elements of `f64` have just too many bytes for the address space. `root * root` just exceeds `usize`.
    let (huge, root) = (isize::MAX as usize / 8 + 1, 1usize << (usize::BITS / 2));
    for (text, expected) in [
        (
            shaped("[2,2]", "[1,2,3]"),
            "the field `values` has 3 elements, fewer than the 4 elements of a f64 tensor",
        ),
        (shaped("[2,2]", "[1,2,3,4,5]"), "the field `values` has more than the 4 elements of a f64 tensor"),
        (shaped("[0,2]", "[1]"), "more than the 0 elements"),
        (shaped(&format!("[{huge}]"), "[1]"), "exceeds the address space"),
        (
            shaped("[134217728]", "[1]"),
            "the field `values` has 1 elements, fewer than the 134217728 elements",
        ),
        (shaped(&format!("[{root},{root}]"), "[]"), "exceeds the address space"),
        (shaped(&format!("[0,{root},{root}]"), "[]"), "exceeds the address space"),
        (shaped("[18446744073709551616]", "[]"), "expected usize"),
        (shaped("[-1]", "[]"), "expected usize"),
        (shaped("[1.0]", "[1]"), "expected usize"),
        (shaped("2", "[1]"), "expected the extent of each axis, in the field `shape`"),
        (shaped(&format!("[{}1]", "1,".repeat(64)), "[1]"), "the field `shape` has more than 64 axes"),
        (shaped(&format!("[{}1]", "1,".repeat(9999)), "[1]"), "the field `shape` has more than 64 axes"),
        (shaped("[1]", "1"), "expected elements of the type f64, in the field `values`"),
        (shaped("[1]", "[\"1\"]"), "expected f64"),
        (
            of("\"f16\"", "\"row-major\"", "[]", "[1]"),
            "`f16` is not an element type of tensors, such as `f64`, in the field `dtype`",
        ),
        (of("64", "\"row-major\"", "[]", "[1]"), "in the field `dtype`"),
        (
            of("\"f64\"", "\"C\"", "[]", "[1]"),
            "`C` is not `row-major` or `column-major`, in the field `order`",
        ),
        (of("\"i8\"", "\"row-major\"", "[]", "[128]"), "expected i8"),
        (of("\"f32\"", "\"row-major\"", "[2]", "[1e38,1e39]"), "number out of range"),
        (of("\"Complex<f32>\"", "\"row-major\"", "[1]", "[[1.0,-2e300]]"), "number out of range"),
        (of("\"f64\"", "\"row-major\"", "[1]", "[1e400]"), "number out of range"),
        (of("\"bool\"", "\"row-major\"", "[]", "[1]"), "expected a boolean"),
        (of("\"Complex<f32>\"", "\"row-major\"", "[]", "[1]"), "expected a tuple of size 2"),
        (
            r#"{"values":[1],"dtype":"f64","order":"row-major","shape":[1]}"#.into(),
            "`values` must follow `dtype`, `order` and `shape`",
        ),
        (r#"{"dtype":"f64","order":"row-major","values":[1],"shape":[1]}"#.into(), "`values` must follow"),
        (r#"{"dtype":"f64","order":"row-major","shape":[1]}"#.into(), "missing field `values`"),
        (r#"{"dtype":"f64","order":"row-major"}"#.into(), "missing field `shape`"),
        (r#"{"dtype":"f64"}"#.into(), "missing field `order`"),
        ("{}".into(), "missing field `dtype`"),
        (r#"{"dtype":"f64","dtype":"f64"}"#.into(), "duplicate field `dtype`"),
        (
            r#"{"dtype":"f64","order":"row-major","shape":[],"values":[1],"values":[1]}"#.into(),
            "duplicate field `values`",
        ),
        (
            r#"{"device":"Cpu"}"#.into(),
            "`device` is not one of the fields `dtype`, `order`, `shape` and `values`",
        ),
        ("3".into(), "expected a tensor: a struct of `dtype`, `order`, `shape` and `values`"),
        (r#"["f64","row-major",[1]]"#.into(), "missing field `values`"),
        (r#"["f64","row-major",[],[1],1]"#.into(), "trailing characters"),
    ] {
        says(&rejected::<DynTensor>(&text), expected);
    }
}

#[test]
fn deserialize_rejects_truncated_input() {
    let x = tensor![[1.5, 2.0], [3.0, 4.0]];
    let text = serde_json::to_string(&x).unwrap();
    for length in 0..text.len() {
        rejected::<Matrix>(&text[..length]);
        rejected::<DynTensor>(&text[..length]);
    }
    let bytes = serde_bare::to_vec(&x).unwrap();
    for length in 0..bytes.len() {
        modest(length, || serde_bare::from_slice::<Matrix>(&bytes[..length])).unwrap_err();
        modest(length, || serde_bare::from_slice::<DynTensor>(&bytes[..length])).unwrap_err();
    }
}

/// A binary format states the number of elements before the elements. The reader must not allocate memory because of this number
/// alone.
#[test]
fn claimed_elements_are_not_allocated() {
    let huge = [0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x08]; // 2^59
    let mut bytes = serde_bare::to_vec(&("u8", "row-major")).unwrap();
    bytes.push(1);
    bytes.extend(huge);
    bytes.extend(huge);
    bytes.extend([7; 100]);
    modest(bytes.len(), || serde_bare::from_slice::<DynTensor>(&bytes)).unwrap_err();
    modest(bytes.len(), || serde_bare::from_slice::<Tensor<u8, Rank<1>>>(&bytes)).unwrap_err();
}

proptest! {
    #[test]
    fn any_damage_is_rejected_or_consistent(
        dtype in prop::sample::select(vec!["i8", "f64", "bool", "Complex<f32>"]),
        damage in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 0..4),
        numbers in prop::collection::vec(any::<i8>(), 0..6),
    ) {
        let values: Vec<Value> = numbers.iter().map(|&n| match dtype {
            "bool" => json!(n > 0),
            "Complex<f32>" => json!([n, n]),
            _ => json!(n),
        }).collect();
        let x = json!({"dtype": dtype, "order": "row-major", "shape": [numbers.len()], "values": values});
        let mut bytes = x.to_string().into_bytes();
        if damage.is_empty() {
            prop_assert!(serde_json::from_slice::<DynTensor>(&bytes).is_ok());
        }
        for (at, byte) in damage {
            let at = at.index(bytes.len());
            bytes[at] = byte;
        }
        if let Ok(x) = modest(bytes.len(), || serde_json::from_slice::<DynTensor>(&bytes)) {
            prop_assert_eq!(x.len(), x.shape().iter().product::<usize>());
        }
        let _ = modest(bytes.len(), || serde_bare::from_slice::<DynTensor>(&bytes));
    }
}

/// `serde_json::Value` represents every decimal number as `f64`. A number that is too large for `f32` must be an error, not an
/// infinity.
#[test]
fn deserialize_rejects_numbers_too_large_for_f32() {
    for (dtype, values, found) in
        [("f32", "[1e38,1e39]", "1e39"), ("Complex<f32>", "[[1.0,-2e300],[0.0,0.0]]", "-2e300")]
    {
        let text = format!(r#"{{"dtype":"{dtype}","order":"row-major","shape":[2],"values":{values}}}"#);
        let value: serde_json::Value = serde_json::from_str(&text).unwrap();
        let error = serde_json::from_value::<DynTensor>(value).unwrap_err().to_string();
        says(&error, &format!("has {found}, which is too large for f32"));
    }
}
