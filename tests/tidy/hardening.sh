#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# tests/tidy/hardening.sh - the program is built so that a fault in a parser is hard to use: what
# cmake/flags.cmake asks for stands in the program that came of it, and each file was compiled with
# it.
set -uo pipefail
export LC_ALL=C
BURIN=${BURIN:-$BUILD/burin}
[ -x "$BURIN" ] || { echo "skipped: no program in this build"; exit 77; }
command -v readelf >/dev/null || { echo "skipped: no readelf"; exit 77; }
cache=$BUILD/CMakeCache.txt
! grep -q '^BURIN_SANITIZE:[A-Z]*=.' "$cache" || { echo "skipped: built with sanitizers"; exit 77; }
failures=0
fail() {
    echo "FAILED: $*"
    failures=$((failures + 1))
}

headers=$(readelf -W -h -l -d "$BURIN")
has() {
    grep -qE -- "$1" <<<"$headers" || fail "$2"
}
lacks() {
    ! grep -E -- "$1" <<<"$headers" || fail "$2"
}
has 'Type: +DYN' "not position-independent"
has 'Flags:.*\bPIE\b' "a library, not a position-independent program"
has '^ +GNU_RELRO ' "no part becomes read-only when it has been linked"
has '\((FLAGS|FLAGS_1)\).*\b(BIND_)?NOW\b' "functions are looked up when first called: their table stays writable"
has '^ +GNU_STACK .* RW +0x' "the stack may hold code"
lacks '^ +(LOAD|GNU_STACK) .* RWE ' "memory that may be written to and run"
lacks '\(TEXTREL\)' "code that is changed when the program starts"
paths=$(sed -nE 's/.*\((RPATH|RUNPATH)\).*\[(.*)\].*/\2/p' <<<"$headers" | tr ':' '\n' | grep -v '^/usr/' | grep .)
[ -z "$paths" ] || fail "libraries are looked for in $paths"

# Only a program without sanitizers comes here, and its symbols are beside it.
sections=$(readelf -W -S "$BURIN")
if grep -q '^CMAKE_BUILD_TYPE:[A-Z]*=RelWithDebInfo' "$cache"; then
    ! grep -E ' \.(symtab|debug_info) ' <<<"$sections" || fail "the program is not stripped"
    grep -q ' \.gnu_debuglink ' <<<"$sections" || fail "nothing says where the program's symbols are"
    grep -q ' \.debug_info ' <<<"$(readelf -W -S "$BURIN.debug" 2>/dev/null)" || fail "no symbols in $BURIN.debug"
fi

imports=$(readelf -W --dyn-syms "$BURIN" | awk '$7 == "UND" { sub(/@.*/, "", $8); print $8 }')
grep -qx __stack_chk_fail <<<"$imports" || fail "no function guards its frame"
for name in __memcpy_chk __snprintf_chk; do
    grep -qx "$name" <<<"$imports" || fail "no checked $name: -D_FORTIFY_SOURCE has no effect"
done

# Shadow stacks and landing pads (CET) are the program's only if all that is linked has them: each
# file of ours must.
if grep -q '^BURIN_HAVE_fcf_protection_full:INTERNAL=1' "$cache"; then
    for library in "$BUILD"/lib*.a; do
        lacking=$(readelf -nW "$library" 2>/dev/null | awk '
            /^File: / { if (file != "" && !good) print file; file = $2; good = 0 }
            /x86 feature: IBT, SHSTK/ { good = 1 }
            END { if (file == "") print "no file in it"; else if (!good) print file }')
        [ -z "$lacking" ] || fail "without IBT and SHSTK: $lacking"
    done
    if ! grep -q 'x86 feature: IBT, SHSTK' <<<"$(readelf -nW "$BURIN")"; then
        for name in Scrt1.o crti.o crtn.o crtbeginS.o crtendS.o; do
            file=$(gcc -print-file-name=$name 2>/dev/null) || continue
            [ ! -e "$file" ] || grep -q 'x86 feature: IBT, SHSTK' <<<"$(readelf -nW "$file")" ||
                echo "the program itself has no IBT and SHSTK: $name of the C library lacks them"
        done
    fi
fi

# What leaves no mark in the program: each file was compiled with it.
for flag in -fstack-protector-strong -fstack-clash-protection -ftrivial-auto-var-init=zero; do
    name=BURIN_HAVE${flag//[^a-zA-Z0-9]/_}
    grep -q "^$name:INTERNAL=1" "$cache" || { echo "this compiler has no $flag"; continue; }
    without=$(grep -E '"command":.*\.c"' "$BUILD/compile_commands.json" | grep -vcE -- "$flag( |\")")
    [ "$without" -eq 0 ] || fail "$without files are compiled without $flag"
done
[ "$failures" -eq 0 ] || { echo "$failures checks failed"; exit 1; }
