#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# tests/cluster/link.sh - a merge that leaves hits and objects in the shards (burin merge --link) makes a case file that every reader reads
# as it reads the one of a plain merge, which has them all: of 2, 7 and 40 parts, with rules, with hits alone; and goes on as that does.
# Labels: slow
. "$(dirname "$0")/../cli/lib.sh"
planted
python3 "$cli/make_archives.py" "$dir/made" || exit 1
cat "$image" "$dir/made" "$image" >"$dir/disk.raw"
printf '%s\n' 'png y 200000 \x89PNG IEND\xae\x42\x60\x82' 'gif y 5000 GIF89a \x00\x3b' 'nxt y 9000 RIFF GIF NEXT' 'bmp y 1000 BM' \
    'any y 9000000 PK\x03\x04 PK\x05\x06 REVERSE' 'reg y 4000 /GIF8[79]a/ /\x00[a-z ]{3}/' >"$dir/rules.conf"
parts=$dir/parts plain=$dir/plain linked=$dir/linked

digest() {
    "$BURIN" list --digest "$1" 2>>"$dir/err" || fail "list --digest $1: $(tail -1 "$dir/err")"
}
# merged N WORD...: N parts; both merges have the digest of one scan, and the linked case file has no hit of its own.
merged() {
    local count=$1 k
    shift
    rm -rf "$parts" "$dir/case"* "$plain"* "$linked"*
    for ((k = 0; k < count; k++)); do
        expect 0 "" scan --quiet --part "$k/$count" --parts "$parts" --threads 1 "$@" "$dir/disk.raw"
    done
    expect 0 "" scan --quiet "$@" --case "$dir/case" "$dir/disk.raw"
    expect 0 "" merge --quiet --case "$plain" "$parts"
    expect 0 "" merge --quiet --link --case "$linked" "$parts"
    [ "$(digest "$linked")" = "$(digest "$dir/case")" ] || fail "$count parts, $*: the linked case file has another digest"
    [ "$(digest "$plain")" = "$(digest "$linked")" ] || fail "$count parts, $*: the merged case file has another digest"
    [ "$(sqlite3 "$linked" "SELECT count(*) FROM hits")" = 0 ] || fail "$count parts, $*: hits were copied"
    local own
    own=$(sqlite3 "$linked" "SELECT count(*) FROM objects")
    [ $((2 * own)) -le "$(sqlite3 "$plain" "SELECT count(*) FROM objects")" ] || [[ "$*" == *--dictionary* ]] ||
        fail "$count parts, $*: $own objects were copied"
    [ "$(sqlite3 "$linked" "SELECT sum(hits) FROM linked")" = "$(sqlite3 "$plain" "SELECT count(*) FROM hits")" ] ||
        fail "$count parts, $*: another number of hits"
}
merged 2 --no-assemble --no-file-systems
merged 40
merged 4 --hits-only
merged 7 --dictionary "$dir/rules.conf"
[ "$(sqlite3 "$linked" "SELECT count(left_out) > 0 FROM linked")" = 1 ] || fail "no hit of a rule was left out: nothing was tried"

# Every reader says the same of both, but for the name of the case file, times, and what the log says of the command.
same() {
    "$BURIN" "$@" "$plain" >"$dir/out.plain" 2>"$dir/err.plain"
    local was=$?
    "$BURIN" "$@" "$linked" >"$dir/out.linked" 2>"$dir/err.linked"
    [ $? = "$was" ] || fail "$*: another status than $was: $(cat "$dir/err.linked")"
    [ "$was" = 0 ] || fail "$*: status $was: $(cat "$dir/err.plain")"
    [ -s "$dir/out.plain" ] || fail "$*: printed nothing"
    sed "s|$linked|$plain|g" "$dir/out.linked" | cmp -s - "$dir/out.plain" || fail "$*: other output: $(diff "$dir/out.plain" "$dir/out.linked" | head -5)"
}
same list
same list --json
same list --where "type = 'png'"
"$BURIN" cat "$plain" 1 >"$dir/out.plain" 2>"$dir/err" || fail "cat: $(cat "$dir/err")"
"$BURIN" cat "$linked" 1 | cmp -s - "$dir/out.plain" || fail "cat: other bytes"
for case in plain linked; do
    "$BURIN" info --json "$dir/$case" | grep -v '"case"\|"seal"\|"log_last_hash"' >"$dir/info.$case"
done
cmp "$dir/info.plain" "$dir/info.linked" || fail "info: $(diff "$dir/info.plain" "$dir/info.linked" | head -5)"
# Of the run that writes it, and of the machine.
own='start_time|<dc:|command_line|time>|<(maxrss|minflt|majflt|nswap|inblock|oublock)>'
for format in csv dfxml bodyfile; do
    expect 0 "" report --format $format --out "$dir/report.plain" "$plain"
    expect 0 "" report --format $format --out "$dir/report.linked" "$linked"
    sed "s|$linked|$plain|g; s|merge --quiet --link|merge --quiet|" "$dir/report.linked" >"$dir/report.same"
    [ "$(grep -vc 'date\|time\|sha256\|log' "$dir/report.plain")" -gt 5 ] || fail "report $format: too little to compare"
    diff <(grep -vE "$own" "$dir/report.plain") <(grep -vE "$own" "$dir/report.same") >"$dir/diff" ||
        fail "report --format $format: $(head -5 "$dir/diff")"
    rm -f "$dir/report."*
done
# Of the 340 objects of megabytes an eighth, and all with BURIN_LONG=1: each of both writes 1.5 GB then.
some=(--where "len < 1000000 OR id % 8 = 0")
[ -z "${BURIN_LONG:-}" ] || some=()
for case in plain linked; do
    expect 0 "" carve --quiet "${some[@]}" --out "$dir/carved.$case" "$dir/$case"
done
diff -r --exclude='*.xml' --exclude='*.txt' "$dir/carved.plain" "$dir/carved.linked" >"$dir/diff" || fail "carve: $(head -3 "$dir/diff")"
[ "$(find "$dir/carved.linked" -type f | wc -l)" -gt 60 ] && [ "$(find "$dir/carved.linked" -type f -size +1M | wc -l)" -gt 10 ] ||
    fail "carve wrote next to nothing"
expect 0 "" verify "$linked"
grep -q "shards: the [0-9]* hits, and the objects, that stay in $parts are those" "$dir/out" || fail "verify says nothing of the shards: $(cat "$dir/out")"
# What is found later stands beside what is linked.
for case in plain linked; do
    expect 0 "" search --quiet --case "$dir/$case" "$dir/disk.raw" IHDR PK
done
same list --found
[ "$(digest "$plain")" = "$(digest "$linked")" ] || fail "another digest after a search"
[ "$(sqlite3 "$linked" "SELECT count(*) > 0 FROM hits")" = 1 ] || fail "the search found nothing"
expect 0 "" verify "$linked"

# Of what goes over from part to part a shard has the CRCs at its ends: nobody reads the image for them. Blocks of 64 KiB are read for those
# alone here, as nothing goes over from shard to shard.
if command -v strace >/dev/null && strace -f -o /dev/null true 2>/dev/null; then
    python3 -c '
import gzip, random, sys
random.seed(5)
with open(sys.argv[1], "wb") as out:
    out.write(bytes(4096))
    while out.tell() < 30 << 20:
        packed = gzip.compress(random.randbytes(random.randrange(2 << 20, 5 << 20)), 1)
        out.write(packed + bytes(-len(packed) % 4096 + 4096))' "$dir/long.raw" || exit 1
    expect 0 "" scan --quiet --threads 1 --image-type raw --no-assemble --no-file-systems --part 0/1 --parts "$dir/long" "$dir/long.raw"
    expect 0 "" scan --quiet --image-type raw --no-assemble --no-file-systems --case "$dir/long.case" "$dir/long.raw"
    ASAN_OPTIONS=$ASAN_OPTIONS:detect_leaks=0 strace -f -qq -y -e trace=pread64 -o "$dir/trace" "$BURIN" merge --quiet --link \
        --case "$dir/long.linked" "$dir/long" || fail "merge --link under strace"
    [ "$(digest "$dir/long.linked")" = "$(digest "$dir/long.case")" ] || fail "files that go over from part to part: another digest"
    [ "$(sqlite3 "$dir/long.case" "SELECT count(*) > 1 FROM objects o, parts p WHERE o.offset < p.offset AND o.offset + o.len > p.offset")" = 1 ] ||
        fail "no file goes over from part to part: nothing was tried"
    grep -q "long\.raw>" "$dir/trace" || fail "the trace knows nothing of the image"
    ! grep "long\.raw>.*, 65536, " "$dir/trace" || fail "blocks of the image were read for CRCs"
else
    echo "skipped: what is read of the image: no strace"
fi

good=$(digest "$linked")
# What --link does not go with; a case file that makes room takes the place of its shards along.
expect 2 "exclude each other" merge --link --resume --case "$linked" "$parts"
expect 3 "exists" merge --quiet --link --case "$linked" "$parts"
expect 0 "" merge --quiet --link --force --case "$linked" "$parts"
[ "$(cat "$linked.old.1.shards")" = "$parts" ] || fail "the old case file has lost its shards"
[ "$(digest "$linked.old.1")" = "$good" ] || fail "the old case file has another digest"
expect 0 "" search --quiet --part 0/1 --parts "$dir/found" "$dir/disk.raw" IHDR
expect 2 "is of a scan" merge --link --case "$dir/searched" "$dir/found"
[ ! -e "$dir/searched" ] || fail "a case file of a search was linked"
finish
