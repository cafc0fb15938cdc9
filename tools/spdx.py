#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""tools/spdx.py [--write] - every source file of the tree says its licence in its first lines.

Prints the files that do not, and ends with 1 where there are some; with --write it puts the line into them. In C it opens the first
comment, elsewhere it is a line of its own, behind a line that another program reads (#!, #compdef).
"""
import os
import subprocess
import sys

TAG = "SPDX-License-Identifier: Apache-2.0"
COMMENT = {  # what begins a comment, by the end of a name
    "#": (".sh", ".py", ".cmake", ".bash", ".zsh", ".fish", ".pl", ".service", ".timer", "CMakeLists.txt", "rooms.def", "dev", "run", "burin-photorec"),
    "--": (".sql",),
    "//": (".js",),
    "/*": (".c", ".h", ".h.in", ".cu", ".cuh", ".def", ".css"),
}
FIRST_LINES = 3  # the line is one of these


def sources():
    """What git knows, or would take, but for what the tests only read."""
    names = subprocess.run(["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"], capture_output=True, check=True)
    for name in names.stdout.decode().split("\0"):
        if name and os.path.isfile(name) and not name.startswith("tests/samples/"):
            yield name


def comment_of(name):
    for begin, ends in COMMENT.items():
        if any(name.endswith(end) if end.startswith(".") else os.path.basename(name) == end for end in ends):
            return begin
    return None


def with_tag(text, begin):
    """The text with the line in it."""
    lines = text.split("\n")
    if begin == "/*":
        if lines[0] == "/*":
            lines[0] = "/* " + TAG
        elif lines[0].startswith("/* "):
            lines[0:1] = ["/* " + TAG, " * " + lines[0][3:]]
        else:
            lines.insert(0, f"/* {TAG} */")
    else:
        behind = 1 if lines[0].startswith(("#!", "#compdef")) else 0
        lines.insert(behind, f"{begin} {TAG}")
    return "\n".join(lines)


def main():
    write, missing = "--write" in sys.argv[1:], []
    for name in sources():
        begin = comment_of(name)
        if begin is None:
            continue
        with open(name, encoding="utf-8") as file:
            text = file.read()
        if any(TAG in line for line in text.split("\n")[:FIRST_LINES]):
            continue
        missing.append(name)
        if write:
            with open(name, "w", encoding="utf-8") as file:
                file.write(with_tag(text, begin))
    for name in missing:
        print(f"{name}: {'written' if write else 'has no line ' + TAG}")
    return 0 if write or not missing else 1


if __name__ == "__main__":
    sys.exit(main())
