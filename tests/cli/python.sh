#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# tests/cli/python.sh - the module burin_case: its own examples, and the bytes that `burin cat` writes, of raw, split, packed, moved and
# damaged images; nothing is written, and a case file that lies is refused.
# Labels: long
. "$(dirname "$0")/lib.sh"
module=$(readlink -f "$cli/../../python")
planted
mv "$image" "$dir/disk.img"
cd "$dir" || exit 1
expect 0 "" scan --quiet disk.img
find . -name 'disk*' -printf '%f %s %T@\n' | sort | sha256sum >before
PATH=$(dirname "$BURIN"):$PATH PYTHONPATH=$module python3 -m doctest "$module/burin_case.py" >out || fail "doctest: $(cat out)"
find . -name 'disk*' -printf '%f %s %T@\n' | sort | sha256sum | cmp - before || fail "the examples change the case file, or leave something beside it"

# Another form of the same image, and one with places that were not read.
split -b 1300000 -d -a 3 --numeric-suffixes=1 disk.img disk.
expect 0 "" scan --quiet --case split.burin disk.001
printf '0x00000000 +\n0x00000000 0x00006800 +\n0x00006800 0x00000200 -\n0x00006A00 0x0047967B +\n' >map
expect 1 "" scan --quiet --mapfile map --case map.burin disk.img
cases=(disk.img.burin split.burin map.burin)
if command -v ewfacquire >/dev/null; then
    ewfacquire -u -q -t packed disk.img >tool.log 2>&1 </dev/null || fail "ewfacquire: $(cat tool.log)"
    expect 0 "" scan --quiet --case packed.burin packed.E01
    cases+=(packed.burin)
else
    echo "skipped in part: ewfacquire is not installed"
fi

cat >compare.py <<'PY'
import os, random, subprocess, sys
import burin_case
program, random_ = sys.argv[1], random.Random(1)
for path in sys.argv[2:]:
    with burin_case.Case(path, burin=program) as case:
        count = unread = 0
        for found in case.objects():
            count += 1
            # Each third, each second of the first case, and the one that was not read; all with BURIN_LONG=1.
            if count % (2 if path == sys.argv[2] else 3) != 0 and found.offset != 25606 and not os.environ.get("BURIN_LONG"):
                continue
            want = subprocess.run([program, "cat", "--quiet", path, str(found.id)], stdout=subprocess.PIPE, check=True).stdout
            with case.open(found) as file:
                assert file.read() == want, (path, found)
                for _ in range(20):
                    at, length = random_.randrange(len(want) + 2), random_.randrange(9000)
                    assert file.seek(at) == at and file.read(length) == want[at:at + length], (path, found, at, length)
                assert file.seek(-3, 2) == len(want) - 3 and file.read() == want[-3:]
            unread += path == "map.burin" and found.offset == 25606 and want[1018:1530] == bytes(512)
        assert count > 25, count
        assert path != "map.burin" or unread == 1, "the planted place that was not read is not zeros"
print("same")
PY
PYTHONPATH=$module python3 compare.py "$BURIN" "${cases[@]}" >out 2>err || fail "not the bytes of burin cat: $(cat err)"

# An image that is elsewhere, is another one, or is missing; compare finds a change; a case file that lies.
mkdir elsewhere
mv disk.img elsewhere/there.img
cp disk.img.burin lies.burin
second=$(sqlite3 -readonly disk.img.burin "SELECT id FROM v_objects ORDER BY id LIMIT 1 OFFSET 1")
sqlite3 lies.burin "UPDATE extents SET offset = 4718714 WHERE object_id = $second; UPDATE extents SET offset = 9223372036854775000 WHERE object_id = 1;
    INSERT INTO bad_ranges SELECT NULL, 1, 1, 0, 9223372036854775807, 0, 'read', '-'" 2>err || fail "$(cat err)"
cp disk.img.burin old.burin
sqlite3 old.burin "PRAGMA user_version = 3"
cat >refuse.py <<'PY'
import sys
from burin_case import Case, CaseError
def refused(words, call):
    try:
        call()
    except CaseError as error:
        assert words in str(error), error
    else:
        raise AssertionError("not refused: " + words)
program, there = sys.argv[1], "elsewhere/there.img"
case = Case("disk.img.burin", burin=program)
first = case.object(1)
refused("No such file", lambda: case.open(first))
moved = Case("disk.img.burin", images=[there], burin=program)
right = moved.open(first).read()
assert right[:8] == b"\x89PNG\r\n\x1a\n" and moved.open(first, compare=True).read() == right
refused("not in any image", lambda: Case("lies.burin", images=[there]).object(1))
refused("not in its image", lambda: Case("lies.burin", images=[there]).open(Case("lies.burin").object(int(sys.argv[2]))))
refused("schema 3", lambda: Case("old.burin"))
refused("no such file", lambda: Case("nothing.burin"))
refused("2 paths", lambda: Case("disk.img.burin", images=[there, there]))
refused("no-such-program", lambda: Case("disk.img.burin", images=[there], burin="/no-such-program").open(first, compare=True))
with open(there, "r+b") as file:
    file.seek(100)
    file.write(b"changed")
assert moved.open(first).read() != right
refused("", lambda: moved.open(first, compare=True))
with open(there, "ab") as file:
    file.write(b"longer")
refused("when it was scanned", lambda: moved.open(first))
try:
    moved.query("DELETE FROM objects")
except Exception as error:
    assert "readonly" in str(error), error
else:
    raise AssertionError("the case file can be written to")
PY
PYTHONPATH=$module python3 refuse.py "$BURIN" "$second" >out 2>err || fail "refusals: $(cat err)"
finish
