#!/usr/bin/env bash
# tests/cli/interface/progress.sh - what is drawn on terminals of several widths: lines that fit, the time left first, nothing left behind.
#
# Method: the program writes to a pseudo terminal of that size; what it draws is followed character by character. The scan is made slow and
# long, and is stopped by a signal once enough was drawn, so that nothing depends on the speed of the machine.
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
if columns >= 40:
    told = [l for l in drawn if re.match(r"scan +\d+%, (\d+:)?\d+:\d\d left \[[#-]+\] [\d.]+ MB/s", l)]
    assert told, drawn
PY
for columns in 200 80 60 40 20 1; do
    python3 "$dir/terminal.py" "$columns" "$BURIN" scan --all-hits --engine naive --threads 1 --segment 64K --force --case "$dir/case" "$dir/long.raw" \
        >"$dir/out" 2>&1 || fail "a terminal of $columns columns: $(tail -3 "$dir/out" | cut -c1-1000)"
done
finish
