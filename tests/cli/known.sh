#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# tests/cli/known.sh - sets of known hashes: every format read, looked up, added to, damaged; against md5sum, sqlite3 and grep.
#
# Method: 300 small files are hashed by coreutils, and the same hashes written down in each format; every set must know exactly those.
# Bad lists must be refused with line and column.
# Labels: long slow
. "$(dirname "$0")/lib.sh"

mkdir "$dir/files" "$dir/files/below"
python3 - "$dir/files" <<'PY'
import sys
for i in range(1, 301):
    with open(f"{sys.argv[1]}/{'below/' if i % 7 == 0 else ''}f{i}", "w") as out:
        out.write("".join(f"{k}\n" for k in range(i, 3 * i + 1)) + f"file {i}\n")
PY
cp "$dir/files/f1" "$dir/files/same"
find "$dir/files" -type f | sort >"$dir/paths"
for tool in md5 sha1 sha256; do
    xargs -d '\n' "${tool}sum" <"$dir/paths" >"$dir/$tool"
    xargs -d '\n' "${tool}sum" --tag <"$dir/paths" >"$dir/$tool.tag"
    cut -d' ' -f1 "$dir/$tool" | sort -u >"$dir/$tool.hashes"
done

# asks SET ALGORITHM: all hashes are known, and others with one digit changed are not.
asks() {
    burin known query "$1" - </dev/null
    status=0
    "$BURIN" known query "$1" - <"$dir/$2.hashes" >"$dir/out" 2>"$dir/err" || status=$?
    [ "$status" -eq 0 ] || fail "$1: its own hashes: status $status, $(head -2 "$dir/err")"
    [ "$(cut -f1 "$dir/out")" = "$(cat "$dir/$2.hashes")" ] || fail "$1: other hashes than asked for"
    sed 's/^0/x/; s/^[^x]/0/; s/^x/1/' "$dir/$2.hashes" | grep -vxFf "$dir/$2.hashes" >"$dir/others"
    status=0
    "$BURIN" known query "$1" - <"$dir/others" >"$dir/out" 2>"$dir/err" || status=$?
    [ "$status" -eq 1 ] || fail "$1: hashes that are not in it: status $status"
    [ "$(cut -f2 "$dir/out" | sort | uniq -c | tr -s ' ')" = " $(wc -l <"$dir/others") unknown" ] || fail "$1: knows what it does not hold"
}

for tool in md5 sha1 sha256; do
    expect 0 "" known build --quiet "$dir/$tool.set" "$dir/$tool"
    asks "$dir/$tool.set" $tool
    expect 0 "" known build --quiet --names --good "$dir/$tool.tag.set" "$dir/$tool.tag"
    asks "$dir/$tool.tag.set" $tool
    sed 'y/abcdef/ABCDEF/; s/$/\r/' "$dir/$tool.hashes" >"$dir/$tool.bare"
    expect 0 "" known build --quiet "$dir/$tool.bare.set" "$dir/$tool.bare"
    asks "$dir/$tool.bare.set" $tool
    expect 0 "" known build --quiet --files --hash $tool --threads 3 "$dir/$tool.files.set" "$dir/files"
    asks "$dir/$tool.files.set" $tool
    expect 0 "" known info --check "$dir/$tool.set" "$dir/$tool.files.set"
    grep -q "hashes   $(wc -l <"$dir/$tool.hashes") $tool" "$dir/out" || fail "info: $(cat "$dir/out")"
done

# The first name of a hash; files asked for by their hash.
burin known query "$dir/md5.tag.set" "$(sed -n 5p "$dir/md5" | cut -d' ' -f1)" "$dir/files/f1"
[ "$status" -eq 0 ] || fail "a hash and a file: status $status, $(cat "$dir/err")"
[ "$(sed -n 1p "$dir/out" | cut -f2,3)" = "good	$(sed -n 5p "$dir/md5" | cut -c35-)" ] || fail "the name: $(cat "$dir/out")"
[ "$(sed -n 2p "$dir/out" | cut -f3,4)" = "$dir/files/f1	$dir/files/f1" ] || fail "a file: $(cat "$dir/out")"
echo other >"$dir/other"
expect 1 "" known query "$dir/sha1.set" "$dir/other" "$dir/files/f2"
expect 1 "" known query --json "$dir/sha1.set" "$dir/other" "$dir/files/f2"
python3 -c 'import json, sys; a = json.load(open(sys.argv[1])); assert [x["answer"] for x in a] == ["unknown", "known"], a' "$dir/out" ||
    fail "query --json: $(cat "$dir/out")"
expect 3 "neither a file" known query "$dir/sha1.set" 0123

# Names that coreutils escapes.
odd=$'odd\\name\nwith a line feed'
echo odd >"$dir/$odd"
(cd "$dir" && sha256sum "$odd" >"$dir/odd.sums")
expect 0 "" known build --quiet --names "$dir/odd.set" "$dir/odd.sums"
burin known query "$dir/odd.set" "$dir/$odd"
[ "$(cut -f3 "$dir/out")" = 'odd\x5Cname\x0Awith a line feed' ] || fail "an escaped name: $(cat "$dir/out")"

# NSRL RDS 2 and 1, HashKeeper, EnCase, NSRL RDS 3, words.
python3 - "$dir" <<'PY'
import sqlite3, struct, sys
d = sys.argv[1]
rows = [(a.split()[0], b.split()[0], c.split()[0], b[34:].rstrip("\n")) for a, b, c in
        zip(open(d + "/sha256"), open(d + "/md5"), open(d + "/sha1"))]
with open(d + "/NSRLFile.txt", "w", newline="") as f:
    f.write('"SHA-1","MD5","CRC32","FileName","FileSize","ProductCode","OpSystemCode","SpecialCode"\r\n')
    for i, (s256, md5, sha1, name) in enumerate(rows):
        quoted = 'a "quoted" name' if i == 3 else 'doubled ""quotes"", and a comma' if i == 4 else name
        f.write('"%s","%s","%08X","%s",%d,%d,"362",""\r\n' % (sha1.upper(), md5.upper(), i, quoted, i, i))
with open(d + "/NSRL1.txt", "w", newline="") as f:
    f.write('"SHA-1","FileName","FileSize","ProductCode","OpSystemCode","MD4","MD5","CRC32","SpecialCode"\r\n')
    for s256, md5, sha1, name in rows:
        f.write('"%s","%s",1,2,"WIN","","%s","0",""\r\n' % (sha1, name, md5))
with open(d + "/keeper.hsh", "w") as f:
    f.write('"file_id","hashset_id","file_name","directory","hash","file_size","date_modified","time_modified","time_zone",'
            '"comments","date_accessed","time_accessed"\n')
    for i, (s256, md5, sha1, name) in enumerate(rows):
        f.write('%d,5,"F%d.HLP","C:\\WINDOWS\\HELP","%s",34832,7/11/95 0:00:00,12/30/99 9:50:00,"PST",,,\n' % (i, i, md5.upper()))
with open(d + "/set.hash", "wb") as f:
    f.write(b"HASH\r\n\xff\0" + bytes(8) + struct.pack("<I", len(rows)) + bytes(1152 - 20))
    for s256, md5, sha1, name in rows:
        f.write(bytes.fromhex(md5) + b"\0\0")
for name, table in (("full.db", "METADATA"), ("minimal.db", "FILE")):
    db = sqlite3.connect(d + "/" + name)
    db.execute("CREATE TABLE %s (sha256 VARCHAR NOT NULL, sha1 VARCHAR NOT NULL, md5 VARCHAR NOT NULL, file_name VARCHAR NOT NULL, "
               "bytes INTEGER NOT NULL, package_id INTEGER NOT NULL)" % table)
    if table == "METADATA":
        db.execute("CREATE VIEW FILE AS SELECT UPPER(sha256) AS sha256, UPPER(sha1) AS sha1, UPPER(md5) AS md5, file_name FROM METADATA")
    db.executemany("INSERT INTO %s VALUES (?, ?, ?, ?, 1, 1)" % table, [(a.upper(), c.upper(), b.upper(), n) for a, b, c, n in rows])
    db.commit()
PY
for list in NSRLFile.txt NSRL1.txt full.db minimal.db; do
    for tool in sha1 md5; do
        expect 0 "" known build --quiet --names --hash $tool "$dir/$list.$tool.set" "$dir/$list"
        asks "$dir/$list.$tool.set" $tool
    done
done
expect 0 "" known build --quiet --hash sha256 "$dir/rds3.set" "$dir/full.db"
asks "$dir/rds3.set" sha256
for list in keeper.hsh set.hash; do
    expect 0 "" known build --quiet --names "$dir/$list.set" "$dir/$list"
    asks "$dir/$list.set" md5
done
burin known query "$dir/NSRLFile.txt.sha1.set" - < <(sed -n '4p;5p' "$dir/sha1") || true
"$BURIN" known query "$dir/NSRLFile.txt.sha1.set" - < <(sed -n '4p;5p' "$dir/sha1") | cut -f3 >"$dir/out"
[ "$(cat "$dir/out")" = 'a "quoted" name
doubled "quotes", and a comma' ] || fail "names of an RDS: $(cat "$dir/out")"
"$BURIN" known query "$dir/keeper.hsh.set" - < <(sed -n 8p "$dir/md5") | grep -qF 'C:\x5CWINDOWS\x5CHELP\x5CF7.HLP' || fail "a name of HashKeeper"
[ "$(sqlite3 "$dir/full.db" 'SELECT count(DISTINCT sha1) FROM FILE')" = "$(wc -l <"$dir/sha1.hashes")" ] || fail "the RDS of the test"

printf 'alpha\nbeta\n\nStraße\nalpha\n' >"$dir/words"
expect 0 "" known build --quiet --format words --hash sha1 "$dir/words.set" "$dir/words"
expect 0 "" known query --format words "$dir/words.set" alpha beta "Straße"
expect 1 "" known query --format words "$dir/words.set" Alpha
expect 0 "" known query "$dir/words.set" "$(printf beta | sha1sum | cut -d' ' -f1)"
"$BURIN" known query --format words "$dir/words.set" - < <(printf 'beta\ngamma\n') >"$dir/out"
[ "$(cut -f2 "$dir/out" | tr '\n' ' ')" = "known unknown " ] || fail "words from standard input: $(cat "$dir/out")"

# The same set, whatever the order, the memory and the threads; added to in parts. Only the time differs.
body() { tail -c +4097 "$1" | sha256sum; }
sort -r "$dir/sha256" >"$dir/reversed"
expect 0 "" known build --quiet --memory 1M --threads 4 "$dir/reversed.set" "$dir/reversed"
[ "$(body "$dir/reversed.set")" = "$(body "$dir/sha256.set")" ] || fail "another order gives another set"
seq 60000 | sha1sum >/dev/null
python3 -c '
import hashlib
for i in range(60000):
    print(hashlib.sha256(b"%d" % (i % 50000)).hexdigest(), " %d" % i)' >"$dir/many"
expect 0 "" known build --quiet --names "$dir/many.set" "$dir/many"
expect 0 "" known build --quiet --names --memory 1M --threads 3 "$dir/spilled.set" "$dir/many"
[ "$(body "$dir/many.set")" = "$(body "$dir/spilled.set")" ] || fail "sorting on disk gives another set"
head -20000 "$dir/many" >"$dir/part1"
tail -n +20001 "$dir/many" >"$dir/part2"
expect 0 "" known build --quiet --bad --label "a label" "$dir/added.set" "$dir/part1"
expect 0 "" known add --quiet --memory 1M "$dir/added.set" "$dir/part2"
expect 0 "" known build --quiet "$dir/plain.set" "$dir/many"
[ "$(body "$dir/plain.set")" = "$(body "$dir/added.set")" ] || fail "a set added to is another one"
expect 0 "" known info --check --json "$dir/added.set"
python3 -c 'import json, sys; a = json.load(open(sys.argv[1]))[0]; assert (a["label"], a["verdict"], a["hashes"]) == ("a label", "bad", 50000), a' \
    "$dir/out" || fail "info --json: $(cat "$dir/out")"

# Blocks: those that say nothing are left out, the rest are found at any place of another file.
python3 - "$dir" <<'PY'
import random, struct, sys
r = random.Random(1)
noise = r.randbytes(8192)
ramp = b"".join(struct.pack("<I", i) for i in range(1024))
open(sys.argv[1] + "/blocky", "wb").write(noise + bytes(4096) + ramp + b"ab" * 2048 + b" \n\t " * 1024 + noise[:100])
open(sys.argv[1] + "/holder", "wb").write(bytes(4096) + noise[4096:] + r.randbytes(4096))
PY
expect 0 "" known build --files --block 4096 --names --hash md5 "$dir/blocks.set" "$dir/blocky"
grep -q ': 2 md5 hashes of blocks of 4096 bytes, from 2 read now in 1 file; left out: 4 trivial blocks' "$dir/err" || fail "blocks: $(cat "$dir/err")"
for i in 0 1; do dd if="$dir/blocky" bs=4096 skip=$i count=1 status=none | md5sum | cut -d' ' -f1; done >"$dir/blocks.md5"
expect 0 "" known build --quiet --block 4096 "$dir/blocks2.set" "$dir/blocks.md5"
"$BURIN" known query "$dir/blocks.set" - <"$dir/blocks.md5" >"$dir/out" || fail "md5sum has other hashes of blocks: $(cat "$dir/out")"
expect 0 "" known query "$dir/blocks2.set" "$dir/holder"
grep -q '^1/2	known' "$dir/out" || fail "blocks of a file: $(cat "$dir/out")"

# Bad lists, each with its place.
bad() { # STATUS TEXT CONTENT OPTION...
    local want=$1 text=$2
    printf '%b' "$3" >"$dir/bad"
    shift 3
    rm -f "$dir/bad.set"
    expect "$want" "$text" known build "$@" "$dir/bad.set" "$dir/bad"
    [ ! -e "$dir/bad.set" ] || fail "a bad list left a set"
    ls "$dir"/bad.set.* >/dev/null 2>&1 && fail "a bad list left a file behind"
}
a=0123456789abcdef0123456789abcdef
bad 3 'bad:2:33: more than the 32 hexadecimal digits of md5' "$a  x\n${a}1  y\n"
bad 3 'bad:2:6: not md5: 5 hexadecimal digits of 32' "$a  x\n01234x789abcdef0123456789abcdef  y\n"
bad 3 'bad:3:1: the hash is sha1, and the set has md5' "$a  x\n#\n${a}01234567 *y\n"
bad 3 'bad:1:1: the file is empty' ""
bad 3 'bad:1:1: unknown format' "hello\n"
bad 3 'bad:1:1: not md5' "hello\n" --format sums --hash md5
bad 3 'bad:1:1: this is UTF-16' '\xff\xfe0\0' --format sums
bad 3 'bad:2:65536: the line is longer' "$a\n$(head -c 70000 /dev/zero | tr '\0' a)\n"
bad 3 'bad:1:1: the heading has no column "SHA-1"' '"MD5","FileName"\n' --format rds2
bad 3 'bad:3:4: not sha1: 2 hex' '"SHA-1","MD5","FileName"\n\n"01x","'$a'","name"\n'
bad 3 'bad:2:42: the line has 2 columns, and the heading 3' '"FileName","x","SHA-1"\n"name","'$a'"\n' --format rds2
bad 3 'bad:2:1: the quote that begins here' '"SHA-1","MD5","FileName"\n"0123\n'
bad 3 'only SHA-1 and MD5' '"SHA-1","MD5","FileName"\n' --hash sha256
bad 3 'only MD5' '"file_id","hash"\n' --hash sha1
bad 3 'byte offset 8: the file ends within its header' 'HASH\r\n\xff\0'
head -c 1160 "$dir/set.hash" >"$dir/cut.hash"
expect 3 'byte offset 1152: the file ends within a record' known build "$dir/bad.set" "$dir/cut.hash"
head -c $((1152 + 18 * 5)) "$dir/set.hash" >"$dir/cut.hash"
expect 3 'the header says 301 hashes, and 5 are there' known build "$dir/bad.set" "$dir/cut.hash"
sqlite3 "$dir/minimal.db" "UPDATE FILE SET md5 = 'no digits' WHERE rowid = 7"
expect 3 'table FILE, row 7, column md5: not md5' known build --hash md5 "$dir/bad.set" "$dir/minimal.db"
sqlite3 "$dir/empty.db" "CREATE TABLE other (x)"
expect 3 'no table METADATA or FILE with a column sha1' known build "$dir/bad.set" "$dir/empty.db"
head -c 5000 "$dir/full.db" >"$dir/short.db"
expect 3 '' known build "$dir/bad.set" "$dir/short.db"
expect 3 'folder' known build "$dir/bad.set" "$dir/files"
expect 3 'cannot be opened' known build "$dir/bad.set" "$dir/none"
[ ! -e "$dir/bad.set" ] || fail "a bad list left a set"

# Files that cannot be read are told, and the others are in the set.
expect 1 "none" known build --quiet --files "$dir/partly.set" "$dir/none" "$dir/files/f1"
expect 0 "" known query "$dir/partly.set" "$dir/files/same"

# A set is not replaced by mistake; damaged ones are refused.
expect 3 "exists" known build "$dir/md5.set" "$dir/md5"
expect 0 "" known build --force --quiet "$dir/md5.set" "$dir/md5"
cp "$dir/md5" "$dir/evidence"
expect 3 "is not a hash set" known build --force "$dir/evidence" "$dir/md5"
expect 3 "is not a hash set" known build --force "$dir/md5" "$dir/md5"
cmp -s "$dir/md5" "$dir/evidence" || fail "--force replaced what is not a hash set"
head -c 9 "$dir/md5.set" >"$dir/short.set"
expect 0 "" known build --force --quiet "$dir/short.set" "$dir/md5"
expect 3 "a set of md5" known add --hash sha1 "$dir/md5.set" "$dir/sha1"
expect 3 "the hash is sha1, and the set has md5" known add "$dir/md5.set" "$dir/sha1"
expect 3 "blocks" known add --block 512 "$dir/md5.set" "$dir/md5"
asks "$dir/md5.set" md5
head -c 20000 "$dir/many.set" >"$dir/hurt"
expect 3 "damaged" known query "$dir/hurt" "$(head -1 "$dir/sha256.hashes")"
for at in 9 13 45 70 4095; do
    cp "$dir/sha256.set" "$dir/hurt"
    flip "$dir/hurt" $at
    expect 3 "" known query "$dir/hurt" "$(head -1 "$dir/sha256.hashes")"
done
cp "$dir/sha256.set" "$dir/hurt"
flip "$dir/hurt" 5000
expect 3 "damaged: its SHA-256" known info --check "$dir/hurt"
# A scan goes by the CRC-64, which liblzma has, too; a set of an older program has none, and its SHA-256 counts.
expect 3 "damaged: its CRC-64" scan --case "$dir/none" --known "$dir/hurt" "$dir/paths"
python3 - "$dir/sha256.set" "$dir/older" <<'PY' || fail "the CRC-64 of a set"
import hashlib, lzma, struct, sys
data = bytearray(open(sys.argv[1], "rb").read())
packed = lzma.compress(bytes(data[4096:]), check=lzma.CHECK_CRC64)
index = (struct.unpack("<I", packed[-8:-4])[0] + 1) * 4
assert data[672:684] == packed[-20 - index:-12 - index] + b"\1\0\0\0", data[672:684].hex()
data[672:684] = bytes(12)
data[4064:4096] = hashlib.sha256(data[:4064]).digest()
open(sys.argv[2], "wb").write(data)
PY
asks "$dir/older" sha256
expect 0 "" known info --check "$dir/older"
expect 0 "" scan --quiet --case "$dir/case" --known "$dir/older" "$dir/paths"
flip "$dir/older" 5000
expect 3 "damaged: its SHA-256" scan --case "$dir/none" --known "$dir/older" "$dir/paths"
expect 3 "not a hash set" known query "$dir/md5" x
expect 3 "not a hash set" known query "$dir/paths" x

expect 2 "build, add, query or info" known nothing "$dir/md5.set"
expect 2 "biuld: did you mean build" known biuld "$dir/x.set" "$dir/md5"
expect 2 "these lists have only md5" known build --format encase --hash sha1 "$dir/x.set" "$dir/md5"
expect 2 "these lists have only sha1 and md5" known build --format rds2 --hash sha256 "$dir/x.set" "$dir/md5"
expect 2 "LIST is missing" known build "$dir/x.set"
expect 2 "good and --bad" known build --good --bad "$dir/x.set" "$dir/md5"
expect 2 "block" known build --block 1000 "$dir/x.set" "$dir/md5"
expect 2 "rate" known build --rate 2 "$dir/x.set" "$dir/md5"
expect 2 "format" known build --format nothing "$dir/x.set" "$dir/md5"
finish
