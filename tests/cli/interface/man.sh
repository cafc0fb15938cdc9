#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# tests/cli/interface/man.sh - the man page renders without a warning and has every option of every command's --help, and no others.
# Labels: long
. "$(dirname "$0")/../lib.sh"
page=$cli/../../docs/reference/burin.1

if command -v groff >/dev/null; then
    warnings=$(groff -man -ww -z -Tutf8 "$page" 2>&1)
    [ -z "$warnings" ] || fail "groff warns: $warnings"
fi

# Long options of one section of the man page, from its source: from its heading to the next one. Those that begin a paragraph or an item
# count; mentions in the text do not.
in_page() {
    awk -v section="\"$1\"" '/^\.S[HS]/ { on = index($0, section) > 0 } on && item { print; item = 0 } /^\.TP/ { item = 1 }' "$page" |
        grep -oE '\\-\\-[a-z0-9\\-]+' | sed 's/\\-/-/g' | sort -u
}
# Options mentioned in the text of another one are not options of this command.
in_help() {
    "$BURIN" "$@" --help | grep -oE '^ +(-[a-z], )?--[a-z][a-z0-9-]*' | grep -oE -- '--[a-z0-9-]+' | grep -vxE -- '--(help|version)' | sort -u
}
# compare SECTION WORD... : the section has the options of burin WORD... --help, and no others; the synopsis has the words.
compare() {
    local section=$1
    shift
    in_page "$section" >"$dir/page"
    in_help "$@" >"$dir/help"
    diff "$dir/help" "$dir/page" >"$dir/diff" || fail "burin $*: --help (<) and the man page (>) differ: $(cat "$dir/diff")"
    sed -n '/^\.SH SYNOPSIS/,/^\.SH DESCRIPTION/p' "$page" | grep -qE "^\.B burin $*( |$)" || fail "the synopsis lacks burin $*"
    grep -qF "\"$section\"" "$page" || fail "the man page has no section $section"
}
while read -r command; do
    compare "BURIN ${command^^}" "$command"
done <<<"$(commands)"

# Every kind of benchmark that this program has, and every kind that there is.
kinds=$("$BURIN" bench --help | sed -n '/^Kinds/,/^$/s/^  \([a-z]*\) .*/\1/p')
listed=$(sed -nE "s/^BENCH\(([a-z]+), $(has_papers && echo '[A-Z]+' || echo MACHINE),.*/\1/p" "$cli/../../carver/bench/bench.def")
[ -n "$kinds" ] && [ "$kinds" = "$listed" ] || fail "bench --help has not the kinds of bench.def: $kinds"
while read -r kind; do
    compare "burin bench $kind" bench "$kind"
done <<<"$kinds"
finish
