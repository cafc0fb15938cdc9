/* SPDX-License-Identifier: Apache-2.0
 * base/object_saved.c - see object_saved.h. */
#include "base/object_saved.h"

#include <string.h>

#include "base/utf8.h"

enum { SAVED_COMPLETE = 1, SAVED_PROVEN = 2, SAVED_CRC64 = 4, SAVED_SPENT = 8, SAVED_FLAGS = 15 };

static void saved_put_text(const char *text, uint32_t len, struct pack *out)
{
    pack_number(out, len);
    pack_bytes(out, text, len);
}

void object_saved_put(const struct object_saved *object, struct pack *out)
{
    pack_number(out, object->hit);
    pack_number(out, object->len);
    pack_number(out, object->sure);
    pack_number(out, object->type);
    saved_put_text(object->why, object->why_len, out);
    pack_number(out, object->slack);
    pack_number(out, (object->complete ? SAVED_COMPLETE : 0) | (object->proven ? SAVED_PROVEN : 0) |
                         (object->has_crc64 ? SAVED_CRC64 : 0) | (object->spent ? SAVED_SPENT : 0));
    if (object->has_crc64)
        pack_u64(out, object->crc64);
    pack_number(out, object->facts);
}

void fact_saved_put(const struct fact_saved *fact, struct pack *out)
{
    pack_number(out, fact->key);
    pack_number(out, fact->reach);
    pack_number(out, fact->has_number);
    pack_u64(out, (uint64_t)fact->number);
    saved_put_text(fact->text, fact->len, out);
}

enum { SAVED_WORD = 8 /* bytes that are looked at together */ };

/* Whether these are SAVED_WORD bytes of ASCII without control characters. */
static bool saved_is_plain(const char *text)
{
    uint64_t word;

    memcpy(&word, text, sizeof word);
    /* The first byte below ' ' borrows, and has its top bit set then; no byte before it does. */
    return ((word | (word - UINT64_C(0x2020202020202020))) & UINT64_C(0x8080808080808080)) == 0;
}

/* UTF-8 without control characters? Most texts are short, and ASCII. */
static bool saved_is_text(const char *text, uint32_t len)
{
    uint32_t code = 0;
    bool plain = len >= SAVED_WORD;

    for (uint32_t at = 0; plain && at + SAVED_WORD < len; at += SAVED_WORD)
        plain = saved_is_plain(text + at);
    if (plain && saved_is_plain(text + len - SAVED_WORD))
        return true;

    for (size_t at = 0, step; at < len; at += step) {
        step = utf8_sequence(text + at, len - at, &code);
        if (step == 0 || code < ' ')
            return false;
    }
    return true;
}

const char *text_saved_next(struct unpack *in, uint32_t *len)
{
    *len = unpack_count(in);
    const char *text = (const char *)in->at;
    in->failed = in->failed || *len > (size_t)(in->end - in->at) || *len > OBJECT_SAVED_TEXT ||
                 !saved_is_text(text, *len);
    if (in->failed) {
        *len = 0;
        return NULL;
    }
    in->at += *len;
    return text;
}

void object_saved_next(struct unpack *in, uint32_t hit_count, struct object_saved *out)
{
    *out = (struct object_saved){ 0 };
    in->failed = in->failed || hit_count == 0;
    out->hit = in->failed ? 0 : (uint32_t)unpack_number(in, hit_count - 1u);
    out->len = unpack_number(in, INT64_MAX);
    out->sure = unpack_number(in, UINT64_MAX);
    out->type = (uint32_t)unpack_number(in, OBJECT_SAVED_TYPES - 1);
    out->why = text_saved_next(in, &out->why_len);
    out->slack = (uint32_t)unpack_number(in, OBJECT_SAVED_SLACK);
    const uint64_t flags = unpack_number(in, SAVED_FLAGS);
    out->complete = (flags & SAVED_COMPLETE) != 0;
    out->proven = (flags & SAVED_PROVEN) != 0;
    out->has_crc64 = (flags & SAVED_CRC64) != 0;
    out->spent = (flags & SAVED_SPENT) != 0;
    out->crc64 = out->has_crc64 ? unpack_u64(in) : 0;
    out->facts = (uint32_t)unpack_number(in, OBJECT_SAVED_FACTS);
    in->failed = in->failed || out->len == 0;
}

void fact_saved_next(struct unpack *in, uint32_t key_count, struct fact_saved *out)
{
    *out = (struct fact_saved){ 0 };
    in->failed = in->failed || key_count == 0;
    out->key = in->failed ? 0 : (uint32_t)unpack_number(in, key_count - 1u);
    out->reach = unpack_number(in, UINT64_MAX);
    out->has_number = unpack_flag(in);
    out->number = (int64_t)unpack_u64(in);
    out->text = text_saved_next(in, &out->len);
}
