#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# tests/tidy/licence.sh - every source file says its licence in its first lines, and LICENSE is the text of that licence.
set -euo pipefail
cd "$(dirname "$(readlink -f "$0")")/../.."
status=0

if [ -e .git ] && command -v git >/dev/null && git ls-files >/dev/null 2>&1; then
    python3 tools/spdx.py || { echo "tools/spdx.py --write puts the line into them"; status=1; }
fi
# Debian has the text of the Apache Software Foundation.
if [ -e /usr/share/common-licenses/Apache-2.0 ]; then
    cmp LICENSE /usr/share/common-licenses/Apache-2.0 || { echo "LICENSE is not the text of Apache-2.0"; status=1; }
fi

# A file without the line is noticed, and --write gives it one that is; a line that another program reads stays the first one.
copy=$(mktemp -d)
trap 'rm -rf "$copy"' EXIT
git init -q "$copy"
printf '/* one line */\nint a;\n' >"$copy/a.c"
printf '/*\n * several lines\n */\nint b;\n' >"$copy/b.h"
printf '#!/bin/sh\n# what it does\n' >"$copy/c.sh"
printf 'SELECT 1;\n' >"$copy/d.sql"
printf 'no source\n' >"$copy/e.md"
spdx=$PWD/tools/spdx.py
cd "$copy"
[ "$(python3 "$spdx" | cut -d: -f1 | sort | paste -sd' ')" = "a.c b.h c.sh d.sql" ] || { echo "planted files are not noticed"; status=1; }
python3 "$spdx" --write >written
python3 "$spdx" || { echo "files are not right after --write"; status=1; }
tag='SPDX-License-Identifier: Apache-2''.0'
cat >right <<RIGHT
/* $tag
 * one line */
int a;
/* $tag
 * several lines
 */
int b;
#!/bin/sh
# $tag
# what it does
-- $tag
SELECT 1;
RIGHT
cat a.c b.h c.sh d.sql | diff right - || { echo "--write wrote something else"; status=1; }
exit "$status"
