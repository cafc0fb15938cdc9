#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# tests/cli/interface/table.sh - burin list on terminals: a table that fits, in colours where they are wanted; elsewhere the lines of always.
# Labels: long
. "$(dirname "$0")/../lib.sh"
planted
expect 0 "" scan --quiet --case "$dir/case" "$image"
# A type from outside, with letters that are wide and bytes that are none; long names.
cp "$dir/case" "$dir/strange"
sqlite3 "$dir/strange" "UPDATE objects SET type = '絵絵絵絵絵絵絵絵' WHERE id = 1; UPDATE objects SET type = 'a' || char(27) || '[31mb' WHERE id = 2" ||
    fail "sqlite3 cannot write"
cat >"$dir/terminal.py" <<'PY'
import fcntl, os, pty, struct, subprocess, sys, termios
master, slave = pty.openpty()
attributes = termios.tcgetattr(slave)
attributes[1] &= ~termios.OPOST
termios.tcsetattr(slave, termios.TCSANOW, attributes)
fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", 24, int(sys.argv[1]), 0, 0))
process = subprocess.Popen(sys.argv[2:], stdin=subprocess.DEVNULL, stdout=slave, stderr=subprocess.PIPE)
os.close(slave)
text = b""
while True:
    try:
        some = os.read(master, 65536)
    except OSError:
        break
    if not some:
        break
    text += some
sys.stdout.buffer.write(text)
sys.stderr.buffer.write(process.stderr.read())
sys.exit(process.wait())
PY
# shown COLUMNS WORD... : what list prints on a terminal of that width.
shown() {
    python3 "$dir/terminal.py" "$1" "$BURIN" list "${@:2}" >"$dir/out" 2>"$dir/err" || fail "list ${*:2} on $1 columns: $(cat "$dir/err")"
}
export TERM=xterm
unset NO_COLOR COLUMNS
rows=$(sqlite3 -readonly "$dir/case" 'SELECT count(*) FROM v_objects')
for columns in 300 80 40 20 1; do
    for case in case strange; do
        shown $columns "$dir/$case"
        [ "$(wc -l <"$dir/out")" = $((rows + 1)) ] || fail "$case on $columns columns: $(wc -l <"$dir/out") lines"
        python3 - "$columns" "$dir/out" <<'PY' || fail "$case does not fit into $columns columns: $(cat -v "$dir/out" | head -5)"
import re, sys, unicodedata
columns = int(sys.argv[1])
for line in open(sys.argv[2], encoding="utf-8").read().split("\n"):
    line = re.sub("\x1b\\[[0-9;]*m", "", line)
    assert line.isprintable(), line
    wide = sum(2 if unicodedata.east_asian_width(c) in "WF" else 1 for c in line)
    assert wide <= columns, (wide, line)
PY
    done
done
# The same objects, in the order of the lines: ids, types, states; offsets and names where there is room.
"$BURIN" list "$dir/case" >"$dir/lines"
plain() { sed 's/\x1b\[[0-9;]*m//g' "$dir/out"; }
shown 120 "$dir/case"
plain | awk 'NR > 1 { print $1, $2, $3, $6 }' >"$dir/got"
awk -F'\t' '{ print $1, $2, $3, $4 }' "$dir/lines" >"$dir/want"
cmp -s "$dir/got" "$dir/want" || fail "the table: $(diff "$dir/got" "$dir/want" | head -4)"
plain | awk 'NR > 1 { print $NF }' >"$dir/got"
cut -f9 "$dir/lines" >"$dir/want"
cmp -s "$dir/got" "$dir/want" || fail "names in the table: $(diff "$dir/got" "$dir/want" | head -4)"
[ "$(plain | head -1 | tr -s ' ')" = "ID TYPE STATE SIZE OFFSET IN NAME" ] || fail "the heading: $(plain | head -1)"
# Sizes for people: 2054 bytes are 2.0 KiB.
len=$(awk -F'\t' '$2 == "bmp" { print $5 }' "$dir/lines" | head -1)
want=$(awk -v len="$len" 'BEGIN { printf "%.1f KiB", len / 1024 }')
grep -q "bmp .* $want " <<<"$(plain)" || fail "no bmp of $want"

# Colours.
coloured() { grep -q $'\033\[' "$dir/out"; }
shown 80 "$dir/case"
coloured || fail "no colours on a terminal"
for words in "NO_COLOR=1" "TERM=dumb" "TERM="; do
    env "$words" python3 "$dir/terminal.py" 80 "$BURIN" list "$dir/case" >"$dir/out"
    ! coloured || fail "colours with $words"
    env "$words" python3 "$dir/terminal.py" 80 "$BURIN" list --color always "$dir/case" >"$dir/out"
    coloured || fail "no colours with $words and --color always"
done
NO_COLOR='' python3 "$dir/terminal.py" 80 "$BURIN" list "$dir/case" >"$dir/out"
coloured || fail "an empty NO_COLOR takes colours away"
shown 80 --color never "$dir/case"
! coloured || fail "colours with --color never"
grep -q '^ *ID ' "$dir/out" || fail "no heading"
shown 80 --known all --place all --limit 1 "$dir/case"
plain | head -1 | grep -q 'KNOWN .*PLACE' || fail "--known --place: $(plain | head -1)"
shown 80 --json --limit 1 "$dir/case"
python3 -c 'import json, sys; json.load(sys.stdin)' <"$dir/out" || fail "--json on a terminal"

# Elsewhere: lines, unless colours are asked for; $COLUMNS says how wide then.
expect 0 "" list "$dir/case"
cmp -s "$dir/out" "$dir/lines" && ! grep -q ' ID ' "$dir/out" || fail "a table in a pipe"
expect 0 "" list --color never "$dir/case"
cmp -s "$dir/out" "$dir/lines" || fail "--color never in a pipe"
COLUMNS=40 expect 0 "" list --color always "$dir/case"
coloured || fail "no colours with --color always"
[ "$(plain | awk 'length > 40' | wc -l)" = 0 ] || fail "wider than \$COLUMNS"
expect 2 "--color 'red': one of auto, always and never" list --color red "$dir/case"
expect 2 "--color always is of the table" list --json --color always "$dir/case"
# Nothing to show: no heading either.
shown 80 --limit 1 --category keys "$dir/case"
[ ! -s "$dir/out" ] || fail "a heading of nothing: $(cat "$dir/out")"
finish
