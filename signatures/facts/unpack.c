/* SPDX-License-Identifier: Apache-2.0
 * signatures/facts/unpack.c - see unpack.h. */
#include "signatures/facts/unpack.h"
#include "signatures/lib/inflate.h"

enum { UNPACK_LOOK = 48 << 10 /* bytes that are read at a time */ };

struct unpack_room {
    struct inflate_state inflate;
    uint8_t out[UNPACK_MOST];
};
_Static_assert(sizeof(struct unpack_room) <= SIG_FACT_SCRATCH, "the scratch is large enough");

const uint8_t *unpack_inflate(struct sig_facts *facts, enum unpack_form form, uint64_t at,
                              uint64_t len, uint32_t *got)
{
    struct unpack_room *room = (struct unpack_room *)(void *)facts->scratch;
    const uint32_t want = len < UNPACK_LOOK ? (uint32_t)len : UNPACK_LOOK;
    const uint32_t most = facts->unpack < UNPACK_MOST ? (uint32_t)facts->unpack : UNPACK_MOST;
    const uint8_t *bytes = want > 0 && most > 0 ? tell_bytes(facts, at, want) : NULL;

    *got = 0;
    if (bytes == NULL)
        return NULL;
    isal_inflate_init(&room->inflate);
    room->inflate.crc_flag = form == UNPACK_ZLIB ? ISAL_ZLIB_NO_HDR_VER : ISAL_DEFLATE;
    if (form == UNPACK_ZLIB) {
        struct isal_zlib_header header = { 0 };

        inflate_give(&room->inflate, bytes, want);
        if (isal_read_zlib_header(&room->inflate, &header) != ISAL_DECOMP_OK)
            return NULL;
    } else {
        inflate_give(&room->inflate, bytes, want);
    }
    /* What is wrong further on does not matter to what came out before. */
    (void)inflate_take(&room->inflate, room->out, most, got);
    facts->unpack -= *got;
    return *got > 0 ? room->out : NULL;
}
