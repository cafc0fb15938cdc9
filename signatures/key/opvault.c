/* SPDX-License-Identifier: Apache-2.0
 * signatures/key/opvault.c - attachments in a vault of 1Password (OPVault).
 *
 *   "OPCLDAT" | u8 1 | u16le bytes of the description | u16 of anything | u32le bytes of the icon |
 * description, JSON | icon, content; each: "opdata01" | u64le bytes before encryption | 16 of
 * initial vector | 1 to 16 bytes that fill up to 16, and the bytes, encrypted | 32 of HMAC
 */
#include <string.h>

#include "base/bytes.h"
#include "signatures/sig.h"

enum {
    OPVAULT_HEAD = 16,
    OPVAULT_DATA = 32, /* bytes before what is encrypted */
    OPVAULT_BLOCK = 16,
    OPVAULT_SUM = 32,
};

static struct sig_result opvault_check(struct sig_input *in, void *memory)
{
    const uint8_t *p = sig_bytes(in, 0, OPVAULT_HEAD + 1);

    (void)memory;
    if (p == NULL)
        return sig_short(in);
    const uint64_t description = bytes_u16le(p + 8), icon = bytes_u32le(p + 12),
                   data = OPVAULT_HEAD + description + icon;
    if (description < 2 || p[OPVAULT_HEAD] != '{')
        return sig_reject("there is no description");
    p = sig_bytes(in, OPVAULT_HEAD + description - 1, 1);
    if (p == NULL)
        return sig_short(in);
    if (p[0] != '}')
        return sig_reject("the description has no end");
    sig_valid(in, OPVAULT_HEAD + description);
    p = sig_bytes(in, data, OPVAULT_DATA);
    if (p == NULL)
        return sig_short(in);
    const uint64_t bytes = bytes_u64le(p + 8);
    if (memcmp(p, "opdata01", 8) != 0 || bytes >> 40 != 0)
        return sig_breaks(in, "no content behind description and icon");
    const uint64_t end =
        data + OPVAULT_DATA + (bytes / OPVAULT_BLOCK + 1) * OPVAULT_BLOCK + OPVAULT_SUM;
    if (sig_bytes(in, end - 1, 1) == NULL)
        return sig_short(in);
    return sig_believe(in, end, "description, icon and content follow one another");
}

const struct sig sig_opvault = {
    .name = "opvault",
    .what = "attachment in a vault of 1Password",
    .proves = "description, icon and content follow one another; the HMAC needs the password",
    .source = "AgileBits, OPVault Design: Attachments, opdata01",
    .types = (const struct sig_type[]){ { "opvault", "attachment" }, { 0 } },
    .headers = { SIG_PATTERN("OPCLDAT\1") },
    .flags = SIG_SECTOR_ALIGNED,
    .size_min = OPVAULT_HEAD + 2 + OPVAULT_DATA + OPVAULT_BLOCK + OPVAULT_SUM,
    .size_max = UINT64_C(1) << 40,
    .check = opvault_check,
};
