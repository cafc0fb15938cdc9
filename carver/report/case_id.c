/* SPDX-License-Identifier: Apache-2.0
 * carver/report/case_id.c - see case_id.h. */
#include <inttypes.h>
#include <openssl/evp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "carver/report/case_id.h"

struct case_id {
    EVP_MD_CTX *hash;
    bool failed;
};

enum err_code case_id_open(struct case_id **out, struct err *err)
{
    struct case_id *id = calloc(1, sizeof *id);

    *out = NULL;
    if (id == NULL || (id->hash = EVP_MD_CTX_new()) == NULL) {
        free(id);
        return ERR_NO_MEMORY(err, sizeof *id);
    }
    *out = id;
    return ERR_OK;
}

void case_id_close(struct case_id *id)
{
    if (id == NULL)
        return;
    EVP_MD_CTX_free(id->hash);
    free(id);
}

static void id_add(struct case_id *id, const char *text)
{
    id->failed |= EVP_DigestUpdate(id->hash, text, strlen(text)) != 1;
}

static void id_begin(struct case_id *id)
{
    /* 6ba7b811-9dad-11d1-80b4-00c04fd430c8, the name space of URLs */
    static const uint8_t space[] = { 0x6b, 0xa7, 0xb8, 0x11, 0x9d, 0xad, 0x11, 0xd1,
                                     0x80, 0xb4, 0x00, 0xc0, 0x4f, 0xd4, 0x30, 0xc8 };

    id->failed |= EVP_DigestInit_ex(id->hash, EVP_sha1(), NULL) != 1 ||
                  EVP_DigestUpdate(id->hash, space, sizeof space) != 1;
    id_add(id, "urn:burin");
}

static void id_end(struct case_id *id, char out[CASE_UUID])
{
    uint8_t digest[EVP_MAX_MD_SIZE] = { 0 };
    size_t at = 0;

    id->failed |= EVP_DigestFinal_ex(id->hash, digest, NULL) != 1;
    digest[6] = (uint8_t)((digest[6] & 0x0f) | 0x50); /* version 5 */
    digest[8] = (uint8_t)((digest[8] & 0x3f) | 0x80); /* the variant of RFC 4122 */
    for (size_t i = 0; i < 16; i++)
        at += (size_t)snprintf(out + at, CASE_UUID - at, "%s%02x",
                               i == 4 || i == 6 || i == 8 || i == 10 ? "-" : "", digest[i]);
}

void case_id_uuid(struct case_id *id, char out[CASE_UUID], ...)
{
    va_list texts;

    id_begin(id);
    va_start(texts, out);
    for (const char *text; (text = va_arg(texts, const char *)) != NULL;) {
        id_add(id, ":");
        id_add(id, text);
    }
    va_end(texts);
    id_end(id, out);
}

void case_id_object(struct case_id *id, const char *image, const struct db_object *object,
                    char out[CASE_UUID])
{
    char piece[64];

    id_begin(id);
    id_add(id, ":");
    id_add(id, image);
    id_add(id, ":object:");
    id_add(id, object->type);
    for (uint32_t i = 0; i < object->extent_count; i++) {
        snprintf(piece, sizeof piece, ":%" PRIu64 "+%" PRIu64, object->extents[i].offset,
                 object->extents[i].len);
        id_add(id, piece);
    }
    id_end(id, out);
}

void case_id_text(const char *class, const char uuid[CASE_UUID], char out[CASE_ID])
{
    snprintf(out, CASE_ID, "kb:%s-%s", class, uuid);
}

enum err_code case_id_failed(const struct case_id *id, struct err *err)
{
    return id->failed ? ERR_RAISE(err, ERR_ENV,
                                  "libcrypto cannot hash with SHA-1, which names of CASE are made "
                                  "with; its configuration may forbid it")
                      : ERR_OK;
}
