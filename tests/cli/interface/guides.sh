#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# tests/cli/interface/guides.sh - every command of the guides for people who use the program works as pasted.
# Labels: long
. "$(dirname "$0")/../lib.sh"
root=$(readlink -f "$cli/../..")
python3 "$cli/interface/guides.py" "$root" "$(readlink -f "$BURIN")" "$dir/guides" || fail "see above"

# The check itself: a command with a wrong option is noticed.
cp -r "$root/docs" "$dir/docs"
sed -i 's/^burin search --hex/burin search --hax/' "$dir/docs/guide/search.md"
python3 "$cli/interface/guides.py" "$dir" "$(readlink -f "$BURIN")" "$dir/wrong" docs/guide/search.md >"$dir/out" && fail "a wrong option is not noticed"
[ "$(grep -c '^FAILED' "$dir/out")" = 1 ] || fail "a wrong option: $(cat "$dir/out")"
finish
