#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# tests/cli/long_archive.sh - an archive that goes over many parts: a part that begins in it takes a member for an archive, and does not read
# on to the end of it. Rows are the same however the image is cut, and by shards, and after a kill; the archive is found as it was made.
#
# Method: a tar of 48 MiB, a cpio of 12, a zip of 30 and a gzip of 20, of members of 20 to 60 KB (holes, but for those of gzip), and a WARC
# of 4 MiB, of small records, stand behind one another. The bytes that validators have read again are counted: a part that read on to the end
# of an archive would read half of it, on the average.
# Labels: long
. "$(dirname "$0")/lib.sh"
python3 - "$dir/disk.raw" >"$dir/made" <<'END' || exit 1
import gzip, random, struct, sys, tarfile, zlib

chance = random.Random(18)
disk = open(sys.argv[1], "wb")

def tar(begin, end):
    disk.seek(begin)
    while disk.tell() < end:
        member = tarfile.TarInfo("folder/%d.bin" % disk.tell())
        member.size = chance.randrange(20000, 60000)
        disk.write(member.tobuf(tarfile.USTAR_FORMAT))
        disk.seek(-(-member.size // 512) * 512, 1)
    disk.write(bytes(1024))
    print("tar|%d|%d" % (begin, -(-(disk.tell() - begin) // 10240) * 10240)) # records of 20 blocks

def cpio(begin, end):
    disk.seek(begin)
    name = b"folder/member\0"
    for size in [chance.randrange(20000, 60000) // 4 * 4 for i in range((end - begin) // 40000)] + [0]:
        name = name if size > 0 else b"TRAILER!!!\0"
        fields = (1, 0o100644 if size > 0 else 0, 0, 0, 1, 0, size, 0, 0, 0, 0, len(name), 0)
        disk.write(b"070701" + b"".join(b"%08X" % field for field in fields) + name)
        disk.seek(-(disk.tell() - begin) % 4 + size, 1)
    print("cpio|%d|%d" % (begin, disk.tell() - begin))
    disk.write(b"\xff" * 4096)

def zip_(begin, end): # APPNOTE.TXT 4.3
    disk.seek(begin)
    directory = b""
    count = 0
    while disk.tell() < end:
        size, at, name = chance.randrange(20000, 60000), disk.tell() - begin, b"member%06d" % count
        about = struct.pack("<HHHHHIIIHH", 20, 0, 0, 0, 0x21, zlib.crc32(bytes(size)), size, size, len(name), 0)
        disk.write(b"PK\3\4" + about + name)
        disk.seek(size, 1)
        directory += b"PK\1\2" + struct.pack("<H", 20) + about + struct.pack("<HHHII", 0, 0, 0, 0, at) + name
        count += 1
    at = disk.tell() - begin
    disk.write(directory + b"PK\5\6" + struct.pack("<HHHHIIH", 0, 0, count, count, len(directory), at, 0))
    print("zip|%d|%d" % (begin, disk.tell() - begin))
    disk.write(b"\xff" * 4096)

def gz(begin, end):
    disk.seek(begin)
    noise = chance.randbytes(60000)
    while disk.tell() < end:
        disk.write(gzip.compress(noise[chance.randrange(40000):], 1))
    print("gz|%d|%d" % (begin, disk.tell() - begin))
    disk.write(b"\xff" * 4096)

def warc(begin, end): # ISO 28500:2017; many records begin in the sector in which the fields of the one before end
    disk.seek(begin)
    while disk.tell() < end:
        content = b"x" * chance.randrange(20, 5000)
        disk.write(b"WARC/1.0\r\nWARC-Type: metadata\r\nWARC-Record-ID: <urn:%d>\r\nWARC-Date: 2026-11-29T00:00:00Z\r\n"
                   b"Content-Length: %d\r\n\r\n%s\r\n\r\n" % (disk.tell(), len(content), content))
    print("warc|%d|%d" % (begin, disk.tell() - begin))
    disk.write(b"\xff" * 4096)

tar(66048, 48 << 20)
cpio(50 << 20, 62 << 20)
zip_(63 << 20, 93 << 20)
gz(94 << 20, 114 << 20)
warc(115 << 20, 119 << 20)
END
asked="SELECT type, offset, len FROM objects WHERE state = 'complete' AND type IN ('tar', 'cpio', 'zip', 'gz', 'warc') ORDER BY offset"

# again SIZE: scans in parts of so many bytes, and prints how many bytes were read again.
again() {
    rm -f "$dir/case"*
    "$BURIN" scan --json --part-size "$1" --threads 2 --no-assemble --case "$dir/case" "$dir/disk.raw" 2>"$dir/err" |
        sed -n 's/.*"bytes_read_again": *\([0-9]*\).*/\1/p'
}
read=$(again 1G)
[ "${read:-0}" -lt $((1 << 20)) ] || fail "one part reads ${read:-nothing} again"
sqlite3 -readonly "$dir/case" "$asked" | cmp -s - "$dir/made" || fail "not found as made: $(sqlite3 -readonly "$dir/case" "$asked" | diff "$dir/made" -)"
digest=$("$BURIN" list --digest "$dir/case")
# 120 parts: 4 MiB and the step that comes to them for each, and the archives once.
read=$(again 1M)
[ "${read:-0}" -gt $((1 << 20)) ] && [ "$read" -lt $((120 * 5 * (1 << 20) + 115 * (1 << 20))) ] || fail "parts of 1 MiB read ${read:-nothing} again"
[ "$("$BURIN" list --digest "$dir/case")" = "$digest" ] || fail "parts of 1 MiB: another digest"

for how in "--part-size 8M --threads 3" "--part-size 3M --part-seed 5 --threads 2 --engine ac" "--part-size 6M --threads 4 --parts-at-once 1"; do
    rm -f "$dir/case"*
    # shellcheck disable=SC2086 # words, on purpose
    expect 0 "" scan --quiet $how --no-assemble --case "$dir/case" "$dir/disk.raw"
    [ "$("$BURIN" list --digest "$dir/case")" = "$digest" ] || fail "$how: another digest"
done
for ((k = 0; k < 5; k++)); do
    expect 0 "" scan --quiet --part "$k/5" --parts "$dir/parts" --part-size $((k + 1))M --no-assemble "$dir/disk.raw"
done
for how in "" "--link"; do
    rm -f "$dir/merged"*
    # shellcheck disable=SC2086 # words, on purpose
    expect 0 "" merge --quiet $how --case "$dir/merged" "$dir/parts"
    [ "$("$BURIN" list --digest "$dir/merged")" = "$digest" ] || fail "merge $how: another digest"
done

# Ends before a write to the log, within the tar; and goes on.
if [ -n "${SHIM:-}" ]; then
    within=0
    for ((ends = 64; ends < 200 && within != 1; ends += 8)); do
        rm -f "$dir/case"*
        LD_PRELOAD=$SHIM SHIM_KILL=$ends "$BURIN" scan --quiet --part-size 1M --threads 1 --no-assemble --case "$dir/case" "$dir/disk.raw" \
            >"$dir/out" 2>"$dir/err" </dev/null
        within=$(sqlite3 -readonly "$dir/case" "SELECT position BETWEEN 1 << 20 AND 48 << 20 FROM runs")
    done
    [ "$within" = 1 ] || fail "no scan has ended within the tar"
    expect 0 "" scan --quiet --resume --no-assemble --part-size 3M --case "$dir/case" "$dir/disk.raw"
    [ "$("$BURIN" list --digest "$dir/case")" = "$digest" ] || fail "a scan that goes on: another digest"
fi
finish
