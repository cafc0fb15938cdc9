#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# tests/tidy/readmes.sh - the tables of rooms in the modules' README.md say what rooms.def says: each room once, on its floor.
set -uo pipefail
root=${1:-.}
failures=0

# rooms MODULE ROOT: "floor room" of each room, by rooms.def, and by the README.
by_law() {
    sed -nE "s#^room $1/([^ ]+) ([0-9]+)\$#\2 \1#p" "$2/tests/tidy/rooms.def" | sort
}
by_readme() {
    sed -nE 's#^\| ([0-9]+) \| `([^`]+)/` \|.*#\1 \2#p' "$2/$1/README.md" | sort
}
check() {
    local module
    for module in io match carver; do
        [ -n "$(by_law "$module" "$1")" ] || echo "$module: rooms.def has no rooms"
        diff <(by_law "$module" "$1") <(by_readme "$module" "$1") | sed -n "s#^[<>]#$module/README.md and rooms.def differ: &#p"
    done
}

found=$(check "$root")
[ -z "$found" ] || { echo "$found"; failures=1; }

# The test finds what it is there for: a room on another floor, and one that is missing.
planted=$(mktemp -d)
trap 'rm -rf "$planted"' EXIT
for module in io match carver; do
    mkdir -p "$planted/$module"
    cp "$root/$module/README.md" "$planted/$module/"
done
mkdir -p "$planted/tests/tidy"
cp "$root/tests/tidy/rooms.def" "$planted/tests/tidy/"
sed -i 's#^| 2 | `image/`#| 1 | `image/`#' "$planted/io/README.md"
sed -i '/`simd\/`/d' "$planted/match/README.md"
[ "$(check "$planted" | wc -l)" -eq 3 ] || { echo "planted offences are not found: $(check "$planted")"; failures=1; }
exit "$failures"
