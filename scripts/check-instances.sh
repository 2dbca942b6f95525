#!/usr/bin/env bash
# Counts the functions that a user's crate compiles for its first use of an operation, and the functions that vierbein itself
# compiles. Also measures the compile time.
#
#     scripts/check-instances.sh [dev|release]
#
# Rust compiles a generic function in each crate that uses it. But kernels that depend only on the element type are compiled in
# vierbein (src/device/cpu/precompiled.rs). So the first matrix product adds only a fraction of a second to the compile time of a
# user's crate. If a kernel gets another type parameter, thousands of additional functions are counted here.
#
# The check fails if there are too many functions. Their number differs little between compilers, and not at all between runs. The
# compile time is only printed: it is the compiler's user CPU time for the user's crate, without its dependencies, after an edit.
set -euo pipefail
cd "$(dirname "$0")/.."
profile=${1:-dev}
case $profile in dev | release) ;; *) echo "usage: $0 [dev|release]" >&2; exit 2 ;; esac

work=${CARGO_TARGET_DIR:-target}/check-instances
mkdir -p "$work/src/bin"
cat > "$work/Cargo.toml" << END
[package]
name = "user"
version = "0.0.0"
edition = "2024"
[workspace]
[features]
precompiled-dyn = ["vierbein/precompiled-dyn"]
[dependencies]
vierbein = { path = "$PWD" }
[profile.dev]
debug = "line-tables-only"
END
program() { # NAME BODY
    printf 'use vierbein::prelude::*;\nuse vierbein::{DynTensor, dyn_tensor};\nfn main() -> Result<(), vierbein::Error> {\n%s\nOk(())\n}\n' \
        "$2" | sed "s/^use vierbein::{DynTensor, dyn_tensor};$/#[allow(unused_imports)]\n&/" > "$work/src/bin/$1.rs"
}
program sum 'let a = Tensor::<f64, _>::ones([9, 9]); println!("{}", (&a + &a).sum().item());'
program matmul 'let a = Tensor::<f64, _>::ones([9, 9]); println!("{}", a.matmul(&a));'
program einsum 'let a = Tensor::<f64, _>::ones([9, 9]); println!("{}", einsum!("ij,jk,kl->il", &a, &a, &a));'
program dyn_ops 'let a = DynTensor::from(Tensor::<f64, _>::ones([9, 9])); println!("{}", a.try_add(&a)?.sqrt()?.sum()?);'
program dyn_einsum 'let a = DynTensor::from(Tensor::<f64, _>::ones([9, 9])); println!("{}", dyn_tensor::einsum("ij,jk,kl->il", &[&a, &a, &a])?);'

# name, feature, maximum number of functions. With optimisation, small functions of the library are compiled in the user's crate, too: for
# dyn_einsum with precompiled-dyn, 382 functions instead of 94.
limits='sum - 1400
matmul - 700
einsum - 2800
dyn_ops - 9500
dyn_einsum - 15500
dyn_ops precompiled-dyn 500
dyn_einsum precompiled-dyn 500'

# The compile time is that of a build after an edit, without incremental compilation.
export CARGO_INCREMENTAL=0
failed=0
printf '%-12s %-18s %10s %10s %12s\n' program feature functions "at most" "user CPU, s"
# Counts the functions of the library itself. If a function of dynamic tensors calls kernels for all element types and is not marked
# inline, this number rises by tens of thousands.
most=34000
touch src/lib.rs
functions=$(RUSTC_BOOTSTRAP=1 cargo rustc --quiet --lib --target-dir "$work/target" -- -Zprint-mono-items=yes 2> /dev/null | grep -c '^MONO_ITEM fn')
verdict=
[ "$functions" -le "$most" ] || { verdict=" TOO MANY"; failed=1; }
printf '%-12s %-18s %10s %10s%s\n' library - "$functions" "$most" "$verdict"
while read -r name feature most; do
    arguments=(--quiet --manifest-path "$work/Cargo.toml" --target-dir "$work/target" --bin "$name")
    [ "$feature" = - ] || arguments+=(--features "$feature")
    [ "$profile" = dev ] || arguments+=(--release)
    cargo build "${arguments[@]}"
    # After touching its source, only the user's crate is compiled again.
    touch "$work/src/bin/$name.rs"
    TIMEFORMAT=%U
    seconds=$({ time cargo build "${arguments[@]}" 2> /dev/null; } 2>&1)
    touch "$work/src/bin/$name.rs"
    functions=$(RUSTC_BOOTSTRAP=1 cargo rustc "${arguments[@]}" -- -Zprint-mono-items=yes 2> /dev/null | grep -c '^MONO_ITEM fn')
    verdict=
    [ "$functions" -le "$most" ] || { verdict=" TOO MANY"; failed=1; }
    printf '%-12s %-18s %10s %10s %12s%s\n' "$name" "$feature" "$functions" "$most" "$seconds" "$verdict"
done <<< "$limits"
exit $failed
