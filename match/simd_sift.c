/* match/simd_sift.c - the second pass of the vector engine: from candidates to leads. See simd.h. */
#include "base/bytes.h"
#include "match/simd.h"

/* Leads and whether they hold; those that do not are dropped in a loop of its own, so that no store waits for a comparison. */
struct simd_tried {
    struct simd_lead *leads;
    uint8_t hold[SIMD_LEADS_MAX];
    uint32_t count;
};

static void simd_keep(struct simd_tried *tried)
{
    uint32_t kept = 0;

    for (uint32_t i = 0; i < tried->count; i++) {
        tried->leads[kept] = tried->leads[i];
        kept += tried->hold[i];
    }
    tried->count = kept;
}

static inline void simd_try(struct simd_tried *tried, const struct simd_program *program, uint32_t place, uint64_t word,
                            uint32_t buckets)
{
    const struct simd_bucket *bucket = &program->buckets[__builtin_ctz(buckets)];
    const uint32_t number = bucket->start + simd_hash(bucket, word);
    const struct simd_slot *slot = &program->slots[number];

    tried->leads[tried->count] = (struct simd_lead){ .place = (uint16_t)place, .slot = (uint16_t)(number & 0x7fff) };
    tried->hold[tried->count++] = (word & slot->mask) == slot->want;
}

/* Whether more of the slot's only pattern is there; near the ends of the text it may be, which is found out later. */
static inline bool simd_has_more(const struct simd_scan *scan, uint32_t p, struct simd_lead *lead)
{
    const struct simd_slot *slot = &scan->program->slots[lead->slot];
    const uint64_t at = (uint64_t)p + lead->place + (uint64_t)(int64_t)slot->more;
    const bool outside = at > scan->text->len - SIMD_DEPTH;
    const uint64_t word = bytes_u64le(scan->text->bytes + (outside ? 0 : at));

    lead->unsure = outside;
    return outside || (word & slot->mask_more) == slot->want_more;
}

uint32_t simd_sift(const struct simd_scan *scan, const uint8_t *at, uint32_t p, const struct simd_found *found,
                   uint32_t *next, struct simd_lead *leads)
{
    const struct simd_program *program = scan->program;
    struct simd_tried tried = { .leads = leads };

    for (; *next < found->count && tried.count + SIMD_BUCKETS <= SIMD_LEADS_MAX; ++*next) {
        const uint32_t place = found->places[*next];
        const uint64_t word = bytes_u64le(at + place);

        for (uint32_t buckets = found->buckets[*next]; buckets != 0; buckets &= buckets - 1)
            simd_try(&tried, program, place, word, buckets);
    }
    simd_keep(&tried);
    for (uint32_t i = 0; i < tried.count; i++) {
        if (scan->text->len >= SIMD_DEPTH) {
            tried.hold[i] = simd_has_more(scan, p, &leads[i]);
        } else {
            leads[i].unsure = true;
            tried.hold[i] = true;
        }
    }
    simd_keep(&tried);
    return tried.count;
}
