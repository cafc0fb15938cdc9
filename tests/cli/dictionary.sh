#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# tests/cli/dictionary.sh - configuration files on the command line: mistakes name file, line and column; rules find what they must.
# Labels: long
. "$(dirname "$0")/lib.sh"

# 16 KiB with one header at 1000 and footers at 1100 and 1300; all else is zero.
head -c 16384 /dev/zero >"$dir/image"
put() {
    printf '%s' "$2" | dd of="$dir/image" bs=1 seek="$1" conv=notrunc status=none
}
put 1000 HEAD1234
put 1100 FOOT
put 1300 FOOT

bad() {
    printf '%b' "$1" >"$dir/bad.conf"
    expect 3 "bad\\.conf:$2:" scan --quiet --dictionary "$dir/bad.conf" --case "$dir/case" "$dir/image"
    [ ! -e "$dir/case" ] || { fail "a bad configuration left a case file"; rm -f "$dir"/case*; }
}
bad 'abc y 1000\n' 1
bad '# fine\nabc y 1000 HEAD\n\nabc y\n' 4
expect 3 "none\\.conf" scan --quiet --dictionary "$dir/none.conf" --case "$dir/case" "$dir/image"
: >"$dir/empty.conf"
expect 3 "empty\\.conf" scan --quiet --dictionary "$dir/empty.conf" --case "$dir/case" "$dir/image"

found() {
    local conf=$1 want=$2
    shift 2
    printf '%b' "$conf" >"$dir/rules.conf"
    burin scan --quiet --force --dictionary "$dir/rules.conf" "$@" --case "$dir/case" "$dir/image"
    [ "$status" -eq 0 ] || fail "scan with '$conf': status $status: $(cat "$dir/err")"
    burin list "$dir/case"
    [ "$(cut -f2-5 "$dir/out" | tr '\t' ' ')" = "$want" ] || fail "'$conf' $* finds '$(cut -f2-5 "$dir/out")' instead of '$want'"
}
found 'abc y 1000 HEAD FOOT\n' 'abc footer 1000 104'
found 'abc y 1000 HEAD FOOT NEXT\n' 'abc footer 1000 100'
found 'abc y 1000 HEAD FOOT REVERSE\n' 'abc footer 1000 304'
found 'abc y 200 HEAD FOOT REVERSE\n' 'abc footer 1000 104'
found 'abc y 50 HEAD FOOT\n' ''
found 'abc n 1000 head foot\n' 'abc footer 1000 104'
found 'abc y 1000 head foot\n' ''
found 'abc y 1000 H??D \\x46OOT\n' 'abc footer 1000 104'
found 'wildcard *\nabc y 1000 H**D FOOT\n' 'abc footer 1000 104'
found 'abc y 1000 HEAD FOOT\n' '' --align 512
found 'abc y 1000 HEAD FOOT\n' 'abc footer 1000 104' --align 8
finish
