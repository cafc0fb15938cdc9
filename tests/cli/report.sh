#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# tests/cli/report.sh - burin report --format mapfile: the map has every byte of the image in one block, with the letter that the case
# file gives it, and GNU ddrescue's own tools read it.
# Labels: long
. "$(dirname "$0")/lib.sh"
planted
size=$(stat -c %s "$image")
ask() { sqlite3 -readonly "$dir/case" "$1"; }

# says WHAT: $dir/out is a map that covers the image, and says of each byte what $dir/want, a map of its own, says.
says() {
    python3 - "$dir/out" "$dir/want" "$size" <<'PY' || fail "$1: $(head -c 600 "$dir/out")"
import sys
def read(name, size):
    lines = [line.split() for line in open(name) if not line.startswith("#")][1:]
    letters, at, before = bytearray(b"?" * size), 0, None
    for offset, length, letter in lines:
        offset, length = int(offset, 0), int(length, 0)
        if name == sys.argv[1]:
            assert offset == at and length > 0 and letter != before, (name, offset, at, letter)
        letters[offset:offset + length] = letter.encode() * length
        at, before = offset + length, letter
    return letters, at
size = int(sys.argv[3])
got, end = read(sys.argv[1], size)
want, _ = read(sys.argv[2], size)
assert end == size == len(got) == len(want)
sys.exit(got != want)
PY
    command -v ddrescuelog >/dev/null || { echo "not compared with ddrescuelog, which is not here"; return; }
    ddrescuelog -t "$dir/out" >"$dir/ddrescuelog" 2>&1 || fail "$1: ddrescuelog refuses the map: $(cat "$dir/ddrescuelog")"
}

# What a map says comes out again, and ends with the image.
printf '0 +\n4096 512 -\n4608 100 /\n4708 8000 +\n12708 300 *\n13008 %d +\n' $((size - 13008 - 1000)) >"$dir/want"
expect 1 "" scan --quiet --mapfile "$dir/want" --case "$dir/case" "$image"
expect 0 "" report --format mapfile "$dir/case"
says "the map of a scan with a map"
grep -q '^# + means: read by burin' "$dir/out" || fail "the map does not say what its + means"
cp "$dir/out" "$dir/again"
expect 1 "" scan --quiet --force --mapfile "$dir/again" --case "$dir/case" "$image"
expect 0 "" report --format mapfile "$dir/case"
says "burin's own map"

# What was not asked for was not tried.
printf '0 +\n8192 65536 +\n' >"$dir/want"
expect 0 "" scan --quiet --force --range 8192:65536 --case "$dir/case" "$image"
expect 0 "" report --format mapfile "$dir/case"
says "a range"

# A bad sector, met while reading.
if [ -n "${SHIM:-}" ] && python3 -c 'import os, sys; os.open(sys.argv[1], os.O_RDONLY | os.O_DIRECT)' "$image" 2>/dev/null; then
    printf '0 +\n0 2560000 +\n2560000 512 -\n2560512 %d +\n' $((size - 2560512)) >"$dir/want"
    LD_PRELOAD=$SHIM SHIM_FILE=$image SHIM_BAD=5000 "$BURIN" scan --quiet --force --case "$dir/case" "$image" >"$dir/out" 2>"$dir/err" </dev/null
    expect 0 "" report --format mapfile "$dir/case"
    says "a bad sector"
    # nbdkit reads the map as well: what burin could not read cannot be read there, and all else can.
    if command -v nbdkit >/dev/null && nbdkit --dump-plugin file >/dev/null 2>&1 && nbdkit --filter=ddrescue null --dump-plugin >/dev/null 2>&1 && command -v qemu-img >/dev/null; then
        cp "$dir/out" "$dir/map"
        # shellcheck disable=SC2016 # nbdkit sets it
        nbdkit -U - --filter=ddrescue file "$image" ddrescue-mapfile="$dir/map" \
            --run 'qemu-img dd -f raw -O raw bs=512 skip=4990 count=5000 if="$uri" of='"$dir/before"' && ! qemu-img dd -f raw -O raw bs=512 skip=4990 count=5001 if="$uri" of='"$dir/after" \
            >"$dir/nbdkit" 2>&1 || fail "nbdkit does not go by the map: $(cat "$dir/nbdkit")"
    else
        echo "not tested without nbdkit, its filter ddrescue, and qemu-img"
    fi
fi

expect 2 "--format is missing: write .*mapfile" report "$dir/case"
expect 2 "--format docx: write .*mapfile" report --format docx "$dir/case"
expect 2 "leave out what chooses objects" report --format mapfile --types jpg "$dir/case"
expect 3 "no such file|No such file" report --format mapfile "$dir/none"
cp "$image" "$dir/second.raw"
printf 'x' >>"$dir/second.raw"
expect 0 "" scan --quiet --force --case "$dir/case" "$image" "$dir/second.raw"
expect 3 "it has 2 images; say which with --image N" report --format mapfile "$dir/case"
expect 0 "" report --format mapfile --image 2 "$dir/case"
grep -q "second.raw" "$dir/out" || fail "the second image: $(head -3 "$dir/out")"
expect 3 "" report --format mapfile --image 3 "$dir/case"
expect 0 "" search --quiet --case "$dir/searched" "$image" JFIF
expect 3 "" report --format mapfile "$dir/searched"
finish
