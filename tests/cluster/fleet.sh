#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# tests/cluster/fleet.sh - what docs/guide/fleets.md tells to type: the loop over hosts, and the playbook, bring the case file of each host. The
# hosts are this machine: an ssh that runs its command here stands in for the network. The script for Slurm is tested by slurm.sh.
. "$(dirname "$0")/../cli/lib.sh"
root=$(readlink -f "$(dirname "$0")/../..")
planted
"$BURIN" scan --quiet --case "$dir/case" "$image" || fail "one scan"
want=$("$BURIN" list --digest "$dir/case")
mkdir "$dir/bin" "$dir/loop" "$dir/book"
ln -s "$BURIN" "$dir/bin/burin"
printf '%s\n' '#!/bin/sh' '[ "$1" = -n ] && [ "$2" != down ] || exit 255' 'exec sh -c "$3"' >"$dir/bin/ssh"
chmod +x "$dir/bin/ssh"
export PATH=$dir/bin:$PATH

# The page's loop, with this image for the device.
sed -n '/^```sh$/,/^```$/p' "$root/docs/guide/fleets.md" | sed '1d;$d' | sed "s#/dev/sdb#$image#" >"$dir/loop/loop.sh"
[ "$(wc -l <"$dir/loop/loop.sh")" -ge 4 ] || fail "the page has no loop"
printf '%s\n' h1 down h2 >"$dir/loop/hosts.txt"
mkdir "$dir/loop/results"
(cd "$dir/loop" && sh loop.sh) >"$dir/out" 2>"$dir/err" || fail "the loop: $(cat "$dir/err")"
[ "$(cat "$dir/out")" = "down: exit status 255" ] || fail "the loop says: $(cat "$dir/out" "$dir/err")"
for host in h1 h2; do
    [ "$("$BURIN" list --digest "$dir/loop/results/$host.burin" 2>&1)" = "$want" ] || fail "the loop: $host has another digest"
done
[ ! -e "$dir/loop/results/down.burin" ] || fail "the loop: a case file of a host that is down"

if command -v ansible-playbook >/dev/null; then
    printf '%s\n' 'h1 ansible_connection=local' 'h2 ansible_connection=local' >"$dir/hosts.ini"
    HOME=$dir ANSIBLE_LOCALHOST_WARNING=false ansible-playbook -i "$dir/hosts.ini" -e program="$BURIN" -e image="$image" -e results="$dir/book" \
        -e ansible_remote_tmp="$dir/remote" "$root/share/doc/burin/examples/fleet.yml" >"$dir/out" 2>&1 || fail "the playbook: $(tail -20 "$dir/out")"
    for host in h1 h2; do
        [ "$("$BURIN" list --digest "$dir/book/$host.burin" 2>&1)" = "$want" ] || fail "the playbook: $host has another digest"
    done
else
    echo "left out: the playbook, without ansible-playbook"
fi
python3 -I - "$root/share/doc/burin/examples/openrelik_worker.py" <<'PYTHON' || fail "openrelik_worker.py is no Python"
import ast, sys
ast.parse(open(sys.argv[1]).read())
PYTHON
finish
