#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Labels: long
# tests/cluster/cuts.sh - the merged case file is that of one scan wherever the image is cut: at the header of an object of each type, a byte
# before it and behind it, in it, at its last byte and at its end; at random bytes, into 2 to 40 parts, each with threads, segments, engine and
# way of reading of its own; with rules whose header and footer lie three parts apart; with objects over four parts; with files in pieces;
# with sets of known files and blocks; with what file systems do not use. So is the one with linked shards. With BURIN_LONG=1 there are ten times as many cuts, and 200 parts.
#
# Method: a part of N begins at a multiple of 4 KiB from the beginning of the range. So --range puts the cuts at any byte, for one scan as
# for the parts; one scan is what they are compared with.
. "$(dirname "$0")/../cli/lib.sh"
PATH=$PATH:/sbin:/usr/sbin
planted
python3 "$cli/make_archives.py" "$dir/made" || exit 1
cat "$image" "$dir/made" "$image" >"$dir/disk.raw"
size=$(stat -c %s "$dir/disk.raw")
RANDOM=${SEED:-$$}
echo "seed ${SEED:-$$}"
often=1
[ -z "${BURIN_LONG:-}" ] || often=10
ways=("--threads 1 --segment 64K" "--threads 2 --engine ac --part-size 64K" "--threads 3 --part-size 300K --part-seed 4 --io pread" ""
    "--engine words --part-size 4K --threads 2" "--part-size 100K --threads 1 --io cache" "--engine simd --segment 1M")

# alike WHAT DISK COUNT WORD...: the parts, each in another way, merged, against one scan.
alike() {
    local what=$1 disk=$2 count=$3 k one merged
    shift 3
    rm -rf "$dir/one"* "$dir/merged"* "$dir/linked"* "$dir/parts"
    "$BURIN" scan --quiet "$@" --case "$dir/one" "$disk" 2>"$dir/err" || fail "$what: one scan: $(cat "$dir/err")"
    for ((k = 0; k < count; k++)); do
        # shellcheck disable=SC2086 # words, on purpose
        "$BURIN" scan --quiet --part "$k/$count" --parts "$dir/parts" ${ways[(k + RANDOM) % ${#ways[@]}]} "$@" "$disk" 2>"$dir/err" ||
            fail "$what: part $k of $count: $(cat "$dir/err")"
    done
    "$BURIN" merge --quiet --case "$dir/merged" "$dir/parts" 2>"$dir/err" || fail "$what: merge: $(cat "$dir/err")"
    one=$("$BURIN" list --digest "$dir/one") merged=$("$BURIN" list --digest "$dir/merged")
    [ -n "$one" ] && [ "$one" = "$merged" ] || fail "$what: another digest: $(diff <(rows "$dir/one") <(rows "$dir/merged") | head -4)"
    "$BURIN" merge --quiet --link --case "$dir/linked" "$dir/parts" 2>"$dir/err" || fail "$what: merge --link: $(cat "$dir/err")"
    [ "$("$BURIN" list --digest "$dir/linked")" = "$one" ] || fail "$what: another digest with --link"
    linked=$((linked + $(sqlite3 -readonly "$dir/merged" "SELECT count(*) FROM objects") - $(sqlite3 -readonly "$dir/linked" "SELECT count(*) FROM objects")))
}
linked=0
# ask QUERY...: of the merged case file.
ask() {
    sqlite3 -readonly "$dir/merged" "$1"
}

# Four parts of 64 KiB, and the cut in their middle at one byte.
cut_at() {
    local at=$1 what=$2 from=$(($1 - 131072))
    [ $from -ge 0 ] && [ $((from + 262144)) -le "$size" ] || return 0
    alike "$what, cut at $at" "$dir/disk.raw" 4 --range $from:262144 --no-assemble --no-file-systems
    [ "$(ask "SELECT count(*) FROM log WHERE text LIKE 'part _ of 4, 65536 bytes%'")" = 4 ] || fail "$what: not cut at $at"
    cuts=$((cuts + 1))
}
cuts=0
"$BURIN" scan --quiet --case "$dir/case" "$dir/disk.raw"
mapfile -t objects < <(sqlite3 -readonly -separator ' ' "$dir/case" "SELECT type, offset, len FROM objects WHERE len > 100 AND offset > 131072 AND offset < $size - 400000
    ORDER BY random()" | awk -v often=$often 'seen[$1]++ < (often > 1 ? 3 : 1) && (often > 1 || ++count <= 9)')
[ ${#objects[@]} -ge 9 ] || fail "only ${#objects[@]} objects to cut"
for object in "${objects[@]}"; do
    read -r type offset len <<<"$object"
    places=($((offset - 1)) "$offset" $((offset + 1)) $((offset + 1 + RANDOM % (len - 1))) $((offset + len - 1)) $((offset + len)))
    [ $often -gt 1 ] || places=("${places[RANDOM % 6]}")
    for place in "${places[@]}"; do cut_at "$place" "$type at $offset, of $len bytes"; done
done
[ $cuts -ge 7 ] || fail "only $cuts cuts"

# Random cuts, and more parts than there are units to cut at.
for ((i = 0; i < $(rounds 2 30); i++)); do
    from=$((RANDOM * 32768 + RANDOM)) count=$((2 + RANDOM % 39))
    from=$((from % (size / 2)))
    alike "range from $from on in $count parts" "$dir/disk.raw" $count --range $from:$((size / 3 + RANDOM)) --no-file-systems
done
alike "seven parts" "$dir/disk.raw" 7
[ $often -eq 1 ] || alike "200 parts" "$dir/disk.raw" 200
alike "parts that are empty" "$dir/made" 9 --image-type raw --range 4000:12288

# Header and footer three parts apart, in every mode, by rules of scalpel and of foremost: parts of 64 KiB.
python3 - "$dir" <<'PYTHON'
import random, sys
rng = random.Random(23)
image = bytearray(bytes(rng.choices(range(32, 64), k=512 * 1024)))
def put(at, word):
    image[at:at + len(word)] = word
for i, kind in enumerate((b"AAAA", b"BBBB", b"CCCC", b"DDDD")):
    put(30000 + 1000 * i, kind)                  # a header in part 0
    put(30000 + 1000 * i + 200000, kind.lower())  # its footer in part 3
    put(300000 + 900 * i, kind)                  # one in part 4
    put(330000 + 900 * i, kind.lower())          # and its footer in part 5
put(131072 - 2, b"EEEE")                         # a header across a cut
put(196608 - 2, b"eeee")                         # and a footer
put(262144 - 4, b"EEEE")
put(327680, b"eeee")
open(sys.argv[1] + "/rules.raw", "wb").write(image)
PYTHON
printf '%s\n' 'aaa y 400000 AAAA aaaa' 'bbb y 400000 BBBB bbbb REVERSE' 'ccc y 400000 CCCC cccc NEXT' 'ddd y 250000 DDDD' 'eee y 100000 EEEE eeee' \
    'reg y 300000 /A{4}/ /c{4}/' >"$dir/rules.conf"
printf '%s\n' 'aaa y 400000 AAAA aaaa' 'bbb y 400000 BBBB bbbb REVERSE' 'ccc y 400000 CCCC cccc NEXT' 'txt y 300000 DDDD ASCII' >"$dir/foremost.conf"
alike "rules in eight parts" "$dir/rules.raw" 8 --dictionary "$dir/rules.conf"
[ "$(ask "SELECT count(*) FROM objects WHERE len > 3 * 65536")" -ge 3 ] || fail "no rule spans three parts"
alike "rules, all hits, in eight parts" "$dir/rules.raw" 8 --dictionary "$dir/rules.conf" --all-hits
alike "rules of scalpel in eight parts" "$dir/rules.raw" 8 --dictionary "$dir/rules.conf" --compat scalpel
alike "rules of foremost in eight parts" "$dir/rules.raw" 8 --dictionary "$dir/foremost.conf" --compat foremost

# Objects over four parts and more: an archive with others in it, and streams; parts of 64 KiB.
python3 - "$dir" <<'PYTHON'
import gzip, io, random, sys, tarfile, zipfile
rng = random.Random(5)
out = io.BytesIO()
with zipfile.ZipFile(out, "w", zipfile.ZIP_STORED) as z:
    for i in range(40):
        inner = io.BytesIO()
        with zipfile.ZipFile(inner, "w") as y:
            y.writestr("x", rng.randbytes(9000))
        z.writestr("m%d.zip" % i, inner.getvalue())
tar = io.BytesIO()
with tarfile.open(fileobj=tar, mode="w") as t:
    for i in range(30):
        info = tarfile.TarInfo("f%d" % i)
        data = gzip.compress(rng.randbytes(11000), mtime=0)
        info.size = len(data)
        t.addfile(info, io.BytesIO(data))
image = bytes(20000) + out.getvalue() + bytes(5000) + tar.getvalue() + rng.randbytes(3000) + gzip.compress(rng.randbytes(300000), mtime=0) + bytes(90000)
open(sys.argv[1] + "/large.raw", "wb").write(image + bytes(-len(image) % 65536))
PYTHON
alike "objects over four parts" "$dir/large.raw" $(($(stat -c %s "$dir/large.raw") / 65536))
[ "$(ask "SELECT count(*) FROM objects WHERE len > 4 * 65536 AND state = 'complete'")" -ge 3 ] || fail "no three objects over four parts"

# Files in pieces, each piece in another part; and in a volume sets of known files and blocks, slack, and what is not in use.
python3 - "$dir" <<'PYTHON'
import io, random, sys, zipfile
rng = random.Random(20)
words = [bytes(rng.choices(b"abcdefghijklmnopqrstuvwxyz", k=rng.randrange(2, 11))) for _ in range(4000)]
image = bytearray(rng.randbytes(32768))
for i, gap in enumerate((1, 7, 33)):
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as z:
        for k in range(6):
            z.writestr("folder/text%d.txt" % k, b" ".join(rng.choices(words, k=4300)))
    data = out.getvalue() + bytes(-len(out.getvalue()) % 512)
    if i == 0:
        open(sys.argv[1] + "/piece.zip", "wb").write(out.getvalue())
    cut = 512 * (len(data) // 1024)
    image += data[:cut] + rng.randbytes(512 * gap) + data[cut:] + rng.randbytes(4608)
open(sys.argv[1] + "/pieces.raw", "wb").write(image)
for n in range(12):
    open("%s/fill%d" % (sys.argv[1], n), "wb").write(rng.randbytes(40000))
PYTHON
alike "files in pieces" "$dir/pieces.raw" $(($(stat -c %s "$dir/pieces.raw") / 24576))
[ "$(ask "SELECT count(*) FROM assembled")" -ge 3 ] || fail "$(ask "SELECT count(*) FROM assembled") files were put together, and not 3"
if command -v mkfs.vfat >/dev/null && command -v mcopy >/dev/null; then
    truncate -s 2M "$dir/fat.raw"
    mkfs.vfat -F 12 -s 4 "$dir/fat.raw" >/dev/null 2>&1
    export MTOOLS_SKIP_CHECK=1
    for n in {0..11}; do mcopy -i "$dir/fat.raw" "$dir/fill$n" "::F$n"; done
    for n in 1 3 5 7 9; do mdel -i "$dir/fat.raw" "::F$n"; done
    mcopy -i "$dir/fat.raw" "$dir/piece.zip" ::PIECE.ZIP
    "$BURIN" known build --quiet --files "$dir/files.known" "$dir/piece.zip" "$dir/fill0" || fail "known build"
    "$BURIN" known build --quiet --files --block 512 "$dir/blocks.known" "$dir/fill0" "$dir/fill2" || fail "known build --block"
    alike "known files and blocks" "$dir/fat.raw" 5 --known "$dir/files.known" --known "$dir/blocks.known"
    [ "$(ask "SELECT count(*) FROM known_blocks")" -ge 2 ] || fail "no known block was found"
    alike "what is not in use" "$dir/fat.raw" 6 --unallocated
    alike "slack" "$dir/fat.raw" 6 --slack
else
    echo "left out: known files in a volume, which need mkfs.vfat and mtools"
fi
[ $linked -ge 100 ] || fail "only $linked objects stayed in their shards: nothing was tried"
finish
