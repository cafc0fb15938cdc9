#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# tests/tools/cluster_model.sh - docs/measured/cluster.md has what tools/cluster_model.py computes, and that is what comes out by hand.
set -euo pipefail
cd "$(dirname "$(readlink -f "$0")")/../.."
export PYTHONDONTWRITEBYTECODE=1
page=docs/measured/cluster.md
status=0

# Lines of the model that the page lacks.
lacks() {
    python3 tools/cluster_model.py "$@" | while IFS= read -r line; do grep -qxF -- "$line" "$page" || echo "$line"; done
}
missing=$(lacks)
[ -z "$missing" ] || { printf '%s is stale, it lacks:\n%s\n' "$page" "$missing"; status=1; }
[ -n "$(lacks nvme=6e9)" ] || { echo "another assumption was not noticed"; status=1; }

# 4e12 bytes at 3e9 a second are 1,333 s; 250,000 volumes of it 1e18 bytes; 1 TiB at 2 GiB a second 512 s; 5 years over 1,000 nodes 43.8 h.
for line in 'on flash, all at once | 22.2 min |' 'all volumes | 1 EB |' '| 1 TiB | 8.53 min |' 'dies every | 43.8 h |'; do
    grep -qF -- "$line" "$page" || { echo "$page does not say: $line"; status=1; }
done
if python3 tools/cluster_model.py nothing=1 >/dev/null 2>&1; then
    echo "an assumption that there is not was taken"
    status=1
fi
exit "$status"
