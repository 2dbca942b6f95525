#!/usr/bin/env bash
# Checks the dependencies, the public interface and the package of the library. Each part can be run alone, by its name:
#
#   deny      licences, duplicates, sources and advisories of dependencies      (cargo-deny 0.20 or later, deny.toml)
#   semver    the public interface against the last tag, or VIERBEIN_BASELINE   (cargo-semver-checks)
#   features  sets of up to two features, with --whole all sets                 (cargo-hack)
#   minimal   the oldest dependencies that Cargo.toml allows                    (a nightly toolchain)
#   msrv      the oldest compiler that Cargo.toml allows
#   docs      the documentation as docs.rs builds it                            (a nightly toolchain)
#   package   the package, unpacked and tested outside the repository
#
# If a tool is missing, prints how to install it and skips the part.
set -euo pipefail
cd "$(dirname "$0")/.."

depth=(--depth 2)
parts=()
for argument; do
    case $argument in
        --whole) depth=() ;;
        deny | semver | features | minimal | msrv | docs | package) parts+=("$argument") ;;
        *) echo "usage: $0 [--whole] [deny|semver|features|minimal|msrv|docs|package ..]" >&2; exit 2 ;;
    esac
done
[ ${#parts[@]} -gt 0 ] || parts=(deny semver features minimal msrv docs package)

# A separate build directory, so that builds with other flags, toolchains and versions do not replace those in target/.
export CARGO_TARGET_DIR=${CARGO_TARGET_DIR:-target}/check-project CARGO_INCREMENTAL=0
mkdir -p "$CARGO_TARGET_DIR"
CARGO_TARGET_DIR=$(cd "$CARGO_TARGET_DIR" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

skip() { echo "skipped: $1" | tee -a "$work/skipped"; }
tool() { # SUBCOMMAND: succeeds if cargo has it
    command -v "cargo-$1" > /dev/null || { skip "cargo-$1 is not installed: cargo install --locked cargo-$1"; return 1; }
}
nightly() {
    cargo +nightly --version > /dev/null 2>&1 || { skip "$1: no nightly toolchain is installed: rustup toolchain install nightly"; return 1; }
}

deny() {
    tool deny || return 0
    cargo deny --locked check licenses bans sources
    for other in fuzz benches/peers benches/numpy; do cargo deny --locked --manifest-path $other/Cargo.toml --config deny.toml check sources; done
    if ! cargo deny --locked fetch db > "$work/fetch" 2>&1; then
        skip "advisories: their database, github.com/RustSec/advisory-db, cannot be reached"
        return 0
    fi
    for all in . fuzz benches/peers benches/numpy; do
        cargo deny --locked --offline --manifest-path $all/Cargo.toml --config deny.toml check advisories
    done
}

semver() {
    tool semver-checks || return 0
    local baseline
    baseline=${VIERBEIN_BASELINE:-$(git describe --tags --abbrev=0 2> /dev/null)} ||
        { skip "the public interface: there is no tag to compare it with"; return 0; }
    cargo semver-checks --baseline-rev "$baseline" --all-features
}

features() {
    tool hack || return 0
    # The features `ndarray`, `nalgebra` and `faer` are independent of each other. With `--whole`, only sets with all three or with none
    # of them are checked, which takes less time.
    local group=()
    [ ${#depth[@]} -gt 0 ] || group=(--group-features ndarray,nalgebra,faer)
    RUSTFLAGS="-D warnings" cargo hack check --lib --feature-powerset --exclude-features default "${depth[@]}" "${group[@]}"
}

minimal() {
    nightly "minimal versions" || return 0
    # The copy is always in the same directory, so that builds are reused.
    local copy=$CARGO_TARGET_DIR/minimal
    rm -rf "$copy"
    mkdir "$copy"
    git ls-files -z | tar --null --files-from=- --create | tar --extract --directory="$copy"
    (
        cd "$copy"
        cargo +nightly -Z direct-minimal-versions generate-lockfile
        cargo check --locked --all-features --all-targets
        # The tests that use a dependency.
        cargo test --locked --features npz,safetensors,csv,serde,ndarray,nalgebra --test npy --test files --test interop --test buffer_pool
    )
}

msrv() {
    local version toolchain=
    version=$(sed -n 's/^rust-version = "\(.*\)"$/\1/p' Cargo.toml)
    if [[ $(rustc --version) != "rustc $version."* ]]; then
        toolchain=$(rustup toolchain list 2> /dev/null | grep -o "^$version[.0-9]*" | head -n 1) ||
            { skip "Rust $version is not installed: rustup toolchain install $version"; return 0; }
    fi
    rustc ${toolchain:+"+$toolchain"} --version
    cargo ${toolchain:+"+$toolchain"} check --locked --all-features --all-targets
}

docs() {
    nightly "documentation as on docs.rs" || return 0
    RUSTDOCFLAGS="--cfg docsrs -D warnings" cargo +nightly doc --locked --all-features --no-deps
}

package() {
    # The package includes changes that are not committed.
    cargo package --locked --allow-dirty -p vierbein-macros -p vierbein
    local crate bytes
    crate=$(ls -t "$CARGO_TARGET_DIR"/package/vierbein-[0-9]*.crate | head -n 1)
    bytes=$(wc -c < "$crate")
    echo "$(basename "$crate"): $((bytes / 1024)) KiB, $(tar tzf "$crate" | wc -l) files"
    [ "$bytes" -lt $((10 << 20)) ] || { echo "crates.io takes no more than 10 MiB" >&2; return 1; }
    mkdir "$work/package" "$work/macros"
    tar xzf "$crate" --directory="$work/package" --strip-components=1
    tar xzf "$(ls -t "$CARGO_TARGET_DIR"/package/vierbein-macros-*.crate | head -n 1)" --directory="$work/macros" --strip-components=1
    (
        cd "$work/package"
        # The registry has no `vierbein-macros` of this version before the release.
        mkdir .cargo
        printf '[patch.crates-io]\nvierbein-macros.path = "%s"\n' "$work/macros" > .cargo/config.toml
        # A build from scratch, as by a user who downloads the package.
        export CARGO_TARGET_DIR=$work/package/target CARGO_PROFILE_DEV_DEBUG=0
        cargo test
        cargo test --features npz,safetensors,csv,serde,ndarray,nalgebra --test files --test faults --test interop
        for example in npy_from_python orders_and_devices quantum_circuit; do cargo run --quiet --example $example > /dev/null; done
    )
}

failed=()
for part in "${parts[@]}"; do
    printf '\n== %s (%s s so far)\n' "$part" "$SECONDS"
    # The subshell is not the condition of an `if`, because `set -e` has no effect in a condition.
    set +e
    (set -e; "$part")
    status=$?
    set -e
    [ $status -eq 0 ] || failed+=("$part")
done
printf '\n== done (%s s)\n' "$SECONDS"
touch "$work/skipped"
cat "$work/skipped"
[ ${#failed[@]} -eq 0 ] || { echo "FAILED: ${failed[*]}"; exit 1; }
