#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# tests/cli/faults/modes.sh - what is written is for its owner alone, whatever the umask allows: evidence
# is nobody else's business.
# Labels: long
. "$(dirname "$0")/../lib.sh"
planted
printf 'd41d8cd98f00b204e9800998ecf8427e\n' >"$dir/list"

# What lies in a folder and is not 0600 or, a folder, 0700.
open_to_others() {
    find "$1" -mindepth 1 \( -type d ! -perm 0700 -o ! -type d ! -perm 0600 \) -printf '%m %P\n'
}

for mask in 000 022 077; do
    umask $mask
    work=$dir/$mask
    mkdir -m 700 "$work"
    expect 0 "" scan --quiet --case "$work/case" "$image"
    expect 0 "" search --quiet --case "$work/search" "$image" word
    expect 0 "" carve --quiet --embedded --out "$work/out" "$work/case"
    expect 0 "" known build --quiet "$work/set" "$dir/list"
    [ -n "$(find "$work/out" -mindepth 2 -type f)" ] || fail "umask $mask: nothing was carved"
    [ -z "$(open_to_others "$work")" ] || fail "umask $mask: $(open_to_others "$work" | head -5)"
done

# A folder that was there keeps its mode, and so does a set that others may read.
umask 022
mkdir -m 755 "$dir/there"
expect 0 "" carve --quiet --out "$dir/there" "$dir/022/case"
[ "$(stat -c %a "$dir/there")" = 755 ] || fail "carve changed the mode of a folder that was there"
[ -z "$(open_to_others "$dir/there")" ] || fail "in a folder that was there: $(open_to_others "$dir/there" | head -5)"
chmod 644 "$dir/022/set"
printf 'd41d8cd98f00b204e9800998ecf8427f\n' >"$dir/more"
expect 0 "" known add --quiet "$dir/022/set" "$dir/more"
[ "$(stat -c %a "$dir/022/set")" = 644 ] || fail "known add changed the mode of a set"
finish
