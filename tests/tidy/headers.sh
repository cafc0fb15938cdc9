#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# tests/tidy/headers.sh - every header compiles alone, in strict C17, so that it can be included first anywhere.
# Labels: slow
set -euo pipefail
cd "$(dirname "$(readlink -f "$0")")/../.."

dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
status=0
# check FILE...: one start of the compiler's driver for all of them, as that costs as much as a header does.
check() {
    ${CC:-cc} -std=gnu17 -Wall -Wextra -Werror -D_GNU_SOURCE -I. -fsyntax-only "$@"
}

mapfile -t headers < <(find base io match signatures db carver cluster tests -name '*.h' | sort)
# A template is included several times on purpose; its first comment says what to define before.
mapfile -t templates < <(awk 'FNR == 1 { head = 1 } head && /Define [A-Z_]/ { print FILENAME; nextfile } /\*\// { head = 0 }' "${headers[@]}")
mapfile -t unguarded < <(grep -L '^#ifndef BURIN_' "${headers[@]}")
# The build compiles those that a file includes first; those that another header includes first are compiled with it.
mapfile -t others < <(find base io match signatures db carver cluster tests -name '*.c'; grep -l '^#ifndef BURIN_' "${headers[@]}")
mapfile -t tried < <(awk 'FNR == 1 { first = 1 } first && /^#include/ { first = 0; if ($2 ~ /^"/) print substr($2, 2, length($2) - 2) }' "${others[@]}")
for header in "${headers[@]}"; do
    if [[ " ${unguarded[*]} " == *" $header "* ]]; then
        [[ " ${templates[*]} " == *" $header "* ]] || { echo "$header has no include guard BURIN_..."; status=1; }
        continue
    fi
    [[ " ${tried[*]} " != *" $header "* ]] || continue
    # As the first include of a file, and twice, so that the guard is tried too.
    printf '#include "%s"\n' "$header" "$header" >"$dir/${header//\//_}.c"
done
check "$dir"/*.c || { echo "a header does not compile alone"; status=1; }

echo 'uint32_t planted;' >"$dir/planted.c"
if check "$dir/planted.c" 2>/dev/null; then
    echo "a planted header that lacks <stdint.h> was accepted"
    status=1
fi
exit "$status"
