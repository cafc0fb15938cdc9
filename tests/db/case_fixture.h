/* SPDX-License-Identifier: Apache-2.0
 * tests/db/case_fixture.h - a case file with something in every table, for the tests of db/.
 *
 * Two images. Image 1 (1 MiB, two parts): a jpg at 4096 with a thumbnail in it, a png at 65536 in
 * two extents, a zip cut short. Image 2 (64 KiB): one object. Ids of hits and objects are as burin
 * would give them.
 */
#ifndef BURIN_TESTS_DB_CASE_FIXTURE_H
#define BURIN_TESTS_DB_CASE_FIXTURE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h> /* needs those before it */

#include "db/case.h"

#define FIXTURE_SHA256                                                                             \
    "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad" /* of "abc": FIPS 180-2,    \
                                                                          B.1 */

#define OK(call)                                                                                   \
    do {                                                                                           \
        if ((call) != ERR_OK)                                                                      \
            fail_msg("%s: %s", #call, err.text);                                                   \
    } while (0)

/* The call fails with this code, and its text holds the words. */
#define FAILS(call, code, words)                                                                   \
    do {                                                                                           \
        const enum err_code got_ = (call);                                                         \
        if (got_ != (code) || strstr(err.text, (words)) == NULL)                                   \
            fail_msg("%s: code %d, \"%s\"; wanted %d, \"%s\"", #call, (int)got_, err.text,         \
                     (int)(code), (words));                                                        \
    } while (0)

struct fixture {
    char folder[64], path[96];
};

static inline int fixture_setup(void **state)
{
    struct fixture *f = calloc(1, sizeof *f);

    if (f == NULL)
        return -1;
    /* In memory where that can be: the tests make thousands of files. */
    snprintf(f->folder, sizeof f->folder, "%s/burin-db-XXXXXX",
             access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp");
    if (mkdtemp(f->folder) == NULL) {
        free(f);
        return -1;
    }
    snprintf(f->path, sizeof f->path, "%s/case.burin", f->folder);
    *state = f;
    return 0;
}

static inline int fixture_teardown(void **state)
{
    struct fixture *f = *state;
    char command[128];

    snprintf(command, sizeof command, "rm -rf '%s'", f->folder);
    const int rc = system(command);
    free(f);
    return rc;
}

static const struct db_hit fixture_hits[] = {
    { .id = 1, .image_id = 1, .signature_id = 1, .offset = 4096, .len = 3 },
    { .id = 2, .image_id = 1, .signature_id = 1, .offset = 5000, .len = 3 },
    { .id = 3, .image_id = 1, .signature_id = 1, .offset = 5900, .len = 2, .footer = true },
    { .id = 4, .image_id = 1, .signature_id = 2, .offset = 65536, .len = 8 },
    { .id = 5, .image_id = 1, .signature_id = 3, .offset = 131072, .len = 4 },
    { .id = 6, .image_id = 2, .signature_id = 1, .offset = 0, .len = 3 },
};

static const struct db_extent fixture_extents[][2] = {
    { { 4096, 4000 } }, { { 5000, 902 } }, { { 65536, 4096 }, { 81920, 100 } },
    { { 131072, 70 } }, { { 0, 65536 } },
};

static const struct db_fact fixture_facts[] = {
    { "camera.model", "Model 5", false, 0, 300 },
    { "modified", "2024-05-31T12:34:56Z", true, 1717158896, 400 },
    { "taken.local", "2024:02:29 23:59:59", true, 1709251199, 500 },
};

static const struct db_object fixture_objects[] = {
    { .id = 1,
      .image_id = 1,
      .signature_id = 1,
      .type = "jpg",
      .extension = "jpg",
      .state = "complete",
      .reason = "EOI",
      .validated = true,
      .proven = true,
      .container = true,
      .offset = 4096,
      .len = 4000,
      .extents = fixture_extents[0],
      .extent_count = 1,
      .name = "jpg/0000000000001000.jpg",
      .facts = fixture_facts,
      .fact_count = sizeof fixture_facts / sizeof fixture_facts[0] },
    { .id = 2,
      .image_id = 1,
      .signature_id = 1,
      .type = "jpg",
      .extension = "jpg",
      .state = "complete",
      .reason = "EOI",
      .validated = true,
      .proven = true,
      .container = true,
      .offset = 5000,
      .len = 902,
      .extents = fixture_extents[1],
      .extent_count = 1,
      .parent_id = 1,
      .name = "jpg/0000000000001388.jpg" },
    { .id = 4,
      .image_id = 1,
      .signature_id = 2,
      .type = "png",
      .extension = "png",
      .state = "fragmented",
      .reason = "IEND reached",
      .validated = true,
      .proven = true,
      .offset = 65536,
      .len = 4196,
      .extents = fixture_extents[2],
      .extent_count = 2,
      .sha256 = FIXTURE_SHA256,
      .name = "png/0000000000010000.png" },
    { .id = 5,
      .image_id = 1,
      .signature_id = 3,
      .type = "zip",
      .extension = "",
      .state = "truncated",
      .reason = "no central directory",
      .validated = true,
      .proven = true,
      .container = true,
      .offset = 131072,
      .len = 70,
      .extents = fixture_extents[3],
      .extent_count = 1,
      .name = "zip/0000000000020000" },
    { .id = 6,
      .image_id = 2,
      .signature_id = 1,
      .type = "jpg",
      .extension = "jpg",
      .state = "footer",
      .reason = "header and footer",
      .offset = 0,
      .len = 65536,
      .extents = fixture_extents[4],
      .extent_count = 1,
      .name = "jpg/0000000000000000.jpg" },
};

enum {
    FIXTURE_HITS = sizeof fixture_hits / sizeof fixture_hits[0],
    FIXTURE_OBJECTS = sizeof fixture_objects / sizeof fixture_objects[0],
};

/* Two images, a run, and what it searched for: no hit yet. */
static inline void fixture_search(struct db_case *db)
{
    static const struct db_image_part parts[] = { { "/evidence/disk.001", 1 << 19,
                                                    "2026-01-30T00:00:00Z" },
                                                  { "/evidence/disk.002", UINT64_MAX, NULL } };
    static const struct db_image images[] = {
        { .path = "/evidence/disk.001",
          .format = "split",
          .size = 1 << 20,
          .sector_size = 512,
          .parts = parts,
          .part_count = 2 },
        { .path = "/evidence/stick.dd",
          .format = "raw",
          .size = 65536,
          .sector_size = 4096,
          .parts = parts,
          .part_count = 1 },
    };
    static const char *const names[] = { "jpg", "png", "zip" };
    const struct db_run scan = { .image_id = 1,
                                 .command = "scan",
                                 .command_line = "burin scan 'disk.001'",
                                 .version = "0.1.0",
                                 .build = "b",
                                 .libraries = "sqlite 3.40.1",
                                 .options = "{}",
                                 .host = "bench",
                                 .user = "examiner",
                                 .engine = "ac (2 threads)",
                                 .started = "2026-01-31T12:00:00.000Z",
                                 .status = "running" };
    struct err err = { 0 };
    int64_t id;

    for (int i = 0; i < 2; i++) {
        OK(db_image_add(db, &images[i], &id, &err));
        assert_int_equal(id, i + 1);
    }
    OK(db_run_add(db, &scan, &id, &err));
    assert_int_equal(id, 1);
    OK(db_log(db, 1, "start", "burin scan", &err));
    for (uint32_t i = 0; i < 3; i++) {
        const struct db_signature signature = { .run_id = 1,
                                                .number = i,
                                                .name = names[i],
                                                .kind = "validator",
                                                .origin = "built-in",
                                                .header = "\\xff\\xd8\\xff",
                                                .size_max = 1 << 24 };

        OK(db_signature_add(db, &signature, &id, &err));
        assert_int_equal(id, i + 1);
    }
}

static inline void fixture_fill(struct db_case *db)
{
    const struct db_bad_range bad = {
        .image_id = 1, .offset = 8192, .len = 512, .cause = 5, .source = "read", .status = '-'
    };
    struct err err = { 0 };

    OK(db_begin(db, &err));
    fixture_search(db);
    OK(db_hits_insert(db, fixture_hits, FIXTURE_HITS, &err));
    for (size_t i = FIXTURE_OBJECTS; i-- > 0;) /* backwards: the child before its parent */
        OK(db_object_insert(db, &fixture_objects[i], &err));
    OK(db_bad_range_add(db, 1, &bad, &err));
    OK(db_log(db, 1, "read-error", "8192+512: Input/output error\nzeros stood in", &err));
    OK(db_run_progress(db, 1, 1 << 20, &err));
    OK(db_run_finish(db, 1, "done", &err));
    OK(db_log(db, 1, "end", "done", &err));
    OK(db_commit(db, &err));
}

/* A new case file with all of it, open for writing. */
static inline struct db_case *fixture_case(const struct fixture *f)
{
    struct err err = { 0 };
    struct db_case *db;

    OK(db_case_create(f->path, false, &db, &err));
    fixture_fill(db);
    return db;
}

/* What the sqlite3 tool answers; out is cut at size. */
static inline void fixture_sql(const char *path, const char *sql, char *out, size_t size)
{
    char command[8192];

    snprintf(command, sizeof command, "sqlite3 -batch '%s' \"%s\" 2>&1", path, sql);
    FILE *pipe = popen(command, "r");
    assert_non_null(pipe);
    const size_t len = fread(out, 1, size - 1, pipe);
    out[len] = '\0';
    pclose(pipe);
}

#define SQL_SAYS(path, sql, want)                                                                  \
    do {                                                                                           \
        char says_[4096];                                                                          \
        fixture_sql((path), (sql), says_, sizeof says_);                                           \
        assert_string_equal(says_, (want));                                                        \
    } while (0)

#endif
