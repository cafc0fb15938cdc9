#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# tools/formats.sh - prints docs/reference/formats.md, the table of formats for users, from what the program says of itself.
#
# Remake the page after a format was added or reworded: tools/formats.sh >docs/reference/formats.md
# BURIN is the program, build/burin unless given.
set -euo pipefail
export LC_ALL=C.UTF-8 PYTHONDONTWRITEBYTECODE=1
root=$(dirname "$(readlink -f "$0")")/..

"${BURIN:-$root/build/burin}" info --types --json | python3 -c '
import json, sys

rows = sorted(json.load(sys.stdin), key=lambda row: row["name"].lower())
checked = [row for row in rows if row["how"] == "validator"]
rules = [row for row in rows if row["how"] == "rule"]


def words(text):
    return [] if text == "-" else text.split(",")


def cell(text):
    return text.replace("\\", "\\\\").replace("|", "\\|").replace("<", "&lt;").replace("*", "\\*").replace("_", "\\_")


def code(some):
    return " ".join("`%s`" % word for word in some)


def types(row):
    """The types, and the extension behind those whose name is another."""
    return code(words(row["types"])) + "".join(" (.%s)" % word for word in words(row["extensions"]) if word not in words(row["types"]))


def table(some, last):
    print("| name | what | types (.extension where it is another) | looked for | %s |" % " | ".join(title for title, _ in last))
    print("| --- | --- | --- | --- |" + " --- |" * len(last))
    for row in some:
        where = "on request, " if row["default"] == "off" else ""
        ends = " | ".join(cell(get(row)) for _, get in last)
        print("| `%s` | %s | %s | %s%s | %s |" % (row["name"], cell(row["what"]), types(row), where, row["where"], ends))


names = {word for row in checked for word in words(row["types"])}
print("""# Formats

<!-- Made by tools/formats.sh from burin info --types: do not edit, remake. -->

burin reads %d formats with %d types by their structure, from the first byte of a file to the last. It finds %d more by a header and
a footer, on request only. `--types` takes the names and types below, and extensions. `burin info --types` also prints headers and
specifications.

* *whole* (`complete` in the case file): the validator found that the file is right in all that the last column says, up to its exact
  end. It did not look at anything else. A whole picture may show something else than its name says, and content that is not decoded
  may be damaged.
* *looked for*: "anywhere" is at every byte, inside of other files too. "On sectors" is only where the file would begin on a multiple
  of 512 bytes from the start of the image, as files of a file system do. "Where no other file is" is behind all others, on clusters
  that none of them has. "On request" means off by default: give `--types` its name, or `all`.
* A file that breaks off is `truncated`, with the length that is right.
* *seams*: what a thorough check of a whole file proves where the file was put together from pieces. "exact": a checksum or a decoder has
  gone over every byte. "units": a sector of other data shows, one of another file of the kind may not. "places": a sector that is
  missing, or one too many, shows; other data inside of a record may not. "none": anything may pass. Stretches that nothing
  proves are left out of it (comments, thumbnails, encrypted members).

## Read by their structure
""" % (len(checked), len(names), len(rules)))
table(checked, [("seams", lambda row: row["seam"]), ("what was looked at in a whole file", lambda row: row["proves"])])
print("""
## By header and footer

Off by default, since such a rule also takes other bytes for files: give `--types` a name of this table, or `all`. Where there is no
footer, nobody can tell from the file where it ends: what is carved is as long as the rule allows, and its state is `footer`, or
`truncated` where the image ends before, never `complete`.
""")
table(rules, [("from", lambda row: row["source"])])
'
cat <<'PAGE'

## What cannot be measured

Some files do not say where they end, and nothing in their content shows it. burin reports them up to the last byte that is certain,
and never as whole; or it does not look for them at all.

| what | why |
| --- | --- |
| WAVE, AU, CAF, WavPack written to a pipe | the length was never filled in: `truncated`, as far as is certain |
| KeePass 1 and KDBX 3 (`kdb`, older `kdbx`) | encrypted up to the end of the file; KDBX 4 has blocks |
| WordPerfect 5 | no length; text goes on as text. WordPerfect 6 and later say their size |
| HTML without `</html>` | nothing closes the page |
| JPEG XL as a bare codestream, or in a last box that is open | only a decoder finds the end; closed boxes are read |
| AAC in ADIF, Musepack 7 | no lengths that could be followed; ADTS and Musepack 8 are read |
| Lotus 1-2-3 97 and later, AutoCAD 2007 | the length of blocks is not stored; another page layout |
| encrypted volumes (LUKS) | the header with its keys is found, not the volume; VeraCrypt and the like look like chance throughout |
| databases of SQL Server (`mdf`) | pages tell their numbers, but not how many there are: `truncated`, up to the last page that follows |
| tables of RocksDB whose first block is plain, or packed by LZ4 or zlib | nothing marks their beginning; those of Snappy and Zstandard are read |
| content of Firefox's cache (cache2) | an entry begins with it, whatever it is; the address and what the server answered, behind it, are read |
| FreeHand, QuarkXPress, Telegram's cache (TDEF) and what else the table above names | encrypted, or the length stands nowhere |
| LAZ, the packed form of LAS | only a decoder finds the end of the points |
| sparse images of macOS with more than about 1,000 bands | more heads lie among the bands, which is not published |
| virtual disks of fixed size | a raw disk with a footer: it begins like any disk |
| MyISAM data, raw sound, raw pixels, raw memory | no header at all |
| plain text, source code, CSV, logs | anything printable; neither beginning nor end is marked |

Some formats are a row of frames, records or lines without an end mark (`mp3` without a count, `amr`, `pcap`, `utmp`, `winreg`, `srt`,
mail). Such a file is whole up to the last one that follows. If it goes on elsewhere, nothing in it shows that. Of InDesign, OneNote,
Reader books and MyISAM the length in the header is believed, because what lies inside is encrypted or not published.
PAGE
