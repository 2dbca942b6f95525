#!/usr/bin/env python3
"""Draws passages of prose at random, for a reading test: comments and documentation of sources, and paragraphs of Markdown.

    scripts/draw-passages.py SEED [COUNT]    # COUNT is 50 by default

Each passage is printed with its place, the lines before it, and, for comments, the code that follows it. A reader who does not know
the code then says of each passage whether it is clear on the first reading.
"""

import random
import re
import subprocess
import sys

# Numbers of lines that are printed before and after a passage. The lines before introduce names to which a comment may refer.
LINES_BEFORE = 12
LINES_AFTER = 10
COMMENT = re.compile(r"^\s*(///|//!|//|#(?!!|\[|include|define|if|endif|else|pragma))")


def passages(path, text):
    """Yields the line number, the lines before, the prose and the code after it, of each passage of a file."""
    lines = text.splitlines()
    start = 0
    while start < len(lines):
        markdown = path.endswith(".md")
        is_prose = (lambda line: line.strip() != "") if markdown else (lambda line: COMMENT.match(line) is not None)
        if not is_prose(lines[start]):
            start += 1
            continue
        end = start
        while end < len(lines) and is_prose(lines[end]):
            end += 1
        prose = lines[start:end]
        if sum(len(line.split()) for line in prose) >= 6 and not prose[0].lstrip().startswith("```"):
            before = lines[max(0, start - LINES_BEFORE) : start]
            yield start + 1, before, prose, [] if markdown else lines[end : end + LINES_AFTER]
        start = end


def main():
    seed, count = int(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else 50
    files = subprocess.check_output(["git", "ls-files"], text=True).split()
    kinds = (".rs", ".cu", ".h", ".cpp", ".md", ".sh", ".py")
    skipped = ("benches/RESULTS", "ui-tests/fail", "tests/data", "LICENSE")
    drawn = []
    for path in files:
        if path.endswith(kinds) and not path.startswith(skipped):
            with open(path, encoding="utf-8") as file:
                drawn += [(path, *passage) for passage in passages(path, file.read())]
    for number, (path, line, before, prose, code) in enumerate(random.Random(seed).sample(drawn, count), 1):
        print(f"\n=== {number}. {path}:{line}")
        for title, text in (("before", before), ("passage", prose[:40]), ("after", code)):
            if text:
                print(f"--- {title}:")
                print("\n".join(text))


main()
