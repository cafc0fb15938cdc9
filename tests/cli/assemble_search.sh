#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# tests/cli/assemble_search.sh - where the next piece of a file is looked for, and what is not believed there.
#
# Goal: pictures with zeros between their pieces, which decoders read for long, come back byte for byte; an archive of one large member, which
# is read for long as well, comes back for little work, as its end says how much lies between; a way that is told of twice is one way; a
# deleted file that nothing proves is put together from free clusters where the file system knows these, and nowhere else; the rows depend
# on neither threads nor where the stage was killed; false headers cost little.
# Method: the pictures are made here, and compared with the pieces that list gives; the FAT volume is made by mtools; `burin assemble` is
# killed after random times and done again. BURIN_KILLS sets how often (default 20).
# Labels: long
. "$(dirname "$0")/lib.sh"

python3 - "$dir" "$cli" <<'PYTHON' || exit 1
import io, random, sys, zipfile
sys.path.insert(0, sys.argv[2])
import samples
rng = random.Random(7)
image, rows = bytearray(rng.randbytes(512 * 8)), []
def put(a, cut, between):
    rows.append("%d\t%d+%d,%d+%d\n" % (len(a), len(image), cut, len(image) + cut + len(between), len(a) - cut))
    image.extend(a[:cut] + between + a[cut:])
    image.extend(bytes(-len(image) % 512) + rng.randbytes(512 * 70))
# So many zeros that the picture has all of its blocks long before its last bytes.
put(samples.jpg(100, 220, 220), 16384, bytes(512 * 3))
put(samples.jpg(101, 220, 220), 4608, bytes(512 * 43))
# A whole file begins between the pieces, and ends where the second one begins, which so is a place by two reasons.
whole = samples.png(1)
put(samples.gif(3, 90, 90), 3072, rng.randbytes(512 * 2) + whole + bytes(-len(whole) % 512))
open(sys.argv[1] + "/image", "wb").write(image)
open(sys.argv[1] + "/rows", "w").writelines(rows)
# The archive stands in an image of its own, behind the end of another one, which says nothing of it.
out, words = io.BytesIO(), [bytes(rng.choices(b"abcdefghijklmnopqrstuvwxyz", k=rng.randrange(2, 11))) for _ in range(4000)]
with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as z:
    z.writestr(zipfile.ZipInfo("text"), b" ".join(rng.choices(words, k=100000)), zipfile.ZIP_DEFLATED)
image, rows = bytearray(rng.randbytes(512 * 8) + out.getvalue()[-22:] + rng.randbytes(490)), []
put(out.getvalue(), len(out.getvalue()) // 1024 * 512, rng.randbytes(512 * 61))
open(sys.argv[1] + "/packed", "wb").write(image)
open(sys.argv[1] + "/packed.rows", "w").writelines(rows)
PYTHON
expect 0 "" scan --quiet --case "$dir/packed.case" "$dir/packed"
burin list --state fragmented "$dir/packed.case"
cut -f 5,6 "$dir/out" | cmp -s - "$dir/packed.rows" || fail "pieces of the archive: $(cut -f 2-6 "$dir/out"), not $(cat "$dir/packed.rows")"
work=$(sqlite3 "$dir/packed.case" "SELECT text FROM log WHERE text LIKE 'assembled %'" | grep -o '[0-9]* bytes of work')
[ "${work%% *}" -lt $((32 << 20)) ] || fail "the archive takes $work"
expect 0 "" scan --quiet --case "$dir/case" "$dir/image"
burin list --state fragmented "$dir/case"
cut -f 5,6 "$dir/out" | cmp -s - "$dir/rows" || fail "pieces: $(cut -f 2-6 "$dir/out"), not $(cat "$dir/rows")"
expect 0 "" list --digest "$dir/case"
cp "$dir/out" "$dir/digest"
for threads in 1 2 7; do
    expect 0 "" scan --quiet --force --threads "$threads" --case "$dir/again" "$dir/image"
    expect 0 "" list --digest "$dir/again"
    cmp -s "$dir/out" "$dir/digest" || fail "other rows with $threads threads"
done

# Killed at any moment, the stage is done again from its beginning, and comes to the same rows.
expect 0 "" scan --quiet --no-assemble --case "$dir/before" "$dir/image"
expect 0 "" list --digest "$dir/before"
cp "$dir/out" "$dir/digest.before"
start=$(date +%s%3N)
cp "$dir/before" "$dir/killed"
expect 0 "" assemble --quiet --effort 1 --threads 1 "$dir/killed"
takes=$(($(date +%s%3N) - start + 1))
RANDOM=815
for try in $(seq "${BURIN_KILLS:-$(rounds 8 20)}"); do
    rm -f "$dir/killed"*
    cp "$dir/before" "$dir/killed"
    threads=(1 2 7)
    "$BURIN" assemble --quiet --effort 1 --threads "${threads[try % 3]}" "$dir/killed" </dev/null >/dev/null 2>&1 &
    pid=$!
    wait_ms=$((RANDOM % takes))
    sleep "$((wait_ms / 1000)).$(printf %03d $((wait_ms % 1000)))"
    kill -9 "$pid" 2>/dev/null
    wait "$pid" 2>/dev/null
    expect 0 "" list --digest "$dir/killed"
    cmp -s "$dir/out" "$dir/digest" || cmp -s "$dir/out" "$dir/digest.before" || fail "kill $try after $wait_ms ms: half of the rows"
    expect 0 "" assemble --quiet --effort 1 "$dir/killed"
    expect 0 "" list --digest "$dir/killed"
    cmp -s "$dir/out" "$dir/digest" || fail "kill $try after $wait_ms ms: other rows"
done

# False headers of logs of LevelDB, behind which no record has its CRC: each has its work of the first round, 4 MiB, and
# what it takes to guess at a second piece, 8 MiB; the step that comes over it is ended.
python3 - "$dir/false" <<'PYTHON'
import random, sys
image = bytearray(random.Random(3).randbytes(10 << 20))
for i in range(40):                     # any CRC, 32,000 bytes, a whole record; number 1 to 2^40, two changes
    image[i << 18:(i << 18) + 20] = b"\1\2\3\4" + b"\x00\x7d\1" + b"\5\6\7\x08\x09" + bytes(3) + b"\2\0" + bytes(2) + b"\1"
open(sys.argv[1], "wb").write(image)
PYTHON
expect 0 "" scan --quiet --case "$dir/falsecase" "$dir/false"
[ "$(sqlite3 "$dir/falsecase" "SELECT count(*) FROM hits JOIN signatures ON signatures.id = signature_id WHERE name = 'leveldb-log'")" -ge 40 ] ||
    fail "the headers are not found"
work=$(sqlite3 "$dir/falsecase" "SELECT text FROM log WHERE text LIKE '%bytes of work%'" | grep -oE '[0-9]+ bytes of work' | cut -d ' ' -f 1)
[ "$work" -gt 0 ] && [ "$work" -le "$((40 * (13 << 20)))" ] || fail "$work bytes of work for false headers"

# A deleted bitmap in the holes of a FAT volume: its entry has its length, and any bytes are pixels.
if command -v mformat >/dev/null; then
    export MTOOLS_SKIP_CHECK=1
    fat=$dir/fat
    python3 - "$dir" "$cli" <<'PYTHON' || exit 1
import sys
sys.path.insert(0, sys.argv[2])
import samples
open(sys.argv[1] + "/bitmap", "wb").write(samples.bmp(5, 200, 150))
open(sys.argv[1] + "/WHOLE.GZ", "wb").write(samples.gz(9, 50000))
for i in range(48):
    open(sys.argv[1] + "/P%d.GZ" % i, "wb").write(samples.gz(i + 10, 100 + i * i * 37 % 9000))
PYTHON
    mformat -C -i "$fat" -T 16384 -c 4 -h 16 -s 32 :: || fail "mformat"
    # Behind the first hole lies an archive, which is whole, and a text, of which nobody but the FAT knows.
    for i in 1 2 3 4 5; do
        head -c 50000 /dev/urandom | base64 >"$dir/spacer"
        mcopy -i "$fat" "$dir/spacer" "::S$i.TXT"
        [ "$i" -ne 2 ] || mcopy -i "$fat" "$dir/WHOLE.GZ" ::
    done
    for i in $(seq 0 47); do mcopy -i "$fat" "$dir/P$i.GZ" ::; done
    free=$(mdir -i "$fat" :: | tr -d ' ' | sed -n 's/bytesfree//p')
    head -c "$((free - 2048))" /dev/zero | tr '\0' 'x' >"$dir/spacer"
    mcopy -i "$fat" "$dir/spacer" ::ALL.TXT || fail "the volume is not full"
    for i in 2 4; do mdel -i "$fat" "::S$i.TXT"; done
    mcopy -i "$fat" "$dir/bitmap" ::A.BMP || fail "no room for A.BMP"
    [ "$(mshowfat -i "$fat" ::A.BMP | grep -o '<' | wc -l)" -gt 1 ] || fail "A.BMP lies in one piece"
    mdel -i "$fat" ::A.BMP
    expect 0 "" scan --quiet --case "$dir/fatcase" "$fat"
    burin list --state fragmented --types bmp "$dir/fatcase"
    [ "$(wc -l <"$dir/out")" -eq 1 ] || fail "the bitmap is not put together"
    burin cat "$dir/fatcase" "$(cut -f 1 "$dir/out")"
    cmp -s "$dir/out" "$dir/bitmap" || fail "what was put together is not the bitmap"
    # Without boot sector and FATs the entry is there as before, and what was free is not known.
    data=$(minfo -i "$fat" :: | sed -n 's/^reserved (boot) sectors: //p; s/^fats: //p; s/^sectors per fat: //p; s/^Big fatlen=//p' | tr '\n' ' ')
    read -r reserved fats length _ <<<"$data"
    [ "$((reserved * fats * length))" -gt 0 ] || fail "minfo says: $data"
    dd if=/dev/zero of="$fat" bs=512 count="$((reserved + fats * length))" conv=notrunc status=none
    expect 0 "" scan --quiet --force --case "$dir/fatcase" "$fat"
    [ "$(sqlite3 "$dir/fatcase" "SELECT count(*) FROM log WHERE text LIKE '% 0 layouts were tried%'")" -eq 0 ] || fail "no entry is found"
    burin list --state fragmented --types bmp "$dir/fatcase"
    [ ! -s "$dir/out" ] || fail "a bitmap is put together from clusters that nobody calls free: $(cut -f 2-6 "$dir/out")"
else
    echo "skipped in part: mtools is not installed"
fi
finish
