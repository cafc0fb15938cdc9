#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# tests/tidy/links.sh - what a page links to in the tree is there, and every page under docs/ is linked from docs/README.md.
set -euo pipefail
cd "$(dirname "$(readlink -f "$0")")/../.."

# Prints the broken links of the pages in tree $1.
broken() {
    local page target
    (
        cd "$1"
        while IFS=: read -r page target; do
            target=${target#"]("}
            case $target in *://* | mailto:* | "") continue ;; esac
            [ -e "${page%/*}/$target" ] || echo "$page: $target is not there"
        done < <(find . -name '*.md' -not -path './build*' -not -path './.git/*' -not -path './tests/samples/*' -exec grep -HoE '\]\([^)# ]*' {} +)
    )
}

# Prints the pages that the map of tree $1 does not name.
unnamed() {
    local page map
    (
        cd "$1/docs"
        map=$(<README.md)
        while IFS= read -r page; do
            [[ $map == *"](${page#./})"* ]] || echo "docs/README.md does not name ${page#./}"
        done < <(find . -type f -not -path ./README.md \( -name '*.md' -o -name '*.1' \))
    )
}

found=$(broken . && unnamed .)
if [ -n "$found" ]; then
    echo "$found"
    exit 1
fi

copy=$(mktemp -d)
trap 'rm -rf "$copy"' EXIT
status=0
mkdir -p "$copy/docs/deep"
echo "[map](deep/there.md)" >"$copy/docs/README.md"
echo "see [this](nowhere.md)" >"$copy/docs/deep/there.md"
echo "not named" >"$copy/docs/deep/other.md"
[ -n "$(broken "$copy")" ] || { echo "a planted broken link was not noticed"; status=1; }
[ -n "$(unnamed "$copy")" ] || { echo "a planted page that the map does not name was not noticed"; status=1; }
exit "$status"
