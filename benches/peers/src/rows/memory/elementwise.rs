//! Elementwise arithmetic on contiguous operands with the same shape and memory order.

use crate::implementation::Library;
use crate::memory::{Output, operand};
use crate::{Number, Problem, Row, exec, limit, parallel, ways};
use faer::{unzip, zip};
use ndarray::{Ix1, Zip};
use rstsr_core::prelude::rt;
use strided_kernel::{Identity, StridedArray, copy_into, map_update_into, zip_map2_into, zip_map3_into};
use vierbein::Tensor;

/// Returns the problem `a + b`. Each element is rounded once, so all libraries must return the same bits.
fn sum_of_two<T: Number>(n: usize) -> Problem<T> {
    let (a, b) = (operand::<T, _>(1, [n]), operand::<T, _>(2, [n]));
    Problem::defined([n], move |i| (a.at(i) + b.at(i), 0.0))
}

pub(super) fn add<T: Number>(n: usize) -> Row<T> {
    let (a, b) = (operand::<T, _>(1, [n]), operand::<T, _>(2, [n]));
    let (x, y) = (a.array::<Ix1>(), b.array::<Ix1>());
    let (p, q) = (a.strided(), b.strided());
    let (r, s) = (a.rstsr(), b.rstsr());
    let (f, g) = (a.faer(), b.faer());
    let (u, v) = (a.slice(), b.slice());
    let (a, b) = (a.tensor(), b.tensor());
    Row::new(sum_of_two(n))
        .fresh(Library::Vierbein, move || &*a + &*b)
        .fresh(Library::Ndarray, move || {
            if parallel() { Zip::from(&*x).and(&*y).par_map_collect(|&x, &y| x + y) } else { &*x + &*y }
        })
        .fresh(Library::Strided, move || {
            let mut out = StridedArray::row_major(&[n]);
            zip_map2_into(&mut out.view_mut(), &p, &q, |p, q| p + q, exec()).expect("shapes that fit");
            out
        })
        .fresh(Library::Rstsr, move || &*r + &*s)
        .fresh(Library::Faer, move || *f + *g)
        .over(Library::Limit, Output::slice([n]), move |out| limit::over(out, [*u, *v], |[u, v]| u + v))
}

pub(super) fn add_into<T: Number>(n: usize) -> Row<T> {
    let (a, b) = (operand::<T, _>(1, [n]), operand::<T, _>(2, [n]));
    let (x, y) = (a.array::<Ix1>(), b.array::<Ix1>());
    let (p, q) = (a.strided(), b.strided());
    let (r, s) = (a.rstsr(), b.rstsr());
    let (f, g) = (a.faer(), b.faer());
    let (u, v) = (a.slice(), b.slice());
    let (a, b) = (a.tensor(), b.tensor());
    Row::new(sum_of_two(n))
        .over(Library::Vierbein, Tensor::<T, _>::zeros([n]), move |out| ways::add_into(out, &a, &b))
        .over(Library::Ndarray, Output::array::<T, Ix1, _>([n]), move |out| {
            let all = Zip::from(&mut **out).and(&*x).and(&*y);
            if parallel() {
                all.par_for_each(|out, &x, &y| *out = x + y);
            } else {
                all.for_each(|out, &x, &y| *out = x + y);
            }
        })
        .over(Library::Strided, Output::strided([n]), move |out| {
            zip_map2_into(out, &p, &q, |p, q| p + q, exec()).expect("shapes that fit");
        })
        .over(Library::Rstsr, Output::rstsr([n]), move |out| rt::add_with_output(&*r, &*s, out.view_mut()))
        .over(Library::Faer, Output::faer([n]), move |out| {
            zip!(out.as_mut(), *f, *g).for_each(|unzip!(out, f, g)| *out = *f + *g);
        })
        .over(Library::Limit, Output::slice([n]), move |out| limit::over(out, [*u, *v], |[u, v]| u + v))
}

/// Returns the benchmark of `a += b`. Each implementation has its own left operand.
pub(super) fn add_assign<T: Number>(n: usize) -> Row<T> {
    let (a, b) = (operand::<T, _>(1, [n]), operand::<T, _>(2, [n]));
    let (x, y) = (a.array::<Ix1>(), b.array::<Ix1>());
    let (p, q) = (a.strided(), b.strided());
    let (r, s) = (a.rstsr(), b.rstsr());
    let (f, g) = (a.faer(), b.faer());
    let (u, v) = (a.slice(), b.slice());
    let (a, b) = (a.tensor(), b.tensor());
    Row::new(sum_of_two(n))
        .in_place(
            Library::Vierbein,
            Tensor::<T, _>::zeros([n]),
            move |out| out.assign(&*a),
            move |out| *out += &*b,
        )
        .in_place(
            Library::Ndarray,
            Output::array::<T, Ix1, _>([n]),
            move |out| out.assign(&*x),
            move |out| {
                if parallel() {
                    Zip::from(&mut **out).and(&*y).par_for_each(|out, &y| *out += y);
                } else {
                    **out += &*y;
                }
            },
        )
        .in_place(
            Library::Strided,
            Output::strided([n]),
            move |out| copy_into(out, &p, exec()).expect("shapes that fit"),
            move |out| strided_kernel::add(out, &q, exec()).expect("shapes that fit"),
        )
        .in_place(
            Library::Rstsr,
            Output::rstsr([n]),
            move |out| out.assign(&*r),
            move |out| rt::add_assign(&mut **out, &*s),
        )
        .in_place(Library::Faer, Output::faer([n]), move |out| out.copy_from(*f), move |out| **out += *g)
        .in_place(
            Library::Limit,
            Output::slice([n]),
            move |out| out.copy_from_slice(*u),
            move |out| limit::update(out, Some(*v), |out, v| out + v),
        )
}

pub(super) fn copy<T: Number>(n: usize) -> Row<T> {
    let a = operand::<T, _>(1, [n]);
    let (x, p, r, f, u) = (a.array::<Ix1>(), a.strided(), a.rstsr(), a.faer(), a.slice());
    let tensor = a.tensor();
    Row::new(Problem::defined([n], move |i| (a.at(i), 0.0)))
        .fresh(Library::Vierbein, move || (*tensor).to_owned())
        .fresh(Library::Ndarray, move || x.to_owned())
        .fresh(Library::Strided, move || {
            let mut out = StridedArray::row_major(&[n]);
            copy_into(&mut out.view_mut(), &p, exec()).expect("shapes that fit");
            out
        })
        .fresh(Library::Rstsr, move || r.to_owned())
        .fresh(Library::Faer, move || f.to_owned())
        .over(Library::Limit, Output::slice([n]), move |out| limit::copy(out, *u))
}

pub(super) fn copy_over<T: Number>(n: usize) -> Row<T> {
    let a = operand::<T, _>(1, [n]);
    let (x, p, r, f, u) = (a.array::<Ix1>(), a.strided(), a.rstsr(), a.faer(), a.slice());
    let tensor = a.tensor();
    Row::new(Problem::defined([n], move |i| (a.at(i), 0.0)))
        .over(Library::Vierbein, Tensor::<T, _>::zeros([n]), move |out| out.assign(&*tensor))
        .over(Library::Ndarray, Output::array::<T, Ix1, _>([n]), move |out| {
            if parallel() {
                Zip::from(&mut **out).and(&*x).par_for_each(|out, &x| *out = x);
            } else {
                out.assign(&*x);
            }
        })
        .over(Library::Strided, Output::strided([n]), move |out| {
            copy_into(out, &p, exec()).expect("shapes that fit");
        })
        .over(Library::Rstsr, Output::rstsr([n]), move |out| out.assign(&*r))
        .over(Library::Faer, Output::faer([n]), move |out| out.copy_from(*f))
        .over(Library::Limit, Output::slice([n]), move |out| limit::copy(out, *u))
}

/// Returns the benchmark of `b += 2a`. Multiplication by 2 is exact, so each element is rounded once.
pub(super) fn add_scaled<T: Number>(n: usize) -> Row<T> {
    let (a, b) = (operand::<T, _>(1, [n]), operand::<T, _>(2, [n]));
    let (x, y) = (a.array::<Ix1>(), b.array::<Ix1>());
    let (p, q) = (a.strided(), b.strided());
    let (f, g) = (a.faer(), b.faer());
    let (u, v) = (a.slice(), b.slice());
    let (left, right) = (a.tensor(), b.tensor());
    let two = T::sample(2.0, 0.0);
    Row::new(Problem::defined([n], move |i| (b.at(i) + two * a.at(i), 0.0)))
        .in_place(
            Library::Vierbein,
            Tensor::<T, _>::zeros([n]),
            move |out| out.assign(&*right),
            move |out| out.add_scaled(two, &*left),
        )
        .in_place(
            Library::Ndarray,
            Output::array::<T, Ix1, _>([n]),
            move |out| out.assign(&*y),
            move |out| {
                if parallel() {
                    Zip::from(&mut **out).and(&*x).par_for_each(|out, &x| *out += two * x);
                } else {
                    out.scaled_add(two, &*x);
                }
            },
        )
        .in_place(
            Library::Strided,
            Output::strided([n]),
            move |out| copy_into(out, &q, exec()).expect("shapes that fit"),
            move |out| strided_kernel::axpy(out, &p, two, exec()).expect("shapes that fit"),
        )
        .in_place(
            Library::Faer,
            Output::faer([n]),
            move |out| out.copy_from(*g),
            move |out| zip!(out.as_mut(), *f).for_each(|unzip!(out, f)| *out += two * *f),
        )
        .in_place(
            Library::Limit,
            Output::slice([n]),
            move |out| out.copy_from_slice(*v),
            move |out| limit::update(out, Some(*u), |out, u| out + two * u),
        )
}

/// Returns the benchmark of `b += -2b`. The operation changes only the signs, so it can be repeated.
pub(super) fn scale_own<T: Number>(n: usize) -> Row<T> {
    let b = operand::<T, _>(1, [n]);
    let (y, q, s, g, v) = (b.array::<Ix1>(), b.strided(), b.rstsr(), b.faer(), b.slice());
    let tensor = b.tensor();
    let alpha = T::sample(-2.0, 0.0);
    Row::new(Problem::defined([n], move |i| (b.at(i) + alpha * b.at(i), 0.0)))
        .in_place(
            Library::Vierbein,
            Tensor::<T, _>::zeros([n]),
            move |out| out.assign(&*tensor),
            move |out| ways::scale_own(out, alpha),
        )
        .in_place(
            Library::Ndarray,
            Output::array::<T, Ix1, _>([n]),
            move |out| out.assign(&*y),
            move |out| {
                if parallel() {
                    out.par_mapv_inplace(|b| b + alpha * b);
                } else {
                    out.mapv_inplace(|b| b + alpha * b);
                }
            },
        )
        .in_place(
            Library::Strided,
            Output::strided([n]),
            move |out| copy_into(out, &q, exec()).expect("shapes that fit"),
            move |out| {
                map_update_into::<T, Identity>(out, |b| b + alpha * b, exec()).expect("shapes that fit");
            },
        )
        .in_place(
            Library::Rstsr,
            Output::rstsr([n]),
            move |out| out.assign(&*s),
            move |out| out.mapvi(|b| b + alpha * b),
        )
        .in_place(
            Library::Faer,
            Output::faer([n]),
            move |out| out.copy_from(*g),
            move |out| zip!(out.as_mut()).for_each(|unzip!(out)| *out += alpha * *out),
        )
        .in_place(
            Library::Limit,
            Output::slice([n]),
            move |out| out.copy_from_slice(*v),
            move |out| limit::update(out, None, |out, _| out + alpha * out),
        )
}

/// Returns the problem `a·b + 2c`.
fn product_and_sum<T: Number>(n: usize) -> Problem<T> {
    let (a, b) = (operand::<T, _>(1, [n]), operand::<T, _>(2, [n]));
    let c = operand::<T, _>(3, [n]);
    Problem::defined([n], move |i| {
        let (product, term) = (a.at(i) * b.at(i), c.at(i) * T::sample(2.0, 0.0));
        (product + term, product.magnitude() + term.magnitude())
    })
}

pub(super) fn fused<T: Number>(n: usize) -> Row<T> {
    let (a, b) = (operand::<T, _>(1, [n]), operand::<T, _>(2, [n]));
    let c = operand::<T, _>(3, [n]);
    let (x, y, z) = (a.array::<Ix1>(), b.array::<Ix1>(), c.array::<Ix1>());
    let (p, q, o) = (a.strided(), b.strided(), c.strided());
    let (r, s, t) = (a.rstsr(), b.rstsr(), c.rstsr());
    let (f, g, h) = (a.faer(), b.faer(), c.faer());
    let (u, v, w) = (a.slice(), b.slice(), c.slice());
    let (a, b, c) = (a.tensor(), b.tensor(), c.tensor());
    let two = T::sample(2.0, 0.0);
    Row::new(product_and_sum(n))
        .fresh(Library::Vierbein, move || ways::fused(&a, &b, &c))
        .fresh(Library::Ndarray, move || {
            let all = Zip::from(&*x).and(&*y).and(&*z);
            if parallel() {
                all.par_map_collect(|&x, &y, &z| x * y + z * two)
            } else {
                all.map_collect(|&x, &y, &z| x * y + z * two)
            }
        })
        .fresh(Library::Strided, move || {
            let mut out = StridedArray::row_major(&[n]);
            zip_map3_into(&mut out.view_mut(), &p, &q, &o, |p, q, o| p * q + o * two, exec())
                .expect("shapes that fit");
            out
        })
        // rstsr has no loop that computes this in one pass.
        .fresh(Library::Rstsr, move || &*r * &*s + &*t * two)
        .fresh(Library::Faer, move || zip!(*f, *g, *h).map(|unzip!(f, g, h)| *f * *g + *h * two))
        .over(Library::Limit, Output::slice([n]), move |out| {
            limit::over(out, [*u, *v, *w], |[u, v, w]| u * v + w * two);
        })
}

pub(super) fn fused_into<T: Number>(n: usize) -> Row<T> {
    let (a, b) = (operand::<T, _>(1, [n]), operand::<T, _>(2, [n]));
    let c = operand::<T, _>(3, [n]);
    let (x, y, z) = (a.array::<Ix1>(), b.array::<Ix1>(), c.array::<Ix1>());
    let (p, q, o) = (a.strided(), b.strided(), c.strided());
    let (f, g, h) = (a.faer(), b.faer(), c.faer());
    let (u, v, w) = (a.slice(), b.slice(), c.slice());
    let (a, b, c) = (a.tensor(), b.tensor(), c.tensor());
    let two = T::sample(2.0, 0.0);
    Row::new(product_and_sum(n))
        .over(Library::Vierbein, Tensor::<T, _>::zeros([n]), move |out| ways::fused_into(out, &a, &b, &c))
        .over(Library::Ndarray, Output::array::<T, Ix1, _>([n]), move |out| {
            let all = Zip::from(&mut **out).and(&*x).and(&*y).and(&*z);
            if parallel() {
                all.par_for_each(|out, &x, &y, &z| *out = x * y + z * two);
            } else {
                all.for_each(|out, &x, &y, &z| *out = x * y + z * two);
            }
        })
        .over(Library::Strided, Output::strided([n]), move |out| {
            zip_map3_into(out, &p, &q, &o, |p, q, o| p * q + o * two, exec()).expect("shapes that fit");
        })
        .over(Library::Faer, Output::faer([n]), move |out| {
            zip!(out.as_mut(), *f, *g, *h).for_each(|unzip!(out, f, g, h)| *out = *f * *g + *h * two);
        })
        .over(Library::Limit, Output::slice([n]), move |out| {
            limit::over(out, [*u, *v, *w], |[u, v, w]| u * v + w * two);
        })
}
