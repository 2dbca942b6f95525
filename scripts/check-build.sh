#!/usr/bin/env bash
# Measures how long builds take: the library as a dependency, next to faer and ndarray in the same run, and the release builds of
# small programs that use it.
#
#     scripts/check-build.sh [--quick] [--dyn]
#
#     --quick   leaves out faer, ndarray, the library with more features, and the program that needs them
#     --dyn     adds the program of dynamic calls with the feature precompiled-dyn, whose first build takes many minutes
#
# Prints CPU seconds, user and system time of all processes of `cargo build`. Other programs on the machine change them far less than the
# elapsed time, but two threads of one core slow each other: compare the rows of one run. Asserts nothing about them. Fails only if a
# build fails.
#
# Each library is built in a new target directory, as a dependency of an empty program, with cargo's default profiles. The time of the
# programs is that of the user's crate alone, its link step included.
set -euo pipefail
cd "$(dirname "$0")/.."
quick=no
dyn=no
for argument; do
    case $argument in
        --quick) quick=yes ;;
        --dyn) dyn=yes ;;
        *) echo "usage: $0 [--quick] [--dyn]" >&2; exit 2 ;;
    esac
done

root=$PWD
work=${CARGO_TARGET_DIR:-$root/target}/check-build
rm -rf "$work"
mkdir -p "$work"
# Profiles and flags of the caller would change the builds. A crate from a registry is never compiled incrementally, but a path
# dependency is.
for name in $(compgen -e | grep '^CARGO_PROFILE_' || true) RUSTFLAGS CARGO_ENCODED_RUSTFLAGS CARGO_TARGET_DIR CARGO_BUILD_TARGET; do
    unset "$name"
done
export CARGO_INCREMENTAL=0

package() { # NAME DEPENDENCY: an empty program with one dependency
    mkdir -p "$work/$1/src/bin"
    printf '[package]\nname = "user"\nversion = "0.0.0"\nedition = "2024"\n[workspace]\n[dependencies]\n%s\n' "$2" > "$work/$1/Cargo.toml"
    printf 'fn main() {}\n' > "$work/$1/src/bin/empty.rs"
    # The versions of the library's lock file, if there is one; then the download, which is not measured.
    cp Cargo.lock "$work/$1/" 2> /dev/null || true
    cargo fetch --quiet --manifest-path "$work/$1/Cargo.toml"
}
cpu_seconds() { # COMMAND..: the CPU time of a command, whose output is shown only if it fails
    local TIMEFORMAT='%U %S' output
    if ! output=$({ time "$@" > "$work/log" 2>&1; } 2>&1); then cat "$work/log" >&2; return 1; fi
    awk '{ printf "%.1f", $1 + $2 }' <<< "$output"
}
build() { # NAME PROFILE PROGRAM ARGUMENTS..
    local release=()
    [ "$2" = dev ] || release=(--release)
    cpu_seconds cargo build --offline --manifest-path "$work/$1/Cargo.toml" --target-dir "$work/$1/$2" "${release[@]}" --bin "$3" "${@:4}"
}
ratio() { awk -v a="$1" -v b="$2" 'BEGIN { if (b > 0) printf "%.2f", a / b; else printf "-" }'; }

features=npz,safetensors,csv,serde,rand,fft,linalg,ndarray
package default "vierbein = { path = \"$root\" }"
faer=0
ndarray=0
printf '%-44s %10s %9s %9s\n' 'library, first build' 'CPU, s' '/ faer' '/ ndarray'
row() { printf '%-44s %10s %9s %9s\n' "$1" "$2" "$(ratio "$2" "$faer")" "$(ratio "$2" "$ndarray")"; }
if [ $quick = no ]; then
    package faer 'faer = "0.24"'
    package ndarray 'ndarray = "0.17"'
    package all "vierbein = { path = \"$root\", features = [\"${features//,/\", \"}\"] }"
    faer=$(build faer release empty)
    ndarray=$(build ndarray release empty)
    row 'faer, release' "$faer"
    row 'ndarray, release' "$ndarray"
fi
row 'vierbein, dev' "$(build default dev empty)"
row 'vierbein, release' "$(build default release empty)"
[ $quick = yes ] || row 'vierbein with eight more features, release' "$(build all release empty)"
echo "  (the features: ${features//,/ })"

# Each program is compiled after the libraries.
program() { # NAME BODY
    printf '#![allow(unused_imports)]\nuse vierbein::prelude::*;\nuse vierbein::{DynTensor, dyn_tensor};\nfn main() -> Result<(), vierbein::Error> {\n%s\nOk(())\n}\n' \
        "$2" > "$work/default/src/bin/$1.rs"
}
ones='let a = Tensor::<f64, _>::ones([9, 9]);'
program none "$ones println!(\"{}\", a.len());"
program max_axis "$ones println!(\"{}\", a.max_axis(0));"
program norm "$ones println!(\"{}\", a.norm());"
program argmax_axis "$ones println!(\"{}\", a.argmax_axis(0));"
program std_axis "$ones println!(\"{}\", a.std_axis(0, 1));"
program dynamic_20 '
    let a = DynTensor::from(Tensor::<f64, _>::ones([9, 9]));
    let b = a.try_add(&a)?.try_mul(2.0)?.try_sub(&a)?.try_div(3.0)?;
    println!("{} {}", b.sqrt()?, b.exp()?);
    println!("{} {}", a.sum()?, a.mean_axis(0)?);
    println!("{} {}", a.max_axis(0)?, a.argmax_axis(0)?);
    println!("{} {}", a.std_axis(0, 1)?, a.norm()?);
    println!("{} {}", a.prod()?, a.gt(&b)?.any()?);
    println!("{} {}", a.matmul(&b)?, dyn_tensor::einsum("ij,jk,kl->il", &[&a, &b, &a])?);
    println!("{} {}", a.sort(0)?, dyn_tensor::concatenate(0, &[&a, &b])?);
    println!("{} {}", a.cumsum(0)?, a.to_dtype(vierbein::DType::F32)?);'
# The state is a tensor of `f64` in row-major order. As in examples/dmrg, without its plot and its exact solution.
mkdir -p "$work/default/src/bin/tour"
sed "s|concat!(env!(\"CARGO_MANIFEST_DIR\"), \"/\.\./data/iris.npy\")|\"$root/examples/data/iris.npy\"|" examples/tour/tour.rs \
    > "$work/default/src/bin/tour/main.rs"
if [ $quick = no ]; then
    mkdir "$work/all/src/bin/dmrg"
    cp examples/dmrg/src/chain.rs "$work/all/src/bin/dmrg/"
    cat > "$work/all/src/bin/dmrg/main.rs" << 'END'
mod chain;
fn main() -> Result<(), vierbein::Error> {
    let mut chain = chain::Chain::<f64, vierbein::RowMajor, vierbein::Cpu>::neel(12, &vierbein::Cpu)?;
    let mut bonds = 0;
    for _ in 0..4 {
        chain.sweep(16, || bonds += 1)?;
    }
    assert_eq!(bonds, 4 * chain.bonds_of_sweep());
    println!("{} {:?} {}", chain.energy, chain.entropies, chain.discarded);
    Ok(())
}
END
fi

printf '\n%-44s %10s %12s\n' "program, release, the user's crate" 'CPU, s' 'text, bytes'
program_row() { # TITLE PACKAGE PROGRAM ARGUMENTS..
    local seconds text=-
    seconds=$(build "$2" release "$3" "${@:4}")
    # The program must also run.
    (cd "$work" && "$work/$2/release/release/$3" > /dev/null)
    if command -v size > /dev/null; then text=$(size "$work/$2/release/release/$3" | awk 'NR == 2 { print $1 }'); fi
    printf '%-44s %10s %12s\n' "$1" "$seconds" "$text"
}
program_row 'no operation' default none
for name in max_axis norm argmax_axis std_axis; do program_row "first $name" default $name; done
program_row 'examples/tour' default tour
program_row '20 dynamic calls' default dynamic_20
[ $quick = yes ] || program_row 'DMRG (chain.rs of examples/dmrg)' all dmrg
if [ $dyn = yes ]; then
    package dyn "vierbein = { path = \"$root\", features = [\"precompiled-dyn\"] }"
    cp "$work/default/src/bin/dynamic_20.rs" "$work/dyn/src/bin/"
    row 'vierbein with precompiled-dyn, release' "$(build dyn release empty)"
    program_row '20 dynamic calls, precompiled-dyn' dyn dynamic_20
fi
