//! The scalars that an operation's value carries. A GPU receives them as kernel parameters.

use crate::element::{DType, Element};

/// Largest number of scalars of an operation.
const MAX_SCALARS: usize = 6;
/// Size in bytes of the largest scalar, a complex number of two `f64`.
const MAX_SCALAR_BYTES: usize = 16;

/// The scalars that an operation carries, by the names that its CUDA source uses for them.
///
/// ```
/// use vierbein::device::{CudaSource, Scalars, UnaryOp};
/// use vierbein::tensor;
/// #[derive(Clone, Copy)]
/// struct Scaled(f64);
/// impl UnaryOp<f64> for Scaled {
///     type Output = f64;
///     const NAME: &'static str = "scale";
///     // SAFETY: an expression of the operand's and the scalar's value: it accesses no memory.
///     const CUDA: CudaSource = unsafe { CudaSource::new("factor * a") };
///     fn apply(&self, a: f64) -> f64 {
///         self.0 * a
///     }
///     fn scalars(&self, bind: &mut Scalars) {
///         bind.scalar("factor", self.0);
///     }
/// }
/// assert_eq!(tensor![1.0, 2.0].apply(Scaled(3.0)), tensor![3.0, 6.0]);
/// ```
#[derive(Debug, Clone, Copy, Default)]
pub struct Scalars {
    signature: Signature,
    bytes: [[u8; MAX_SCALAR_BYTES]; MAX_SCALARS],
}

/// The properties of an operation's scalars that determine its kernel source. The values of the scalars are not among them.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
pub(crate) struct Signature {
    count: usize,
    names: [&'static str; MAX_SCALARS],
    types: [Option<DType>; MAX_SCALARS],
    /// Whether the operands `a` and `b` are swapped.
    swapped: bool,
    /// The compile-time constant of the source: its name and value.
    constant: Option<(&'static str, u8)>,
}

impl Scalars {
    /// Binds a value to its name in the CUDA source: a C++ identifier other than the names of the operands and the index.
    ///
    /// # Panics
    /// * If six scalars have been bound already.
    /// * If the name is `a`, `b`, `c` or `k`.
    /// * If the name is not an identifier of ASCII letters, digits and `_`, or begins with a digit.
    /// * If the name is reserved: a keyword of C++, a macro of the kernels, a name with `__`, or one that begins with `_` and a
    ///   capital.
    #[track_caller]
    pub fn scalar<T: Element>(&mut self, name: &'static str, value: T) {
        assert!(
            !["a", "b", "c", "k"].contains(&name),
            "cannot bind a scalar to the name `{name}`: `a`, `b` and `c` are the operands, and `k` is the flat index; choose \
             another name"
        );
        check_name(name);
        self.bind(name, value);
    }

    /// Binds a scalar operand to its name, `a`, `b` or `c`.
    pub(crate) fn operand<T: Element>(&mut self, name: &'static str, value: T) {
        self.bind(name, value);
    }

    fn bind<T: Element>(&mut self, name: &'static str, value: T) {
        let at = self.signature.count;
        assert!(at < MAX_SCALARS, "an operation carries at most {MAX_SCALARS} scalars");
        self.signature.count += 1;
        self.signature.names[at] = name;
        self.signature.types[at] = Some(T::DTYPE);
        self.bytes[at] = bytes_of(value);
    }

    /// Defines a compile-time constant of the source: each value gets its own kernel, so branches on it cost nothing at run time.
    pub(crate) fn constant(&mut self, name: &'static str, value: u8) {
        self.signature.constant = Some((name, value));
    }

    /// Swaps the operands `a` and `b`.
    pub(crate) fn swap_operands(&mut self) {
        self.signature.swapped = !self.signature.swapped;
    }
}

/// Checks that kernels can declare a scalar by this name. Safe code chooses the name, and it is inserted unchanged into the source
/// of kernels: a name that is not an identifier could inject arbitrary code.
#[track_caller]
fn check_name(name: &str) {
    let of_identifier = |c: u8| c.is_ascii_alphanumeric() || c == b'_';
    assert!(
        name.bytes().all(of_identifier) && name.bytes().next().is_some_and(|c| !c.is_ascii_digit()),
        "cannot bind a scalar to the name {name:?}: it is not a C++ identifier; use ASCII letters, digits and `_`, and no \
         digit first"
    );
    let of_implementation = name.contains("__")
        || name.strip_prefix('_').is_some_and(|rest| rest.starts_with(char::is_uppercase));
    assert!(
        !of_implementation && !RESERVED.contains(&name),
        "cannot bind a scalar to the name `{name}`: it is reserved in kernel sources; choose another name"
    );
}

/// The keywords of C++ (up to C++20, with the alternative spellings of operators), and the macros of this crate's kernels.
#[rustfmt::skip]
const RESERVED: &[&str] = &[
    "alignas", "alignof", "and", "and_eq", "asm", "auto", "bitand", "bitor", "bool", "break", "case", "catch", "char", "char16_t",
    "char32_t", "char8_t", "class", "co_await", "co_return", "co_yield", "compl", "concept", "const", "const_cast", "consteval",
    "constexpr", "constinit", "continue", "decltype", "default", "delete", "do", "double", "dynamic_cast", "else", "enum",
    "explicit", "export", "extern", "false", "float", "for", "friend", "goto", "if", "inline", "int", "long", "mutable",
    "namespace", "new", "noexcept", "not", "not_eq", "nullptr", "operator", "or", "or_eq", "private", "protected", "public",
    "register", "reinterpret_cast", "requires", "return", "short", "signed", "sizeof", "static", "static_assert", "static_cast",
    "struct", "switch", "template", "this", "thread_local", "throw", "true", "try", "typedef", "typeid", "typename", "union",
    "unsigned", "using", "virtual", "void", "volatile", "wchar_t", "while", "xor", "xor_eq",
    "AFTER", "BEFORE", "BLOCK", "CHAIN", "CONTAINS", "DEV", "EACH", "LOOPS", "TILE", "TILE_LOG", "WARPS",
];

/// Returns the bytes of an element, followed by zeros.
fn bytes_of<T: Element>(value: T) -> [u8; MAX_SCALAR_BYTES] {
    const { assert!(size_of::<T>() <= MAX_SCALAR_BYTES) };
    let mut bytes = [0; MAX_SCALAR_BYTES];
    // SAFETY: `value` has `size_of::<T>()` initialised bytes, as elements have no padding; `bytes` has at least as many, by the
    // assertion above. `value` and `bytes` are different local variables, so they do not overlap.
    unsafe {
        core::ptr::copy_nonoverlapping((&raw const value).cast::<u8>(), bytes.as_mut_ptr(), size_of::<T>())
    };
    bytes
}

#[cfg(feature = "cuda")]
impl Signature {
    /// Iterates over the names and types of the scalars in the order in which they were bound.
    pub(crate) fn scalars(&self) -> impl Iterator<Item = (&'static str, DType)> {
        self.names.into_iter().zip(self.types).map_while(|(name, dtype)| Some((name, dtype?)))
    }

    /// Returns the name and the value of the kernel source's compile-time constant, if there is one.
    pub(crate) fn constant(&self) -> Option<(&'static str, u8)> {
        self.constant
    }

    /// Iterates over the names of the operands that are not bound to a scalar, in argument order.
    pub(crate) fn operands(&self) -> impl Iterator<Item = &'static str> {
        let order = if self.swapped { ["b", "a", "c"] } else { ["a", "b", "c"] };
        order.into_iter().filter(|name| !self.names[..self.count].contains(name))
    }
}

#[cfg(feature = "cuda")]
impl Scalars {
    pub(crate) fn signature(&self) -> Signature {
        self.signature
    }

    /// Iterates over the bytes of each value and its type.
    pub(crate) fn values(&self) -> impl Iterator<Item = (&[u8; MAX_SCALAR_BYTES], DType)> {
        self.bytes.iter().zip(self.signature.scalars().map(|(_, dtype)| dtype))
    }
}

#[cfg(test)]
mod tests {
    use super::Scalars;
    use std::path::Path;

    /// Returns the panic message if the name is rejected.
    fn rejected(name: &'static str) -> Option<String> {
        let panic = std::panic::catch_unwind(|| Scalars::default().scalar(name, 1.0)).err()?;
        Some(*panic.downcast::<String>().expect("a message with the name"))
    }

    #[test]
    fn scalar_rejects_names_that_are_not_identifiers() {
        for name in [
            "x; *(int*)8 = 1; //",
            "",
            " ",
            "1x",
            "x y",
            "x ",
            "x\n",
            "x\\",
            "x*",
            "x,y",
            "x[2]",
            "x=0",
            "x//",
            "x/**/",
            "x(",
            "::x",
            "é",
            "x\0",
            "#x",
            "x-y",
            "x.y",
            "\u{200b}x",
            "*x",
            "&x",
        ] {
            let message = rejected(name).unwrap_or_else(|| panic!("{name:?} is accepted"));
            assert!(
                message.contains("is not a C++ identifier") && message.contains(&format!("{name:?}")),
                "{message}"
            );
        }
    }

    #[test]
    fn scalar_rejects_reserved_names() {
        for name in
            ["int", "operator", "struct", "asm", "and", "while", "co_await", "__asm", "x__y", "_X", "DEV"]
        {
            let message = rejected(name).unwrap_or_else(|| panic!("{name:?} is accepted"));
            assert!(message.contains("is reserved") && message.contains(&format!("`{name}`")), "{message}");
        }
        for name in ["a", "b", "c", "k"] {
            let message = rejected(name).expect("operands have these names");
            assert!(message.contains("choose another name"), "{message}");
        }
    }

    #[test]
    fn scalar_accepts_identifiers() {
        for name in ["factor", "x1", "_x", "K", "alpha_2", "A", "integer", "x_", "d"] {
            assert_eq!(rejected(name), None);
        }
    }

    /// A scalar must not have the name of a macro of the kernels: the preprocessor would replace the name in the scalar's declaration.
    #[test]
    fn scalar_rejects_macros_of_kernels() {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/device/cuda/runtime/codegen/sources");
        let mut count = 0;
        for entry in std::fs::read_dir(folder).expect("the sources are there") {
            let source =
                std::fs::read_to_string(entry.expect("the sources are there").path()).expect("it is text");
            for line in source.lines() {
                let Some(rest) = line.trim_start().strip_prefix("#define ") else { continue };
                let name = rest.split([' ', '(']).next().unwrap_or_default();
                assert!(super::RESERVED.contains(&name), "the macro {name} is not reserved");
                count += 1;
            }
        }
        assert!(count > 0, "no macro was found");
    }
}
