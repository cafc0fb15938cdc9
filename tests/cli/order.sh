#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# tests/cli/order.sh - how many parts of an image are read at a time: one, and a disk is read from its beginning to its end; any number,
# and the rows are the same; and the log says which and why.
#
# Method: strace tells of each read. What was read once the page cache has, so a disk sees the bytes that nobody asked for before.
# Labels: long
. "$(dirname "$0")/lib.sh"
planted
python3 - "$image" "$dir/disk.raw" <<'PY'
import gzip, io, random, sys, zipfile

random.seed(5)
image = open(sys.argv[1], "rb").read()
with open(sys.argv[2], "wb") as out:
    for size in 100000, 3000000, 500000, 9000000, 4000000:               # objects that reach into many parts
        data = io.BytesIO()
        with zipfile.ZipFile(data, "w", zipfile.ZIP_STORED) as z:
            z.writestr("a", random.randbytes(size))
            z.writestr("b", random.randbytes(size // 3))
        data = data.getvalue()
        out.write(image + data + bytes(-len(data) % 4096))
        out.write(gzip.compress(random.randbytes(size), 1, mtime=0) + random.randbytes(200000))
PY

note() {
    sqlite3 -readonly "$dir/case" "SELECT text FROM log WHERE text LIKE 'read %at a time%'"
}
expect 0 "" scan --quiet --threads 1 --case "$dir/case" "$dir/disk.raw"
rows "$dir/case" >"$dir/rows"
[ "$(wc -l <"$dir/rows")" -gt 100 ] || fail "only $(wc -l <"$dir/rows") rows to compare"
hows=("--threads 4 --parts-at-once 1 --segment 64K --io aio" "--threads 5 --parts-at-once 2 --segment 256K --io pread"
    "--threads 4 --parts-at-once 1 --segment 64K --part-size 400K --part-seed 3" "--threads 9 --parts-at-once 1 --range 65001:9000003")
[ -z "${BURIN_LONG:-}" ] || hows+=("--threads 4 --parts-at-once 1 --segment 64K" "--threads 3 --parts-at-once 1 --io pread" "--threads 2 --parts-at-once 2"
    "--threads 3 --parts-at-once 9")
for how in "${hows[@]}"; do
    rm -f "$dir/case"*
    # shellcheck disable=SC2086 # words, on purpose
    expect 0 "" scan --quiet $how --case "$dir/case" "$dir/disk.raw"
    rows "$dir/case" >"$dir/rows.now"
    [ "${how#*--range}" != "$how" ] || cmp -s "$dir/rows" "$dir/rows.now" || fail "scan $how: other rows: $(diff "$dir/rows" "$dir/rows.now" | head -5)"
    note | grep -q -- "--parts-at-once$" || fail "scan $how: the log says: $(note)"
done

rm -f "$dir/case"*
expect 0 "" scan --quiet --threads 3 --parts-at-once 3 --hash md5 --case "$dir/case" "$dir/disk.raw"
[ "$(note)" = "read one part at a time, in the order of the image: --hash" ] || fail "--hash: the log says: $(note)"

# search has it too; what nobody asked for has another reason.
rm -f "$dir/case"*
expect 0 "" search --quiet --parts-at-once 1 --threads 2 --case "$dir/case" "$dir/disk.raw" PK
[ "$(note)" = "read one part at a time, in the order of the image: --parts-at-once" ] || fail "search: the log says: $(note)"
rm -f "$dir/case"*
expect 0 "" scan --quiet --threads 1 --case "$dir/case" "$dir/disk.raw"
[ "$(note)" = "read one part at a time, in the order of the image: one thread scans" ] || fail "one thread: the log says: $(note)"
expect 2 "--parts-at-once 0" scan --parts-at-once 0 "$image"

# The furthest step back of what a disk would see from threads that scan, bytes, and how many bytes it would be asked for. (The main
# thread takes samples of the image before they begin.)
steps_back() {
    rm -f "$dir/case"*
    ASAN_OPTIONS=${ASAN_OPTIONS:-}:detect_leaks=0 strace -f -v -y -s 0 -e trace=pread64,fadvise64 -o "$dir/trace" "$BURIN" scan --no-jail --quiet --case "$dir/case" "$@" "$dir/disk.raw" ||
        fail "scan $*"
    python3 - "$dir/trace" "$dir/disk.raw" <<'PY'
import re, sys
asked, front, back, main = set(), 0, 0, None
lines, begun = [], {} # a call that another thread's line stands in is two lines: it was made where the first one stands
for line in open(sys.argv[1]):
    thread = line.split()[0]
    if thread in begun and "resumed>" in line:
        line = lines[begun[thread]] + line.split("resumed>", 1)[1]
        lines[begun.pop(thread)] = line
        continue
    if line.endswith("<unfinished ...>\n"):
        begun[thread] = len(lines)
        line = line[:-len("<unfinished ...>\n")]
    lines.append(line)
for line in lines:
    main = main or line.split()[0]
    if "<" + sys.argv[2] + ">" not in line:
        continue
    read = re.search(r'pread64\(.*, (\d+), (\d+)\)', line)
    advice = re.search(r'fadvise64\(\d+<.*>, (\d+), (\d+), POSIX_FADV_WILLNEED', line)
    if read:
        length, offset = int(read[1]), int(read[2])
    elif advice:
        offset, length = int(advice[1]), int(advice[2])
    else:
        continue
    for page in range(offset // 4096, (offset + length + 4095) // 4096):
        if page not in asked:
            asked.add(page)
            if line.split()[0] == main:
                continue
            back = max(back, front - page * 4096)
            front = max(front, page * 4096)
print(back, len(asked) * 4096)
PY
}
command -v strace >/dev/null || skip "no strace"
strace -o /dev/null true 2>/dev/null || skip "strace may not trace here"
size=$(stat -c %s "$dir/disk.raw")
for threads in 2 4; do
    read -r back total < <(steps_back --threads $threads --parts-at-once 1 --segment 64K)
    [ "$back" -le 300000 ] || fail "$threads threads in turns step $back bytes back"
    [ "$total" -ge "$size" ] || fail "$threads threads in turns ask for $total bytes of $size"
done
read -r back total < <(steps_back --threads 3 --hash md5,sha256 --segment 64K)
[ "$back" -le 300000 ] || fail "threads that hash the image step $back bytes back"
# The method sees it when threads do not read in turns.
read -r back total < <(steps_back --threads 4 --parts-at-once 4 --segment 64K --io cache)
[ "$back" -gt 2000000 ] || fail "4 threads not in turns step only $back bytes back: the method sees nothing"
finish
