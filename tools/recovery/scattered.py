# SPDX-License-Identifier: Apache-2.0
"""tools/recovery/scattered.py - a layout of make.py: files in pieces as in the DFRWS challenge of 2007.

Of 119 files there 14 lie in one piece, 44 in two and 4 in three in order, 12 in two, 10 in three
and 1 in four out of order, and 34 lack something; each file here is drawn with these odds. Gaps are
1 to 12,072 sectors, even by their logarithms, but one of five is below 65. What lies between is
random bytes, or ends of other files. A third of the files in order lies around pieces of another
one: A1 B1 A2 B2.
"""
SECTOR = 512
KINDS = (  # the order in which the pieces of a file stand in the image, and how often
    ((0,), 14), ((0, 1), 44), ((0, 1, 2), 4), ((1, 0), 12), ((2, 1, 0), 4), ((0, 2, 1), 3), ((1, 0, 2), 3),
    ((2, 0, 3, 1), 1), ((0, None), 12), ((None, 1), 11), ((0, None, 2), 11))
GAP_NEAR, GAP_MOST = 64, 12072
BRAIDS = 1 / 3


class Scattered:
    """An image without a file system. raw: make.py's, which holds the bytes and the draws."""

    def __init__(self, raw):
        self.raw, self.rng = raw, raw.rng

    def gap(self):
        """Bytes of no file that is planted."""
        near = self.rng.random() < 0.2
        sectors = self.rng.randrange(1, GAP_NEAR + 1) if near else int(
            GAP_NEAR * (GAP_MOST / GAP_NEAR) ** self.rng.random())
        data = bytearray()
        while len(data) < sectors * SECTOR:
            if self.rng.random() < 0.5 or not self.raw.others:
                data += self.rng.randbytes(self.rng.randrange(1, 513) * SECTOR)
            else:
                tail = self.raw.tail()
                data += tail + bytes(-len(tail) % SECTOR)
        self.raw.image += data[:sectors * SECTOR]

    def cuts(self, data, count):
        """The file's pieces: whole sectors but for the last one; fewer where it is too short."""
        sectors = -(-len(data) // SECTOR)
        count = min(count, sectors)
        ends = [0, *sorted(self.rng.sample(range(1, sectors), count - 1)), sectors]
        return [data[a * SECTOR:b * SECTOR] for a, b in zip(ends, ends[1:])]

    def plan(self, data):
        """The pieces of a file in the order in which they are planted: ([(number, bytes)], whether all are there)."""
        order = self.rng.choices([kind for kind, _ in KINDS], [odds for _, odds in KINDS])[0]
        pieces = self.cuts(data, len(order))
        if len(pieces) < len(order):
            return [(0, data)], True
        return [(number, pieces[number]) for number in order if number is not None], None not in order

    def plant(self, datas):
        """Plants all files: [(places in the order of the file, state)]."""
        plans = [self.plan(data) for data in datas]
        places, taken = [{} for _ in plans], set()
        for index, (pieces, _) in enumerate(plans):
            if index in taken:
                continue
            queue = [(index, *piece) for piece in pieces]
            other = index + 1
            if len(pieces) == 2 and other < len(plans) and len(plans[other][0]) == 2 and self.rng.random() < BRAIDS:
                taken.add(other)
                mine, its = queue, [(other, *piece) for piece in plans[other][0]]
                queue = [mine[0], its[0], mine[1], its[1]]
            for file, number, data in queue:
                self.gap()
                places[file][number] = self.raw.put(data)
        return [([place[number] for number in sorted(place)], "cut" if not whole else
                 "whole" if len(place) == 1 else "pieces") for place, (_, whole) in zip(places, plans)]
