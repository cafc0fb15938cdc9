#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# tests/db/queries.sh - the examples of docs/reference/case-file.md work: every block of SQL or shell is run on a real case file, and where
# a block of text follows, that is what it prints.
#
# The tables of the page are compared with those of the file, so that no column is left out or made up.
set -euo pipefail

program=${BUILD:?the build folder}/test_example_case
page=$PWD/docs/reference/case-file.md
[ -x "$program" ] || { echo "$program is not built"; exit 77; }
command -v sqlite3 >/dev/null || { echo "sqlite3 is not installed"; exit 77; }

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
"$program" "$work/case.burin"

# One file a block: NN.sql or NN.sh, and NN.text with what it should print.
awk -v dir="$work" '
    /^```(sql|sh)$/ { n++; kind = substr($0, 4); file = sprintf("%s/%03d.%s", dir, n, kind); printf "" > file; next }
    /^```text$/     { file = sprintf("%s/%03d.text", dir, n); printf "" > file; next }
    /^```$/         { if (file != "") close(file); file = ""; next }
    file != ""      { print > file }
' "$page"

cd "$work"
count=0
for block in [0-9]*.sql [0-9]*.sh; do
    if [ "${block##*.}" = sql ]; then
        sqlite3 -batch -bail -readonly case.burin < "$block" > got 2>&1 ||
            { echo "$page: example $block fails:"; cat "$block" got; exit 1; }
    else
        bash -euo pipefail "$block" > got 2>&1 || { echo "$page: example $block fails:"; cat "$block" got; exit 1; }
    fi
    want=${block%.*}.text
    if [ -e "$want" ] && ! diff -u "$want" got; then
        echo "$page: example $block prints something else:"
        cat "$block"
        exit 1
    fi
    count=$((count + 1))
done
[ "$count" -ge 10 ] || { echo "only $count examples found in $page"; exit 1; }

# "### table" and then "| `column` |" lines, against the file.
awk '/^### `/ { gsub(/[#` ]/, ""); table = $0 } /^## / { table = "" }
     table != "" && /^\| `/ { split($0, cell, "`"); print table "." cell[2] }' "$page" | sort > documented
sqlite3 -readonly case.burin "SELECT m.name || '.' || c.name FROM sqlite_schema m, pragma_table_info(m.name) c
                              WHERE m.type = 'table' ORDER BY 1" | sort > present
diff -u documented present || { echo "$page: its tables are not those of a case file"; exit 1; }

# schema.sql says what each column is.
cut -d. -f2 present | sort -u | while read -r column; do
    grep -qE "^ +$column +(INTEGER|TEXT|BLOB).*-- " "$OLDPWD/db/schema.sql" ||
        { echo "db/schema.sql: column $column has no comment"; exit 1; }
done
echo "$count examples"
