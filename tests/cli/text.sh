#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# tests/cli/text.sh - plain text (scan --types default,text): found where it begins on a cluster and no other file is, with its exact
# end and its kind; the rows are the same however the image was scanned; and nothing else that a scan finds is changed by it.
#
# Method: a program writes texts and other files one behind another, and says at which offset and how long each is. Carved texts are
# compared with what was written.
# Labels: long
. "$(dirname "$0")/lib.sh"
planted
python3 - "$dir" "$image" <<'EOF' || exit 1
import json, os, sys, zlib, struct
folder, planted = sys.argv[1:]
disk = bytearray(open(planted, "rb").read())
disk += bytes(-len(disk) % 4096)
base, rows = len(disk), []
prose = b"".join(b"Line %d of a report on nothing in particular, which ends soon.\n" % i for i in range(400))

def put(data, kind=None, state="complete", length=None, step=4096):
    if kind:
        rows.append((len(disk), length or len(data), kind, state, bytes(data[: length or len(data)])))
    disk.extend(data)
    disk.extend(bytes(-len(disk) % step))

def chunk(kind, data):
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

noise = bytes((i * i * 31 + i * 7 + 5) >> 3 & 255 for i in range(4096 * 3))
noise = bytes(b if i % 9 else 1 for i, b in enumerate(noise))
put(noise)
put(prose, "txt")
put(prose[:5000], "txt")  # right behind it: zeros part the two
put(b"when,what,how much\n" + b"2024-05-01,bread,2\n" * 40, "csv")
put(b"#!/bin/sh\nexec true # and nothing else\n", "shell")
put(b"2024-05-01T10:00:00Z started\n" * 200, "log")
put("Die Gr\u00f6\u00dfe der L\u00fccke bleibt ungewi\u00df.\n".encode("latin-1") * 9, "txt")
put("\u0417\u0430\u043f\u0438\u0441\u044c \u043e \u043f\u0440\u043e\u0432\u0435\u0440\u043a\u0435.\n".encode() * 30, "txt")
put("A note of Windows\r\nwith two lines.\r\n".encode("utf-16"), "txt")
put(b"<!DOCTYPE html><html><head><title>x</title></head><body>" + prose[:9000] + b"</body></html>\n")  # has a format of its own
picture = b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", 1, 1, 8, 2, 0, 0, 0))
pad = -(len(picture) + 8 + 8) % 4096
picture += chunk(b"tEXt", b"Comment\0" + b" " * pad + prose[:8000])  # text on a cluster, inside of a picture
picture += chunk(b"IDAT", zlib.compress(bytes(4))) + chunk(b"IEND", b"")
put(picture)
put(prose[:8192] + noise[:4096], "txt", "truncated", 8192)  # the rest lies elsewhere
blocks = b"".join(struct.pack("<I", 5000 + i) for i in range(14))
put(prose[:12288] + blocks + bytes(1024 - len(blocks)) + prose[12288:], "txt", "truncated", 12288)  # as ext2 has it: its end begins no file
put(b"\x01\x02" * 1000 + prose[:9000])  # a program with texts in it, of which one fills clusters
put(b"key=value\x00other=value\n" * 60)
put(b"tiny\n")
disk[-1:] = b"\x01"
open(os.path.join(folder, "disk.raw"), "wb").write(disk)
with open(os.path.join(folder, "expected"), "w") as out:
    for at, length, kind, state, data in rows:
        out.write(f"{kind}\t{state}\t{at}\t{length}\n")
        open(os.path.join(folder, "text.%d" % at), "wb").write(data)
open(os.path.join(folder, "base"), "w").write(str(base))
EOF
base=$(cat "$dir/base")
kinds=txt,csv,tsv,log,c,java,perl,python,ruby,shell

# What is found is what was written, and nothing else.
expect 0 "" scan --quiet --types default,text --case "$dir/case" "$dir/disk.raw"
expect 0 "" list --types "$kinds" "$dir/case"
awk -F'\t' -v base="$base" '$4 >= base { printf "%s\t%s\t%d\t%d\n", $2, $3, $4, $5 }' "$dir/out" >"$dir/found"
cmp -s "$dir/found" "$dir/expected" || fail "other texts: $(diff "$dir/expected" "$dir/found")"
[ "$(wc -l <"$dir/expected")" -eq 10 ] || fail "the image has other texts"

# They are carved as they were written.
expect 0 "" carve --quiet --truncated --types "$kinds" --out "$dir/carved" "$dir/case"
while read -r kind state at length; do
    file=$(find "$dir/carved" -name "$(printf '%016x' "$at").*" -print -quit)
    [ -n "$file" ] && cmp -s "$file" "$dir/text.$at" || fail "$kind of $length bytes at $at, $state: carved otherwise"
done <"$dir/expected"

# Nothing else changes: without text the rows are the same, and they come first.
expect 0 "" scan --quiet --case "$dir/plain" "$dir/disk.raw"
[ "$(sqlite3 -readonly "$dir/plain" "SELECT count(*) FROM objects WHERE type IN ('${kinds//,/\',\'}')")" -eq 0 ] || fail "a scan without words finds text"
"$BURIN" list "$dir/plain" >"$dir/rows.plain"
"$BURIN" list --where "type NOT IN ('${kinds//,/\',\'}')" "$dir/case" | cmp -s - "$dir/rows.plain" || fail "other objects beside texts"
expect 0 "" scan --quiet --hits-only --types default,text --case "$dir/hits" "$dir/disk.raw"
[ "$(sqlite3 -readonly "$dir/hits" "SELECT count(*) FROM objects")" -eq 0 ] || fail "--hits-only makes objects of texts"
expect 0 "" scan --quiet --types csv,shell --case "$dir/two" "$dir/disk.raw"
[ "$("$BURIN" list "$dir/two" | cut -f2 | sort -u | tr '\n' ' ')" = "csv shell " ] || fail "--types csv,shell: $("$BURIN" list "$dir/two")"

expect 0 "" scan --quiet --types default,text --align 8192 --case "$dir/aligned" "$dir/disk.raw"
[ "$("$BURIN" list --types "$kinds" "$dir/aligned" | awk -F'\t' -v base="$base" '$4 >= base { print $4 }')" = "$(awk -F'\t' '$3 % 8192 == 0 { print $3 }' "$dir/expected")" ] ||
    fail "--align: $("$BURIN" list "$dir/aligned")"

# However it was scanned: threads, segments, parts and engines; shards that are merged; parts that were kept; a scan that ends before
# each of its writes and goes on; and files in pieces looked for again.
digest=$("$BURIN" list --digest "$dir/case")
same() {
    [ "$("$BURIN" list --digest "$dir/again")" = "$digest" ] || fail "$1: other rows: $(diff <(rows "$dir/case") <(rows "$dir/again") | head -5)"
    rm -f "$dir/again"*
}
for way in "--threads 1 --segment 64K" "--threads 3 --part-size 64K --engine ac" "--threads 7 --part-size 300K --part-seed 4 --io pread"; do
    # shellcheck disable=SC2086 # words, on purpose
    expect 0 "" scan --quiet --types default,text $way --case "$dir/again" "$dir/disk.raw"
    same "$way"
done
for k in 2 0 1; do
    expect 0 "" scan --quiet --types default,text --part $k/3 --parts "$dir/parts" "$dir/disk.raw"
done
expect 0 "" merge --quiet --case "$dir/again" "$dir/parts"
same "three shards"
expect 0 "" scan --quiet --types default,text --part-size 64K --keep-parts "$dir/kept" --case "$dir/again" "$dir/disk.raw"
same "parts that are kept"
printf '0x0 + 1\n0x0 %d ?\n' "$(stat -c %s "$dir/disk.raw")" >"$dir/map"
expect 0 "" scan --quiet --types default,text --since "$dir/kept" --changed "$dir/map" --case "$dir/again" "$dir/disk.raw"
same "parts that were kept"
for first in ${SHIM:+$(rounds 5 "1 5")}; do
    ends=0
    for ((n = first; n < 300; n += $(rounds 12 4))); do
        LD_PRELOAD=$SHIM SHIM_KILL=$n "$BURIN" scan --quiet --resume --types default,text --case "$dir/again" "$dir/disk.raw" >"$dir/out" 2>"$dir/err"
        status=$?
        [ "$status" -ne 0 ] || break
        [ "$status" -eq 137 ] && ends=$((ends + 1)) || fail "it ends before write $n: status $status: $(cat "$dir/err")"
    done
    [ "$ends" -gt 3 ] && [ "$status" -eq 0 ] || fail "from write $first on: $ends ends, and status $status"
    same "$ends ends"
done
cp "$dir/case" "$dir/again"
expect 0 "" assemble --quiet --effort 4 "$dir/again"
same "assemble again"

# What a scan notes of sectors while it reads them leaves out no text: where a range begins within a sector nothing can be noted, and
# all of it is looked at again. Texts of many lengths and with odd bytes, behind and before noise, zeros, files that end where a text
# begins, or begin within its sector.
python3 - "$dir" <<'EOF' || exit 1
import os, random, sys
random.seed(21)
gif = bytes.fromhex("47494638396101000100800000000000ffffff21f90401000000002c00000000010001000002024401003b")
words = b"the of report disk sector, which (and) 2024 = nothing: found;\n to be\r\n".split(b" ")
def text(length):
    out = b""
    while len(out) < length:
        out += random.choice(words) + random.choice((b" ", b" ", b" ", b"\n"))
    return bytearray(out[:length])
def odd():
    data = text(random.randrange(4000, 16000))  # few of many are odd, and those lie in the first sector
    for _ in range(random.choice((1, 4, 10, 20, 26))):
        data[random.randrange(33, 512)] = random.choice((1, 2, 14, 0x7f))
    return data
def page(length):
    head, tail = b"<!DOCTYPE html><html><head><title>x</title></head><body>", b"</body></html>\n"
    return head + text(length - len(head) - len(tail)) + tail
def one():
    kind = random.randrange(12)
    if kind < 3: return text(random.randrange(20, 3000))
    if kind == 3: return odd()
    if kind == 4: return text(random.randrange(40, 1500)) + random.randbytes(random.randrange(1, 900))
    if kind == 5: return "Gr\u00f6\u00dfe und L\u00fccke\n".encode("latin-1") * random.randrange(1, 90)
    if kind == 6: return "A note\r\nof lines\r\n".encode(random.choice(("utf-16", "utf-16-be"))) * random.randrange(2, 40)
    if kind == 7: return page(512 * random.randrange(1, 4)) + text(random.randrange(40, 900))  # text right behind a file
    if kind == 8: return text(random.randrange(40, 400)) + bytes(random.randrange(0, 40)) + gif  # a file begins within its sector
    if kind == 9: return b"\xfe\xff" + random.randbytes(510)
    return random.randbytes(512 * random.randrange(1, 6)) if kind == 10 else bytes(512 * random.randrange(1, 4))
with open(os.path.join(sys.argv[1], "mixed.raw"), "wb") as out:
    out.write(random.randbytes(512))
    while out.tell() < 4 << 20:
        data = one()
        out.write(data + bytes(-len(data) % 512))
with open(os.path.join(sys.argv[1], "noise.raw"), "wb") as out:  # a few texts far apart
    for _ in range(3):
        out.write(random.randbytes((3 << 20) - 1) + b"\0" + text(5000) + bytes(3192))
EOF
expect 0 "" scan --quiet --types default,text --part-size 64K --case "$dir/mixed" "$dir/mixed.raw"
[ "$("$BURIN" list --types "$kinds" "$dir/mixed" | wc -l)" -gt 300 ] || fail "few texts: $("$BURIN" list --types "$kinds" "$dir/mixed" | wc -l)"
expect 0 "" scan --quiet --types default,text --range 1: --case "$dir/read" "$dir/mixed.raw"
[ "$("$BURIN" list --digest "$dir/mixed")" = "$("$BURIN" list --digest "$dir/read")" ] ||
    fail "with what was noted, and without: $(diff <(rows "$dir/read") <(rows "$dir/mixed") | head -5)"
# Threads share the image among them (carver/text/text_tasks.h).
for threads in 1 2 7; do
    expect 0 "" scan --quiet --types default,text --threads $threads --part-size 64K --force --case "$dir/read" "$dir/mixed.raw"
    [ "$(rows "$dir/mixed")" = "$(rows "$dir/read")" ] || fail "--threads $threads: $(diff <(rows "$dir/read") <(rows "$dir/mixed") | head -5)"
done

# What was noted, and what the validator said, stays with a shard, with parts that are kept, and with a scan that is stopped: not even the
# texts are read again.
again() { # CASE : how many bytes were read again, of the last run
    sqlite3 -readonly "$1" "SELECT text FROM log WHERE text LIKE 'plain text: 3 found; %' ORDER BY id DESC LIMIT 1" | grep -oE '[0-9]+ bytes' | cut -d' ' -f1
}
little() { # WHAT CASE
    local bytes
    bytes=$(again "$2")
    [ "${bytes:-9999999}" -lt 20000 ] || fail "$1: $bytes bytes were read again"
    [ "$("$BURIN" list --digest "$2")" = "$("$BURIN" list --digest "$dir/noise")" ] || fail "$1: other rows"
}
noise() { # OPTION... : a scan of the image of noise
    expect 0 "" scan --quiet --types default,text "$@" "$dir/noise.raw"
}
noise --keep-parts "$dir/noise.kept" --part-size 1M --case "$dir/noise"
little "a scan" "$dir/noise"
noise --range 1: --case "$dir/all"
[ "$(again "$dir/all")" -gt 9000000 ] || fail "where nothing was noted, $(again "$dir/all") bytes were read"
for k in 1 0; do
    noise --part-size 1M --part $k/2 --parts "$dir/noise.parts"
done
expect 0 "" merge --quiet --case "$dir/merged" "$dir/noise.parts"
little "a merge" "$dir/merged"
expect 0 "" merge --quiet --link --case "$dir/linked" "$dir/noise.parts"
little "a merge that links" "$dir/linked"
printf '0x0 + 1\n0x0 %d ?\n' "$(stat -c %s "$dir/noise.raw")" >"$dir/map"
noise --since "$dir/noise.kept" --changed "$dir/map" --case "$dir/since"
little "parts that were kept" "$dir/since"

# A scan that is killed when all was read, and before text is looked for.
position=0
killed() { # N : before its write N
    rm -f "$dir/stopped"*
    LD_PRELOAD=$SHIM SHIM_KILL=$1 "$BURIN" scan --quiet --types default,text --case "$dir/stopped" "$dir/noise.raw" >"$dir/out" 2>"$dir/err"
    status=$?
    position=$(sqlite3 "$dir/stopped" "SELECT max(position) FROM resume" 2>"$dir/err")
    position=${position:-0}
}
if [ -n "${SHIM:-}" ]; then # the first write of these, in steps of eight and then of one
    for ((n = 8; n < 200; n += 8)); do
        killed $n
        [ "$status" -ne 0 ] && [ "$position" -lt 9000000 ] || break
    done
    position=0
    for ((n -= 7; n < 200 && position < 9000000; n++)); do killed $n; done
fi
if [ -n "${SHIM:-}" ]; then
    [ "$position" -gt 9000000 ] || fail "no scan was killed behind what it read"
    cp "$dir/stopped" "$dir/spoiled"
    noise --resume --case "$dir/stopped"
    little "a scan that goes on" "$dir/stopped"
    [ "$(sqlite3 -readonly "$dir/stopped" "SELECT count(*) FROM text_spots")" = 0 ] || fail "a scan that is done keeps where text may begin"
    sqlite3 "$dir/spoiled" "UPDATE text_spots SET spots = x'00ffff7f'"
    expect 3 "where plain text may begin is damaged" scan --quiet --types default,text --resume --case "$dir/spoiled" "$dir/noise.raw"
fi

# A range ends a text; and identify knows the same kinds.
at=$(sed -n 1p "$dir/expected" | cut -f3)
expect 0 "" scan --quiet --types default,text --range "$at:4096" --case "$dir/range" "$dir/disk.raw"
[ "$("$BURIN" list "$dir/range" | cut -f2-5)" = "$(printf 'txt\ttruncated\t%d\t4096' "$at")" ] || fail "--range: $("$BURIN" list "$dir/range")"
while read -r kind state at length; do
    [ "$("$BURIN" identify "$dir/text.$at" | cut -f2,4)" = "$(printf '%s\t%d' "$kind" "$length")" ] || fail "identify: $("$BURIN" identify "$dir/text.$at")"
done <"$dir/expected"
finish
