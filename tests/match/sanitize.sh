#!/usr/bin/env bash
# tests/match/sanitize.sh - compute-sanitizer has nothing to say of any kernel. A line for each engine and tool: engine, tool, number of
# errors, and of the first one what it is and where; 1 when there is any. By hand: BUILD=build tests/match/sanitize.sh [ENGINE...]
#
# Method: test_kernels, an engine at a time, under each tool; JOBS runs side by side. LOGS names a folder that keeps what the
# tools said of those that are not clean. Skipped where there is no such tool or no GPU.
set -euo pipefail

kernels=$(readlink -f "${BUILD:-build}/test_kernels")
command -v compute-sanitizer >/dev/null || { echo "skipped: no compute-sanitizer here"; exit 77; }
nvidia-smi -L >/dev/null 2>&1 || { echo "skipped: no GPU here"; exit 77; }

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# What a tool says of an engine, in a line.
check() {
    local tool=$1 engine=$2 log=$3/$1.${2//:/-} status=0 summary errors

    compute-sanitizer --tool "$tool" --error-exitcode 9 --print-limit 5 "$4" "$engine: *" >"$log" 2>&1 || status=$?
    summary=$(grep -E '= (ERROR|RACECHECK) SUMMARY' "$log" | head -n 1 || true)
    errors=$(sed -nE 's/.*SUMMARY: ([0-9]+) (errors?|hazards?).*/\1/p' <<<"$summary")
    if [ "$status" = 0 ] && [ "${errors:-1}" = 0 ]; then
        printf '%-24s %-10s 0\n' "$engine" "$tool"
        rm "$log"
        return 0
    fi
    printf '%-24s %-10s %s  status %s: %s\n' "$engine" "$tool" "${errors:-?}" "$status" \
        "$(grep -E '^=========  ?[A-Z ]|FAILED|\[  ERROR' "$log" | grep -vE 'COMPUTE-SANITIZER|SUMMARY' | head -n 3 | tr -s ' =' ' ' | tr '\n' ';')"
    if [ -n "${LOGS:-}" ]; then cp "$log" "$LOGS/"; fi
}
export -f check

if [ $# -gt 0 ]; then printf '%s\n' "$@"; else "$kernels" --engines; fi >"$work/engines"
for tool in ${TOOLS:-memcheck initcheck synccheck racecheck}; do
    sed "s/^/$tool\n/" "$work/engines"
done | xargs -d '\n' -n 2 -P "${JOBS:-4}" bash -c 'check "$1" "$2" "'"$work"'" "'"$kernels"'"' check | tee "$work/lines"
! grep -qvE '^[^ ]+ +[a-z]+ +0$' "$work/lines"
