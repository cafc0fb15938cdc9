/* SPDX-License-Identifier: Apache-2.0
 * carver/report/html/base64.c - see base64.h. */
#include "carver/report/html/base64.h"

#include <openssl/evp.h>

enum { BASE64_GROUPS = 1024 }; /* groups of three bytes that are written at a time */

void base64_put(FILE *out, const uint8_t *bytes, size_t len)
{
    uint8_t text[4 * BASE64_GROUPS + 1]; /* and a NUL */

    while (len > 0) {
        const size_t some = len < 3 * BASE64_GROUPS ? len : 3 * BASE64_GROUPS;
        const int written = EVP_EncodeBlock(text, bytes, (int)some);

        fwrite(text, 1, (size_t)written, out);
        bytes += some;
        len -= some;
    }
}
