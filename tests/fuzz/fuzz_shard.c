/* SPDX-License-Identifier: Apache-2.0
 * tests/fuzz/fuzz_shard.c - shards, as any bytes.
 *
 * An image is scanned in parts, once, and the parts are written down. The input changes these
 * bytes: each four bytes of it are a part, a place and what is put there, or that a byte is missing
 * there. Or, where the first byte is odd, the input is a part, and what a shard says of itself.
 * Parts that are taken are stitched, as a merge does.
 *
 * Found: crashes, leaks, hangs.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "carver/plan/patterns.h"
#include "carver/scan/part_saved.h"
#include "carver/scan/scan_crew.h"
#include "carver/scan/shard_about.h"
#include "carver/scan/stitch.h"
#include "io/image.h"
#include "signatures/fact.h"
#include "tests/db/run_row.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { IMAGE_LEN = 64 * 1024, PART_LEN = 16 * 1024, PARTS = IMAGE_LEN / PART_LEN, SIGS = 7 };

/* Made once, and kept. */
static struct {
    uint8_t image[IMAGE_LEN];
    struct io_image *source;
    struct db_case *db;
    const struct sig *sigs[SIGS];
    struct sig rule;
    int64_t ids[SIGS];
    struct patterns patterns;
    struct record_rows rows;
    struct scan_how how;
    struct scan_job job;
    struct pack parts[PARTS];
    struct sig_facts facts;
    struct part_hash hash[3]; /* of some bytes of the image */
    struct part_hashes hashes;
} fixture;

static void must(bool right)
{
    if (!right)
        abort();
}

static void make_case(void)
{
    static const char *const beside[] = { "", "-wal", "-shm", ".lock" };
    char path[] = "/dev/shm/fuzz_shard_XXXXXX";
    const struct db_image image = {
        .path = "/x", .format = "raw", .size = IMAGE_LEN, .sector_size = 512
    };

    must(close(mkstemp(path)) == 0 && unlink(path) == 0);
    must(db_case_create(path, false, &fixture.db, NULL) == ERR_OK);
    must(db_image_add(fixture.db, &image, &fixture.rows.image_id, NULL) == ERR_OK);
    const struct db_run run = run_row("scan", fixture.rows.image_id);

    must(db_run_add(fixture.db, &run, &fixture.rows.run_id, NULL) == ERR_OK);
    fixture.rows.scan_id = fixture.rows.run_id;
    for (uint32_t i = 0; i < SIGS; i++)
        fixture.ids[i] = 1;
    fixture.rows.signature_ids = fixture.ids;
    for (size_t i = 0; i < sizeof beside / sizeof beside[0]; i++) { /* it is held open */
        char name[sizeof path + 8];

        snprintf(name, sizeof name, "%s%s", path, beside[i]);
        unlink(name);
    }
}

/* Archives that begin in one part and end in another, pictures, text, and what is none of it. */
static void make_image(void)
{
    static const char *const heads[] = { "PK\3\4\24\0\0\0\0\0",
                                         "\x1f\x8b\x08\0\0\0\0\0\0\3",
                                         "\x89PNG\r\n\x1a\n\0\0",
                                         "ID3\3\0\0\0\0\7\x76",
                                         "ab",
                                         "yz" };

    for (uint32_t at = 0; at + 512 < IMAGE_LEN; at += 512)
        memcpy(fixture.image + at + at / 512 % 3, heads[at / 512 % 6], at / 512 % 6 < 4 ? 10 : 2);
    for (uint32_t at = 2048; at < IMAGE_LEN; at += 4096)
        memset(fixture.image + at, 'a', 64);
}

static void make_parts(void)
{
    const struct io_range whole = { 0, IMAGE_LEN };
    struct lookback lookback = { .image = fixture.source };
    const struct scan_crew_image image = { .job = &fixture.job,
                                           .image = fixture.source,
                                           .whole = whole,
                                           .ranges = &whole,
                                           .range_count = 1,
                                           .sieve = true,
                                           .texts = true,
                                           .lookback = &lookback };
    struct scan_crew crew;
    uint32_t count = 0;

    scan_crew_begin(&crew, &fixture.job);
    must(scan_crew_open(&crew, IMAGE_LEN, NULL, NULL) == ERR_OK);
    must(scan_crew_start(&crew, &image, NULL) == ERR_OK);
    while (!parts_done(crew.parts)) {
        struct part *part = NULL;

        must(parts_next(crew.parts, 100, &part, NULL) == ERR_OK);
        if (part == NULL)
            continue;
        must(count < PARTS);
        part->hashes = fixture.hashes;
        must(part_save(part, &fixture.job.plan, &fixture.parts[count++], NULL) == ERR_OK);
        part->hashes = (struct part_hashes){ 0 };
        parts_give_back(crew.parts, part);
    }
    scan_crew_end(&crew);
    must(count == PARTS);
}

static void make_all(void)
{
    static const char *const names[] = { "gz", "zip", "png", "mp3", "tar", "text" };
    uint32_t count;
    const struct sig *const *all = sig_builtin(&count);

    for (uint32_t i = 0; i < SIGS - 1; i++) {
        for (uint32_t k = 0; k < count; k++)
            if (strcmp(all[k]->name, names[i]) == 0)
                fixture.sigs[i] = all[k];
        must(fixture.sigs[i] != NULL);
    }
    fixture.rule = (struct sig){ .name = "rule",
                                 .headers = { { .bytes = "ab", .len = 2 } },
                                 .footer = { .bytes = "yz", .len = 2 },
                                 .mode = SIG_REVERSE,
                                 .size_max = 30000 };
    fixture.sigs[SIGS - 1] = &fixture.rule;
    make_image();
    must(io_image_open_memory(fixture.image, IMAGE_LEN, &fixture.source, NULL) == ERR_OK);
    must(patterns_build(fixture.sigs, SIGS, &fixture.patterns, NULL) == ERR_OK);
    fixture.how = scan_how_defaults();
    fixture.how.threads = 1;
    fixture.how.engine = "naive";
    fixture.how.device_auto = false;
    fixture.how.segment_len = LIMIT_SEGMENT_MIN;
    fixture.how.part_len = PART_LEN;
    fixture.how.parts_at_once = 1;
    fixture.job.how = &fixture.how;
    fixture.job.plan = (struct plan_options){
        .sigs = fixture.sigs, .sig_count = SIGS, .patterns = &fixture.patterns, .align = 1
    };
    for (uint32_t i = 0; i < 3; i++)
        fixture.hash[i] = (struct part_hash){ .offset = 512 * (i / 2), .len = 512 + i };
    fixture.hashes =
        (struct part_hashes){ .kinds = 1u << DIGEST_MD5, .items = fixture.hash, .count = 3 };
    make_case();
    make_parts();
}

/* Their hashes alone: what is taken is what a part would be written with. */
static void hashes(const struct pack *parts, uint32_t count)
{
    struct part_hashes found = { 0 };
    uint64_t from = 0;

    for (uint32_t i = 0; i < count; i++) {
        struct pack again = { 0 };
        struct part_hashes same = { 0 };
        bool right = false;

        must(part_restore_hashes(parts[i].bytes, parts[i].len, IMAGE_LEN, &from, &found, &right,
                                 NULL) == ERR_OK);
        if (!right)
            continue;
        part_hashes_save(&found, &again);
        struct unpack in = { .at = again.bytes, .end = again.bytes + again.len };
        must(part_hashes_restore(&in, IMAGE_LEN, &same, NULL) == ERR_OK && unpack_whole(&in));
        must(same.count == found.count && same.kinds == found.kinds);
        for (uint32_t k = 0; k < found.count; k++)
            must(part_hashes_find(&same, found.items[k].offset, found.items[k].len, found.kinds) !=
                 NULL);
        part_hashes_release(&same);
        pack_release(&again);
    }
    part_hashes_release(&found);
}

/* Where text may begin lies in the part, in order. */
static void must_be_spots(const struct part *part)
{
    const struct text_starts *texts = &part->texts;

    must(texts->from == texts->to ||
         (texts->from == part->place.from && texts->to <= part->place.to));
    for (size_t i = 0; i < texts->count; i++)
        must(texts->items[i] % 512 == 0 && texts->items[i] < texts->to &&
             texts->items[i] >= (i > 0 ? texts->items[i - 1] + 512 : texts->from));
}

/* Parts as bytes, stitched as far as they are parts of the image, one behind the other. */
static void merge(const struct pack *parts, uint32_t count)
{
    const struct io_range whole = { 0, IMAGE_LEN };
    struct texts texts = { 0 };
    struct stitch *stitch;
    struct record *record;
    struct part *part;
    struct err err;
    bool right = true;
    uint64_t at = 0;

    must(record_open(fixture.db, &fixture.rows, &record, &err) == ERR_OK);
    const struct stitch_options options = { .plan = &fixture.job.plan,
                                            .whole = whole,
                                            .ranges = &whole,
                                            .range_count = 1,
                                            .image = fixture.source,
                                            .record = record };
    must(stitch_open(&options, &stitch, &err) == ERR_OK);
    must(part_open(&fixture.job.plan, stitch_lookback(stitch), &part, &err) == ERR_OK);
    const struct part_reader reader = { .options = &fixture.job.plan,
                                        .lookback = stitch_lookback(stitch),
                                        .whole = whole,
                                        .texts = &texts,
                                        .facts = &fixture.facts };
    for (uint32_t i = 0; right && i < count && at < IMAGE_LEN; i++) {
        must(part_restore(&reader, parts[i].bytes, parts[i].len, part, &right, &err) == ERR_OK);
        if (right)
            must_be_spots(part);
        right = right && part->place.from == at;
        at = part->place.to;
        right = right && stitch_add(stitch, part, &err) == ERR_OK;
    }
    part_close(part);
    hashes(parts, count);
    stitch_close(stitch);
    record_close(record);
    texts_release(&texts);
    db_rollback(fixture.db);
}

static void any_bytes(const uint8_t *data, size_t size)
{
    struct unpack in = { .at = data, .end = data + size };
    struct shard_about about;
    struct pack again = { 0 };
    const struct pack part = { .bytes = (uint8_t *)(uintptr_t)data, .len = size };

    shard_about_restore(&in, &about);
    if (unpack_whole(&in)) {
        shard_about_save(&about, &again);
        must(!again.failed);
    }
    pack_release(&again);
    shard_about_release(&about);
    merge(&part, 1);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct pack parts[PARTS] = { 0 };

    if (fixture.source == NULL)
        make_all();
    if (size == 0)
        return 0;
    if ((data[0] & 1) != 0) {
        any_bytes(data + 1, size - 1);
        return 0;
    }
    for (uint32_t i = 0; i < PARTS; i++)
        pack_bytes(&parts[i], fixture.parts[i].bytes, fixture.parts[i].len);
    for (size_t i = 1; i + 4 <= size; i += 4) {
        struct pack *part = &parts[data[i] % PARTS];
        const size_t at = (data[i + 1] | (size_t)data[i + 2] << 8) % part->len;

        if ((data[i] & 128) == 0)
            part->bytes[at] = data[i + 3];
        else if (part->len > 1) /* a byte is missing */
            memmove(part->bytes + at, part->bytes + at + 1, --part->len - at);
    }
    merge(parts, PARTS);
    for (uint32_t i = 0; i < PARTS; i++)
        pack_release(&parts[i]);
    return 0;
}
