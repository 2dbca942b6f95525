//! Calls of the builder that `einsum!` expands to. The builder is public only because the macro needs it. These calls pass numbers
//! of labels and operands that may contradict the specification.

use super::products::{feasible, limit};
use super::record::{attempt, attempt_or_panic, may_panic};
use super::source::{Source, is_small};
use vierbein::einsum::{Contraction, Count, OperandList, PathCache, Prepared, Spec, TermOf, contraction};
use vierbein::prelude::*;

/// If `true`, some calls pass numbers that contradict the specification. Set it to `false` to find other faults, while a known
/// fault with such numbers is not yet repaired.
const WRONG_NUMBERS: bool = true;

/// Pairs of a valid specification and its number of operands.
const SPECS: [(&str, usize); 24] = [
    ("i,j->ij", 2),
    ("ij,jk->ik", 2),
    ("ij->ji", 1),
    ("ii->i", 1),
    ("ii->", 1),
    ("i->ii", 1),
    ("ij,ij->", 2),
    ("ij->j", 1),
    ("->", 1),
    ("i->", 1),
    ("i->i", 1),
    ("ijk->k", 1),
    ("ijk,k->ij", 2),
    ("...->...", 1),
    ("i...->...i", 1),
    ("...j,j...->...", 2),
    ("...,...->...", 2),
    ("ij,jk,kl->il", 3),
    ("i,j,k->ijk", 3),
    ("...i,...j,k->ijk...", 3),
    ("i,i,i->i", 3),
    ("abcdefghijklmnop->p", 1),
    ("abc,def->abcdef", 2),
    ("ij,jk", 2),
];

/// The four views, of ranks 0 to 3, that serve as operands of a contraction.
pub(super) struct Operands<'a, T: Scalar, O: Order>(
    pub(super) TensorView<'a, T, Rank<0>, O>,
    pub(super) TensorView<'a, T, Rank<1>, O>,
    pub(super) TensorView<'a, T, Rank<2>, O>,
    pub(super) TensorView<'a, T, Rank<3>, O>,
);

/// The ranks and numbers of labels of one contraction. They are chosen at run time, and determine the const generic arguments of
/// the builder's functions. So they select one of the compiled instances of these functions.
#[derive(Debug, Clone, Copy)]
struct Plan {
    /// The rank of each operand, and the number of its axes with labels. If the rank is larger, an ellipsis stands for the other
    /// axes.
    terms: [(usize, usize); 3],
    /// Number of operands that are passed.
    operands: usize,
    /// Number of operands that the first call announces by its const generic argument. It may differ from `operands`.
    announced: usize,
    /// Number of labels of the result, in addition to its ellipsis.
    labels: usize,
    /// Whether all numbers match the specification, as the macros ensure.
    fits: bool,
}

impl Plan {
    /// Returns a plan that matches the specification. Returns `None` if the specification has no operands or more than three, or if
    /// an operand or the result needs a rank above 3.
    fn fitting(spec: &Spec<'_>, s: &mut Source<'_>) -> Option<Plan> {
        let mut plan = Plan::any(s);
        (plan.operands, plan.announced) = (spec.operands(), spec.operands());
        plan.labels = spec.labels(spec.operands());
        plan.fits = true;
        if plan.operands == 0 || plan.operands > 3 || plan.labels > 3 {
            return None;
        }
        for (k, (rank, labels)) in plan.terms.iter_mut().enumerate().take(plan.operands) {
            *labels = spec.labels(k);
            *rank = *labels + if spec.ellipsis(k) { s.below(2) } else { 0 };
            if *rank > 3 {
                return None;
            }
        }
        Some(plan)
    }

    fn any(s: &mut Source<'_>) -> Plan {
        let terms = std::array::from_fn(|_| {
            let rank = s.below(4);
            (rank, if s.below(2) == 0 { rank } else { s.below(rank + 1) })
        });
        let operands = 1 + s.below(3);
        let announced = if s.rarely(4) { 1 + s.below(3) } else { operands };
        Plan { terms, operands, announced, labels: s.below(4), fits: false }
    }
}

/// Calls the builder once, with a specification that is parsed at run time. Calls with other specifications share the path cache.
pub(super) fn contract<T: Scalar, O: Order>(
    operands: &Operands<'_, T, O>,
    cache: &PathCache,
    s: &mut Source<'_>,
) {
    let shapes: [&[usize]; 3] = [&operands.1.shape(), &operands.2.shape(), &operands.3.shape()];
    if !shapes.iter().all(|shape| is_small(shape) && feasible(&[shape, shape])) {
        return;
    }
    let (text, number) = if s.rarely(3) {
        (super::dynamic::any_spec(s), s.below(4))
    } else {
        let (known, operands) = s.pick(&SPECS);
        (known.to_string(), if s.rarely(16) { s.hostile() } else { operands })
    };
    let Some(spec) = attempt("Spec::parse", || Spec::parse(&text, number)) else { return };
    may_panic("Spec::labels", || (spec.labels(number.min(20)), spec.ellipsis(number.min(20))));
    let plan = match Plan::fitting(&spec, s) {
        Some(plan) if !WRONG_NUMBERS || s.below(2) == 0 => plan,
        _ if WRONG_NUMBERS => Plan::any(s),
        _ => return,
    };
    match plan.announced {
        1 => first::<T, O, 1>(operands, &spec, cache, plan, s),
        2 => first::<T, O, 2>(operands, &spec, cache, plan, s),
        _ => first::<T, O, 3>(operands, &spec, cache, plan, s),
    }
}

/// Evaluates `$go`. In it, `$x` is the operand that the term selects, and `$of` is the `TermOf` value of the term, an argument of the
/// builder's functions.
macro_rules! with_term {
    ($operands:expr, $term:expr, |$x:ident, $of:ident| $go:expr) => {
        with_term!(@ $operands, $term, $x, $of, $go;
            0 0 0 false; 1 1 1 false; 2 2 2 false; 3 3 3 false;
            1 1 0 true; 2 2 0 true; 2 2 1 true; 3 3 0 true; 3 3 1 true; 3 3 2 true)
    };
    (@ $operands:expr, $term:expr, $x:ident, $of:ident, $go:expr; $($rank:tt $k:literal $labels:literal $dots:literal);*) => {
        match $term {
            $(($k, $labels) => {
                let ($x, $of) = ($operands.$rank, TermOf::<$labels, $dots>);
                $go
            })*
            _ => {}
        }
    };
}

fn first<T: Scalar, O: Order, const N: usize>(
    operands: &Operands<'_, T, O>,
    spec: &Spec<'_>,
    cache: &PathCache,
    plan: Plan,
    s: &mut Source<'_>,
) {
    let conjugate = s.rarely(4);
    with_term!(operands, plan.terms[0], |x, of| {
        // The numbers of operands and labels can contradict the specification. `contraction` is then allowed to panic, because it is meant
        // for calls by macros only.
        let begun = if conjugate {
            may_panic("contraction", || contraction(spec, cache, Count::<N>, of, x.conj_view()).boxed())
        } else {
            may_panic("contraction", || contraction(spec, cache, Count::<N>, of, x).boxed())
        };
        if let Some(begun) = begun {
            Ellipsis::more(begun, operands, plan, 1, s);
        }
    });
}

/// The operands that were already passed to the builder, as a trait object. So their number is not part of the type.
type Bound<'a, T, O> = Box<dyn OperandList<T, O, Cpu> + 'a>;

/// The rank that the ellipses of a contraction stand for. `more` passes the remaining operands to the builder, one per recursive
/// call.
trait Ellipsis: Dim {
    fn more<'s, 'a, T: Scalar, O: Order, const N: usize>(
        begun: Contraction<'s, T, Self, O, Cpu, Bound<'a, T, O>, N>,
        operands: &Operands<'a, T, O>,
        plan: Plan,
        bound: usize,
        s: &mut Source<'_>,
    );
}

macro_rules! ellipses {
    ($($rank:literal)*) => {$(
        impl Ellipsis for Rank<$rank> {
            fn more<'s, 'a, T: Scalar, O: Order, const N: usize>(
                begun: Contraction<'s, T, Self, O, Cpu, Bound<'a, T, O>, N>,
                operands: &Operands<'a, T, O>,
                plan: Plan,
                bound: usize,
                s: &mut Source<'_>,
            ) {
                if bound < plan.operands {
                    with_term!(operands, plan.terms[bound], |x, of| {
                        if let Some(begun) = may_panic("Contraction::and", || begun.and(of, x)) {
                            Ellipsis::more(begun.boxed(), operands, plan, bound + 1, s);
                        }
                    });
                    return;
                }
                match plan.labels {
                    0 => finish(may_panic("Contraction::result", || begun.result::<0, _>()), plan.fits, s),
                    1 => finish(may_panic("Contraction::result", || begun.result::<1, _>()), plan.fits, s),
                    2 => finish(may_panic("Contraction::result", || begun.result::<2, _>()), plan.fits, s),
                    _ => finish(may_panic("Contraction::result", || begun.result::<3, _>()), plan.fits, s),
                }
            }
        }
    )*};
}
ellipses!(0 1 2 3);

/// Computes the result, writes it to a preallocated output, or only plans the path. If `fits` is `false`, a panic is allowed.
fn finish<T: Scalar, R: Dim, O: Order, const N: usize>(
    prepared: Option<Prepared<'_, T, R, O, Cpu, Bound<'_, T, O>, N>>,
    fits: bool,
    s: &mut Source<'_>,
) {
    let Some(prepared) = prepared else { return };
    let limit = limit(s);
    let (shape, alpha, beta) =
        (s.shape(R::NDIM.expect("a rank known at compile time")), s.value(), s.value());
    let mut out = Tensor::<T, R, O>::zeros(super::source::array::<R>(&shape));
    match s.below(3) {
        0 => {
            // `attempt` and `attempt_or_panic` take the same closure, so the contraction is compiled once.
            let into = || prepared.try_contract_into(&mut out, alpha, beta, limit);
            let run = if fits { attempt } else { attempt_or_panic };
            run("Prepared::try_contract_into", into);
        }
        1 => {
            may_panic("Prepared::try_path", || prepared.try_path(limit).map(|path| path.to_string()).is_ok());
        }
        _ => {
            let run = if fits { attempt } else { attempt_or_panic };
            let z = run("Prepared::try_contract", || prepared.try_contract(limit));
            if let Some(z) = z {
                assert_eq!(z.iter().count(), z.len());
                s.keep(z);
            }
        }
    }
    s.keep(out);
}
