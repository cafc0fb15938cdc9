#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# tests/cli/completion.sh - the scripts of `burin completion`: bash completes commands, options and values as the program has them, and
# every option that --help names; zsh and fish take their scripts; cmake --install puts them where shells look.
# Labels: long
. "$(dirname "$0")/lib.sh"

expect 2 "SHELL" completion
expect 2 "did you mean 'bash'" completion bsah
expect 2 "no shell 'powershell'; there are bash, zsh and fish" completion powershell
for shell in bash zsh fish; do
    expect 0 "" completion $shell
    cp "$dir/out" "$dir/burin.$shell"
done

# What a new bash completes at the end of this line, a word a line. The line is split as bash does it, at : and = too.
complete_line() {
    # shellcheck disable=SC2016
    bash --noprofile --norc -c '
        . "$1"
        COMP_LINE=$2 COMP_POINT=${#2}
        mapfile -t COMP_WORDS < <(grep -oE "[:=]+|[^:= ]+" <<<"$2")
        [[ $2 != *[\ :=] ]] || COMP_WORDS+=("")
        COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
        _burin "$3" "${COMP_WORDS[-1]}" "${COMP_WORDS[-2]}"
        printf "%s\n" "${COMPREPLY[@]}"' bash "$dir/burin.bash" "$1" "$BURIN" 2>"$dir/err" | sed '/^$/d'
    [ ! -s "$dir/err" ] || fail "'$1': bash says $(cat "$dir/err")"
}
# is LINE WORD... : just these words, in any order.
is() {
    local got line=$1
    shift
    got=$(complete_line "$line" | sort | paste -sd ' ')
    [ "$got" = "$(printf '%s\n' "$@" | sort | paste -sd ' ')" ] || fail "'$line' completes to '$got' instead of '$*'"
}
# has LINE WORD : this word among others.
has() {
    grep -qxF -- "$2" <<<"$(complete_line "$1")" || fail "'$1' does not complete to $2"
}

is "burin sc" scan
is "burin help sc" scan
is "burin nonsense"
is "burin scan --eng" --engine
is "burin scan --case x --eng" --engine
is "burin list --types pn" png pnm
is "burin list -t jpg,pn" jpg,png jpg,pnm
is "burin list --types=pn" png pnm
is "burin list --category pn"
is "burin known bu" build
is "burin known build bu" # names of files, by bash itself
is "burin bench mat" match
is "burin completion z" zsh
is "burin scan --engine au" auto
is "burin scan --engine=simd:port" portable
is "burin scan --engine simd:port" portable
is "burin scan --devices n" none
is "burin scan --image-type qc" qcow2
is "burin scan --case "
is "burin scan --threads "
is "burin info --types " # takes no value
has "burin bench match --" --runs

# The lists are the program's own.
"$BURIN" info --engines | awk -F '\t' 'BEGIN { print "auto" } NF > 1 && $3 == "yes" { print $1 }' | sort >"$dir/want"
complete_line "burin scan --engine " | sort >"$dir/got"
cmp -s "$dir/want" "$dir/got" || fail "--engine: $(diff "$dir/want" "$dir/got")"
"$BURIN" info --types | cut -f 1 | sort >"$dir/want"
complete_line "burin scan --types " | sort >"$dir/got"
[ -z "$(comm -23 "$dir/want" "$dir/got")" ] || fail "--types lacks $(comm -23 "$dir/want" "$dir/got")"
commands | cat - <(printf '%s\n' help version) | sort >"$dir/want"
complete_line "burin " | sort >"$dir/got"
cmp -s "$dir/want" "$dir/got" || fail "commands: $(diff "$dir/want" "$dir/got")"

# Every option of --help, of each command and of each kind of benchmark.
while read -r words; do
    # shellcheck disable=SC2086
    "$BURIN" $words --help | grep -oE '^ +(-[a-z], )?--[a-z][a-z0-9-]*' | grep -oE -- '--[a-z0-9-]+' | sort -u >"$dir/want"
    complete_line "burin $words --" | sort -u >"$dir/got"
    cmp -s "$dir/want" "$dir/got" || fail "options of $words: --help (<) and completion (>) differ: $(diff "$dir/want" "$dir/got")"
done < <(commands | grep -vx bench; "$BURIN" bench --help | sed -nE 's/^  ([a-z]+)  .*/bench \1/p')

# A name of a file is bash's own work: the script leaves it to "default", which it asks for.
# shellcheck disable=SC2016
bash --noprofile --norc -c '. "$1"; complete -p burin' bash "$dir/burin.bash" | grep -q -- '-o default' || fail "bash does not complete names of files"

build=$(dirname "$BURIN")
if command -v cmake >/dev/null && [ -e "$build/completion/burin.bash" ]; then
    cmake --install "$build" --prefix "$dir/prefix" >/dev/null || fail "cmake --install fails"
    cmp "$dir/burin.bash" "$dir/prefix/share/bash-completion/completions/burin" || fail "bash's script is not installed"
    cmp "$dir/burin.zsh" "$dir/prefix/share/zsh/site-functions/_burin" || fail "zsh's script is not installed"
    cmp "$dir/burin.fish" "$dir/prefix/share/fish/vendor_completions.d/burin.fish" || fail "fish's script is not installed"
else
    echo "skipped in part: no folder of a build to install from"
fi
for shell in zsh fish; do
    if command -v $shell >/dev/null; then
        $shell -n "$dir/burin.$shell" || fail "$shell does not read its script"
    else
        echo "skipped in part: $shell is not installed"
    fi
done
finish
