//! `einsum!` expands to calls of a builder. These tests call the builder directly, with numbers of operands and labels that differ
//! from the specification. The macro never passes such numbers. Each of these calls must panic before anything is computed.

use std::panic::{AssertUnwindSafe, catch_unwind};
use vierbein::einsum::{Count, PathCache, Spec, TermOf, contraction};
use vierbein::prelude::*;

/// Asserts that a call panics with the builder's message.
#[track_caller]
fn rejected<R>(call: impl FnOnce() -> R) {
    let payload = catch_unwind(AssertUnwindSafe(call)).err().expect("the call panics");
    let message = payload.downcast_ref::<String>().cloned().unwrap_or_default();
    assert!(
        message.starts_with("cannot contract: ") && message.ends_with("which ensures that they do"),
        "{message}"
    );
}

#[test]
fn builder_contracts_with_matching_counts() {
    let (a, b, cache) = (tensor![1, 2], tensor![3, 4, 5], PathCache::new());
    let spec = Spec::new("i,j->ij", 2);
    let start = || contraction(&spec, &cache, Count::<2>, TermOf::<1, false>, &a).and(TermOf::<1, false>, &b);
    let expected = tensor![[3, 4, 5], [6, 8, 10]];
    assert_eq!(start().result::<2, _>().contract(None), expected);
    assert_eq!(start().result::<2, _>().try_contract(None).unwrap(), expected);
    let mut out = Tensor::<i32, _>::ones([2, 3]);
    start().result::<2, _>().contract_into(&mut out, 2, 0, None);
    assert_eq!(out, &expected * 2);
    start().result::<2, _>().try_contract_into(&mut out, 1, -1, None).unwrap();
    assert_eq!(out, -&expected);
    start().result::<2, _>().write_into(&mut out, None);
    assert_eq!(out, expected);
    start().result::<2, _>().try_write_into(&mut out, None).unwrap();
    assert_eq!(start().result::<2, _>().path(None).multiplications(), 6.0);
    assert_eq!(start().result::<2, _>().try_path(None).unwrap().multiplications(), 6.0);
}

#[test]
fn builder_panics_with_mismatched_counts() {
    let (a, b, cache) = (Tensor::<i64, _>::ones([64]), Tensor::<i64, _>::ones([64]), PathCache::new());
    let matrix = Tensor::<i64, _>::ones([8, 8]);
    let outer = Spec::new("i,j->ij", 2);
    let start = || contraction(&outer, &cache, Count::<2>, TermOf::<1, false>, &a);
    // The result has more or fewer labels than the specification. If the builder accepted more labels, the result could have extents 0,
    // and the kernel would write past its end.
    rejected(|| start().and(TermOf::<1, false>, &b).result::<3, _>().contract(None));
    rejected(|| start().and(TermOf::<1, false>, &b).result::<1, _>().contract(None));
    rejected(|| start().and(TermOf::<1, false>, &b).result::<0, _>().try_contract(None));
    // An operand has more labels than the specification, or an ellipsis that the specification does not contain.
    rejected(|| start().and(TermOf::<2, false>, &matrix).result::<2, _>().contract(None));
    rejected(|| start().and(TermOf::<1, true>, &matrix).result::<2, _>().contract(None));
    rejected(|| contraction(&outer, &cache, Count::<2>, TermOf::<2, false>, &matrix));
    rejected(|| contraction(&outer, &cache, Count::<2>, TermOf::<1, true>, &matrix));
    // More or fewer operands than in the specification.
    rejected(|| contraction(&outer, &cache, Count::<1>, TermOf::<1, false>, &a));
    rejected(|| contraction(&outer, &cache, Count::<3>, TermOf::<1, false>, &a));
    rejected(|| start().result::<2, _>().contract(None));
    rejected(|| start().and(TermOf::<1, false>, &b).and(TermOf::<1, false>, &b));
}

#[test]
fn one_cache_of_several_specifications() {
    let cache = PathCache::new();
    let [a, b, c] = [[3, 4], [4, 5], [5, 2]].map(|shape| Tensor::<i64, _>::ones(shape));
    let chain = Spec::new("ij,jk,kl->il", 3);
    let wide = Spec::new("ij,jk,kl->ijkl", 3);
    let start = |spec| {
        contraction(spec, &cache, Count::<3>, TermOf::<2, false>, &a)
            .and(TermOf::<2, false>, &b)
            .and(TermOf::<2, false>, &c)
    };
    for _ in 0..2 {
        assert_eq!(start(&chain).result::<2, _>().contract(None), Tensor::full([3, 2], 20));
        assert_eq!(start(&wide).result::<4, _>().contract(None), Tensor::ones([3, 4, 5, 2]));
    }
}
