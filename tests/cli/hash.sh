#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# tests/cli/hash.sh - `scan --hash`: hashes of the whole image, in the same pass; and those that a container has.
#
# Method: md5sum, sha1sum and sha256sum say what the hashes are. Kills are in faults/resume.sh, disks with bad sectors in
# faults/baddisk.sh, and that nothing is read twice in order.sh.
# Labels: long
. "$(dirname "$0")/lib.sh"
planted
python3 "$cli/make_archives.py" "$dir/made" || exit 1
cat "$image" "$dir/made" "$image" >"$dir/disk.raw"
printf 'odd' >>"$dir/disk.raw" # no multiple of any block
for kind in md5 sha1 sha256; do
    "${kind}sum" <"$dir/disk.raw" | sed "s/^\([0-9a-f]*\).*/$kind \1/"
done >"$dir/want"

hashes() {
    sqlite3 -readonly -separator ' ' "$1" "SELECT kind, digest FROM image_hashes ORDER BY kind"
}
expect 0 "" scan --quiet --case "$dir/plain" "$dir/disk.raw"
rows "$dir/plain" >"$dir/rows"
[ -z "$(hashes "$dir/plain")" ] || fail "hashes that nobody asked for"
hows=("--threads 1" "--threads 3 --part-size 400K --part-seed 3 --segment 64K" "--threads 3 --parts-at-once 3 --io cache" "--threads 1 --part-size 4K --hits-only")
[ -z "${BURIN_LONG:-}" ] || hows+=("--threads 2" "--threads 4 --segment 64K" "--threads 2 --io pread" "--threads 2 --engine ac")
for how in "${hows[@]}"; do
    rm -f "$dir/case"*
    # shellcheck disable=SC2086 # words, on purpose
    expect 0 "" scan --quiet $how --hash md5,sha256,sha1 --case "$dir/case" "$dir/disk.raw"
    diff "$dir/want" <(hashes "$dir/case") >"$dir/diff" || fail "scan $how --hash: $(cat "$dir/diff")"
    rows "$dir/case" >"$dir/rows.now"
    [ "${how#*--hits-only}" != "$how" ] || cmp -s "$dir/rows" "$dir/rows.now" || fail "scan $how --hash: other rows"
done
[ "$(sqlite3 -readonly "$dir/case" 'SELECT DISTINCT bytes, filled FROM image_hashes')" = "$(stat -c %s "$dir/disk.raw")|0" ] || fail "bytes, filled"

# What people see, and programs.
expect 0 "" scan --force --hash sha1 --hash md5 --case "$dir/case" --quiet "$dir/disk.raw"
[ "$(hashes "$dir/case")" = "$(head -1 "$dir/want")" ] || fail "--hash twice: the last one counts: $(hashes "$dir/case")"
burin scan --force --hash stored --case "$dir/case" "$dir/disk.raw"
[ "$status" -eq 0 ] && grep -qF "disk.raw: $(tail -1 "$dir/want")" "$dir/err" || fail "--hash stored of a raw image: $(cat "$dir/err")"
expect 0 "" scan --force --json --quiet --hash md5 --case "$dir/case" "$dir/disk.raw"
python3 - "$dir/out" "$(head -1 "$dir/want")" <<'PY' || fail "--json: $(cat "$dir/out")"
import json, sys
hashes = json.load(open(sys.argv[1]))["hashes"]
assert [h["kind"] + " " + h["digest"] for h in hashes] == [sys.argv[2]] and hashes[0]["filled"] == 0 and hashes[0]["stored"] is None
PY
head -c 1 "$dir/disk.raw" >"$dir/one"
expect 0 "" scan --quiet --hash md5 --case "$dir/one.case" "$dir/one" "$dir/disk.raw"
[ "$(hashes "$dir/one.case" | sort)" = "$({ echo "md5 $(md5sum <"$dir/one" | cut -c 1-32)"; head -1 "$dir/want"; } | sort)" ] || fail "two images"

# Words that are wrong.
expect 2 "--hash md4: write md5, sha1, sha256, tree, or stored" scan --hash md4 --case "$dir/no" "$dir/disk.raw"
expect 2 "--hash" scan --hash "" --case "$dir/no" "$dir/disk.raw"
expect 2 "--hash and --range exclude each other" scan --hash md5 --range 0:4096 --case "$dir/no" "$dir/disk.raw"
[ ! -e "$dir/no" ] || fail "a wrong command left a case file"

# An E01 has hashes of its own, and says who made it.
command -v ewfacquire >/dev/null || skip "no ewfacquire"
cp "$dir/disk.raw" "$dir/sectors.raw"
truncate -s %512 "$dir/sectors.raw"
ewfacquire -u -q -t "$dir/good" -d sha1 -C "case 7" -E "item 3" -e "A. Examiner" -N "note" -D "text" "$dir/sectors.raw" >/dev/null 2>&1 || fail "ewfacquire"
burin scan --hash stored --case "$dir/ewf" "$dir/good.E01"
[ "$status" -eq 0 ] || fail "an E01: status $status: $(cat "$dir/err")"
md5=$(md5sum <"$dir/sectors.raw" | cut -c 1-32) sha1=$(sha1sum <"$dir/sectors.raw" | cut -c 1-40)
[ "$(hashes "$dir/ewf")" = "md5 $md5
sha1 $sha1" ] || fail "--hash stored of an E01: $(hashes "$dir/ewf")"
[ "$(sqlite3 -readonly "$dir/ewf" "SELECT count(*) FROM log WHERE kind = 'verified'")" = 2 ] || fail "the log does not say that the hashes are the same"
grep -q "the md5 of the medium is the one that the image has: $md5" "$dir/err" || fail "an E01 whose hash is right: $(cat "$dir/err")"
facts=$(sqlite3 -readonly -separator '=' "$dir/ewf" "SELECT name, value FROM image_facts WHERE name NOT IN ('acquired', 'system date', 'system', 'tool')")
[ "$facts" = "case number=case 7
description=text
evidence number=item 3
examiner=A. Examiner
md5=$md5
notes=note
sha1=$sha1" ] || fail "what an E01 says of itself: $facts"
sqlite3 -readonly "$dir/ewf" "SELECT value FROM image_facts WHERE name = 'acquired'" | grep -qE '^20[0-9]{2}-[0-9]{2}-[0-9]{2}T' || fail "when it was made"

# One whose hashes are others: the scan goes on, and says so.
python3 - "$dir/good.E01" "$dir/bad.E01" <<'PY'
import struct, sys, zlib
data = bytearray(open(sys.argv[1], "rb").read())
at, sections = 13, 0
while True:
    kind, step = bytes(data[at:at + 16]).rstrip(b"\0"), struct.unpack_from("<Q", data, at + 16)[0]
    if kind in (b"hash", b"digest"):            # MD5 first; Adler-32 of all before it last
        length = {b"hash": 32, b"digest": 76}[kind]
        data[at + 76] ^= 1
        struct.pack_into("<I", data, at + 76 + length, zlib.adler32(data[at + 76:at + 76 + length]))
        sections += 1
    if kind in (b"done", b"next"):
        break
    at = step
assert sections
open(sys.argv[2], "wb").write(data)
PY
burin scan --quiet --hash stored --case "$dir/wrong" "$dir/bad.E01"
[ "$status" -eq 1 ] && grep -q "the md5 of the medium is $md5, and the image says [0-9a-f]*: its bytes are not" "$dir/err" ||
    fail "an E01 whose hash is wrong: status $status: $(cat "$dir/err")"
[ "$(sqlite3 -readonly "$dir/wrong" "SELECT group_concat(kind) FROM (SELECT kind FROM log WHERE kind IN ('verified', 'mismatch') ORDER BY id)")" = "mismatch,verified" ] ||
    fail "the log of an E01 whose md5 is wrong: $(sqlite3 -readonly "$dir/wrong" "SELECT kind, text FROM log")"
[ "$(sqlite3 -readonly "$dir/wrong" "SELECT status FROM runs")" = "done" ] || fail "the scan did not go on"
expect 0 "" list --digest "$dir/wrong"
cp "$dir/out" "$dir/digest"
expect 0 "" list --digest "$dir/ewf"
cmp -s "$dir/out" "$dir/digest" || fail "other rows"
finish
