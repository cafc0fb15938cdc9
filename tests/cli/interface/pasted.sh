#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# tests/cli/interface/pasted.sh - every command of README.md and of the man page's EXAMPLES works as pasted, and prints the like of what is shown.
# Labels: long
. "$(dirname "$0")/../lib.sh"
root=$(readlink -f "$cli/../..")
python3 "$cli/interface/pasted.py" "$root" "$(readlink -f "$BURIN")" "$dir" || fail "see above"

# The check itself: a command that fails, and output of another shape, are noticed.
mkdir -p "$dir/wrong/docs/reference" "$dir/wrong/tests"
cp "$root/dev" "$dir/wrong"
cp "$root/docs/reference/burin.1" "$dir/wrong/docs/reference"
noticed() {
    sed "$2" "$root/README.md" >"$dir/wrong/README.md"
    cmp -s "$root/README.md" "$dir/wrong/README.md" && fail "$1: nothing was planted"
    python3 "$cli/interface/pasted.py" "$dir/wrong" "$(readlink -f "$BURIN")" "$dir/wrong/$3" >"$dir/out" && fail "$1 is not noticed"
    [ "$(grep -c '^FAILED' "$dir/out")" = 1 ] || fail "$1: $(cat "$dir/out")"
}
noticed "a wrong option" 's/^\$ burin list disk/$ burin list --hed disk/' 1
noticed "a word that nobody prints" 's/ inside others) in/ within others) in/' 2
noticed "a column too few" 's/\tpng\tcomplete\t155648/\tpng\t155648/' 3
noticed "a verb that is none" 's/^\.\/dev build /.\/dev biuld /' 4
finish
