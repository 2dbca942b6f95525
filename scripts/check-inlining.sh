#!/usr/bin/env bash
# Checks that the loops of elementary functions call no other function, in a build with optimisation. Needs `objdump` and x86-64.
#
#     scripts/check-inlining.sh
#
# The compiler does not vectorise a loop that calls a function. It inlines a function into a loop for AVX2 if the function is marked
# `#[inline(always)]` and called by its name, but not always if it is passed as a parameter, `f: impl Fn(..)`. Because of such a parameter,
# loops over complex numbers once took 20 times as long.
set -euo pipefail
cd "$(dirname "$0")/.."

if [ "$(uname -m)" != x86_64 ] || ! command -v objdump > /dev/null; then
    echo "skipped: loops of elementary functions (needs objdump, on x86-64)"
    exit
fi
cargo build --quiet --release --lib -p vierbein
# Lines such as `.. <vierbein::elementary::compute_all::at>:` begin a function. `-r` adds a line with the name of each function that is
# called. Calls of functions that panic are allowed, and of `Quotient::far`, which computes rare quotients one by one.
objdump -d -r -C --no-show-raw-insn "${CARGO_TARGET_DIR:-target}/release/libvierbein.rlib" | awk '
    /^[0-9a-f]+ <.*>:$/ { inside = /vierbein::elementary::.*::at/; loops += inside; call = 0 }
    inside && /\tcall / { call = 1; next }
    inside && call && /R_X86_64_/ {
        sub(/.*R_X86_64_[A-Z0-9]+[ \t]+(\.text\.)?/, "")
        if (!/panic|Quotient>::far/) calls[$0]++
    }
    { call = 0 }
    END {
        print loops " loops"
        for (name in calls) { print "a loop calls " name; failed = 1 }
        if (loops < 100) { print "too few loops: are their names different?"; failed = 1 }
        exit failed
    }'
