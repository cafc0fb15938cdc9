#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# tests/cli/facts_oracle.sh - what burin reads as facts, exiftool reads too.
#
# Goal: of the samples of all formats, and of files into which exiftool wrote dates, places and names, every fact is the value that
# exiftool has for it. Where the two differ, the file and the reason stand in `different` below, and they must differ.
# Method: both programs read the same files; the fields of exiftool that a key may come from are in `fields`.
# Labels: long
. "$(dirname "$0")/lib.sh"
command -v exiftool >/dev/null || skip "no exiftool (libimage-exiftool-perl)"
samples=$cli/../samples
mkdir "$dir/made"
cd "$dir/made" || exit 1
words=(-overwrite_original -q -q -Artist="Änne B." -Software="Firm 2" -Make=Maker -Model="Model 7" -DateTimeOriginal="2023:11:05 01:02:03"
    -CreateDate="2023:11:05 01:02:04" -ModifyDate="2023:11:06 00:00:00" -OffsetTimeOriginal=+01:00 -SerialNumber=S77
    -GPSLatitude=37.5 -GPSLatitudeRef=S -GPSLongitude=122.25 -GPSLongitudeRef=E -GPSAltitude=12.5 -GPSAltitudeRef=1)
for file in jpeg/photo.jpg png/rgb.png tiff/plain.tif riff/lossy.webp; do
    cp "$samples/$file" .
    exiftool "${words[@]}" "$(basename "$file")" || fail "exiftool cannot write into $file"
done
cp "$samples/jpeg/base.jpg" xmp.jpg
exiftool -overwrite_original -q -q -XMP:CreateDate="2022:02:03 04:05:06+02:00" -XMP:Creator="X & Y <z>" -XMP:Title="a title" \
    -XMP:CreatorTool="Tool 1" xmp.jpg || fail "exiftool cannot write XMP"
cp "$samples/jpeg/base.jpg" drone.jpg
exiftool -overwrite_original -q -q -XMP-drone-dji:GPSLatitude=-12.5 -XMP-drone-dji:GPSLongtitude=130.875 \
    -XMP-drone-dji:AbsoluteAltitude=+81.25 -XMP-drone-dji:RelativeAltitude=-0.5 drone.jpg || fail "exiftool cannot write XMP of a drone"
cp "$samples/isobmff/film.mov" "$samples/isobmff/film.mp4" .
exiftool -overwrite_original -q -q -api QuickTimeUTC=0 -QuickTime:CreateDate="2021:05:06 07:08:09" -QuickTime:ModifyDate="2021:05:06 07:08:10" \
    -UserData:GPSCoordinates="48.8584, 2.2945, 35" film.mov film.mp4 || fail "exiftool cannot write into a film"
cp "$samples/isobmff/film.mov" keys.mov
exiftool -overwrite_original -q -q -Keys:CreationDate="2021:05:06 09:08:09+02:00" -Keys:GPSCoordinates="-33.5, 151.25, 7" -Keys:Make=Maker \
    -Keys:Model="Phone 1" keys.mov || fail "exiftool cannot write metadata keys"
python3 - <<'PY' # ISO 32000-1, 7.5: a plain file, and one that was changed later
def pdf(*info):
    out, places = bytearray(b"%PDF-1.4\n%\xe2\xe3\xcf\xd3\n"), {}
    def put(number, body):
        places[number] = len(out)
        out.extend(b"%d 0 obj\n%s\nendobj\n" % (number, body))
    put(1, b"<</Type/Catalog/Pages 2 0 R>>")
    put(2, b"<</Type/Pages/Kids[3 0 R]/Count 1>>")
    put(3, b"<</Type/Page/Parent 2 0 R/MediaBox[0 0 99 99]>>")
    put(4, info[0])
    at = len(out)
    out.extend(b"xref\n0 5\n0000000000 65535 f \n" + b"".join(b"%010d 00000 n \n" % places[n] for n in range(1, 5)))
    out.extend(b"trailer\n<</Size 5/Root 1 0 R/Info 4 0 R>>\nstartxref\n%d\n%%%%EOF\n" % at)
    for more in info[1:]:
        put(4, more)
        before, at = at, len(out)
        out.extend(b"xref\n4 1\n%010d 00000 n \ntrailer\n<</Size 5/Root 1 0 R/Info 4 0 R/Prev %d>>\nstartxref\n%d\n%%%%EOF\n" % (places[4], before, at))
    return bytes(out)
one = b"<</Title(A \\(nested\\) \\344 title (really))/Author<FEFF0411043E0440>/CreationDate(D:20200102030405+06'00')/ModDate(D:20200103)/Producer(P 1)>>"
open("one.pdf", "wb").write(pdf(one))
open("two.pdf", "wb").write(pdf(one, one.replace(b"A \\(nested", b"B \\(nested")))
PY
cd - >/dev/null || exit 1

find "$samples" "$dir/made" -type f ! -name '*.fields' | sort >"$dir/files"
xargs -d '\n' "$BURIN" identify --json <"$dir/files" >"$dir/burin.json" 2>/dev/null
xargs -d '\n' exiftool -j -G1 -n -a <"$dir/files" >"$dir/exiftool.json" 2>/dev/null
python3 - "$dir" <<'PY' || fail "facts and exiftool do not agree"
import calendar, json, re, sys
ours = json.load(open(sys.argv[1] + "/burin.json"))
theirs = {f["SourceFile"]: f for f in json.load(open(sys.argv[1] + "/exiftool.json"))}
fields = {
    "taken": "DateTimeOriginal CreationDate", "created": "CreateDate Creation-date DateTimeDigitized TimeStamp", "sent": "Date",
    "modified": "ModifyDate Date", "printed": "LastPrinted Print-date",
    "gps.lat": "GPSLatitude GPSCoordinates", "gps.lon": "GPSLongitude GPSLongtitude GPSCoordinates",
    "gps.alt": "GPSAltitude AbsoluteAltitude GPSCoordinates",
    "camera.make": "Make", "camera.model": "Model", "serial": "SerialNumber", "width": "ImageWidth", "height": "ImageHeight",
    "duration": "Duration", "title": "Title ImageDescription", "author": "Author Artist Creator Initial-creator",
    "last_author": "LastModifiedBy Creator", "company": "Company", "album": "Album",
    "software": "Software Producer Creator CreatorTool WritingApp Encoder EncoderSettings Application Generator Vendor", "subject": "Subject",
    "target.created": "CreateDate", "target.modified": "ModifyDate", "target.path": "LocalBasePath", "machine": "MachineID MachineType",
    "encrypted": "Encryption", "drone.height": "RelativeAltitude",
}
machines = {332: "x86", 34404: "x86-64", 43620: "arm64"}
# Formats that exiftool knows, or takes for text, and does not read these fields of: there is nothing to compare. Of those that it does
# not know it says so itself.
unread = {"eml", "mbox", "mhtml", "opus", "tga"}
# (file, key): why the two differ.
different = {
    ("ico/png-only.ico", "width"): "exiftool has the first picture of an icon, burin the largest",
    ("ico/png-only.ico", "height"): "likewise",
    ("ico/three.ico", "width"): "likewise",
    ("ico/three.ico", "height"): "likewise",
    ("mp3/info.mp3", "duration"): "exiftool reckons with the size of the file, burin with the frames that the Info header counts",
    ("riff/saw.wav", "duration"): "exiftool takes the whole file for samples, burin the data chunk",
    ("ogg/vorbis.ogg", "duration"): "exiftool reckons with the nominal bit rate, burin has the last page's position",
    ("exr/parts.exr", "width"): None, ("exr/parts.exr", "height"): None,
}
def date(text):
    m = re.match(r"(\d{4})[:-](\d\d)[:-](\d\d)[ T](\d\d):(\d\d)(?::(\d\d))?(?:\.\d+)?(Z|[+-]\d\d:?\d\d)?$", str(text))
    if not m:
        return None
    at = calendar.timegm(tuple(int(x or 0) for x in m.groups()[:6]))
    zone = m[7]
    if zone and zone != "Z":
        at -= (1 if zone[0] == "+" else -1) * (int(zone[1:3]) * 3600 + int(zone[-2:]) * 60)
    return at
def close(key, fact, value):
    base = key[:-6] if key.endswith(".local") else key
    if base in ("taken", "created", "modified", "printed", "sent", "target.created", "target.modified"):
        wanted = date(value)
        return wanted is not None and wanted == fact["number"] or \
            base == "taken" and wanted is not None and date(fact["value"]) == wanted # the zone stands in a field of its own
    if base.startswith("gps."):
        part = {"gps.lat": 0, "gps.lon": 1, "gps.alt": 2}[base]
        number = float(str(value).split()[part] if " " in str(value) else value)
        return abs(abs(float(fact["value"])) - abs(number)) < 2e-6 or base == "gps.alt" and abs(abs(float(fact["value"])) - abs(number)) < 2e-3
    if base == "drone.height":
        return abs(float(fact["value"]) - float(value)) < 2e-3
    if base in ("width", "height"):
        return fact["number"] == int(value)
    if base == "duration":
        if ":" in str(value):
            value = sum(float(x) * 60 ** i for i, x in enumerate(reversed(value.split(":"))))
        return abs(float(fact["value"]) - float(value)) < 0.002
    if base == "encrypted":
        return True
    if base == "machine":
        return fact["value"] == machines.get(value, value)
    values = value if isinstance(value, list) else [value]
    return any(re.sub(r"\s+", " ", str(v)).strip() == fact["value"] for v in values)
wrong, compared, seen = [], 0, set()
for file in ours:
    name = "/".join(file["path"].split("/")[-2:])
    found = theirs.get(file["path"], {})
    for key, fact in file["facts"].items():
        base = key[:-6] if key.endswith(".local") else key
        values = [v for k, v in found.items() if k.split(":")[-1] in fields.get(base, "").split() and v not in ("", 0)]
        if not values:
            if file["type"] not in unread and base in fields and found.get("ExifTool:Error") != "Unknown file type":
                wrong.append(f"{name}: {key} = {fact['value']}: exiftool has nothing")
            continue
        compared += 1
        same = any(close(key, fact, v) for v in values)
        if (name, key) in different and different[name, key]:
            seen.add((name, key))
            if same:
                wrong.append(f"{name}: {key}: they do not differ any more")
        elif not same:
            wrong.append(f"{name}: {key} = {fact['value']}: exiftool has {values}")
missing = {k for k, v in different.items() if v} - seen
wrong += [f"{name}: {key}: listed as different, and not compared" for name, key in missing]
# What exiftool wrote must be read.
must = {"made/photo.jpg": {"taken", "created.local", "modified.local", "gps.lat", "gps.lon", "gps.alt", "camera.make", "camera.model", "serial",
                           "author", "software", "width"},
        "made/rgb.png": {"taken", "gps.lat", "camera.model", "author"}, "made/plain.tif": {"taken", "gps.lat", "camera.model", "author"},
        "made/lossy.webp": {"taken", "gps.lat", "camera.model", "author", "width"},
        "made/xmp.jpg": {"created", "author", "title", "software"},
        "made/drone.jpg": {"gps.lat", "gps.lon", "gps.alt", "drone.height"},
        "made/film.mov": {"created", "modified", "gps.lat", "gps.lon", "gps.alt", "duration"}, "made/film.mp4": {"created", "gps.lat"},
        "made/one.pdf": {"title", "author", "created", "modified.local", "software"}, "made/two.pdf": {"title", "author", "created"},
        "made/keys.mov": {"taken", "gps.lat", "gps.lon", "camera.make", "camera.model"}}
for file in ours:
    name = "/".join(file["path"].split("/")[-2:])
    lacking = must.pop(name, set()) - set(file["facts"])
    if lacking:
        wrong.append(f"{name}: no {', '.join(sorted(lacking))} among {file['facts']}")
wrong += [f"{name} is not there" for name in must]
print("\n".join(wrong[:40]))
print(f"{compared} values compared")
sys.exit(bool(wrong) or compared < 200)
PY
finish
