#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# tests/cli/triage_next.sh - a triage ends with the command to go on with: it names the case file and all images, and works as it stands.
# Labels: long
. "$(dirname "$0")/lib.sh"
planted
cp "$image" "$dir/a b.raw"
head -c 300000 "$image" >"$dir/second.raw"
cd "$dir" || exit 1

# next WANTED ARGUMENTS... : a triage with them says to go on with WANTED, which is then run.
next() {
    local wanted=$1
    shift
    expect 0 "" triage --unit 4K --sweeps 1 "$@"
    [ "$(sed -n 's/^next: //p' "$dir/err")" = "$wanted" ] || fail "next: $(grep -A1 '^next' "$dir/err"), wanted $wanted"
    eval "\"\$BURIN\" ${wanted#burin }" >"$dir/out" 2>"$dir/said" || fail "$wanted: $(tail -3 "$dir/said")"
}
next "burin scan 'a b.raw'" "a b.raw"
[ -s "a b.raw.burin" ] || fail "no case file beside the image's name"
next "burin list 'a b.raw.burin'" "a b.raw"
next "burin scan --case case 'a b.raw'" --case case "a b.raw"
# One of two images has no scan; then both have one.
next "burin scan --resume --case case 'a b.raw' second.raw" --case case "a b.raw" second.raw
next "burin list case" --case case "a b.raw" second.raw
[ "$(sqlite3 -readonly case "SELECT count(DISTINCT image_id) FROM objects")" -eq 2 ] || fail "the second image was not scanned"
# A scan that was stopped.
if [ -n "${SHIM:-}" ]; then
    for ((n = 20; n < 80; n += 4)); do # the write before which its run is on record, and not done
        rm -f cut*
        LD_PRELOAD=$SHIM SHIM_KILL=$n "$BURIN" scan --quiet --case cut second.raw >/dev/null 2>&1
        "$BURIN" list cut 2>&1 | grep -q 'did not finish' && break
    done
    [ "$n" -lt 80 ] || fail "no scan was stopped"
    next "burin scan --resume --case cut second.raw" --case cut second.raw
    next "burin list cut" --case cut second.raw
fi
finish
