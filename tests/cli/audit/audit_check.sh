#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# tests/cli/audit/audit_check.sh - `burin audit --check`: what can never match, or cannot be read, is told with file and line; nothing is
# scanned and no state is made. Rules of sets of known files and blocks.
# Labels: long
. "$(dirname "$0")/../lib.sh"
policy() { printf '%s\n' "[audit]" "name = test" "image = $dir/*.raw" "state = $dir/state" "$@" >"$dir/policy"; }
# wrong LINE TEXT LINE-OF-POLICY...
wrong() {
    local line=$1 text=$2
    shift 2
    policy "$@"
    expect 3 "policy:$line: $text" audit --check "$dir/policy"
}
policy "[rule tok]" "pattern = (tok|key)_[a-z]{4}" "anchor = key_"
expect 0 "" audit --check "$dir/policy" # there is no image yet, and there need not be
[ ! -e "$dir/state" ] || fail "--check makes a state folder"

wrong 7 "rule tok: no match of its pattern can hold the anchor 'kex_'" "[rule tok]" "pattern = (tok|key)_[a-z]{4}" "anchor = kex_"
wrong 7 "rule tok: no match of its pattern can hold the anchor 'TOK_'" "[rule tok]" "pattern = tok_[a-z]{4}" "anchor = TOK_"
wrong 6 "rule tok: .*a \\( without its \\)" "[rule tok]" "pattern = tok_([a-z]{4}" "anchor = tok_"
wrong 6 "rule tok: .*beginning|rule tok: .*\\^" "[rule tok]" "pattern = ^tok_" "anchor = tok_"
wrong 6 "rule w: no type is 'pgn', so it can never match; did you mean 'png'" "[rule w]" "where = type = 'pgn'"
wrong 6 "rule w: no type is 'nosuchtype', so it can never match" "[rule w]" "where = len > 5 AND type IN ('png', 'nosuchtype')"
wrong 6 "rule w: no state is 'complet'.*'complete'" "[rule w]" "where = state == 'complet'"
wrong 6 "rule w: .*no such column: lenght" "[rule w]" "where = lenght > 5"
wrong 6 "rule w: .*\\( without its \\)" "[rule w]" "where = (len > 5"
wrong 6 "rule w: .*(authorized|not allowed|prohibited)" "[rule w]" "where = len > (SELECT count(*) FROM sqlite_schema)"
wrong 6 "rule bad: .*nowhere.set" "[rule bad]" "known = $dir/nowhere.set"
wrong 6 ".*nowhere.allow" "[allow]" "file = $dir/nowhere.allow"
echo "tok:0123456789abcdef" >"$dir/allow"
policy "[allow]" "file = $dir/allow"
expect 3 "allow:1: .*policy has no rule 'tok'" audit --check "$dir/policy"
echo "0123" >"$dir/allow"
wrong 6 ".*allow:1: no fingerprint" "[allow]" "file = $dir/allow"
# What is right: texts that are compared in another way, and types of all kinds.
policy "[rule w]" "where = type <> 'x' AND name LIKE '%type = ''y''%' AND type IN ('png','docx')" "  AND typeof(len) = 'integer' AND state IN ('footer')"
expect 0 "" audit --check "$dir/policy"
# The policy of the guide, but for its files.
: >"$dir/none.allow"
head -c 4096 /dev/urandom >"$dir/any"
expect 0 "" known build --quiet --files "$dir/any.set" "$dir/any"
sed -n '/^# \/etc\/burin\/audit\/nas1.conf$/,/^```$/p' "$cli/../../docs/guide/operator.md" | sed "/^\`\`\`$/d; s|/etc/burin/bad.set |$dir/any.set |
    s|/etc/burin/nas1.allow|$dir/none.allow|; s|/etc/burin/malware.yar |$dir/any.yar |" >"$dir/policy"
grep -q "^yara = $dir/any.yar" "$dir/policy" || fail "the guide has no rule of YARA"
echo 'rule png { condition: uint32be(0) == 0x89504e47 }' >"$dir/any.yar"
burin audit --check "$dir/policy"
rules=8
if grep -q 'built without YARA' "$dir/err"; then
    rules=7
    sed -i '/^\[rule malware\]/,/^$/d' "$dir/policy"
    burin audit --check "$dir/policy"
fi
check 0 "" "the policy of the guide"
grep -q "right: $rules rules" "$dir/out" || fail "the policy of the guide: $(cat "$dir/out" "$dir/err")"
# A policy that is wrong is not run.
policy "[rule w]" "where = type = 'pgn'"
expect 3 "did you mean 'png'" audit --quiet "$dir/policy"

# Sets: of whole files, and of blocks.
python3 "$cli/audit/audit_make.py" disk "$dir/disk.raw" png1@4096 png2@8192
python3 -c "import random, sys; sys.path.insert(0, '$cli/audit'); import audit_make
block = random.Random(3).randbytes(4096)
open(sys.argv[1], 'wb').write(audit_make.PICTURES['png2'])
open(sys.argv[2], 'wb').write(block)
with open(sys.argv[3], 'r+b') as disk: disk.seek(1 << 20); disk.write(block)" "$dir/bad" "$dir/block" "$dir/disk.raw"
expect 0 "" known build --quiet --files --bad "$dir/it's.set" "$dir/bad"
expect 0 "" known build --quiet --files --bad --names --block 4096 "$dir/blocks.set" "$dir/block"
policy "[rule files]" "severity = critical" "known = $dir/it's.set" "[rule blocks]" "known = $dir/blocks.set"
expect 0 "" audit --check "$dir/policy"
burin audit --json --quiet "$dir/policy"
[ "$status" -eq 10 ] || fail "known files: $status $(cat "$dir/err")"
python3 -c 'import json, sys
rows = sorted((f["rule"], f["severity"], f["offset"], f["length"]) for f in json.load(sys.stdin)["findings"])
assert rows == [("blocks", "warning", 1 << 20, 4096), ("files", "critical", 8192, 75)], rows' <"$dir/out" || fail "known: $(cat "$dir/out")"
burin audit --quiet "$dir/policy"
[ "$status" -eq 0 ] || fail "known files again: $status $(cat "$dir/err")"
finish
