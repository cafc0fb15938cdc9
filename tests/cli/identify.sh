#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# tests/cli/identify.sh - plain files: whole, cut short, with something behind them, unknown, and none at all.
#
# Method: a bitmap written byte by byte here (2 x 2 pixels of 24 bits: 54 bytes of headers, two rows of 8 bytes, 70 in all).
. "$(dirname "$0")/lib.sh"

{
    printf 'BM\x46\0\0\0\0\0\0\0\x36\0\0\0'
    printf '\x28\0\0\0\2\0\0\0\2\0\0\0\1\0\x18\0\0\0\0\0\x10\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0'
    printf 'abcdef\0\0ghijkl\0\0'
} >"$dir/whole"
head -c 60 "$dir/whole" >"$dir/cut"
{ cat "$dir/whole"; printf 'behind'; } >"$dir/behind"
printf 'nothing that is known' >"$dir/text"
: >"$dir/empty"
cp "$dir/whole" "$dir/odd
name"

row() { # FILE TYPE STATE LENGTH REASON-PATTERN
    burin identify "$dir/$1"
    IFS=$'\t' read -r path type state length reason <"$dir/out"
    [ "$path|$type|$state|$length" = "$dir/$1|$2|$3|$4" ] || fail "$1: $path|$type|$state|$length"
    [[ $reason =~ $5 ]] || fail "$1: the reason is '$reason'"
}
row whole bmp complete 70 agrees
[ "$status" -eq 0 ] || fail "a whole file: status $status"
row cut bmp truncated 60 "ends before"
[ "$status" -eq 0 ] || fail "a cut file: status $status"
row behind bmp complete 70 "6 bytes follow"
row text unknown - 0 .
[ "$status" -eq 1 ] || fail "an unknown file: status $status"
row empty unknown - 0 empty
[ "$status" -eq 1 ] || fail "an empty file: status $status"

# What cannot be read does not stop the others.
burin identify "$dir/none" "$dir" "$dir/whole"
[ "$status" -eq 1 ] || fail "a missing file: status $status"
[ "$(cut -f2 "$dir/out" | tr '\n' ' ')" = "unknown unknown bmp " ] || fail "a missing file: $(cat "$dir/out")"
[ "$(wc -l <"$dir/err")" -eq 2 ] || fail "a missing file: $(cat "$dir/err")"

# One file, one line, whatever its name is.
burin identify "$dir/odd
name"
[ "$(wc -l <"$dir/out")" -eq 1 ] && grep -q 'odd\\x0Aname	bmp' "$dir/out" || fail "a name with a line feed: $(cat "$dir/out")"
burin identify --json "$dir/odd
name" "$dir/behind"
python3 -c '
import json, sys
rows = json.load(open(sys.argv[1]))
assert [(r["path"].endswith("odd\nname"), r["type"], r["state"], r["length"], r["readable"]) for r in rows][0] == (True, "bmp", "complete", 70, True)
assert len(rows) == 2
' "$dir/out" || fail "--json: $(cat "$dir/out")"

# A container of a disk image is a plain file here.
{ printf 'QFI\xfb\0\0\0\3'; head -c 1000 /dev/zero; } >"$dir/disk.qcow2"
burin identify "$dir/disk.qcow2"
[ "$status" -eq 1 ] && [ ! -s "$dir/err" ] || fail "a qcow2 file: status $status, $(cat "$dir/err")"
finish
