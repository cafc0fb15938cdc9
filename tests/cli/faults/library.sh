#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# tests/cli/faults/library.sh - libraries that only some images need are loaded with those: the
# program is not linked with them, and where one is missing only their images cannot be read, and the
# error names the package. An empty file that the dynamic linker finds first stands for a missing one.
# Labels: long
. "$(dirname "$0")/../lib.sh"
planted
command -v readelf >/dev/null || skip "no readelf"
for name in tsk ewf curl afflib vmdk; do
    ! grep -q "NEEDED.*lib$name" <<<"$(readelf -d "$BURIN")" || fail "the program is linked with lib$name"
done
if command -v ldd >/dev/null && ldd "$BURIN" >"$dir/ldd" 2>/dev/null; then
    ! grep -E 'lib(tsk|ewf|curl|krb5|ldap)' "$dir/ldd" || fail "a library that few images need is loaded at the start"
fi

# file NAME: by which name the program loads it.
file() {
    strings -a "$BURIN" 2>/dev/null | grep -xE "lib$1\.so\.[0-9]+" | head -n 1
}
grep -qE $'^library\tlibtsk [0-9]' <<<"$("$BURIN" info)" || fail "info does not tell the libtsk that runs"
command -v strings >/dev/null || finish
tsk=$(file tsk) ewf=$(file ewf)
{ [ -n "$tsk" ] && [ -n "$ewf" ]; } || fail "no names of libraries in the program: '$tsk', '$ewf'"
mkdir "$dir/no-tsk" "$dir/no-ewf"
: >"$dir/no-tsk/$tsk"
: >"$dir/no-ewf/$ewf"
without() { # FOLDER COMMAND...: the program, where that folder's library is missing
    local folder=$1
    shift
    status=0
    LD_LIBRARY_PATH=$dir/$folder "$BURIN" "$@" >"$dir/out" 2>"$dir/err" </dev/null || status=$?
}
told() { # STATUS TEXT
    [ "$status" -eq "$1" ] || fail "status $status, not $1: $(cat "$dir/err")"
    grep -qE -- "$2" "$dir/err" || fail "no '$2': $(cat "$dir/err")"
}

for folder in no-tsk no-ewf; do
    without $folder scan --quiet --force --case "$dir/case" "$image"
    [ "$status" -eq 0 ] || fail "a raw image without $folder: $(cat "$dir/err")"
    without $folder --version
    [ "$status" -eq 0 ] || fail "--version without $folder: $(cat "$dir/err")"
done
without no-tsk info
{ [ "$status" -eq 0 ] && grep -qE $'^library\tlibtsk built for [0-9]' "$dir/out"; } || fail "info without libtsk: $(cat "$dir/out" "$dir/err")"
sqlite3 -readonly "$dir/case" "SELECT libraries FROM runs" | grep -qE 'libtsk built for [0-9]' ||
    fail "the record of a run that did not load libtsk: $(sqlite3 -readonly "$dir/case" "SELECT libraries FROM runs")"

if command -v ewfacquire >/dev/null; then
    (cd "$dir" && ewfacquire -u -q -c best -t copy "$image" && ewfacquire -u -q -f smart -t copy "$image") </dev/null >"$dir/tool.log" 2>&1 ||
        fail "ewfacquire: $(cat "$dir/tool.log")"
    for jail in "" --no-jail; do
        # shellcheck disable=SC2086
        without no-ewf scan $jail --quiet --force --case "$dir/ewf" "$dir/copy.s01"
        told 4 "$ewf.*package libewf2?.*copy\.s01"
    done
    for folder in no-tsk no-ewf; do
        without $folder scan --quiet --force --case "$dir/ewf" "$dir/copy.E01" # it takes neither
        [ "$status" -eq 0 ] || fail "an E01, $folder: $(cat "$dir/err")"
    done
    without no-tsk scan --quiet --force --case "$dir/ewf" "$dir/copy.s01" # it does not take this library
    [ "$status" -eq 0 ] || fail "a SMART image without libtsk: $(cat "$dir/err")"
fi
if command -v qemu-img >/dev/null; then
    qemu-img convert -f raw -O vmdk "$image" "$dir/copy.vmdk" >"$dir/tool.log" 2>&1 || fail "qemu-img: $(cat "$dir/tool.log")"
    without no-tsk scan --quiet --force --case "$dir/vmdk" "$dir/copy.vmdk"
    told 4 "$tsk.*package libtsk.*copy\.vmdk"
    "$BURIN" scan --quiet --force --case "$dir/vmdk" "$dir/copy.vmdk" || fail "a VMDK where libtsk is there"
fi

# File systems are told of by libtsk, too: a search finds its words all the same.
without no-tsk search --quiet --case "$dir/case" "$image" IHDR
{ [ "$status" -eq 0 ] && [ -s "$dir/out" ]; } || fail "a search without libtsk: status $status, $(cat "$dir/err")"
finish
