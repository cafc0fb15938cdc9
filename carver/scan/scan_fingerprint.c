/* SPDX-License-Identifier: Apache-2.0
 * carver/scan/scan_fingerprint.c - see scan_fingerprint.h. */
#include "carver/scan/scan_fingerprint.h"

#include "base/pack.h"
#include "db/sha256.h"

static void fingerprint_pattern(const struct sig_pattern *pattern, struct pack *out)
{
    pack_number(out, pattern->len);
    pack_bytes(out, pattern->bytes, pattern->len);
    pack_number(out, pattern->mask != NULL);
    if (pattern->mask != NULL)
        pack_bytes(out, pattern->mask, pattern->len);
    pack_number(out, pattern->at);
}

static void fingerprint_sig(const struct sig *sig, struct pack *out)
{
    pack_text(out, sig->name);
    for (const struct sig_type *type = sig->types; type != NULL && type->name != NULL; type++) {
        pack_text(out, type->name);
        pack_text(out, type->extension);
    }
    for (uint32_t i = 0; i < SIG_HEADERS_MAX && sig->headers[i].len > 0; i++)
        fingerprint_pattern(&sig->headers[i], out);
    fingerprint_pattern(&sig->footer, out);
    pack_number(out, sig->check != NULL);
    pack_number(out, sig->mode);
    pack_number(out, sig->flags);
    pack_number(out, sig->size_min);
    pack_number(out, sig->size_max);
    pack_number(out, sig->open_max);
}

/* What keyword_confirm compares with. */
static void fingerprint_forms(const struct keyword *keyword, struct pack *out)
{
    const uint8_t *forms = keyword->forms;

    for (uint32_t at = 0; forms != NULL && at < keyword->len;) {
        const size_t len = 2 + (size_t)forms[0] * forms[1];

        at += forms[1];
        pack_bytes(out, forms, len);
        forms += len;
    }
}

static void fingerprint_keyword(const struct keyword *keyword, struct pack *out)
{
    pack_text(out, keyword->text);
    pack_text(out, keyword->encoding);
    pack_number(out, keyword->len);
    pack_bytes(out, keyword->bytes, keyword->len);
    pack_number(out, keyword->mask != NULL);
    if (keyword->mask != NULL)
        pack_bytes(out, keyword->mask, keyword->len);
    pack_number(out, keyword->fold_case);
    pack_text(out, keyword_kind(keyword));
    pack_number(out, keyword->zeros_before);
    pack_number(out, keyword->zeros_after);
    fingerprint_forms(keyword, out);
}

/* The hash of all, which is released. */
static enum err_code fingerprint_end(struct pack *all, char out[SCAN_FINGERPRINT_TEXT],
                                     struct err *err)
{
    enum err_code rc = ERR_OK;

    out[0] = '\0';
    if (all->failed)
        rc = ERR_NO_MEMORY(err, all->room);
    else
        rc = db_sha256(all->bytes, all->len, out, err);
    pack_release(all);
    return rc;
}

enum err_code scan_fingerprint(const struct sig *const *sigs, uint32_t count,
                               char out[SCAN_FINGERPRINT_TEXT], struct err *err)
{
    struct pack all = { 0 };

    for (uint32_t i = 0; i < count; i++)
        fingerprint_sig(sigs[i], &all);
    return fingerprint_end(&all, out, err);
}

enum err_code scan_fingerprint_keywords(const struct keyword_set *keywords,
                                        char out[SCAN_FINGERPRINT_TEXT], struct err *err)
{
    struct pack all = { 0 };

    for (uint32_t i = 0; i < keywords->count; i++)
        fingerprint_keyword(&keywords->items[i], &all);
    return fingerprint_end(&all, out, err);
}
