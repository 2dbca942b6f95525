#!/usr/bin/env python3
"""Draws docs/figures/speed.svg, a figure of the README, from the tables in benches/RESULTS.md.

scripts/plot-speed.py             # writes the figure; then run `cargo run --example guide_figures`
scripts/plot-speed.py --check     # only reports whether the figure is up to date
"""

import pathlib
import sys

ROOT = pathlib.Path(__file__).parent.parent
RESULTS = ROOT / "benches/RESULTS.md"
FIGURE = ROOT / "docs/figures/speed.svg"

# The columns of the other libraries (peers). The remaining columns of the tables are reference loops, alternatives and ratios.
PEERS = ["ndarray", "strided", "rstsr", "faer", "nalgebra"]
TYPE, THREADS = "f64", "1"
# The rows of the figure: the section and the row in RESULTS.md, and the label. They deliberately include rows in which a peer is faster.
ROWS = [
    ("memory", "a + b 10⁷", "&a + &b, 10⁷ elements"),
    ("memory", "a + b 10⁷ into", "the same, preallocated output"),
    ("memory", "transpose 1000²", "transposed copy, 1000 × 1000"),
    ("memory", "permute 305142 16⁶ into", "permuted copy, 6 axes of 16"),
    ("memory", "argmax 10⁷", "argmax, 10⁷ elements"),
    ("contraction", "abcd,cbe->ade permuted views", "einsum of permuted views"),
    ("contraction", "ij,jk->ik 1024 row·row into", "matrix product, 1024 × 1024"),
    ("memory", "norm 10⁷", "norm, 10⁷ elements"),
    ("memory", "sum axis 0 4000²", "sum over axis 0, 4000 × 4000"),
    ("small", "matmul 4²·4²", "matrix product, 4 × 4"),
]

LEFT, SCALE, TOP, STEP, HEIGHT, TIMES = 236, 190, 78, 26, 18, 650
EXPLANATION = "Below 1 (blue), vierbein is faster. Peers: ndarray, strided (strided-kernel, strided-opteinsum), rstsr, faer, nalgebra."
FASTER, SLOWER = "#5b9bd5", "#e39a4c"


def tables(text):
    """Returns the rows of all tables: {(section, row, type, threads): {column: cell}}."""
    found, section, header = {}, None, None
    for line in text.splitlines():
        if line.startswith("## "):
            section, header = line[3:], None
        elif line.startswith("| row "):
            header = [cell.strip() for cell in line.strip("|").split("|")]
        elif header and line.startswith("| "):
            cells = [cell.strip() for cell in line.strip("|").split("|")]
            # Several columns with ratios have the same name, "by minima". Of columns with the same name, only the first is used.
            row = {}
            for name, cell in zip(header, cells):
                row.setdefault(name, cell)
            found[section, row["row"], row["type"], row["threads"]] = row
    return found


def seconds(time):
    value, unit = time.split()
    return float(value) * {"s": 1, "ms": 1e-3, "µs": 1e-6, "ns": 1e-9}[unit]


def line(tag, text=None, **attributes):
    inside = " ".join(f'{name.replace("_", "-")}="{value}"' for name, value in attributes.items())
    if text is None:
        return f"<{tag} {inside}/>"
    text = text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    return f"<{tag} {inside}>{text}</{tag}>"


def figure():
    rows = tables(RESULTS.read_text(encoding="utf-8"))
    body = []
    bottom = TOP + STEP * len(ROWS)
    for tick in (0, 0.5, 1, 1.5, 2):
        x = LEFT + tick * SCALE
        style = dict(stroke="#333", stroke_width=1.5) if tick == 1 else dict(stroke="#ccc")
        body.append(line("line", x1=x, y1=TOP - 8, x2=x, y2=bottom, **style))
        body.append(line("text", f"{tick:g}", x=x, y=TOP - 13, text_anchor="middle", **{"class": "small"}))
    for k, (section, name, label) in enumerate(ROWS):
        row = rows[section, name, TYPE, THREADS]
        times = {peer: row[peer] for peer in PEERS if row.get(peer, "—") != "—"}
        best = min(times, key=lambda peer: seconds(times[peer]))
        ratio = float(row["/ peer"])
        assert abs(ratio - seconds(row["vierbein"]) / seconds(times[best])) < 0.02, (name, ratio, times[best])
        y, width = TOP + STEP * k, ratio * SCALE
        base = y + 13
        body.append(line("text", label, x=LEFT - 8, y=base, text_anchor="end"))
        colour = FASTER if ratio <= 1 else SLOWER
        body.append(line("rect", x=LEFT, y=y, width=f"{width:.1f}", height=HEIGHT, fill=colour))
        # A box in the colour of the background hides the grid lines behind the ratio.
        after = LEFT + width + 5
        body.append(line("rect", x=f"{after - 3:.1f}", y=y + 1, width=32, height=HEIGHT - 2, fill="#fdfdfd"))
        body.append(line("text", f"{ratio:.2f}", x=f"{after:.1f}", y=base))
        body.append(line("text", f"{row['vierbein']}; {best} {times[best]}", x=TIMES, y=base, **{"class": "small"}))
    width, height = 800, bottom + 14
    head = [
        line("text", "Time of vierbein / time of the fastest peer", x=16, y=24, **{"class": "bold"}),
        line("text", f"{TYPE}, one thread. {EXPLANATION}", x=16, y=42, **{"class": "small"}),
        line("text", "vierbein; fastest peer", x=TIMES, y=TOP - 13, **{"class": "small"}),
    ]
    return "\n".join(
        [
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" height="{height}">',
            "<style>text{font:13px sans-serif;fill:#111}.bold{font-weight:bold}.small{font-size:11px;fill:#444}</style>",
            f'<rect width="{width}" height="{height}" rx="6" fill="#fdfdfd" stroke="#bbb"/>',
            *head,
            *body,
            "</svg>\n",
        ]
    )


def main():
    text = figure()
    if sys.argv[1:] == ["--check"]:
        if not FIGURE.exists() or FIGURE.read_text(encoding="utf-8") != text:
            sys.exit("docs/figures/speed.svg is out of date: run scripts/plot-speed.py")
    elif sys.argv[1:]:
        sys.exit(__doc__)
    else:
        FIGURE.write_text(text, encoding="utf-8")


main()
