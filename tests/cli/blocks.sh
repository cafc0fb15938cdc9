#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# tests/cli/blocks.sh - `burin verify` of an AFF4 compares each chunk with the hashes that the container has of it, and names those that
# differ. aff4_write.py writes containers, with the hashes of hashlib.
. "$(dirname "$0")/lib.sh"
make() { python3 "$cli/../io/aff4_write.py" "$dir/disk.raw" "$@"; }
python3 -c 'import random, sys; r = random.Random(3); sys.stdout.buffer.write(r.randbytes(300000) + bytes(200000) + b"text " * 40000 + r.randbytes(99999 + 257))' \
    >"$dir/disk.raw"
truncate -s %512 "$dir/disk.raw"

chunks=$((($(stat -c %s "$dir/disk.raw") + 32767) / 32768))
for how in "method=stored blocks=md5" "method=deflate blocks=sha1,sha512 bevvy=4 deflate=1" "method=zlib blocks=md5,sha1,sha256,sha512 map=sparse" \
    "method=stored blocks=md5,blake2b map=none chunk=4096"; do
    # shellcheck disable=SC2086 # words, on purpose
    rm -f "$dir"/*.aff4 && make "$dir/a.aff4" $how || fail "aff4_write.py $how"
    expect 0 "" verify --quiet "$dir/a.aff4"
    grep -q ", 0 have not$" "$dir/out" || fail "$how: $(cat "$dir/out")"
done
rm -f "$dir"/*.aff4 && make "$dir/a.aff4" method=stored blocks=sha256 stripes=2
expect 0 "" verify --quiet "$dir/a.aff4"
[ "$(sed -E 's/.*: ([0-9]+) blocks have the hashes \(sha256\).*/\1/' "$dir/out" | awk '{ n += $1 } END { print n }')" -eq "$chunks" ] || fail "stripes: $(cat "$dir/out")"

# A byte of chunk 5 is another one, and of the last chunk.
rm -f "$dir"/*.aff4 && make "$dir/a.aff4" method=stored blocks=md5,sha1
python3 - "$dir/a.aff4" "$dir/disk.raw" <<'PY'
import sys
aff4, disk = bytearray(open(sys.argv[1], "rb").read()), open(sys.argv[2], "rb").read()
at = aff4.find(disk[:4096])
for place in (5 * 32768 + 17, len(disk) - 1):
    aff4[at + place] ^= 1
open(sys.argv[1], "wb").write(aff4)
PY
last=$(((chunks - 1) * 32768))
burin verify --quiet "$dir/a.aff4"
[ "$status" -eq 1 ] || fail "changed chunks: status $status"
[ "$(sed -nE 's/.*: bytes ([0-9+]*) are not those that the image has a hash of$/\1/p' "$dir/out" | tr '\n' ' ')" = "163840+32768 $last+$(($(stat -c %s "$dir/disk.raw") - last)) " ] ||
    fail "changed chunks: $(cat "$dir/out")"
burin verify --quiet --json "$dir/a.aff4"
python3 -c 'import json, sys; a = json.load(open(sys.argv[1])); assert [b["offset"] for b in a["wrong_blocks"]] == [163840, int(sys.argv[2])] and a["blocks"] == int(sys.argv[3]), a' \
    "$dir/out" "$last" "$chunks" || fail "--json: $(cat "$dir/out")"

# A digest is another one: the ZIP's own checksum tells. An AFF4 without any, and its own MD5 beside them.
python3 - "$dir/a.aff4" <<'PY'
import hashlib, sys
aff4 = bytearray(open(sys.argv[1], "rb").read())
at = aff4.find(b"blockHash.md5") + 60
aff4[at] ^= 4
open(sys.argv[1], "wb").write(aff4)
PY
expect 3 "damaged" verify --quiet "$dir/a.aff4"
rm -f "$dir"/*.aff4 && make "$dir/a.aff4" method=stored
expect 3 "has no hash of its own" verify --quiet "$dir/a.aff4"
rm -f "$dir"/*.aff4 && make "$dir/a.aff4" method=stored blocks=sha1 hash=1
expect 0 "" verify --quiet "$dir/a.aff4"
grep -q "md5 $(md5sum <"$dir/disk.raw" | cut -c 1-32), as the image says" "$dir/out" && grep -q "(sha1) that the image says, 0 have not" "$dir/out" || fail "both: $(cat "$dir/out")"
finish
