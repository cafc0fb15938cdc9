#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# tests/cli/mapfile.sh - scan and search --mapfile: what a map of GNU ddrescue does not call read is on record with its letter, is not
# looked at, and is in no file that counts as proven.
# Labels: long
. "$(dirname "$0")/lib.sh"
planted
size=$(stat -c %s "$image")
ask() { sqlite3 -readonly "$1" "$2"; }

# A map with bad places: in the middle of the first complete PNG, over the first bytes of the second, and some others.
expect 0 "" scan --quiet --case "$dir/plain" "$image"
read -r one two < <(ask "$dir/plain" "SELECT group_concat(offset, ' ') FROM (SELECT offset FROM objects WHERE type = 'png' AND
    state = 'complete' AND len > 300 ORDER BY offset LIMIT 2)")
[ -n "$two" ] || fail "too few pictures in the image: a test of nothing"
python3 - "$dir" "$size" "$one" "$two" <<'PY'
import sys
folder, size, one, two = sys.argv[1], *map(int, sys.argv[2:])
bad = sorted([(one + 100, 64, "-"), (one + 164, 20, "/"), (two, 8, "*"), (size - 4096, 4096, "?")])
image = bytearray(open(f"{folder}/image.raw", "rb").read())
lines, at = [], 0
for offset, length, letter in bad:
    if offset > at:
        lines.append((at, offset - at, "+"))
    lines.append((offset, length, letter))
    at = offset + length
lines = [line for line in lines if line[2] != "?"]  # what is behind the last block was never tried
with open(f"{folder}/map", "w") as out:
    out.write("# Mapfile. Created by GNU ddrescue version 1.27\n0x%08X     ?               1\n" % lines[-1][0])
    out.writelines("0x%08X  0x%08X  %s\n" % line for line in lines)
with open(f"{folder}/old.map", "w") as out:
    out.write("# Rescue Logfile. Created by GNU ddrescue version 1.16\n%d     ?\n" % lines[-1][0])
    out.writelines(f"{offset} 0{length:o} {letter} # {length}\n" for offset, length, letter in lines)
whole = open(f"{folder}/image.raw", "rb").read()
for offset, length, letter in bad:
    image[offset:offset + length] = bytes(length)
open(f"{folder}/zeros.raw", "wb").write(image)
for offset, length, letter in bad:  # other bytes than the disk's: headers, over and over
    image[offset:offset + length] = (whole[two:two + 33] * (length // 33 + 1))[:length]
open(f"{folder}/other.raw", "wb").write(image)
open(f"{folder}/want", "w").writelines(f"{offset}|{length}|0|mapfile|{letter}\n" for offset, length, letter in bad)
PY

digest() { expect 0 "" list --digest "$1"; cat "$dir/out"; }
for map in map old.map; do
    for io in aio cache pread; do
        expect 1 "4188 bytes in 4 places could not be read" scan --quiet --force --io "$io" --mapfile "$dir/$map" --case "$dir/$io" "$dir/zeros.raw"
        diff "$dir/want" <(ask "$dir/$io" "SELECT offset, len, cause, source, status FROM bad_ranges ORDER BY offset") ||
            fail "$map, $io: other bad ranges than the map's"
        [ "$io" = aio ] || [ "$(digest "$dir/$io")" = "$(digest "$dir/aio")" ] || fail "$map: $io and aio differ"
    done
done
# What stands in the image at these places is looked at by nobody.
for options in "" "--threads 1 --part-size 4K" "--segment 64K"; do
    # shellcheck disable=SC2086 # words, on purpose
    expect 1 "" scan --quiet --force $options --mapfile "$dir/map" --case "$dir/other" "$dir/other.raw"
    [ "$(digest "$dir/other")" = "$(digest "$dir/aio")" ] || fail "bytes that were not read were taken for data ($options)"
done
ask "$dir/other" "SELECT text FROM log WHERE kind = 'note'" | grep -q "map .*/map (sha256 $(sha256sum <"$dir/map" | cut -d ' ' -f 1)): 4188 bytes in 4 ranges" ||
    fail "the log does not tell of the map: $(ask "$dir/other" "SELECT text FROM log")"
# Pictures: the first one was whole, and nothing with the bad bytes is proven; the second one is gone.
touch=$(ask "$dir/aio" "SELECT count(*) FROM v_objects o WHERE EXISTS (SELECT 1 FROM extents e, bad_ranges b WHERE e.object_id = o.id AND
    b.offset < e.offset + e.len AND b.offset + b.len > e.offset) AND (o.proven OR o.reason NOT LIKE '%could not be read%' AND
    o.reason NOT LIKE 'another file begins%')")
[ "$touch" = 0 ] || fail "$touch objects over bad bytes do not say so"
[ "$(ask "$dir/aio" "SELECT count(*) FROM hits WHERE offset = $two")" = 0 ] || fail "a header that was not read is a hit"
[ "$(ask "$dir/plain" "SELECT count(*) FROM hits WHERE offset = $two")" -gt 0 ] || fail "no such hit: a test of nothing"

# A file of which zeros look whole: what a BMP holds is not checked.
python3 - "$dir" <<'PY'
import struct, sys
rows = 100
bmp = b"BM" + struct.pack("<IHHIIiiHHIIiiII", 54 + rows * 300, 0, 0, 54, 40, 100, rows, 1, 24, 0, rows * 300, 2835, 2835, 0, 0) + bytes(range(1, 251)) * 120
open(f"{sys.argv[1]}/bmp.raw", "wb").write(bytes(4096) + bmp + bytes(4096))
open(f"{sys.argv[1]}/bmp.map", "w").write("0 +\n0 8192 +\n8192 512 -\n8704 %d +\n" % (4096 * 2 + len(bmp) - 8704))
PY
expect 1 "512 bytes in 1 place" scan --quiet --types all --mapfile "$dir/bmp.map" --case "$dir/bmp" "$dir/bmp.raw"
[ "$(ask "$dir/bmp" "SELECT state, proven, reason FROM v_objects WHERE offset = 4096 AND type = 'bmp'")" = \
    "complete|0|some of its bytes could not be read: zeros stand for them" ] ||
    fail "a picture with a hole: $(ask "$dir/bmp" "SELECT type, state, proven, reason FROM v_objects")"

# A match must not reach into zeros that stand for bytes.
printf 'AB%062d' 0 | tr 0 '\0' >"$dir/small.raw"
printf '0 +\n0 2 +\n2 2 -\n4 60 +\n' >"$dir/small.map"
expect 0 "" search --quiet --case "$dir/s1" --hex 41420000 --hex 4142 "$dir/small.raw"
[ "$(ask "$dir/s1" "SELECT count(*) FROM hits")" = 2 ] || fail "search without a map"
expect 1 "" search --quiet --case "$dir/s2" --mapfile "$dir/small.map" --hex 41420000 --hex 4142 "$dir/small.raw"
[ "$(ask "$dir/s2" "SELECT offset || '+' || len FROM hits")" = 0+2 ] || fail "a hit in bytes that were not read: $(ask "$dir/s2" "SELECT * FROM hits")"

# Maps that are wrong, with file and line; nothing is written.
wrong() {
    printf '%b' "$1" >"$dir/wrong.map"
    expect 3 "$2" scan --quiet --mapfile "$dir/wrong.map" --case "$dir/none" "$image"
    [ ! -e "$dir/none" ] || fail "a case file for a wrong map"
}
wrong '0 +\n0 512 +\n1024 512 -\n' "wrong.map:3: .* has a gap"
wrong '0 +\n0 512 +\n256 512 -\n' "wrong.map:3: .* says two things"
wrong "0 +\n0 $((size + 1)) +\n" "wrong.map:2: .* the image has $size bytes: it is the map of another image"
wrong '0 +\n0 9223372036854775808 -\n' "wrong.map:2: "
wrong '<html>\n' "wrong.map:1: not a map"
expect 3 "none.map: " scan --quiet --mapfile "$dir/none.map" --case "$dir/none" "$image"
expect 2 "a map is of one image, and 2 are named" scan --quiet --mapfile "$dir/map" --case "$dir/none" "$image" "$dir/zeros.raw"

# A map beside the image is told of, and not used.
cp "$dir/map" "$dir/zeros.map"
expect 0 "zeros.map is a map of GNU ddrescue, and is not used" scan --quiet --case "$dir/beside" "$dir/zeros.raw"
mv "$dir/zeros.map" "$dir/zeros.raw.log"
expect 0 "zeros.raw.log is a map of GNU ddrescue, and is not used" scan --quiet --force --case "$dir/beside" "$dir/zeros.raw"
[ "$(ask "$dir/beside" "SELECT count(*) FROM bad_ranges")" = 0 ] || fail "a map that nobody named was used"
echo "not a map" >"$dir/zeros.raw.log"
expect 0 "" scan --quiet --force --case "$dir/beside" "$dir/zeros.raw"
rm "$dir/zeros.raw.log"

# A scan goes on with the same map alone.
if [ -n "${SHIM:-}" ]; then
    runs=0 refused=0 code=137
    until [ "$code" != 137 ]; do
        runs=$((runs + 1)) code=0
        LD_PRELOAD=$SHIM SHIM_KILL=$(($(rounds 3 1) * runs + 3)) "$BURIN" scan --quiet --resume --part-size 64K --mapfile "$dir/map" --case "$dir/resumed" \
            "$dir/other.raw" >"$dir/out" 2>"$dir/err" </dev/null || code=$?
        [ "$code" = 137 ] && [ "$(ask "$dir/resumed" "SELECT count(*) FROM parts" 2>"$dir/none")" -gt 0 ] || continue
        # What is done when it is killed does not go on, and is not asked.
        [ "$(ask "$dir/resumed" "SELECT count(*) FROM runs WHERE status = 'done'")" = 0 ] || break
        expect 3 "the scan was begun with another --mapfile" scan --quiet --resume --case "$dir/resumed" "$dir/other.raw"
        expect 3 "the scan was begun with another --mapfile" scan --quiet --resume --mapfile "$dir/old.map" --case "$dir/resumed" "$dir/other.raw"
        refused=$((refused + 1))
    done
    [ "$refused" -gt 0 ] && [ "$code" = 1 ] || { [ "$code" = 137 ] && [ "$(ask "$dir/resumed" "SELECT count(*) FROM runs WHERE status = 'done'")" = 1 ]; } || fail "resumed: status $code after $runs runs, $refused with another map: $(cat "$dir/err")"
    [ "$(digest "$dir/resumed")" = "$(digest "$dir/aio")" ] || fail "resumed: other rows"
fi
finish
