#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# tests/cli/likely.sh - files in pieces that no validator can prove are told as likely, and change nothing else.
#
# Goal: texts, archives of texts and packets cut in two by foreign bytes come back byte for byte, in a folder of their own, each with its chance of being wrong; no
# row of an object is other than without them; of a text of which a piece is missing nothing is told, nor of packed data that random bytes surround,
# unless zeros follow its end; the rows depend on neither threads nor when it was done; an object that is called fragmented is none of them.
# Method: the files are made here, and compared with what carve writes.
# Labels: long
. "$(dirname "$0")/lib.sh"

python3 - "$dir" <<'PYTHON' || exit 1
import random, struct, sys
rng = random.Random(4)
words = ["".join(rng.choices("abcdefghijklmnopqrstuvwxyz", k=rng.randrange(2, 11))) for _ in range(4000)]
filler = lambda sectors: rng.randbytes(512 * sectors)
pad = lambda data: data + bytes(-len(data) % 512)
text = lambda n: " ".join(rng.choices(words, k=n))

def page(n):
    rows = "".join("<p id='p%d'>%s</p>\n" % (i, text(40)) for i in range(n))
    return ("<!DOCTYPE html>\n<html><head><title>%s</title></head>\n<body>\n%s</body></html>\n" % (text(4), rows)).encode()

def table(n):
    rows = "".join("  <row number='%d'><name>%s</name></row>\n" % (i, text(12)) for i in range(n))
    return ("<?xml version='1.0'?>\n<table>\n%s</table>\n" % rows).encode()

# Its members are texts, which nothing proves: only what is packed can be.
def archive(n):
    head = lambda name, size: b"%-16s%-12d%-6d%-6d%-8s%-10d`\n" % (name, 0, 0, 0, b"100644", size)
    members, places = b"", []
    table = 4 + 4 * n + 8 * n                   # "symbol0" and a NUL for each
    for i in range(n):
        data = text(rng.randrange(100, 900)).encode()
        places.append(8 + 60 + table + len(members))
        members += head(b"text%d/" % i, len(data)) + data + b"\n" * (len(data) % 2)
    names = b"".join(b"symbol%d\0" % i for i in range(n))
    return b"!<arch>\n" + head(b"/", table) + struct.pack(">%dI" % (n + 1), n, *places) + names + members

# Small packets of little text: several other ways resemble it more, and its validator refuses each of those.
def packets(n):
    block = lambda kind, body: struct.pack("<II", kind, len(body) + 12) + body + struct.pack("<I", len(body) + 12)
    packet = lambda data, at: block(6, struct.pack("<IIIII", 0, 0, at, len(data), len(data)) + data + bytes(-len(data) % 4))
    return (block(0x0a0d0d0a, struct.pack("<IHHq", 0x1a2b3c4d, 1, 0, -1)) + block(1, struct.pack("<HHI", 1, 0, 65535)) +
            b"".join(packet(rng.randbytes(rng.randrange(20, 90)), i) for i in range(n)))

# Nothing in it tells one place from another.
def picture(size):
    packed = struct.pack("<I", size << 5 | 16)[:3] + b"\x9d\x01\x2a" + struct.pack("<HH", 640, 480) + rng.randbytes(size)
    chunk = b"VP8 " + struct.pack("<I", len(packed)) + packed + b"\0" * (len(packed) % 2)
    return b"RIFF" + struct.pack("<I", len(chunk) + 4) + b"WEBP" + chunk

image = bytearray(filler(2048))
whole = {}
def put(name, data, cut, gap):
    whole[name] = data
    cut *= 512
    image.extend(data[:cut] + filler(gap) + pad(data[cut:]) + filler(512))
put("page1", page(60), 11, 9)
put("page2", page(90), 20, 33)
put("table", table(200), 31, 5)
put("archive", archive(9), 24, 21)
put("packets", packets(24), 2, 12)
put("short", packets(30), 1, 9)
between = text(3000).encode()[:11 * 512]
put_picture = lambda data, behind: image.extend(data[:6 * 512] + between + data[6 * 512:] + behind(-len(data) % 512) + filler(512))
whole["picture"] = picture(9000)
put_picture(whole["picture"], bytes)
put_picture(picture(9000), rng.randbytes)
lost = page(70)
image.extend(lost[:8192] + filler(2048))        # its second half is nowhere
image.extend(filler(4096))
open(sys.argv[1] + "/image", "wb").write(image)
for name, data in whole.items():
    open(sys.argv[1] + "/" + name, "wb").write(data)
PYTHON

burin scan --quiet --no-assemble --case "$dir/before" "$dir/image"
check 0 "" "scan --no-assemble"
burin scan --quiet --case "$dir/case" "$dir/image"
check 0 "" "scan"
[ "$(sqlite3 "$dir/case" "SELECT count(*) FROM likely")" -eq 7 ] || fail "likely: $(sqlite3 "$dir/case" "SELECT * FROM likely")"
[ "$(sqlite3 "$dir/case" "SELECT count(*) FROM likely WHERE wrong > 50000; PRAGMA foreign_key_check")" = 0 ] || fail "one is too unsure"

# Objects are what they are without them.
for case in before case; do
    burin list "$dir/$case"
    cp "$dir/out" "$dir/$case.list"
done
cmp -s "$dir/before.list" "$dir/case.list" || fail "likely files change objects: $(diff "$dir/before.list" "$dir/case.list")"
grep -q fragmented "$dir/case.list" && fail "a likely file is called fragmented"

# Lines and JSON say the same.
burin list --likely "$dir/case"
check 0 "" "list --likely"
grep -Eq "^[0-9]+	html	likely	[0-9]+	[0-9]+	[0-9]+\+5632,[0-9]+\+[0-9]+	0\.0[0-9]{5}	the pieces resemble" "$dir/out" || fail "list --likely says: $(cat "$dir/out")"
cut -f 4 "$dir/out" | sort -n > "$dir/offsets"
burin list --likely --json "$dir/case"
python3 -c 'import json, sys; [print(x["offset"]) for x in json.load(open(sys.argv[1]))]' "$dir/out" | sort -n | cmp -s - "$dir/offsets" ||
    fail "list --likely --json: $(cat "$dir/out")"
expect 2 "leave out" list --likely --types html "$dir/case"

# carve writes them when asked, and byte for byte.
burin carve --quiet --out "$dir/plain" "$dir/case"
check 0 "" "carve"
[ ! -e "$dir/plain/likely" ] || fail "carve writes likely files unasked"
burin carve --quiet --likely --out "$dir/carved" "$dir/case"
check 0 "" "carve --likely"
[ "$(find "$dir/carved/likely" -type f | wc -l)" -eq 7 ] || fail "files: $(find "$dir/carved/likely")"
for name in page1 page2 table archive packets short picture; do
    found=
    for file in "$dir/carved/likely"/*/*; do
        cmp -s "$file" "$dir/$name" && found=yes
    done
    [ "$found" ] || fail "$name is not written byte for byte"
done
[ "$(grep -c 'likely, 2 pieces by resemblance: wrong with a chance of' "$dir/carved/audit.txt")" -eq 7 ] || fail "audit.txt: $(cat "$dir/carved/audit.txt")"
[ "$(grep -c '<burin:state>likely</burin:state>' "$dir/carved/report.xml")" -eq 7 ] || fail "report.xml tells no likely files"
[ "$(sqlite3 "$dir/case" "SELECT count(*) FROM log WHERE kind = 'output' AND text LIKE 'likely file of hit %'")" -eq 7 ] || fail "no log of likely files"
burin carve --quiet --likely --types xml --out "$dir/tables" "$dir/case"
check 0 "" "carve --likely --types"
[ "$(find "$dir/tables" -type f -name '*.*' | grep -c likely)" -eq 1 ] || fail "--types does not choose likely files"

# The rows are the same for any number of threads, and when assembly comes later, or once more.
burin list --digest "$dir/case"
cp "$dir/out" "$dir/digest"
for threads in 1 3; do
    burin scan --quiet --threads "$threads" --case "$dir/again$threads" "$dir/image"
    burin list --digest "$dir/again$threads"
    cmp -s "$dir/out" "$dir/digest" || fail "other rows with $threads threads"
done
for times in once twice; do
    burin assemble --quiet --effort 1 "$dir/before"
    check 0 "" "assemble $times"
    burin list --digest "$dir/before"
    cmp -s "$dir/out" "$dir/digest" || fail "assemble $times gives other rows"
done
burin verify --quiet "$dir/before"
check 0 "" "verify"

# Behind the image zeros say nothing for a file: that a piece does not go on there is no witness. Of 2,048 places all but a few are zeros then.
cp "$dir/image" "$dir/zeros" && truncate -s 64G "$dir/zeros" || skip "no files of 64 GiB here"
burin scan --quiet --image-type raw --case "$dir/blank" "$dir/zeros"
check 0 "" "scan of an image with a hole"
[ "$(sqlite3 "$dir/blank" "SELECT count(*) FROM likely WHERE text LIKE '%of 20__ other places%'")" -eq 0 ] || fail "zeros count as other places: $(sqlite3 "$dir/blank" "SELECT text, wrong FROM likely")"
[ "$(sqlite3 "$dir/blank" "SELECT count(*) FROM likely")" -eq 0 ] || fail "likely with nothing to compare: $(sqlite3 "$dir/blank" "SELECT text, wrong FROM likely")"
finish
