#!/usr/bin/env python3
"""Writes the programs below the tables of docs/from_numpy.md and docs/from_ndarray.md, which run as tests of the crate.

Each row of a table becomes one or more lines of a program. In from_numpy.md, this script executes the left column with NumPy (2 or
later), and the program asserts that the right column has the same value. In from_ndarray.md, both columns are Rust, and the program
compares their values. Rows whose right column begins with `let` define variables for the tables after them. With `--check`, the script
writes nothing, and fails if a page is out of date.
"""

import math
import re
import sys
import tempfile
from pathlib import Path

import numpy as np

# Some rows divide by zero, which must not print warnings.
np.seterr(all="ignore")

DOCS = Path(__file__).resolve().parent.parent / "docs"


def halves(row):
    """Returns the code in the two columns of a row."""
    cells = re.split(r"(?<!\\)\|", row.strip().strip("|"))
    code = [re.findall(r"`([^`]*)`", cell.replace(r"\|", "|")) for cell in cells]
    if [len(c) for c in code] != [1, 1]:
        sys.exit(f"a row has two columns with one piece of code in each: {row}")
    return code[0][0], code[1][0]


# ------------------------------------------------------------------ NumPy's values as Rust code


def suffix(dtype):
    """Returns the suffix of a Rust literal of this type."""
    kinds = {"f": "_f", "i": "_i", "u": "_u"}
    return kinds[dtype.kind] + str(8 * dtype.itemsize) if dtype.kind in kinds else ""


def number(x, end=""):
    if isinstance(x, (bool, np.bool_)):
        return str(bool(x)).lower()
    if isinstance(x, (complex, np.complexfloating)):
        return f"Complex::new({number(x.real, '_f64')}, {number(x.imag)})"
    return repr(float(x) if isinstance(x, (float, np.floating)) else int(x)) + end


def nested(array, end):
    """Returns a nested Rust array. Only its first number has a type suffix."""
    parts = ((part, end if k == 0 else "") for k, part in enumerate(array))
    return "[" + ", ".join(number(*part) if array.ndim == 1 else nested(*part) for part in parts) + "]"


def plain(value):
    if isinstance(value, (list, tuple)):
        return "[" + ", ".join(map(plain, value)) + "]"
    return number(value, suffix(value.dtype) if isinstance(value, np.generic) else "")


def inexact(value):
    """Returns whether a value contains a number with many digits, of which the last one can differ in Rust."""
    values = np.asarray(value).reshape(-1)
    parts = [*values.real, *values.imag] if np.iscomplexobj(values) else values.tolist()
    return any(isinstance(x, float) and len(repr(float(x))) > 8 for x in parts)


def assertion(rust, value):
    """Returns an assertion that `rust` has the value that NumPy returned."""
    if isinstance(value, np.ndarray) and value.ndim == 0:
        return f"assert_eq!({rust}, Tensor::scalar({number(value[()], suffix(value.dtype))}));"
    if isinstance(value, np.ndarray):
        literal = nested(value, suffix(value.dtype))
        tensor = f"Tensor::<_, _, ColMajor>::from({literal})" if "ColMajor" in rust else f"tensor!{literal}"
        if inexact(value):
            alone = re.fullmatch(r"\w[^ ]*(\(.*\))?", rust)
            return f"assert!({rust if alone else f'({rust})'}.all_close(&{tensor}, 1e-14, 0.0));"
        return f"assert_eq!({rust}, {tensor});"
    if isinstance(value, (bool, np.bool_)):
        return f"assert!({rust});" if value else f"assert!(!({rust}));"
    if not isinstance(value, (list, tuple)) and inexact(value):
        return f"assert!(({rust} - {plain(value)}).abs() < 1e-14);"
    return f"assert_eq!({rust}, {plain(value)});"


# ------------------------------------------------------------------ pages


class NumPy:
    header = "| NumPy | vierbein |"
    summary = "The right column as a program that asserts NumPy's results"
    # Each key is a regular expression for a name. Its value is a pair: the lines to put before a program that contains the name,
    # and the feature that lines with the name require.
    uses = {
        "DType": ("use vierbein::DType;", None),
        "DynTensor": ("use vierbein::DynTensor;", None),
        "Quantile": ("use vierbein::Quantile;", None),
        "Side": ("use vierbein::Side;", None),
        "stack_into": ("use vierbein::stack_into;", None),
        "op": ("use vierbein::op;", None),
        "Npz": ("use vierbein::io::npz::{Npz, NpzWriter};", "npz"),
        "CsvReader": ("use vierbein::io::csv::CsvReader;", "csv"),
        "CsvWriter": ("use vierbein::io::csv::CsvWriter;", "csv"),
        "rng": ("use rand::{SeedableRng, distr::{StandardUniform, Uniform}, rngs::StdRng};", "rand"),
        r"i?r?fft\w*": ("use vierbein::fft::{Fft, Norm};", "fft"),
        r"(solve|inv|pinv|pinv_with|det|slogdet|matrix_rank|matrix_rank_with|matrix_rank_above|matrix_power|cond|nuclear_norm|spectral_norm|eig\w+|singular_values|svd|cholesky|lstsq|lstsq_with|qr|adjoint|roots|polyfit)": (
            "use vierbein::linalg::Svd;",
            "linalg",
        ),
        "folder": (
            'let folder = std::env::temp_dir().join(format!("vierbein-guide-{}", std::process::id()));\n'
            "# std::fs::create_dir_all(&folder)?;",
            None,
        ),
    }
    # Variables that rows may write to, each with the variable that it is a copy of. Before each row that writes to `x`, `x` is
    # created again as a copy of `a`.
    copies = {"x": "a", "y": "m", "z": "v"}

    def __init__(self):
        self.folder = tempfile.TemporaryDirectory()
        self.names = {"np": np, "math": math, "folder": self.folder.name + "/"}
        self.begun = {}

    def guarded(self, line):
        """Returns the line with a `cfg` attribute if it needs a feature."""
        features = (f for word, (_, f) in self.uses.items() if f and re.search(rf"\b{word}(Writer)?\b", line))
        return self.when(line, next(features, None))

    def when(self, line, feature):
        return f'#[cfg(feature = "{feature}")] {line}' if feature else line

    def begin(self, theirs, own):
        exec(theirs, self.names)
        name = theirs.split(" ")[0]
        self.begun[name] = self.guarded(own)
        value = self.names[name]
        return [own, assertion(name, value)] if isinstance(value, np.ndarray) else []

    def row(self, theirs, own):
        if not own.endswith(";"):
            return [self.guarded(assertion(own, eval(theirs, self.names)))]
        written = {new: old for new, old in self.copies.items() if re.search(rf"\b{new}\b", theirs)}
        names = self.names | {new: self.names[old].copy() for new, old in written.items()}
        exec(theirs, names)
        before = [f"let mut {new} = {old}.clone();" for new, old in written.items()]
        return [self.guarded(line) for line in before + [own] + [assertion(new, names[new]) for new in written]]

    def program(self, lines):
        named = lambda word: any(re.search(rf"\b{word}\b", line) for line in lines)
        hidden = [self.when(*use) for word, use in self.uses.items() if named(word)]
        hidden += [line for name, line in self.begun.items() if named(name) and line not in lines]
        end = ["# std::fs::remove_dir_all(folder)?;"] if named("folder") else []
        end += ["# Ok::<(), Box<dyn std::error::Error>>(())"]
        return ["use vierbein::prelude::*;"] + ["# " + line for line in hidden] + lines + end


class Ndarray:
    header = "| ndarray | vierbein |"
    summary = "Both columns as a program that compares them"
    # Right columns that end with this pattern return a plain value, such as a number or a `Vec`. All others return a tensor.
    values = r"(\.get\(.*\)|item\(\)|shape\(\)|len\(\)|rank\(\)|to_vec\(\)|is_\w+\(\)|\]\]|collect::<Vec<_>>\(\)|== .*)"

    def __init__(self):
        self.begun = []

    def begin(self, theirs, own):
        self.begun += [theirs, own]
        return [f"assert_eq!(Tensor::copy_of(&{theirs.split(' ')[1]}), {own.split(' ')[1]});"]

    def row(self, theirs, own):
        if own.endswith(";"):
            return ["let (mut nx, mut x) = (na.clone(), a.clone());", theirs, own, "assert_eq!(Tensor::copy_of(&nx), x);"]
        if re.search(self.values + "$", own):
            return [f"assert_eq!({theirs}, {own});"]
        array = f"({theirs})" if re.search(r"^\S+ [-+*/] ", theirs) or theirs[0] in "&-" else theirs
        return [f"assert_eq!(Tensor::copy_of(&{array}), {own});"]

    def program(self, lines):
        before = ['# #[cfg(feature = "ndarray")] {', "use ndarray::{Array1, Array2, Axis, ShapeBuilder, Zip, array};", "use vierbein::{op, prelude::*};"]
        return before + ["# " + line for line in self.begun] + lines + ["# }"]


def filled(text, page):
    """Returns the text with a program below each table, and the number of rows."""
    old = rf"\n<details>\n<summary>{re.escape(page.summary)}</summary>\n.*?\n</details>\n"
    out, lines, count = [], None, 0
    for line in re.sub(old, "", text, flags=re.S).split("\n"):
        if lines and not line.startswith("|"):
            out += ["", "<details>", f"<summary>{page.summary}</summary>", "", "```rust", *page.program(lines)]
            out += ["```", "", "</details>"]
        if not line.startswith("|"):
            lines = None
        elif line == page.header:
            lines = []
        elif lines is not None and not line.startswith("|---"):
            theirs, own = halves(line)
            count += 1
            try:
                lines += page.begin(theirs, own) if own.startswith("let ") else page.row(theirs, own)
            except Exception as error:
                sys.exit(f"{line}\n{error!r}")
        out.append(line)
    return "\n".join(out), count


def main():
    check, outdated = "--check" in sys.argv[1:], []
    for name, page in {"from_numpy.md": NumPy(), "from_ndarray.md": Ndarray()}.items():
        text = (DOCS / name).read_text()
        new, count = filled(text, page)
        print(f"{name}: {count} rows")
        if new != text:
            outdated.append(name)
            if not check:
                (DOCS / name).write_text(new)
    if check and outdated:
        sys.exit("out of date: " + ", ".join(outdated))


main()
