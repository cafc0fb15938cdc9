#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# tests/cli/report_case.sh - burin report --format case: the graph has the shapes that CASE/UCO 1.4.0 publishes, and says of every object what the
# case file says; names of nodes are the UUIDs that Python makes; a hostile case file changes texts alone.
. "$(dirname "$0")/lib.sh"
planted
expect 0 "" scan --quiet --hash sha256 --case "$dir/case" "$image"
cp "$dir/case" "$dir/pieces"
# A file in two pieces, and hashes of objects.
sqlite3 "$dir/pieces" "UPDATE extents SET len = 1000 WHERE object_id = 1; UPDATE objects SET state = 'fragmented' WHERE id = 1;
    INSERT INTO extents VALUES (1, 1, 100000, (SELECT len - 1000 FROM objects WHERE id = 1));
    INSERT OR REPLACE INTO contents SELECT id, substr('$(printf '%064d' 7)', 1, 64), 0 FROM objects" || fail "no pieces"
cp "$dir/case" "$dir/hostile"
python3 - "$dir/hostile" <<'PY'
import sqlite3, sys
db = sqlite3.connect(sys.argv[1])
for number, text in enumerate(['"}],"@graph":[{"', "</script>", "\\u0000\x01\x1b[2J", "\u202egnp", "@id", "kb:x y"]):
    db.execute("UPDATE objects SET type = ?, extension = ?, reason = ? WHERE id = (SELECT id FROM objects ORDER BY id LIMIT 1 OFFSET ?)", (text,) * 3 + (number,))
db.execute("UPDATE objects SET reason = CAST(x'3dc328' AS TEXT) WHERE id = 10")
db.execute("UPDATE runs SET started = '\"yesterday', command = '\"}', version = 'x\ny'")
db.commit()
PY
cat >"$dir/check.py" <<'PY'
import json, re, sqlite3, subprocess, sys, uuid
burin, case, exact = sys.argv[1], sys.argv[2], sys.argv[3] == "exact"
def unique(pairs):
    assert len(dict(pairs)) == len(pairs), "a key twice in " + str(pairs)[:200]
    return dict(pairs)
text = subprocess.run([burin, "report", "--quiet", "--format", "case", case], stdout=subprocess.PIPE, check=True).stdout
assert text == subprocess.run([burin, "report", "--quiet", "--format", "case", case], stdout=subprocess.PIPE, check=True).stdout
document = json.loads(text.decode(), object_pairs_hook=unique)
assert set(document) == {"@context", "@graph"}
uco = "https://ontology.unifiedcyberontology.org/uco/"
assert document["@context"]["uco-core"] == uco + "core/" and document["@context"]["case-investigation"] == "https://ontology.caseontology.org/case/investigation/"
# The shapes, by hand from case-1.4.0.ttl (CASE e21d2a6, UCO 8335d32): property -> kind of value, least and most. A property that is not
# here is not in the class.
S, I, D, B, H = "string", "xsd:integer", "xsd:dateTime", "boolean", "xsd:hexBinary"
thing = {"uco-core:name": (S, 0, 1), "uco-core:description": (S, 0, 99), "uco-core:hasFacet": ("Facet", 0, 99)}
shapes = {
    "ContentData": thing, "RecoveredObject": thing, "Image": thing,
    "Tool": {**thing, "uco-tool:toolType": (S, 0, 1), "uco-tool:version": (S, 0, 1)},
    "InvestigativeAction": {**thing, "uco-action:startTime": (D, 0, 1), "uco-action:endTime": (D, 0, 1), "uco-action:instrument": ("Tool", 0, 99),
                            "uco-action:object": ("Image", 0, 99), "uco-action:result": ("ProvenanceRecord", 0, 99)},
    "ProvenanceRecord": {**thing, "uco-core:object": ("ContentData", 0, 10**9)},
    "ObservableRelationship": {**thing, "uco-core:source": ("ContentData", 1, 1), "uco-core:target": ("ContentData Image", 1, 1),
                               "uco-core:kindOfRelationship": (S, 0, 1), "uco-core:isDirectional": (B, 1, 1)},
    "RecoveredObjectFacet": {"uco-observable:" + what + "RecoveredStatus": (S, 0, 1) for what in ("content", "name", "metadata")},
    "ContentDataFacet": {"uco-observable:sizeInBytes": (I, 0, 1), "uco-observable:mimeType": (S, 0, 99), "uco-observable:hash": ("Hash", 0, 99)},
    "Hash": {"uco-types:hashMethod": (S, 1, 1), "uco-types:hashValue": (H, 1, 1)},
    "DataRangeFacet": {"uco-observable:rangeOffset": (I, 0, 1), "uco-observable:rangeSize": (I, 0, 1)},
    "FragmentFacet": {"uco-observable:fragmentIndex": (I, 0, 99), "uco-observable:totalFragments": (I, 0, 99)},
    "RasterPictureFacet": {"uco-observable:pictureWidth": (I, 0, 1), "uco-observable:pictureHeight": (I, 0, 1), "uco-observable:pictureType": (S, 0, 1)},
    "ImageFacet": {"uco-observable:imageType": (S, 0, 1)}, "FileFacet": {"uco-observable:filePath": (S, 0, 99)},
}
homes = {"Tool": "uco-tool", "Hash": "uco-types", "InvestigativeAction": "case-investigation", "ProvenanceRecord": "case-investigation"}
words = {"contentRecoveredStatus": {"recovered", "partially recovered", "unknown"}, "hashMethod": {"SHA256"}}
lexical = {I: r"[0-9]+", D: r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ", H: r"([0-9A-Fa-f]{2})+"}
nodes, used = {}, []
def classes(node):
    types = node["@type"] if isinstance(node["@type"], list) else [node["@type"]]
    for one in types:
        prefix, name = one.split(":")
        assert homes.get(name, "uco-observable") == prefix and name in shapes, one
    return [one.split(":")[1] for one in types]
def walk(node):
    assert re.fullmatch(r"kb:[A-Za-z]+-[0-9a-f]{8}-[0-9a-f]{4}-5[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}", node["@id"]), node["@id"]
    kinds = classes(node)
    assert node["@id"].split("-")[0] == "kb:" + kinds[0] and node["@id"] not in nodes, "twice: " + node["@id"]
    nodes[node["@id"]] = kinds
    allowed = {key: rule for kind in kinds for key, rule in shapes[kind].items()}
    for key, value in node.items():
        if key in ("@id", "@type"):
            continue
        kind, least, most = allowed[key]
        values = value if isinstance(value, list) else [value]
        assert least <= len(values) <= most, key
        for one in values:
            if kind in (S, B):
                assert isinstance(one, str if kind == S else bool), (key, one)
                assert one in words.get(key.split(":")[1], {one}), (key, one)
            elif kind in lexical:
                assert set(one) == {"@type", "@value"} and one["@type"] == kind and re.fullmatch(lexical[kind], one["@value"]), (key, one)
            elif set(one) == {"@id"}:
                used.append((one["@id"], kind))
            else:
                assert any(name.endswith(kind) for name in walk(one)), (key, one)
    for key, (_, least, _) in allowed.items():
        assert least == 0 or key in node, key
    return kinds
for node in document["@graph"]:
    walk(node)
for name, kind in used:
    assert name in nodes and set(nodes[name]) & set(kind.split()), (name, kind)
# What the case file says.
db = sqlite3.connect(f"file:{case}?mode=ro", uri=True)
db.text_factory = lambda raw: raw.decode(errors="replace")
sha256 = db.execute("SELECT digest FROM image_hashes WHERE kind = 'sha256'").fetchone()[0]
five = lambda *parts: str(uuid.uuid5(uuid.NAMESPACE_URL, ":".join(("urn:burin",) + parts)))
image = five("image", sha256)
found = {node["@id"]: node for node in document["@graph"]}
assert "kb:Image-" + image in found
inside = {}
for node in document["@graph"]:
    if node.get("uco-core:kindOfRelationship"):
        inside.setdefault(node["uco-core:source"]["@id"], []).append(node)
value = lambda node, facet, key: [one[key]["@value"] for one in node["uco-core:hasFacet"] if one["@type"].endswith(":" + facet)][0]
rows = db.execute("SELECT id, type, state, len, extents, sha256, parent_id, reason FROM v_objects").fetchall()
names = {}
for row in rows if exact else []:
    names[row[0]] = "kb:ContentData-" + five(image, "object", row[1], *row[4].split(","))
for number, kind, state, length, extents, digest, parent, reason in rows if exact else []:
    node = found[names[number]]
    assert value(node, "ContentDataFacet", "uco-observable:sizeInBytes") == str(length) and node["uco-core:description"] == reason
    status = [one for one in node["uco-core:hasFacet"] if "RecoveredObjectFacet" in one["@type"]][0]["uco-observable:contentRecoveredStatus"]
    assert status == {"complete": "recovered", "fragmented": "recovered", "truncated": "partially recovered", "footer": "unknown"}[state]
    assert (digest is not None) == (digest is not None and digest in json.dumps(node)), number
    runs, parents = [], []
    for relation in inside[node["@id"]]:
        target = relation["uco-core:target"]["@id"]
        if target == "kb:Image-" + image:
            runs.append(relation)
        elif relation["uco-core:kindOfRelationship"] == "Has_Fragment":
            assert value(relation, "FragmentFacet", "uco-observable:fragmentIndex") == str(len(runs))
            assert value(relation, "FragmentFacet", "uco-observable:totalFragments") == str(extents.count(",") + 1)
            runs += inside[target]
        else:
            parents.append(target)
    got = ",".join(value(run, "DataRangeFacet", "uco-observable:rangeOffset") + "+" + value(run, "DataRangeFacet", "uco-observable:rangeSize") for run in runs)
    assert got == extents and parents == ([names[parent]] if parent else []), (number, got, extents)
record = found["kb:ProvenanceRecord-" + five(image, "case-investigation:ProvenanceRecord")]
assert len(record["uco-core:object"]) == len(rows) > 20
assert sum("InvestigativeAction" in name for name in found) == 1 and sum("kb:Tool" in name for name in found) == 1
PY
for case in case pieces; do python3 "$dir/check.py" "$BURIN" "$dir/$case" exact 2>"$dir/err" || fail "$case: $(cat "$dir/err")"; done
python3 "$dir/check.py" "$BURIN" "$dir/hostile" texts 2>"$dir/err" || fail "hostile: $(cat "$dir/err")"
finish
