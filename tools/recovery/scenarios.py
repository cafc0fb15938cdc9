# SPDX-License-Identifier: Apache-2.0
"""tools/recovery/scenarios.py - a layout of make.py: the scenarios of the DFRWS challenge of 2006.

The challenge has 32 files in 22 scenarios of web pages, office documents, pictures and archives, in
50 MB of random bytes. Order, sectors between scenarios and sectors of each piece are those that its
organisers published; each file here is one of the same type, of the four whose size is nearest. Pieces have
their sectors but for the last one; in a file that is shorter, each is shorter by as much. Of its 32 files
the three texts, which nothing marks, are made up here, and count as what lies between.
"""
SECTOR = 512
NEAR = 4  # files of which one is drawn
OFFICE, ZIPS = ("doc", "xls", "ppt"), ("zip", "jar", "docx", "odt", "epub")
TYPES = {"html": ("html",), "doc": OFFICE, "xls": ("xls", "doc", "ppt"), "jpg": ("jpg",), "zip": ZIPS}
# (sectors of random bytes before, pieces in the order of the image): a piece is a file's, a letter
# with its type, or what no file is; and its sectors.
SCENARIOS = (
    (9, (("a html", 36),)), (2006, (("a xls", 1000), ("random", 21), ("a xls", 699))), (97, (("a jpg", 561),)),
    (7, (("a html", 20), ("b html", 30), ("a html", 16), ("b html", 55))),
    (3407, (("a doc", 321), ("b jpg", 1189), ("a doc", 558))), (1587, (("a jpg", 204), ("text", 26), ("a jpg", 169))),
    (204, (("a jpg", 13895),)), (1379, (("a html", 111), ("b jpg", 371), ("a html", 219))),
    (47, (("a html", 2), ("unicode", 61), ("a html", 38))), (94, (("a zip", 288),)),
    (2, (("a zip", 800), ("b html", 367), ("a zip", 1473))),
    (106, (("a jpg", 58), ("b jpg", 220), ("a jpg", 135), ("b jpg", 149))), (800, (("a doc", 561),)),
    (890, (("a doc", 19), ("text", 106), ("a doc", 1824))), (54, (("soi", 1), ("a jpg", 349))),
    (357, (("a doc", 652), ("random", 77), ("a doc", 1701), ("random", 49), ("a doc", 904))),
    (257, (("a jpg", 582), ("random", 19), ("a jpg", 371))), (1, (("a jpg", 1823), ("b jpg", 595), ("a jpg", 172))),
    (814, (("a zip", 372), ("random", 3), ("a zip", 156))), (20, (("a jpg", 398), ("b doc", 140), ("a jpg", 723))),
    (83, (("a jpg", 47927),)), (9, (("a jpg", 783), ("eoi", 1), ("a jpg", 1024))))


def planned():
    """The files of all scenarios: [(scenario, letter, type, sectors of each piece)]."""
    files = {}
    for number, (_, pieces) in enumerate(SCENARIOS):
        for name, sectors in pieces:
            if " " in name:
                files.setdefault((number, *name.split(" ")), []).append(sectors)
    return [(*key, pieces) for key, pieces in files.items()]


def choose(found, size_of, rng):
    """A file for each, of the type and the nearest size, the largest first: [path], in their order."""
    plans, chosen = planned(), {}
    for index in sorted(range(len(plans)), key=lambda i: -sum(plans[i][3])):
        _, _, kind, pieces = plans[index]
        paths = [path for name in TYPES[kind] for path in found.get(name, ()) if path not in chosen.values()]
        paths = [path for path in paths if size_of(path) > len(pieces) * SECTOR]
        if not paths:
            raise SystemExit("make.py: too few files of type %s for the scenarios" % kind)
        near = sorted(paths, key=lambda path: abs(size_of(path) - sum(pieces) * SECTOR))[:NEAR]
        chosen[index] = rng.choice(near)
    return [chosen[index] for index in range(len(plans))]


class Scenarios:
    """An image without a file system. raw: make.py's, which holds the bytes and the draws."""

    def __init__(self, raw):
        self.raw, self.rng = raw, raw.rng

    def between(self, name, sectors):
        """Bytes of no file that is planted."""
        length = sectors * SECTOR
        words = " ".join(self.rng.choices("of the and a disk sector that is no file any more ; 1984 \n".split(" "), k=length))
        heads = {"soi": b"\xff\xd8", "eoi": b"\xff\xd9"}
        data = words.encode() if name == "text" else words.encode("utf-16-le") if name == "unicode" else heads.get(name, b"")
        self.raw.image += data[:length] if len(data) >= length else data + self.rng.randbytes(length - len(data))

    def cuts(self, data, pieces):
        """The file's pieces, whole sectors but for the last one: shorter ones where it is too short."""
        sectors, wanted, ends = -(-len(data) // SECTOR), sum(pieces), [0]
        for number in range(1, len(pieces)):
            end = sum(pieces[:number]) * min(sectors, wanted) // wanted
            ends.append(min(max(end, ends[-1] + 1), sectors - (len(pieces) - number)))
        ends.append(sectors)
        return [data[a * SECTOR:b * SECTOR] for a, b in zip(ends, ends[1:])]

    def plant(self, datas):
        """Plants all files, as choose gave them: [(places in the order of the file, state)]."""
        plans = planned()
        parts = {plan[:3]: self.cuts(data, plan[3]) for plan, data in zip(plans, datas)}
        places = {key: [] for key in parts}
        for number, (gap, pieces) in enumerate(SCENARIOS):
            self.between("random", gap)
            for name, sectors in pieces:
                key = (number, *name.split(" "))
                if key in parts:
                    places[key].append(self.raw.put(parts[key][len(places[key])]))
                else:
                    self.between(name, sectors)
        self.between("random", 1000)
        return [(places[plan[:3]], "whole" if len(plan[3]) == 1 else "pieces") for plan in plans]
