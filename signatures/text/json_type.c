/* SPDX-License-Identifier: Apache-2.0
 * signatures/text/json_type.c - which kind of JSON document this is.
 *
 * Sources: nbformat 4; HTTP Archive 1.2; Bitwarden, Export Vault Data; Web3 Secret Storage
 * Definition (keys of Ethereum); MetaMask, browser-passworder (vaults); Electrum 4, storage.py; RFC
 * 7946 (GeoJSON); Khronos, glTF 2.0; OCI Image Format 1.1; Source Map 3; gocryptfs 2.3, configfile;
 * CycloneDX 1.4, SPDX 2.3; Google Takeout (places); Chromium, bookmark_codec.cc
 */
#include <string.h>

#include "signatures/text/json_type.h"

/* Names, in the order of their bits. */
static const char *const json_known[] = {
    "cells",        "log",
    "encrypted",    "items",
    "folders",      "collections",
    "crypto",       "Crypto",
    "version",      "id",
    "address",      "data",
    "iv",           "salt",
    "wallet_type",  "keystore",
    "seed_version", "type",
    "features",     "coordinates",
    "asset",        "scenes",
    "accessors",    "schemaVersion",
    "layers",       "manifests",
    "mappings",     "sources",
    "EncryptedKey", "ScryptObject",
    "bomFormat",    "specVersion",
    "spdxVersion",  "timelineObjects",
    "locations",    "semanticSegments",
    "roots",        "checksum",
    "keyMetadata",  "geometries",
};

enum { JSON_KNOWN = sizeof json_known / sizeof json_known[0] };
_Static_assert(JSON_KNOWN <= 64, "there is a bit for each");

enum json_type_index {
    JSON_T_JSON,
    JSON_T_LINES,
    JSON_T_NOTEBOOK,
    JSON_T_HAR,
    JSON_T_BITWARDEN,
    JSON_T_ETHEREUM,
    JSON_T_METAMASK,
    JSON_T_ELECTRUM,
    JSON_T_GEO,
    JSON_T_GLTF,
    JSON_T_OCI,
    JSON_T_SOURCE_MAP,
    JSON_T_GOCRYPTFS,
    JSON_T_SBOM,
    JSON_T_PLACES,
    JSON_T_BOOKMARKS,
};

const struct sig_type json_types[] = {
    [JSON_T_JSON] = { "json", "json" },
    [JSON_T_LINES] = { "jsonl", "jsonl" },
    [JSON_T_NOTEBOOK] = { "ipynb", "ipynb" },
    [JSON_T_HAR] = { "har", "har" },
    [JSON_T_BITWARDEN] = { "bitwarden", "json" },
    [JSON_T_ETHEREUM] = { "ethereum-key", "json" },
    [JSON_T_METAMASK] = { "metamask-vault", "json" },
    [JSON_T_ELECTRUM] = { "electrum-wallet", "json" },
    [JSON_T_GEO] = { "geojson", "geojson" },
    [JSON_T_GLTF] = { "gltf", "gltf" },
    [JSON_T_OCI] = { "oci-manifest", "json" },
    [JSON_T_SOURCE_MAP] = { "source-map", "map" },
    [JSON_T_GOCRYPTFS] = { "gocryptfs", "conf" },
    [JSON_T_SBOM] = { "sbom", "json" },
    [JSON_T_PLACES] = { "google-places", "json" },
    [JSON_T_BOOKMARKS] = { "chrome-bookmarks", "json" },
    { 0 },
};

/* All of the names are there; first: the first of them begins the document. */
static const struct json_kind {
    enum json_type_index type;
    bool first;
    const char *names[3];
} json_kinds[] = {
    { JSON_T_NOTEBOOK, true, { "cells", NULL, NULL } },
    { JSON_T_HAR, true, { "log", NULL, NULL } },
    { JSON_T_BITWARDEN, false, { "encrypted", "items", "folders" } },
    { JSON_T_BITWARDEN, false, { "encrypted", "items", "collections" } },
    { JSON_T_ETHEREUM, false, { "crypto", "version", "id" } },
    { JSON_T_ETHEREUM, false, { "crypto", "version", "address" } },
    { JSON_T_ETHEREUM, false, { "Crypto", "version", "id" } },
    { JSON_T_METAMASK, false, { "data", "iv", "salt" } },
    { JSON_T_ELECTRUM, false, { "wallet_type", "seed_version", NULL } },
    { JSON_T_ELECTRUM, false, { "wallet_type", "keystore", NULL } },
    { JSON_T_GEO, false, { "type", "features", NULL } },
    { JSON_T_GEO, false, { "type", "coordinates", NULL } },
    { JSON_T_GEO, false, { "type", "geometries", NULL } },
    { JSON_T_GLTF, false, { "asset", "scenes", NULL } },
    { JSON_T_GLTF, false, { "asset", "accessors", NULL } },
    { JSON_T_OCI, false, { "schemaVersion", "layers", NULL } },
    { JSON_T_OCI, false, { "schemaVersion", "manifests", NULL } },
    { JSON_T_SOURCE_MAP, false, { "version", "mappings", "sources" } },
    { JSON_T_GOCRYPTFS, false, { "EncryptedKey", "ScryptObject", NULL } },
    { JSON_T_SBOM, false, { "bomFormat", "specVersion", NULL } },
    { JSON_T_SBOM, false, { "spdxVersion", NULL, NULL } },
    { JSON_T_PLACES, true, { "timelineObjects", NULL, NULL } },
    { JSON_T_PLACES, true, { "locations", NULL, NULL } },
    { JSON_T_PLACES, true, { "semanticSegments", NULL, NULL } },
    { JSON_T_BOOKMARKS, false, { "checksum", "roots", "version" } },
};

/* The bit of a known name; 0: there is none. */
static uint64_t json_bit(const char *text, uint32_t len)
{
    for (uint32_t i = 0; i < JSON_KNOWN; i++)
        if (strlen(json_known[i]) == len && memcmp(json_known[i], text, len) == 0)
            return UINT64_C(1) << i;
    return 0;
}

void json_name_begin(struct json_names *names)
{
    names->len = 0;
}

void json_name_more(struct json_names *names, const uint8_t *chars, uint32_t len)
{
    for (uint32_t i = 0; i < len && names->len + i < JSON_NAME_MAX; i++)
        names->text[names->len + i] = (char)chars[i];
    names->len += len < UINT32_MAX - names->len ? len : 0;
}

void json_name_end(struct json_names *names)
{
    const uint64_t bit = names->len <= JSON_NAME_MAX ? json_bit(names->text, names->len) : 0;

    if (!names->first_done)
        names->first = bit;
    names->first_done = true;
    names->seen |= bit;
}

const struct sig_type *json_type(const struct json_names *names, bool lines)
{
    if (lines)
        return &json_types[JSON_T_LINES];
    for (uint32_t i = 0; i < sizeof json_kinds / sizeof json_kinds[0]; i++) {
        const struct json_kind *kind = &json_kinds[i];
        uint64_t all = 0;

        for (uint32_t k = 0; k < 3 && kind->names[k] != NULL; k++)
            all |= json_bit(kind->names[k], (uint32_t)strlen(kind->names[k]));
        if ((kind->first ? names->first : names->seen & all) == all)
            return &json_types[kind->type];
    }
    return &json_types[JSON_T_JSON];
}
