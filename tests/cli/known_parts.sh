#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# tests/cli/known_parts.sh - objects are hashed by the parts of a scan, and looked up in sets by the merge: what is known, and each hash, is
# what one scan says, and sha256sum. Hashes of what was cut or put together later, and of bytes that could not be read, are taken again.
# Labels: long
. "$(dirname "$0")/lib.sh"
planted
python3 "$cli/make_archives.py" "$dir/made" || exit 1
cat "$image" "$dir/made" >"$dir/disk.raw"
size=$(stat -c %s "$dir/disk.raw")
"$BURIN" scan --quiet --case "$dir/plain" "$dir/disk.raw"
# Of each third object a line of a list, as it is in the image.
sqlite3 -readonly -separator ' ' "$dir/plain" "SELECT offset, len FROM v_objects WHERE id % 3 = 0 AND state <> 'fragmented' LIMIT 12" |
    while read -r offset len; do
        tail -c +$((offset + 1)) "$dir/disk.raw" | head -c "$len" >"$dir/object"
        md5sum "$dir/object" >>"$dir/md5"
        sha256sum "$dir/object" >>"$dir/sha256"
    done
"$BURIN" known build --quiet --hash md5 --bad "$dir/md5.set" "$dir/md5" && "$BURIN" known build --quiet --hash sha256 "$dir/sha256.set" "$dir/sha256" || fail "no sets"
what=(--known "$dir/md5.set" --known "$dir/sha256.set")

# alike STATUS CASE PARTS WORD...: so many parts, merged, are that case file.
alike() {
    local want=$1 case=$2 count=$3 k
    shift 3
    rm -rf "$dir/parts" "$dir/merged"*
    for ((k = 0; k < count; k++)); do
        burin scan --quiet --part "$k/$count" --parts "$dir/parts" --threads $((1 + k % 3)) "$@" "$dir/disk.raw"
        [ "$status" -le "$want" ] || fail "part $k of $count: status $status: $(cat "$dir/err")"
    done
    burin merge --quiet --case "$dir/merged" "$dir/parts"
    [ "$status" -eq "$want" ] || fail "merge of $count parts: status $status: $(cat "$dir/err")"
    [ "$("$BURIN" list --digest "$case")" = "$("$BURIN" list --digest "$dir/merged")" ] || fail "$count parts: another digest"
    taken=$(sqlite3 -readonly "$dir/merged" "SELECT text FROM log WHERE text LIKE 'hashes of % taken by the parts'" | grep -o '[0-9]*')
    objects=$(sqlite3 -readonly "$dir/merged" "SELECT count(*) FROM contents WHERE sha256 IS NOT NULL")
    [ -n "$taken" ] && [ "$taken" -gt $((objects * 7 / 10)) ] && [ "$taken" -le "$objects" ] || fail "$count parts: took $taken hashes of $objects objects"
}
"$BURIN" scan --quiet --case "$dir/one" "${what[@]}" "$dir/disk.raw"
"$BURIN" scan --quiet --case "$dir/short" --no-assemble --no-file-systems "${what[@]}" "$dir/disk.raw"
[ "$(sqlite3 -readonly "$dir/one" "SELECT count(DISTINCT object_id) FROM known_objects")" -ge 6 ] || fail "few objects are known"
alike 0 "$dir/short" 2 --no-assemble --no-file-systems "${what[@]}"
alike 0 "$dir/short" 16 --no-assemble --no-file-systems "${what[@]}"
alike 0 "$dir/one" 7 "${what[@]}"
sqlite3 -readonly -separator ' ' "$dir/merged" "SELECT offset, len, sha256 FROM v_objects WHERE sha256 IS NOT NULL AND state <> 'fragmented' LIMIT 25" >"$dir/hashes"
while read -r offset len sha256; do
    [ "$(tail -c +$((offset + 1)) "$dir/disk.raw" | head -c "$len" | sha256sum)" = "$sha256  -" ] || fail "sha256sum says another hash of $len bytes at $offset"
done <"$dir/hashes"
[ -s "$dir/hashes" ] || fail "no hash to look at"

# What could not be read.
printf '# Mapfile.\n0x0 + 1\n0x0 0x100000 +\n0x100000 0x1200 -\n0x101200 0x%x +\n' $((size - 0x101200)) >"$dir/map"
"$BURIN" scan --quiet --case "$dir/mapped" "${what[@]}" --mapfile "$dir/map" "$dir/disk.raw" 2>/dev/null
alike 1 "$dir/mapped" 3 "${what[@]}" --mapfile "$dir/map"

# A shard that changed since its scan is damaged, whatever it says of hashes.
flip "$dir/parts/1.part" $(($(stat -c %s "$dir/parts/1.part") / 2))
rm -f "$dir/merged"*
burin merge --quiet --case "$dir/merged" "$dir/parts"
[ "$status" -eq 3 ] && [ ! -e "$dir/merged" ] || fail "a damaged shard: status $status"
finish
