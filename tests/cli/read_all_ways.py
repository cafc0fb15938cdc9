# SPDX-License-Identifier: Apache-2.0
# tests/cli/read_all_ways.py FILE WANT... - each FILE of a mount is read in all ways that Linux has, and gives the bytes of WANT each
# time: read, pread at odd places, mmap, sendfile, copy_file_range, O_DIRECT, and by several readers at once.
import mmap
import os
import sys
import tempfile
import threading

KERNEL = tuple(int(part) for part in os.uname().release.split("-")[0].split(".")[:2])
SIZES = (4096, 5000, 32768, 524288, 1048576)


def reads(file, want, size, flags=0):
    buffer = mmap.mmap(-1, size)  # as O_DIRECT wants it
    at = 0
    fd = os.open(file, os.O_RDONLY | flags)
    while got := os.readv(fd, [buffer]):
        assert buffer[:got] == want[at:at + got], (size, at)
        at += got
    os.close(fd)
    assert at == len(want), (size, at)


def sent(file, want, send):
    with tempfile.TemporaryFile() as out:
        fd = os.open(file, os.O_RDONLY)
        while send(fd, out.fileno()):
            pass
        os.close(fd)
        out.seek(0)
        assert out.read() == want


def copy_range(fd, out):
    try:
        return os.copy_file_range(fd, out, 1 << 20)
    except OSError as error:  # between file systems some kernels do not
        assert error.errno in (18, 22, 95), error
        return os.sendfile(out, fd, None, 1 << 20)


def check(file, want):
    assert os.stat(file).st_size == len(want)
    fd = os.open(file, os.O_RDONLY)
    for at in (0, 1, 4095, 65536, len(want) // 2 - 7, len(want) - 1, len(want), len(want) + 1, len(want) + 10**9):
        for size in (1, 513, 65537, 600001):
            assert os.pread(fd, size, at) == want[at:at + size], (at, size)
    # Mapped while it is read; shared maps of files past the page cache are of Linux 6.6.
    for flags in (mmap.MAP_PRIVATE,) + ((mmap.MAP_SHARED,) if KERNEL >= (6, 6) else ()):
        with mmap.mmap(fd, 0, flags=flags, prot=mmap.PROT_READ) as view:
            assert view[-1] == want[-1] and view[:] == want
            reads(file, want, 70000)
    os.close(fd)
    for size in SIZES:
        reads(file, want, size)
    for size in (4096, 524288):
        reads(file, want, size, os.O_DIRECT)
    sent(file, want, lambda fd, out: os.sendfile(out, fd, None, 100000))
    sent(file, want, copy_range)
    failed = []

    def reader(size):
        try:
            reads(file, want, size)
        except BaseException as error:
            failed.append(error)

    together = [threading.Thread(target=reader, args=(size,)) for size in SIZES]
    for one in together:
        one.start()
    for one in together:
        one.join()
    assert not failed, failed


for name, expected in zip(sys.argv[1::2], sys.argv[2::2]):
    with open(expected, "rb") as wanted:
        check(name, wanted.read())
