/* SPDX-License-Identifier: Apache-2.0
 * signatures/system/ldcache.c - ld.so.cache: the libraries that a Linux knew.
 *
 *   "glibc-ld.so.cache1.1" | u32 libraries | bytes of the strings | u8 byte order | u32 place of
 * extensions, or 0 | 12 zeros
 *   libraries, 24 bytes each: i32 flags | u32 place of the name | place of the path | version | u64
 * hardware
 *   strings | extensions: eaa42174 | u32 sections, 16 bytes each: kind, flags, place, bytes
 */
#include <string.h>

#include "base/bytes.h"
#include "signatures/lib/step.h"
#include "signatures/sig.h"

enum {
    LDCACHE_HEAD = 48,
    LDCACHE_ENTRY = 24,
    LDCACHE_LIBRARIES_MAX = 1 << 20,
    LDCACHE_EXTENSION = 8,
    LDCACHE_SECTION = 16,
    LDCACHE_SECTIONS_MAX = 64,
};

struct ldcache_state {
    uint32_t library; /* the next one to look at */
};

/* Where the extensions end, at `at`; *end rises. */
static enum step ldcache_extensions(struct sig_input *in, uint64_t at, uint64_t *end)
{
    const uint8_t *p = sig_bytes(in, at, LDCACHE_EXTENSION);

    if (p == NULL)
        return STEP_WAIT;
    const uint32_t sections = bytes_u32le(p + 4);
    if (bytes_u32le(p) != 0xeaa42174 || sections > LDCACHE_SECTIONS_MAX)
        return STEP_BAD;
    uint64_t last = at + LDCACHE_EXTENSION + LDCACHE_SECTION * (uint64_t)sections;
    for (uint32_t i = 0; i < sections; i++) {
        p = sig_bytes(in, at + LDCACHE_EXTENSION + LDCACHE_SECTION * i, LDCACHE_SECTION);
        if (p == NULL)
            return STEP_WAIT;
        const uint64_t to = (uint64_t)bytes_u32le(p + 8) + bytes_u32le(p + 12);
        last = to > last ? to : last;
    }
    *end = last > *end ? last : *end;
    return STEP_DONE;
}

static struct sig_result ldcache_check(struct sig_input *in, void *memory)
{
    struct ldcache_state *state = memory;
    const uint8_t *p = sig_bytes(in, 0, LDCACHE_HEAD);

    if (p == NULL)
        return sig_short(in);
    const uint32_t libraries = bytes_u32le(p + 20), extensions = bytes_u32le(p + 32);
    const uint64_t strings = LDCACHE_HEAD + (uint64_t)LDCACHE_ENTRY * libraries;
    uint64_t end = strings + bytes_u32le(p + 24);
    if (libraries == 0 || libraries > LDCACHE_LIBRARIES_MAX || end == strings)
        return sig_reject("no libraries");
    for (; state->library < libraries; state->library++) {
        const uint64_t at = LDCACHE_HEAD + (uint64_t)LDCACHE_ENTRY * state->library;

        p = sig_bytes(in, at, LDCACHE_ENTRY);
        if (p == NULL)
            return sig_short(in);
        if (bytes_u32le(p + 4) < strings || bytes_u32le(p + 4) >= end ||
            bytes_u32le(p + 8) < strings || bytes_u32le(p + 8) >= end)
            return sig_breaks(in, "a name lies outside of the strings");
        sig_valid(in, at + LDCACHE_ENTRY);
    }
    if (extensions != 0) {
        const enum step step =
            extensions < end ? STEP_BAD : ldcache_extensions(in, extensions, &end);

        if (step == STEP_WAIT)
            return sig_short(in);
        if (step == STEP_BAD)
            return sig_breaks(in, "invalid extensions");
    }
    if (sig_bytes(in, end - 1, 1) == NULL)
        return sig_short(in);
    return sig_complete(in, end, "names and paths lie among the strings");
}

const struct sig sig_ldcache = {
    .name = "ld.so.cache",
    .what = "libraries that a Linux knew (ld.so.cache)",
    .proves = "names and paths of all libraries lie among the strings; sections behind them",
    .source = "GNU C Library 2.36, sysdeps/generic/dl-cache.h",
    .types = (const struct sig_type[]){ { "ld.so.cache", "cache" }, { 0 } },
    .headers = { SIG_PATTERN("glibc-ld.so.cache1.1") },
    .flags = SIG_SECTOR_ALIGNED,
    .size_min = LDCACHE_HEAD + LDCACHE_ENTRY + 1,
    .size_max = 1 << 28,
    .seam = SIG_SEAM_NONE,
    .state_size = sizeof(struct ldcache_state),
    .check = ldcache_check,
};
