# SPDX-License-Identifier: Apache-2.0
"""burin_case - reads the case files of burin: what was found in a disk image, and its bytes.

Needs Python 3.9 and its own library alone. Nothing is written: neither to the case file nor to the image.

>>> import burin_case
>>> case = burin_case.Case("disk.img.burin")
>>> len(list(case.objects(type="png", state="complete")))
6
>>> picture = next(case.objects(type="png"))
>>> picture.name, picture.offset, picture.length
('png/0000000000000000.png', 0, 2457)
>>> with case.open(picture) as file:
...     file.read(8)
b'\\x89PNG\\r\\n\\x1a\\n'

Any question in SQL, about the tables and views of a case file (reference/case-file.md of burin's documentation):

>>> for row in case.query("SELECT type, count(*) AS files FROM v_objects GROUP BY type ORDER BY files DESC LIMIT 1"):
...     print(row["type"], row["files"])
png 7

The names, texts and numbers of a case file come from evidence. Do not take them for paths that are safe to write to, nor for markup.
"""
import dataclasses
import io
import os
import shutil
import sqlite3
import subprocess
import tempfile
import urllib.parse

__all__ = ["Case", "CaseError", "Fact", "Image", "Object"]

APPLICATION = 0x4255524E  # "BURN", which PRAGMA application_id has
SCHEMA = 19
LARGEST = 2**63 - 1
EXTENTS_MAX = 1 << 24  # pieces of an object
KEPT_IN_MEMORY = 16 << 20  # bytes of an object that burin reads; a larger one goes through a temporary file


class CaseError(Exception):
    """A case file or an image is not what it should be. The text says which, and why."""


@dataclasses.dataclass(frozen=True)
class Image:
    """An image of the case: `format` is 'raw', 'split', 'ewf' and others; `size` that of the medium; `parts` its files, in order."""

    id: int
    path: str
    format: str
    size: int
    parts: tuple  # of (path, size when it was scanned, or None)


@dataclasses.dataclass(frozen=True)
class Object:
    """A file that was found. Offsets are bytes of the medium; `extents` are its pieces, (offset, length), in their order."""

    id: int
    image_id: int
    type: str
    extension: str
    state: str  # 'complete', 'footer', 'truncated', 'fragmented'
    reason: str  # why it is in that state
    offset: int
    length: int
    extents: tuple
    parent_id: int  # the object that it lies in, or None
    sha256: str  # or None
    known: int  # 0 not looked up, 1 in no set, 2 in a set, 3 known good, 4 known bad
    name: str  # TYPE/OFFSET.EXT: where burin carve puts it, below truncated/ if it is cut short
    place: str  # 'file', 'deleted', 'slack', 'unallocated' and others, or None
    path: str  # of the file of a file system that it lies in, or None


@dataclasses.dataclass(frozen=True)
class Fact:
    """What a file says of itself. `number`: of a date seconds since 1970 UTC, of degrees 10^7 times as many; or None."""

    key: str
    value: str
    number: int


class Case:
    """A case file, for reading. It may be used in a `with` statement, by one thread.

    `images` are paths where the images of the case lie now, in their order, if they were moved. `burin` is the program that reads
    images that are not raw.

    >>> with Case("disk.img.burin") as case:
    ...     case.images[1].size
    4718715
    >>> Case("disk.img")
    Traceback (most recent call last):
        ...
    burin_case.CaseError: disk.img is no case file of burin
    """

    def __init__(self, path, images=None, burin="burin"):
        self.path = os.path.abspath(os.fspath(path))
        self._burin = burin
        self._moved = [os.path.abspath(os.fspath(image)) for image in images or ()]
        self._rows = self._connect(os.fspath(path))
        try:
            self.images = {image.id: image for image in self._images()}
        except (sqlite3.Error, CaseError):
            self.close()
            raise
        if self._moved and len(self._moved) != len(self.images):
            self.close()
            raise CaseError(f"{path} has {len(self.images)} images, and {len(self._moved)} paths are given")

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def close(self):
        self._rows.close()

    def _connect(self, name):
        if not os.path.isfile(self.path):
            raise CaseError(f"{name}: there is no such file")
        # Beside a case file that is not in use SQLite would make files of its own; in a folder that cannot be written to it cannot.
        still = "" if os.path.exists(self.path + "-wal") else "&immutable=1"
        rows = sqlite3.connect("file:" + urllib.parse.quote(os.fsencode(self.path)) + "?mode=ro" + still, uri=True)
        try:
            rows.text_factory = os.fsdecode  # bytes that are no UTF-8 stay what they are, as in names of files
            rows.row_factory = sqlite3.Row
            rows.execute("PRAGMA query_only = ON")
            rows.execute("PRAGMA trusted_schema = OFF")
            if rows.execute("PRAGMA application_id").fetchone()[0] != APPLICATION:
                raise CaseError(f"{name} is no case file of burin")
            version = rows.execute("PRAGMA user_version").fetchone()[0]
            if version != SCHEMA:
                raise CaseError(f"{name} has schema {version}, and not {SCHEMA}: use the burin_case.py of the burin that wrote it")
        except sqlite3.DatabaseError as error:
            rows.close()
            raise CaseError(f"{name} is no case file of burin") from error
        except CaseError:
            rows.close()
            raise
        return rows

    def _images(self):
        for row in self.query("SELECT id, path, format, size FROM images ORDER BY id"):
            parts = self.query("SELECT path, size FROM image_parts WHERE image_id = ? ORDER BY number", (row["id"],))
            yield Image(row["id"], row["path"], row["format"], row["size"], tuple((part["path"], part["size"]) for part in parts))

    def query(self, sql, values=()):
        """The rows that SQL gives, one by one; columns by name or number."""
        return self._rows.execute(sql, values)

    def objects(self, where="1", values=(), **columns):
        """The objects, by image and offset. `where` is an SQL expression over the view v_objects; others are columns and their values.

        >>> case = Case("disk.img.burin")
        >>> [found.name for found in case.objects("len > ?", (150000,), type="wav")]
        ['wav/000000000028a000.wav']
        """
        for column in columns:
            if not column.isidentifier():
                raise ValueError(f"{column} is no column")
            where = f"({where}) AND \"{column}\" IS ?"
        for row in self.query(f"SELECT * FROM v_objects WHERE {where} ORDER BY image_id, offset, id", (*values, *columns.values())):
            yield self._object(row)

    def object(self, number):
        """The object with this number, the first column of `burin list`.

        >>> Case("disk.img.burin").object(1).type
        'png'
        """
        for found in self.objects("id = ?", (number,)):
            return found
        raise KeyError(f"there is no object {number}")

    def _object(self, row):
        extents = []
        for extent in (row["extents"] or "").split(",", EXTENTS_MAX):
            offset, plus, length = extent.partition("+")
            if not (offset.isdecimal() and length.isdecimal() and len(extent) < 64):
                raise CaseError(f"object {row['id']}: its pieces are damaged")
            extents.append((int(offset), int(length)))
            if sum(extents[-1]) > LARGEST:
                raise CaseError(f"object {row['id']}: its pieces are not in any image")
        return Object(row["id"], row["image_id"], row["type"], row["extension"], row["state"], row["reason"], row["offset"], row["len"],
                      tuple(extents), row["parent_id"], row["sha256"], row["known"], row["name"], row["place"], row["path"])

    def facts(self, found):
        """What the object says of itself, by key: {'taken': Fact(...), ...}.

        >>> case = Case("disk.img.burin")
        >>> facts = case.facts(next(case.objects(type="png")))
        >>> facts["width"].number, facts["height"].number
        (64, 64)
        """
        rows = self.query("SELECT key, value, number FROM v_facts WHERE object_id = ? ORDER BY key", (found.id,))
        return {row["key"]: Fact(row["key"], row["value"], row["number"]) for row in rows}

    def open(self, found, compare=False):
        """The bytes of an object, as a file for reading in binary that can seek.

        Those of raw images are read from the image; what the scan could not read is zeros, as burin carve writes it. Those of other
        images, and with `compare` all, come from `burin cat`, which reads all of the object and compares it with the scan.
        """
        image = self.images.get(found.image_id)
        if image is None:
            raise CaseError(f"object {found.id}: there is no image {found.image_id}")
        if compare or image.format not in ("raw", "split"):
            return self._open_by_program(found)
        return io.BufferedReader(_RawObject(self._parts(image), image.size, found, self._unread(found)))

    def _parts(self, image):
        """The files of a raw image with their sizes, which must be those of the scan."""
        paths = [path for path, _ in image.parts] or [image.path]
        if self._moved:
            place = self._moved[list(self.images).index(image.id)]
            first = os.path.basename(paths[0])
            folder = os.path.dirname(place)
            paths = [place] if len(paths) == 1 else [os.path.join(folder, os.path.basename(path)) for path in paths]
            if len(paths) > 1 and os.path.basename(place) not in (first, os.path.basename(image.path)):
                raise CaseError(f"{place} is not the first part, {first}, of an image of {len(paths)} parts")
        parts = []
        for path in paths:
            try:
                with open(path, "rb") as file:
                    parts.append((path, file.seek(0, os.SEEK_END)))
            except OSError as error:
                raise CaseError(f"{path}: {error.strerror}; say where the image is: Case(..., images=[PATH])") from error
        size = sum(size for _, size in parts)
        if size != image.size:
            raise CaseError(f"{paths[0]} has {size} bytes, and had {image.size} when it was scanned")
        return parts

    def _unread(self, found):
        """What of its pieces the run that found the object could not read: (offset, length)."""
        unread = []
        for offset, length in found.extents:
            unread += [(row[0], row[1]) for row in self.query(
                "SELECT b.offset, b.len FROM bad_ranges b JOIN v_objects o ON o.id = ? AND b.run_id = o.run_id AND b.image_id = o.image_id "
                "WHERE b.offset < ? AND b.offset + b.len > ?", (found.id, offset + length, offset))]
        return unread

    def _open_by_program(self, found):
        file = tempfile.SpooledTemporaryFile(KEPT_IN_MEMORY)
        images = [word for path in self._moved for word in ("--image", path)]
        # Its standard output is a pipe: an object may be larger than memory, and burin reports a change at its end.
        with tempfile.TemporaryFile() as messages:
            try:
                with subprocess.Popen([self._burin, "cat", "--quiet", *images, "--", self.path, str(found.id)], stdin=subprocess.DEVNULL,
                                      stdout=subprocess.PIPE, stderr=messages) as program:
                    shutil.copyfileobj(program.stdout, file)
            except OSError as error:
                file.close()
                raise CaseError(f"{self._burin}: {error.strerror}; it reads what is no raw image: Case(..., burin=PATH)") from error
            if program.returncode != 0:
                file.close()
                messages.seek(0)
                raise CaseError(messages.read(4096).decode(errors="replace").strip() or f"burin cat: status {program.returncode}")
        file.seek(0)
        return file


class _RawObject(io.RawIOBase):
    """Pieces of an image in one file or several, one behind the other."""

    def __init__(self, parts, size, found, unread):
        super().__init__()
        self._pieces = []  # (offset in the object, length, offset in the image)
        self._unread = unread
        self._at = 0
        self._end = 0
        for offset, length in found.extents:
            if offset + length > size:
                raise CaseError(f"object {found.id}: bytes {offset}+{length} are not in its image of {size} bytes")
            self._pieces.append((self._end, length, offset))
            self._end += length
        self._parts = []  # (offset in the image, length, file)
        at = 0
        try:
            for path, length in parts:
                self._parts.append((at, length, open(path, "rb", buffering=0)))
                at += length
        except OSError:
            self.close()
            raise

    def close(self):
        for _, _, file in self._parts:
            file.close()
        super().close()

    def readable(self):
        return True

    def seekable(self):
        return True

    def tell(self):
        return self._at

    def seek(self, offset, whence=os.SEEK_SET):
        at = offset + (0, self._at, self._end)[whence]
        if at < 0:
            raise ValueError("a position before the beginning")
        self._at = at
        return at

    def readinto(self, buffer):
        """As much as lies in one piece and one part."""
        piece = _holding(self._pieces, self._at)
        if piece is None:
            return 0
        begin, length, offset = piece
        at = offset + self._at - begin
        part, part_length, file = _holding(self._parts, at)
        count = min(len(buffer), begin + length - self._at, part + part_length - at)
        file.seek(at - part)
        data = file.read(count)
        if not data:
            raise CaseError("the image has become shorter")
        buffer[:len(data)] = data
        for bad, bad_length in self._unread:
            low, high = max(bad, at), min(bad + bad_length, at + len(data))
            if low < high:
                buffer[low - at:high - at] = bytes(high - low)
        self._at += len(data)
        return len(data)


def _holding(ranges, at):
    """The first of ascending ranges, (offset, length, ...), that ends behind `at`, or None."""
    low, high = 0, len(ranges)
    while low < high:
        middle = (low + high) // 2
        if ranges[middle][0] + ranges[middle][1] <= at:
            low = middle + 1
        else:
            high = middle
    return ranges[low] if low < len(ranges) else None
