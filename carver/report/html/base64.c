/* carver/report/html/base64.c - see base64.h. */
#include "carver/report/html/base64.h"

enum { BASE64_GROUPS = 1024 }; /* groups of three bytes that are written at a time */

static void base64_group(const uint8_t *from, size_t len, char to[4])
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    const uint32_t bits =
        (uint32_t)from[0] << 16 | (len > 1 ? (uint32_t)from[1] << 8 : 0) | (len > 2 ? from[2] : 0);

    to[0] = digits[bits >> 18];
    to[1] = digits[bits >> 12 & 63];
    to[2] = '=';
    to[3] = '=';
    if (len > 1)
        to[2] = digits[bits >> 6 & 63];
    if (len > 2)
        to[3] = digits[bits & 63];
}

void base64_put(FILE *out, const uint8_t *bytes, size_t len)
{
    char text[4 * BASE64_GROUPS];

    while (len > 0) {
        size_t used = 0;

        for (; len > 0 && used < sizeof text; used += 4) {
            const size_t some = len < 3 ? len : 3;

            base64_group(bytes, some, text + used);
            bytes += some;
            len -= some;
        }
        fwrite(text, 1, used, out);
    }
}
