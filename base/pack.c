/* SPDX-License-Identifier: Apache-2.0
 * base/pack.c - see pack.h. */
#include "base/pack.h"

#include <stdlib.h>
#include <string.h>

#include "base/varint.h"

enum { PACK_FIRST = 256 };

void pack_clear(struct pack *pack)
{
    pack->len = 0;
    pack->failed = false;
}

void pack_release(struct pack *pack)
{
    free(pack->bytes);
    *pack = (struct pack){ 0 };
}

/* Room for so many bytes more; NULL: there is none. */
static uint8_t *pack_room(struct pack *pack, size_t more)
{
    if (pack->failed)
        return NULL;
    if (pack->len + more > pack->room) {
        const size_t room = 2 * (pack->len + more) + PACK_FIRST;
        uint8_t *bytes = realloc(pack->bytes, room);

        pack->failed = bytes == NULL;
        if (bytes == NULL)
            return NULL;
        pack->bytes = bytes;
        pack->room = room;
    }
    return pack->bytes + pack->len;
}

void pack_number(struct pack *pack, uint64_t value)
{
    uint8_t *to = pack_room(pack, VARINT_MAX);

    if (to != NULL)
        pack->len = (size_t)(varint_put(to, value) - pack->bytes);
}

void pack_bytes(struct pack *pack, const void *bytes, size_t len)
{
    uint8_t *to = pack_room(pack, len);

    if (to == NULL || len == 0)
        return;
    memcpy(to, bytes, len);
    pack->len += len;
}

void pack_u64(struct pack *pack, uint64_t value)
{
    pack_bytes(pack, &value, sizeof value);
}

void pack_text(struct pack *pack, const char *text)
{
    const size_t len = strlen(text);

    pack_number(pack, len);
    pack_bytes(pack, text, len);
}

uint64_t unpack_number_long(struct unpack *in, uint64_t max)
{
    uint64_t value = 0;

    in->failed = in->failed || !varint_get(&in->at, in->end, &value) || value > max;
    return in->failed ? 0 : value;
}

uint32_t unpack_count(struct unpack *in)
{
    const size_t left = (size_t)(in->end - in->at);

    return (uint32_t)unpack_number(in, left < UINT32_MAX ? left : UINT32_MAX);
}

bool unpack_flag(struct unpack *in)
{
    return unpack_number(in, 1) == 1;
}

void unpack_bytes(struct unpack *in, void *out, size_t len)
{
    in->failed = in->failed || len > (size_t)(in->end - in->at);
    if (in->failed) {
        memset(out, 0, len);
        return;
    }
    memcpy(out, in->at, len);
    in->at += len;
}

uint64_t unpack_u64(struct unpack *in)
{
    uint64_t value;

    unpack_bytes(in, &value, sizeof value);
    return value;
}

bool unpack_whole(const struct unpack *in)
{
    return !in->failed && in->at == in->end;
}
