#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# tests/cli/luks.sh - what is in a LUKS image, read with a key file: the rows of the raw image, by every command that reads images; the
# key is written nowhere and is in no command line; a wrong, missing or useless one is an error that says what to do.
#
# Method: qemu-img makes the image (LUKS1) of the raw one and says that it holds the same bytes.
# Labels: long
. "$(dirname "$0")/lib.sh"
need_jailed_server
planted
disk=$dir/disk.raw
cp "$image" "$disk"
truncate -s 4M "$disk"
secret='Geheimnis-7f3a-of-the-owner'
mkdir "$dir/keys" # apart: a command may read the folder of its image
printf %s "$secret" >"$dir/keys/key"
printf '%s\n' "$secret" >"$dir/keys/key.line"
printf %s "not the key" >"$dir/keys/key.wrong"
printf '\377\376\000binary' >"$dir/keys/key.bytes"
: >"$dir/keys/key.empty"
head -c 65537 /dev/zero | tr '\0' a >"$dir/keys/key.long"
file="$dir/a,disk.luks"
# It measures the processor first, and says now and then that it cannot.
for ((i = 0; i < 100; i++)); do
    qemu-img create -q --object secret,id=k,file="$dir/keys/key" -f luks -o key-secret=k,iter-time=10 "$dir/disk.luks" 4M 2>"$dir/err" && break
    grep -q "accurate CPU usage" "$dir/err" || break
done
[ -s "$dir/disk.luks" ] || fail "qemu-img makes no image: $(cat "$dir/err")"
qemu-img convert -n --object secret,id=k,file="$dir/keys/key" --image-opts "driver=raw,file.filename=$disk" --target-image-opts "driver=luks,key-secret=k,file.filename=$dir/disk.luks"
mv "$dir/disk.luks" "$file"
expect 0 "" scan --quiet --case "$dir/raw.case" "$disk"
"$BURIN" list --digest "$dir/raw.case" >"$dir/want"
id=$(sqlite3 -readonly "$dir/raw.case" "SELECT id FROM objects WHERE state = 'complete' ORDER BY id LIMIT 1")
"$BURIN" cat --quiet "$dir/raw.case" "$id" >"$dir/one"
[ -s "$dir/one" ] || fail "no object in the raw image"
same() { # WHAT CASE
    "$BURIN" list --digest "$2" | cmp -s - "$dir/want" || fail "$1: other rows than the raw image"
}

# Without a key it is the encrypted bytes, and that is said.
expect 0 "is encrypted \(LUKS1\).*--key-file FILE" scan --quiet --case "$dir/locked.case" "$file"
[ "$(sqlite3 -readonly "$dir/locked.case" "SELECT format FROM images")" = raw ] || fail "without a key it is not read as raw"

case=$dir/case
for how in "--threads 1" "--threads 3 --part-size 1M --image-type luks" "--no-jail"; do
    # shellcheck disable=SC2086
    expect 0 "" scan --quiet --force $how --key-file "$dir/keys/key" --case "$case" "$file"
    same "scan $how" "$case"
done
[ "$(sqlite3 -readonly "$case" "SELECT path || ' ' || format || ' ' || size FROM images")" = "$file LUKS 4194304" ] ||
    fail "on record as $(sqlite3 -readonly "$case" "SELECT path, format, size FROM images")"

# What is read once, such as a pipe, will do: the key is read once.
"$BURIN" scan --quiet --force --key-file <(printf %s "$secret") --case "$dir/pipe.case" "$file" 2>"$dir/err" || fail "a key from a pipe: $(cat "$dir/err")"
same "a key from a pipe" "$dir/pipe.case"

# Each command that reads images takes the key, and without it says which option gives it.
key=(--key-file "$dir/keys/key")
expect 0 "" info "${key[@]}" "$file"
grep -q "^format	LUKS$" "$dir/out" && grep -q "^size	4194304$" "$dir/out" || fail "info: $(cat "$dir/out")"
expect 0 "" cat --quiet "${key[@]}" "$case" "$id"
cmp -s "$dir/out" "$dir/one" || fail "cat gives other bytes"
mv "$file" "$dir/moved"
expect 0 "" cat --quiet "${key[@]}" --image "$dir/moved" "$case" "$id"
cmp -s "$dir/out" "$dir/one" || fail "cat gives other bytes of an image that was moved"
expect 3 "LUKS, cannot be read here; --key-file FILE" cat --quiet --image "$dir/moved" "$case" "$id"
mv "$dir/moved" "$file"
expect 0 "" verify --quiet "${key[@]}" "$case"
expect 0 "" assemble --quiet "${key[@]}" "$case"
same "assemble" "$case"
expect 0 "" carve --quiet "${key[@]}" --out "$dir/files" "$case"
expect 0 "" carve --quiet --out "$dir/files.raw" "$dir/raw.case"
for from in files files.raw; do (cd "$dir/$from" && find . -type f ! -name audit.txt ! -name report.xml -exec sha256sum {} + | sort) >"$dir/$from.sums"; done
[ -s "$dir/files.sums" ] && cmp -s "$dir/files.sums" "$dir/files.raw.sums" || fail "carve writes other files"
expect 0 "" report --quiet "${key[@]}" --format html --out "$dir/page.html" "$case"
expect 0 "" search --quiet "${key[@]}" --case "$dir/search.case" "$file" JFIF
expect 0 "" search --quiet --case "$dir/search.raw.case" "$disk" JFIF
expect 0 "" list --quiet --found "${key[@]}" "$dir/search.case" && cp "$dir/out" "$dir/search.out"
expect 0 "" list --quiet --found "$dir/search.raw.case" && cp "$dir/out" "$dir/search.raw.out"
[ -s "$dir/search.out" ] && cmp -s "$dir/search.out" "$dir/search.raw.out" || fail "search: other hits than in the raw image"
expect 0 "" triage --quiet --sweeps 3 --seed 1 "${key[@]}" --case "$dir/triage.case" "$file"
for command in "cat $case $id" "verify $case" "assemble $case" "carve --out $dir/none $case" "list --found $dir/search.case"; do
    # shellcheck disable=SC2086
    expect 3 "LUKS, cannot be read here; --key-file FILE names the file with its key" ${command%% *} --quiet ${command#* }
done
# A mount takes it in the process of the background.
if [ -c /dev/fuse ] && { [ "$(id -u)" -eq 0 ] || command -v fusermount3 >/dev/null; } && mkdir "$dir/m" && burin mount --quiet "${key[@]}" "$case" "$dir/m" && [ "$status" = 0 ]; then
    at_exit+=('umount -l "$dir/m" 2>/dev/null || fusermount3 -u -z "$dir/m" 2>/dev/null')
    (cd "$dir/m" && find . -path './jpg/*' -type f -exec sha256sum {} +) | awk '{ print $1 }' | sort >"$dir/mount.sums"
    (cd "$dir/files.raw" && find . -path './jpg/*' -type f -exec sha256sum {} +) | awk '{ print $1 }' | sort >"$dir/raw.sums"
    [ -s "$dir/raw.sums" ] && cmp -s "$dir/mount.sums" "$dir/raw.sums" || fail "mount has other files"
    umount "$dir/m" 2>/dev/null || fusermount3 -u "$dir/m" || fail "cannot unmount"
else
    echo "skipped: mount: $(cat "$dir/err")"
fi
# Parts by several processes, and merged.
expect 0 "" scan --quiet "${key[@]}" --part 0/2 --parts "$dir/parts" "$file"
expect 0 "" scan --quiet "${key[@]}" --part 1/2 --parts "$dir/parts" "$file"
expect 0 "" merge --quiet "${key[@]}" --case "$dir/merged.case" "$dir/parts"
same "merge" "$dir/merged.case"

# A scan that was stopped goes on with the key, and not without it.
"$BURIN" scan --quiet "${key[@]}" --no-assemble --threads 1 --part-size 512K --max-read 2M --case "$dir/stopped.case" "$file" >"$dir/out" 2>"$dir/err" &
scan=$!
until [ "$(sqlite3 -readonly "$dir/stopped.case" "SELECT count(*) FROM resume" 2>/dev/null || echo 0)" -gt 0 ] || ! kill -0 $scan 2>/dev/null; do sleep 0.02; done
kill -9 $scan 2>/dev/null
wait $scan 2>/dev/null
expect 3 "" scan --quiet --resume --no-assemble --case "$dir/stopped.case" "$file"
grep -q "another image\|--key-file FILE" "$dir/err" || fail "resumed without the key: $(cat "$dir/err")"
expect 0 "" scan --quiet --resume --no-assemble "${key[@]}" --case "$dir/stopped.case" "$file"
expect 0 "" scan --quiet --no-assemble --force --case "$dir/raw.case" "$disk"
"$BURIN" list --digest "$dir/raw.case" >"$dir/want"
same "a scan that was killed and resumed" "$dir/stopped.case"

# Wrong keys, and keys that are none.
for bad in "wrong:does not open it.*newline" "line:does not open it.*newline" "bytes:no text in UTF-8.*cryptsetup open --readonly" "empty:the file is empty" \
    "long:more than 65536 bytes" "none:No such file"; do
    expect 3 "${bad#*:}" scan --quiet --force --key-file "$dir/keys/key.${bad%%:*}" --case "$dir/bad.case" "$file"
    [ ! -e "$dir/bad.case" ] || fail "a case file is left behind"
done
expect 2 "--key-file is for images of the type luks" scan --quiet --force "${key[@]}" --image-type raw --case "$dir/bad.case" "$file"
expect 2 "a map is of the encrypted bytes" scan --quiet --force "${key[@]}" --mapfile "$dir/keys/key" --case "$dir/bad.case" "$file"
expect 3 "does not begin with the header of a LUKS volume" scan --quiet --force "${key[@]}" --case "$dir/bad.case" "$disk"
head -c 300 "$file" >"$dir/cut"
expect 3 "it was cut off" scan --quiet --force "${key[@]}" --case "$dir/bad.case" "$dir/cut"
{ printf 'LUKS\272\276\000\002' && head -c 8192 /dev/zero; } >"$dir/two"
expect 3 "of version 2, and QEMU reads version 1 alone; open it with cryptsetup" scan --quiet --force "${key[@]}" --case "$dir/bad.case" "$dir/two"
expect 0 "is encrypted \(LUKS2\).*cryptsetup open --readonly" scan --quiet --force --case "$dir/bad.case" "$dir/two"

# The key stands nowhere: not in what was written, and not in a command line while qemu-nbd runs.
! grep -rqF --binary-files=text --exclude-dir=keys "$secret" "$dir" || fail "the key was written: $(grep -rlF --binary-files=text --exclude-dir=keys "$secret" "$dir")"
if command -v strace >/dev/null && strace -f -o /dev/null true 2>/dev/null; then
    ASAN_OPTIONS=$ASAN_OPTIONS:detect_leaks=0 strace -f -qq -v -s 4096 -e trace=execve,openat -o "$dir/trace" "$BURIN" info "${key[@]}" "$file" >/dev/null 2>&1 || fail "info under strace fails"
    grep -q "execve.*qemu-nbd.*secret,id=key,file=/proc/self/fd/4" "$dir/trace" || fail "the trace has no qemu-nbd"
    ! grep -F "$secret" "$dir/trace" >"$dir/told" || fail "the key is in a command line: $(head -1 "$dir/told")"
    [ "$(grep openat "$dir/trace" | grep -cF "\"$dir/keys/key\"")" = 1 ] || fail "the key file is opened by others than one: $(grep -F "\"$dir/keys/key\"" "$dir/trace")"
fi
finish
