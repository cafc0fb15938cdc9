/* SPDX-License-Identifier: Apache-2.0
 * carver/audit/secret.c - see secret.h. */
#include <openssl/hmac.h>
#include <stdio.h>
#include <string.h>

#include "base/hex.h"
#include "carver/audit/policy.h"
#include "carver/audit/secret.h"

void secret_fingerprint(const uint8_t key[SECRET_KEY_LEN], const char *rule, const void *value,
                        size_t len, char out[DB_FINGERPRINT_HEX + 1])
{
    uint8_t text[POLICY_NAME_MAX + 1 + SECRET_VALUE_MAX], digest[EVP_MAX_MD_SIZE] = { 0 };
    const size_t head = strnlen(rule, POLICY_NAME_MAX);
    const size_t take = len < SECRET_VALUE_MAX ? len : SECRET_VALUE_MAX;

    memcpy(text, rule, head);
    text[head] = '\0'; /* where the one ends and the other begins is no question */
    memcpy(text + head + 1, value, take);
    (void)HMAC(EVP_sha256(), key, SECRET_KEY_LEN, text, head + 1 + take, digest, NULL);
    hex_bytes(digest, DB_FINGERPRINT_HEX / 2, out);
    out[DB_FINGERPRINT_HEX] = '\0';
}

void secret_mask(const char *value, uint32_t len, uint32_t mask, char out[SECRET_EXCERPT_MAX])
{
    const uint32_t most = mask < len / 2 ? mask : len / 2;
    uint32_t used = 0;

    for (uint32_t i = 0; i < most && i < POLICY_MASK_MAX; i++)
        out[used++] = value[i] > ' ' && value[i] < 0x7f ? value[i] : '.';
    snprintf(out + used, SECRET_EXCERPT_MAX - used, "%s(%u characters)", used > 0 ? "... " : "",
             len);
}
