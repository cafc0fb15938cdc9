/* SPDX-License-Identifier: Apache-2.0
 * signatures/system/utmp.c - who logged in, on Linux: utmp, wtmp, btmp.
 *
 *   records of 384 bytes: i32 kind 1..9 | pid | terminal | id | user | host | exit | session | u32
 * seconds | microseconds | address | 20 zeros
 *
 * Nothing marks the beginning or the end: the file goes on for as long as records make sense. Two
 * at least are wanted.
 */
#include <string.h>

#include "base/bytes.h"
#include "signatures/sig.h"

enum {
    UTMP_RECORD = 384,
    UTMP_KIND_MAX = 9,
    UTMP_RECORDS_MIN = 2,
    UTMP_SECONDS_MIN = 631152000, /* 1990 */
};

struct utmp_state {
    uint64_t at;
    uint32_t seconds;
};

/* Printable characters, then zeros only. */
static bool utmp_text_ok(const uint8_t *p, uint32_t size)
{
    uint32_t len = 0;

    while (len < size && p[len] >= ' ' && p[len] != 0x7f)
        len++;
    for (uint32_t i = len; i < size; i++)
        if (p[i] != 0)
            return false;
    return true;
}

static bool utmp_record_ok(const uint8_t *p, uint32_t before)
{
    static const uint8_t none[20];
    const uint32_t kind = bytes_u32le(p), seconds = bytes_u32le(p + 340);

    return kind >= 1 && kind <= UTMP_KIND_MAX && bytes_u32le(p + 4) < 1 << 23 &&
           utmp_text_ok(p + 8, 32) && utmp_text_ok(p + 44, 32) && utmp_text_ok(p + 76, 256) &&
           seconds >= UTMP_SECONDS_MIN && bytes_u32le(p + 344) < 1000000 &&
           memcmp(p + 364, none, sizeof none) == 0 &&
           (before == 0 || seconds > before || before - seconds < 400 * 86400) &&
           (p[8] != 0 || p[44] != 0);
}

static struct sig_result utmp_check(struct sig_input *in, void *memory)
{
    struct utmp_state *state = memory;

    for (;; state->at += UTMP_RECORD) {
        const uint8_t *p = sig_bytes(in, state->at, UTMP_RECORD);

        if (p == NULL && in->wanted <= in->limit)
            return sig_short(in);
        if (p == NULL || !utmp_record_ok(p, state->seconds))
            break;
        state->seconds = bytes_u32le(p + 340);
        if (state->at >= UTMP_RECORD)
            sig_valid(in, state->at + UTMP_RECORD);
    }
    if (state->at < UTMP_RECORDS_MIN * UTMP_RECORD)
        return sig_reject("there is no record of a login, or only one");
    return sig_believe(in, state->at, "the records follow one another, and no other follows");
}

const struct sig sig_utmp = {
    .name = "utmp",
    .what = "Linux logins (utmp, wtmp, btmp)",
    .proves = "records hold valid kinds, texts, times and zeros",
    .source = "Linux man-pages, utmp(5); glibc, bits/utmp.h",
    .types = (const struct sig_type[]){ { "wtmp", "wtmp" }, { 0 } },
    .headers = { SIG_PATTERN("\1\0\0\0"), SIG_PATTERN("\2\0\0\0"), SIG_PATTERN("\5\0\0\0"),
                 SIG_PATTERN("\6\0\0\0"), SIG_PATTERN("\7\0\0\0"), SIG_PATTERN("\x08\0\0\0") },
    .flags = SIG_SECTOR_ALIGNED | SIG_STREAM,
    .size_min = UTMP_RECORDS_MIN * UTMP_RECORD,
    .size_max = UINT64_C(1) << 30,
    .state_size = sizeof(struct utmp_state),
    .check = utmp_check,
};
