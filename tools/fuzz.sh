#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# tools/fuzz.sh [TARGET [SECONDS]] - runs the libFuzzer targets in build-fuzz, one or all, each for SECONDS (default 60).
#
# The corpus of a target is build-fuzz/corpus/TARGET and is kept from run to run. It begins with the files that tests/cli/samples.py
# makes, the family's own samples in tests/samples, what tests/fuzz/NAME_seeds.py makes for fuzz_NAME, the configuration files of tests/, and everything in the folder BURIN_SEEDS. A finding is left in build-fuzz/findings.
set -euo pipefail
cd "$(dirname "$(readlink -f "$0")")/.."

build="build-fuzz"
seeds=$build/seeds
seconds=${2:-60}
seed_size_max=1048576 # bytes; larger inputs make a fuzzer slow and teach it nothing

if [ $# -gt 0 ] && [ "$1" != all ]; then
    target=$1
    [ -x "$build/$target" ] || target=fuzz_$1
    [ -x "$build/$target" ] || target=fuzz_sig_$1
    if [ ! -x "$build/$target" ]; then
        echo "fuzz: no target $1; there are:" >&2
        find "$build" -maxdepth 1 -name 'fuzz_*' -type f -executable -printf '  %f\n' | sort >&2
        exit 2
    fi
    targets=("$target")
else
    mapfile -t targets < <(cd "$build" && find . -maxdepth 1 -name 'fuzz_*' -type f -executable -printf '%f\n' | sort)
fi

mkdir -p "$seeds" "$build/findings"
python3 tests/cli/samples.py "$seeds"
find tests -name '*.conf' -exec cp -t "$seeds" {} +
if [ -n "${BURIN_SEEDS:-}" ]; then
    number=0
    while IFS= read -r -d '' file; do
        number=$((number + 1))
        ln -sfn "$(readlink -f "$file")" "$seeds/user-$number"
    done < <(find "$BURIN_SEEDS" -type f -size -"$seed_size_max"c -print0)
fi

status=0
for target in "${targets[@]}"; do
    corpus=$build/corpus/$target
    mkdir -p "$corpus"
    own=tests/samples/${target#fuzz_sig_}
    [ -d "$own" ] || own=
    maker=tests/fuzz/${target#fuzz_}_seeds.py own_seeds=
    case $target in
        fuzz_writer_*) maker=tests/fuzz/writer_seeds.py ;;
        fuzz_e01 | fuzz_vhd | fuzz_vdi | fuzz_vmdk_stream | fuzz_served) maker=tests/fuzz/container_seeds.py own_seeds=$target ;;
        fuzz_bigalloc | fuzz_lvm | fuzz_xfs | fuzz_volumes) maker=tests/fuzz/volume_seeds.py own_seeds=$target ;;
    esac
    [ ! -f "$maker" ] || python3 "$maker" "$corpus" ${own_seeds:+"$own_seeds"}
    echo "fuzz: $target for $seconds s" >&2
    "$build/$target" -max_total_time="$seconds" -timeout=25 -rss_limit_mb=2048 -max_len="$seed_size_max" -print_final_stats=1 \
        -artifact_prefix="$build/findings/$target-" "$corpus" ${own:+"$own"} "$seeds" >"$build/$target.log" 2>&1 || {
        echo "fuzz: $target: FINDING, see $build/$target.log and $build/findings" >&2
        tail -n 30 "$build/$target.log" >&2
        status=1
        continue
    }
    grep -E '^stat::(number_of_executed_units|average_exec_per_sec|peak_rss_mb)|^#.*DONE' "$build/$target.log" >&2 || true
done
exit "$status"
