#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# tests/cli/faults/tangle.sh - an NSRL RDSv3 database whose pages refer to one another in many ways: walking over
# its table would never end, and the walk is ended after as many steps as any file may take.
#
# Method: an interior page of a table is made to name the next one many times, twelve levels deep. It is done to
# one table with, and to one without an order of its rows that can be checked.
# Labels: long
. "$(dirname "$0")/../lib.sh"

for columns in "sha1 TEXT, file_name TEXT" "sha1 TEXT, file_name TEXT, rowid INT"; do
    rm -f "$dir/tangle.db"
    python3 - "$dir/tangle.db" "$columns" <<'PY'
import sqlite3, struct, sys
path, columns = sys.argv[1:]
PAGE, LEVELS, CELLS = 4096, 12, 32
db = sqlite3.connect(path)
db.execute(f"PRAGMA page_size = {PAGE}")
db.execute(f"CREATE TABLE METADATA ({columns})")
db.executemany("INSERT INTO METADATA (sha1, file_name) VALUES (?, 'f')", (("%040X" % (i * 2654435761 << 100 | i),) for i in range(4000)))
db.commit()
root = db.execute("SELECT rootpage FROM sqlite_schema").fetchone()[0]
db.close()
data = bytearray(open(path, "rb").read())
top = (root - 1) * PAGE
assert data[top] == 5 # an interior page: https://www.sqlite.org/fileformat2.html, 1.6
child = [struct.unpack_from(">I", data, top + struct.unpack_from(">H", data, top + 12 + 2 * i)[0])[0] for i in range(LEVELS + 1)]
for level in range(LEVELS): # each a page that refers to the next one, many times
    page = (child[level] - 1) * PAGE
    data[page:page + PAGE] = bytes(PAGE)
    struct.pack_into(">BHHHB", data, page, 5, 0, CELLS, PAGE - CELLS * 6, 0)
    struct.pack_into(">I", data, page + 8, child[level + 1])
    for i in range(CELLS):
        at = PAGE - (i + 1) * 6
        struct.pack_into(">H", data, page + 12 + 2 * i, at)
        struct.pack_into(">IBB", data, page + at, child[level + 1], 0x81, i + 1)
open(path, "wb").write(data)
PY
    timeout -s KILL 300 "$BURIN" known build --quiet --format rds3 "$dir/tangle.set" "$dir/tangle.db" >"$dir/out" 2>"$dir/err" </dev/null
    status=$?
    check 3 "tangle.db: .*pages refer to one another" "known build of an endless table ($columns)"
    [ -z "$(find "$dir" -name 'tangle.set*')" ] || fail "a part of a set is left: $(find "$dir" -name 'tangle.set*')"
done
finish
