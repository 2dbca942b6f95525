#!/usr/bin/env bash
# Runs the checks that take too long for every change: each `scripts/check-*.sh` but `check-gpu.sh`, even if another one failed. At the
# end, prints for each script its outcome, its time in seconds, and what it skipped. Meant to be run daily; `.ci/run` has the checks
# that every change must pass.
#
#     scripts/check-all.sh                  # all
#     scripts/check-all.sh memory numerics  # some of them, to distribute the work among machines
set -uo pipefail
cd "$(dirname "$0")/.."

logs=${CARGO_TARGET_DIR:-target}/check-all
mkdir -p "$logs"
failed=0
said=()
# Leaves out check-gpu.sh, which does not run tests: it builds programs that are then run on a machine with a GPU.
[ $# -gt 0 ] || set -- $(ls scripts/check-*.sh | sed 's/.*check-//;s/\.sh$//' | grep -vxE 'all|gpu')
for name; do
    script=scripts/check-$name.sh
    printf '\n==== %s\n' "$name"
    started=$SECONDS
    if "$script" 2>&1 | tee "$logs/$name"; then outcome=passed; else outcome=FAILED failed=1; fi
    said+=("$(printf '%-16s %s, %s s' "$name" "$outcome" $((SECONDS - started)))")
    # Scripts print lines that begin with "skipped: " at their end, and tests may have printed the same lines before, so duplicates are
    # removed.
    while read -r line; do said+=("    $line"); done < <(grep '^skipped: ' "$logs/$name" | sort -u)
done

printf '\n==== all (%s s); the complete output is in %s\n' "$SECONDS" "$logs"
printf '%s\n' "${said[@]}"
exit $failed
