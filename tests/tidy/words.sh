#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# tests/tidy/words.sh - no unfinished work and no path of one machine in the tree; and base/ knows nothing of the program.
set -euo pipefail
cd "$(dirname "$(readlink -f "$0")")/../.."

# The words are put together here so that this file does not find itself.
words="\\b(TO""DO|FIX""ME|XX""X)\\b|(^|[^A-Za-z0-9_.])/(wor""k|hom""e|root)/[A-Za-z]"

# Files in tree $1 that hold a forbidden word: tracked ones where git knows the tree, else all.
search() {
    (
        cd "$1"
        if [ -e .git ] && command -v git >/dev/null && git ls-files >/dev/null 2>&1; then
            git ls-files -z
        else
            find . -type f -not -path './build*' -not -path './.git/*' -print0
        fi | { xargs -0 grep -nIE "$words" 2>/dev/null || true; }
    )
}

found=$(search .)
if [ -n "$found" ]; then
    printf 'unfinished work, or a path of one machine:\n%s\n' "$found"
    exit 1
fi

# Options, commands and exit statuses are the program's: carver/cli/advice.c says which option helps.
program='(^|[ "(])--[a-z]+|[Ee]xit status|burin (scan|search|list|known|carve|bench)|carver/'

found=$(grep -nE "$program" base/*.[ch] || true)
if [ -n "$found" ]; then
    printf 'base/ speaks of the program:\n%s\n' "$found"
    exit 1
fi

copy=$(mktemp -d)
trap 'rm -rf "$copy"' EXIT
status=0
for planted in "/* TO""DO: later */" "see /wor""k/somewhere"; do
    echo "$planted" >"$copy/planted.c"
    [ -n "$(search "$copy")" ] || { echo "planted '$planted' was not noticed"; status=1; }
done
for planted in '"use a smaller --segment"' '/* exit status 2 */' '/* as burin scan does */'; do
    grep -qE "$program" <<<"$planted" || { echo "planted '$planted' was not noticed"; status=1; }
done
exit "$status"
