#!/usr/bin/env bash
# Checks that unsafe code accesses only its own memory. Runs the tests
#
# * under AddressSanitizer, at each SIMD level and on several numbers of threads. If the toolchain has no AddressSanitizer, the
#   tests run without it, and some of them under valgrind;
# * with randomised layouts of types;
# * under Miri and ThreadSanitizer, if the toolchain supports them.
#
# Prints what it skips, and why.
#
#     scripts/check-memory.sh                   # all parts that are available
#     scripts/check-memory.sh layouts valgrind  # only these parts, of levels, asan, valgrind, layouts, miri and tsan
#
# VIERBEIN_SUITES="lib interop" selects test programs: `lib` for the unit tests of the library, `tensor` for tests/tensor, other
# names for files of tests/. The default is all of them. VIERBEIN_LAYOUT_SEEDS="1 2 3" sets the seeds of the layouts.
# PROPTEST_CASES=32 reduces the number of cases of property tests.
#
# Two groups of tests do not run: the tests of the documentation, because each is a separate program to link, and the tests `cuda`
# and `cuda_types`, which scripts/check-cuda.sh runs in an emulator that checks every access.
#
# Under AddressSanitizer, the tests run in a build with exact memory (`--cfg vierbein_exact_memory`). In this build, each result and
# each workspace has a separate allocation of exactly the requested bytes, which is freed after use. In the usual build, the buffer
# pool and the scratch buffers of threads would hide accesses to freed memory, and accesses past the end of a request. Tests of the
# pool cannot run with exact memory. So the programs that have such tests also run in the usual build, with the pool limited to 0
# bytes (VIERBEIN_POOL_BYTES); tests of the pool set their own limits. One kind of error is not detected: a kernel's access to a
# part of a fixed-size stack buffer that it should not use.
set -euo pipefail
cd "$(dirname "$0")/.."

features=rand,npz,safetensors,csv,serde,ndarray,nalgebra,faer,cuda
target=$(rustc -vV | sed -n 's/^host: //p')
work=$(mkdir -p "${CARGO_TARGET_DIR:-target}/check-memory" && cd "${CARGO_TARGET_DIR:-target}/check-memory" && pwd)
named=${VIERBEIN_SUITES:-lib tensor $(cd tests && ls ./*.rs | sed 's/^..//;s/\.rs$//')}
suites=()
for suite in $named; do
    case $suite in cuda | cuda_types) ;; lib) suites+=(--lib) ;; *) suites+=(--test "$suite") ;; esac
done
[ ${#suites[@]} -gt 0 ] || { echo "no tests are left of $named" >&2; exit 2; }
# Incremental compilation is off, because nothing is built twice with the same flags. Debug assertions are off, so that all kernels are
# tested at all SIMD levels. In builds with debug assertions, only transposes, matrix products and sorting have kernels of all levels.
# Reports need line numbers.
export CARGO_INCREMENTAL=0 CARGO_PROFILE_DEV_DEBUG=line-tables-only CARGO_PROFILE_DEV_DEBUG_ASSERTIONS=false

summary=() skipped=() failed=0
step() { printf '\n== %s (%s s so far)\n' "$1" "$SECONDS"; }
skip() { skipped+=("$1"); }

nightly() { cargo +nightly "$@"; }
has_nightly() { nightly --version > /dev/null 2>&1; }
has_asan() { has_nightly && ls "$(rustc +nightly --print target-libdir)"/librustc*_rt.asan.a > /dev/null 2>&1; }
has_source() { has_nightly && [ -e "$(rustc +nightly --print sysroot)/lib/rustlib/src/rust/library/std/src/lib.rs" ]; }
has_miri() { nightly miri --version > /dev/null 2>&1; }

if has_asan; then usual="asan layouts miri tsan"; else usual="levels valgrind layouts miri tsan"; fi
chosen=${*:-$usual}
for part in $chosen; do
    case $part in
        levels | asan | valgrind | layouts | miri | tsan) ;;
        *) echo "usage: $0 [levels|asan|valgrind|layouts|miri|tsan ..]" >&2; exit 2 ;;
    esac
done
chosen() { [[ " $chosen " == *" $1 "* ]]; }

# The SIMD levels that this processor supports.
levels=(portable)
if grep -q avx2 /proc/cpuinfo 2> /dev/null; then levels+=(avx2); fi
if grep -q avx512vl /proc/cpuinfo 2> /dev/null; then levels+=(avx512); fi
best=${levels[-1]}
[ "$best" = avx512 ] || skip "SIMD levels above $best: this processor does not support them"

# Builds the tests with the given command, and stores the paths of the programs in `programs`.
build() { # COMMAND..
    local built
    built=$("$@" --features "$features" "${suites[@]}" --no-run --message-format=json)
    mapfile -t programs < <(echo "$built" | grep '"test":true' | grep -o '"executable":"[^"]*"' | cut -d'"' -f4)
    [ ${#programs[@]} -gt 0 ] || { echo "no tests were built" >&2; exit 1; }
}

# Runs the programs in the given environment, and counts passed tests and failed programs.
run() { # MODE NAME=VALUE..
    local mode=$1 began=$SECONDS passed=0 bad=() program log
    shift
    for program in "${programs[@]}"; do
        log=$work/log-${mode//[^a-z0-9]/_}-$(basename "$program")
        env "$@" "${before[@]}" "$program" --quiet --show-output "${arguments[@]}" > "$log" 2>&1 || bad+=("$log")
        while read -r line; do skip "$(basename "$program" | sed 's/-[^-]*$//'): $line"; done < <(sed -n 's/^skipped: //p' "$log")
        passed=$((passed + $(sed -n 's/^test result: .* \([0-9]*\) passed.*/\1/p' "$log" | awk '{n += $1} END {print n + 0}')))
    done
    summary+=("$mode: $passed passed in ${#programs[@]} programs, ${#bad[@]} of which failed, in $((SECONDS - began)) s")
    echo "${summary[-1]}"
    for log in "${bad[@]}"; do
        failed=1
        echo "-- $log"
        awk '!/^\.*$/ && n++ < 60' "$log"
    done
}
before=() arguments=()

# Runs the tests three times: on 1 thread at the lowest SIMD level, on 2 threads at the next level, and on 8 threads at the highest
# level. If the processor has fewer than three levels, its highest level is repeated.
run_all() { # MODE NAME=VALUE..
    local mode=$1 threads level i=0
    shift
    for threads in 1 2 8; do
        level=${levels[i]:-$best}
        run "$mode, $level, $threads threads" "$@" VIERBEIN_SIMD="$level" RAYON_NUM_THREADS=$threads
        i=$((i + 1))
    done
}

if chosen levels; then
    step "SIMD levels and threads"
    build cargo test --package vierbein
    run_all plain
fi

if chosen asan && has_asan; then
    step "AddressSanitizer"
    # At exit, modules of the CUDA emulator are still loaded, which would be reported as leaks. The suppression recognises them by
    # the C++ library, which only the emulator uses.
    echo leak:libstdc++.so > "$work/leaks"
    options=(ASAN_OPTIONS=detect_stack_use_after_return=1:allocator_may_return_null=1
        LSAN_OPTIONS=suppressions="$work/leaks":print_suppressions=0 VIERBEIN_POOL_BYTES=0)
    # Without optimisation, the tests take several times as long.
    export CARGO_PROFILE_DEV_OPT_LEVEL=1
    RUSTFLAGS="-Zsanitizer=address --cfg vierbein_exact_memory" CARGO_TARGET_DIR=$work/asan-exact \
        build nightly test --target "$target"
    run_all "asan, exact memory" "${options[@]}"
    all=("${suites[@]}") suites=()
    for suite in $named; do
        case $suite in lib) suites+=(--lib) ;; buffer_pool | allocation | faults) suites+=(--test "$suite") ;; esac
    done
    if [ ${#suites[@]} -gt 0 ]; then
        RUSTFLAGS=-Zsanitizer=address CARGO_TARGET_DIR=$work/asan build nightly test --target "$target"
        run "asan, usual memory" "${options[@]}"
    fi
    suites=("${all[@]}")
    unset CARGO_PROFILE_DEV_OPT_LEVEL
elif ! has_asan; then
    skip "AddressSanitizer: no nightly toolchain supports it"
fi

# Under valgrind, tests take about twenty times as long, and AVX-512 is not supported. So only the tests of kernels, conversions and
# files run under valgrind, without the large ones.
if chosen valgrind; then
    step "valgrind"
    if command -v valgrind > /dev/null; then
        all=("${suites[@]}")
        [ -n "${VIERBEIN_SUITES:-}" ] || suites=(--lib --test interop --test files --test npy)
        build cargo test --package vierbein
        before=(valgrind --quiet --error-exitcode=9 --leak-check=no --num-callers=20)
        arguments=(--skip large --skip scaling --skip memory_in_use_is_not_handed_out)
        run valgrind VIERBEIN_SIMD="$([ "$best" = portable ] && echo portable || echo avx2)" \
            VIERBEIN_POOL_BYTES=0 PROPTEST_CASES="${PROPTEST_CASES:-8}"
        before=() arguments=() suites=("${all[@]}")
    else
        skip "valgrind: it is not installed"
    fi
fi

if chosen layouts; then
    if has_nightly; then
        for seed in ${VIERBEIN_LAYOUT_SEEDS:-1 2}; do
            step "randomised layouts of types, seed $seed"
            RUSTFLAGS="-Zrandomize-layout -Zlayout-seed=$seed" CARGO_TARGET_DIR=$work/layouts \
                build nightly test --target "$target"
            run "layouts, seed $seed"
        done
    else
        skip "layouts: no nightly toolchain is installed"
    fi
fi

# This part has not been tried yet. Miri does not support vector instructions, foreign libraries and files, and takes hours for
# large tensors. So only some modules run under Miri, at the level `portable`.
if chosen miri; then
    step "Miri"
    if has_miri; then
        MIRIFLAGS="-Zmiri-disable-isolation -Zmiri-strict-provenance" VIERBEIN_SIMD=portable RAYON_NUM_THREADS=2 \
            CARGO_TARGET_DIR=$work/miri nightly miri test --no-default-features --lib -- \
            layout:: order:: rank:: tensor:: ops:: fmt:: cpu::memory::pool cpu::memory::scratch cpu::kernels::gemm::tiny && summary+=("Miri: passed") || failed=1
    else
        skip "Miri: the nightly toolchain does not have this component"
    fi
fi

# The standard library must be built with ThreadSanitizer, too: rustc refuses to link one that was built without it. If this check of rustc
# is turned off, ThreadSanitizer reports each `OnceLock` as a race. This part of the script has not been tried yet.
if chosen tsan; then
    step "ThreadSanitizer"
    if has_source; then
        RUSTFLAGS=-Zsanitizer=thread CARGO_TARGET_DIR=$work/tsan build nightly test -Zbuild-std --target "$target"
        run "ThreadSanitizer" RAYON_NUM_THREADS=8
    else
        skip "ThreadSanitizer: the toolchain has no source of the standard library, which must be built with it"
    fi
fi

step "done"
for what in "${summary[@]}"; do echo "$what"; done
for what in "${skipped[@]}"; do echo "skipped: $what"; done | sort -u
exit $failed
