/* SPDX-License-Identifier: Apache-2.0
 * signatures/system/appledouble.c - what macOS keeps of a file on a foreign file system (._NAME),
 * and whole files in one (AppleSingle).
 *
 *   0x00051607 (0x00051600) | version 2 | 16 bytes | u16be number of entries | entries: u32be kind,
 * place, length | their contents
 */
#include <string.h>

#include "base/bytes.h"
#include "signatures/sig.h"

enum {
    APPLEDOUBLE_HEAD = 26,
    APPLEDOUBLE_ENTRY = 12,
    APPLEDOUBLE_ENTRIES_MAX = 16,
    APPLEDOUBLE_KIND_MAX = 15,
    APPLEDOUBLE_FORK = 2,
    APPLEDOUBLE_FORK_HEAD = 16,
};

/* A resource fork: data, then the map, which repeats the header or has zeros. p: the header. */
static bool appledouble_fork_ok(const uint8_t *p, uint32_t size)
{
    const uint32_t data = bytes_u32be(p), map = bytes_u32be(p + 4), data_len = bytes_u32be(p + 8);
    const uint32_t map_len = bytes_u32be(p + 12);

    return data >= APPLEDOUBLE_FORK_HEAD && (uint64_t)data + data_len <= map &&
           (uint64_t)map + map_len <= size && map_len >= 28;
}

static struct sig_result appledouble_check(struct sig_input *in, void *memory)
{
    const uint8_t *p = sig_bytes(in, 0, APPLEDOUBLE_HEAD);
    uint64_t end = 0;
    uint32_t fork = 0, fork_len = 0, last = 0;

    (void)memory;
    if (p == NULL)
        return sig_short(in);
    const uint32_t count = bytes_u16be(p + 24);
    const uint64_t entries_end = APPLEDOUBLE_HEAD + (uint64_t)count * APPLEDOUBLE_ENTRY;
    if (count == 0 || count > APPLEDOUBLE_ENTRIES_MAX)
        return sig_reject("the number of entries is out of range");
    p = sig_bytes(in, APPLEDOUBLE_HEAD, count * APPLEDOUBLE_ENTRY);
    if (p == NULL)
        return sig_short(in);
    for (uint32_t i = 0; i < count; i++, p += APPLEDOUBLE_ENTRY) {
        const uint32_t kind = bytes_u32be(p), at = bytes_u32be(p + 4), len = bytes_u32be(p + 8);

        if (kind == 0 || kind > APPLEDOUBLE_KIND_MAX || at < entries_end || at < last)
            return sig_reject("invalid entry");
        last = at;
        if ((uint64_t)at + len > end)
            end = (uint64_t)at + len;
        if (kind == APPLEDOUBLE_FORK) {
            fork = at;
            fork_len = len;
        }
    }
    sig_valid(in, entries_end);
    if (fork_len >= APPLEDOUBLE_FORK_HEAD) {
        p = sig_bytes(in, fork, APPLEDOUBLE_FORK_HEAD);
        if (p == NULL)
            return sig_short(in);
        if (!appledouble_fork_ok(p, fork_len))
            return sig_breaks(in, "invalid resource fork");
    }
    return sig_believe(in, end, "the entries are valid");
}

const struct sig sig_appledouble = {
    .name = "appledouble",
    .what = "AppleDouble or AppleSingle file",
    .proves = "entries in order; a resource fork's header agrees with its length",
    .source = "RFC 1740, appendixes A and B",
    .types = (const struct sig_type[]){ { "appledouble", "appledouble" }, { 0 } },
    .headers = { SIG_PATTERN("\0\5\x16\7\0\2\0\0"), SIG_PATTERN("\0\5\x16\0\0\2\0\0") },
    .flags = SIG_CONTAINER,
    .size_min = APPLEDOUBLE_HEAD + APPLEDOUBLE_ENTRY,
    .size_max = UINT64_C(1) << 33,
    .check = appledouble_check,
};
