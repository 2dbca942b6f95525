//! Random programs of calls to the safe API. [`run`] interprets bytes as a program of up to 30 steps on a pool of tensors. Steps
//! call constructors, views, computations, preallocated outputs and contractions of typed and dynamic tensors. Arguments are
//! usually valid, and sometimes hostile, such as an extent of `usize::MAX`.
//!
//! Faults are:
//! * a report of AddressSanitizer or the operating system, or an exceeded limit of memory or time;
//! * a panic of a fallible variant;
//! * a view and its iterator with different numbers of elements;
//! * different results of the typed and the dynamic variant of an operation;
//! * two indices of a mutable view that address the same element.

#![allow(
    clippy::op_ref,
    clippy::eq_op,
    reason = "operators are called with owned and borrowed operands, and with a NaN on both sides"
)]
#![allow(clippy::result_large_err, reason = "errors are those of the library, which give the operand back")]

mod builder;
mod construct;
mod devices;
mod dynamic;
mod elementwise;
mod products;
mod record;
mod reductions;
#[path = "../../../tests/common/mod.rs"]
#[allow(dead_code, unreachable_pub, clippy::all)]
mod remote;
mod source;
mod user_types;
mod views;

use builder::Operands;
pub use record::{Counts, counts, panic_is_allowed};
use source::Source;
use vierbein::einsum::PathCache;
use vierbein::prelude::*;
use vierbein::{
    Broadcast, ContractRanks, DType, DynTensor, DynView, DynViewMut, MatmulRanks, MemoryOrder, c64,
};

/// Maximum number of steps of a program.
const MAX_STEPS: usize = 30;
/// Maximum number of tensors in the pool on which the steps operate.
const POOL: usize = 6;

/// Runs the program that the bytes encode.
pub fn run(bytes: &[u8]) {
    let mut s = Source::new(bytes);
    let s = &mut s;
    let mut pool = Vec::new();
    let cache = PathCache::new();
    user_types::reset();
    for _ in 0..2 {
        construct::dynamic(s);
        keep(&mut pool, s);
    }
    for _ in 0..MAX_STEPS {
        if s.is_empty() {
            break;
        }
        step(&mut pool, &cache, s);
        keep(&mut pool, s);
    }
}

/// Moves the results of a step to the pool of tensors. If the pool is full, each result replaces a random tensor.
fn keep(pool: &mut Vec<DynTensor>, s: &mut Source<'_>) {
    for x in std::mem::take(&mut s.made) {
        assert!(x.is_contiguous(), "owned tensors are contiguous");
        if !source::is_small(x.shape()) {
            continue;
        }
        if pool.len() < POOL {
            pool.push(x);
        } else {
            pool[s.below(POOL)] = x;
        }
    }
}

/// Converts a `DType`, a rank and a memory order to the types `$T`, `$D` and `$O`, and evaluates `$body` with them. Does nothing if
/// the element type or the rank is not listed.
macro_rules! with_types {
    ($dtype:expr, $rank:expr, $order:expr; [$($t:ident $variant:ident),*], $ranks:tt; |$T:ident, $D:ident, $O:ident| $body:expr) => {
        match $dtype {
            $(DType::$variant => {
                type $T = $t;
                with_types!(@ranks $rank, $order, $ranks, $D, $O, $body)
            })*
            _ => {}
        }
    };
    (@ranks $rank:expr, $order:expr, [$($k:literal)*], $D:ident, $O:ident, $body:expr) => {
        match ($rank, $order) {
            $(
                ($k, MemoryOrder::RowMajor) => {
                    type $D = Rank<$k>;
                    type $O = RowMajor;
                    $body
                }
                ($k, _) => {
                    type $D = Rank<$k>;
                    type $O = ColMajor;
                    $body
                }
            )*
            _ => {}
        }
    };
}

/// Converts a dynamic view to the typed view `$x`, and evaluates `$body`. Does nothing if its element type or rank is not listed.
macro_rules! typed {
    ($view:expr; $types:tt, $ranks:tt; |$x:ident| $body:expr) => {{
        let view: DynView<'_> = $view;
        with_types!(view.dtype(), view.rank(), view.order(); $types, $ranks; |T, D, O| {
            let $x = view.downcast_view::<T, D, O, Cpu>().expect("these are the types of the view");
            $body
        })
    }};
}

/// Variant of `typed!` for a mutable view.
macro_rules! typed_mut {
    ($view:expr; $types:tt, $ranks:tt; |$x:ident| $body:expr) => {{
        let view: DynViewMut<'_> = $view;
        let (dtype, rank, order) = (view.dtype(), view.rank(), view.order());
        with_types!(dtype, rank, order; $types, $ranks; |T, D, O| {
            let $x = TensorViewMut::<T, D, O>::try_from(view).expect("these are the types of the view");
            $body
        })
    }};
}

/// Returns `y` as a typed view if it has the element type, rank and memory order of `x`, and `x` otherwise.
fn like<'a, T: Element, D: Dim, O: Order>(
    x: TensorView<'a, T, D, O>,
    y: DynView<'a>,
) -> TensorView<'a, T, D, O> {
    y.downcast_view().unwrap_or(x)
}

/// Runs one step of a program: one call, or several related calls.
fn step(pool: &mut Vec<DynTensor>, cache: &PathCache, s: &mut Source<'_>) {
    let kind = s.below(38);
    if kind < 4 || pool.is_empty() {
        return construct(kind, s);
    }
    if kind < 12 {
        let at = s.below(pool.len());
        let mut target = pool.swap_remove(at);
        if kind < 11 {
            let cuts = [0, 1, 1, 2, 3][s.below(5)];
            let other = s.below(pool.len());
            // The target was removed from the pool, so another tensor of the pool can be borrowed at the same time.
            let other = pool.get(other).map(|other| dynamic::view(other, s));
            dynamic::with_view_mut(target.view_mut(), cuts, s, &mut |view, s| write(kind, view, other, s));
            pool.push(target);
        } else {
            dynamic::convert(target, s);
        }
        return;
    }
    let (a, b) = (s.below(pool.len()), s.below(pool.len()));
    let (x, y) = (dynamic::view(&pool[a], s), dynamic::view(&pool[b], s));
    match kind {
        12 => dynamic::look(x, s),
        13..=15 => dynamic::compute(x, y, s),
        16 => {
            let c = s.below(pool.len());
            let operands = [x, y, pool[c].view()];
            dynamic::contract(&operands[..1 + s.below(3)], s);
        }
        17 => user_types::dynamic_axes(x, s),
        _ => read(kind, x, y, pool, cache, s),
    }
}

fn construct(kind: usize, s: &mut Source<'_>) {
    let (dtype, order) = (s.dtype(), s.order());
    match kind {
        0 => construct::dynamic(s),
        1 => with_types!(dtype, s.below(5), order; [f64 F64, c64 C64, u8 U8], [0 1 2 3]; |T, D, O| {
            construct::element::<T, D, O>(s)
        }),
        2 => with_types!(dtype, 1 + s.below(3), order; [f64 F64, bool Bool], [1 2 3]; |T, D, O| {
            construct::of_slice::<T, D, O>(s)
        }),
        _ => match s.below(4) {
            0 => with_types!(dtype, 2, order; [f64 F64, i32 I32, c64 C64, u8 U8], [2]; |T, D, O| {
                construct::number::<T, D, O>(s)
            }),
            1 => with_types!(dtype, 1, order; [u8 U8, i8 I8], [1]; |T, D, O| {
                construct::ramp::<T, O>(s);
                let _ = D::default();
            }),
            2 => with_types!(dtype, 1, order; [f64 F64, f32 F32], [1]; |T, D, O| {
                construct::linspace::<T, O>(s);
                let _ = D::default();
            }),
            _ => devices::buffers::<c64>(s),
        },
    }
}

/// Runs a step that writes to a mutable view, by typed or dynamic calls.
fn write(kind: usize, x: DynViewMut<'_>, y: Option<DynView<'_>>, s: &mut Source<'_>) {
    if !source::is_small(x.shape()) {
        return;
    }
    match (kind, y) {
        (4 | 5, Some(y)) => dynamic::change(x, y, s),
        (6 | 7, _) => typed_mut!(x; [f64 F64, u8 U8], [0 1 2 3]; |x| views::any_mut(x, s)),
        (8, _) => typed_mut!(x; [f64 F64, u8 U8], [1 2 3]; |x| views::one_mut(x, s)),
        (9, _) => typed_mut!(x; [f64 F64, u8 U8], [2 3]; |x| views::two_mut(x, s)),
        _ => match x.rank() {
            1 => typed_mut!(x; [f64 F64, u8 U8], [1]; |x| views::slice1_mut(x, s)),
            _ => typed_mut!(x; [f64 F64, u8 U8], [2]; |x| views::slice2_mut(x, s)),
        },
    }
}

/// Runs a step that only reads its operands, by calls with typed views.
fn read(
    kind: usize,
    x: DynView<'_>,
    y: DynView<'_>,
    pool: &[DynTensor],
    cache: &PathCache,
    s: &mut Source<'_>,
) {
    match kind {
        18 => typed!(x; [f64 F64, u8 U8], [0 1 2 3]; |x| views::any(x, s)),
        19 => typed!(x; [f64 F64, u8 U8], [1 2 3]; |x| views::one(x, s)),
        20 => match x.rank() {
            1 => typed!(x; [f64 F64, u8 U8], [1]; |x| views::slice1(x, s)),
            2 if s.below(2) == 0 => typed!(x; [f64 F64, u8 U8], [2]; |x| views::slice2(x, s)),
            3 if s.below(2) == 0 => typed!(x; [f64 F64, u8 U8], [3]; |x| views::slice3(x, s)),
            _ => typed!(x; [f64 F64, u8 U8], [2 3]; |x| views::two(x, s)),
        },
        21 => typed!(x; [f64 F64, i32 I32], [0 1 2 3]; |x| {
            elementwise::single(x, s);
            elementwise::same_rank(x, like(x, y), s);
        }),
        22 | 35 => typed!(x; [f64 F64, i32 I32], [1 2 3]; |x| broadcast(x, y, s)),
        23 => match x.dtype() {
            DType::F64 | DType::F32 => typed!(x; [f64 F64, f32 F32], [1 2]; |x| {
                elementwise::float(x, s);
                elementwise::real(x, like(x, y), s);
            }),
            DType::Bool => typed!(x; [bool Bool], [1 2 3]; |x| {
                elementwise::bits(x, like(x, y), s);
                reductions::masks(x, s);
            }),
            _ => typed!(x; [i32 I32, u8 U8], [1 2]; |x| {
                elementwise::bits(x, like(x, y), s);
                elementwise::real(x, like(x, y), s);
            }),
        },
        24 if s.rarely(4) => typed!(x; [f64 F64, u8 U8], [0 1 2 3]; |x| reductions::of_users(x, s)),
        24 => typed!(x; [f64 F64, i32 I32], [0 1 2 3]; |x| reductions::whole(x, s)),
        25 => typed!(x; [f64 F64, i32 I32], [1 2 3]; |x| reductions::one(x, s)),
        26 => match s.below(2) {
            0 => typed!(x; [f64 F64, i32 I32], [2 3]; |x| reductions::two(x, s)),
            _ => typed!(x; [f64 F64, u8 U8], [1 2 3]; |x| reductions::real(x, s)),
        },
        27 | 36 | 37 => typed!(x; [f64 F64, c64 C64], [1 2 3]; |x| multiply(x, y, s)),
        28 | 32..=34 => contract(pool, cache, s),
        29 | 31 => typed!(x; [f64 F64], [0 1 2 3]; |x| user_types::slices(x, s)),
        30 => match s.below(4) {
            0 => typed!(x; [f64 F64, u8 U8], [0 1 2]; |x| devices::dlpack(x, s)),
            1 => typed!(x; [f64 F64], [2]; |x| devices::remote(x, like(x, y), s)),
            2 => typed!(x; [f64 F64], [2]; |x| user_types::outputs(x, like(x, y), s)),
            _ => typed!(x; [f64 F64], [2]; |x| devices::mixed(x, like(x, y), s)),
        },
        _ => unreachable!("kinds are less than 38"),
    }
}

/// Runs an elementwise operation on two operands, whose ranks may differ.
fn broadcast<T: Scalar, D, O: Order>(x: TensorView<'_, T, D, O>, y: DynView<'_>, s: &mut Source<'_>)
where
    D: Broadcast<Rank<1>> + Broadcast<Rank<2>> + Broadcast<Rank<3>> + Dim,
{
    match y.rank() {
        0 => drop(y.downcast_view().map(|y: TensorView<'_, T, Rank<0>, O>| elementwise::pair(x, y, s))),
        1 => drop(y.downcast_view().map(|y: TensorView<'_, T, Rank<1>, O>| elementwise::pair(x, y, s))),
        2 => drop(y.downcast_view().map(|y: TensorView<'_, T, Rank<2>, O>| elementwise::pair(x, y, s))),
        3 => drop(y.downcast_view().map(|y: TensorView<'_, T, Rank<3>, O>| elementwise::pair(x, y, s))),
        _ => elementwise::pair(x, x, s),
    }
}

/// Computes a product of two operands, whose ranks may differ.
fn multiply<T: Scalar, D, O: Order>(x: TensorView<'_, T, D, O>, y: DynView<'_>, s: &mut Source<'_>)
where
    D: MatmulRanks<Rank<1>> + ContractRanks<Rank<1>, 1> + ContractRanks<Rank<1>, 0> + Broadcast<Rank<1>>,
    D: MatmulRanks<Rank<2>> + ContractRanks<Rank<2>, 1> + ContractRanks<Rank<2>, 0> + Broadcast<Rank<2>>,
    D: MatmulRanks<Rank<3>> + ContractRanks<Rank<3>, 1> + ContractRanks<Rank<3>, 0> + Broadcast<Rank<3>>,
{
    if s.rarely(4) {
        return products::sums(x, like(x, y), s);
    }
    match y.rank() {
        1 => drop(y.downcast_view().map(|y: TensorView<'_, T, Rank<1>, O>| products::pair(x, y, s))),
        2 => drop(y.downcast_view().map(|y: TensorView<'_, T, Rank<2>, O>| products::pair(x, y, s))),
        3 => drop(y.downcast_view().map(|y: TensorView<'_, T, Rank<3>, O>| products::pair(x, y, s))),
        _ => {}
    }
}

/// Contracts tensors of the pool with a macro of the `einsum!` family, or with the builder that the macros expand to.
fn contract(pool: &[DynTensor], cache: &PathCache, s: &mut Source<'_>) {
    let (by_macro, row_major) = (s.below(2) == 0, s.order() == MemoryOrder::RowMajor);
    match (by_macro, row_major) {
        (true, true) => contract_by_macro::<c64, RowMajor>(pool, s),
        (true, false) => contract_by_macro::<c64, ColMajor>(pool, s),
        (false, true) => contract_by_builder::<f64, RowMajor>(pool, cache, s),
        (false, false) => contract_by_builder::<f64, ColMajor>(pool, cache, s),
    }
}

/// Returns a tensor with the given types: a copy of a random tensor of the pool if it has these types, else a new one.
fn find<T: Scalar, D: Dim, O: Order>(pool: &[DynTensor], s: &mut Source<'_>) -> Tensor<T, D, O> {
    let found = pool.get(s.below(POOL)).and_then(|x| x.downcast_ref().ok().map(|x| x.to_owned()));
    found.unwrap_or_else(|| {
        let shape = s.shape(D::NDIM.expect("a rank known at compile time"));
        let data = s.values(source::element_count(&shape));
        Tensor::from_vec(source::array::<D>(&shape), data)
    })
}

fn contract_by_macro<T: Scalar, O: Order>(pool: &[DynTensor], s: &mut Source<'_>) {
    let (a, b): (Tensor<T, Rank<2>, O>, Tensor<T, Rank<2>, O>) = (find(pool, s), find(pool, s));
    let v = find(pool, s);
    let (a, b) = (a.view(), if s.below(2) == 0 { b.view() } else { a.t() });
    let c = if s.below(2) == 0 { a } else { b };
    products::einsum([a, b, c], v.view(), s);
}

fn contract_by_builder<T: Scalar, O: Order>(pool: &[DynTensor], cache: &PathCache, s: &mut Source<'_>) {
    let (scalar, vector) = (find::<T, _, O>(pool, s), find(pool, s));
    let (matrix, cube): (Tensor<T, Rank<2>, O>, _) = (find(pool, s), find(pool, s));
    let matrix = if s.below(2) == 0 { matrix.view() } else { matrix.t() };
    let operands = Operands(scalar.view(), vector.view(), matrix, cube.view());
    // Several specifications share one path cache here. Real programs use a path cache for a single specification.
    for _ in 0..1 + s.below(3) {
        builder::contract(&operands, cache, s);
    }
}
