#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# tools/fuzz_containers.sh SECONDS [PROCESSES] - runs the fuzz targets of the readers of containers, volumes and maps at once, each in so many
# processes (default: as many as there are processors in all), and says how often each has run.
#
# The targets are in build-fuzz (./dev fuzz builds them). Each process has a corpus of its own in build-fuzz/corpus, which is kept; what
# it begins with is what tools/fuzz.sh gives it. A finding is left in build-fuzz/findings, and the status is 1.
set -euo pipefail
cd "$(dirname "$(readlink -f "$0")")/.."

targets=(e01 vhd vhdx vdi vmdk_stream qcow2 aff4 image served volumes lvm xfs btrfs bigalloc mapfile)
seconds=$1 cpus=$(nproc)
processes=${2:-$(((cpus + ${#targets[@]} - 1) / ${#targets[@]}))}
build=build-fuzz logs=$build/containers
mkdir -p "$logs" "$build/findings"
rm -f "$logs"/*

for target in "${targets[@]}"; do
    bash tools/fuzz.sh "fuzz_$target" 1 2>/dev/null || echo "a finding of fuzz_$target in its first second"
    for ((i = 1; i <= processes; i++)); do
        corpus=$build/corpus/fuzz_$target-$i
        mkdir -p "$corpus"
        "$build/fuzz_$target" -max_total_time="$seconds" -timeout=25 -rss_limit_mb=2048 -max_len=65536 -print_final_stats=1 \
            -artifact_prefix="$build/findings/fuzz_$target-" "$corpus" "$build/corpus/fuzz_$target" >"$logs/$target-$i" 2>&1 &
    done
done
wait

status=0 all=0
for target in "${targets[@]}"; do
    read -r runs reached found < <(awk '/^stat::number_of_executed_units/ { runs += $2 } / cov: / { cov = $4 > cov ? $4 : cov }
        /ERROR: |SUMMARY: / { bad[FILENAME] } END { print runs + 0, cov + 0, length(bad) }' "$logs/$target-"*)
    [ "$found" = 0 ] || status=1
    all=$((all + runs))
    printf '%-12s %12d runs, %d processes, reached %d edges, findings: %d\n' "$target" "$runs" "$processes" "$reached" "$found"
done
echo "$all runs in all"
exit "$status"
