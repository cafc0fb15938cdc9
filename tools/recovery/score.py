#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""tools/recovery/score.py - compares what a program recovered with the truth of make.py.

    score.py [--types] [--missed] [--json] DIR RECOVERED

DIR has image.raw and truth.json, RECOVERED the files that the program wrote. Its reports
(audit.txt, report.xml, photorec.log, photorec.ses) are left out. A file that was written is

    exact   the bytes of a planted file that nothing else was exact for
    again   the bytes of a planted file once more
    inside  not the bytes of one, but bytes that lie within one, behind its beginning: a
            thumbnail in a photograph, a member of an archive, or a mistake; nobody looks which
    wrong   anything else: too short, too long, of no planted file

recovered = exact files that lie in one piece / planted files that lie in one piece
precision = (exact + again) / (written - inside)

    --types   a line for each type       --missed  a line for each file in one piece not recovered
    --json    the numbers as JSON
"""
import argparse
import collections
import hashlib
import json
import mmap
import os

REPORTS = {"audit.txt", "report.xml", "photorec.log", "photorec.ses"}
LOOKS = 64  # places of the image at which the bytes of one file are looked up


def written(folder):
    """Paths of what was written, in a stable order."""
    for where, names, files in os.walk(folder):
        names.sort()
        for name in sorted(files):
            path = os.path.join(where, name)
            if not os.path.islink(path) and not (name in REPORTS and where == folder):
                yield path


def lies_inside(image, spans, data):
    """True when the bytes lie within a planted file, but not at its beginning."""
    at = image.find(data) if data else -1
    for _ in range(LOOKS):
        if at < 0:
            return False
        if any(start < at and at + len(data) <= end for start, end in spans):
            return True
        at = image.find(data, at + 1)
    return False


def judge(truth, image, folder):
    """What became of each planted file and of each written one: ({index of exact}, verdicts)."""
    by_digest, spans = collections.defaultdict(list), []
    for index, row in enumerate(truth):
        if row["state"] != "cut":
            by_digest[row["sha256"]].append(index)
        spans += [(at, at + length) for at, length in row["extents"][:1] if row["state"] == "whole"]
    exact, verdicts = set(), collections.Counter()
    for path in written(folder):
        with open(path, "rb") as file:
            data = file.read()
        same = by_digest.get(hashlib.sha256(data).hexdigest(), [])
        new = [index for index in same if index not in exact]
        if new:
            exact.add(new[0])
            verdicts["exact"] += 1
        elif same:
            verdicts["again"] += 1
        else:
            verdicts["inside" if lies_inside(image, spans, data) else "wrong"] += 1
    return exact, verdicts


def share(part, whole):
    return "%.1f %%" % (100.0 * part / whole) if whole else "-"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("dir", metavar="DIR")
    parser.add_argument("recovered", metavar="RECOVERED")
    for name in ("--types", "--missed", "--json"):
        parser.add_argument(name, action="store_true")
    args = parser.parse_args()
    with open(os.path.join(args.dir, "truth.json"), encoding="utf-8") as file:
        truth = json.load(file)["files"]
    with open(os.path.join(args.dir, "image.raw"), "rb") as file, \
            mmap.mmap(file.fileno(), 0, prot=mmap.PROT_READ) as image:
        exact, verdicts = judge(truth, image, args.recovered)

    whole = [index for index, row in enumerate(truth) if row["state"] == "whole"]
    got = [index for index in whole if index in exact]
    total = sum(verdicts.values())
    right = verdicts["exact"] + verdicts["again"]
    if args.json:
        print(json.dumps({"planted": len(truth), "whole": len(whole), "recovered": len(got),
                          "recovered_in_pieces": len(exact) - len(got), "written": total,
                          **{name: verdicts[name] for name in ("exact", "again", "inside", "wrong")}}))
        return
    if args.types:
        print("%-8s %8s %10s" % ("type", "whole", "recovered"))
        for kind in sorted({truth[index]["type"] for index in whole}):
            print("%-8s %8d %10d" % (kind, sum(truth[index]["type"] == kind for index in whole),
                                     sum(truth[index]["type"] == kind for index in got)))
    if args.missed:
        for index in whole:
            if index not in exact:
                row = truth[index]
                print("missed %s at %d, %d bytes: %s" % (row["type"], row["extents"][0][0], row["size"], row["path"]))
    print("in one piece: %d of %d recovered (%s); in pieces: %d of %d" % (
        len(got), len(whole), share(len(got), len(whole)), len(exact) - len(got),
        sum(row["state"] == "pieces" for row in truth)))
    print("written: %d, of them %d exact, %d again, %d inside of others, %d wrong; precision %s" % (
        total, verdicts["exact"], verdicts["again"], verdicts["inside"], verdicts["wrong"],
        share(right, total - verdicts["inside"])))


if __name__ == "__main__":
    main()
