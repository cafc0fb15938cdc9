#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# tests/cli/choose.sh - the words that list and carve share: each chooses what a query on the case file chooses, alone and together;
# what cannot be is refused.
# Labels: long slow
. "$(dirname "$0")/lib.sh"
planted
# An image with a partition table and two volumes, with files that live and some that were deleted; and the planted one behind it.
disk=$dir/disk.raw
truncate -s 12M "$disk"
python3 - "$disk" <<'PY'
import struct, sys
with open(sys.argv[1], "r+b") as disk:
    disk.seek(446)  # the table of an MBR: kind, first sector, sectors
    for kind, start in ((6, 2048), (0x83, 12288)):
        disk.write(struct.pack("<B3sB3sII", 0, b"\0\2\0", kind, b"\0\2\0", start, 8192))
    disk.seek(510)
    disk.write(b"\x55\xaa")
PY
mkdir "$dir/files"
python3 - "$dir/files" <<'PY'
import struct, sys, zlib
def chunk(kind, data):
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
for i in range(6):
    rows = b"".join(b"\0" + bytes((x * i + y * 7) % 251 for x in range(64)) for y in range(64))
    with open(f"{sys.argv[1]}/pic{i}.png", "wb") as out:
        out.write(b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", 64, 64, 8, 0, 0, 0, 0)) +
                  chunk(b"IDAT", zlib.compress(rows, i)) + chunk(b"IEND", b""))
PY
truncate -s 4M "$dir/fat" && mkfs.fat -F 12 "$dir/fat" >/dev/null && mcopy -i "$dir/fat" "$dir"/files/pic[0-2].png :: &&
    mdel -i "$dir/fat" ::pic1.png || skip "no mtools"
truncate -s 4M "$dir/ext" && mke2fs -q -F -t ext2 -d "$dir/files" "$dir/ext" 2>/dev/null && debugfs -w -R "rm pic5.png" "$dir/ext" 2>/dev/null
dd if="$dir/fat" of="$disk" bs=512 seek=2048 conv=notrunc status=none
dd if="$dir/ext" of="$disk" bs=512 seek=12288 conv=notrunc status=none
case=$dir/case
expect 0 "" scan --quiet --case "$case" "$image" "$disk"
cp "$dir/files/pic0.png" "$dir/bad.png"
burin known build --quiet --bad "$dir/set" --files "$dir/bad.png"
expect 0 "" scan --quiet --known "$dir/set" --case "$dir/known" "$disk"
expect 0 "" list "$case"
cp "$dir/out" "$dir/all"
total=$(wc -l <"$dir/all")
ask() { sqlite3 -readonly -separator "$(printf '\t')" "$@"; }

# alike WHERE WORD... : list WORD... prints the lines of the objects for which WHERE holds in a query of another program, in their order;
# and carve, told to write all, writes as many: it is asked each second time, and each time with BURIN_LONG=1.
turn=0
alike() {
    local where=$1 count
    shift
    ask "$case" "SELECT id FROM v_objects WHERE $where" | sort >"$dir/want.ids"
    awk -F'\t' 'NR == FNR { want[$1]; next } $1 in want' "$dir/want.ids" "$dir/all" >"$dir/want"
    count=$(wc -l <"$dir/want")
    [ "$count" -gt 0 ] || fail "no object has: $where"
    [ "$count" -lt "$total" ] || fail "all objects have: $where"
    expect 0 "" list "$@" "$case"
    cut -f1-9 "$dir/out" >"$dir/got"
    cmp -s "$dir/got" "$dir/want" || fail "list $*: $(wc -l <"$dir/got") lines, not $count: $(diff "$dir/got" "$dir/want" | head -3)"
    turn=$((turn + 1))
    [ -n "${BURIN_LONG:-}" ] || [ $((turn % 2)) = 1 ] || return
    cp "$case" "$dir/copy"
    rm -rf "$dir/carved"
    expect 0 "" carve --quiet --embedded --truncated "$@" --out "$dir/carved" "$dir/copy"
    [ "$(find "$dir/carved" -mindepth 2 -type f | wc -l)" = "$count" ] || fail "carve $*: $(find "$dir/carved" -mindepth 2 -type f | wc -l) files, not $count"
}
alike "type IN ('jpg', 'png', 'gif', 'bmp')" --category pictures
alike "type IN ('wav', 'pdf', 'odt')" --category DOCUMENTS,sound
alike "type IN ('jpg', 'png', 'gif', 'bmp')" --types pictures
alike "type IN ('jpg', 'png', 'gif', 'bmp', 'zip', 'odt')" --types pictures,zip
alike "state = 'truncated'" --state truncated
alike "len >= 5000 AND len <= 10000" --min-size 5000 --max-size 10000
alike "len > 16384" --where 'len > 16384'
alike "offset >= 65536 AND offset < 65536 + 1048576" --range 64K:1M
alike "offset >= 1048576" --range 1M
alike "id IN (SELECT object_id FROM found_in WHERE slot = 2)" --partition 2
alike "id IN (SELECT object_id FROM found_in WHERE slot IN (2, 4))" --partition 2 --partition 4
alike "id IN (SELECT object_id FROM found_in WHERE kind = 'deleted')" --place deleted
alike "id IN (SELECT object_id FROM found_in WHERE kind IN ('file', 'deleted') AND slot = 4)" --place File,deleted --partition 4
alike "id NOT IN (SELECT object_id FROM found_in)" --place unknown
alike "id NOT IN (SELECT object_id FROM found_in WHERE kind <> 'file')" --place unknown,file
alike "parent_id IS NOT NULL" --where 'parent_id IS NOT NULL'
alike "id IN (SELECT object_id FROM found_in WHERE path LIKE '/PIC%')" --where "path LIKE '/pic%' -- a comment"
alike "image_id = 2 AND type = 'png'" --where "image_id = 2" --types png --min-size 1
alike "id % 3 = 0" --where "id IN (SELECT id FROM objects WHERE id % 3 = 0)"

# Numbers: from a file and from standard input, as numbers and as lines of a list; some twice, some of nothing.
awk -F'\t' 'NR % 3 == 1' "$dir/all" >"$dir/third"
{ cat "$dir/third"; cut -f1 "$dir/third" | tac; printf '\n999999\r\n'; } >"$dir/ids"
expect 0 "" list --ids "$dir/ids" "$case"
cmp -s "$dir/out" "$dir/third" || fail "--ids: $(wc -l <"$dir/out") lines of $(wc -l <"$dir/third")"
"$BURIN" list --ids - "$case" <"$dir/ids" >"$dir/out"
cmp -s "$dir/out" "$dir/third" || fail "--ids -: $(wc -l <"$dir/out") lines"
: >"$dir/empty"
expect 0 "no object matches: .* has $total objects, 0 with a number of $dir/empty" list --ids "$dir/empty" "$case"
for line in x 12x -3 99999999999999999999 '5,6'; do
    printf '1\n%s\n' "$line" >"$dir/wrong"
    expect 3 "$dir/wrong:2: no number of an object" list --ids "$dir/wrong" "$case"
done
expect 3 "$dir/nothing: cannot be opened" list --ids "$dir/nothing" "$case"

# Order and limit: as sort says.
expect 0 "" list --sort size "$case"
sort -s -t"$(printf '\t')" -k5,5nr "$dir/all" | cmp -s - "$dir/out" || fail "--sort size"
expect 0 "" list --sort type "$case"
sort -s -t"$(printf '\t')" -k2,2 "$dir/all" | LC_ALL=C cmp -s - "$dir/out" || fail "--sort type"
expect 0 "" list --sort offset "$case"
cmp -s "$dir/out" "$dir/all" || fail "--sort offset"
expect 0 "" list --limit 4 "$case"
head -4 "$dir/all" | cmp -s - "$dir/out" || fail "--limit 4"
expect 0 "" list --limit 4 --types jpg --sort size "$case"
awk -F'\t' '$2 == "jpg"' "$dir/all" | sort -s -t"$(printf '\t')" -k5,5nr | head -4 | cmp -s - "$dir/out" || fail "--limit 4 --sort size"
expect 0 "" list --limit 99999 "$case"
cmp -s "$dir/out" "$dir/all" || fail "--limit of more than there are"
expect 0 "" list --json --limit 3 --sort size "$case"
[ "$(python3 -c 'import json, sys; print(*(o["length"] for o in json.load(sys.stdin)))' <"$dir/out")" = \
    "$(cut -f5 "$dir/all" | sort -nr | head -3 | tr '\n' ' ' | sed 's/ $//')" ] || fail "--json --limit --sort: $(head -c 300 "$dir/out")"
# carve: the largest three of those that it would write.
rm -rf "$dir/carved"
expect 0 "" carve --quiet --sort size --limit 3 --out "$dir/carved" "$dir/copy"
find "$dir/carved" -mindepth 2 -type f -printf '%s\n' | sort -nr >"$dir/got"
ask "$case" "SELECT len FROM v_objects o WHERE state <> 'truncated' AND (parent_id IS NULL OR
    (SELECT state FROM v_objects p WHERE p.id = o.parent_id) = 'truncated') ORDER BY len DESC LIMIT 3" >"$dir/want"
cmp -s "$dir/got" "$dir/want" || fail "carve --sort size --limit 3: $(tr '\n' ' ' <"$dir/got") and not $(tr '\n' ' ' <"$dir/want")"
rm -rf "$dir/carved"
expect 0 "" carve --quiet --limit 2 --out "$dir/carved" "$dir/copy"
[ "$(find "$dir/carved" -mindepth 2 -type f | wc -l)" = 2 ] || fail "carve --limit 2"
# The run is on record with the words.
rm -rf "$dir/carved"
expect 0 "" carve --quiet --limit 1 --category pictures --where 'len > 1' --partition 4 --out "$dir/carved" "$dir/copy"
[ "$(ask "$dir/copy" "SELECT options ->> 'category', options ->> 'where', options ->> 'partitions', options ->> 'limit' FROM runs ORDER BY id DESC LIMIT 1")" = \
    "$(printf 'pictures\tlen > 1\t[4]\t1')" ] || fail "the run's options: $(ask "$dir/copy" 'SELECT options FROM runs ORDER BY id DESC LIMIT 1')"

# With --known and --place, their words are columns.
expect 0 "" list --known bad --place all "$dir/known"
[ "$(cut -f2,10,11 "$dir/out" | sort -u | head -1)" = "$(printf 'png\tbad\tp2/fat12:/pic0.png')" ] || fail "--known --place: $(cat "$dir/out")"

# What is wrong, or cannot be.
for command in list "carve --out $dir/none"; do
    # shellcheck disable=SC2086
    {
        expect 2 "--category: unknown word 'pictres'; did you mean 'pictures'\\?" $command --category pictres "$case"
        expect 2 "no type 'pictres'.*did you mean .*pictures" $command --types pictres "$case"
        expect 2 "--place: unknown word 'delted'; did you mean 'deleted'\\?" $command --place delted "$case"
        expect 2 "without a ;" $command --where '1; DELETE FROM objects' "$case"
        # What follows reads the words alike for both.
        [ -n "${BURIN_LONG:-}" ] || [ "$command" = list ] || continue
        expect 2 "--sort 'name': by offset, size or type" $command --sort name "$case"
        expect 2 "--limit" $command --limit 0 "$case"
        expect 2 "--partition" $command --partition 0 "$case"
        expect 2 "--range" $command --range 5:0 "$case"
        expect 2 "--min-size 11 is more than --max-size 10" $command --min-size 11 --max-size 10 "$case"
        expect 2 "unpartitioned is in no partition" $command --place unpartitioned --partition 2 "$case"
        expect 2 "no such column: jpg; .*single quotes" $command --where 'type = "jpg"' "$case"
        expect 2 "a \\) without its \\(" $command --where '1) OR (1' "$case"
        expect 2 "a \\( without its \\)" $command --where '(1' "$case"
        expect 2 "has no end" $command --where "type = 'x" "$case"
        expect 2 "is empty" $command --where ' /* nothing */ ' "$case"
        expect 2 "load_extension" $command --where "load_extension('x.so')" "$case"
        expect 2 "--where" $command --where "1 IN (SELECT 1 FROM pragma_table_info('objects'))" "$case"
        expect 2 "log.id is prohibited" $command --where 'id IN (SELECT id FROM log)' "$case"
        expect 2 "not authorized" $command --where 'id IN (WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c) SELECT x FROM c)' "$case"
        expect 2 "takes too long" $command --where '(SELECT count(*) FROM hits a, hits b, hits c, hits d, hits e, hits f) > 0' "$case"
        expect 2 "too big" $command --where "printf('%200000d', id) || printf('%200000d', id) = reason" "$case"
        expect 2 "more than 16384 bytes" $command --where "$(printf "'%016384d' = ''" 0)" "$case"
    }
done
[ ! -e "$dir/none" ] || fail "what was refused left something"
expect 2 "files are written in the order of the image" carve --sort size --out "$dir/none" "$case"
expect 2 "broken objects are not written without --truncated" carve --state truncated --out "$dir/none" "$case"
expect 2 "leave out" list --digest --limit 1 "$case"
expect 0 "has $total objects, 0 of category keys, 0 of the size asked for, [0-9]+ in a place of file\$" \
    list --category keys --min-size 1G --place file "$case"
expect 0 "0 for which --where is true\$" list --where 0 "$case"
finish
