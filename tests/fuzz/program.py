#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""tests/fuzz/program.py BURIN KIND SECONDS [SEED] - the whole program, confined as always, on damaged input.

KIND is what is damaged: case (a case file), set (a hash set), conf (a dictionary, with matching on),
container (E01, AFF, VMDK through the process that reads them; VHD, VHDX, VDI, qcow2). Each round damages a copy of a
sound file of that kind, by the seed and the number of the round, and runs the commands that read it.

Found: a death by a signal, a status that DESIGN does not know, a sanitizer's report, a run that does
not end, evidence that was changed. What a finding was made of stays in the folder that is named. Ends
with status 1 when there was one.
"""
import hashlib
import os
import random
import resource
import shutil
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
STATUSES = {0, 1, 2, 3, 4}
SECONDS_MAX = 60  # of the processor, for one command
KINDS = ("case", "set", "conf", "container")


def quiet(*words, **more):
    return subprocess.run(words, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=True, **more)


def limit():
    resource.setrlimit(resource.RLIMIT_CPU, (SECONDS_MAX, SECONDS_MAX + 1))


def seeds_of(kind, burin, folder, image):
    """Sound files of a kind."""
    if kind == "case":
        case = os.path.join(folder, "seed.case")
        quiet(burin, "scan", "--quiet", "--case", case, image)
        quiet(burin, "search", "--quiet", "--no-file-systems", "--case", case, image, "GIF")
        return [case]
    if kind == "set":
        lists = os.path.join(folder, "list")
        with open(lists, "w") as out:
            for i in range(400):
                out.write(hashlib.sha256(str(i).encode()).hexdigest() + f"  name-{i}\n")
        sets = [os.path.join(folder, name) for name in ("files.set", "blocks.set")]
        quiet(burin, "known", "build", sets[0], lists)
        quiet(burin, "known", "build", "--files", "--block", "512", sets[1], image)
        return sets
    if kind == "conf":
        seeds = [os.path.join(folder, "seed.conf")]
        with open(seeds[0], "w") as out:
            out.write("gif y 100000 GIF8?a \\x00\\x3b\njpg y 200000 /\\xff\\xd8\\xff[\\xe0\\xe1]..(JFIF|Exif)/ \\xff\\xd9\n"
                      "a y 5000 /(a{1,20}b*){2,9}[^x]+z/ /c.{3,40}d/\nhtm n 50000 <html </html>\nmail y 900 /[a-z]+@[a-z]{2,9}/\n")
        for top, _, files in os.walk(os.path.dirname(HERE)):
            seeds += [os.path.join(top, file) for file in files if file.endswith(".conf")]
        return seeds
    seeds = []
    base = os.path.join(folder, "seed")
    small = os.path.join(folder, "small.raw")
    with open(image, "rb") as source, open(small, "wb") as out:
        out.write(source.read(1 << 20))
    quiet("ewfacquire", "-q", "-u", "-t", base, "-S", "1GiB", small, stdin=subprocess.DEVNULL)
    seeds.append(base + ".E01")
    for form, suffix in (("vmdk", "vmdk"), ("vpc", "vhd"), ("vhdx", "vhdx"), ("qcow2", "qcow2"), ("vdi", "vdi")):
        quiet("qemu-img", "convert", "-f", "raw", "-O", form, small, f"{base}.{suffix}")
        seeds.append(f"{base}.{suffix}")
    quiet("affconvert", "-q", "-o", base + ".aff", small)
    seeds.append(base + ".aff")
    return seeds


def damage(data, chance):
    """A few bytes changed, a piece moved, doubled, zeroed or cut off."""
    data = bytearray(data)
    head = chance.random() < 0.6  # most of what matters stands at the beginning
    for _ in range(chance.choice((1, 1, 2, 4, 16))):
        if not data:
            break
        at = chance.randrange(min(len(data), 4096) if head else len(data))
        way = chance.randrange(8)
        length = chance.choice((1, 2, 4, 8, 64, 512))
        if way < 3:
            data[at] = chance.randrange(256)
        elif way == 3:
            data[at:at + 4] = chance.choice((b"\xff" * 4, b"\x00" * 4, b"\x7f\xff\xff\xff", b"\x00\x00\x00\x80"))
        elif way == 4:
            data[at:at + length] = bytes(len(data[at:at + length]))
        elif way == 5:
            source = chance.randrange(len(data))
            data[at:at + length] = data[source:source + length]
        elif way == 6:
            data[at:at] = data[at:at + length]
        else:
            del data[at:at + chance.choice((1, length, len(data)))]
    return bytes(data)


def commands(kind, burin, path, image, out, case):
    if kind == "case":
        return [[burin, "list", path], [burin, "verify", path], [burin, "list", "--json", path],
                [burin, "carve", "--quiet", "--image", image, "--out", out, path],
                [burin, "search", "--quiet", "--no-file-systems", "--case", path, image, "JFIF"]]
    if kind == "set":
        return [[burin, "known", "info", path], [burin, "known", "query", path, image],
                [burin, "scan", "--quiet", "--known", path, "--case", case, image]]
    if kind == "conf":
        return [[burin, "scan", "--quiet", "--hits-only", "--dictionary", path, "--case", case, image],
                [burin, "scan", "--quiet", "--compat", "scalpel", "--dictionary", path, "--case", case + "2", image]]
    return [[burin, "scan", "--quiet", "--case", case, path],
            [burin, "search", "--quiet", "--case", case, path, "GIF"]]


def main():
    burin, kind, seconds = os.path.abspath(sys.argv[1]), sys.argv[2], float(sys.argv[3])
    seed = sys.argv[4] if len(sys.argv) > 4 else "1"
    if kind not in KINDS:
        sys.exit(f"no kind {kind}; there are: {' '.join(KINDS)}")
    folder = tempfile.mkdtemp(prefix=f"burin-fuzz-{kind}-")
    quiet(sys.executable, os.path.join(HERE, "..", "cli", "make_image.py"), folder)
    image = os.path.join(folder, "image.raw")
    seeds = []
    for path in seeds_of(kind, burin, folder, image):
        with open(path, "rb") as source:
            seeds.append((os.path.splitext(path)[1], source.read()))
    with open(image, "rb") as source:
        evidence = hashlib.sha256(source.read()).hexdigest()
    if kind == "conf":  # matching is what takes the time
        with open(image, "r+b") as out:
            out.truncate(256 << 10)
        with open(image, "rb") as source:
            evidence = hashlib.sha256(source.read()).hexdigest()
    environment = dict(os.environ, ASAN_OPTIONS="detect_leaks=0:log_path=" + os.path.join(folder, "sanitizer"),
                       UBSAN_OPTIONS="exitcode=99")
    begun = os.times().elapsed
    rounds, runs, findings, counts = 0, 0, 0, {}
    while os.times().elapsed - begun < seconds:
        rounds += 1
        chance = random.Random(f"{seed} {rounds}")
        suffix, data = chance.choice(seeds)
        work = os.path.join(folder, "work")
        os.mkdir(work)
        path = os.path.join(work, "input" + suffix)
        with open(path, "wb") as out:
            out.write(damage(data, chance))
        bad = None
        for words in commands(kind, burin, path, image, os.path.join(work, "out"), os.path.join(work, "case")):
            runs += 1
            done = subprocess.run(words, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                                  env=environment, preexec_fn=limit)
            counts[done.returncode] = counts.get(done.returncode, 0) + 1
            if done.returncode not in STATUSES:
                bad = f"status {done.returncode}: {' '.join(words)}"
        with open(image, "rb") as source:
            if hashlib.sha256(source.read()).hexdigest() != evidence:
                bad = "the image was changed"
        if any(name.startswith("sanitizer") for name in os.listdir(folder)):
            bad = "a sanitizer's report"
        if bad:
            findings += 1
            kept = os.path.join(folder, f"finding-{rounds}")
            shutil.copytree(work, kept, symlinks=True)
            for name in os.listdir(folder):
                if name.startswith("sanitizer"):
                    shutil.move(os.path.join(folder, name), kept)
            print(f"FINDING in round {rounds} of seed {seed}: {bad}; see {kept}", flush=True)
        shutil.rmtree(work)
    print(f"{kind}: {rounds} rounds, {runs} commands, {findings} findings; statuses {dict(sorted(counts.items()))}")
    if findings == 0:
        shutil.rmtree(folder)
    sys.exit(findings != 0)


main()
