#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# tests/cli/assemble_tables.sh - files in pieces on a FAT volume whose boot sector and tables are gone.
#
# Goal: with nothing left but folders and files, archives, which their validator proves, are called fragmented, and sounds, which it does not, are
# told as likely with the pieces that the lost table had; clusters of folders that lie between pieces are no file's; no piece is another file's; a
# deleted picture in one piece that holds what looks like a folder stays whole. With boot sector and tables all of them are called fragmented.
# Method: mtools makes the volume and tells the clusters of each file (mshowfat) before boot sector and tables are overwritten with zeros.
. "$(dirname "$0")/lib.sh"

PATH=$PATH:/sbin:/usr/sbin
for tool in mkfs.vfat mmd mcopy mdel mshowfat; do
    command -v "$tool" >/dev/null || skip "no $tool here"
done

python3 - "$dir" <<'PYTHON' || exit 1
import io, os, random, struct, sys, wave, zipfile
rng = random.Random(7)
words = [bytes(rng.choices(b"abcdefghijklmnopqrstuvwxyz", k=rng.randrange(2, 11))) for _ in range(4000)]

def archive(size):
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as z:
        for i in range(3):
            z.writestr(zipfile.ZipInfo("text%d" % i), b" ".join(rng.choices(words, k=size // 15)), zipfile.ZIP_DEFLATED)
    return out.getvalue()

def sound(n):
    out, value, samples = io.BytesIO(), 128, bytearray()
    for _ in range(n):
        value = min(250, max(5, value + rng.randrange(-4, 5)))
        samples.append(value)
    with wave.open(out, "wb") as w:
        w.setnchannels(1)
        w.setsampwidth(1)
        w.setframerate(8000)
        w.writeframes(bytes(samples))
    return out.getvalue()

for folder in ("old", "gone", "new"):
    os.mkdir(sys.argv[1] + "/" + folder)
for i in range(64):
    open("%s/%s/%02d.zip" % (sys.argv[1], "gone" if i % 2 else "old", i), "wb").write(archive(rng.randrange(9000, 20000)))
entries = b"".join(struct.pack("<8s3sBBBHHHHHHHI", b"FILE%04d" % i, b"TXT", 0x20, 0, 0, 0, 0x5921, 0x5921, 0, 0, 0x5921, 900 + i, 5000) for i in range(16))
picture = bytearray(struct.pack("<2sIIIIiiHHIIiiII", b"BM", 30054, 0, 54, 40, 100, 100, 1, 24, 0, 30000, 0, 0, 0, 0)) + bytes((i % 300 + i // 300) // 3 for i in range(30000))
picture[10240:10752] = entries
open(sys.argv[1] + "/old/picture.bmp", "wb").write(picture)
open(sys.argv[1] + "/old/page", "wb").write(random.Random(8).randbytes(6 << 20))   # so much is in use that the tables are believed
for i in range(8):
    name, data = (("%02d.zip", archive(40000)), ("%02d.wav", sound(36000 + 2000 * i)))[i % 2]
    open("%s/new/%s" % (sys.argv[1], name % i), "wb").write(data)
PYTHON

volume=$dir/image
mkfs.vfat -F 32 -s 1 -C "$volume" 34816 >/dev/null || exit 1
export MTOOLS_SKIP_CHECK=1
for i in $(seq -w 0 63); do
    [ $((10#$i % 8)) -ne 5 ] || mmd -i "$volume" "::/folder$i"
    mcopy -i "$volume" "$dir"/*/"$i.zip" ::/ 2>/dev/null
done
mcopy -i "$volume" "$dir/old/picture.bmp" "$dir/old/page" ::/
for file in "$dir"/gone/*.zip; do mdel -i "$volume" "::/${file##*/}"; done
# mtools goes on behind the last cluster that it used: so that it begins anew, the hint is cleared.
printf '\377\377\377\377' | dd of="$volume" bs=1 seek=$((512 + 492)) conv=notrunc status=none
for file in "$dir"/new/*; do mcopy -i "$volume" "$file" "::/${file##*/}.new"; done
mdel -i "$volume" ::/picture.bmp
for file in "$dir"/new/*; do
    echo "${file##*/}	$(mshowfat -i "$volume" "::/${file##*/}.new")"
done >"$dir/clusters"

cp "$volume" "$dir/whole"

python3 - "$dir" <<'PYTHON' || exit 1
import os, re, struct, sys
image = bytearray(open(sys.argv[1] + "/image", "rb").read())
reserved, tables, size = *struct.unpack_from("<HB", image, 14), struct.unpack_from("<I", image, 36)[0]
data = (reserved + tables * size) * 512
image[:data] = bytes(data)
open(sys.argv[1] + "/image", "wb").write(image)
rows = {"zip": [], "wav": []}
for line in open(sys.argv[1] + "/clusters"):
    name, clusters = line.split("\t")
    left, runs = os.path.getsize(sys.argv[1] + "/new/" + name), []
    for first, last in re.findall(r"<(\d+)(?:-(\d+))?>", clusters):
        begin, end = data + (int(first) - 2) * 512, data + (int(last or first) - 1) * 512
        if runs and sum(runs[-1]) == begin:
            runs[-1][1] += min(left, end - begin)
        else:
            runs.append([begin, min(left, end - begin)])
        left -= min(left, end - begin)
    if len(runs) > 1:
        rows[name[-3:]].append((runs[0][0], "%s\t%s\n" % (name[-3:], ",".join("%d+%d" % tuple(r) for r in runs))))
for kind, lines in rows.items():
    open("%s/%s.rows" % (sys.argv[1], kind), "w").writelines(line for _, line in sorted(lines))
PYTHON
[ "$(wc -l <"$dir/zip.rows")" -ge 3 ] && [ "$(wc -l <"$dir/wav.rows")" -ge 3 ] || fail "the volume has files in pieces: $(cat "$dir/clusters")"

expect 0 "" scan --quiet --case "$dir/case" "$volume"
expect 0 "" list --state fragmented "$dir/case"
cut -f 2,6 "$dir/out" | cmp -s - "$dir/zip.rows" || fail "proven: $(cat "$dir/out"), not $(cat "$dir/zip.rows")"
burin list --likely "$dir/case"
check 0 "" "list --likely"
cut -f 2,6 "$dir/out" | cmp -s - "$dir/wav.rows" || fail "likely: $(cat "$dir/out"), not $(cat "$dir/wav.rows")"
picture() {
    expect 0 "" list --types bmp "$1"
    [ "$(cut -f 3,5 "$dir/out")" = "complete	30054" ] || fail "the picture: $(cat "$dir/out")"
}
picture "$dir/case"
expect 0 "" scan --quiet --case "$dir/with" "$dir/whole"
expect 0 "" list --state fragmented "$dir/with"
cut -f 2,6 "$dir/out" | sort | cmp -s - <(cat "$dir"/zip.rows "$dir"/wav.rows | sort) || fail "with its tables: $(cat "$dir/out")"
picture "$dir/with"

expect 0 "" list --digest "$dir/case"
cp "$dir/out" "$dir/digest"
expect 0 "" scan --quiet --force --threads 7 --case "$dir/case" "$volume"
expect 0 "" list --digest "$dir/case"
cmp -s "$dir/out" "$dir/digest" || fail "other rows with 7 threads"
finish
