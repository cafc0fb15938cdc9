#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# tests/cli/nbd.sh - images that a server has (NBD): the rows of the raw file, whatever the server asks for; what it cannot read
# is a bad range, and a server that is gone is none: --resume goes on when it is back.
#
# Method: qemu-nbd and nbdkit serve a disk of known objects; nbdkit's filters fail, wait, count and ask for blocks.
# Labels: long slow
. "$(dirname "$0")/lib.sh"
command -v qemu-nbd >/dev/null && command -v nbdkit >/dev/null || skip "no qemu-nbd, or no nbdkit"
planted

# The planted image, holes, the program, the planted image behind an odd sector: 24 MiB and a part of a sector.
disk=$dir/disk.raw
cp "$image" "$disk"
head -c 3000000 "$BURIN" | dd of="$disk" bs=64k oflag=seek_bytes seek=8388608 conv=notrunc status=none
dd if="$image" of="$disk" bs=64k oflag=seek_bytes seek=16777728 conv=notrunc status=none
truncate -s 25165824 "$disk"
expect 0 "" scan --quiet --hash sha256 --case "$dir/raw.case" "$disk"
"$BURIN" list --digest "$dir/raw.case" >"$dir/want"
[ "$(sqlite3 -readonly "$dir/raw.case" "SELECT count(*) FROM objects")" -gt 40 ] || fail "few objects in the raw image"

# serve NAME COMMAND... : starts a server on the socket $dir/NAME; $server is its process.
serve() {
    local name=$1
    shift
    rm -f "$dir/$name"
    "$@" >"$dir/server.out" 2>&1 </dev/null &
    server=$!
    at_exit+=("kill -9 $server 2>/dev/null")
    until [ -S "$dir/$name" ]; do
        kill -0 "$server" 2>/dev/null || { fail "$1 does not start: $(cat "$dir/server.out")"; return; }
        sleep 0.05
    done
}
stop() {
    kill -9 "$server"
    wait "$server" 2>/dev/null
}
at() { echo "nbd+unix:///?socket=$dir/$1"; }
same() { # WHAT CASE
    "$BURIN" list --digest "$2" | cmp -s - "$dir/want" || fail "$1: other rows than the raw image"
    [ "$(sqlite3 -readonly "$2" "SELECT count(*) FROM bad_ranges")" = 0 ] || fail "$1: bad ranges"
}
hash_of() { sqlite3 -readonly "$1" "SELECT digest FROM image_hashes WHERE filled = 0"; }

# Servers of several kinds.
serve qemu qemu-nbd -r -t -e 8 -f raw -k "$dir/qemu" "$disk"
for how in "--threads 3 --part-size 1M" "--threads 1 --segment 64K --hash sha256"; do
    # shellcheck disable=SC2086
    expect 0 "" scan --quiet --force $how --case "$dir/case" "$(at qemu)"
    same "qemu-nbd ($how)" "$dir/case"
done
[ "$(hash_of "$dir/case")" = "$(sha256sum <"$disk" | cut -d' ' -f1)" ] || fail "the hash is not that of the disk"
[ "$(sqlite3 -readonly "$dir/case" "SELECT path || ' ' || format || ' ' || size FROM images")" = "$(at qemu) NBD 25165824" ] || fail "the case does not say what was scanned"
burin info "$(at qemu)"
check 0 "" "info of an address"
grep -q '^format	NBD$' "$dir/out" && grep -q '^size	25165824$' "$dir/out" || fail "info: $(cat "$dir/out")"
expect 0 "" carve --quiet --out "$dir/files" "$dir/case"
expect 0 "" carve --quiet --out "$dir/files.raw" "$dir/raw.case"
diff -rq -x audit.txt -x report.xml "$dir/files" "$dir/files.raw" >"$dir/diff" || fail "carve gives other files: $(cat "$dir/diff")"
id=$(sqlite3 -readonly "$dir/case" "SELECT id FROM objects WHERE state = 'complete' ORDER BY id LIMIT 1")
"$BURIN" cat "$dir/case" "$id" >"$dir/one" && "$BURIN" cat --quiet "$dir/raw.case" "$id" | cmp -s - "$dir/one" || fail "cat gives other bytes"
expect 0 "" verify "$dir/case"
expect 0 "" assemble --quiet "$dir/case"
# The raw file is the same image, named by another place.
expect 0 "" verify --image "$disk" "$dir/case"
expect 0 "" verify --image "$(at qemu)" "$dir/raw.case"
stop
burin verify "$dir/case"
check 4 "" "verify without the server"

# Blocks of 4 KiB, and reads of no more than 64 KiB; the filter refuses others.
serve blocks nbdkit -f -r -U "$dir/blocks" --filter=blocksize-policy file "$disk" \
    blocksize-minimum=4096 blocksize-preferred=4096 blocksize-maximum=65536 blocksize-error-policy=error
expect 0 "" scan --quiet --force --case "$dir/case" "$(at blocks)"
same "a server of blocks" "$dir/case"
stop

# Holes are not read, and several connections are in use.
serve log nbdkit -f -r -U "$dir/log" --filter=log file "$disk" logfile="$dir/reads"
expect 0 "" scan --quiet --force --no-assemble --case "$dir/case" "$(at log)"
same "a server that counts" "$dir/case"
stop
read -r reads holes connections <<<"$(python3 - "$dir/reads" "$disk" <<'PYTHON'
import os, re, sys
text = open(sys.argv[1]).read()
reads = [(int(at, 16), int(count, 16)) for at, count in re.findall(r" Read id=\d+ offset=(\S+) count=(\S+)", text)]
with open(sys.argv[2], "rb") as disk: # a file system may not tell of holes
    hole = os.lseek(disk.fileno(), 12 << 20, os.SEEK_HOLE) == 12 << 20
print(len(reads), sum(at < 16 << 20 and at + count > 12 << 20 for at, count in reads) if hole else 0, len(re.findall(" Connect ", text)))
PYTHON
)"
[ "$reads" -gt 70 ] || fail "the log of the server has $reads reads"
[ "$holes" = 0 ] || fail "$holes reads of a hole of 4 MiB"
[ "$connections" -ge 8 ] || fail "$connections connections to a server that takes several"

# By TCP; a case file alone does not make burin connect to a host.
port=$((20000 + RANDOM % 20000))
nbdkit -f -r -i 127.0.0.1 -p $port -e disk -P "$dir/pid" file "$disk" >"$dir/server.out" 2>&1 &
server=$!
at_exit+=("kill -9 $server 2>/dev/null")
until [ -s "$dir/pid" ] || ! kill -0 $server 2>/dev/null; do sleep 0.05; done
if ! kill -0 $server 2>/dev/null || ! (: <"/dev/tcp/127.0.0.1/$port") 2>/dev/null; then
    echo "not tested without a network, not even the machine's own: TCP"
else
    expect 0 "" scan --quiet --force --case "$dir/case" "nbd://127.0.0.1:$port/disk"
    same "by TCP" "$dir/case"
    burin cat "$dir/case" "$id"
    check 3 "" "cat of a case that names a host"
    grep -q -- "--image ADDRESS" "$dir/err" || fail "cat does not say how: $(cat "$dir/err")"
    expect 0 "" verify --image "nbd://127.0.0.1:$port/disk" "$dir/case"
    burin cat --quiet --image "nbd://127.0.0.1:$port/disk" "$dir/case" "$id"
    cmp -s "$dir/out" "$dir/one" || fail "cat --image gives other bytes"
fi
stop

# What the server cannot read is bad, and nothing beside it.
printf '# Mapfile.\n0x00000000 + 1\n0x00000000 0x00100000 +\n0x00100000 0x00000600 -\n0x00100600 0x016ffa00 +\n' >"$dir/map"
cp "$disk" "$dir/holes.raw"
printf '\1%.0s' {1..1536} | dd of="$dir/holes.raw" bs=1 seek=1048576 conv=notrunc status=none
serve bad nbdkit -f -r -U "$dir/bad" --filter=ddrescue file "$dir/holes.raw" ddrescue-mapfile="$dir/map"
burin scan --quiet --force --case "$dir/case" "$(at bad)"
check 1 "" "scan of a disk with bad sectors"
[ "$(sqlite3 -readonly "$dir/case" "SELECT min(offset), sum(len), max(offset + len) FROM bad_ranges WHERE source = 'read'")" = "1048576|1536|1050112" ] ||
    fail "bad ranges: $(sqlite3 -readonly "$dir/case" "SELECT offset, len, cause, source FROM bad_ranges")"
stop

# The same of QEMU, which ends a connection when a part of an answer cannot be read.
serve qemubad qemu-nbd -r -t -e 8 -k "$dir/qemubad" --image-opts \
    "driver=raw,file.driver=blkdebug,file.image.driver=file,file.image.filename=$disk,file.inject-error.0.event=read_aio,file.inject-error.0.sector=16400,file.inject-error.0.errno=5,file.inject-error.0.iotype=read"
burin scan --quiet --force --case "$dir/case" "$(at qemubad)"
check 1 "" "scan of a disk with a bad sector, at QEMU"
[ "$(sqlite3 -readonly "$dir/case" "SELECT offset, len FROM bad_ranges")" = "8396800|512" ] ||
    fail "bad ranges at QEMU: $(sqlite3 -readonly "$dir/case" "SELECT offset, len, cause, source FROM bad_ranges")"
stop

# Reads that fail now and then: what comes back is no bad range, and is scanned.
serve flaky nbdkit -f -r -U "$dir/flaky" --filter=error file "$disk" error-pread=EIO error-pread-rate=10%
burin scan --quiet --force --case "$dir/case" "$(at flaky)"
check 1 "" "scan of a disk that fails now and then"
expect 0 "" scan --quiet --force --retry-bad 60 --case "$dir/case" "$(at flaky)"
same "a disk that fails now and then, with --retry-bad" "$dir/case"
[ "$(sqlite3 -readonly "$dir/case" "SELECT json_extract(options, '$.work.retry_bad') FROM runs")" = 60 ] || fail "--retry-bad is not on record"
stop
expect 2 "--retry-bad" scan --retry-bad -1 --case "$dir/case" "$disk"

# A read that takes long is told of, with its place; then the scan goes on.
serve wait nbdkit -f -r -U "$dir/wait" --filter=log --filter=delay file "$disk" delay-read=20ms logfile="$dir/reads"
: >"$dir/reads"
"$BURIN" scan --quiet --force --progress json --threads 1 --case "$dir/case" "$(at wait)" >"$dir/out" 2>"$dir/err" &
scan=$!
# The first line stands at the start of the reading.
until grep -q '"position"' "$dir/err" || ! kill -0 $scan 2>/dev/null; do sleep 0.1; done
if kill -STOP "$server" && kill -0 $scan 2>/dev/null; then
    until grep -qE '"slow_at": [0-9]|"ended": true' "$dir/err" || ! kill -0 $scan 2>/dev/null; do sleep 0.1; done
    kill -CONT "$server"
    status=0
    wait $scan || status=$?
    check 0 "" "a server that was slow"
    python3 - "$dir/err" <<'PYTHON' || fail "progress of a slow read: $(cat "$dir/err")"
import json, sys
lines = [json.loads(line) for line in open(sys.argv[1]) if line.startswith("{")]
slow = [line for line in lines if line["slow_at"] is not None]
if not slow and lines[-1]["seconds"] < 3:
    print("the scan was faster than its server could be stopped")
    sys.exit(0)
sys.exit(not slow or any(not 0 <= line["slow_at"] < 25165824 or line["slow_seconds"] < 3 for line in slow) or lines[-1]["slow_at"] is not None)
PYTHON
    same "a server that was slow" "$dir/case"
fi
stop

# A server that dies: nothing is lost, and nothing is bad. Reads that wait, so that the scan is at work then.
slow() {
    serve slow nbdkit -f -r -U "$dir/slow" --filter=log --filter=delay file "$disk" delay-read="$1" logfile="$dir/reads"
}
rm -f "$dir/case"*
for reads in $(rounds "60 200" "60 120 200"); do
    slow 30ms
    : >"$dir/reads"
    "$BURIN" scan --quiet --resume --hash sha256 --threads 2 --part-size 512K --no-assemble --case "$dir/case" "$(at slow)" >"$dir/out" 2>"$dir/err" &
    scan=$!
    until [ "$(grep -c ' Read ' "$dir/reads")" -ge "$reads" ] || ! kill -0 $scan 2>/dev/null; do sleep 0.1; done
    stop
    status=0
    wait $scan || status=$?
    # A scan that was faster than the wait is done.
    [ "$status" = 4 ] || [ "$status" = 0 ] || fail "the server was gone after $reads reads: status $status: $(cat "$dir/err")"
    [ "$reads" != 60 ] || [ "$status" = 4 ] || fail "the first server died, and the scan ended with $status"
    [ ! -e "$dir/case" ] || [ "$(sqlite3 -readonly "$dir/case" "SELECT count(*) FROM bad_ranges")" = 0 ] || fail "a server that is gone counts as bad sectors"
done
burin scan --quiet --resume --hash sha256 --threads 2 --part-size 512K --no-assemble --case "$dir/case" "$(at slow)"
check 4 "" "--resume without the server"
slow 0ms
expect 0 "" scan --quiet --resume --hash sha256 --threads 2 --part-size 512K --no-assemble --case "$dir/case" "$(at slow)"
same "a server that died and came back" "$dir/case"
[ "$(hash_of "$dir/case")" = "$(sha256sum <"$disk" | cut -d' ' -f1)" ] || fail "the hash is not that of the disk, behind a server that died"
expect 0 "" verify "$dir/case"
stop

# What is no NBD server, no address, no export, or holds a container.
python3 - "$dir/other" <<'PYTHON' &
import socket, sys
server = socket.socket(socket.AF_UNIX)
server.bind(sys.argv[1])
server.listen()
while True:
    peer, _ = server.accept()
    peer.sendall(b"220 mail.example ESMTP\r\n")
    peer.close()
PYTHON
server=$!
at_exit+=("kill -9 $server 2>/dev/null")
until [ -S "$dir/other" ]; do sleep 0.05; done
burin info "$(at other)"
check 3 "" "a server of another protocol"
grep -q "no NBD server" "$dir/err" || fail "not told: $(cat "$dir/err")"
stop
for address in nbds://host/x nbd+vsock://1/x "nbd+unix:///?socket=relative" "nbd+unix:///x" "nbd://" "nbd://host:0/" "nbd://a:b@host/" "nbd://host/%zz"; do
    burin info "$address"
    check 3 "" "$address"
done
burin info "$(at nothing)"
check 4 "" "no server at all"
if command -v qemu-img >/dev/null && qemu-img convert -f raw -O qcow2 "$disk" "$dir/disk.qcow2"; then
    serve packed nbdkit -f -r -U "$dir/packed" file "$dir/disk.qcow2"
    burin scan --quiet --force --case "$dir/case" "$(at packed)"
    check 3 "" "a container at a server"
    grep -q "QCOW2" "$dir/err" || fail "the container is not named: $(cat "$dir/err")"
    stop
fi
finish
