#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# tests/cli/faults/resume.sh - a scan that was stopped goes on with --resume, and comes to the rows of one that never was.
#
# Method: the scan ends before its first, second, ... write to the case file's log, or is killed after a random time; it goes on, again
# and again, with other threads, parts, segments and engines; then `list --digest` is that of a scan that was not stopped. BURIN_KILLS
# sets how many chains there are of the second kind (default 2, and 3 with BURIN_LONG=1).
# Labels: long
. "$(dirname "$0")/../lib.sh"
planted
python3 "$cli/make_archives.py" "$dir/made" || exit 1
cat "$image" "$dir/made" "$dir/made" >"$dir/disk.raw"
printf '%s\n' 'png y 200000 \x89PNG IEND\xae\x42\x60\x82' 'bot n 3000 pk\x03\x04 pk\x05\x06 REVERSE' 'nxt y 9000 RIFF GIF NEXT' \
    'bmp y 1000 BM' 'any y 3000000 PK\x03\x04 PK\x05\x06 REVERSE' 'reg y 4000 /GIF8[79]a/ /\x00[a-z ]{3}/' >"$dir/rules.conf"
head -c 400000 "$dir/made" >"$dir/file"
expect 0 "" known build --quiet --files --block 4096 --names "$dir/blocks" "$dir/file"
expect 0 "" scan --quiet --case "$dir/for_files" "$dir/disk.raw"
expect 0 "" carve --quiet --out "$dir/files" "$dir/for_files"
expect 0 "" known build --quiet --files --names "$dir/known" "$dir/files"
RANDOM=4711

# What may be other in each run, as words.
speed() {
    local ways=("--threads 1" "--threads 3 --part-size 64K" "--threads 2 --part-size 400K --part-seed $((RANDOM + 1)) --segment 64K"
        "--threads 1 --part-size 1M --engine words" "--threads 2 --part-size 4K" "--threads 4 --engine ac --io pread")
    echo "${ways[RANDOM % ${#ways[@]}]}"
}

# What the hashes of the image are.
hashes() {
    for kind in md5 sha1 sha256; do
        "${kind}sum" <"$dir/disk.raw" | sed "s/^\([0-9a-f]*\).*/$kind \1 0/"
    done
}

# same WHAT OPTION... : the case file has the rows of a scan with these options that was not stopped.
same() {
    local what=$1
    shift
    [ -s "$dir/whole.digest" ] || {
        rm -f "$dir/whole"*
        expect 0 "" scan --quiet "$@" --case "$dir/whole" "$dir/disk.raw"
        expect 0 "" list --digest "$dir/whole"
        cp "$dir/out" "$dir/whole.digest"
    }
    expect 0 "" list --digest "$dir/case"
    cmp -s "$dir/out" "$dir/whole.digest" || fail "$what: other rows than those of a scan that was not stopped"
    expect 0 "" verify "$dir/case"
    [ "${*#*--hash}" = "$*" ] || [ "$(sqlite3 -readonly -separator ' ' "$dir/case" 'SELECT kind, digest, filled FROM image_hashes ORDER BY kind')" = "$(hashes)" ] ||
        fail "$what: hashes that are not those of the image"
    [ "$(sqlite3 -readonly "$dir/case" 'SELECT count(*) FROM resume')" = 0 ] || fail "$what: a scan that is done still says how to go on"
}

# Ends before write number 1, 2, ... of each run.
if [ -n "${SHIM:-}" ]; then
    chains=("--dictionary $dir/rules.conf" "--known $dir/blocks --known $dir/known --range 5000:9000000" "--hash md5,sha1,sha256")
    [ -z "${BURIN_LONG:-}" ] || chains+=("" "--hits-only")
    for options in "${chains[@]}"; do
        rm -f "$dir/case"* "$dir/whole"*
        ends=0 more=1 runs=0
        until [ "$more" = 0 ]; do
            runs=$((runs + 1))
            # shellcheck disable=SC2046,SC2086 # words, on purpose
            LD_PRELOAD=$SHIM SHIM_KILL=$((RANDOM % 20 + $(rounds 6 3) * runs)) "$BURIN" scan --quiet --resume $(speed) $options --case "$dir/case" \
                "$dir/disk.raw" >"$dir/out" 2>"$dir/err" </dev/null
            status=$?
            case $status in
            0) more=0 ;;
            137) ends=$((ends + 1)) ;;
            *) fail "run $runs of a chain ($options): status $status: $(cat "$dir/err")" && more=0 ;;
            esac
        done
        [ "$ends" -gt 3 ] || fail "only $ends runs of a chain ($options) were ended"
        # shellcheck disable=SC2086
        same "$ends ends ($options)" $options
    done
fi

# Killed, or asked to stop, after a random time.
rm -f "$dir/case"* "$dir/whole"*
cat "$dir/disk.raw" "$dir/disk.raw" "$dir/disk.raw" >"$dir/long.raw"
mv "$dir/long.raw" "$dir/disk.raw"
for chain in $(seq "${BURIN_KILLS:-$(rounds 2 3)}"); do
    rm -f "$dir/case"*
    rm -f "$dir/whole.digest"
    hash=$([ $((chain % 2)) = 0 ] || echo "--hash sha256,md5,sha1")
    for _ in 1 2 3 4 5; do
        how=$([ $((RANDOM % 3)) = 0 ] && echo TERM || echo KILL)
        # shellcheck disable=SC2046,SC2086
        (timeout --preserve-status -s "$how" 0.$(printf %03d $((RANDOM % 400 + 20))) "$BURIN" scan --quiet --wait --resume $(speed) $hash \
            --case "$dir/case" "$dir/disk.raw" >"$dir/out" 2>"$dir/err" </dev/null; exit $?) 2>/dev/null
        status=$?
        case $status in
        0 | 130 | 137 | 143) ;; # 143: it had not yet begun to listen
        *) fail "chain $chain: status $status: $(cat "$dir/err")" ;;
        esac
    done
    # shellcheck disable=SC2086
    burin scan --quiet --wait --resume $hash --case "$dir/case" "$dir/disk.raw" # one that was killed may still be there for a moment
    [ "$status" -eq 0 ] || fail "chain $chain: status $status: $(cat "$dir/err")"
    # shellcheck disable=SC2086
    same "chain $chain" $hash
done

# One that is done has nothing left to do.
# shellcheck disable=SC2086
burin scan --resume $hash --case "$dir/case" "$dir/disk.raw"
[ "$status" -eq 0 ] && grep -q "disk.raw: the scan was done before; nothing is left to do" "$dir/err" || fail "a scan that was done: $status, $(cat "$dir/err")"
expect 0 "" scan --quiet --resume --json --case "$dir/case" "$dir/disk.raw"
python3 -c 'import json, sys; assert json.load(open(sys.argv[1]))["objects"] > 100' "$dir/out" || fail "--json of a scan that was done: $(cat "$dir/out")"

# Stopped in the middle: what a resume needs.
stop() {
    local tenths
    for tenths in $(seq 2 2 100); do
        rm -f "$dir/case"*
        timeout --preserve-status -s TERM $((tenths / 10)).$((tenths % 10)) "$BURIN" scan --quiet --threads 1 --part-size 64K --engine naive "$@" \
            --case "$dir/case" "$dir/disk.raw" </dev/null >/dev/null 2>&1
        [ $? = 130 ] && [ "$(sqlite3 -readonly "$dir/case" 'SELECT position > 0 FROM runs' 2>/dev/null)" = 1 ] && return
    done
    fail "no scan could be stopped"
}
stop --known "$dir/blocks"
cp "$dir/case" "$dir/stopped"
again() {
    rm -f "$dir/case"*
    cp "$dir/stopped" "$dir/case"
}

# Whatever decides what is found must be the same; it is named, and nothing is written.
refuse() {
    local text=$1
    shift
    expect 3 "$text" scan --quiet --resume "$@"
    cmp -s "$dir/stopped" "$dir/case" || [ "$(sqlite3 -readonly "$dir/case" 'SELECT count(*) FROM runs')" = 1 ] || fail "refused ($text), and written"
}
blocks=(--known "$dir/blocks" --case "$dir/case")
refuse "--types: the scan was begun with null, and this command says png" "${blocks[@]}" --types png "$dir/disk.raw"
refuse "--align: the scan was begun with 1, and this command says 512" "${blocks[@]}" --align 512 "$dir/disk.raw"
refuse "--hash: the scan was begun with null, and this command says md5,stored" "${blocks[@]}" --hash stored,md5 "$dir/disk.raw"
refuse "--range" "${blocks[@]}" --range 0:1M "$dir/disk.raw"
refuse "begun with other signatures or rules" "${blocks[@]}" --dictionary "$dir/rules.conf" "$dir/disk.raw"
refuse "--hits-only" "${blocks[@]}" --hits-only "$dir/disk.raw"
refuse "begun with the set .*blocks too" --case "$dir/case" "$dir/disk.raw"
head -c 40000 "$dir/made" >"$dir/other"
expect 0 "" known build --quiet --files --block 4096 "$dir/other.set" "$dir/other"
refuse "begun with another set" --known "$dir/other.set" --case "$dir/case" "$dir/disk.raw"
refuse "begun without this set" "${blocks[@]}" --known "$dir/other.set" "$dir/disk.raw"
sqlite3 "$dir/case" "UPDATE runs SET build = 'another'"
refuse "begun by burin .* \(another\), and this is burin" "${blocks[@]}" "$dir/disk.raw"

# Another image, the same one changed, and the same one elsewhere.
again
cp "$dir/disk.raw" "$dir/moved.raw"
expect 3 "has the same content; if it was moved" scan --quiet --resume "${blocks[@]}" "$dir/moved.raw"
expect 0 "" scan --quiet --resume "${blocks[@]}" --image "$dir/moved.raw"
rm -f "$dir/whole"*
same "an image that was moved" --known "$dir/blocks"
[ "$(sqlite3 -readonly "$dir/case" 'SELECT path FROM images')" = "$dir/moved.raw" ] || fail "the place of a moved image is not on record"
sqlite3 -readonly "$dir/case" "SELECT text FROM log" | grep -q "image 1 is now $dir/moved.raw" || fail "the log does not say that the image was moved"
[ "$(sqlite3 -readonly "$dir/case" "SELECT group_concat(status || ' ' || coalesce(resumes, '-'), ', ') FROM runs")" = "interrupted -, done 1" ] ||
    fail "runs: $(sqlite3 -readonly "$dir/case" 'SELECT status, resumes FROM runs')"
again
head -c 1000000 "$dir/disk.raw" >"$dir/short.raw"
refuse "has 1000000 bytes, and the image whose scan was stopped had" "${blocks[@]}" --image "$dir/short.raw"
printf changed | dd of="$dir/moved.raw" conv=notrunc status=none
refuse "blocks of its fingerprint differ, the first at offset 0" "${blocks[@]}" --image "$dir/moved.raw"
touch "$dir/disk.raw"
burin scan --quiet --resume "${blocks[@]}" "$dir/disk.raw"
check 0 "was last written to at .* the [0-9]+ blocks of its fingerprint are the same" "an image that was touched"

# What it needs to go on was changed, cut off or taken away: it says so, whatever the bytes are.
for change in "substr(state, 1, length(state) / 2)" "substr(state, 2)" "zeroblob(200)" "randomblob(length(state))" "x''" \
    "substr(state, 1, 30) || randomblob(length(state) - 30)" "substr(state, 1, 200) || randomblob(length(state) - 200)" "state || x'00'"; do
    again
    sqlite3 "$dir/case" "UPDATE resume SET state = $change"
    burin scan --quiet --resume "${blocks[@]}" "$dir/disk.raw"
    [ "$status" -eq 3 ] || fail "state = $change: status $status: $(cat "$dir/err")"
done
again
sqlite3 "$dir/case" "DELETE FROM resume"
refuse "does not say what its scan needs to go on" "${blocks[@]}" "$dir/disk.raw"
again
sqlite3 "$dir/case" "DELETE FROM parts WHERE offset > 0"
burin scan --quiet --resume "${blocks[@]}" "$dir/disk.raw"
[ "$status" -le 3 ] || fail "parts that are missing: status $status: $(cat "$dir/err")"

# Several images: each goes on, begins or is done.
cp "$image" "$dir/second.raw"
again
expect 0 "" scan --quiet --resume "${blocks[@]}" "$dir/disk.raw" "$dir/second.raw"
rm -f "$dir/whole"*
expect 0 "" scan --quiet --known "$dir/blocks" --case "$dir/whole" "$dir/disk.raw" "$dir/second.raw"
expect 0 "" list --digest "$dir/whole"
cp "$dir/out" "$dir/whole.digest"
expect 0 "" list --digest "$dir/case"
cmp -s "$dir/out" "$dir/whole.digest" || fail "two images, one of which was stopped: other rows"
expect 0 "" scan --quiet --resume "${blocks[@]}" "$dir/second.raw" "$dir/disk.raw"
expect 0 "" list --digest "$dir/case"
cmp -s "$dir/out" "$dir/whole.digest" || fail "two images that were done: other rows"

# Words that do not go together.
expect 2 "--resume and --force exclude each other" scan --resume --force --case "$dir/case" "$dir/disk.raw"
expect 2 "--image needs --resume" scan --case "$dir/case" --image "$dir/disk.raw"
expect 2 "unexpected word" scan --resume --case "$dir/case" --image "$dir/disk.raw" "$dir/disk.raw"
finish
