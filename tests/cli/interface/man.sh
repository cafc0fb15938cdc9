#!/usr/bin/env bash
# tests/cli/interface/man.sh - the man page renders without a warning and has every option of every command's --help, and no others.
. "$(dirname "$0")/../lib.sh"
page=$cli/../../docs/reference/burin.1

if command -v groff >/dev/null; then
    warnings=$(groff -man -ww -z -Tutf8 "$page" 2>&1)
    [ -z "$warnings" ] || fail "groff warns: $warnings"
fi

# Long options of the section of one command, from the man page's source. Those that begin a paragraph or an item count; mentions in the
# text do not.
in_page() {
    awk -v section="\"BURIN ${1^^}\"" '/^\.SH/ { on = index($0, section) > 0 } on && item { print; item = 0 } /^\.TP/ { item = 1 }' "$page" |
        grep -oE '\\-\\-[a-z\\-]+' | sed 's/\\-/-/g' | sort -u
}
while read -r command; do
    in_page "$command" >"$dir/page"
    # Options mentioned in the text of another one are not options of this command.
    "$BURIN" "$command" --help | grep -oE '^ +(-[a-z], )?--[a-z][a-z-]*' | grep -oE -- '--[a-z-]+' | grep -vxE -- '--(help|version)' |
        sort -u >"$dir/help"
    diff "$dir/help" "$dir/page" >"$dir/diff" || fail "burin $command: --help (<) and the man page (>) differ: $(cat "$dir/diff")"
    grep -q "^\.B burin $command" "$page" || fail "the synopsis lacks burin $command"
done <<<"$(commands)"
finish
