#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""tools/cluster_model.py [NAME=VALUE...] - what a cluster would take, by arithmetic: the tables of docs/measured/cluster.md.

Every assumption is a line of ASSUMPTIONS, with where it is from; NAME=VALUE changes one. Nothing here was measured on a cluster.
"""
import sys

GIB, TIB = 2 ** 30, 2 ** 40

# name, value, unit, where it is from
ASSUMPTIONS = [
    ("node", 2.0, "GiB/s", "that a node scans: its network; 16 cores scan 13 GiB/s of the page cache (threads.md)"),
    ("storage", 200.0, "GiB/s", "that the file system gives to all nodes together"),
    ("merge", 11.0, "GiB/s", "of dense user data that one core merges (below)"),
    ("start", 5.0, "s", "until a part runs, with its queue"),
    ("part", 512.0, "GiB", "of image in a part, but four for each node at least"),
    ("volumes", 250000, "", "of a fleet"),
    ("volume", 4e12, "bytes", "of each"),
    ("nvme", 3e9, "bytes/s", "that a volume on flash is read with where it lies"),
    ("disk", 2e8, "bytes/s", "that a volume on a disk is read with where it lies"),
    ("central", 5e9, "bytes/s", "that a node of a central cluster reads"),
    ("nodes", 1000, "", "of that cluster"),
    ("shard", 0.0016, "", "bytes of a shard for a byte of dense image (below)"),
    ("new", 0.01, "", "of the rows are new since the last audit, and sent"),
    ("summary", 1e6, "bytes", "of a volume's summary"),
    ("starts", 1.3, "1/s", "tasks that Slurm starts"),
    ("mtbf", 5.0, "years", "between two deaths of a node"),
]


def duration(seconds):
    for unit, length in (("d", 86400), ("h", 3600), ("min", 60)):
        if seconds >= 2 * length:
            return f"{seconds / length:.3g} {unit}"
    return f"{seconds:.3g} s"


def amount(count):
    for unit, size in (("EB", 1e18), ("PB", 1e15), ("TB", 1e12), ("GB", 1e9)):
        if count >= size:
            return f"{count / size:.3g} {unit}"
    return f"{count:.3g} bytes"


def image_time(a, size, nodes):
    """Seconds of scan and of merge for an image of so many bytes."""
    parts = max(4 * nodes, size / (a["part"] * GIB)) if nodes > 1 else 1
    rate = min(nodes * a["node"], a["storage"]) * GIB
    scan = size / rate + a["start"] * (parts / nodes if nodes > 1 else 0)
    return scan, size / (a["merge"] * GIB) if nodes > 1 else 0


def images(a):
    counts = (1, 4, 16, 64, 256, 1000)
    print("| image | " + " | ".join(f"{n} node{'s' if n > 1 else ''}" for n in counts) + " |")
    print("| --- |" + " --- |" * len(counts))
    for size in (1, 10, 100):
        cells = []
        for nodes in counts:
            scan, merge = image_time(a, size * TIB, nodes)
            cells.append(duration(scan) + (f" + {duration(merge)}" if merge else ""))
        print(f"| {size} TiB | " + " | ".join(cells) + " |")


def fleet(a):
    total = a["volumes"] * a["volume"]
    central = total / (a["nodes"] * a["central"])
    rows = [
        ("bytes of all volumes", amount(total)),
        ("scanned where they lie, on flash, all at once", duration(a["volume"] / a["nvme"])),
        ("scanned where they lie, on disks, all at once", duration(a["volume"] / a["disk"])),
        (f"scanned by {a['nodes']:.0f} nodes, if storage gives {a['nodes'] * a['central'] / 1e12:.3g} TB/s", duration(central)),
        ("all rows, sent to one place", amount(total * a["shard"])),
        ("rows that are new since the last audit", amount(total * a["shard"] * a["new"])),
        ("summaries", amount(a["volumes"] * a["summary"])),
        ("Slurm's start of a task for each volume", duration(a["volumes"] / a["starts"])),
        (f"one of {a['nodes']:.0f} nodes dies every", duration(a["mtbf"] * 365.25 * 86400 / a["nodes"])),
    ]
    print("| of a fleet | |\n| --- | --- |")
    for what, value in rows:
        print(f"| {what} | {value} |")


def main():
    a = {name: value for name, value, _, _ in ASSUMPTIONS}
    for word in sys.argv[1:]:
        name, _, value = word.partition("=")
        if name not in a:
            sys.exit(f"cluster_model.py: no assumption named {name!r}; there are {', '.join(a)}")
        a[name] = float(value)
    print("| assumption | | from |\n| --- | --- | --- |")
    for name, _, unit, source in ASSUMPTIONS:
        print(f"| {name} | {a[name]:g}{' ' + unit if unit else ''} | {source} |")
    print()
    images(a)
    print()
    fleet(a)


if __name__ == "__main__":
    main()
