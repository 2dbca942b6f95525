//! A C++ program that consists of the CUDA sources of many operations. The program's results are compared with those of the
//! operations on the host. Also collects the kernels that compute these operations on a GPU.

use super::super::operation::{Operation, RawElements};
use super::super::program::{Program as Kernel, cuda_name};
use super::samples::{Random, Sample, pairs};
use crate::device::cuda::runtime::kernels::elementwise;
use crate::device::{BinaryOp, CudaSource, Generator, Scalars, TernaryOp, UnaryOp};
use crate::dispatch;
use crate::element::{DType, Element};
use std::any::type_name;
use std::collections::{BTreeSet, HashMap};

#[derive(Default)]
pub(super) struct Program {
    /// Names of the operations that were added.
    pub(super) names: BTreeSet<String>,
    /// The index of each C++ structure, by the structure's source. Operations with the same source and types share a structure.
    structures: HashMap<String, usize>,
    structs: String,
    /// The kernels that compute these operations on a GPU.
    pub(super) kernels: Vec<Kernel>,
    calls: String,
    input: Vec<u8>,
    checks: Vec<Check>,
}

/// Reads an operation's results from the program's output, and returns a message about the first wrong one.
type Check = Box<dyn Fn(&mut &[u8]) -> Option<String>>;

/// An operation to be written to the program, without type parameters, so that the code that writes it is compiled once.
struct Function {
    name: &'static str,
    text: CudaSource,
    defined: Option<CudaSource>,
    scalars: Scalars,
}

impl Function {
    fn new<F>(text: CudaSource, defined: Option<CudaSource>, bind: impl FnOnce(&mut Scalars)) -> Function {
        let mut scalars = Scalars::default();
        bind(&mut scalars);
        Function { name: type_name::<F>(), text, defined, scalars }
    }

    /// Returns the operation in the engine's representation.
    fn operation(&self) -> Operation {
        Operation { name: self.name, text: self.text, scalars: self.scalars }
    }
}

/// Whether the operation is defined, and the expected value. If the value is `None`, the result is not compared.
type Expected<R> = (bool, Option<R>);

/// Returns the names of the operands that are not bound to a scalar.
fn operands<const K: usize>(scalars: &Scalars) -> [&'static str; K] {
    let signature = scalars.signature();
    let mut names = signature.operands();
    std::array::from_fn(|_| names.next().expect("an operation has at most three operands"))
}

impl Program {
    /// Adds a call that runs the operation on `cases` cases. Defines a C++ structure for the operation, unless an equal one exists. Appends
    /// the values of its scalars to `input`, and its GPU kernels to `kernels`.
    fn function(&mut self, f: &Function, cases: usize, result: DType, operands: &[(&'static str, DType)]) {
        self.kernels.extend(contiguous(&f.operation(), f.defined, result, operands));
        let result = cuda_name(result);
        let operands: Vec<(&str, &str)> =
            operands.iter().map(|&(name, dtype)| (name, cuda_name(dtype))).collect();
        let Function { name, text, defined, scalars } = *f;
        assert!(!text.is_none(), "{name} has no text");
        assert!(
            !defined.is_some_and(|text| text.is_none()),
            "{name} is checked and does not say where it is defined"
        );
        let plain = name.split('<').next().unwrap_or(name);
        self.names.insert(plain.rsplit("::").next().unwrap_or(plain).to_string());

        let (mut members, mut reads) = (format!("typedef {result} R;"), String::new());
        for (operand, ty) in &operands {
            members += &format!(" typedef {ty} {};", operand.to_uppercase());
        }
        if let Some((constant, value)) = scalars.signature().constant() {
            members += &format!(" static constexpr u8 {constant} = {value};");
        }
        for ((bytes, dtype), (scalar, _)) in scalars.values().zip(scalars.signature().scalars()) {
            members += &format!(" {} {scalar};", cuda_name(dtype));
            reads += &format!(" in.get(f.{scalar});");
            self.input.extend(&bytes[..dispatch!(dtype, T => size_of::<T>())]);
        }
        let parameters: Vec<String> =
            operands.iter().map(|(operand, ty)| format!("{ty} {operand}")).collect();
        let parameters = parameters.join(", ");
        let (text, condition) = (text.as_str(), defined.map_or("true", |text| text.as_str()));
        let structure = format!(
            "{{\n    {members}\n    DEV R operator()({parameters}) const {{ return (R)({text}); }}\n    \
             DEV bool defined({parameters}) const {{ return {condition}; }}\n}};\n"
        );
        let n = match self.structures.get(&structure) {
            Some(&n) => n,
            None => self.structure(structure),
        };
        let types: Vec<&str> = operands.iter().map(|(_, ty)| *ty).collect();
        self.calls += &format!("    {{ F{n} f;{reads} run<{}>(f, {cases}, in, out); }}\n", types.join(", "));
    }

    /// Adds a new structure. Returns its number.
    fn structure(&mut self, structure: String) -> usize {
        let n = self.structures.len();
        self.structs += &format!("struct F{n} {structure}");
        self.structures.insert(structure, n);
        n
    }

    /// Adds a check that compares what the program writes for each case with the expected value. If the expected value is `None`,
    /// every value is accepted.
    fn expect<R: Sample>(
        &mut self,
        name: &'static str,
        close: f64,
        expected: Vec<Expected<R>>,
        describe: Box<dyn Fn(usize) -> String>,
    ) {
        self.checks.push(Box::new(move |out| {
            let mut wrong = None;
            for (i, &(defined, value)) in expected.iter().enumerate() {
                let (found_defined, found) = (bool::get(out), R::get(out));
                if found_defined != defined {
                    wrong.get_or_insert(format!(
                        "{name} {}: defined is {found_defined}, not {defined}",
                        describe(i)
                    ));
                }
                if let Some(value) = value
                    && !found.is(value, close)
                {
                    wrong.get_or_insert(format!("{name} {}: {found:?}, not {value:?}", describe(i)));
                }
            }
            wrong
        }));
    }

    pub(super) fn generator<T: Sample, F: Generator<T> + 'static>(&mut self, op: F) {
        let function = Function::new::<F>(F::CUDA, None, |to| op.scalars(to));
        self.of_position::<T>(&function, &|k| op.apply(k));
    }

    pub(super) fn unary<A: Sample, F: UnaryOp<A, Output: Sample> + 'static>(&mut self, op: F) {
        self.unary_close(op, 0.0, |_| true);
    }

    /// Adds an operation that is tested on the elements for which `some` returns `true` only. Its results may differ from those of the
    /// host by at most `close` units of rounding.
    pub(super) fn unary_close<A: Sample, F: UnaryOp<A, Output: Sample> + 'static>(
        &mut self,
        op: F,
        close: f64,
        some: fn(A) -> bool,
    ) {
        let defined = F::CHECKED.then_some(F::CUDA_DEFINED);
        let function = Function::new::<F>(F::CUDA, defined, |to| op.scalars(to));
        self.of_one::<A, F::Output>(&function, close, some, &|a| {
            let defined = !F::CHECKED || op.is_defined(a);
            (defined, has_value(a, defined).then(|| op.apply(a)))
        });
    }

    pub(super) fn binary<A: Sample, B: Sample, F: BinaryOp<A, B, Output: Sample> + 'static>(
        &mut self,
        op: F,
    ) {
        let defined = F::CHECKED.then_some(F::CUDA_DEFINED);
        let function = Function::new::<F>(F::CUDA, defined, |to| op.scalars(to));
        // The divisor is the operand called `b`.
        let [_, second] = operands(&function.scalars);
        self.of_two::<A, B, F::Output>(&function, &|a, b| {
            let defined = !F::CHECKED || op.is_defined(a, b);
            let has_value = if second == "b" { has_value(b, defined) } else { has_value(a, defined) };
            (defined, has_value.then(|| op.apply(a, b)))
        });
    }

    pub(super) fn ternary<A: Sample, B: Sample, C: Sample, F>(&mut self, op: F)
    where
        F: TernaryOp<A, B, C, Output: Sample> + 'static,
    {
        let function = Function::new::<F>(F::CUDA, None, |to| op.scalars(to));
        self.of_three::<A, B, C, F::Output>(&function, &|a, b, c| op.apply(a, b, c));
    }

    fn of_position<R: Sample>(&mut self, function: &Function, apply: &dyn Fn(usize) -> R) {
        let positions: Vec<u64> =
            (0..40).chain((31..40).flat_map(|bits| (1 << bits) - 3..(1 << bits) + 3)).collect();
        self.function(function, positions.len(), R::DTYPE, &[("k", u64::DTYPE)]);
        positions.iter().for_each(|k| k.put(&mut self.input));
        let expected = positions.iter().map(|&k| (true, Some(apply(k as usize)))).collect();
        self.expect(function.name, 0.0, expected, Box::new(move |i| format!("at {}", positions[i])));
    }

    fn of_one<A: Sample, R: Sample>(
        &mut self,
        function: &Function,
        close: f64,
        some: fn(A) -> bool,
        apply: &dyn Fn(A) -> Expected<R>,
    ) {
        let [operand] = operands(&function.scalars);
        let elements: Vec<A> = A::all().into_iter().filter(|&a| some(a)).collect();
        self.function(function, elements.len(), R::DTYPE, &[(operand, A::DTYPE)]);
        elements.iter().for_each(|a| a.put(&mut self.input));
        let expected = elements.iter().map(|&a| apply(a)).collect();
        self.expect(function.name, close, expected, Box::new(move |i| format!("of {:?}", elements[i])));
    }

    fn of_two<A: Sample, B: Sample, R: Sample>(
        &mut self,
        function: &Function,
        apply: &dyn Fn(A, B) -> Expected<R>,
    ) {
        let [first, second] = operands(&function.scalars);
        let elements = pairs::<A, B>();
        self.function(function, elements.len(), R::DTYPE, &[(first, A::DTYPE), (second, B::DTYPE)]);
        for (a, b) in &elements {
            a.put(&mut self.input);
            b.put(&mut self.input);
        }
        let expected = elements.iter().map(|&(a, b)| apply(a, b)).collect();
        self.expect(function.name, 0.0, expected, Box::new(move |i| format!("of {:?}", elements[i])));
    }

    fn of_three<A: Sample, B: Sample, C: Sample, R: Sample>(
        &mut self,
        function: &Function,
        apply: &dyn Fn(A, B, C) -> R,
    ) {
        let names: [&str; 3] = operands(&function.scalars);
        let (a, b, c) = (A::all(), B::all(), C::all());
        let mut random = Random(3);
        let mut some = || (a[random.below(a.len())], b[random.below(b.len())], c[random.below(c.len())]);
        let elements: Vec<(A, B, C)> = (0..500).map(|_| some()).collect();
        let operands = [(names[0], A::DTYPE), (names[1], B::DTYPE), (names[2], C::DTYPE)];
        self.function(function, elements.len(), R::DTYPE, &operands);
        for (a, b, c) in &elements {
            a.put(&mut self.input);
            b.put(&mut self.input);
            c.put(&mut self.input);
        }
        let expected = elements.iter().map(|&(a, b, c)| (true, Some(apply(a, b, c)))).collect();
        self.expect(function.name, 0.0, expected, Box::new(move |i| format!("of {:?}", elements[i])));
    }

    /// Returns the source of the program in C++. `prelude` is the source code with which every kernel begins. The program reads the file
    /// that its first argument names, and writes the file that its second argument names.
    pub(super) fn on_host(&self, prelude: &str) -> String {
        let Program { structs, calls, .. } = self;
        format!("{HOST}{prelude}{structs}{RUN}static void all(In &in, Out &out) {{\n{calls}}}\n")
    }

    pub(super) fn input(&self) -> &[u8] {
        &self.input
    }

    /// Returns messages about the wrong results in the program's output.
    pub(super) fn mistakes(&self, mut output: &[u8]) -> Vec<String> {
        let mistakes = self.checks.iter().filter_map(|check| check(&mut output)).collect();
        assert!(output.is_empty(), "the program wrote more than it should");
        mistakes
    }
}

/// Returns whether an operation's result may be compared. The result of an operation that overflows is compared too, as integers
/// wrap. The result of a division by zero is not.
fn has_value<B: Element>(divisor: B, defined: bool) -> bool {
    defined || divisor != B::default()
}

/// Definitions that CUDA C++ has and C++ lacks.
const HOST: &str = "
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#define __device__
#define __forceinline__ inline
static unsigned __umulhi(unsigned a, unsigned b) { return (unsigned)((unsigned long long)a * b >> 32); }
";

const RUN: &str = "
struct In {
    const char *at;
    template <class T> void get(T &to) { memcpy(&to, at, sizeof(T)); at += sizeof(T); }
};
struct Out {
    FILE *file;
    template <class T> void put(T value) { fwrite(&value, sizeof(T), 1, file); }
};
template <class A, class F> __attribute__((noinline)) void run(const F &f, int cases, In &in, Out &out) {
    for (int i = 0; i < cases; i++) {
        A a;
        in.get(a);
        out.put(f.defined(a));
        out.put(f(a));
    }
}
template <class A, class B, class F> void run(const F &f, int cases, In &in, Out &out) {
    for (int i = 0; i < cases; i++) {
        A a;
        B b;
        in.get(a);
        in.get(b);
        out.put(f.defined(a, b));
        out.put(f(a, b));
    }
}
template <class A, class B, class C, class F> void run(const F &f, int cases, In &in, Out &out) {
    for (int i = 0; i < cases; i++) {
        A a;
        B b;
        C c;
        in.get(a);
        in.get(b);
        in.get(c);
        out.put(f.defined(a, b, c));
        out.put(f(a, b, c));
    }
}
static void all(In &in, Out &out);
int main(int, char **names) {
    FILE *file = fopen(names[1], \"rb\");
    fseek(file, 0, SEEK_END);
    long bytes = ftell(file);
    rewind(file);
    char *input = (char *)malloc(bytes);
    if (fread(input, 1, bytes, file) != (size_t)bytes) return 1;
    In in = {input};
    Out out = {fopen(names[2], \"wb\")};
    all(in, out);
    return in.at == input + bytes && fclose(out.file) == 0 ? 0 : 1;
}
";

/// Returns the kernel of a function of contiguous operands. If `defined` is given, also returns the kernel that checks whether the operands
/// are in the domain of the function.
fn contiguous(
    operation: &Operation,
    defined: Option<CudaSource>,
    result: DType,
    operands: &[(&str, DType)],
) -> impl Iterator<Item = Kernel> {
    let elements = |dtype| RawElements { address: 0, dtype };
    // `k` is the index, not an operand.
    let operands = operands.iter().filter(|(name, _)| *name != "k").map(|&(_, dtype)| elements(dtype));
    let all: Vec<RawElements> = std::iter::once(elements(result)).chain(operands).collect();
    let variant = [elementwise::widest(&all) as u32, elementwise::UNROLL as u32, 0, 0, 0];
    let value = operation.program(&elementwise::CONTIGUOUS, result, &all[1..], variant);
    let defined =
        defined.map(|text| operation.domain(text).program(&elementwise::DEFINED, result, &all[1..], [0; 5]));
    std::iter::once(value).chain(defined)
}
