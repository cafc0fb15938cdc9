#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# tests/cli/audit/audit.sh - `burin audit`: rules find what is planted, and no secret is kept; what is new since the last run; allow lists.
#
# Method: audit_make.py makes disks of known content, and computes fingerprints by itself from the key of the state folder.
. "$(dirname "$0")/../lib.sh"
make() { python3 "$cli/audit/audit_make.py" "$@"; }
rules=keys,cards,iban,tok
# The policy; further lines are added to it.
policy() { # [LINE...]
    printf '%s\n' "[audit]" "name = test" "image = $dir/disk.raw" "state = $dir/state" "keep = 2" "rules = keys, cards, iban" \
        "[rule tok]" "pattern = tok_" "  [a-z0-9]{8,20}  ; goes on" "anchor = tok_" "check = entropy:3.0" "mask = 12" "$@" >"$dir/policy"
}
# audit STATUS: runs it, and keeps its summary in $dir/told.
audit() {
    burin audit --json --quiet "$dir/policy"
    [ "$status" -eq "$1" ] || fail "line ${BASH_LINENO[0]}: status $status instead of $1: $(head -c 800 "$dir/err"; head -c 300 "$dir/out")"
    cp "$dir/out" "$dir/told"
}
told() { python3 -c "import json, sys; told = json.load(open(sys.argv[1])); print(($1))" "$dir/told"; }
says() { # EXPRESSION WANTED
    [ "$(told "$1")" = "$2" ] || fail "line ${BASH_LINENO[0]}: $1 is $(told "$1") and not $2"
}
changes() { told '" ".join(f"{k}={v}" for k, v in told["objects"].items())'; }

# The first run: what meets a rule is new, and nothing is compared.
first=(visa@1000000 visa@1100000 amex@1200000 iban@1300000 aws@1400000 wide@1500001 tok@1600000 flat@1700000 png1@4096 png2@8192 png3@12288)
make disk "$dir/disk.raw" "${first[@]}"
policy
expect 0 "" audit --check "$dir/policy"
[ "$(cat "$dir/out")" = "$dir/policy: right: 4 rules, 0 entries in allow lists" ] || fail "--check says: $(cat "$dir/out")"
audit 10
make check "$dir/state" $rules "${first[@]}" <"$dir/told" || fail "the first run"
says 'told["first"], told["objects"], told["finished"]' "(True, {}, True)"
says 'sorted({f["change"] for f in told["findings"]})' "['new']"
grep -q "critical: keys:[0-9a-f]\{16\} new, AKIA... (20 characters) at 1400001 of $dir/disk.raw, 1 place" "$dir/err" || fail "the log: $(cat "$dir/err")"

# Nothing that was kept has a secret in it, in any encoding that was looked for, nor its digits alone.
for secret in 4111111111111111 '4111 1111' 378282246310005 DE893704 'DE89 3704' AKIAIOSF 9f8e7d6c5b; do
    ! grep -rlaF "$secret" "$dir/state" "$dir/told" "$dir/err" || fail "$secret was kept"
    wide=$(printf %s "$secret" | sed 's/./&\\x00/g')
    ! grep -rlaP "$wide" "$dir/state" "$dir/told" || fail "$secret was kept as UTF-16"
done
[ "$(stat -c %a "$dir/state" "$dir/state/key" "$dir/state/run-000001.burin" | paste -sd' ')" = "700 600 600" ] || fail "modes of the state folder"
cmp <(head -c 32 "$dir/state/key") <(head -c 32 /dev/zero) >/dev/null && fail "the key is zeros"

# The same again: nothing to report, but with --all. The run is in the case file, and the case file is whole.
audit 0
says '[f["change"] for f in told["findings"]]' "['same', 'same', 'same', 'same', 'same', 'same']"
[ "$(changes)" = "new=0 moved=0 changed=0 same=3 gone=0 unknown=0" ] || fail "the second run: $(changes)"
expect 10 "" audit --all --quiet --json "$dir/policy"
expect 0 "" verify "$dir/state/run-000003.burin"
[ "$(sqlite3 -readonly "$dir/state/run-000003.burin" "SELECT group_concat(command || ' ' || status, ', ') FROM runs")" = \
    "scan done, search done, audit done" ] || fail "the runs on record"
[ "$(find "$dir/state" -name 'run-*.burin' | sort | sed 's/.*-//' | paste -sd' ')" = "000002.burin 000003.burin" ] || fail "keep = 2: $(ls "$dir/state")"
[ -s "$dir/state/latest.html" ] || fail "no page"

# Another disk: one card is gone, one place of the other too; a key is new; the IBAN has moved. Files: moved, changed, gone, new, same.
second=(visa@1100000 iban@1350000 aws@1400000 wide@1500001 tok@1600000 mail@1800000 png1@4096 png9@8192 png3@20480 png4@30720)
make disk "$dir/disk.raw" "${second[@]}" aws@1900000
audit 11
make check "$dir/state" $rules "${second[@]}" aws@1900000 <"$dir/told" || fail "the other disk"
says 'sorted((f["rule"], f["change"]) for f in told["findings"] if f["change"] != "same")' \
    "[('cards', 'gone'), ('cards', 'moved'), ('iban', 'moved')]"
[ "$(changes)" = "new=1 moved=1 changed=1 same=1 gone=0 unknown=0" ] || fail "the other disk: $(changes)"
make disk "$dir/disk.raw" "${second[@]}" amex@1200000
audit 10
says '[(f["rule"], f["change"]) for f in told["findings"] if f["change"] not in ("same", "gone")]' "[('cards', 'new')]"

# A new rule finds what was there all the time.
policy "[rule mail]" "pack = mail" "severity = info" "[rule picture]" "severity = warning" "where = type = 'png'" "  AND offset = 4096"
audit 10
says 'sorted((f["rule"], f["severity"]) for f in told["findings"] if f["change"] == "new")' "[('mail', 'info'), ('picture', 'warning')]"
make check "$dir/state" $rules,mail "${second[@]}" amex@1200000 <"$dir/told" || fail "the pack of addresses"

# An allow list: by fingerprint, and by the hash of an object. What it lets pass is told as such; when the entry goes, it is new.
print=$(told '[f["fingerprint"] for f in told["findings"] if f["rule"] == "tok"][0]')
sum=$(python3 -c "import sys; sys.path.insert(0, '$cli/audit'); import audit_make, hashlib; print(hashlib.sha256(audit_make.PICTURES['png1']).hexdigest())")
printf '# a comment\n\ntok:%s   # of the build machine\n%s until 2999-12-31\n' "$print" "$sum" >"$dir/allow"
rm -r "$dir/state/"run-*
policy "[rule picture]" "where = type = 'png'" "[allow]" "file = $dir/allow"
expect 0 "" audit --check "$dir/policy"
grep -q "5 rules, 2 entries in allow lists" "$dir/out" || fail "--check with a list: $(cat "$dir/out")"
audit 10
says 'sorted((f["rule"], f["offset"], f["allowed"]) for f in told["findings"] if f["allowed"])' \
    "[('picture', 4096, 'allowed'), ('tok', 1600001, 'of the build machine')]"
! grep -E "tok|at 4096 " "$dir/err" || fail "what is allowed is told"
audit 0
sed -i '/^tok/d' "$dir/allow"
audit 10
says '[(f["rule"], f["change"]) for f in told["findings"] if f["change"] == "new"]' "[('tok', 'new')]"
sed -i 's/2999-12-31/2020-02-29/' "$dir/allow"
audit 10
says '[(f["rule"], f["change"]) for f in told["findings"] if f["change"] == "new"]' "[('picture', 'new')]"
expect 0 "" audit --check "$dir/policy"
grep -q "^$dir/allow:3: note: this entry holds no more$" "$dir/out" || fail "an old entry: $(cat "$dir/out")"
finish
