#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""tests/cli/autopsy_walk.py REPORT IMAGE - a report.xml, walked as Autopsy's module for PhotoRec walks it.

The rules are those of PhotoRecCarverOutputParser.java (sleuthkit/autopsy, commit 0954752c): a DOM that knows no namespaces; of each
fileobject, wherever it stands, the first filename and the first filesize, which must be there, and all byte_run, whose img_offset and
len Long.parseLong takes; a run that begins outside of the file of unallocated space is left out, and so is one that ends behind it,
unless the file is larger than what is too much. Prints name, size and runs of each file, tab-separated.
"""
import os
import re
import sys
import xml.dom.minidom


def parse_long(text):
    if not re.fullmatch(r"[+-]?[0-9]+", text) or not -(2**63) <= int(text) < 2**63:
        raise ValueError(f"NumberFormatException: {text!r}: the whole import fails")
    return int(text)


def text_content(node):
    return "".join(part.data if part.nodeType in (part.TEXT_NODE, part.CDATA_SECTION_NODE) else text_content(part) for part in node.childNodes)


def main():
    report, image = sys.argv[1:]
    size = os.path.getsize(image)
    names = set()
    for entry in xml.dom.minidom.parse(report).documentElement.getElementsByTagName("fileobject"):
        name = text_content(entry.getElementsByTagName("filename")[0])  # an IndexError here is Autopsy's NullPointerException
        length = parse_long(text_content(entry.getElementsByTagName("filesize")[0]))
        runs = []
        for run in entry.getElementsByTagName("byte_run"):
            offset, count = parse_long(run.getAttribute("img_offset")), parse_long(run.getAttribute("len"))
            over = offset + count - size
            if offset < 0 or offset >= size or (over > 0 and length <= over):
                continue
            length -= max(over, 0)
            runs.append(f"{offset}+{count}")
        assert runs, f"{name} has no run, and is lost"
        assert "/" not in name and name not in names, f"{name}: a name of the case's tree, and once"
        names.add(name)
        print(name, length, ",".join(runs), sep="\t")


if __name__ == "__main__":
    main()
