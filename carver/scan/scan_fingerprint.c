/* SPDX-License-Identifier: Apache-2.0
 * carver/scan/scan_fingerprint.c - see scan_fingerprint.h. */
#include "carver/scan/scan_fingerprint.h"

#include <openssl/evp.h>

#include "base/hex.h"
#include "base/pack.h"

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

enum err_code scan_fingerprint(const struct sig *const *sigs, uint32_t count,
                               char out[SCAN_FINGERPRINT_TEXT], struct err *err)
{
    struct pack all = { 0 };
    uint8_t digest[EVP_MAX_MD_SIZE];
    unsigned len = 0;
    enum err_code rc = ERR_OK;

    out[0] = '\0';
    for (uint32_t i = 0; i < count; i++)
        fingerprint_sig(sigs[i], &all);
    if (all.failed)
        rc = ERR_NO_MEMORY(err, all.room);
    else if (EVP_Digest(all.bytes, all.len, digest, &len, EVP_sha256(), NULL) != 1 ||
             2 * len + 1 != SCAN_FINGERPRINT_TEXT)
        rc = ERR_RAISE(err, ERR_ENV, "libcrypto cannot hash");
    if (rc == ERR_OK) {
        hex_bytes(digest, len, out);
        out[SCAN_FINGERPRINT_TEXT - 1] = '\0';
    }
    pack_release(&all);
    return rc;
}
