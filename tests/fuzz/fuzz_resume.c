/* SPDX-License-Identifier: Apache-2.0
 * tests/fuzz/fuzz_resume.c - what a case file says of how far a scan came, as any bytes.
 *
 * The first byte chooses how many parts lie before the place at which the scan goes on, and whether
 * a beginning that is right is put before the bytes. What is taken is written down again, and must
 * be taken again.
 *
 * Found: crashes, leaks, states that are taken and then not taken again, hangs.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "carver/plan/patterns.h"
#include "carver/scan/stitch.h"
#include "carver/text/text_saved.h"
#include "io/image.h"
#include "tests/db/run_row.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { IMAGE_LEN = 64 * 1024, SIGS = 4 };

/* Made once, and kept: to make a case file takes longer than all else. */
static struct {
    uint8_t image[IMAGE_LEN];
    struct io_image *source;
    struct db_case *db;
    const struct sig *sigs[SIGS];
    struct sig rule;
    int64_t ids[SIGS];
    struct patterns patterns;
    struct record_rows rows;
} fixture;

static void must(bool right)
{
    if (!right)
        abort();
}

static void make_case(void)
{
    static const char *const beside[] = { "", "-wal", "-shm", ".lock" };
    char path[] = "/dev/shm/fuzz_resume_XXXXXX";
    const struct db_image image = {
        .path = "/x", .format = "raw", .size = IMAGE_LEN, .sector_size = 512
    };

    must(close(mkstemp(path)) == 0 && unlink(path) == 0);
    must(db_case_create(path, false, &fixture.db, NULL) == ERR_OK);
    must(db_image_add(fixture.db, &image, &fixture.rows.image_id, NULL) == ERR_OK);
    const struct db_run run = run_row("scan", fixture.rows.image_id);

    must(db_run_add(fixture.db, &run, &fixture.rows.run_id, NULL) == ERR_OK);
    fixture.rows.scan_id = fixture.rows.run_id;
    fixture.rows.signature_ids = fixture.ids;
    for (size_t i = 0; i < sizeof beside / sizeof beside[0]; i++) { /* it is held open */
        char name[sizeof path + 8];

        snprintf(name, sizeof name, "%s%s", path, beside[i]);
        unlink(name);
    }
}

static void make_all(void)
{
    static const char *const names[] = { "gz", "zip", "png" };

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
    for (uint32_t at = 0; at + 64 < IMAGE_LEN; at += 512)
        memcpy(fixture.image + at,
               at % 1024 == 0 ? "PK\3\4\24\0\0\0\0\0" : "\x1f\x8b\x08\0\0\0\0\0\0\3", 10);
    must(io_image_open_memory(fixture.image, IMAGE_LEN, &fixture.source, NULL) == ERR_OK);
    must(patterns_build(fixture.sigs, SIGS, &fixture.patterns, NULL) == ERR_OK);
    make_case();
}

/* Whether the bytes were taken; *out: what is written down then. */
static bool restore(const uint8_t *data, size_t size, uint32_t part_count, struct pack *out)
{
    const struct plan_options plan = {
        .sigs = fixture.sigs, .sig_count = SIGS, .patterns = &fixture.patterns, .align = 1
    };
    const struct sums_chain_part parts[] = { { 0, 0 }, { 4096, 77 } };
    const struct io_range range = { 0, IMAGE_LEN };
    struct unpack in = { .at = data, .end = data + size };
    struct record *record;
    struct stitch *stitch;
    struct err err;

    must(record_open(fixture.db, &fixture.rows, &record, &err) == ERR_OK);
    const struct stitch_options options = { .plan = &plan,
                                            .whole = range,
                                            .ranges = &range,
                                            .range_count = 1,
                                            .image = fixture.source,
                                            .record = record };
    must(stitch_open(&options, &stitch, &err) == ERR_OK);
    const enum err_code rc = stitch_restore(stitch, parts, part_count, &in, &err);
    must(rc == ERR_OK || rc == ERR_INPUT);
    if (rc == ERR_OK)
        stitch_save(stitch, out);
    stitch_close(stitch);
    record_close(record);
    db_rollback(fixture.db);
    return rc == ERR_OK;
}

/* The version, totals, the place behind the parts, more totals, no range that could not be read,
 * and that a range is gone over. */
static void begin_right(struct pack *pack, uint32_t parts)
{
    pack_number(pack, 2);
    for (int i = 0; i < 13; i++)
        pack_number(pack, 0);
    pack_number(pack, parts * UINT64_C(4096));
    for (int i = 0; i < 5; i++)
        pack_number(pack, 0);
    pack_number(pack, 1);
}

/* The bytes as sectors that may begin text: what is asked for lies ahead, and is asked for once. */
static void spots(const uint8_t *data, size_t size)
{
    struct text_spots found = { 0 };
    uint64_t at = 0, next = 0;
    bool right;

    must(text_spots_restore(&found, data, size, IMAGE_LEN, &right, NULL) == ERR_OK);
    for (uint32_t i = 0; i < 2 * IMAGE_LEN / 512 && at < IMAGE_LEN; i++, at = next + 512) {
        next = text_spots_next(&found, at);
        must(next >= at && (next <= IMAGE_LEN || next == at));
    }
    text_spots_release(&found);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct pack first = { 0 }, once = { 0 }, twice = { 0 };

    if (fixture.source == NULL)
        make_all();
    if (size == 0)
        return 0;
    spots(data + 1, size - 1);
    const uint32_t parts = data[0] % 3;
    if ((data[0] & 8) != 0)
        begin_right(&first, parts);
    pack_bytes(&first, data + 1, size - 1);
    must(!first.failed);
    if (restore(first.bytes, first.len, parts, &once))
        must(!once.failed && restore(once.bytes, once.len, parts, &twice));
    pack_release(&first);
    pack_release(&once);
    pack_release(&twice);
    return 0;
}
