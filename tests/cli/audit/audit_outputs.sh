#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# tests/cli/audit/audit_outputs.sh - each output of an audit is what its readers take: SARIF by its schema, metrics by the collector's rules,
# the line of Nagios by its guidelines, priorities of the journal, syslog, events, units of systemd.
# Labels: long
. "$(dirname "$0")/../lib.sh"
root=$(readlink -f "$cli/../..")
make() { python3 "$cli/audit/audit_make.py" "$@"; }
policy() {
    printf '%s\n' "[audit]" "name = test" "image = $dir/disk #1.raw" "state = $dir/state" "rules = keys, cards, mail" \
        "[output]" "prometheus = $dir/prom" "sarif = $dir/sarif" "events = $dir/events" "$@" >"$dir/policy"
}
# The rules of the exposition format (https://prometheus.io/docs/instrumenting/exposition_formats/), and no timestamps.
lint_metrics() {
    python3 - "$1" <<'PY' || fail "metrics: $(cat "$1")"
import re, sys
types, seen, names = {}, set(), []
text = open(sys.argv[1]).read()
assert text.endswith("\n")
for line in text.splitlines():
    head = re.fullmatch(r"# (HELP|TYPE) ([a-zA-Z_:][a-zA-Z0-9_:]*) (.+)", line)
    if head:
        kind, name, rest = head.groups()
        assert (kind, name) not in seen, line
        seen.add((kind, name))
        if kind == "TYPE":
            assert rest in ("gauge", "counter"), line
            types[name] = rest
        continue
    sample = re.fullmatch(r'([a-zA-Z_:][a-zA-Z0-9_:]*)\{([a-z_]+="[^"\\\n]*"(,[a-z_]+="[^"\\\n]*")*)\} ([0-9]+)', line)
    assert sample and sample.group(1) in types, line
    assert (sample.group(1), sample.group(2)) not in seen, line
    seen.add((sample.group(1), sample.group(2)))
    if names[-1:] != [sample.group(1)]:
        assert sample.group(1) not in names, f"{line}: the lines of a metric are one group"
        names.append(sample.group(1))
PY
}
metric() { grep -F "burin_audit_$1 " "$dir/prom" | sed 's/.* //'; }
# By https://www.monitoring-plugins.org/doc/guidelines.html: one line, 'label'=value[UOM];[warn];[crit];[min];[max].
nagios() { # STATUS WORD
    burin audit --nagios "$dir/policy"
    [ "$status" -eq "$1" ] || fail "line ${BASH_LINENO[0]}: Nagios: status $status instead of $1: $(cat "$dir/out" "$dir/err")"
    grep -qE "^BURIN $2 - test: [^|]+ \| ([a-z]+=[0-9]+(s|B)?(;[0-9]*(;[0-9]*)?)? ?)+$" "$dir/out" || fail "line ${BASH_LINENO[0]}: $(cat "$dir/out")"
    [ "$(wc -l <"$dir/out")" -eq 1 ] || fail "line ${BASH_LINENO[0]}: more than a line"
}

make disk "$dir/disk #1.raw" aws@1400000 visa@1000000 mail@1800000 png1@4096 png2@8192
policy
nagios 2 CRITICAL # the first run: a new key
grep -q "3 new findings (keys 1, cards 1, mail 1), 0 gone" "$dir/out" || fail "what Nagios is told: $(cat "$dir/out")"
grep -q ' | findings=2;0;0 new=0 gone=0 read=2097152B unreadable=0B time=' "$dir/out" || fail "performance data: $(cat "$dir/out")"
lint_metrics "$dir/prom"
[ "$(stat -c %a "$dir/prom")" = 644 ] || fail "the collector cannot read the metrics"
[ "$(metric 'new_findings{audit="test",rule="keys",severity="critical"}') $(metric 'findings{audit="test",rule="cards",severity="warning"}')" = "1 1" ] ||
    fail "metrics of findings"
[ "$(metric 'exit_status{audit="test"}') $(metric 'read_bytes{audit="test"}') $(metric 'objects{audit="test",state="complete"}')" = "10 2097152 2" ] ||
    fail "metrics of the run"
nagios 0 OK
lint_metrics "$dir/prom"
[ "$(metric 'changes{audit="test",kind="same"}') $(metric 'new_findings{audit="test",rule="keys",severity="critical"}')" = "2 0" ] || fail "metrics, second run"
burin audit --nagios --all "$dir/policy"
[ "$status" -eq 2 ] || fail "--all for Nagios: $status"

# SARIF: by the schema of OASIS, and what it says: each state of a result, its place, its suppression.
print=$(python3 -c 'import json, sys; print([r["partialFingerprints"]["burin/v1"] for r in json.load(open(sys.argv[1]))["runs"][0]["results"]
    if r["ruleId"] == "mail"][0])' "$dir/sarif")
echo "mail:$print # of the test" >"$dir/allow"
policy "[allow]" "file = $dir/allow"
make disk "$dir/disk #1.raw" aws@1500000 amex@1200000 mail@1800000 png1@4096 png3@20480
nagios 1 WARNING # a new card, and an old key
cp "$dir/sarif" "$dir/sarif.changes"
python3 - "$dir/sarif" <<'PY' || fail "SARIF: $(head -c 3000 "$dir/sarif")"
import json, sys
run, = json.load(open(sys.argv[1]))["runs"]
assert run["invocations"][0]["executionSuccessful"] is True
assert {rule["id"]: rule["defaultConfiguration"]["level"] for rule in run["tool"]["driver"]["rules"]} == {"keys": "error", "cards": "warning", "mail": "note"}
told = {}
for result in run["results"]:
    place = result["locations"][0]["physicalLocation"]
    assert place["artifactLocation"]["uri"].endswith("/disk%20%231.raw") and place["artifactLocation"]["uri"].startswith("file:///"), place
    told[result["ruleId"], result["baselineState"], place["region"]["byteOffset"], place["region"]["byteLength"]] = "suppressions" in result
assert told == {("cards", "absent", 1000001, 19): False, ("cards", "new", 1200001, 15): False, ("keys", "updated", 1500001, 20): False,
                ("mail", "unchanged", 1800001, 23): True}, told
PY
if python3 -c 'import jsonschema' 2>/dev/null; then
    for file in "$dir/sarif" "$dir/sarif.changes"; do
        python3 -W ignore - "$root/tests/carver/sarif/sarif-schema-2.1.0.json" "$file" <<'PY' || fail "SARIF by its schema"
import json, sys
import jsonschema
schema, text = (json.load(open(path)) for path in sys.argv[1:])
faults = list(jsonschema.Draft4Validator(schema).iter_errors(text))
for fault in faults:
    print("FAILED:", list(fault.absolute_path), fault.message[:300])
sys.exit(1 if faults else 0)
PY
    done
else
    echo "skipped in part: python3-jsonschema is not installed"
fi
# The same as a report of the case file; one without an audit says nothing, and does not say that nothing was found.
last=$(find "$dir/state" -name 'run-*.burin' | sort | tail -1)
expect 0 "" report --format sarif "$last"
cmp "$dir/out" "$dir/sarif" || fail "the report is not the output"
expect 0 "" scan --quiet --case "$dir/plain" "$dir/disk #1.raw"
expect 3 "no audit" report --format sarif "$dir/plain"
expect 2 "leave out what chooses" report --format sarif --types png "$last"

# Events: a line each, in osquery's words.
python3 - "$dir/events" <<'PY' || fail "events: $(cat "$dir/events")"
import json, sys
events = [json.loads(line) for line in open(sys.argv[1])]
runs = [i for i, event in enumerate(events) if event["event"] == "run"]
assert len(runs) == 4 and [events[i]["status"] for i in runs] == [10, 0, 10, 10], runs
last = events[runs[2] + 1:runs[3]]
assert sorted((e["event"], e["action"], e.get("rule", e.get("type")), e["offset"]) for e in last) == [
    ("finding", "added", "cards", 1200001), ("finding", "removed", "cards", 1000001),
    ("object", "added", "png", 20480), ("object", "removed", "png", 8192)], last
assert all(e["audit"] == "test" and e["time"].endswith("Z") for e in events)
PY

# The journal reads priorities in front of lines, where standard error is its own.
: >"$dir/journal"
make disk "$dir/disk #1.raw" aws@1400000 wide@1500000 iban@1
stream=$(stat -c %d:%i "$dir/journal")
JOURNAL_STREAM=$stream "$BURIN" audit --quiet "$dir/policy" >"$dir/out" 2>"$dir/journal" </dev/null
[ ! -s "$dir/out" ] || fail "--quiet prints"
grep -qE '^<2>burin: audit: test: critical: keys:[0-9a-f]{16} new, AKIA\.\.\. \(20 characters\) at 1500001 of .*disk #1.raw, 1 place$' "$dir/journal" ||
    fail "the journal: $(cat "$dir/journal")"
JOURNAL_STREAM=1:1 "$BURIN" audit --quiet --all "$dir/policy" 2>"$dir/err" </dev/null
grep -q '^burin: audit: test: critical' "$dir/err" || fail "priorities where nobody reads them"
# syslog: through a socket at /dev/log, where one can be put there.
if unshare -Urm true 2>/dev/null && [ ! -e /dev/log ] && command -v python3 >/dev/null; then
    mkdir "$dir/dev"
    # shellcheck disable=SC2016 # for the inner shell
    unshare -Urm bash -c 'for name in null zero urandom random full; do : >"$1/$name"; mount --bind "/dev/$name" "$1/$name" || exit 77; done
        python3 -c "import socket, sys
log = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM); log.bind(sys.argv[1]); print(flush=True)
log.settimeout(600); open(sys.argv[2], \"wb\").write(log.recv(4096))" "$1/log" "$2" >"$2.ready" &
        until [ -s "$2.ready" ]; do sleep 0.05; done
        mount --rbind "$1" /dev || exit 77
        "$3" audit --quiet --all --syslog "$4" 2>/dev/null; wait' _ "$dir/dev" "$dir/syslog" "$BURIN" "$dir/policy" >/dev/null 2>"$dir/err" </dev/null
    case $? in
    77) echo "skipped in part: /dev cannot be replaced here" ;;
    *) grep -qaE '^<26>.*burin\[[0-9]+\]: test: critical: keys:' "$dir/syslog" || fail "syslog: $(cat "$dir/syslog" "$dir/err")" ;;
    esac
else
    echo "skipped in part: no socket can be put at /dev/log here"
fi

# The page.
grep -q '<title>' "$dir/state/latest.html" || fail "no page"

# The units, as systemd reads them: nothing unknown in them, and exposed little.
if command -v systemd-analyze >/dev/null; then
    mkdir "$dir/units"
    cp "$root"/share/systemd/* "$dir/units"
    sed -i "s|^ExecStart=burin |ExecStart=$(readlink -f "$BURIN") |; /^Documentation=/d" "$dir/units/burin-audit@.service"
    systemd-analyze verify "$dir/units/burin-audit@x.service" "$dir/units/burin-audit@x.timer" >"$dir/verify" 2>&1 || fail "units: $(cat "$dir/verify")"
    [ ! -s "$dir/verify" ] || fail "units: $(cat "$dir/verify")"
    systemd-analyze security --offline=true --threshold=15 "$dir/units/burin-audit@.service" >"$dir/security" 2>&1 || fail "exposed: $(tail -1 "$dir/security")"
    systemd-analyze calendar "$(sed -n 's/^OnCalendar=//p' "$dir/units/burin-audit@.timer")" >/dev/null || fail "the timer"
    # An audit calls nothing of the kernel that the unit's filter refuses, but for what a user who is root alone has: the unit has another.
    if command -v strace >/dev/null && [ -z "$(sed -n 's/^BURIN_SANITIZE:STRING=//p' "${BUILD:-.}/CMakeCache.txt" 2>/dev/null)" ]; then
        echo 'rule png { condition: uint32be(0) == 0x89504e47 }' >"$dir/any.yar"
        cp "$dir/policy" "$dir/policy.plain"
        printf '%s\n' "[rule any]" "yara = $dir/any.yar" >>"$dir/policy"
        "$BURIN" audit --check "$dir/policy" >/dev/null 2>&1 || cp "$dir/policy.plain" "$dir/policy" # a build without libyara
        strace -f -qq -o "$dir/calls" "$BURIN" audit --quiet "$dir/policy" >"$dir/out" 2>"$dir/err" </dev/null
        python3 - "$dir/calls" "$root/share/systemd/burin-audit@.service" <<'PY' || fail "system calls"
import re, subprocess, sys
def expand(word):
    if not word.startswith("@"):
        return {word}
    text = subprocess.run(["systemd-analyze", "syscall-filter", word], stdout=subprocess.PIPE, text=True, check=True).stdout
    words = [line.split("#")[0].strip() for line in text.splitlines()[1:]]
    return set().union(*(expand(word) for word in words if word))
allowed = expand("@default")
for words in re.findall(r"^SystemCallFilter=(.*)$", open(sys.argv[2]).read(), re.M):
    called = set().union(*(expand(word) for word in words.lstrip("~").split()))
    allowed = allowed - called if words.startswith("~") else allowed | called
used = set(re.findall(r"^\d+ +(?:<\.\.\. )?([a-z_0-9]+)(?:\(| resumed)", open(sys.argv[1]).read(), re.M))
assert len(used) > 40, used
assert used - allowed <= {"capset", "fchown"}, used - allowed
PY
    else
        echo "skipped in part: strace is not installed, or follows no sanitizers"
    fi
else
    echo "skipped in part: systemd-analyze is not installed"
fi
finish
