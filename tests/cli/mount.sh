#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# tests/cli/mount.sh - the objects of a case as files that nothing copied: the same as those of carve, by name and by byte; each view has
# what a query on the case file has; nothing can be changed, and no name means harm.
# shellcheck disable=SC2012
# Labels: slow
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/lib_mount.sh"
mkdir "$dir/o"
check_xattr='import os, sys
for line in sys.stdin:
    path, want = line.rstrip("\n").split("\t")
    got = "|".join(os.getxattr(path, "user.burin." + name).decode() for name in ("id", "type", "state", "offset", "length", "extents"))
    assert got == want, (path, got, want)'

# ---- the same as carve ----
# same CARVED : the files at the top of the mount are those of a carve, byte by byte.
same() {
    diff -r -x audit.txt -x report.xml -x by -x inside -x carvpath -x image -x README.txt "$1" "$m" >"$dir/diff" 2>&1 ||
        fail "not as carve has it: $(head -5 "$dir/diff")"
    files=$(find "$m" \( -path "$m/by" -o -path "$m/inside" -o -path "$m/image" \) -prune -o -type f ! -path "$m/README.txt" -print | wc -l)
    [ "$files" = "$(find "$1" -mindepth 2 -type f | wc -l)" ] || fail "another number of files: $files"
}
for words in "" "--embedded --truncated" "--types png,jpg" "--category pictures --min-size 1K" "--where len>3000" \
    "--limit 3" "--sort size --limit 4" "--state truncated --truncated"; do
    read -ra list <<<"$words"
    rm -rf "$dir/o"
    expect 0 "" carve --quiet "${list[@]}" --out "$dir/o" "$case"
    expect 0 "" mount --quiet "${list[@]}" "$case" "$m"
    same "$dir/o"
    leave
done

# ---- views ----
expect 0 "" mount --quiet "$case" "$m"
[ "$(stat -c %a "$m")" = 555 ] || fail "mode of the root: $(stat -c %a "$m")"
# Who reads a file from one end to the other is given it in larger pieces than the kernel asks for by itself.
ahead=/sys/class/bdi/$(mountpoint -d "$m")/read_ahead_kb
[ ! -w "$ahead" ] || [ "$(cat "$ahead")" = 1024 ] || fail "the kernel asks for $(cat "$ahead") KiB"
# The name that carve gives to an object of v_objects.
path="iif(state = 'truncated' AND validated, 'truncated/', '') || name"
# view HOW SQL : by/HOW/GROUP/ has the objects for which SQL gives the group.
view() {
    ask "SELECT ($2) || '/' || $path || char(9) || id || '|' || type || '|' || state || '|' || offset || '|' || len || '|' || extents FROM v_objects" |
        sort >"$dir/want"
    (cd "$m/by/$1" && find . -type f | sed 's|^\./||' | sort) >"$dir/got"
    cut -f1 "$dir/want" | cmp -s - "$dir/got" || fail "by/$1: $(cut -f1 "$dir/want" | diff - "$dir/got" | head -3)"
    (cd "$m/by/$1" && python3 -c "$check_xattr" <"$dir/want" 2>"$dir/err") || fail "attributes in by/$1: $(tail -1 "$dir/err")"
}
[ "$(ask "SELECT count(*) FROM v_objects")" -gt 20 ] || fail "too few objects"
view state "state"
view image "image_id"
view size "CASE WHEN len < 4096 THEN '0-4K' WHEN len < 65536 THEN '4K-64K' WHEN len < 1048576 THEN '64K-1M' ELSE '1M-16M' END"
view offset "printf('%08dG', offset / 1073741824)"
view known "'unchecked'"
view place "coalesce(place, 'unknown')"
(cd "$m/by/type" && find . -type f | sed 's|^\./||' | sort) >"$dir/got"
ask "SELECT $path FROM v_objects" | sort | cmp -s - "$dir/got" || fail "by/type"
burin list --category pictures "$case"
[ "$(find "$m/by/category/pictures" -type f | wc -l)" = "$(wc -l <"$dir/out")" ] || fail "by/category/pictures"
ask "SELECT iif((SELECT p.state = 'truncated' AND p.validated FROM v_objects p WHERE p.id = o.parent_id), 'truncated/', '') || parent_name || '/' || name
    FROM v_objects o WHERE parent_id IS NOT NULL" | sort >"$dir/want"
[ -s "$dir/want" ] || fail "nothing lies inside anything"
(cd "$m/inside" && find . -type f | sed 's|^\./||' | sort) | cmp -s - "$dir/want" || fail "inside: $(find "$m/inside" -type f)"
# Bytes, of every object in a view.
ask "SELECT $path, extents FROM v_objects" | while IFS=$'\t' read -r name extents; do
    for extent in ${extents//,/ }; do
        dd if="$image" iflag=skip_bytes,count_bytes skip="${extent%+*}" count="${extent#*+}" bs=64K status=none
    done | cmp -s - "$m/by/type/$name" || echo "$name"
done >"$dir/wrong"
[ ! -s "$dir/wrong" ] || fail "other bytes: $(head -3 "$dir/wrong")"
largest=$(ask "SELECT $path FROM v_objects ORDER BY len DESC LIMIT 1")
[ "$(find "$m/by" -name "${largest##*/}" -exec stat -c %i {} + | sort -u | wc -l)" = 1 ] || fail "two numbers of one file"

# ---- images, and any bytes ----
cmp -s "$image" "$m/image/1.raw" || fail "image/1.raw"
readers=()
for _ in 1 2 3 4; do
    (cd "$m" && find . -type f -exec sha256sum {} + | sort) >"$dir/sums.${#readers[@]}" &
    readers+=($!)
done
wait "${readers[@]}"
[ "$(wc -l <"$dir/sums.0")" -gt 100 ] || fail "a reader of all files has read $(wc -l <"$dir/sums.0")"
for other in 1 2 3; do cmp -s "$dir/sums.0" "$dir/sums.$other" || fail "readers at the same time have read different things"; done
[ "$(ls "$m/image")" = 1.raw ] || fail "images: $(ls "$m/image")"
piece() { tail -c +$(($1 + 1)) "$image" | head -c "$2"; }
cmp -s <(piece 4096 8192; piece 20480 512) "$m/carvpath/4096+8192_20480+512" || fail "two ranges"
cmp -s <(piece 7 3; head -c 1000 /dev/zero; piece 0 1) "$m/carvpath/7+3_S1000_0+1.bin" || fail "a hole"
cmp -s <(piece $((size - 1)) 1) "$m/carvpath/$((size - 1))+1" || fail "the last byte"
for name in x 5 5+ +5 5+0 5+-1 05+1 5+01 "$size+1" "0+$((size + 1))" 18446744073709551615+2 9223372036854775807+1 S S0 S1_ _S1 \
    "1+1." "1+1.a/b" "1+1.a.b" "1+1 " S9223372036854775807_S1; do
    [ ! -e "$m/carvpath/$name" ] || fail "carvpath/$name is there"
done
[ -z "$(ls "$m/carvpath")" ] || fail "carvpath lists something"
for name in image/0.raw image/2.raw image/01.raw image/1 jpg/x jpg/0000000000000001.jpg by/x README; do
    [ ! -e "$m/$name" ] || fail "$name is there"
done
grep -q "$case" "$m/README.txt" || fail "README.txt does not name the case"

# ---- nothing can be written ----
! { echo x >"$m/new"; } 2>/dev/null || fail "a file was made"
! rm -f "$m/README.txt" 2>/dev/null || fail "a file was removed"
! mkdir "$m/folder" 2>/dev/null || fail "a folder was made"
python3 - "$m/by/type/$largest" <<'PY' || fail "a map of a file"
import mmap, sys
with open(sys.argv[1], "rb") as file:
    whole = file.read()
    with mmap.mmap(file.fileno(), 0, prot=mmap.PROT_READ) as view:
        assert view[:] == whole
    for at in (0, 1, len(whole) // 2, len(whole) - 1, len(whole), len(whole) + 10):
        file.seek(at)
        assert file.read(5000) == whole[at:at + 5000]
PY
# Another program may write to the case meanwhile.
expect 0 "" carve --quiet --types gif --out "$dir/meanwhile" "$case"
leave
[ "$(ask "SELECT status || ended IS NOT NULL FROM runs WHERE command = 'mount' ORDER BY id DESC LIMIT 1")" = 1 ] || fail "no run"
[ "$(ask "SELECT DISTINCT status FROM runs WHERE command = 'mount'")" = "done" ] || fail "runs: $(ask "SELECT status FROM runs")"
ask "SELECT text FROM log WHERE kind = 'end' ORDER BY id DESC LIMIT 1" | grep -q "unmounted: .* files opened" || fail "no end in the log"
expect 0 "" verify "$case"
grep -q "^seal: the .* rows are those" "$dir/out" || fail "no seal: $(cat "$dir/out")"

# Dates that files say are their own: of pictures that were taken then, and of what a file system could not keep.
cp "$case" "$dir/dated"
sqlite3 "$dir/dated" "INSERT INTO facts VALUES (1, 'taken', '2024-05-31 23:59:59Z', 1717199999, 0), (2, 'taken.local', '2001:02:03 04:05:06', 981173106, 0),
    (3, 'modified', '1969-12-31', -1, 0), (4, 'created', 'x', 9223372036854775807, 0), (5, 'title', 'no date', NULL, 0)"
expect 0 "" mount --quiet "$dir/dated" "$m"
sqlite3 -readonly -separator ' ' "$dir/dated" "SELECT CASE id WHEN 1 THEN '2024-05' WHEN 2 THEN '2001-02' WHEN 3 THEN '1969-12' ELSE 'none' END || '/' || $path,
    CASE id WHEN 1 THEN 1717199999 WHEN 2 THEN 981173106 WHEN 3 THEN -1 ELSE 0 END FROM v_objects WHERE id <> 4" | sort >"$dir/want"
fourth=$(sqlite3 -readonly "$dir/dated" "SELECT $path FROM v_objects WHERE id = 4")
(cd "$m/by/date" && find . -type f ! -path "*/$fourth" -printf '%P %Ts\n' | sort) | cmp -s "$dir/want" - || fail "by/date: $(cd "$m/by/date" && find . -type f -printf '%P %Ts\n' | sort | diff "$dir/want" - | head -5)"
[ -e "$m/by/date/none/$fourth" ] || fail "a date that is none"
leave
# ---- names that mean harm, objects in pieces, several images ----
cp "$image" "$dir/second.raw"
printf 'extra' >>"$dir/second.raw"
expect 0 "" scan --quiet --case "$dir/odd" "$image" "$dir/second.raw"
sqlite3 "$dir/odd" "UPDATE objects SET type = '../../etc/x' || char(10) || 'y', extension = 'a/b' WHERE type = 'bmp';
    UPDATE objects SET type = 'by' WHERE type = 'gif'; UPDATE objects SET type = 'image' WHERE type = 'wav';
    UPDATE objects SET type = 'README.txt', extension = '' WHERE type = 'elf';
    UPDATE extents SET len = 1000 WHERE object_id = (SELECT min(id) FROM objects WHERE type = 'png' AND len > 3000);
    INSERT INTO extents SELECT id, 1, 4096, len - 1000 FROM objects WHERE id = (SELECT min(id) FROM objects WHERE type = 'png' AND len > 3000);
    UPDATE objects SET crc64 = NULL WHERE id = (SELECT min(id) FROM objects WHERE type = 'png' AND len > 3000);"
rm -rf "$dir/o"
expect 0 "" carve --quiet --embedded --truncated --out "$dir/o" "$dir/odd"
expect 0 "" mount --quiet --embedded --truncated "$dir/odd" "$m"
same "$dir/o"
[ "$(ls "$m")" = "$(printf '%s\n' README.txt by carvpath image image1 image2 inside)" ] || fail "the root: $(ls "$m")"
cmp -s "$dir/second.raw" "$m/image/2.raw" || fail "the second image"
cmp -s <(tail -c 5 "$dir/second.raw") "$m/carvpath/image2/$size+5" || fail "ranges of the second image"
[ ! -e "$m/carvpath/image1/$size+5" ] || fail "ranges of the second image in the first"
[ "$(find "$m/by/image/1" -type f | wc -l)" -gt 20 ] || fail "by/image"
leave

# ---- containers ----
if command -v ewfacquire >/dev/null; then
    (cd "$dir" && ewfacquire -q -u -c fast -t packed -f encase6 "$image") >/dev/null 2>&1 || fail "ewfacquire"
    expect 0 "" scan --quiet --case "$dir/e01" "$dir/packed.E01"
    rm -rf "$dir/o"
    expect 0 "" carve --quiet --out "$dir/o" "$dir/e01"
    expect 0 "" carve --quiet --out "$dir/raw.o" "$case"
    expect 0 "" mount --quiet "$dir/e01" "$m"
    same "$dir/o"
    same "$dir/raw.o"
    # ewfacquire takes whole sectors alone.
    head -c $((size / 512 * 512)) "$image" >"$dir/sectors"
    python3 "$cli/read_all_ways.py" "$m/image/1.raw" "$dir/sectors" || fail "the E01 as a raw image"
    leave
else
    echo "skipped: E01: no ewfacquire"
fi

# ---- many files; a folder of them is listed in parts ----
python3 - "$dir/many.raw" <<'PY'
import sys
gif = b"GIF89a\1\0\1\0\x80\0\0\0\0\0\xff\xff\xff,\0\0\0\0\1\0\1\0\0\2\2D\1\0;"
open(sys.argv[1], "wb").write(b"".join(gif + bytes(512 - len(gif)) for _ in range(2500)))
PY
expect 0 "" scan --quiet --case "$dir/many" "$dir/many.raw"
rm -rf "$dir/o"
expect 0 "" carve --quiet --out "$dir/o" "$dir/many"
expect 0 "" mount --quiet "$dir/many" "$m"
same "$dir/o"
[ "$(ls "$m/gif" | tr '\n' ' ')" = "0001 0002 0003 " ] || fail "folders: $(ls "$m/gif")"
[ "$(ls "$m/gif/0001" | wc -l)" = 1000 ] || fail "a folder has $(ls "$m/gif/0001" | wc -l) files"
leave
finish
