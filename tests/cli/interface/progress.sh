#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# tests/cli/interface/progress.sh - what is drawn on terminals of several widths: lines that fit, the time left first, nothing left behind.
#
# Method: the program writes to a pseudo terminal of that size; what it draws is followed character by character. The scan is made slow and
# long, and is stopped by a signal once enough was drawn, so that nothing depends on the speed of the machine.
# Labels: long
. "$(dirname "$0")/../lib.sh"
planted
for _ in $(seq 60); do cat "$image"; done >"$dir/long.raw"
cat >"$dir/terminal.py" <<'PY'
import fcntl, os, pty, re, signal, struct, subprocess, sys, termios
columns, enough = int(sys.argv[1]), 4
master, slave = pty.openpty()
fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
process = subprocess.Popen(sys.argv[2:], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=slave,
                           preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL))
os.close(slave)
text = b""
asked = False
while True:
    try:
        some = os.read(master, 4096)
    except OSError:  # EIO: the other end is closed
        break
    if not some:
        break
    text += some
    # Lines of messages end with \r too; and how long it takes is told once some of it is done.
    if not asked and text.count(b"\x1b[K") > enough and (columns < 40 or b" left [" in text):
        process.send_signal(signal.SIGINT)
        asked = True
process.wait()
lines, line = [], ""
for part in re.findall(r"\x1b\[K|\r\n|\r|.", text.decode(), re.S):
    if part == "\x1b[K":
        continue
    if part in ("\r", "\r\n"):
        lines.append((line, part))
        line = ""
    else:
        line += part
drawn = [l for l, end in lines if l.startswith("scan ")]
assert columns == 1 or len(drawn) >= enough, text
for l, end in lines:
    # A message may be longer than a line; a bar may not, nor may it stand where a line ends.
    assert not l.startswith("scan ") or (len(l) < columns and end == "\r"), (columns, l, end)
    assert l.isprintable(), l
assert text.decode().rstrip().split("\r\n")[-1].split("\r\x1b[K")[-1].startswith("burin: scan: stopped on request"), text
if columns >= 40: # on a slow machine hours are left, and behind them is room for the shorter word
    told = [l for l in drawn if re.match(r"scan +\d+%, (\d+:)?\d+:\d\d left \[[#-]+\] \d+ (objects?|hits?)", l)]
    assert told, drawn
PY
for columns in $(rounds "200 40 20 1" "200 80 60 40 20 1"); do
    python3 "$dir/terminal.py" "$columns" "$BURIN" scan --all-hits --engine naive --threads 1 --segment 64K --force --case "$dir/case" "$dir/long.raw" \
        >"$dir/out" 2>&1 || fail "a terminal of $columns columns: $(tail -3 "$dir/out" | cut -c1-1000)"
done
# For a program: lines of JSON alone but for messages, of each stage the first one at its start and the last one at its end; also with
# --quiet.
for words in "scan --types default,text --case $dir/json --force" "scan --types default,text --case $dir/json --force --quiet"; do
    # shellcheck disable=SC2086
    burin $words --progress json "$image"
    [ "$status" -eq 0 ] || fail "$words --progress json: status $status"
    grep '^{' "$dir/err" >"$dir/lines"
    python3 - "$dir/lines" "$(stat -c %s "$image")" "$(sqlite3 -readonly "$dir/json" 'SELECT count(*) FROM hits')" <<'PY' || fail "$words: $(cat "$dir/lines")"
import json, sys
lines = [json.loads(line) for line in open(sys.argv[1])]
size, hits = int(sys.argv[2]), int(sys.argv[3])
scans = [line for line in lines if line["progress"] == "scan"]
texts = lines[len(scans):]
assert lines == scans + texts and all(line["progress"] == "text" for line in texts), lines
for stage in scans, texts:
    first, last = stage[0], stage[-1]
    assert len(stage) >= 2 and all(line["total"] == size for line in stage)
    assert first["position"] == 0 and first["percent"] == 0 and first["seconds_left"] is None and not first["ended"], first
    assert last["position"] == size and last["percent"] == 100 and last["ended"] and last["seconds_left"] == 0, last
    assert last["seconds"] >= 0 and last["bytes_per_second"] > 0, last
    assert [line["position"] for line in stage] == sorted(line["position"] for line in stage)
assert scans[-1]["hits"] == hits, scans[-1]
PY
done
[ "$(wc -l <"$dir/lines")" = "$(wc -l <"$dir/err")" ] || fail "--quiet --progress json says more: $(grep -v '^{' "$dir/err")"
burin carve --progress json --out "$dir/out.d" "$dir/json"
grep '^{' "$dir/err" | tail -1 | python3 -c 'import json, sys; line = json.load(sys.stdin); sys.exit(line["progress"] != "carve" or line["percent"] != 100 or not line["ended"])' ||
    fail "carve --progress json: $(cat "$dir/err")"
if command -v ewfacquire >/dev/null; then
    ewfacquire -u -q -t "$dir/e01" -d sha1 -c none "$image" >/dev/null 2>&1 || fail "ewfacquire"
    burin verify --progress json "$dir/e01.E01"
    grep '^{' "$dir/err" | tail -1 | grep -q '"progress": "verify".*"ended": true' || fail "verify --progress json: $(cat "$dir/err")"
fi
expect 2 "--progress 'bar': one of auto, json and none" scan --progress bar --case "$dir/no" "$image"
burin scan --progress none --force --case "$dir/json" "$image"
grep -q ' hits, ' "$dir/err" || fail "--progress none takes the summary away"
finish
