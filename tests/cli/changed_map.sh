#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# tests/cli/changed_map.sh - what thin_delta, nbdinfo and rbd say of changes becomes the map of these changes, and what is none of that
# becomes no map. The maps expected were worked out by hand from the programs' manuals.
# Labels: long
. "$(dirname "$0")/lib.sh"
tool=$cli/../../share/burin/changed-map

# convert SIZE INPUT LINE... : the map has these lines behind its first.
convert() {
    local size=$1 input=$2
    shift 2
    printf '%s' "$input" | "$tool" "$size" >"$dir/map" 2>"$dir/err" || fail "$input: $(cat "$dir/err")"
    printf '%s\n' "$@" >"$dir/want"
    tail -n +2 "$dir/map" | cmp -s - "$dir/want" || fail "$input: $(tail -n +2 "$dir/map" | diff "$dir/want" -)"
}
convert 1048576 '<superblock uuid="" time="1" transaction="2" data_block_size="128" nr_data_blocks="99">
  <diff left="1" right="2"><same begin="0" length="2"/><different begin="2" length="3"/><right_only begin="6" length="1"/>
  <left_only begin="15" length="4"/></diff></superblock>' \
    '0x00000000  0x00020000  ?' '0x00020000  0x00030000  +' '0x00050000  0x00010000  ?' '0x00060000  0x00010000  +' \
    '0x00070000  0x00080000  ?' '0x000F0000  0x00010000  +'
convert 262144 '[{"offset": 0, "length": 65536, "type": 1, "description": "dirty"}, {"offset": 65536, "length": 131072, "type": 0,
    "description": "clean"}, {"offset": 196608, "length": 65536, "type": 1, "description": "dirty"}]' \
    '0x00000000  0x00010000  +' '0x00010000  0x00020000  ?' '0x00030000  0x00010000  +'
convert 8388608 '[{"offset":4194304,"length":4096,"exists":"true"},{"offset":0,"length":512,"exists":"false"}]' \
    '0x00000000  0x00000200  +' '0x00000200  0x003FFE00  ?' '0x00400000  0x00001000  +' '0x00401000  0x003FF000  ?'
convert 4096 '[]' '0x00000000  0x00001000  ?'
for input in '' '{}x' '[{"offset": 0, "length": 1}]' '[{"offset": 0, "length": 0, "exists": "true"}]' '<superblock/>' '[3]' \
    '<superblock data_block_size="128"><diff><moved begin="0" length="1"/></diff></superblock>'; do
    printf '%s' "$input" | "$tool" 4096 >"$dir/map" 2>/dev/null && fail "'$input' became a map"
    [ ! -s "$dir/map" ] || fail "'$input': half a map"
done
# Such a map is one.
head -c 262144 /dev/urandom >"$dir/disk"
expect 0 "" scan --quiet --case "$dir/case" --keep-parts "$dir/kept" "$dir/disk"
printf '[{"offset":4096,"length":4096,"exists":"true"}]' | "$tool" 262144 >"$dir/map"
expect 0 "" scan --quiet --force --case "$dir/case" --since "$dir/kept" --changed "$dir/map" "$dir/disk"
finish
