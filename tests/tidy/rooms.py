#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""tests/tidy/rooms.py [TREE] - prints every include in a tree that tests/tidy/rooms.def forbids."""
import os
import re
import sys

INCLUDE = re.compile(r'^\s*#\s*include\s*(["<])([^">]+)[">]', re.M)


def read_law(path):
    modules, rooms, sees, libraries = {}, {}, set(), []
    for line in open(path):
        words = line.split("#")[0].split()
        if not words:
            continue
        if words[0] == "module":
            modules[words[1]] = set(words[2:])
        elif words[0] == "room":
            rooms[words[1]] = int(words[2])
        elif words[0] == "sees":
            sees.add((words[1], words[2]))
        elif words[0] == "library":
            libraries.append((re.compile(words[1]), tuple(words[2:])))
        else:
            sys.exit(f"rooms.def: {line!r}: not known")
    return modules, rooms, sees, libraries


def inside(folder, of):
    return folder == of or folder.startswith(of + "/")


def main():
    tree = sys.argv[1] if len(sys.argv) > 1 else "."
    modules, rooms, sees, libraries = read_law(os.path.join(os.path.dirname(os.path.abspath(__file__)), "rooms.def"))

    def forbidden(path, folder, name):
        """Why a file in folder may not include a header of the project, or None."""
        module, target = folder.split("/")[0], os.path.dirname(name)
        if target.split("/")[0] not in modules or target == folder:
            return None
        if any(inside(folder, a) and inside(target, b) for a, b in sees):
            return None
        if target.split("/")[0] != module:
            if target.split("/")[0] not in modules[module]:
                return f"{module}/ does not know {target.split('/')[0]}/"
            return None if target in modules else "only faces of other modules"
        if target in modules:
            return None
        if target not in rooms:
            return f"{target} is not in rooms.def"
        if folder in modules:
            return None if path.endswith((".c", ".def")) else "a face includes faces alone"
        return None if rooms[target] < rooms[folder] else "not on a lower floor"

    for module in modules:
        for folder, _, files in os.walk(os.path.join(tree, module)):
            folder = os.path.relpath(folder, tree)
            for file in sorted(files):
                if not file.endswith((".c", ".h", ".cu", ".cuh", ".def")):
                    continue
                path = os.path.join(folder, file)
                if folder not in modules and folder not in rooms:
                    print(f"{path}: {folder} is not in rooms.def")
                    continue
                for kind, name in INCLUDE.findall(open(os.path.join(tree, path), errors="replace").read()):
                    why = forbidden(path, folder, name) if kind == '"' else None
                    if name.startswith("tests/"):
                        why = "the program does not know its tests"
                    for header, users in libraries:
                        if kind == "<" and header.match(name) and not folder.startswith(users):
                            why = "a library of " + " and ".join(users)
                    if why:
                        print(f'{path}: "{name}": {why}')


main()
