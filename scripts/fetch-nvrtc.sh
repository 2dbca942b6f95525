#!/usr/bin/env bash
# Downloads NVIDIA's run-time compiler (NVRTC) to a directory, for machines without CUDA. The compiler needs neither a driver nor a
# GPU. The source is NVIDIA's package in the Python registry, which is unpacked but not installed. If the package is not available,
# prints a message and exits with status 3.
set -euo pipefail
package=nvidia-cuda-nvrtc==13.0.88

[ $# -eq 1 ] || { echo "usage: $0 DIRECTORY" >&2; exit 2; }
mkdir -p "$1"
to=$(cd "$1" && pwd)
if [ -e "$to/libnvrtc.so.13" ]; then exit 0; fi
command -v python3 > /dev/null || { echo "there is no python3 to fetch $package with" >&2; exit 3; }
aside=$(mktemp -d)
trap 'rm -rf "$aside"' EXIT
python3 -m pip --disable-pip-version-check download --quiet --no-deps --only-binary :all: --dest "$aside" "$package" ||
    { echo "$package cannot be fetched" >&2; exit 3; }
python3 - "$aside" "$to" << 'END'
import pathlib, shutil, sys, zipfile
aside, to = map(pathlib.Path, sys.argv[1:])
for wheel in aside.glob("*.whl"):
    with zipfile.ZipFile(wheel) as files:
        # The library itself is copied last. So if it exists, the files that it needs exist, too.
        names = sorted((n for n in files.namelist() if "/lib/lib" in n and ".alt." not in n), key=lambda n: "builtins" not in n)
        for name in names:
            whole = to / pathlib.Path(name).name
            part = whole.with_name(whole.name + ".part")
            with files.open(name) as source, open(part, "wb") as target:
                shutil.copyfileobj(source, target)
            part.replace(whole)
END
[ -e "$to/libnvrtc.so.13" ] || { echo "$package does not hold libnvrtc.so.13" >&2; exit 3; }
