#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# tests/tidy/measured.sh - a page of docs/measured/ is a page: at most 60 lines of at most 132 columns, at least one table, and
# the command that makes its figures.
set -euo pipefail
cd "$(dirname "$(readlink -f "$0")")/../.."
export LC_ALL=C.UTF-8

# Prints what is wrong with the pages in folder $1.
wrong() {
    local page
    for page in "$1"/*.md; do
        [ "$(wc -l <"$page")" -le 60 ] || echo "$page has more than 60 lines"
        ! grep -qE '^.{133,}' "$page" || echo "$page has a line of more than 132 columns: $(grep -cE '^.{133,}' "$page")"
        grep -qE '^\| ?-' "$page" || echo "$page has no table"
        grep -qE '\bburin [a-z]+ |(tools|build)/[a-z]' "$page" || echo "$page names no command"
    done
}

found=$(wrong docs/measured)
if [ -n "$found" ]; then
    echo "$found"
    exit 1
fi

copy=$(mktemp -d)
trap 'rm -rf "$copy"' EXIT
status=0
plant() {
    printf '%s\n' "$2" >"$copy/planted.md"
    grep -qF -- "$1" <<<"$(wrong "$copy")" || { echo "planted, and not noticed: a page that $1"; status=1; }
}
table=$'`burin scan IMAGE`\n| a |\n| --- |'
printf -v many '\n%.0s' {1..60}
plant "has more than 60 lines" "$table$many"
plant "has a line of more than 132 columns" "$table $(printf '%0133d' 0)"
plant "has no table" "no more than words; burin scan IMAGE"
plant "names no command" $'| a |\n| --- |\n| 1 |'
printf '%s\n' "$table" >"$copy/planted.md"
[ -z "$(wrong "$copy")" ] || { echo "a good page was refused: $(wrong "$copy")"; status=1; }
exit "$status"
