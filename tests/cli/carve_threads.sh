#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# tests/cli/carve_threads.sh - carve by many threads writes the same bytes, reports and rows as by one, and is stopped as cleanly.
#
# Method: an image of small files, of files in pieces, and of one that is large enough to be hashed in a thread of its own; hashes are
# compared with sha256sum, contents with the bytes of the image.
# Labels: long
. "$(dirname "$0")/lib.sh"
planted
python3 - "$dir" "$image" <<'PY'
import random, struct, sys, zlib
folder, image = sys.argv[1], open(sys.argv[2], "rb").read()
gif = image[20483:20483 + 2621] # make_image.py
def chunk(kind, data):
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
def png(random_bytes, height): # 256 x height grey pixels, stored and not compressed
    rows = b"".join(b"\0" + random_bytes(256) for _ in range(height))
    return (b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", 256, height, 8, 0, 0, 0, 0)) +
            chunk(b"IDAT", zlib.compress(rows, 0)) + chunk(b"IEND", b""))
make = random.Random(18).randbytes
with open(folder + "/many.raw", "wb") as f:
    def put(data):
        f.write(data + bytes(-len(data) % 4096))
    put(image)
    for i in range(1500):
        put(gif)
    put(png(make, 80000)) # 20 MB
    put(png(make, 5000))
    for i in range(100):
        put(png(make, 10 + i))
    put(gif)
PY
expect 0 "" scan --quiet --case "$dir/case" "$dir/many.raw"
cp "$dir/case" "$dir/scanned"
burin list --quiet "$dir/case"
awk -F'\t' '$5 > 20000000 { large++ } END { exit !large }' "$dir/out" || fail "no object of 20 MB: $(sort -t '	' -nk5 "$dir/out" | tail -1)"

# What must not differ, without what names the run and its times.
tree() { # FOLDER CASE
    (cd "$1" && find . -type f ! -name audit.txt ! -name report.xml -print0 | sort -z | xargs -0 sha256sum) >"$1.tree"
    sed -E '/^(Started|Completed) at/d; /carve --/d; s,^Output directory: .*,,' "$1/audit.txt" >"$1.audit"
    sed -E '/<(start_time|command_line|utime|stime|maxrss|minflt|majflt|nswap|inblock|oublock|burin:end_time)>/d' "$1/report.xml" >"$1.report"
    sqlite3 -readonly "$2" "SELECT id, object_id, replace(path, '$1', ''), len, sha256 FROM outputs ORDER BY id; SELECT * FROM contents ORDER BY 1;
        SELECT * FROM bad_ranges ORDER BY id; SELECT id, kind, replace(text, '$1', '') FROM log WHERE kind IN ('output', 'note') ORDER BY id;
        SELECT status FROM runs ORDER BY id" >"$1.rows"
}
dir=$(readlink -f "$dir")
for threads in $(rounds "1 64" "1 2 3 8 64"); do
    cp "$dir/scanned" "$dir/case"
    burin carve --threads "$threads" --embedded --truncated --out "$dir/out.$threads" "$dir/case"
    [ "$status" -eq 0 ] || fail "carve --threads $threads: status $status: $(cat "$dir/err")"
    sed -E 's/in .*out\.[0-9]+$//; /[0-9a-f]{64}/d' "$dir/err" >"$dir/err.$threads"
    tree "$dir/out.$threads" "$dir/case"
    for what in tree audit report rows; do
        cmp "$dir/out.1.$what" "$dir/out.$threads.$what" >"$dir/diff" 2>&1 || fail "--threads $threads: another $what: $(diff "$dir/out.1.$what" "$dir/out.$threads.$what" | head -5)"
    done
    cmp -s "$dir/err.1" "$dir/err.$threads" || fail "--threads $threads: other messages: $(diff "$dir/err.1" "$dir/err.$threads")"
    [ "$threads" = 1 ] || rm -r "$dir/out.$threads"
done
[ "$(wc -l <"$dir/out.1.tree")" -gt 1600 ] || fail "only $(wc -l <"$dir/out.1.tree") files"
# The hashes are those of the files, by sha256sum.
sed -nE 's,^([^\t ]+/[0-9a-f]{16}[^ ]*) .*\t([0-9a-f]{64})\t.*,\2  \1,p' "$dir/out.1/audit.txt" >"$dir/sums"
[ "$(wc -l <"$dir/sums")" = "$(wc -l <"$dir/out.1.tree")" ] || fail "audit.txt has $(wc -l <"$dir/sums") hashes"
(cd "$dir/out.1" && sha256sum --quiet -c "$dir/sums") || fail "a hash in audit.txt is wrong"

# Bytes that changed since the scan: these objects alone are told of, in their order.
cp "$dir/many.raw" "$dir/changed.raw"
sed -n 's/^\([0-9]*\)\tgif\tcomplete\t\([0-9]*\)\t.*/\2/p' <(burin list --quiet "$dir/scanned"; cat "$dir/out") | sed -n '5p; 700p; 701p; 1400p' >"$dir/offsets"
while read -r offset; do flip "$dir/changed.raw" $((offset + 100)); done <"$dir/offsets"
for threads in 1 8; do
    cp "$dir/scanned" "$dir/case"
    burin carve --quiet --threads "$threads" --out "$dir/changed.$threads" --image "$dir/changed.raw" "$dir/case"
    [ "$status" -eq 1 ] || fail "changed bytes, --threads $threads: status $status: $(head -3 "$dir/err")"
    grep -o 'offset [0-9]*: not written' "$dir/err" | grep -oE '[0-9]+' | cmp -s - "$dir/offsets" || fail "changed bytes, --threads $threads: $(cat "$dir/err")"
    tree "$dir/changed.$threads" "$dir/case"
done
for what in tree audit report rows; do cmp -s "$dir/changed.1."$what "$dir/changed.8."$what || fail "changed bytes: another $what by 8 threads"; done

# whole FOLDER: each file that is there has its final name and all its bytes, but for the one kind of name that says that it has not.
whole() {
    (cd "$1" && find . -type f ! -name '.*' ! -name audit.txt ! -name report.xml | sed 's,^\./,,' | sort) >"$dir/there"
    sed 's/^[0-9a-f]*  \.\///' "$dir/plain.tree" | sort | comm -13 - "$dir/there" | grep . && fail "$2: a file that carve does not write"
    [ ! -s "$dir/there" ] || (cd "$1" && grep -wFf "$dir/there" "$dir/plain.tree" | sha256sum --quiet -c) || fail "$2: a file is not whole"
}
# told FOLDER: the files that its audit.txt names, of which there may be none.
told() { grep -oE '^[^	 ]+/[0-9a-f]{16}[^ ]*' "$1/audit.txt" || [ $? = 1 ]; }
cp "$dir/scanned" "$dir/case"
expect 0 "" carve --quiet --out "$dir/plain" "$dir/case"
tree "$dir/plain" "$dir/case"

# A stop: what is there is whole, and audit.txt has all of it and nothing else. Killed: the same, but for audit.txt.
for signal in $(rounds "TERM-AT-ONCE KILL INT" "TERM-AT-ONCE TERM KILL INT KILL TERM KILL"); do
    cp "$dir/scanned" "$dir/case"
    rm -rf "$dir/stopped"
    "$BURIN" carve --quiet --threads 5 --out "$dir/stopped" "$dir/case" </dev/null >"$dir/out" 2>"$dir/err" &
    pid=$!
    [ "$signal" != TERM-AT-ONCE ] || until [ -d "$dir/stopped" ] || ! kill -0 "$pid" 2>/dev/null; do :; done
    for _ in $(seq 400); do
        [ "$signal" != TERM-AT-ONCE ] || break
        [ "$(find "$dir/stopped" -name '*.gif' 2>/dev/null | wc -l)" -lt $((RANDOM % 1400)) ] || break
    done
    kill -"${signal%-AT-ONCE}" "$pid" 2>/dev/null
    wait "$pid" 2>/dev/null
    status=$?
    [ -d "$dir/stopped" ] || continue
    whole "$dir/stopped" "carve stopped by $signal"
    [ "$(sqlite3 "$dir/case" 'PRAGMA integrity_check')" = ok ] || fail "carve stopped by $signal: a damaged case file"
    # As docs/reference/case-file.md says: a row stands for a whole file.
    sqlite3 "$dir/case" "SELECT sha256 || '  ' || path FROM outputs" >"$dir/rows"
    [ ! -s "$dir/rows" ] || sha256sum --quiet -c "$dir/rows" || fail "carve stopped by $signal: a row without its file"
    [ "$(($(wc -l <"$dir/there") - $(wc -l <"$dir/rows")))" -le 1536 ] || fail "carve stopped by $signal: $(wc -l <"$dir/rows") rows for $(wc -l <"$dir/there") files"
    [ "$signal" != KILL ] || continue
    case $status in 0 | 130) ;; *) fail "carve stopped by $signal: status $status: $(cat "$dir/err")" ;; esac
    [ -z "$(find "$dir/stopped" -name '.*' -type f)" ] || fail "carve stopped by $signal leaves $(find "$dir/stopped" -name '.*' -type f)"
    told "$dir/stopped" | sort | cmp -s - "$dir/there" || fail "carve stopped by $signal: audit.txt has other files than the folder"
    [ "$(sqlite3 "$dir/case" 'SELECT count(*) FROM outputs')" = "$(wc -l <"$dir/there")" ] || fail "carve stopped by $signal: the case has other files than the folder"
done

# No room on the way: status 4, and audit.txt has all that is there.
if [ "$(id -u)" -eq 0 ] && mkdir "$dir/small" && mount -t tmpfs -o size=40m tmpfs "$dir/small" 2>/dev/null; then
    at_exit+=('umount "$dir/small" 2>/dev/null')
    for threads in $(rounds 8 "1 8"); do
        cp "$dir/scanned" "$dir/case"
        rm -rf "$dir"/small/*
        (
            for _ in $(seq 2000); do
                [ -z "$(find "$dir/small/out" -name '*.gif' 2>/dev/null | head -1)" ] || break
            done
            head -c 32M /dev/zero >"$dir/small/filler" 2>/dev/null
        ) &
        burin carve --quiet --threads "$threads" --out "$dir/small/out" "$dir/case"
        wait $!
        case $status in
        0) continue ;; # it was faster
        4) grep -q "whole files are in" "$dir/err" || fail "no room, --threads $threads: $(cat "$dir/err")" ;;
        *) fail "no room, --threads $threads: status $status: $(cat "$dir/err")" ;;
        esac
        whole "$dir/small/out" "no room, --threads $threads"
        [ -z "$(find "$dir/small/out" -name '.*' -type f)" ] || fail "no room, --threads $threads: $(find "$dir/small/out" -name '.*' -type f) is left"
        told "$dir/small/out" | sort | cmp -s - "$dir/there" || fail "no room, --threads $threads: audit.txt has other files than the folder"
        [ "$(grep -oE '[0-9]+ whole files' "$dir/err" | cut -d' ' -f1)" = "$(wc -l <"$dir/there")" ] || fail "no room, --threads $threads: $(cat "$dir/err")"
    done
fi
expect 2 "--threads" carve --threads 0 --out "$dir/none" "$dir/case"
finish
