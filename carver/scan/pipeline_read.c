/* carver/scan/pipeline_read.c - see pipeline_read.h. */
#include "carver/scan/pipeline_read.h"

#include <assert.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

struct pipeline_read_slot {
    bool follows;
    struct io_bad_range *bad; /* what could not be read of its segment */
    uint32_t bad_count;
};

struct pipeline_read {
    struct io_reader *reader;
    struct match_matcher *matcher;
    _Atomic bool stop;
    uint8_t *tail; /* the last bytes read, for the carry of the next segment */
    uint32_t tail_len, slot_count;
    struct pipeline_read_slot slots[];
};

enum err_code pipeline_read_open(struct io_image *image, const struct io_reader_options *options,
                                 struct match_matcher *matcher, bool shared,
                                 struct pipeline_read **out, struct err *err)
{
    const size_t size =
        sizeof(struct pipeline_read) + options->depth * sizeof(struct pipeline_read_slot);
    struct io_reader_options with = *options;
    struct pipeline_read *read = calloc(1, size);

    if (read == NULL)
        return ERR_NO_MEMORY(err, size);
    read->matcher = matcher;
    read->slot_count = options->depth;
    with.in_place = shared;
    enum err_code rc = io_reader_open(image, &with, &read->reader, err);
    read->tail = malloc(match_carry(matcher) + 1u);
    if (rc == ERR_OK && read->tail == NULL)
        rc = ERR_NO_MEMORY(err, match_carry(matcher));
    if (rc != ERR_OK) {
        pipeline_read_close(read);
        return rc;
    }
    *out = read;
    return ERR_OK;
}

void pipeline_read_stop(struct pipeline_read *read)
{
    atomic_store_explicit(&read->stop, true, memory_order_relaxed);
}

void pipeline_read_close(struct pipeline_read *read)
{
    if (read == NULL)
        return;
    io_reader_close(read->reader);
    for (uint32_t i = 0; i < read->slot_count; i++)
        free(read->slots[i].bad);
    free(read->tail);
    free(read);
}

enum err_code pipeline_read_lend(struct pipeline_read *read, uint32_t slot, bool *lent,
                                 struct err *err)
{
    return io_reader_lend(read->reader, match_slot_bytes(read->matcher, slot), NULL, lent, err);
}

/* Puts the bytes before the segment in front of it, and remembers its own last bytes for the next
 * one. */
static void pipeline_read_carry(struct pipeline_read *p, const struct io_segment *read,
                                struct match_segment *segment)
{
    const uint32_t carry = match_carry(p->matcher);

    if (!read->follows)
        p->tail_len = 0;
    segment->carry_len = p->tail_len;
    memcpy(read->bytes - p->tail_len, p->tail, p->tail_len);

    const uint32_t keep = p->tail_len + read->len < carry ? p->tail_len + read->len : carry;
    memcpy(p->tail, read->bytes + read->len - keep, keep);
    p->tail_len = keep;
}

/* Keeps what the reader says of its last segment, for the thread that writes it down. */
static enum err_code pipeline_read_keep_bad(struct pipeline_read *read,
                                            struct pipeline_read_slot *slot, struct err *err)
{
    const struct io_bad_range *ranges;
    uint32_t count;

    io_reader_bad_ranges(read->reader, &ranges, &count);
    if (count == 0)
        return ERR_OK;
    slot->bad = malloc(count * sizeof *ranges);
    if (slot->bad == NULL)
        return ERR_NO_MEMORY(err, count * sizeof *ranges);
    memcpy(slot->bad, ranges, count * sizeof *ranges);
    slot->bad_count = count;
    return ERR_OK;
}

enum err_code pipeline_read_slot(struct pipeline_read *p, uint32_t slot,
                                 struct match_segment *segment, struct err *err)
{
    struct io_segment read;

    if (atomic_load_explicit(&p->stop, memory_order_relaxed))
        return ERR_RAISE(err, ERR_INTERRUPTED, "nothing more is read");
    const enum err_code rc = io_reader_next(p->reader, &read, err);
    if (rc != ERR_OK)
        return rc;
    assert(read.len > 0 && read.bytes == match_slot_bytes(p->matcher, slot));
    *segment = (struct match_segment){ .offset = read.offset,
                                       .fresh_len = read.len,
                                       .ends_range = read.ends_range };
    p->slots[slot].follows = read.follows;
    pipeline_read_carry(p, &read, segment);
    return pipeline_read_keep_bad(p, &p->slots[slot], err);
}

bool pipeline_read_follows(const struct pipeline_read *read, uint32_t slot)
{
    return read->slots[slot].follows;
}

enum err_code pipeline_read_record_bad(struct pipeline_read *read, uint32_t slot,
                                       struct record *record, struct err *err)
{
    struct pipeline_read_slot *from = &read->slots[slot];
    enum err_code rc = ERR_OK;

    for (uint32_t i = 0; rc == ERR_OK && i < from->bad_count; i++)
        rc = record_bad_range(record, &from->bad[i], err);
    free(from->bad);
    from->bad = NULL;
    from->bad_count = 0;
    return rc;
}

bool pipeline_read_ready(struct pipeline_read *read)
{
    return io_reader_ready(read->reader);
}

const char *pipeline_read_backend(const struct pipeline_read *read)
{
    return io_reader_backend(read->reader);
}
