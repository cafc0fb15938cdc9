#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# tests/cli/faults/budget.sh - images in which many files share their bytes: how much is unpacked and
# recorded stays bounded, it is said, it does not depend on how the image is read, and files that
# are no trap are read to their end.
# Labels: long
. "$(dirname "$0")/../lib.sh"
traps=$cli/../../tools/traps.py

# A member of the last scan's summary.
told() {
    sqlite3 :memory: "SELECT readfile('$dir/out') ->> '$1'"
}

# cut NAME MIB: many files end in the same 64 MiB of zeros. Without a bound each is unpacked: 64 GiB
# for each MiB of image; with it less than twice 1040 bytes for each byte. It is read again in each
# of the other ways that follow: one for each trap, and all for the first.
cut() {
    local image=$dir/trap size how
    python3 "$traps" make "$1" "$image" "$2" || fail "no trap $1"
    size=$(stat -c %s "$image")
    expect 0 "" scan --json --quiet --force --image-type raw --case "$dir/first" "$image"
    [ "$(told bytes_unpacked)" -gt $((size * 100)) ] || fail "$1: is no trap: $(told bytes_unpacked) bytes"
    [ "$(told bytes_unpacked)" -lt $((size * 2080)) ] || fail "$1: $(told bytes_unpacked) bytes were unpacked"
    [ "$(told objects_cut_short)" -gt 0 ] || fail "$1: it is not told that objects were cut"
    [ "$(sqlite3 -readonly "$dir/first" "SELECT count(*) FROM objects WHERE state = 'truncated' AND
        (reason LIKE 'read no further%' OR reason LIKE 'too many%')")" = "$(told objects_cut_short)" ] ||
        fail "$1: $(told objects_cut_short) objects were cut, the case file has others"
    [ "$(sqlite3 -readonly "$dir/first" "SELECT count(*) FROM log WHERE kind = 'note' AND
        text LIKE '% truncated: not read to the end, %'")" = 1 ] || fail "$1: the log does not say it"
    rows "$dir/first" >"$dir/rows"
    for how in "${@:3}"; do
        # shellcheck disable=SC2086
        expect 0 "" scan --quiet --force --image-type raw $how --case "$dir/again" "$image"
        rows "$dir/again" >"$dir/rows.again"
        cmp -s "$dir/rows" "$dir/rows.again" || fail "$1: scan $how gives other rows"
    done
}
small="--threads 1 --segment 64K" middle="--threads 3 --segment 256K --io pread" large="--threads 2 --segment 16M"
cut special/gz_names 1 "$small" "$large"
cut special/gz_stored 1 "$middle"
cut special/swf_stored 1 "$small"
[ -z "${BURIN_LONG:-}" ] || cut special/mat_stored 1 "$large" # as swf_stored, of which each byte costs more
cut special/tiff_strips 1 "$middle"

# It is told to people too, and nothing is said of an image without such files.
burin scan --force --image-type raw --case "$dir/first" "$dir/trap"
check 0 "" "scan of a trap"
grep -q "$dir/trap: [0-9]* objects truncated: not read to the end" "$dir/err" || fail "not told: $(cat "$dir/err")"
planted
burin scan --force --case "$dir/first" "$image"
! grep -q "not read to the end" "$dir/err" || fail "files are cut that are no trap: $(cat "$dir/err")"

# One file of 4 GiB of zeros: as much as deflate can do.
python3 - "$dir/bomb" <<'PYTHON'
import struct, sys, zlib
packer, mib = zlib.compressobj(9, zlib.DEFLATED, -15), bytes(1 << 20)
packed = []
for _ in range(64):
    packed.append(packer.compress(mib))
packed.append(packer.flush(zlib.Z_FULL_FLUSH))
once = b"".join(packed)
crc = 0xd202ef8d # zlib.crc32 of the 4 GiB, which takes seconds
file = b"\x1f\x8b\x08\0\0\0\0\0\0\3" + once * 64 + b"\3\0" + struct.pack("<II", crc, 0)
with open(sys.argv[1], "wb") as out:
    out.write(bytes(512) + file)
PYTHON
expect 0 "" scan --json --quiet --force --case "$dir/first" "$dir/bomb"
[ "$(told bytes_unpacked)" = $((4 << 30)) ] || fail "4 GiB of zeros: $(told bytes_unpacked) bytes unpacked"
[ "$(told objects_cut_short)" = 0 ] || fail "4 GiB of zeros are cut"
[ "$(sqlite3 -readonly "$dir/first" "SELECT type, state, proven FROM objects WHERE offset = 512")" = "gz|complete|1" ] ||
    fail "4 GiB of zeros: $(sqlite3 -readonly "$dir/first" 'SELECT * FROM objects')"

# Small files one behind the other are not taken for files in one another, and small streams of
# bzip2 are one file, not as many that all go on to the end.
python3 - "$dir/small" "$cli/../samples/bzip2/tables.bz2" <<'PYTHON'
import gzip, random, sys
rng, words = random.Random(5), [b"%d " % i for i in range(3000)]
with open(sys.argv[1], "wb") as out:
    for _ in range(200):
        text = b"".join(rng.choices(words, k=rng.choice([20, 300, 3000, 10000]))) + bytes(rng.choice([0, 20000]))
        out.write(gzip.compress(text, mtime=0) + b"\xff" * rng.choice([1, 7, 100]))
    out.write(open(sys.argv[2], "rb").read() * 100)
PYTHON
expect 0 "" scan --json --quiet --force --image-type raw --case "$dir/first" "$dir/small"
[ "$(told objects_cut_short)" = 0 ] || fail "$(told objects_cut_short) of small files are cut"
[ "$(sqlite3 -readonly "$dir/first" "SELECT group_concat(n) FROM (SELECT type || state || count(*) AS n FROM objects
    GROUP BY type, state)")" = bz2complete1,gzcomplete200 ] ||
    fail "small files: $(sqlite3 -readonly "$dir/first" 'SELECT type, state, count(*) FROM objects GROUP BY 1, 2')"

# Pictures of which each byte is four blocks, 64 in one another: 8 are read, not all.
python3 "$traps" make special/jpeg_zeros "$dir/trap" 1 || fail "no trap of pictures"
expect 0 "" scan --json --quiet --force --image-type raw --case "$dir/first" "$dir/trap"
[ "$(sqlite3 -readonly "$dir/first" "SELECT count(*) FROM objects WHERE type = 'jpg'")" -le 16 ] ||
    fail "$(sqlite3 -readonly "$dir/first" "SELECT count(*) FROM objects") pictures were read at a time"

# A rule of one byte in nothing but that byte: 32768 of each MiB are recorded. The other rule is
# heard all the same.
python3 -c 'import sys
image = bytearray(b"Q" * (2 << 20) + b"." * (1 << 20))
for at in range(65536 - 2, len(image), 65536):
    image[at:at + 2] = b"Zz"
sys.stdout.buffer.write(image)' >"$dir/flood"
printf '%s\n' 'q y 1000 Q' 'z y 1000 Zz' >"$dir/rules.conf"
# check() wants no more than one line: the linter of rules speaks as well
burin scan --json --quiet --force --dictionary "$dir/rules.conf" --case "$dir/first" "$dir/flood"
[ "$status" = 1 ] || fail "headers were left out, and the status is $status"
grep -q "$dir/flood: 2031552 headers of rules were not recorded: .* first at offset 32768;" "$dir/err" ||
    fail "not told: $(cat "$dir/err")"
[ "$(told headers_not_recorded)" = $((2 * ((1 << 20) - 32 - 32768))) ] || fail "$(told headers_not_recorded) left out"
[ "$(sqlite3 -readonly "$dir/first" "SELECT group_concat(n) FROM (SELECT count(*) AS n FROM objects GROUP BY type ORDER BY type)")" \
    = 65536,48 ] || fail "not 32768 of each MiB, and all of the other: $(sqlite3 -readonly "$dir/first" \
    "SELECT type, count(*) FROM objects GROUP BY type")"
rows "$dir/first" >"$dir/rows"
burin scan --quiet --force --segment 64K --threads 3 --dictionary "$dir/rules.conf" --case "$dir/again" "$dir/flood"
rows "$dir/again" | cmp -s "$dir/rows" - || fail "smaller segments give other rows of rules"
head -c 256K "$dir/flood" >"$dir/part"
expect 0 "" search --quiet --case "$dir/search" "$dir/part" Q
[ "$(wc -l <"$dir/out")" = $(((1 << 18) - 8)) ] || fail "search leaves out hits"

# Headers without end and one footer: validators are not asked about each of the objects.
python3 -c 'import sys; sys.stdout.buffer.write(b"\xff\xd8\xff\xe0" * (1 << 17) + b"END")' >"$dir/labels"
printf '%s\n' 'jpg y 1000000 \xff\xd8\xff\xe0 END' >"$dir/rules.conf"
burin scan --json --quiet --force --dictionary "$dir/rules.conf" --case "$dir/first" "$dir/labels"
[ "$(told objects_not_labelled)" -gt 0 ] || fail "each object was shown to a validator"
finish
