//! Reductions.
mod plan;
#[cfg(test)]
mod dump {
    use crate::device::{Reduction, Scalars};
    use crate::element::*;
    fn cname(d: DType) -> &'static str {
        match d { DType::Bool => "bool", DType::C32 => "c32", DType::C64 => "c64", d => d.name() }
    }
    fn dump<T: Element, R: Reduction<T>>(name: &str, op: &R) {
        let mut s = Scalars::default();
        op.scalars(&mut s);
        let members: String = s.signature().scalars().map(|(n, d)| format!("{} {n}; ", cname(d))).collect();
        let k = |f: &str| std::fs::read_to_string(format!("src/device/cuda/kernels/{f}.cu")).unwrap();
        let head = format!("{}{}{}\ntypedef {} R; typedef {} T;\nstruct F {{ {members}\n{}\n}};\n", k("prelude"), k("accumulate"), k("reduce"), cname(R::Output::DTYPE), cname(T::DTYPE), R::CUDA);
        let dir = std::env::var("DUMP").unwrap();
        let v = 16 / size_of::<T>();
        for (v, line, wide) in [(v, true, false), (1, true, false), (1, false, true), (v, false, false)] {
            std::fs::write(format!("{dir}/{name}_{}_{v}_{line}_{wide}.cu", cname(T::DTYPE)), format!("{head}\nextern \"C\" __global__ void __launch_bounds__(BLOCK) entry(F f, Shares shares, Loops<2> kept, Loops<1> reduced, const T *__restrict__ a, R *__restrict__ out, F::Acc *parts, u32 *failed) {{ reduce<{v}, {line}, {}>(f, shares, kept, reduced, a, out, parts, failed); }}\n", if wide { "u64" } else { "u32" })).unwrap();
        }
        std::fs::write(format!("{dir}/{name}_{}_parts.cu", cname(T::DTYPE)), format!("{head}\nextern \"C\" __global__ void __launch_bounds__(BLOCK) entry(F f, Shares shares, Loops<2> kept, const F::Acc *parts, R *out, u32 *failed) {{ reduce_parts(f, shares, kept, parts, out, failed); }}\n")).unwrap();
    }
    #[test]
    fn dump_all() {
        use crate::op::*;
        macro_rules! all { ($($t:ty)*) => {$(
            dump::<$t, _>("sum", &Sum); dump::<$t, _>("prod", &Prod); dump::<$t, _>("mean", &Mean);
            dump::<$t, _>("var", &Var { ddof: 1 }); dump::<$t, _>("std", &Std { ddof: 1 });
            dump::<$t, _>("norm", &Norm::<<$t as Scalar>::Magnitude>::default());
        )*} }
        macro_rules! real { ($($t:ty)*) => {$(
            dump::<$t, _>("max", &Max); dump::<$t, _>("min", &Min); dump::<$t, _>("argmax", &ArgMax); dump::<$t, _>("argmin", &ArgMin);
        )*} }
        all!(i8 i16 i32 i64 u8 u16 u32 u64 f32 f64 c32 c64);
        real!(i8 i16 i32 i64 u8 u16 u32 u64 f32 f64);
        dump::<bool, _>("all", &All); dump::<bool, _>("any", &Any); dump::<bool, _>("count", &Count);
    }
}
