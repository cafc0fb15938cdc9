#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# tests/tidy/headers.sh - every header compiles alone, in strict C17, so that it can be included first anywhere.
# Labels: slow
set -euo pipefail
cd "$(dirname "$(readlink -f "$0")")/../.."

status=0
check() {
    ${CC:-cc} -std=gnu17 -Wall -Wextra -Werror -D_GNU_SOURCE -I. -fsyntax-only -x c "$1"
}

while read -r header; do
    # A template is included several times on purpose; its first comment says what to define before.
    if sed '/\*\//q' "$header" | grep -q 'Define [A-Z_]*' && ! grep -q '^#ifndef BURIN_' "$header"; then continue; fi
    # As the first include of a file, and twice, so that the guard is tried too.
    check - <<<"#include \"$header\"
#include \"$header\"" || { echo "$header does not compile alone"; status=1; }
    grep -q "^#ifndef BURIN_" "$header" || { echo "$header has no include guard BURIN_..."; status=1; }
done < <(find base io match signatures db carver cluster tests -name '*.h' | sort)

if check - <<<'uint32_t planted;' 2>/dev/null; then
    echo "a planted header that lacks <stdint.h> was accepted"
    status=1
fi
exit "$status"
