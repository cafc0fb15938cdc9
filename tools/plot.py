#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""tools/plot.py NAME - draws docs/measured/NAME.csv as docs/measured/NAME.svg.

    plot.py gpu-scan         GB/s against the size of a segment
    plot.py pattern-count    time a byte against the number of patterns
    plot.py NAME CSV         reads another CSV, and writes the picture to standard output

The first column of the CSV is the horizontal axis, each other column a line; an empty cell is a
point that was not measured. The same CSV gives the same bytes.
"""
import csv
import math
import os
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
WIDTH, HEIGHT = 720, 360
LEFT, RIGHT, TOP, BOTTOM = 64, 130, 34, 46
COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#56b4e9", "#7f7f7f")
STYLES = ("none", "6 3", "2 3", "8 3 2 3", "1 4", "12 4")

# title, name of the horizontal axis, name of the vertical one, its ticks, is it logarithmic
PLOTS = {
    "gpu-scan": ("60 signatures from pinned memory through one H200, by strategy", "segment, MiB",
                 "GB/s", (0, 10, 20, 30, 40, 50, 60), False),
    "pattern-count": ("random patterns of 16 bytes in random data, one thread", "patterns",
                      "ns a byte", (0.01, 0.1, 1, 10, 100, 1000), True),
}


def read(path):
    """The columns of a CSV: (horizontal values, [(name, values or None)])."""
    with open(path, newline="", encoding="utf-8") as file:
        head, *rows = list(csv.reader(file))
    places = [float(row[0]) for row in rows]
    lines = [(name, [float(row[i]) if row[i] else None for row in rows]) for i, name in enumerate(head[1:], 1)]
    return places, lines


def draw(plot, places, lines):
    """The picture, as text."""
    title, across, up, ticks, logarithmic = plot
    least, most = math.log2(places[0]), math.log2(places[-1])
    scale = math.log10 if logarithmic else float

    def x(value):
        return LEFT + (math.log2(value) - least) / (most - least) * (WIDTH - LEFT - RIGHT)

    def y(value):
        low, high = scale(ticks[0]), scale(ticks[-1])
        return HEIGHT - BOTTOM - (scale(value) - low) / (high - low) * (HEIGHT - TOP - BOTTOM)

    out = ['<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %d" font-family="sans-serif" font-size="12">' %
           (WIDTH, HEIGHT), '<rect width="%d" height="%d" fill="#ffffff"/>' % (WIDTH, HEIGHT),
           '<text x="%d" y="18" font-size="14">%s</text>' % (LEFT, title)]
    for tick in ticks:
        out.append('<line x1="%d" x2="%d" y1="%.1f" y2="%.1f" stroke="#dddddd"/>' % (LEFT, WIDTH - RIGHT, y(tick), y(tick)))
        out.append('<text x="%d" y="%.1f" text-anchor="end">%g</text>' % (LEFT - 8, y(tick) + 4, tick))
    for place in places:
        out.append('<line x1="%.1f" x2="%.1f" y1="%d" y2="%d" stroke="#888888"/>' %
                   (x(place), x(place), HEIGHT - BOTTOM, HEIGHT - BOTTOM + 5))
        out.append('<text x="%.1f" y="%d" text-anchor="middle">%g</text>' % (x(place), HEIGHT - BOTTOM + 18, place))
    out.append('<text x="%.1f" y="%d" text-anchor="middle">%s</text>' % ((LEFT + WIDTH - RIGHT) / 2, HEIGHT - 8, across))
    out.append('<text x="16" y="%.1f" text-anchor="middle" transform="rotate(-90 16 %.1f)">%s</text>' %
               ((TOP + HEIGHT - BOTTOM) / 2, (TOP + HEIGHT - BOTTOM) / 2, up))
    names = []
    for i, (name, values) in enumerate(lines):
        points = [(x(place), y(value)) for place, value in zip(places, values) if value is not None]
        out.append('<polyline fill="none" stroke="%s" stroke-width="2" stroke-dasharray="%s" points="%s"/>' %
                   (COLOURS[i], STYLES[i], " ".join("%.1f,%.1f" % point for point in points)))
        out += ['<circle cx="%.1f" cy="%.1f" r="3" fill="%s"/>' % (*point, COLOURS[i]) for point in points]
        names.append([points[-1][1], name, COLOURS[i], points[-1][0]])
    below = -math.inf
    for place in sorted(names):  # names stand beside the last points, one line apart at least
        place[0] = below = max(place[0], below + 14)
        out.append('<text x="%.1f" y="%.1f" fill="%s">%s</text>' % (place[3] + 8, place[0] + 4, place[2], place[1]))
    return "\n".join(out) + "\n</svg>\n"


def main():
    if len(sys.argv) not in (2, 3) or sys.argv[1] in ("-h", "--help") or sys.argv[1] not in PLOTS:
        print(__doc__.strip())
        return 0 if sys.argv[1:] in (["-h"], ["--help"]) else 2
    stem = os.path.join(ROOT, "docs", "measured", sys.argv[1])
    picture = draw(PLOTS[sys.argv[1]], *read(sys.argv[2] if len(sys.argv) == 3 else stem + ".csv"))
    if len(sys.argv) == 3:
        sys.stdout.write(picture)
        return 0
    with open(stem + ".svg", "w", encoding="utf-8") as file:
        file.write(picture)
    return 0


if __name__ == "__main__":
    sys.exit(main())
