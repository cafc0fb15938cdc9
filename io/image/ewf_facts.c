/* SPDX-License-Identifier: Apache-2.0
 * io/image/ewf_facts.c - see ewf_facts.h.
 *
 * libewf knows hashes by two ways: the binary ones of the sections hash and digest, and texts of
 * the XML section of newer files.
 */
#include "io/image/ewf_facts.h"

#include <string.h>

#include "base/hex.h"

enum { EWF_MD5 = 16, EWF_SHA1 = 20 /* bytes */ };

static bool ewf_facts_hash(struct io_facts *facts, const char *name, const uint8_t *bytes,
                           size_t len)
{
    char text[2 * EWF_SHA1 + 1];

    hex_bytes(bytes, len, text);
    text[2 * len] = '\0';
    return io_facts_add(facts, name, text);
}

static bool ewf_facts_hashes(const struct io_ewf *lib, libewf_handle_t *handle,
                             struct io_facts *facts)
{
    static const char *const known[][2] = { { "MD5", "md5" },
                                            { "SHA1", "sha1" },
                                            { "SHA256", "sha256" } };
    uint8_t md5[EWF_MD5], sha1[EWF_SHA1], text[128];
    bool ok = true;

    if (lib->libewf_handle_get_md5_hash(handle, md5, sizeof md5, NULL) == 1)
        ok = ewf_facts_hash(facts, "md5", md5, sizeof md5);
    if (ok && lib->libewf_handle_get_sha1_hash(handle, sha1, sizeof sha1, NULL) == 1)
        ok = ewf_facts_hash(facts, "sha1", sha1, sizeof sha1);
    for (size_t i = 0; ok && i < sizeof known / sizeof known[0]; i++) {
        const uint8_t *id = (const uint8_t *)known[i][0];

        if (lib->libewf_handle_get_utf8_hash_value(handle, id, strlen(known[i][0]), text,
                                                   sizeof text, NULL) != 1)
            continue;
        text[sizeof text - 1] = '\0';
        ok = io_facts_add(facts, known[i][1], (const char *)text);
    }
    return ok;
}

bool io_ewf_facts(const struct io_ewf *lib, libewf_handle_t *handle, struct io_facts *facts)
{
    static const char *const known[][2] = { { "case_number", "case number" },
                                            { "evidence_number", "evidence number" },
                                            { "description", "description" },
                                            { "examiner_name", "examiner" },
                                            { "notes", "notes" },
                                            { "acquiry_date", "acquired" },
                                            { "system_date", "system date" },
                                            { "acquiry_operating_system", "system" },
                                            { "acquiry_software_version", "tool" },
                                            { "model", "model" },
                                            { "serial_number", "serial number" } };
    uint8_t text[IO_FACT_VALUE_MAX];
    bool ok = ewf_facts_hashes(lib, handle, facts);

    /* Not that of the locale and its time zone, which would be other on each machine. */
    lib->libewf_handle_set_header_values_date_format(handle, LIBEWF_DATE_FORMAT_ISO8601, NULL);
    for (size_t i = 0; ok && i < sizeof known / sizeof known[0]; i++) {
        const uint8_t *id = (const uint8_t *)known[i][0];

        if (lib->libewf_handle_get_utf8_header_value(handle, id, strlen(known[i][0]), text,
                                                     sizeof text, NULL) != 1)
            continue;
        text[sizeof text - 1] = '\0';
        ok = io_facts_add(facts, known[i][1], (const char *)text);
    }
    return ok;
}
