#!/usr/bin/env python3
"""Writes GPU.md from the files in the output directory of run.sh: table.py OUTPUT [--emulator] [--last].

With --emulator and --last, fails if a row of NumPy or a target has no row of gpu_bench with the same name and element type.
"""

import json
import sys
from pathlib import Path
from xml.etree import ElementTree

# Performance targets on an H200, derived from the results of PyTorch and CuPy: minimum GB/s, maximum µs, or minimum share of
# cuBLAS.
TARGETS = [
    ("a + b 10⁸", "f64", "GB/s", 4250),
    ("a + bᵀ 8192²", "f64", "GB/s", 3700),
    ("transpose 16384²", "f32", "GB/s", 3700),
    ("transpose 16384²", "f64", "GB/s", 3700),
    ("ijkl->lkji 64⁴", "f64", "GB/s", 3700),
    ("permute 305142 16⁶", "f64", "GB/s", 3700),
    ("trace 4096²", "f64", "µs", 5),
    ("trace (1024, 1024, 1024) over (0, 2)", "f64", "µs", 16),
    ("iij->j 100³", "f64", "µs", 5),
    ("ijk,ijk->ijk 100³", "f64", "µs", 7),
    ("sum 10⁸", "f64", "GB/s", 4200),
    ("matmul 4096", "f64", "of cuBLAS", 0.98),
    ("matmul 4096", "Complex<f64>", "of cuBLAS", 0.98),
    ("aib,bjc->aijc 128, 2", "f64", "µs", 12),
]


def read_rows(path):
    own, peers, first, copy = {}, {}, [], None
    for line in path.read_text(encoding="utf-8").splitlines():
        row = json.loads(line)
        if "library" in row:
            peers.setdefault((row["case"], row["dtype"]), {})[row["library"]] = row["us"]
        elif "ms" in row:
            # Rows with `ms` measure the first use of a kernel. The stage `first_use` writes them. The later stage `gpu_bench` writes them
            # again, when the kernels are already cached, so only the first row of each case is kept.
            if all(row["case"] != known["case"] for known in first):
                first.append(row)
        elif "dtype" in row:
            own[row["case"], row["dtype"]] = row
        else:
            copy = row["rate"]
    return own, peers, first, copy


def table(header, rows):
    yield "| " + " | ".join(header) + " |"
    yield "|---" + "|--:" * (len(header) - 1) + "|"
    for row in rows:
        yield "| " + " | ".join(str(cell).replace("|", "\\|") for cell in row) + " |"


def number(x, digits=2):
    return "–" if x is None else f"{x:,.{digits}f}"


def targets(own):
    for case, dtype, unit, goal in TARGETS:
        row = own.get((case, dtype))
        if row is None:
            yield case, dtype, f"{goal} {unit}", "not measured", ""
            continue
        found = {"GB/s": row["rate"], "µs": row["us"], "of cuBLAS": row["share"]}[unit]
        reached = found is not None and (found <= goal if unit == "µs" else found >= goal)
        yield case, dtype, f"{'≤' if unit == 'µs' else '≥'} {goal} {unit}", number(found), "yes" if reached else "**no**"


def comparisons(own, peers, libraries):
    for key, row in own.items():
        beside = peers.get(key, {})
        cells = []
        for library in libraries:
            us = beside.get(library)
            cells += [number(us), number(row["us"] / us if us else None)]
        share = "–" if row["share"] is None else f"{100 * row['share']:.0f} % {row['limit']}"
        yield (*key, number(row["us"]), f"{number(row['rate'], 1)} {row['unit']}", share, *cells)


def write(output, emulated):
    lines = ["# GPU", ""]
    if emulated:
        lines += ["Run in the CUDA emulator at small sizes: **the times have no meaning**, and NumPy replaces PyTorch and CuPy.", ""]
    lines += ["Written by `scripts/check-gpu.sh`. A ratio is this crate's time divided by the other's: below 1, this crate is faster.", ""]
    machine = output / "machine.txt"
    if machine.exists():
        lines += ["GPU and driver: " + machine.read_text(encoding="utf-8").strip() + ".", ""]
    stages = [line.split("\t") for line in (output / "stages.tsv").read_text(encoding="utf-8").splitlines()]
    lines += ["## Stages", "", *table(stages[0], stages[1:]), ""]
    junit = output / "junit.xml"
    if junit.exists():
        suites = ElementTree.parse(junit).getroot()
        lines += ["## Tests", ""]
        lines += table(
            ("program", "tests", "failures"), [(s.get("name"), s.get("tests"), s.get("failures")) for s in suites]
        )
        bad = [case.get("name") for case in suites.iter("testcase") if case.find("failure") is not None]
        lines += ["", *(f"* failed: `{name}`" for name in bad), ""]
    own, peers, first, copy = read_rows(output / "rows.jsonl")
    if first:
        lines += ["## First use", ""]
        lines += table(
            ("", "ms", "second use, ms", "target, ms"),
            [(row["case"], number(row["ms"]), number(row["again_ms"], 3), row["target_ms"]) for row in first],
        )
        lines.append("")
    if own:
        lines += ["## Targets", "", *table(("case", "type", "target", "found", "reached"), targets(own)), ""]
        lines += ["## Rows", "", f"Bandwidth of a copy of large vectors: {number(copy, 1)} GB/s, reads and writes together.", ""]
        libraries = ("NumPy",) if emulated else ("PyTorch", "CuPy")
        names = [name for library in libraries for name in (f"{library}, µs", "ratio")]
        header = ("case", "type", "µs", "rate", "of the limit", *names)
        lines += [*table(header, comparisons(own, peers, libraries)), ""]
    (output / "GPU.md").write_text("\n".join(lines), encoding="utf-8")
    return own, peers


def main():
    output = Path(sys.argv[1])
    own, peers = write(output, "--emulator" in sys.argv)
    strangers = [key for key in peers if key not in own]
    missing = [(case, dtype) for case, dtype, *_ in TARGETS if (case, dtype) not in own]
    if "--last" in sys.argv and "--emulator" in sys.argv and (strangers or missing):
        sys.exit(f"rows of other libraries without a row of gpu_bench: {strangers}; targets without a row: {missing}")


if __name__ == "__main__":
    main()
