#!/usr/bin/env bash
# Runs tests, checks and benchmarks on a machine with a GPU. The machine needs neither Rust nor the sources: scripts/check-gpu.sh
# builds the programs, and copies them and this script to target/gpu.
#
#     run.sh [--emulator] [OUTPUT]     # the output directory: OUTPUT, or else $OUT, or else ./gpu-results
#
# The most important stages run first, and the output directory is up to date after each stage, so an interrupted run still has
# results. Each stage has a time limit, and all stages together have TOTAL seconds, by default 530. The output directory contains:
#
#     GPU.md        the report: tests, times of the first use of a kernel, each row of gpu_bench compared with PyTorch and CuPy, targets,
#                   sanitizer, profiler
#     junit.xml     the outcome of every test
#     rows.jsonl    the measurements, one line for each row
#     machine.txt   the GPU and the version of its driver
#     stages.tsv    stages with their outcomes, seconds and reasons
#     log.txt       the complete output of the stages
#
# With --emulator, the stages run in the CUDA emulator, at small sizes. Each stage has 60 times its time limit, and TOTAL is ignored.
# NumPy then replaces PyTorch and CuPy, and the sanitizer does not run. The exit status is 0 if no stage failed and none ran out of
# time.
set -uo pipefail
here=$(cd "$(dirname "$0")" && pwd)

emulator=
if [ "${1:-}" = --emulator ]; then
    emulator=1
    shift
fi
out=${1:-${OUT:-gpu-results}}
mkdir -p "$out"
out=$(cd "$out" && pwd)
total=${TOTAL:-530}
[ -z "$emulator" ] || total=1000000
: > "$out/log.txt"
: > "$out/rows.jsonl"
printf 'stage\toutcome\tseconds\twhy\n' > "$out/stages.tsv"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
programs=$work/programs
mkdir "$programs"
for program in "$here"/*.gz; do
    name=$(basename "$program" .gz)
    gzip -dc "$program" > "$programs/$name"
    chmod +x "$programs/$name"
done
failed=0

export VIERBEIN_REQUIRE_GPU=1 VIERBEIN_CUDA_CACHE_DIR=$work/kernels
quick=()
if [ -n "$emulator" ]; then
    [ -e "$here/emulator/libcuda.so.1" ] || { echo "there is no emulator in $here: build with --emulator" >&2; exit 2; }
    export LD_LIBRARY_PATH=$here/emulator VIERBEIN_CUDA_LIB_DIR=$here/emulator VIERBEIN_EMULATOR_CACHE=$work/objects VIERBEIN_TEST_SEED=0
    quick=(--quick)
fi
python=$(command -v "${PYTHON:-python3}" || true)

record() { # STAGE OUTCOME SECONDS WHY
    printf '%s\t%s\t%s\t%s\n' "$@" >> "$out/stages.tsv"
    echo "$1: $2 in $3 s${4:+ ($4)}"
    # The report is written after each stage, in case the next stage is interrupted.
    [ -z "$python" ] || "$python" "$here/table.py" "$out" ${emulator:+--emulator} || failed=1
}

skip() { record "$1" skipped 0 "$2"; }

# Runs a command as a stage. Writes its output to $work/STAGE and to the log.
stage() { # STAGE LIMIT COMMAND..
    local name=$1 limit=$2 began=$SECONDS status=0 left
    shift 2
    left=$((total - SECONDS))
    [ -z "$emulator" ] || limit=$((limit * 60))
    if [ $left -lt 10 ]; then
        failed=1
        record "$name" "left out" 0 "no time left"
        return 1
    fi
    [ $limit -lt $left ] || limit=$left
    timeout --kill-after=5 "$limit" "$@" > "$work/$name" 2>&1 || status=$?
    { echo "== $name: $*"; cat "$work/$name"; } >> "$out/log.txt"
    case $status in
        0) record "$name" passed $((SECONDS - began)) "" ;;
        124 | 137) record "$name" "cut short" $((SECONDS - began)) "limit of $limit s" ;;
        *) record "$name" failed $((SECONDS - began)) "exit status $status" ;;
    esac
    [ $status -eq 0 ] || failed=1
    return $status
}

# Writes the outcomes of a test program in the format of JUnit.
junit() { # STAGE
    awk -v suite="$1" '
        /^test .* \.\.\. (ok|FAILED|ignored)/ { name[++n] = $2; outcome[n] = $NF; bad += $NF == "FAILED" }
        END {
            printf "<testsuite name=\"%s\" tests=\"%d\" failures=\"%d\">\n", suite, n, bad
            for (k = 1; k <= n; k++)
                printf "  <testcase classname=\"%s\" name=\"%s\">%s</testcase>\n", suite, name[k],
                    outcome[k] == "ok" ? "" : outcome[k] == "ignored" ? "<skipped/>" : "<failure/>"
            print "</testsuite>"
        }' "$work/$1" >> "$work/suites"
    { echo '<testsuites>'; cat "$work/suites"; echo '</testsuites>'; } > "$out/junit.xml"
}

# Runs a test program without the buffer pool, and with newly allocated memory filled with NaN. Skips the tests that need the
# sources, and the tests that themselves set up the emulator or an environment without some of the libraries. The stage has the name
# of the program, and a suffix if there are several stages with one program.
tests() { # STAGE LIMIT ARGUMENT..
    local name=$1 limit=$2
    shift 2
    stage "$name" "$limit" env VIERBEIN_CUDA_POISON=1 VIERBEIN_CUDA_POOL_BYTES=0 "$programs/${name%%-*}" \
        --skip in_the_emulator --skip faults:: --skip missing:: --skip compiler:: "$@" || true
    junit "$name"
}

# Appends the benchmark rows in the output of a stage, which are lines of JSON, to rows.jsonl. Then writes GPU.md.
rows() { # STAGE
    grep '^{' "$work/$1" >> "$out/rows.jsonl" || true
    [ -z "$python" ] || "$python" "$here/table.py" "$out" ${emulator:+--emulator} || failed=1
}

if command -v nvidia-smi > /dev/null; then
    nvidia-smi --query-gpu=name,driver_version --format=csv,noheader > "$out/machine.txt" || true
    stage machine 20 nvidia-smi || true
else
    skip machine "nvidia-smi is not installed"
fi
tests devices 60 cuda_row:: cuda_col::
tests cuda 90 --skip decompositions::
tests cuda-decompositions 60 decompositions::
tests cuda_types 90
# Tests that read the sources or compile C++ are skipped, because the sources are not on this machine.
tests lib 60 device::cuda device::scalars --skip texts:: --skip macros_of_kernels
stage first_use 30 "$programs/gpu_bench" "${quick[@]}" "first use" && rows first_use
stage gpu_bench 170 "$programs/gpu_bench" "${quick[@]}" --seconds "$([ -n "$emulator" ] && echo 1000000 || echo 150)" || true
rows gpu_bench
if [ -z "$python" ]; then
    skip peers "python3 is not installed"
elif ! "$python" -c 'import numpy' 2> /dev/null; then
    skip peers "python3 has no numpy"
elif [ -n "$emulator" ]; then
    stage peers 60 "$python" "$here/gpu.py" --quick numpy && rows peers
else
    stage peers 110 "$python" "$here/gpu.py" --seconds 95 torch cupy
    rows peers
fi
sanitizer=$(command -v compute-sanitizer || ls /usr/local/cuda/bin/compute-sanitizer 2> /dev/null || true)
if [ -n "$sanitizer" ] && [ -z "$emulator" ]; then
    stage memcheck 60 "$sanitizer" --tool memcheck --error-exitcode 9 "$programs/devices" cuda_row:: || true
    stage racecheck 50 "$sanitizer" --tool racecheck --error-exitcode 9 "$programs/devices" \
        cuda_row::sums cuda_row::extremes cuda_row::traces cuda_row::shape_operations cuda_row::matrix_products || true
else
    skip memcheck "compute-sanitizer is not installed, or there is no GPU"
    skip racecheck "compute-sanitizer is not installed, or there is no GPU"
fi
ncu=$(command -v ncu || ls /usr/local/cuda/bin/ncu 2> /dev/null || true)
if [ -n "$ncu" ] && [ -z "$emulator" ]; then
    for row in "a + b 10⁸" "a + bᵀ 8192²" "transpose 16384²" "ijkl->lkji 64⁴" "sum 10⁸" "trace 4096²"; do
        name=ncu_$(echo "$row" | tr -dc 'a-z0-9')
        stage "$name" 25 "$ncu" --clock-control none --csv \
            --metrics dram__bytes.sum.per_second,dram__throughput.avg.pct_of_peak_sustained_elapsed,gpu__time_duration.sum \
            "$programs/gpu_bench" --once --dtype f64 "$row" || true
    done
elif [ -n "$emulator" ]; then
    # Runs the rows that the profiler would measure, but without the profiler, to check that these rows exist.
    for row in "a + b 10⁸" "a + bᵀ 8192²" "transpose 16384²" "ijkl->lkji 64⁴" "sum 10⁸" "trace 4096²"; do
        stage "once_$(echo "$row" | tr -dc 'a-z0-9')" 25 "$programs/gpu_bench" --quick --once --dtype f64 "$row" || true
    done
else
    skip ncu "ncu is not installed"
fi
[ -z "$python" ] || "$python" "$here/table.py" "$out" ${emulator:+--emulator} --last || failed=1
echo "$out/GPU.md"
exit $failed
