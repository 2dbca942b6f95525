#!/usr/bin/env bash
# Runs the tests on other processors and systems, and with the newest compiler.
#
#     scripts/check-targets.sh                    # all targets
#     scripts/check-targets.sh i686 s390x         # some of them
#
# | target | checks | run by |
# |---|---|---|
# | newest | the tests, built by the newest stable compiler, on x86-64 | |
# | i686 | the tests: 32-bit pointers, `u64` with an alignment of 4 | the processor itself |
# | aarch64 | the tests: NEON | qemu-user |
# | s390x | the tests: big-endian | qemu-user |
# | windows | the tests on x86-64 | wine |
# | wasm | tests/tensor/portable.rs on wasm32-wasip1: 32-bit pointers, no threads, no unwinding | Node |
# | darwin | a type check of the library for aarch64-apple-darwin | |
# | tsan | the tests under ThreadSanitizer, with a standard library that is instrumented too | |
#
# VIERBEIN_SUITES="lib npy files" selects test programs: `lib` for the unit tests of the library, `tensor` for tests/tensor, other names for
# files of tests/. The default is all of them. VIERBEIN_TARGETS_DIR is the directory of the Debian tree, by default target/check-targets.
#
# The tools are in a tree of Debian sid: its compiler, the standard libraries and linkers of the targets, qemu-user, wine and Node.
# The first call creates the tree in about 5 minutes, from the mirror that `apt-get` uses. The tree takes 7 GB, and builds take 10
# GB more. To create the tree again, delete its directory. Creating the tree and mounting need root. All mounts are in a separate
# mount namespace, which ends with its last process, so no mount remains in the tree. The repository is mounted read-only.
#
# Two groups of tests do not run: the tests of the documentation, because each is a separate program to link, and the tests `cuda`
# and `cuda_types`, which scripts/check-cuda.sh runs. Tests that an emulator cannot run are skipped by name below.
set -euo pipefail
cd "$(dirname "$0")/.."

features=rand,fft,linalg,npz,safetensors,csv,serde
all="newest i686 aarch64 s390x windows wasm darwin tsan"
chosen=${*:-$all}
for target in $chosen; do
    [[ " $all " == *" $target "* ]] || { echo "usage: $0 [${all// /|} ..]" >&2; exit 2; }
done
named=${VIERBEIN_SUITES:-lib tensor $(cd tests && ls ./*.rs | sed 's/^..//;s/\.rs$//')}
suites=()
for suite in $named; do
    case $suite in cuda | cuda_types) ;; lib) suites+=(--lib) ;; *) suites+=(--test "$suite") ;; esac
done
[ ${#suites[@]} -gt 0 ] || { echo "no tests are left of $named" >&2; exit 2; }

summary=() skipped=() failed=0
step() { printf '\n== %s (%s s so far)\n' "$1" "$SECONDS"; }
skip() { skipped+=("$1"); }
finish() {
    step "done"
    for what in "${summary[@]}"; do echo "$what"; done
    for what in "${skipped[@]}"; do echo "skipped: $what"; done | sort -u
    exit $failed
}

if [ "$(uname -sm)" != "Linux x86_64" ]; then skip "all targets: the tree is for Linux on x86-64"; finish; fi
if [ "$(id -u)" != 0 ]; then skip "all targets: debootstrap and chroot need root"; finish; fi
if ! unshare --mount --propagation private true 2> /dev/null; then skip "all targets: this process may not mount anything"; finish; fi

tree=${VIERBEIN_TARGETS_DIR:-${CARGO_TARGET_DIR:-target}/check-targets}
mkdir -p "$tree"
tree=$(cd "$tree" && pwd)
logs=$tree/w/logs

# Runs a command in the tree's shell, in the repository, with mounts that are not visible to other processes.
inside() { # COMMAND
    unshare --mount --propagation private bash -euc '
        mount -t proc proc "$1/proc"
        mount --rbind /dev "$1/dev"
        mount --bind "$2" "$1/w/project"
        mount -o remount,ro,bind "$1/w/project"
        exec chroot "$1" bash -c "cd /w/project && $3"' - "$tree" "$PWD" "$1"
}

make_tree() {
    command -v debootstrap > /dev/null || { apt-get update -qq && apt-get install -y -qq debootstrap > /dev/null; }
    local mirror
    mirror=$(apt-get indextargets --format '$(REPO_URI)' 'Origin: Debian' | grep -v security | sort -u | head -n 1)
    debootstrap --variant=minbase --include=ca-certificates,gcc,libc6-dev sid "$tree" "$mirror" > /dev/null
    # Network settings, such as a proxy.
    cp /etc/apt/apt.conf.d/* "$tree/etc/apt/apt.conf.d/" 2> /dev/null || true
    cp /etc/resolv.conf "$tree/etc/" 2> /dev/null || true
    mkdir -p "$tree/w/project" "$logs" "$tree/root/.cargo"
    inside 'cd / && for a in arm64 s390x i386; do dpkg --add-architecture $a; done && apt-get update -qq &&
        DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends \
            rustc cargo rust-src libstd-rust-dev libstd-rust-dev:arm64 libstd-rust-dev:s390x libstd-rust-dev:i386 \
            libstd-rust-dev-wasm32 gcc-aarch64-linux-gnu gcc-s390x-linux-gnu gcc-i686-linux-gnu gcc-mingw-w64-x86-64-win32 \
            libc6-dev-arm64-cross libc6-dev-s390x-cross libc6-dev-i386-cross \
            lld clang llvm libclang-rt-dev qemu-user wine wine64 nodejs > /dev/null && apt-get clean'
    cat > "$tree/root/.cargo/config.toml" << 'END'
[source.crates-io]
replace-with = "vendored-sources"
[source.vendored-sources]
directory = "/vendor"
[net]
offline = true
END
    touch "$tree/w/complete"
}

if [ ! -e "$tree/w/complete" ]; then
    step "creating a Debian sid tree in $tree"
    if [ -n "$(ls -A "$tree")" ]; then
        echo "$tree is not empty, but not a complete tree: delete it, or set VIERBEIN_TARGETS_DIR" >&2
        exit 1
    fi
    make_tree
fi
# Updates the vendored dependencies, which may have changed. Builds with -Zbuild-std also need the dependencies of the standard
# library.
cargo vendor --quiet --locked --versioned-dirs "$tree/vendor" > /dev/null
cp -rn "$tree"/usr/src/rustc-*/library/vendor/* "$tree/vendor/"

# Counts passed and failed tests in a log. A test program that does not build, or is terminated, is a failure too.
count() { # TARGET LOG STATUS SECONDS
    local passed bad
    passed=$(sed -n 's/^test result: .* \([0-9]*\) passed.*/\1/p' "$2" | awk '{n += $1} END {print n + 0}')
    bad=$(grep -c '^test .* FAILED$' "$2" || true)
    summary+=("$1: $passed passed, $bad failed, $([ "$3" = 0 ] && echo complete || echo "NOT PASSED"), in $4 s")
    while read -r line; do skip "$1: $line"; done < <(sed -n 's/^skipped: //p' "$2" | sort -u)
    echo "${summary[-1]}"
    [ "$3" = 0 ] || {
        failed=1
        echo "-- $2"
        # The log also contains panics that tests provoke; the reason of a failure is below the name of its test.
        grep -E '^error|^test .* FAILED$|^warning: unused' -A 3 "$2" | head -n 80
    }
}

# Adds `--skip` arguments for tests that a target cannot run, and stores the reason, which is printed at the end.
without=()
cannot() { # TARGET REASON TEST..
    local target=$1 reason=$2 test
    shift 2
    for test; do
        without+=(--skip "$test")
        skip "$target: $test: $reason"
    done
}

# Tests that start their own test program again from a shell. They fail in an emulator: the shell asks the host's operating system
# to start the program, which is for another processor. Tests that restart the program without a shell start it with the emulator in
# VIERBEIN_TEST_RUNNER.
restarted=(
    replace_keeps_the_temporary_private_under_any_umask
    file_size_limit_leaves_old_file
    full_disk_leaves_old_file
)

common="export HOME=/root CARGO_INCREMENTAL=0 CARGO_PROFILE_DEV_DEBUG=0 CARGO_PROFILE_DEV_OPT_LEVEL=1 RUST_BACKTRACE=0"
run() { # TARGET TRIPLE EXPORTS [CARGO-ARGUMENTS]
    local target=$1 began=$SECONDS status=0
    step "$target"
    inside "$common CARGO_TARGET_DIR=/w/target $3
        cargo test --package vierbein --locked --no-fail-fast --features $features --target $2 ${4:-} ${suites[*]} -- --show-output ${without[*]}" \
        > "$logs/$target" 2>&1 || status=$?
    count "$target" "$logs/$target" $status $((SECONDS - began))
    without=()
}

for target in $chosen; do
    case $target in
        newest) run newest x86_64-unknown-linux-gnu "" ;;
        i686) run i686 i686-unknown-linux-gnu "CARGO_TARGET_I686_UNKNOWN_LINUX_GNU_LINKER=i686-linux-gnu-gcc" ;;
        aarch64 | s390x)
            cannot $target "qemu-user cannot start a program for $target from within" "${restarted[@]}"
            up=CARGO_TARGET_${target^^}_UNKNOWN_LINUX_GNU
            runner="qemu-$target -L /usr/$target-linux-gnu"
            run $target $target-unknown-linux-gnu \
                "${up}_LINKER=$target-linux-gnu-gcc ${up}_RUNNER='$runner' VIERBEIN_TEST_RUNNER='$runner'"
            ;;
        windows)
            run windows x86_64-pc-windows-gnu "RUSTC_BOOTSTRAP=1 WINEDEBUG=-all WINEPREFIX=/w/wine XDG_RUNTIME_DIR=/tmp \
                CARGO_TARGET_X86_64_PC_WINDOWS_GNU_RUNNER=wine" "-Zbuild-std=std,panic_unwind,test"
            ;;
        tsan)
            # Some tests provoke failed allocations. Allocators must then return null, and not end the program.
            run tsan x86_64-unknown-linux-gnu "RUSTC_BOOTSTRAP=1 RAYON_NUM_THREADS=4 CARGO_TARGET_DIR=/w/target/tsan \
                TSAN_OPTIONS=allocator_may_return_null=1 CARGO_TARGET_X86_64_UNKNOWN_LINUX_GNU_RUSTFLAGS='-Zsanitizer=thread \
                -Zexternal-clangrt -Clinker=clang -Clink-arg=-fsanitize=thread -Cunsafe-allow-abi-mismatch=sanitizer'" \
                "-Zbuild-std=std,panic_unwind,test"
            ;;
        wasm)
            step wasm
            began=$SECONDS status=0
            # The test is compiled without cargo, because the dependencies of other tests do not support WebAssembly.
            inside "$common CARGO_TARGET_DIR=/w/target CARGO_TARGET_WASM32_WASIP1_LINKER=wasm-ld
                cargo build --locked --release --lib --target wasm32-wasip1 &&
                rustc --edition 2024 -O --test --target wasm32-wasip1 -Clinker=wasm-ld --extern vierbein=\
/w/target/wasm32-wasip1/release/libvierbein.rlib -Ldependency=/w/target/wasm32-wasip1/release/deps -Ldependency=/w/target/release/deps \
                    -o /w/target/portable.wasm tests/tensor/portable.rs &&
                node --no-warnings tests/targets/run.mjs /w/target/portable.wasm --nocapture" > "$logs/wasm" 2>&1 || status=$?
            count wasm "$logs/wasm" $status $((SECONDS - began))
            ;;
        darwin)
            step darwin
            began=$SECONDS status=0
            inside "$common CARGO_TARGET_DIR=/w/target RUSTC_BOOTSTRAP=1 CC_aarch64_apple_darwin=clang
                cargo check --locked --lib --features $features -Zbuild-std=std,panic_unwind --target aarch64-apple-darwin" \
                > "$logs/darwin" 2>&1 || status=$?
            count darwin "$logs/darwin" $status $((SECONDS - began))
            ;;
    esac
done
finish
