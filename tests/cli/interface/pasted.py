#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""tests/cli/interface/pasted.py - the commands of README.md, the guide for operators and the man page's EXAMPLES, as a reader pastes them.

    python3 pasted.py ROOT BURIN FOLDER

ROOT is the tree, BURIN the program, FOLDER a scratch folder. Each fenced block of README.md and of the guide without a language, and the EXAMPLES as
a whole, is run in a folder of its own that has what they name: disk.img, burin in PATH, build/burin. Every command must end with
status 0. Where README.md shows what a command prints, that must have the same shape: its figures are of the demo's disk, whose
files come from the network, so numbers, types, sizes and the engine may be others; all else must be the same.
"""
import json
import os
import re
import subprocess
import sys

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
import make_image  # noqa: E402
import samples  # noqa: E402

# Left to others, each with the reason; all other commands are run.
LEFT_OUT = {
    "./dev demo": "fetches packages; what it prints is in tools/demo.sh",
    "./dev build": "made the program that is tested",
}


def make_disk(path):
    """Whole files of five types, and one of them inside another one: what README's session speaks of."""
    disk = bytearray(1 << 20)
    files = [samples.TYPES[kind](number) for number, kind in
             enumerate(("png", "png", "png", "png", "gz", "gz", "gz", "wav", "wav", "jpg", "gif"))]
    files.append(make_image.stored_zip(b"inner.png", samples.png(40))[0])
    at = 512
    for content in files:
        disk[at:at + len(content)] = content
        at += len(content) + 512
        at -= at % 512
    disk[900000:900008] = b"PassWord"
    assert at < 900000 and len(disk) == 1 << 20
    with open(path, "wb") as out:
        out.write(disk)


def commands(lines):
    """(command, shown output) of a block. With "$ " before commands what follows one is its output; without, each line is one."""
    prompted = any(line.startswith("$ ") for line in lines)
    found = []
    for line in lines:
        if line.startswith("$ "):
            found.append([line[2:], []])
        elif prompted and found and unfinished(found[-1][0]) and not found[-1][1]:
            found[-1][0] += "\n" + line
        elif prompted:
            found[-1][1].append(line)
        elif line.strip() and not line.lstrip().startswith("#"):
            found.append([line, None])
    return [(command, shown) for command, shown in found]


def unfinished(command):
    """Whether a shell would wait for more."""
    return subprocess.run(["bash", "-n", "-c", command], stderr=subprocess.DEVNULL).returncode != 0


def readme_blocks(text):
    return [block.splitlines() for language, block in re.findall(r"^```(\w*)\n(.*?)^```$", text, re.S | re.M) if not language]


def man_examples(text):
    """The lines between .nf and .fi of the section EXAMPLES, without roff's escapes."""
    section = re.search(r'^\.SH EXAMPLES\n(.*?)^\.SH', text, re.S | re.M).group(1)
    lines = [line for block in re.findall(r"^\.nf\n(.*?)^\.fi$", section, re.S | re.M) for line in block.splitlines()]
    return [line.replace("\\-", "-").replace("\\e", "\\") for line in lines]


def shape(line, types):
    line = re.sub(r"by engine \S+", "by engine E", line)
    line = re.sub(r"\b([0-9a-f]{16}|[0-9a-f]{64})\b", "H", line)
    line = re.sub(r"\b[a-z][a-z0-9.-]*\b", lambda word: "T" if word.group() in types else word.group(), line)
    line = re.sub(r"\d+(\.\d+)? ([KMGT]i)?B\b", "S", line)
    line = re.sub(r"\d+(\.\d+)?", "N", line)
    line = re.sub(r"\bN (file|hit|object|byte|place)s\b", r"N \1", line)  # one of them, or several
    return re.sub(r"─+", "─", re.sub(r" +", " ", line)).strip()


def shapes(lines, types):
    """Those of lines; lines of an overview, which is as long as there are types, count as one."""
    out = []
    for line in lines:
        line = re.sub(r"^([a-z]+ )?(T|N others) N N N N S$", "ROW", shape(line, types))
        if line != "ROW" or out[-1:] != ["ROW"]:
            out.append(line)
    return out


def same_shape(command, shown, printed, types):
    if command.split()[0] == "ls":  # a terminal has columns, a pipe has lines: the kinds of names that are there
        return {shape(word, types) for word in " ".join(shown).split()} == {shape(word, types) for word in printed.split()}
    return shapes(shown, types) == shapes(printed.splitlines(), types)


def run_block(name, lines, root, burin, folder, types):
    failures, ran = [], 0
    os.makedirs(os.path.join(folder, "bin"))
    os.makedirs(os.path.join(folder, "here", "build"))
    os.symlink(burin, os.path.join(folder, "bin", "burin"))
    os.symlink(burin, os.path.join(folder, "here", "build", "burin"))
    make_disk(os.path.join(folder, "here", "disk.img"))
    environment = dict(os.environ, PATH=os.path.join(folder, "bin") + ":" + os.environ["PATH"])
    for command, shown in commands(lines):
        plain = command.split("#")[0].strip() if command.startswith("./dev") else command
        if plain.startswith("./dev"):
            verb = plain.split()[1]
            text = subprocess.run([os.path.join(root, "dev"), "help"], capture_output=True, text=True).stdout
            if plain not in LEFT_OUT or not re.search(rf"^  {verb}\b", text, re.M):
                failures.append(f"{name}: {plain}: neither run here nor one of {sorted(LEFT_OUT)}")
            continue
        done = subprocess.run(["bash", "-o", "pipefail", "-c", command], cwd=os.path.join(folder, "here"), env=environment,
                              stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        ran += 1
        if done.returncode != 0:
            failures.append(f"{name}: {command}: status {done.returncode}: {done.stdout[:500]}")
        elif shown is not None and not same_shape(command, shown, done.stdout, types):
            failures.append(f"{name}: {command}: prints\n{done.stdout}and not the like of\n" + "\n".join(shown))
    return failures, ran


def main():
    root, burin, folder = sys.argv[1:]
    table = json.loads(subprocess.run([burin, "info", "--types", "--json"], capture_output=True, check=True).stdout)
    types = {word for row in table for word in row["types"].split(",")}
    with open(os.path.join(root, "README.md")) as file:
        blocks = [(f"README.md, block {n}", block) for n, block in enumerate(readme_blocks(file.read()), 1)]
    guide = os.path.join(root, "docs", "guide", "operator.md")
    if os.path.exists(guide):
        with open(guide) as file:
            blocks += [(f"docs/guide/operator.md, block {n}", block) for n, block in enumerate(readme_blocks(file.read()), 1)]
    with open(os.path.join(root, "docs", "reference", "burin.1")) as file:
        blocks.append(("docs/reference/burin.1, EXAMPLES", man_examples(file.read())))
    failures, least = [], {"README.md, block 1": 3, "README.md, block 2": 5, "docs/reference/burin.1, EXAMPLES": 7, "docs/guide/operator.md, block 1": 6}
    for number, (name, lines) in enumerate(blocks):
        found, ran = run_block(name, lines, root, burin, os.path.join(folder, str(number)), types)
        failures += found
        if ran < least.get(name, 1):
            failures.append(f"{name}: only {ran} commands were found")
    for failure in failures:
        print("FAILED:", failure)
    sys.exit(1 if failures else 0)


if __name__ == "__main__":
    main()
