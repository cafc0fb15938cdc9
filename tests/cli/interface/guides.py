#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""tests/cli/interface/guides.py - the commands of the guides for people who use the program, run as a reader pastes them.

    python3 guides.py ROOT BURIN FOLDER [PAGE]

ROOT is the tree, BURIN the program, FOLDER a scratch folder, PAGE one page alone. Of each page all fenced blocks of commands and all `burin ...` in its
text are run, in the order of the page, in one folder that has the files it speaks of. Every command must end with status 0.
Words in capital letters, such as IMAGE, are filled in. Text in which a command lacks its operands, as where it tells of an option, is
none that anybody pastes.
"""
import os
import re
import shutil
import struct
import subprocess
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import pasted  # noqa: E402

# What a page says exists, beside disk.img: the image that its commands name, and how it gets there.
PAGES = {
    "docs/guide/examiner.md": ["echo password >words.txt"],
    "docs/guide/responder.md": ["mkdir folder", "cp disk.img evidence.raw", "cp disk.img disk1.E01", "cp disk.img disk2.E01",
                                "head -c 9000 disk.img >folder/file", "echo password >words.txt", "sha256sum folder/file >bad.txt"],
    "docs/guide/search.md": ["mkdir evidence case", "cp disk.img evidence/disk.raw", "echo password >words.txt"],
    "docs/reference/facts.md": ["burin scan --quiet disk.img"],
}
# Commands that need what a test has not, and what is done in their place. Those whose place nothing takes are left out.
INSTEAD = {
    "./dev ": "",  # builds what is tested
    "sudo install ": "",
    "sudo ewfacquire ": "",  # from a device; tests/cli/containers.sh does it from a file
    "ewfverify ": "",
    "sudo ddrescue ": "cp disk.img evidence/disk.raw; printf '0 +\\n0 0x100000 +\\n' >evidence/disk.map",
    "qemu-nbd ": "",  # tests/cli/nbd.sh has servers
    "burin scan --case case/disk.burin 'nbd+unix": "",
    "burin known build --bad bad.set bad.txt": "rm bad.set; burin known build --bad bad.set bad.txt",  # another question, the same name
}


def make_disk(path):
    """pasted.py's disk with a partition (so that mmls has something to tell): an MBR, type 0x0c, all of it but the first sector."""
    pasted.make_disk(path)
    with open(path, "r+b") as disk:
        disk.seek(446)
        disk.write(struct.pack("<B3sB3sII", 0, bytes(3), 0x0c, bytes(3), 1, 2047) + bytes(48) + b"\x55\xaa")


def page_commands(text):
    """(command, whether it stands in a block of commands) of a page."""
    out = []
    for language, block, inline in re.findall(r"^```(\w*)\n(.*?)^```$|(?<!`)`(burin [^`]+)`", text, re.S | re.M):
        if inline:
            out.append((re.sub(r"\s*\n\s*", " ", inline).replace("\\|", "|"), False))
        elif language in ("", "sh") and not block.startswith("#!"):
            command = ""
            for line in block.splitlines():
                command = command + "\n" + line if command else line
                if command.strip() and not pasted.unfinished(command) and not command.endswith("\\"):
                    out.append((command, True))
                    command = ""
    return out


def instead(command):
    for start, other in INSTEAD.items():
        if command.startswith(start):
            return other
    return re.sub(r"^sudo ", "", command)


def filled_in(command, number, here):
    """With something new for each word that stands for something: what one command makes is not there for another one."""
    with open(os.path.join(here, "rules.conf"), "w") as rules:
        rules.write("x y 1000 abc def\n")
    words = {"IMAGE": f"image-{number}.raw", "CASE": f"case-{number}.burin", "DIR": f"dir-{number}", "SET": f"set-{number}", "LIST": "list.md5",
             "RULES": "rules.conf", "WORD": "password", "N": "512"}
    used = [word for word in words if re.search(rf" {word}( |$)", command)]
    if used:
        shutil.copy(os.path.join(here, "disk.img"), os.path.join(here, words["IMAGE"]))
        subprocess.run(["burin", "scan", "--quiet", "--case", words["CASE"], words["IMAGE"]], cwd=here, check=True)
        with open(os.path.join(here, "list.md5"), "w") as out:
            out.write("d41d8cd98f00b204e9800998ecf8427e  x\n")
    if command.startswith("burin known"):
        os.makedirs(os.path.join(here, words["DIR"]), exist_ok=True)
    for word in used:
        command = re.sub(rf" {word}(?= |$)", " " + words[word], command)
    return command


def missing_tool(command):
    tools = re.findall(r"(?:^|[|(;] *|&& *)([a-z0-9]+)(?= )", re.sub(r"'[^']*'|\"[^\"]*\"", "", command))
    return next((tool for tool in tools if tool not in ("burin", "cd") and shutil.which(tool) is None), None)


def run_page(name, text, burin, folder, first):
    here = os.path.join(folder, "here")
    os.makedirs(os.path.join(folder, "bin"))
    os.makedirs(here)
    os.symlink(burin, os.path.join(folder, "bin", "burin"))
    make_disk(os.path.join(here, "disk.img"))
    os.environ["PATH"] = os.path.join(folder, "bin") + ":" + os.environ["PATH"]
    failures, ran = [], 0
    for command, block in [(command, True) for command in first] + page_commands(text):
        command = instead(command)
        if not command or "..." in command or re.match(r"burin mount .*CASE DIR", command):  # which a block has, with its end
            continue
        command = filled_in(command, ran, here)
        tool = missing_tool(command)
        if tool is not None or ("mount" in command and not os.access("/dev/fuse", os.W_OK)):
            print(f"not run without {tool or '/dev/fuse'}: {command}")
            continue
        done = subprocess.run(["bash", "-o", "pipefail", "-c", command], cwd=here, stdin=subprocess.DEVNULL,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, errors="replace", check=False)
        if not block and done.returncode == 2 and re.search(r" is missing|needs a value|no keyword:", done.stdout):
            continue
        if done.returncode == 4 and "built without YARA" in done.stdout:
            print(f"not run by a build without YARA: {command}")
            continue
        ran += 1
        if done.returncode != 0:
            failures.append(f"{name}: {command}: status {done.returncode}: {done.stdout[:400]}")
    return failures, ran


def main():
    root, burin, folder = sys.argv[1:4]
    failures = []
    for number, (name, first) in enumerate(PAGES.items()):
        if sys.argv[4:] not in ([], [name]):
            continue
        with open(os.path.join(root, name)) as file:
            found, ran = run_page(name, file.read(), burin, os.path.join(folder, str(number)), first)
        failures += found
        print(name, ran)
        if ran < len(first) + 3:
            failures.append(f"{name}: only {ran} commands were found")
    for failure in failures:
        print("FAILED:", failure)
    sys.exit(1 if failures else 0)


if __name__ == "__main__":
    main()
