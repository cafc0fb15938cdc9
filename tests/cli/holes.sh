#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# tests/cli/holes.sh - a sparse image gives the rows of the same bytes without holes, whatever is looked for, also where that is zeros;
# and of a hole of a TiB nothing is read.
# Labels: long
. "$(dirname "$0")/lib.sh"
planted
python3 - "$dir" <<'PY' || exit 1
import random, sys
folder = sys.argv[1]
planted = open(f"{folder}/image.raw", "rb").read()
r = random.Random(19)
size = 24 << 20
with open(f"{folder}/sparse", "wb") as out:
    out.truncate(size + 777)
    for place in [0, 9 << 20, size - 300000] + [r.randrange(0, size - 400000) for _ in range(16)]:
        place = place // 4096 * 4096
        start = r.randrange(0, len(planted) - 400000)
        out.seek(place)
        out.write(planted[start : start + r.randrange(4096, 400000)])
PY
[ $(($(stat -c %b "$dir/sparse") * 512)) -lt $((12 << 20)) ] || skip "no holes in files here"
mkdir "$dir/full" && cp --sparse=never "$dir/sparse" "$dir/full/sparse"
printf '%s\n' 'zer y 900 \x00\x00\x00\x00\x00\x00\x00\x00' >"$dir/zeros.conf"
printf '%s\n' 'png y 200000 \x89PNG IEND\xae\x42\x60\x82' 'txt y 90000 GIF8 \x00\x3b' 'end y 5000000 RIFF zzz NEXT' >"$dir/rules.conf"
head -c 400000 "$image" >"$dir/file"
expect 0 "" known build --quiet --files --block 4096 --names "$dir/blocks" "$dir/file"

# What a scan with these words finds in both.
alike() {
    local least=$1
    shift
    rm -f "$dir/case"*
    expect 0 "" scan --quiet "$@" --case "$dir/case" "$dir/full/sparse"
    rows "$dir/case" >"$dir/rows"
    [ "$(wc -l <"$dir/rows")" -ge "$least" ] || fail "scan $*: only $(wc -l <"$dir/rows") rows to compare"
    rm -f "$dir/case"*
    expect 0 "" scan --quiet "$@" --case "$dir/case" "$dir/sparse"
    rows "$dir/case" | cmp -s - "$dir/rows" || fail "scan $*: other rows of the sparse image: $(rows "$dir/case" | diff "$dir/rows" - | head -5)"
}
alike 40
alike 40 --part-size 5M --part-seed 4 --parts-at-once 1 --io pread
alike 20 --range 65001:20000001 --segment 64K
alike 20 --all-hits --dictionary "$dir/rules.conf"
alike 15 --hits-only
alike 40 --known "$dir/blocks" --known-step 512
alike 5 --types wav,mp3,tar,zip --no-file-systems
alike 300 --range 7M:5M --dictionary "$dir/zeros.conf" --hits-only --align 4096
alike 40 --hash sha256
for of in "$dir/full/sparse" "$dir/sparse"; do
    expect 0 "" search --quiet --json --no-file-systems --case "$dir/found.$(basename "$(dirname "$of")")" "$of" --regex '\x00[A-Z]{3}\x00' PNG
    grep -v '"path"\|"image"' "$dir/out" >"$dir/found.$([ "$of" = "$dir/sparse" ] && echo sparse || echo full)"
done
cmp -s "$dir/found.sparse" "$dir/found.full" || fail "search: other hits in the sparse image: $(diff "$dir/found.full" "$dir/found.sparse" | head -5)"

# Parts of holes that other processes scan.
rm -f "$dir/case"*
expect 0 "" scan --quiet --case "$dir/case" "$dir/full/sparse"
rows "$dir/case" >"$dir/rows"
for part in 0/2 1/2; do expect 0 "" scan --quiet --part "$part" --parts "$dir/shards" "$dir/sparse"; done
expect 0 "" merge --quiet --case "$dir/merged" "$dir/shards"
rows "$dir/merged" | cmp -s - "$dir/rows" || fail "merge: other rows: $(rows "$dir/merged" | diff "$dir/rows" - | head -5)"

# 1 TiB of nothing, with a picture before the end: to read it would take an hour, and to go over the zeros in memory minutes.
truncate -s 1T "$dir/huge" 2>"$dir/err" || skip "in part: a file of 1 TiB cannot be made here"
dd if="$image" of="$dir/huge" conv=notrunc bs=1M count=4 seek=1048500 status=none
rm -f "$dir/case"*
expect 0 "" scan --quiet --case "$dir/case" "$dir/huge"
burin list "$dir/case"
[ "$(wc -l <"$dir/out")" -gt 20 ] || fail "1 TiB with a picture: $(wc -l <"$dir/out") objects"
finish
