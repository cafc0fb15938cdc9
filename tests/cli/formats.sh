#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# tests/cli/formats.sh - docs/reference/formats.md is what tools/formats.sh makes of this program, and every format is in it.
# Labels: long
. "$(dirname "$0")/lib.sh"
root=$cli/../..

BURIN=$BURIN "$root/tools/formats.sh" >"$dir/page" || fail "tools/formats.sh: status $?"
diff "$root/docs/reference/formats.md" "$dir/page" >"$dir/diff" || fail "docs/reference/formats.md (<) is stale; tools/formats.sh >docs/reference/formats.md: $(head -20 "$dir/diff")"
expect 0 "" info --types
while IFS=$'\t' read -r name _; do
    [ "$(grep -c "^| \`$name\` |" "$dir/page")" -eq 1 ] || fail "$name is not one row of the page"
done <"$dir/out"
finish
