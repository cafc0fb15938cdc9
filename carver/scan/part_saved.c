/* SPDX-License-Identifier: Apache-2.0
 * carver/scan/part_saved.c - see part_saved.h. */
#include "carver/scan/part_saved.h"

#include <string.h>

#include "base/limits.h"
#include "carver/plan/found_saved.h"
#include "carver/plan/plan_again.h"
#include "carver/text/text_saved.h"

/* Where files begin that end behind the part: their CRCs are asked for then. */
static enum err_code saved_note_sums(struct part *part, struct err *err)
{
    enum err_code rc = ERR_OK;

    for (uint32_t i = part->own_count; rc == ERR_OK && i < part->found.object_count; i++) {
        struct found_sum sum = { .at = part->found.objects[i].offset };

        if (sum.at < part->place.from || sum.at > part->place.to)
            continue;
        rc = sums_at(part->sums, sum.at, &sum.value, err);
        if (rc == ERR_OK)
            rc = found_add_sum(&part->found, &sum, err);
    }
    found_sort_sums(&part->found);
    return rc;
}

static void saved_bad(const struct part *part, struct pack *out)
{
    uint64_t last = 0;

    pack_number(out, part->bad_count);
    for (uint32_t i = 0; i < part->bad_count; i++) {
        const struct io_bad_range *bad = &part->bad[i];

        pack_number(out, bad->offset - last);
        pack_number(out, bad->len);
        pack_number(out, (uint64_t)bad->cause);
        pack_number(out, bad->source);
        pack_number(out, (uint64_t)(strchr(IO_STATUSES, bad->status) - IO_STATUSES));
        last = bad->offset;
    }
}

static void saved_blocks(const struct part *part, struct pack *out)
{
    pack_number(out, part->blocks.count);
    for (uint32_t i = 0; i < part->blocks.count; i++) {
        const struct known_block *block = &part->blocks.items[i];

        pack_number(out, block->offset);
        pack_number(out, block->set);
        pack_bytes(out, block->digest, sizeof block->digest);
    }
}

/* Few sectors have a mark. */
static void saved_marks(const struct part *part, struct pack *out)
{
    size_t count = 0, last = 0;

    for (size_t i = 0; i < part->mark_count; i++)
        count += part->marks[i] != 0;
    pack_number(out, part->mark_count);
    pack_number(out, count);
    for (size_t i = 0; i < part->mark_count; i++) {
        if (part->marks[i] == 0)
            continue;
        pack_number(out, i - last);
        pack_number(out, part->marks[i]);
        last = i;
    }
}

enum err_code part_save(struct part *part, const struct plan_options *options, struct pack *out,
                        struct err *err)
{
    const bool checks = !options->hits_only;
    enum err_code rc = checks ? saved_note_sums(part, err) : ERR_OK;

    pack_number(out, part->place.from);
    pack_number(out, part->place.to - part->place.from);
    pack_number(out, part->looked.offset);
    pack_number(out, part->looked.len);
    part_hashes_save(&part->hashes, out);
    found_save(&part->found, options, out);
    pack_number(out, part->own_count);
    saved_bad(part, out);
    saved_blocks(part, out);
    saved_marks(part, out);
    text_starts_save(&part->texts, out);
    plan_totals_save(&part->totals, out);
    pack_number(out, part->reread);
    if (checks && !part->last)
        plan_exit_save(part->exit, out);
    if (rc == ERR_OK && checks)
        rc = sums_save(part->sums, part->place.to, out, err);
    return rc == ERR_OK && out->failed ? ERR_NO_MEMORY(err, out->len) : rc;
}

static enum err_code saved_read_bad(const struct io_range *whole, struct part *part,
                                    struct unpack *in, struct err *err)
{
    const uint64_t end = whole->offset + whole->len;
    const uint32_t count = unpack_count(in);
    uint64_t at = 0, last = 0;
    enum err_code rc = ERR_OK;

    for (uint32_t i = 0; rc == ERR_OK && i < count && !in->failed; i++) {
        struct io_bad_range bad = { 0 };

        last += unpack_number(in, end - last);
        bad.offset = last;
        bad.len = unpack_number(in, end - bad.offset);
        bad.cause = (int)unpack_number(in, INT32_MAX);
        bad.source = (enum io_bad_source)unpack_number(in, IO_BAD_LEFT_OUT);
        bad.status = IO_STATUSES[unpack_number(in, strlen(IO_STATUSES) - 1)];
        in->failed = in->failed || bad.len == 0 || bad.offset < at;
        at = bad.offset + bad.len;
        if (!in->failed)
            rc = part_add_bad(part, &bad, 1, err);
    }
    return rc;
}

/* What the set says of a block is asked again. */
static enum err_code saved_read_blocks(const struct part_reader *reader, struct part *part,
                                       struct unpack *in, struct err *err)
{
    const uint64_t end = reader->whole.offset + reader->whole.len;
    const uint32_t count = unpack_count(in);
    uint64_t last = 0;
    enum err_code rc = ERR_OK;

    in->failed = in->failed || (count > 0 && reader->known == NULL);
    for (uint32_t i = 0; rc == ERR_OK && i < count && !in->failed; i++) {
        struct known_block block = { .offset = unpack_number(in, end) };

        block.set = (uint32_t)unpack_number(in, reader->known->count - 1);
        unpack_bytes(in, block.digest, sizeof block.digest);
        if (in->failed)
            break;
        const struct known_set *set = &reader->known->sets[block.set];
        in->failed = block.offset < last || block.offset < reader->whole.offset ||
                     set->about.block_len == 0 || set->about.block_len > end - block.offset ||
                     !known_set_find(set, block.digest, &block.what);
        last = block.offset;
        if (!in->failed)
            rc = known_block_list_add(&part->blocks, &block, err);
    }
    return rc;
}

static enum err_code saved_read_marks(struct part *part, struct unpack *in, struct err *err)
{
    const uint64_t most = (part->place.to - part->place.from) / LIMIT_SECTOR;
    const size_t count = (size_t)unpack_number(in, most);
    const uint32_t set = unpack_count(in);
    const enum err_code rc = in->failed ? ERR_OK : part_room_marks(part, count + 1, err);
    uint64_t at = 0;

    if (rc != ERR_OK || in->failed)
        return rc;
    memset(part->marks, 0, count);
    part->mark_count = count;
    for (uint32_t i = 0; i < set && !in->failed; i++) {
        at += unpack_number(in, most);
        const uint8_t mark = (uint8_t)unpack_number(in, UINT8_MAX);

        in->failed = in->failed || at >= count;
        if (!in->failed)
            part->marks[at] = mark;
    }
    return ERR_OK;
}

/* Where the part lies. */
static void saved_read_place(const struct io_range *whole, struct part *part, struct unpack *in)
{
    const uint64_t begin = whole->offset, end = begin + whole->len;
    struct plan_part place = { .range_begin = begin, .range_end = end };

    place.from = unpack_number(in, end);
    place.to = place.from + unpack_number(in, end - place.from);
    in->failed = in->failed || place.from < begin || place.to == place.from ||
                 (place.from - begin) % PART_ALIGN != 0 ||
                 (place.to != end && (place.to - begin) % PART_ALIGN != 0);
    const uint64_t looked = unpack_number(in, place.from);
    const uint64_t len = unpack_number(in, INT64_MAX - looked);
    in->failed = in->failed || looked + len < place.to;
    if (!in->failed)
        part_begin(part, &place);
    part->looked = (struct io_range){ looked, len };
    part->last = place.to == end;
    part->whole = true;
}

enum err_code part_restore(const struct part_reader *reader, const uint8_t *bytes, size_t len,
                           struct part *part, bool *right, struct err *err)
{
    const bool checks = !reader->options->hits_only;
    struct unpack in = { .at = bytes, .end = bytes + len };
    enum err_code rc = ERR_OK;

    saved_read_place(&reader->whole, part, &in);
    if (!in.failed)
        rc = part_hashes_restore(&in, reader->whole.offset + reader->whole.len, &part->hashes, err);
    part->rows = in.at;
    if (rc == ERR_OK && !in.failed)
        rc = found_restore_hits(&part->found, reader->options, &part->place, &in, err);
    if (rc == ERR_OK && !in.failed)
        rc = found_restore_objects(&part->found, reader->options, &part->place, reader->texts,
                                   reader->facts, &in, err);
    part->rows_len = in.failed ? 0 : (size_t)(in.at - part->rows);
    if (rc == ERR_OK && !in.failed)
        rc = found_restore_notes(&part->found, reader->options, &part->place, reader->texts, &in,
                                 err);
    part->own_count = (uint32_t)unpack_number(&in, part->found.object_count);
    if (rc == ERR_OK)
        rc = saved_read_bad(&reader->whole, part, &in, err);
    if (rc == ERR_OK)
        rc = saved_read_blocks(reader, part, &in, err);
    if (rc == ERR_OK)
        rc = saved_read_marks(part, &in, err);
    if (rc == ERR_OK)
        rc = text_starts_restore(&part->texts, part->place.from, part->place.to, &in, err);
    plan_totals_restore(&part->totals, &in);
    part->reread = unpack_number(&in, UINT64_MAX);
    if (rc == ERR_OK && checks && !part->last && !in.failed)
        rc = plan_exit_restore(part->exit, &part->place, &part->found, &in, err);
    sums_close(part->sums);
    part->sums = NULL;
    if (rc == ERR_OK && checks && !in.failed)
        rc =
            sums_restore(reader->lookback, part->place.from, part->place.to, &in, &part->sums, err);
    *right = unpack_whole(&in);
    return rc;
}

bool part_saved_place(const uint8_t *bytes, size_t len, uint64_t end, struct io_range *out)
{
    struct unpack in = { .at = bytes, .end = bytes + len };

    out->offset = unpack_number(&in, end);
    out->len = unpack_number(&in, end - out->offset);
    return !in.failed && out->len > 0;
}

enum err_code part_restore_hashes(const uint8_t *bytes, size_t len, uint64_t end, uint64_t *from,
                                  struct part_hashes *out, bool *right, struct err *err)
{
    struct unpack in = { .at = bytes, .end = bytes + len };

    *from = unpack_number(&in, end);
    (void)unpack_number(&in, end - *from);
    const uint64_t looked = unpack_number(&in, *from);
    (void)unpack_number(&in, INT64_MAX - looked);
    const enum err_code rc = part_hashes_restore(&in, end, out, err);
    *right = !in.failed;
    return rc;
}

enum err_code part_blank(const struct part_reader *reader, const struct io_range *range,
                         struct part *part, struct err *err)
{
    const uint64_t begin = reader->whole.offset, end = begin + reader->whole.len;
    const struct plan_part place = { begin, end, range->offset, range->offset + range->len };
    const struct io_bad_range bad = { .offset = range->offset,
                                      .len = range->len,
                                      .source = IO_BAD_LEFT_OUT,
                                      .status = IO_STATUS_UNTRIED };

    part_begin(part, &place);
    part->looked = *range;
    part->last = place.to == end;
    part->whole = true;
    plan_begin(part->exit, &place, &part->found, NULL);
    sums_close(part->sums);
    part->sums = NULL;
    const enum err_code rc = part_add_bad(part, &bad, 1, err);
    return rc == ERR_OK && !reader->options->hits_only
               ? sums_blank(reader->lookback, place.from, place.to, &part->sums, err)
               : rc;
}
