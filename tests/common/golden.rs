//! The expected values of the golden files, which `data/npy/make.py` writes, and temporary directories. Tests of files use both.

#![allow(dead_code, reason = "not every test needs all of it")]

use std::fs;
use std::path::PathBuf;
use std::sync::atomic::{AtomicUsize, Ordering};
use vierbein::prelude::*;
use vierbein::{c32, c64};

/// An element type that has golden files. `of` computes the value at index [i, j, k] from n = 100 i + 10 j + k. Integers wrap
/// around.
pub(crate) trait Golden: Element {
    const NAME: &'static str;
    fn of(n: usize) -> Self;
}

macro_rules! golden {
    ($($t:ty, $name:literal, |$n:ident| $value:expr;)*) => {$(
        impl Golden for $t {
            const NAME: &'static str = $name;
            fn of($n: usize) -> $t { $value }
        }
    )*};
}
golden! {
    bool, "bool", |n| n.is_multiple_of(3);
    i8, "i8", |n| (n as i64 - 50) as i8;
    i16, "i16", |n| ((n as i64 - 50) * 201) as i16;
    i32, "i32", |n| ((n as i64 - 50) * 12345677) as i32;
    i64, "i64", |n| (n as i64 - 50).wrapping_mul(12345678901234567);
    u8, "u8", |n| n as u8;
    u16, "u16", |n| (n as u64 * 201) as u16;
    u32, "u32", |n| (n as u64 * 12345677) as u32;
    u64, "u64", |n| (n as u64).wrapping_mul(12345678901234567);
    f32, "f32", |n| n as f32 / 4.0 - 3.0;
    f64, "f64", |n| n as f64 / 4.0 - 3.0;
    c32, "c32", |n| c32::new(n as f32 / 4.0 - 3.0, n as f32 + 0.5);
    c64, "c64", |n| c64::new(n as f64 / 4.0 - 3.0, n as f64 + 0.5);
}

/// Calls `$f::<T>` for all element types.
macro_rules! for_all_types {
    ($f:ident($($arg:expr),*)) => {
        for_all_types!(@ [bool i8 i16 i32 i64 u8 u16 u32 u64 f32 f64 vierbein::c32 vierbein::c64] $f($($arg),*))
    };
    (@ [$($t:ty)*] $f:ident $args:tt) => {$( $f::<$t> $args; )*};
}

/// Returns the expected values of a golden file with this shape, in memory order.
pub(crate) fn values<T: Golden>(shape: &[usize], row_major: bool) -> Vec<T> {
    let mut values = Vec::new();
    for flat in 0..shape.iter().product() {
        let mut rest = flat;
        let mut index = vec![0; shape.len()];
        for step in 0..shape.len() {
            let axis = if row_major { shape.len() - 1 - step } else { step };
            index[axis] = rest % shape[axis];
            rest /= shape[axis];
        }
        values.push(T::of(index.iter().fold(0usize, |n, i| n.wrapping_mul(10).wrapping_add(*i))));
    }
    values
}

pub(crate) fn made<T: Golden, D: Dim, O: Order>(shape: D::Shape) -> Tensor<T, D, O> {
    Tensor::from_vec(shape, values(shape.as_ref(), O::ROW_MAJOR))
}

/// A temporary directory, which is removed with all its files on drop.
pub(crate) struct Folder(pub(crate) PathBuf);

impl Folder {
    pub(crate) fn new() -> Folder {
        static COUNT: AtomicUsize = AtomicUsize::new(0);
        let count = COUNT.fetch_add(1, Ordering::Relaxed);
        let path = std::env::temp_dir().join(format!("vierbein-test-{}-{count}", std::process::id()));
        fs::create_dir(&path).unwrap();
        Folder(path)
    }
    pub(crate) fn file(&self, name: &str) -> PathBuf {
        self.0.join(name)
    }
    pub(crate) fn names(&self) -> Vec<String> {
        let names = fs::read_dir(&self.0).unwrap().map(|e| e.unwrap().file_name().into_string().unwrap());
        let mut names: Vec<_> = names.collect();
        names.sort();
        names
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}
