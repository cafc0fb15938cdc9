/* SPDX-License-Identifier: Apache-2.0
 * carver/case/fact_pack.c - see fact_pack.h. */
#include <string.h>

#include "carver/case/fact_pack.h"

/* One fact in front of its text, which ends with a NUL. */
struct fact_head {
    int64_t number;
    uint64_t reach;
    uint16_t size; /* bytes of the text, its NUL included */
    uint8_t key;
    bool has_number;
};
_Static_assert((int)SIG_FACT_KEYS <= UINT8_MAX, "a key fits");

struct fact_place fact_pack(struct pack *out, const struct sig_facts *facts)
{
    const size_t at = out->len;

    for (uint32_t i = 0; i < facts->count; i++) {
        const struct sig_fact *fact = &facts->items[i];
        const struct fact_head head = { .number = fact->number,
                                        .reach = fact->reach,
                                        .size = (uint16_t)(strlen(fact->text) + 1),
                                        .key = (uint8_t)fact->key,
                                        .has_number = fact->has_number };

        pack_bytes(out, &head, sizeof head);
        pack_bytes(out, fact->text, head.size);
    }
    return (struct fact_place){ (uint32_t)at, (uint32_t)(out->len - at) };
}

struct fact_place fact_pack_copy(struct pack *out, const struct pack *from, struct fact_place place)
{
    const size_t at = out->len;

    if (place.len > 0)
        pack_bytes(out, from->bytes + place.at, place.len);
    return (struct fact_place){ (uint32_t)at, (uint32_t)(out->len - at) };
}

uint32_t fact_unpack(const struct pack *from, struct fact_place place, uint64_t len,
                     struct db_fact *out)
{
    uint32_t count = 0;

    for (uint32_t at = 0; at < place.len;) {
        const uint8_t *bytes = from->bytes + place.at + at;
        struct fact_head head;

        memcpy(&head, bytes, sizeof head);
        at += (uint32_t)sizeof head + head.size;
        if (head.reach > len)
            continue;
        out[count++] = (struct db_fact){ .key = sig_fact_word((enum sig_fact_key)head.key),
                                         .value = (const char *)bytes + sizeof head,
                                         .has_number = head.has_number,
                                         .number = head.number,
                                         .reach = head.reach };
    }
    return count;
}

uint32_t fact_rows(const struct sig_facts *facts, uint64_t len, struct db_fact *out)
{
    uint32_t count = 0;

    for (uint32_t i = 0; i < facts->count; i++) {
        const struct sig_fact *fact = &facts->items[i];

        if (fact->reach <= len)
            out[count++] = (struct db_fact){ .key = sig_fact_word(fact->key),
                                             .value = fact->text,
                                             .has_number = fact->has_number,
                                             .number = fact->number,
                                             .reach = fact->reach };
    }
    return count;
}

bool fact_next(const struct pack *from, struct fact_place place, uint32_t *at, struct sig_fact *out)
{
    struct fact_head head;

    if (*at >= place.len)
        return false;
    const uint8_t *bytes = from->bytes + place.at + *at;
    memcpy(&head, bytes, sizeof head);
    *at += (uint32_t)sizeof head + head.size;
    out->key = (enum sig_fact_key)head.key;
    out->has_number = head.has_number;
    out->number = head.number;
    out->reach = head.reach;
    memcpy(out->text, bytes + sizeof head, head.size);
    return true;
}
