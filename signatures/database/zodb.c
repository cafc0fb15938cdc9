/* SPDX-License-Identifier: Apache-2.0
 * signatures/database/zodb.c - databases of Zope (ZODB, FileStorage).
 *
 *   "FS21" or "FS30" | transactions: u64be time | u64be length, of all but 8 bytes | status, ' ',
 * 'p' or 'u' | u16be bytes of user, description, extension | these | records | the length again
 *
 * The file ends where no transaction follows.
 */
#include "base/bytes.h"
#include "signatures/sig.h"

enum { ZODB_MAGIC = 4, ZODB_HEAD = 23, ZODB_LENGTH = 8 };
#define ZODB_LENGTH_MAX (UINT64_C(1) << 40)

struct zodb_state {
    uint64_t at; /* the next transaction; 0: not begun */
    uint64_t time;
};

static struct sig_result zodb_check(struct sig_input *in, void *memory)
{
    struct zodb_state *state = memory;

    if (state->at == 0)
        state->at = ZODB_MAGIC;
    for (;;) {
        const uint8_t *p = sig_bytes(in, state->at, ZODB_HEAD);

        if (p == NULL && (state->at == ZODB_MAGIC || in->wanted <= in->limit))
            return sig_short(in);
        const uint64_t time = p == NULL ? 0 : bytes_u64be(p),
                       len = p == NULL ? 0 : bytes_u64be(p + 8);
        const uint64_t names =
            p == NULL ? 0
                      : bytes_u16be(p + 17) + bytes_u16be(p + 19) + (uint64_t)bytes_u16be(p + 21);
        if (p == NULL || time <= state->time || len < ZODB_HEAD + names || len > ZODB_LENGTH_MAX ||
            (p[16] != ' ' && p[16] != 'p' && p[16] != 'u'))
            break;
        p = sig_bytes(in, state->at + len, ZODB_LENGTH);
        if (p == NULL && in->wanted > in->limit)
            sig_valid(in, state->at + ZODB_HEAD);
        if (p == NULL)
            return sig_short(in);
        if (bytes_u64be(p) != len)
            return sig_breaks(in, "a transaction does not end with its length");
        state->time = time;
        state->at += len + ZODB_LENGTH;
        sig_valid(in, state->at);
    }
    if (state->at == ZODB_MAGIC)
        return sig_reject("there is no transaction");
    return sig_complete(in, state->at, "transactions end with their lengths");
}

const struct sig sig_zodb = {
    .name = "zodb",
    .what = "database of Zope",
    .proves = "transactions end with their lengths, times rise; records are not read",
    .source = "Zope Foundation, ZODB/FileStorage/format.py",
    .types = (const struct sig_type[]){ { "zodb", "fs" }, { 0 } },
    .headers = { SIG_MASKED("FS21\0\0", "\xff\xff\xff\xff\xf0\0"),
                 SIG_MASKED("FS30\0\0", "\xff\xff\xff\xff\xf0\0") },
    .flags = SIG_SECTOR_ALIGNED,
    .size_min = ZODB_MAGIC + ZODB_HEAD + ZODB_LENGTH,
    .size_max = UINT64_C(1) << 44,
    .seam = SIG_SEAM_PLACES,
    .state_size = sizeof(struct zodb_state),
    .check = zodb_check,
};
