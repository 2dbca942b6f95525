// Sums of products of two operands. The division of work and the loops are those of reductions (reduce.cu).

// How a sum becomes a result (alpha * sum + beta * old), and which operands are conjugated.
struct Blend {
    // There is no multiplication by a scaling factor of 1, because it could turn a complex infinity into NaN. If beta is zero, the
    // old value is not read.
    bool alpha_is_one, beta_is_one, reads_old, conjugate_a, conjugate_b;
    DEV Blend(u32 flags)
        : alpha_is_one(flags & 1), beta_is_one(flags & 2), reads_old(flags & 4), conjugate_a(flags & 8),
          conjugate_b(flags & 16) {}
};

DEV f32 fused(f32 a, f32 b, f32 c) { return fmaf(a, b, c); }
DEV f64 fused(f64 a, f64 b, f64 c) { return fma(a, b, c); }
template <class T> DEV T fused(T a, T b, T c) { return wrapping_add(wrapping_mul(a, b), c); }

template <class T> DEV T blended(T alpha, T beta, const Blend &blend, T sum, T old) {
    if (!blend.alpha_is_one) sum = wrapping_mul(alpha, sum);
    if (!blend.reads_old) return sum;
    return wrapping_add(sum, blend.beta_is_one ? old : wrapping_mul(beta, old));
}

// Accumulates products in T itself. Floating-point products are fused with the additions; integers wrap.
template <class T, bool CHECKED> struct Products {
    typedef T Acc;
    DEV Acc identity() const { return Acc(); }
    DEV Acc add(Acc acc, T x, T y) const { return fused(x, y, acc); }
    DEV Acc combine(Acc a, Acc b) const { return wrapping_add(a, b); }
    DEV bool finish(Acc acc, T alpha, T beta, const Blend &blend, T &to) const {
        to = blended(alpha, beta, blend, acc, to);
        return true;
    }
};

// Accumulates the four products of real and imaginary parts separately. Conjugation is applied at the end.
template <class M> struct Quarters {
    M re_re, im_im, re_im, im_re;
};
template <class M, bool CHECKED> struct Products<Complex<M>, CHECKED> {
    typedef Quarters<M> Acc;
    DEV Acc identity() const { return {0, 0, 0, 0}; }
    DEV Acc add(Acc acc, Complex<M> x, Complex<M> y) const {
        return {fused(x.re, y.re, acc.re_re), fused(x.im, y.im, acc.im_im), fused(x.re, y.im, acc.re_im),
                fused(x.im, y.re, acc.im_re)};
    }
    DEV Acc combine(Acc a, Acc b) const {
        return {a.re_re + b.re_re, a.im_im + b.im_im, a.re_im + b.re_im, a.im_re + b.im_re};
    }
    DEV bool finish(Acc acc, Complex<M> alpha, Complex<M> beta, const Blend &blend, Complex<M> &to) const {
        M im_im = blend.conjugate_a == blend.conjugate_b ? -acc.im_im : acc.im_im;
        M re_im = blend.conjugate_b ? -acc.re_im : acc.re_im;
        M im_re = blend.conjugate_a ? -acc.im_re : acc.im_re;
        Complex<M> sum = {acc.re_re + im_im, re_im + im_re};
        to = blended(alpha, beta, blend, sum, to);
        return true;
    }
};

// Returns the carry of a wrapped addition: -1, 0 or 1. For a type of b bits, the exact sum is `sum + carry * 2^b`. If the carries of all
// additions cancel, the final sum is exact.
template <class W> DEV i64 carry_of(W a, W b, W sum) {
    if constexpr (SIGNED<W>) {
        if ((a < 0) != (b < 0) || (sum < 0) == (a < 0)) return 0;
        return a < 0 ? -1 : 1;
    } else {
        return sum < a ? 1 : 0;
    }
}

// An integer of the accumulator type W, and the sum of the carries of its additions.
template <class W> struct Carried {
    W value;
    i64 carry;
};
template <class T> struct CheckedProducts {
    typedef Accumulator<T> Wide;
    typedef Carried<Wide> Acc;
    DEV Acc identity() const { return {0, 0}; }
    DEV Acc combine(Acc a, Acc b) const {
        Wide sum = wrapping_add(a.value, b.value);
        return {sum, a.carry + b.carry + carry_of(a.value, b.value, sum)};
    }
    DEV Acc add(Acc acc, T x, T y) const { return combine(acc, {wrapping_mul((Wide)x, (Wide)y), 0}); }
    DEV bool finish(Acc acc, T alpha, T beta, const Blend &blend, T &to) const {
        Wide sum, kept;
        bool exact = !checked_mul((Wide)alpha, acc.value, sum) && acc.carry == 0;
        if (blend.reads_old) {
            exact &= !checked_mul((Wide)beta, (Wide)to, kept);
            Wide scaled = sum;
            sum = wrapping_add(scaled, kept);
            exact &= carry_of(scaled, kept, sum) == 0;
        }
        return narrow<T>(sum, to) && exact;
    }
};
template <> struct Products<i8, true> : CheckedProducts<i8> {};
template <> struct Products<i16, true> : CheckedProducts<i16> {};
template <> struct Products<i32, true> : CheckedProducts<i32> {};
template <> struct Products<i64, true> : CheckedProducts<i64> {};
template <> struct Products<u8, true> : CheckedProducts<u8> {};
template <> struct Products<u16, true> : CheckedProducts<u16> {};
template <> struct Products<u32, true> : CheckedProducts<u32> {};
template <> struct Products<u64, true> : CheckedProducts<u64> {};

template <class T, int V> struct Pair {
    Vec<T, V> x, y;
};

// Loads pairs of elements, one of each operand, along one line. If V > 1, the elements of both operands are contiguous.
template <class T, int V> struct LineOfPairs {
    typedef Pair<T, V> Item;
    static const int flight = 4, together = V;
    const T *a, *b;
    i64 step_a, step_b;
    template <class I> DEV Item load(I item) const {
        return {*(const Vec<T, V> *)(a + (i64)item * (V > 1 ? V : step_a)),
                *(const Vec<T, V> *)(b + (i64)item * (V > 1 ? V : step_b))};
    }
    template <class F, class I> DEV typename F::Acc fold(const F &f, typename F::Acc acc, Item item, I) const {
#pragma unroll
        for (int v = 0; v < V; v++) acc = f.add(acc, item.x.at[v], item.y.at[v]);
        return acc;
    }
};

// Loads pairs of elements, one of each operand, at the indices of a loop nest. To find the offsets, each load divides its index. With
// 64-bit indices, a division has many instructions. So only one load is in flight then: the unrolled code of several would be too long.
template <class T, class I> struct WalkOfPairs {
    typedef Pair<T, 1> Item;
    static const int flight = sizeof(I) == 8 ? 1 : 4, together = 1;
    const T *a, *b;
    const Loops<2> &loops;
    DEV Item load(I item) const {
        i64 away[2];
        place(loops, item, away);
        return {{a[away[0]]}, {b[away[1]]}};
    }
    template <class F> DEV typename F::Acc fold(const F &f, typename F::Acc acc, Item item, I) const {
        return f.add(acc, item.x.at[0], item.y.at[0]);
    }
};

// Computes sums of products. V elements of each operand are loaded at a time. The host sets V > 1 only if the summed axes are
// one line, along which both operands are contiguous and aligned to V elements.
template <bool CHECKED, int V, bool LINE, class I, class T>
DEV void sum_products(T alpha, T beta, u32 flags, const Shares &shares, const Loops<3> &kept, const Loops<2> &summed,
                      const T *a, const T *b, T *out, typename Products<T, CHECKED>::Acc *parts, u32 *failed) {
    typedef Products<T, CHECKED> F;
    F f;
    Place me(shares);
    bool there = me.output < shares.outputs;
    i64 at[3];
    place(kept, (I)(there ? me.output : 0), at);
    typename F::Acc acc = f.identity();
    if (there) {
        const T *x = a + at[1], *y = b + at[2];
        if constexpr (LINE) {
            LineOfPairs<T, V> line = {x, y, summed.step[0][0], summed.step[1][0]};
            u64 items = V > 1 ? shares.count / V : shares.items;
            acc = fold_items(f, line, (I)me.rank, (I)me.sharing, (I)items);
            if (V > 1)
                for (u64 i = items * V + me.rank; i < shares.count; i += me.sharing) acc = f.add(acc, x[i], y[i]);
        } else {
            WalkOfPairs<T, I> walk = {x, y, summed};
            acc = fold_items(f, walk, (I)me.rank, (I)me.sharing, (I)shares.items);
        }
    }
    acc = across(f, acc, shares.lanes, shares.threads);
    if (!there || !me.first) return;
    if (shares.splits > 1) {
        parts[blockIdx.y * shares.outputs + me.output] = acc;
        return;
    }
    Blend blend(flags);
    T to = blend.reads_old ? out[at[0]] : T();
    if (!f.finish(acc, alpha, beta, blend, to) && failed) *failed = 1;
    out[at[0]] = to;
}

// Combines the partial sums that the blocks of `sum_products` wrote for each output.
template <bool CHECKED, class T>
DEV void sum_parts(T alpha, T beta, u32 flags, const Shares &shares, const Loops<3> &kept,
                   const typename Products<T, CHECKED>::Acc *parts, T *out, u32 *failed) {
    typedef Products<T, CHECKED> F;
    F f;
    Place me(shares);
    bool there = me.output < shares.outputs;
    typename F::Acc acc = f.identity();
    if (there) {
        Parts<typename F::Acc> source = {parts + me.output, shares.outputs};
        acc = fold_items(f, source, (u64)me.rank, (u64)me.sharing, shares.items);
    }
    acc = across(f, acc, shares.lanes, shares.threads);
    if (!there || !me.first) return;
    i64 at[3];
    place(kept, me.output, at);
    Blend blend(flags);
    T to = blend.reads_old ? out[at[0]] : T();
    if (!f.finish(acc, alpha, beta, blend, to) && failed) *failed = 1;
    out[at[0]] = to;
}
