#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# tools/lint.sh - what `./dev lint` runs: every step, or those named. Needs a configured build/.
set -uo pipefail
cd "$(dirname "$(readlink -f "$0")")/.." || exit 1

mapfile -t sources < <(git ls-files --cached --others --exclude-standard '*.c')
mapfile -t code < <(git ls-files --cached --others --exclude-standard '*.c' '*.h')
mapfile -t scripts < <(git ls-files --cached --others --exclude-standard '*.sh' dev .ci/run bin/)

lint_format() {
    clang-format --dry-run -Werror "${code[@]}"
}

# Only what the release build compiles: clang-tidy needs the flags of each file, as if each were compiled by itself. CUDA's it cannot
# read; nvcc warns of those. gcc sets variables to zero; clang-tidy is to find where that hides something, and its clang may not know
# the flag.
lint_tidy() {
    cmake --preset release -B build/each -DBURIN_TOGETHER=OFF >build/each.log || { cat build/each.log >&2; return 1; }
    python3 - <<'PY' >build/tidy.list
import json, os
for entry in json.load(open("build/each/compile_commands.json")):
    if entry["file"].endswith(".c") and os.path.exists(entry["file"]):
        print(os.path.relpath(entry["file"]))
PY
    sort -u build/tidy.list | xargs -P "$(nproc)" -n 4 clang-tidy --quiet -p build/each \
        --extra-arg=-ftrivial-auto-var-init=uninitialized 2>build/tidy.log ||
        { grep -vE '^[0-9]+ warnings? |^Suppressed|^Use -' build/tidy.log >&2; return 1; }
}

lint_cppcheck() {
    cppcheck --quiet --std=c11 --enable=warning,performance,portability --inline-suppr --error-exitcode=1 \
        --suppressions-list=tools/cppcheck.suppress -j "$(nproc)" -I . -I build/generated -D_GNU_SOURCE "${sources[@]}"
}

lint_shell() {
    shellcheck -x "${scripts[@]}"
}

lint_rules() {
    local script status=0
    for script in tests/tidy/*.sh; do
        BUILD=$PWD/build bash "$script" || [ $? -eq 77 ] || status=1 # 77: there is nothing to look at yet
    done
    return "$status"
}

[ $# -gt 0 ] || set -- format tidy cppcheck shell rules
status=0
for step; do
    case $step in
    format | tidy | cppcheck | shell | rules) ;;
    *)
        echo "lint: no step $step; there are format, tidy, cppcheck, shell, rules" >&2
        exit 2
        ;;
    esac
    if "lint_$step"; then
        echo "lint: $step: clean" >&2
    else
        echo "lint: $step: FAILED" >&2
        status=1
    fi
done
exit "$status"
