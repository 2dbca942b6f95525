#!/usr/bin/env python3
"""Checks the links of all Markdown files that git tracks, except CHANGELOG.md:

* relative links lead to existing files;
* the `#anchor` of a link to a Markdown file is a heading of this file, by GitHub's rule;
* paths in backquotes in docs/design.md and CONTRIBUTING.md exist, if they begin with a directory of DIRECTORIES.

Links for rustdoc (`crate::Tensor`, names without a slash or dot) and links with a scheme (`https:`) are not checked. Prints each dead
link, and exits with status 1 if there are any.
"""

import glob
import os
import re
import subprocess
import sys

NOT_CHECKED = {"CHANGELOG.md"}
WITH_PATHS = ["docs/design.md", "CONTRIBUTING.md"]
# Files that do not exist yet. A run on a GPU writes this one, and CONTRIBUTING.md asks to commit it.
NOT_YET = {"benches/GPU.md"}
DIRECTORIES = ("src/", "tests/", "docs/", "scripts/", "benches/", "examples/", "fuzz/", "ui-tests/")
CODE_BLOCK = re.compile(r"^ *(```+|~~~+).*?^ *\1 *$", re.M | re.S)
CODE_SPAN = re.compile(r"(?<!`)(`+)(?!`)(.+?)(?<!`)\1(?!`)", re.S)
INLINE_LINK = re.compile(r"\]\(\s*<?([^)\s>]+)")
DEFINITION = re.compile(r"^ {0,3}\[[^\]]+\]:\s*<?([^\s>]+)", re.M)


def text_of(file):
    """Returns the text of a Markdown file. Code blocks are replaced by empty lines, which keeps the line numbers."""
    with open(file, encoding="utf-8") as opened:
        return CODE_BLOCK.sub(lambda block: "\n" * block[0].count("\n"), opened.read())


def anchors(file):
    """Returns the anchors of all headings: the heading in lower case, without punctuation, with hyphens for spaces. If a heading is
    repeated, its anchors are numbered."""
    found = {}
    for heading in re.findall(r"^ {0,3}#{1,6}\s+(.*?)\s*#*\s*$", text_of(file), re.M):
        heading = re.sub(r"!?\[([^\]]*)\](\([^)]*\)|\[[^\]]*\])?", r"\1", heading)
        anchor = re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-")
        found[anchor] = found.get(anchor, -1) + 1
        if found[anchor]:
            found[f"{anchor}-{found[anchor]}"] = 0
    return found


def problem(file, link):
    """Returns a message if a link in a file is dead, or None."""
    path, _, anchor = link.partition("#")
    if re.match(r"[A-Za-z][\w+.-]*:", link):
        return None
    target = os.path.normpath(os.path.join(os.path.dirname(file), path)) if path else file
    if not os.path.exists(target):
        return "there is no such file" if "/" in path or "." in path else None
    if anchor and target.endswith(".md") and anchor not in anchors(target):
        return f"{target} has no such heading"
    return None


def main():
    os.chdir(os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
    files = subprocess.run(["git", "ls-files", "-z", "*.md"], check=True, capture_output=True, text=True).stdout
    dead = []
    for file in sorted(set(files.split("\0")) - NOT_CHECKED - {""}):
        text = text_of(file)
        # Code spans are replaced by spaces, because they cannot contain links.
        links = CODE_SPAN.sub(lambda span: re.sub(r"\S", " ", span[0]), text)
        found = [(m.start(), m[1], problem(file, m[1])) for p in (INLINE_LINK, DEFINITION) for m in p.finditer(links)]
        if file in WITH_PATHS:
            paths = [(m.start(), m[2].split()[0]) for m in CODE_SPAN.finditer(text) if m[2].startswith(DIRECTORIES)]
            missing = "there is no such file"
            found += [(at, path, None if glob.glob(path) else missing) for at, path in paths if path not in NOT_YET]
        for at, link, why in sorted((one for one in found if one[2]), key=lambda one: one[0]):
            dead.append(f"{file}:{text.count(chr(10), 0, at) + 1}: {link}: {why}")
    print("\n".join(dead) if dead else "all links lead somewhere")
    return 1 if dead else 0


if __name__ == "__main__":
    sys.exit(main())
