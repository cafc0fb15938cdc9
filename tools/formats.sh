#!/usr/bin/env bash
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
checked = [row for row in rows if row["how"] == "checker"]
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
    print("| name | what | types (.extension where it is another) | looked for | %s |" % last[0])
    print("| --- | --- | --- | --- | --- |")
    for row in some:
        where = "on request, " if row["default"] == "off" else ""
        print("| `%s` | %s | %s | %s%s | %s |" % (row["name"], cell(row["what"]), types(row), where, row["where"], cell(last[1](row))))


names = {word for row in checked for word in words(row["types"])}
print("""# Formats

<!-- Made by tools/formats.sh from burin info --types: do not edit, remake. -->

%d formats with %d types are read by their structure, from the first byte to the last; %d more are found by a header and a footer, on request
only. `--types` takes the names and types below, and extensions; `burin info --types` also prints headers and specifications.

* *whole* (`complete` in the case file) means: what the last column says was found right, up to the exact end. What it does not say was not
  looked at: a picture may be whole and show something else than its name says, and content that is not decoded may be damaged.
* *looked for*: anywhere is at every byte, inside of other files too; on sectors is only where the file would begin on a multiple of 512
  bytes from the start of the image, as files of a file system do. On request means off by default: `--types` with its name, or `all`.
* A file that breaks off is `truncated`, with the length that is right.

## Read by their structure
""" % (len(checked), len(names), len(rules)))
table(checked, ("what was looked at in a whole file", lambda row: row["proves"]))
print("""
## By header and footer

Off by default, since such a rule invents files: `--types` with a name here, or `all`.
""")
table(rules, ("from", lambda row: row["source"]))
'
cat <<'PAGE'

## What cannot be measured

Some files do not say where they end, and nothing in their content does. They are reported as far as they are certain, and never as whole;
or they are not looked for at all.

| what | why |
| --- | --- |
| WAVE, AU, CAF, WavPack written to a pipe | the length was never filled in: `truncated`, as far as is certain |
| KeePass 1 and KDBX 3 (`kdb`, older `kdbx`) | encrypted up to the end of the file; KDBX 4 has blocks |
| WordPerfect 5 | no length; text goes on as text. WordPerfect 6 and later say their size |
| HTML without `</html>` | nothing closes the page |
| JPEG XL as a bare codestream, or in a last box that is open | only a decoder finds the end; closed boxes are read |
| AAC in ADIF, Musepack 7 | no lengths that could be followed; ADTS and Musepack 8 are read |
| Lotus 1-2-3 97 and later, AutoCAD 2007 | blocks whose length nothing tells; another page layout |
| encrypted volumes (LUKS) | the header with its keys is found, not the volume; VeraCrypt and the like look like chance throughout |
| virtual disks of fixed size | a raw disk with a footer: it begins like any disk |
| MyISAM data, raw sound, raw pixels, raw memory | no header at all |
| plain text, source code, CSV, logs | anything printable; neither beginning nor end is marked |

Formats that end where the next thing of their kind does not follow (`mp3` without a count, `amr`, `pcap`, `utmp`, `winreg`, `srt`, mail) are
whole up to there. If the file goes on elsewhere, nothing in them tells. Of InDesign, OneNote, Reader books and MyISAM the length in the
header is believed: what lies inside is encrypted or not published.
PAGE
