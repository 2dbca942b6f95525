#!/usr/bin/env bash
# Counts the functions that a user's crate compiles for its first use of an operation, and the functions that vierbein itself
# compiles. Also measures the compile time.
#
#     scripts/check-instances.sh [dev|release]                          # whole programs
#     scripts/check-instances.sh methods [-t TYPES] [-f] [-q] [NAME..]  # each public method alone, in release
#     scripts/check-instances.sh coverage                               # public methods without a row in instances.txt
#
# Rust compiles a generic function in each crate that uses it. But kernels that depend only on the element type are compiled in
# vierbein (src/device/cpu/precompiled.rs). So the first matrix product adds only a fraction of a second to the compile time of a
# user's crate. If a kernel gets another type parameter, thousands of additional functions are counted here.
#
# The check fails if there are too many functions. Their number differs little between compilers, and not at all between runs. The
# compile time is only printed: it is the compiler's CPU time for the user's crate, without its dependencies, after an edit.
#
# `methods` compiles the rows of instances.txt, which explains the types `-t`. `-f` adds those that need features of the library, and `-q`
# leaves out the forms `_axes` and `_keepdims` of reductions. Prints, sorted by time, what each call adds to a program without it: CPU
# seconds, the functions that the crate compiles, and the sum of their sizes in MIR statements. The column `kernels` counts functions of
# device/cpu/kernels and device/cpu/loops of more than 40 statements; smaller ones only call compiled kernels. Entry points of elementwise
# functions and of reductions do not count, because they take the function of the call, or handle a few elements. A row fails if it has more kernels than instances-known.txt allows.
# Without an entry there, none are allowed.
set -euo pipefail
cd "$(dirname "$0")/.."
mode=${1:-dev}
case $mode in
    dev | release | coverage) profile=$mode ;;
    methods) shift ;;
    *) echo "usage: $0 [dev|release|coverage|methods [-t TYPES] [-f] [-q] [NAME..]]" >&2; exit 2 ;;
esac

# The public methods of `Tensor` as rustdoc lists them. Rows are there for the names without `try_` and `_into`.
if [ "$mode" = coverage ]; then
    command -v python3 > /dev/null || { echo "skipped: the list of public methods, which needs Python"; exit 0; }
    target=${CARGO_TARGET_DIR:-target}/check-instances/doc
    RUSTC_BOOTSTRAP=1 cargo rustdoc --quiet --lib --target-dir "$target" --features linalg,fft,rand -- -Zunstable-options --output-format json
    python3 - "$target/doc/vierbein.json" scripts/instances.txt << 'END'
import json, sys
items = json.load(open(sys.argv[1]))["index"]
tensor = next(x for x in items.values() if x["name"] == "Tensor" and "struct" in x["inner"])
public = set()
for impl in (items[str(i)]["inner"]["impl"] for i in tensor["inner"]["struct"]["impls"]):
    if impl["trait"] is None:
        methods = (items[str(i)] for i in impl["items"])
        public |= {x["name"] for x in methods if "function" in x["inner"] and x["visibility"] == "public"}
rows = set()
for line in open(sys.argv[2]):
    if " | " in line and not line.startswith("#"):
        _, names, expression = line.rstrip("\n").split(" | ", 2)
        rows |= set(names.split())
        if expression.split()[0] == "reduce":
            rows |= {names + form for form in ("_axis", "_axes", "_keepdims")}
missing = sorted(x for x in public - rows if not x.startswith("try_") and not x.endswith("_into"))
print(f"{len(public)} public methods, {len(missing)} without a row", *missing, sep="\n")
sys.exit(bool(missing))
END
    exit
fi

work=$(realpath -m "${CARGO_TARGET_DIR:-target}/check-instances")
if [ "$mode" = methods ]; then
    types=dszcib
    features=no
    quick=no
    while getopts t:fq option; do
        case $option in
            t) types=$OPTARG ;;
            f) features=yes ;;
            q) quick=yes ;;
            *) exit 2 ;;
        esac
    done
    shift $((OPTIND - 1))
    work=$work/methods-$features
    rm -rf "$work/rows"
    mkdir -p "$work/src" "$work/rows"
    # The sources of the rows, as TYPE_NUMBER.rs, with the name of the method in the first line. The base program has no call.
    awk -v types="$types" -v features=$features -v quick=$quick -v out="$work/rows" -v wanted="$*" '
        function program(type, name, expression,  file) {
            file = out "/" type "_" ++count ".rs"
            printf "// %s\n#![allow(unused)]\nuse std::hint::black_box;\nuse vierbein::prelude::*;\nuse vierbein::*;\n", name > file
            printf "type T = %s;\ntype W = %s;\nconst ONE: T = %s;\n", T[type], W[type], one[type] > file
            print "fn par<I>(iterator: I) {}" > file
            if (features == "yes") {
                print "fn rng() -> rand::rngs::StdRng { rand::SeedableRng::seed_from_u64(1) }" > file
            }
            print "fn main() {\n    let one = ONE;\n    let mut a = Tensor::<T, _>::full([9, 9], one);" > file
            print "    let mut b = Tensor::<T, _>::full([9, 9], one);\n    let other = Tensor::<T, _>::full([9, 9], one);" > file
            print "    let v = other.index_axis(0, 0);\n    let mask = Tensor::<bool, _>::full([9, 9], true);" > file
            printf "    black_box(%s);\n    black_box((&v, &mask));\n}\n", expression > file
            close(file)
        }
        function row(name, expression,  i) {
            if (wanted != "" && index(" " wanted " ", " " name " ") == 0) return
            for (i = 1; i <= length($1); i++) {
                if (index(types, substr($1, i, 1))) program(substr($1, i, 1), name, expression)
            }
        }
        BEGIN {
            FS = " [|] "
            T["d"] = W["d"] = W["s"] = "f64"; T["s"] = "f32"; T["z"] = W["z"] = W["c"] = "Complex<f64>"; T["c"] = "Complex<f32>"
            T["i"] = W["i"] = "i64"; T["b"] = W["b"] = "bool"
            one["d"] = one["s"] = "1.0"; one["z"] = one["c"] = "Complex::new(1.0, 0.0)"; one["i"] = "1"; one["b"] = "true"
            for (i = 1; i <= length(types); i++) program(substr(types, i, 1), "(no call)", "()")
        }
        /^\[features\]/ { if (features == "no") exit }
        /^[dszcib]+ [|]/ {
            split($2, names, " ")
            if ($3 !~ /^reduce( |$)/) { row(names[1], $3); next }
            arguments = substr($3, 8)
            comma = arguments == "" ? "" : ", "
            row(names[1], "a." names[1] "(" arguments ")")
            row(names[1] "_axis", "a." names[1] "_axis(0" comma arguments ")")
            if (quick == "yes") next
            row(names[1] "_axes", "a." names[1] "_axes([0, 1]" comma arguments ")")
            row(names[1] "_keepdims", "a." names[1] "_keepdims(0" comma arguments ")")
        }
    ' scripts/instances.txt
    dependencies="vierbein = { path = \"$PWD\" }"
    [ $features = no ] || dependencies="vierbein = { path = \"$PWD\", features = [\"linalg\", \"fft\", \"rand\"] }
rand = { version = \"0.10.3\", default-features = false, features = [\"std_rng\"] }"
    printf '[package]\nname = "user"\nversion = "0.0.0"\nedition = "2024"\n[workspace]\n[dependencies]\n%s\n' "$dependencies" > "$work/Cargo.toml"
    echo 'fn main() {}' > "$work/src/main.rs"
    cp Cargo.lock "$work" 2> /dev/null || true
    # Each program is compiled by rustc itself, with the flags of a release build. Cargo prints the files of this build of the library.
    built=$(CARGO_INCREMENTAL=0 cargo build --quiet --release --message-format json --manifest-path "$work/Cargo.toml" --target-dir "$work/target")
    library() { grep -o '"[^"]*/lib'"$1"'-[0-9a-f]*\.rlib"' <<< "$built" | tail -n 1 | tr -d '"'; }
    externs="--extern vierbein=$(library vierbein)"
    [ $features = no ] || externs+=" --extern rand=$(library rand)"
    export externs
    deps=$(dirname "$(library vierbein)")
    export deps
    compile() { # TYPE_NUMBER: writes its time to .time and its functions to .stats
        local TIMEFORMAT='%U %S'
        { time RUSTC_BOOTSTRAP=1 rustc --edition 2024 -C opt-level=3 -C strip=debuginfo -L "dependency=$deps" $externs "$1.rs" -o "$1.bin" \
            -Zdump-mono-stats="$1.mono" -Zdump-mono-stats-format=json > "$1.log" 2>&1; } 2> "$1.time" || { cat "$1.log" >&2; exit 255; }
        rm "$1.bin"
        # The lines: number of instances, size of one, size of all, name.
        sed 's/},{"name"/\n"name"/g' "$1.mono"/*.json | sed -E \
            's/.*"name":"(.*)","instantiation_count":([0-9]+),"size_estimate":([0-9]+),"total_estimate":([0-9]+).*/\2 \3 \4 \1/' > "$1.stats"
        rm -r "$1.mono"
    }
    export -f compile
    # shellcheck disable=SC2016
    (cd "$work/rows" && ls -- *.rs | sed 's/\.rs$//' | xargs -P "$(nproc)" -I{} bash -c 'compile "$1"' _ {})
    cd "$work/rows"
    for stats in *.stats; do
        row=${stats%.stats}
        awk -v row="$row" -v name="$(sed -n '1s|^// ||p' "$row.rs")" -v seconds="$(< "$row.time")" '
            { functions += $1; size += $3 }
            /device::cpu::(kernels|loops)::/ && !/kernels::elementwise::|kernels::reduce::(few|common)::|loops::few::|loops::strips::is_short/ && $2 > 40 { kernels += $1 }
            END { split(seconds, t, " "); printf "%s\t%.2f\t%d\t%d\t%d\t%s\n", substr(row, 1, 1), t[1] + t[2], functions, size, kernels, name }
        ' "$stats"
    done > ../table
    cd "$OLDPWD"
    awk -F '\t' -v OFS='\t' '
        NR == FNR {
            if (split($0, known, " ") == 3 && $0 !~ /^#/) {
                for (i = 1; i <= length(known[1]); i++) allowed[substr(known[1], i, 1) " " known[2]] = known[3]
            }
            next
        }
        $6 == "(no call)" { base[$1] = $2; functions[$1] = $3; size[$1] = $4 }
        { lines[++n] = $0 }
        END {
            for (i = 1; i <= n; i++) {
                split(lines[i], f, "\t")
                # The forms of a reduction that keep or remove several axes call what `_axis` calls.
                method = f[6]
                sub(/_(axes|keepdims)$/, "_axis", method)
                limit = allowed[f[1] " " method] + 0
                none = f[6] == "(no call)"
                print f[1], sprintf("%.2f", none ? f[2] : f[2] - base[f[1]]), none ? f[3] : f[3] - functions[f[1]], \
                    none ? f[4] : f[4] - size[f[1]], f[5], limit, f[6] (f[5] > limit ? " TOO MANY" : "")
            }
        }
    ' scripts/instances-known.txt "$work/table" | sort -t $'\t' -k1,1 -k2,2gr > "$work/result"
    printf '%-4s %8s %10s %9s %8s %8s  %s\n' type 'CPU, s' functions size kernels allowed method
    awk -F '\t' '{ printf "%-4s %8s %10s %9s %8s %8s  %s\n", $1, $2, $3, $4, $5, $6, $7 }' "$work/result"
    ! grep -q 'TOO MANY' "$work/result"
    exit
fi
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
