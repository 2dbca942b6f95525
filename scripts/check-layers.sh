#!/usr/bin/env bash
# Checks that each import in `src` stays in its row of the table "Layers" in docs/design.md, or goes to a lower row, and prints each line that
# does not. Tests are included. Macros, and paths in them that begin with `$crate`, are not checked: they belong to the module that uses them.
set -euo pipefail
cd "$(dirname "$0")/.."

# The library's root is read first: it says which module the names at the root of the crate belong to.
awk '
function row_of(path) {                       # the row of the longest listed path that contains `path`
    while (path != "" && !(path in row)) { if (!sub("/[^/]*$", "", path)) path = "" }
    return path == "" ? 0 : row[path]
}
function check(target,   own, other) {        # `target` is a path such as `device/cpu/Cpu`
    sub("/[A-Z].*$", "", target)
    own = row_of(file); other = row_of(target)
    if (!other) { printf "%s:%d: `%s` is in no row of the table\n", FILENAME, FNR, target; failed = 1 }
    else if (other < own) { printf "%s:%d: row %d imports `%s` of row %d above it\n", FILENAME, FNR, own, target, other; failed = 1 }
}
FILENAME == "docs/design.md" {
    if (/^## /) layers = ($0 == "## Layers")
    if (/^```/) block = !block
    else if (layers && block) {
        rows++
        sub("   .*$", "")
        for (i = 1; i <= NF; i++) row[$i] = rows
    }
    next
}
FNR == 1 {
    file = FILENAME; sub("^src/", "", file); sub("[.]rs$", "", file); sub("/mod$", "", file)
    if (file != "lib" && !row_of(file)) { printf "%s is in no row of the table\n", FILENAME; failed = 1 }
}
file == "lib" {                               # pub use module::path::{Name, ..};
    if (/^ *(pub|pub\(crate\)) use [a-z]/ && !/crate::/) { module = $3; gsub("::", "/", module); sub("/[^/]*$", "", module); sub("[{;].*", "", module); open = 1 }
    if (open) { names = $0; sub("^.*(use|{) *", "", names); n = split(names, name, "[^A-Za-z_0-9]+"); for (i = 1; i <= n; i++) if (name[i] != "") root[name[i]] = module }
    if (/;/) open = 0
    next
}
{
    text = $0; sub("//.*$", "", text); gsub("[$]crate|crate::[a-z_]+!", "", text)
    if (text ~ /crate::[{*]/) { printf "%s:%d: name the modules, one `use` for each\n", FILENAME, FNR; failed = 1 }
    if (match(text, "(super::)+[A-Za-z_][A-Za-z_0-9:]*")) {     # one level less in an indented line, which may be in a module of the file
        path = substr(text, RSTART, RLENGTH); target = file; gsub("::", "/", path)
        if (text ~ /^ /) sub("super/", "", path)
        while (sub("^super/", "", path)) if (!sub("/[^/]*$", "", target)) target = ""
        path = (target == "" ? "" : target "/") path; first = path; sub("/.*", "", first)
        if (first in row) check(path)
    }
    while (match(text, "crate(::[A-Za-z_][A-Za-z_0-9]*)+")) {
        path = substr(text, RSTART + 7, RLENGTH - 7); text = substr(text, RSTART + RLENGTH)
        gsub("::", "/", path); first = path; sub("/.*", "", first)
        check(first in root && !(first in row) ? root[first] : path)
    }
}
END { exit failed }
' docs/design.md src/lib.rs $(git ls-files 'src/*.rs' | grep -v '^src/lib.rs$')
