# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
# tests/cli/lib.sh - what the end-to-end tests share. BURIN is the program; without it a test is skipped.
#
# Every test gets a folder of its own, $dir, which is removed at the end. A failed check is printed and the test goes on, so that one
# run shows all of them; `finish` says how it went.

set -uo pipefail
export LC_ALL=C.UTF-8 PYTHONDONTWRITEBYTECODE=1
[ -n "${BURIN:-}" ] || { echo "no program in this build"; exit 77; }
cli=$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")
dir=$(mktemp -d)
failures=0
at_exit=()
# In a build with sanitizers what they find is kept, whatever becomes of the process and of its standard error.
export ASAN_OPTIONS="${ASAN_OPTIONS:-}:log_path=$dir/sanitizer"
# On a machine under load the clean end that a test looks for may take longer than it does elsewhere.
export BURIN_STOP_SECONDS=600
main_shell=$BASHPID
cleanup() {
    local command
    # A child that a signal ends before it has become the program has this trap too.
    [ "$BASHPID" = "$main_shell" ] || return
    for command in "${at_exit[@]}"; do eval "$command"; done
    rm -rf "$dir"
}
trap cleanup EXIT

# rounds FEW ALL : how often what differs in its seed or its order alone is done: all with BURIN_LONG=1 (./dev test long).
rounds() {
    if [ -n "${BURIN_LONG:-}" ]; then echo "$2"; else echo "$1"; fi
}

fail() {
    echo "FAILED: $*"
    failures=$((failures + 1))
}

skip() {
    echo "skipped: $*"
    exit 77
}

# flip FILE OFFSET : turns over all bits of one byte, so that it changes whatever it was.
flip() {
    local byte
    byte=$(od -An -tu1 -j "$2" -N 1 "$1")
    printf '%b' "\\x$(printf %02x $((byte ^ 255)))" | dd of="$1" bs=1 seek="$2" conv=notrunc status=none
}

# Waits until a command says yes: at most five minutes, for a machine under load.
until_it() {
    local i
    for ((i = 0; i < 1500; i++)); do
        "$@" && return 0
        sleep 0.2
    done
    fail "this never came to be: $*"
    return 1
}

# hears PID : the program there runs, and catches SIGTERM.
hears() {
    local caught
    caught=$(sed -n 's/^SigCgt:[[:space:]]*//p' "/proc/$1/status") && [ "$(cat "/proc/$1/comm")" != bash ] && ((16#${caught:-0} >> 14 & 1))
}

# What the program has served by qemu-nbd in its jail is tested only where both can be had.
need_jailed_server() {
    command -v qemu-nbd >/dev/null && command -v qemu-img >/dev/null || skip "no qemu-utils"
    [ "$(python3 -c 'import ctypes; print(ctypes.CDLL(None).syscall(444, 0, 0, 1))')" -gt 0 ] || skip "no Landlock in this kernel"
}

finish() {
    local report
    for report in "$dir"/sanitizer.*; do
        [ -e "$report" ] || continue
        # The process in which LeakSanitizer looks outlives the one that a test kills, and says then, or is about to say, that its
        # threads are gone.
        grep -qvE '^==[0-9]+==Unable to get registers from thread [0-9]+\.$' "$report" || continue
        fail "a sanitizer speaks: $(head -40 "$report")"
    done
    [ "$failures" -eq 0 ] || { echo "$failures checks failed"; exit 1; }
    exit 0
}

# The names of all commands, a line each. A list that has moved is no empty list.
commands() {
    sed -n 's/^COMMAND(\([a-z]*\)).*/\1/p' "$cli/../../carver/cli/commands.def" | grep . || echo "no-list-of-commands"
}

# Whether the program has the engines and benchmarks that reproduce papers.
has_papers() {
    ! grep -q '^none: this build is without' <<<"$("$BURIN" info --engines)"
}

# Runs the program with these words; $status, $dir/out and $dir/err are what it said.
burin() {
    status=0
    "$BURIN" "$@" >"$dir/out" 2>"$dir/err" </dev/null || status=$?
}

# expect STATUS TEXT WORD... : the exit status, and (unless TEXT is empty) one single line on standard error that matches TEXT.
expect() {
    local want=$1 text=$2
    shift 2
    burin "$@"
    check "$want" "$text" "burin $*"
}

check() {
    local want=$1 text=$2 what=$3 heard
    [ "$status" -eq "$want" ] || fail "$what: status $status instead of $want: $(head -c 500 "$dir/err")"
    [ -n "$text" ] || return 0
    # Here and not by grep and wc: some tests ask a hundred times.
    mapfile -t heard <"$dir/err"
    shopt -s nocasematch
    [[ ${heard[*]} =~ $text ]] || fail "$what: no '$text' in: $(head -c 500 "$dir/err")"
    shopt -u nocasematch
    [ ${#heard[@]} -eq 1 ] || fail "$what: more than one line on standard error: $(head -c 1000 "$dir/err")"
}

# The planted image of make_image.py: $image, and what it holds: $dir/expected.tsv. It takes Python half a second, and is the same for all
# tests: the build keeps one.
planted() {
    local kept
    if [ -z "${BUILD:-}" ]; then
        python3 "$cli/make_image.py" "$dir" || exit 1
    else
        kept=$BUILD/planted-$(cat "$cli/make_image.py" "$cli/samples.py" | cksum | tr ' ' -)
        if [ ! -d "$kept" ]; then
            mkdir "$kept.$BASHPID" && python3 "$cli/make_image.py" "$kept.$BASHPID" || exit 1
            mv -T "$kept.$BASHPID" "$kept" 2>/dev/null || rm -r "$kept.$BASHPID" # another test was as far
        fi
        cp "$kept"/* "$dir" || exit 1
    fi
    # shellcheck disable=SC2034
    image=$dir/image.raw
}

# Rows of a case file that must not depend on how it was made.
rows() {
    sqlite3 -readonly "$1" "SELECT 'hit', h.id, h.image_id, s.number, h.offset, h.len, h.footer FROM hits h
            JOIN signatures s ON s.id = h.signature_id ORDER BY h.id;
        SELECT 'object', o.id, o.image_id, s.number, type, extension, state, reason, validated, proven, container, o.offset, o.len,
            o.name, slack, crc64 FROM objects o JOIN signatures s ON s.id = o.signature_id ORDER BY o.id;
        SELECT 'extent', object_id, number, offset, len FROM extents ORDER BY object_id, number;
        SELECT 'nested', * FROM nested ORDER BY object_id;
        SELECT 'fact', * FROM facts ORDER BY object_id, key;
        SELECT 'content', * FROM contents ORDER BY object_id;
        SELECT 'known', * FROM known_blocks ORDER BY 2, 3, 4;
        SELECT 'bad', offset, len, cause, source, status FROM bad_ranges ORDER BY offset;"
}
