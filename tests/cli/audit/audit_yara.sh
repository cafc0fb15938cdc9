#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# tests/cli/audit/audit_yara.sh - `[rule] yara = FILE` of an audit: a rule finds the objects of which the program yara says that they meet its
# file; what could not be decided makes the run a part, and what it had met is unknown and not gone; --check tells faults with file and line.
# Labels: long slow
. "$(dirname "$0")/../lib.sh"
command -v yara >/dev/null || skip "yara is not installed"
cd "$dir" || exit 1
policy() {
    printf '%s\n' "[audit]" "name = test" "image = $dir/disk.raw" "state = $dir/state" "[output]" "prometheus = $dir/prom" "sarif = $dir/sarif" \
        "[rule bad-1]" "severity = critical" "yara = $dir/bad.yar" "[rule odd]" "yara = $dir/odd.yar" "$@" >policy
}
# audit STATUS: runs it, and keeps in rows what it has recorded of each finding: rule, rule of YARA, offset, places, severity, change, allowed.
audit() {
    burin audit policy
    [ "$status" -eq "$1" ] || fail "line ${BASH_LINENO[0]}: status $status instead of $1: $(head -c 800 err; head -c 300 out)"
    cp out told
    run=$(printf '%s\n' state/*.burin | tail -1)
    sqlite3 -readonly -separator ' ' "$run" "SELECT rule, substr(excerpt, 1, instr(excerpt, ':') - 1), printf('%016x', offset), places, severity, change,
        allowed <> '' FROM findings WHERE run_id = (SELECT max(id) FROM runs) ORDER BY 1, 2, 3" >rows
}
says() { # COLUMNS WANTED: the values of these columns, each once
    [ "$(cut -d' ' -f "$1" rows | sort -u | paste -sd,)" = "$2" ] || fail "line ${BASH_LINENO[0]}: columns $1 are not $2: $(cat rows)"
}
metric() { sed -n "s/^burin_audit_$1{audit=\"test\"} //p" prom; }
# The rules of each file and the offsets of the objects that meet them, by yara, of the objects as burin carve writes them.
by_yara() {
    local rule
    rm -rf carved case
    burin scan --quiet --case case disk.raw
    burin carve --quiet --out carved case
    for rule in bad-1:bad.yar odd:odd.yar; do
        yara -r "${rule#*:}" carved 2>/dev/null | sed -n "s#^\([a-z0-9_]*\) carved/[a-z]*/\([0-9a-f]*\)\..*#${rule%%:*} \1 \2#p"
    done | sort
}
found() { grep -v ' gone ' rows | cut -d' ' -f 1-3; }

printf 'rule red1 : colour { strings: $a = { 49 48 44 52 00 00 00 08 } condition: $a and hash.md5(0, filesize) != "" }\nrule png { condition: uint32be(0) == 0x89504e47 }\n' |
    sed '1s/^/import "hash"\n/' >bad.yar
printf 'private rule whole { condition: filesize == 75 }\nrule small { condition: whole and filesize < 100 }\nrule never { strings: $n = "it is nowhere" condition: $n }\n' >odd.yar
python3 "$cli/audit/audit_make.py" disk disk.raw png1@4096 png2@8192 png2@12288
policy
burin audit --check policy
if grep -q 'built without YARA' err; then
    check 4 "policy:9: rule bad-1: yara: this burin was built without YARA" "a build without YARA"
    skip "this build has no YARA"
fi
check 0 "" "--check"
by_yara >want
[ "$(cut -d' ' -f 1,2 want | sort | uniq -c | tr -s ' \n' ' ')" = " 3 bad-1 png 3 bad-1 red1 3 odd small " ] || fail "yara says: $(cat want)"
audit 10
# One content at two places is one finding.
grep -v "0000000000003000" want | cmp -s - <(found) || fail "findings: $(found)"
says 1,3-6 "bad-1 0000000000001000 1 critical new,bad-1 0000000000002000 2 critical new,odd 0000000000001000 1 warning new,odd 0000000000002000 2 warning new"
[ "$(metric undecided_objects)" = 0 ] || fail "undecided: $(cat prom)"
# The fingerprint is that of the object's hash and the rule's name (RFC 2104), with the key of the state folder.
python3 - "$cli/audit" <<'PY' || fail "fingerprints"
import hashlib, hmac, sqlite3, sys
sys.path.insert(0, sys.argv[1])
import audit_make
key = open("state/key", "rb").read()
hashes = {offset: hashlib.sha256(audit_make.PICTURES[name]).hexdigest() for name, offset in (("png1", 4096), ("png2", 8192))}
for rule, offset, excerpt, fingerprint in sqlite3.connect("state/run-000001.burin").execute("SELECT rule, offset, excerpt, fingerprint FROM findings"):
    value = rule + "\0" + hashes[offset] + " " + excerpt.split(":")[0]
    assert fingerprint == hmac.new(key, value.encode(), hashlib.sha256).hexdigest()[:16], (rule, offset, excerpt)
PY
audit 0
says 6 same
# list --yara tells it too, with the policy's rule for the namespace.
expect 0 "" list --yara state/run-000002.burin
[ "$(cut -f 2,3 out | sort -u | tr '\t\n' '  ')" = "png bad-1 red1 bad-1 small odd " ] || fail "list --yara: $(cat out)"

# A rule of YARA that is new finds what was there; one that is left out is gone; what an allow list has is not told.
sed -i 's/^rule red1.*/rule red2 { condition: filesize > 70 }/' bad.yar
by_yara >want
audit 10
grep -v "0000000000003000" want | cmp -s - <(found) || fail "findings with another rule: $(found)"
says 2,6 "png same,red1 gone,red2 new,small same"
print=$(sqlite3 -readonly "$run" "SELECT fingerprint FROM findings WHERE rule = 'odd' AND offset = 4096")
sum=$(sha256sum carved/png/0000000000002000.png | cut -d' ' -f 1)
printf 'odd:%s\n%s\n' "$print" "$sum" >allow
policy "[allow]" "file = $dir/allow"
audit 0
says 1,3,7 "bad-1 0000000000001000 0,bad-1 0000000000002000 1,odd 0000000000001000 1,odd 0000000000002000 1"

# Of a file that has more bytes than are looked at, what it had met may be there still: unknown, wherever it lies, until it is gone.
wave() { # OFFSET
    rm -f disk.raw
    python3 - "$1" <<'PY'
import struct, sys
with open("disk.raw", "wb") as disk:
    disk.seek(int(sys.argv[1]))
    size = 257 << 20
    disk.write(b"RIFF" + struct.pack("<I", size - 8) + b"WAVEfmt " + struct.pack("<IHHIIHH", 16, 1, 1, 8000, 8000, 1, 8) + b"data" + struct.pack("<I", size - 44))
    disk.truncate(int(sys.argv[1]) + size + 4096)
PY
}
policy
wave 4096
printf 'rule wave { strings: $w = "WAVE" condition: $w at 8 }\n' >odd.yar
audit 10
grep -q '^odd wave 0000000000001000 1 warning new 0$' rows || fail "the wave: $(cat rows)"
[ "$(metric undecided_objects)" = 1 ] || fail "undecided: $(cat prom)"
grep -q '"text": "0 bytes could not be read; rules of YARA have not decided 1 objects, or not by all of their bytes"' sarif || fail "SARIF: $(cat sarif)"
grep -q 'rules of YARA have not decided 1 object, or not by all bytes' told || fail "it does not say so: $(cat told)"
printf 'rule wave { strings: $w = "WAVE" condition: $w at 9 }\n' >odd.yar
wave 8192
audit 1
says 1-2,6 "bad-1 red2 moved,odd wave unknown"
audit 1 # still
says 1-2,6 "bad-1 red2 same,odd wave unknown"
# A rule with an expression is tried on what that is true of, and on nothing else.
policy "where = len < 269484032"
sed -i 's/^severity.*/where = type = '"'png'/" policy
audit 11
says 1-2,6 "bad-1 red2 gone,odd wave gone"
[ "$(metric undecided_objects)" = 0 ] || fail "undecided: $(cat prom)"
python3 "$cli/audit/audit_make.py" disk disk.raw png1@4096 png2@8192 aws@1400000
policy "[audit]" "rules = keys"
audit 10
says 1-2,6 "bad-1 png new,bad-1 red2 new,keys  new"
expect 0 "" verify "$run"

# No time for all of them: each output says so, no finding is gone, and none is not a number.
printf 'rule slow { condition: filesize < 300 and for all i in (1..10000000000) : (i > 0) }\n' >odd.yar
head -c 24M /dev/zero | tr '\0' x >>disk.raw
# cut_short WHY ASKED NOT [LINE...]: gives the run ever more time, until the scan is done and its rules are not. Those that were asked have
# numbers; those that were not, none, and their findings are unknown.
cut_short() {
    local why=$1 asked=$2 rest=$3
    for seconds in 1 2 4 8 16 32; do
        policy "[audit]" "rules = keys" "time = ${seconds}s" "${@:4}"
        burin audit --nagios policy
        grep -q "is over before $why" out && break
    done
    [ "$status" -eq 1 ] && grep -qE "^BURIN WARNING - test: NOT FINISHED: its time of $seconds s is over before $why, which is done in one go; give it more; so far [0-9]* new findings?.* \| findings=U;0;0 " out ||
        fail "no time: $status $(cat out err)"
    [ "$(sed -n 's/^burin_audit_findings{audit="test",rule="\([^"]*\)".*/\1/p' prom | paste -sd,)" = "$asked" ] || fail "numbers of rules that were not asked: $(cat prom)"
    [ "$(metric finished) $(metric last_success_timestamp_seconds)" = "0 $success" ] || fail "it is no success: $(cat prom)"
    [ "$(sqlite3 -readonly state/unfinished.burin "SELECT group_concat(DISTINCT change) FROM findings WHERE run_id = (SELECT max(id) FROM runs) AND
        rule IN ($rest)")" = unknown ] || fail "no time, and yet: $(sqlite3 -readonly state/unfinished.burin "SELECT * FROM findings")"
    python3 -c 'import json; run, = json.load(open("sarif"))["runs"]; told, = run["invocations"]
assert told["executionSuccessful"] is False and "before all of its rules" in told["toolExecutionNotifications"][0]["message"]["text"], told
assert {r["baselineState"] for r in run["results"]} == {"unchanged"}, run["results"]' || fail "SARIF of a run that was cut short: $(cat sarif)"
}
success=$(metric last_success_timestamp_seconds)
cut_short "rules of YARA were tried on all files" "" "'bad-1', 'keys'"
printf 'rule never { condition: false }\n' >odd.yar
cut_short "all patterns were looked for" "bad-1,odd" "'keys'" "max-read = 4M"
# Each rule has its own objects.
policy "where = offset = 8192" "[audit]" "rules = keys"
printf 'rule png { condition: uint32be(0) == 0x89504e47 }\n' >odd.yar
audit 10
says 1-3,6 "bad-1 png 0000000000001000 same,bad-1 png 0000000000002000 same,bad-1 red2 0000000000001000 same,bad-1 red2 0000000000002000 same,keys  0000000000155cc1 same,odd png 0000000000002000 new"

# What is wrong in the policy, or in the file of rules.
wrong() { # TEXT LINE...
    local text=$1
    shift
    printf '%s\n' "[audit]" "name = test" "image = $dir/disk.raw" "state = $dir/state" "[rule r]" "$@" >policy
    expect 3 "$text" audit --check policy
}
printf 'rule a { condition: true }\nrule b { condition: nothing }\n' >wrong.yar
wrong "policy:6: rule r: $dir/wrong.yar:2: undefined identifier \"nothing\"" "yara = $dir/wrong.yar"
printf 'include "bad.yar"\n' >wrong.yar
wrong "policy:6: rule r: $dir/wrong.yar:1: includes are disabled" "yara = $dir/wrong.yar"
printf '// nothing\nprivate rule a { condition: true }\n' >wrong.yar
wrong "policy:6: rule r: $dir/wrong.yar has no rule that is not private: it can never find anything" "yara = $dir/wrong.yar"
wrong "policy:6: rule r: .*$dir/none.yar" "yara = $dir/none.yar"
wrong "policy:6: yara = bad.yar: write a path that begins with /" "yara = bad.yar"
wrong "policy:6: rule r: write one of where, pattern, known, pack and yara, or where and yara" "yara = $dir/bad.yar" "pack = mail"
wrong "policy:6: rule r: no type is 'pgn'" "where = type = 'pgn'" "yara = $dir/bad.yar"
wrong "policy:7: rule r: .*no such column: lenght" "yara = $dir/bad.yar" "where = lenght > 5"
wrong "policy:7: a mask is of a pattern or a pack" "yara = $dir/bad.yar" "mask = 3"
printf 'rule a { condition: nothing }\n' >wrong.yar
sed -i "s|^yara = .*|yara = $dir/wrong.yar|; /^mask/d" policy
expect 3 "test: policy:6: rule r: .*wrong.yar:1: undefined identifier" audit --quiet policy
finish
