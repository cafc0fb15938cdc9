#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# tests/match/sanitize.sh - compute-sanitizer has nothing to say of any kernel. A line for each tool and engine: tool, engine, number of
# reports, and of the first one what it is and where; 1 when there is any. By hand: BUILD=build tests/match/sanitize.sh [TESTS...]
#
# Method: test_kernels under each of the tools (TOOLS). A report belongs to the engine whose test was the last to begin. TESTS are
# patterns of tests ("ac*"), '*' if there are none; pairs of them and of tools run side by side, JOBS at a time. LOGS names a folder
# that keeps all that the tools said. Skipped where there is no such tool or no GPU.
# Labels: gpu
set -euo pipefail

kernels=$(readlink -f "${BUILD:-build}")/test_kernels
command -v compute-sanitizer >/dev/null || { echo "skipped: no compute-sanitizer here"; exit 77; }
nvidia-smi -L >/dev/null 2>&1 || { echo "skipped: no GPU here"; exit 77; }

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# Reads what a tool says, and answers with a line for each engine as soon as the next one begins.
# shellcheck disable=SC2016 # $0 is awk's
lines='
    function say() {
        if (engine != "")
            printf "%-10s %-24s %d%s\n", tool, engine, reports, (reports > 0 ? "  " first : "")
        fflush()
        bad += reports
        reports = 0
    }
    /^\[ RUN +\]/ {
        sub(/^\[ RUN +\] /, "")
        sub(/: [^:]*$/, "")
        if ($0 != engine)
            say()
        engine = $0
    }
    /^\[  FAILED/ || /hits, want/ { print tool, $0; failed = 1 }
    /^\[  PASSED/ { ended = 1 }
    / SUMMARY: [0-9]/ { match($0, /SUMMARY: [0-9]+/); all += substr($0, RSTART + 9, RLENGTH - 9); summary = 1 }
    /^========= +[A-Z]/ && !/COMPUTE-SANITIZER|SUMMARY|Saved host|Host Frame|Device Frame|Target app|in block|by thread/ {
        sub(/^=+ */, "")
        if (/^(at|and|Address) /)
            next
        more = reports++ == 0 ? 2 : 0
        if (more)
            first = $0
        next
    }
    more > 0 && /^========= / { sub(/^=+ */, ""); first = first "; " $0; more-- }
    END {
        say()
        if (all > bad)
            printf "%-10s %s: %d reports in all\n", tool, tests, all
        if (!ended || !summary)
            printf "%-10s %s: did not end by itself\n", tool, tests
        exit (bad > 0 || all > 0 || failed || !ended || !summary)
    }'

reader=(awk)
if awk -W version 2>&1 </dev/null | grep -q mawk; then reader=(awk -W interactive); fi # else it waits for many lines

# All reports of a tool on some tests.
check() {
    compute-sanitizer --tool "$1" --print-limit 500 --show-backtrace device "$kernels" "$2" 2>&1 |
        tee "$3" | "${reader[@]}" -v tool="$1" -v tests="$2" "$lines"
}

[ $# -gt 0 ] || set -- '*'
status=0 running=0 number=0
for tests; do
    for tool in ${TOOLS:-racecheck memcheck initcheck synccheck}; do
        if [ "$running" -ge "${JOBS:-4}" ]; then
            wait -n || status=1
            running=$((running - 1))
        fi
        check "$tool" "$tests" "${LOGS:-$work}/$tool.$number.log" &
        running=$((running + 1)) number=$((number + 1))
    done
done
while [ "$running" -gt 0 ]; do
    wait -n || status=1
    running=$((running - 1))
done
exit "$status"
