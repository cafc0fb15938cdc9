/* SPDX-License-Identifier: Apache-2.0
 * tests/fuzz/fuzz_linked.c - hits and objects that stay in a shard, as any bytes: of the shard, and
 * of the row of the case file that says where they are.
 *
 * The first byte says how many hits there are to be, and whether objects stay there, too; the
 * second how many of the bytes behind it say which are left out; the others are the shard. Its hash
 * is always right: to get that far is what counts.
 *
 * Found: crashes, leaks, hits with other ids or signatures than there are, objects in another order
 * than that of their places, hangs.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "db/sha256.h"
#include "tests/db/run_row.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { PATTERNS = 3, OBJECTS = 0x80 /* a bit of the first byte */ };

/* Made once, and kept: to make a case file takes longer than all else. */
struct fixture {
    struct db_case *db;
    int64_t image_id, run_id, signature_id;
    char folder[64], shard[80];
};
static struct fixture fixtures[2]; /* the second one has objects in its shard */

static void must(bool right)
{
    if (!right)
        abort();
}

static void make_rows(struct fixture *fixture, bool objects)
{
    static const uint8_t patterns[] = {
        PATTERNS, 0,   1,   0,                              /* of signature 0 all, one a footer */
        0,        0,   0,   0,   1,   4,   2,               /* their kinds, and where they are */
        0,        2,   1,   'a', 1,   'x', 1, 'b', 0, 1, 1, /* kind 0 has two types, kind 1 */
        1,        'c', 0,                                   /* is a container */
        2,        1,   't', 1,   'd',                       /* names of facts */
    };
    const struct db_image image = { .path = "/x", .format = "raw", .size = 4096 };

    struct db_signature signature = {
        .name = "x", .kind = "rule", .origin = "x", .header = "x", .size_max = 1
    };
    struct db_link link = { .folder = fixture->folder,
                            .patterns = patterns,
                            .len = objects ? sizeof patterns : 1 + PATTERNS };

    must(db_image_add(fixture->db, &image, &fixture->image_id, NULL) == ERR_OK);
    const struct db_run run = run_row("scan", fixture->image_id);

    link.image_id = fixture->image_id;
    must(db_run_add(fixture->db, &run, &fixture->run_id, NULL) == ERR_OK);
    signature.run_id = link.run_id = fixture->run_id;
    must(db_signature_add(fixture->db, &signature, &fixture->signature_id, NULL) == ERR_OK);
    must(db_link_begin(fixture->db, &link, NULL) == ERR_OK);
}

static void make_case(struct fixture *fixture, bool objects)
{
    static const char *const beside[] = { "", "-wal", "-shm", ".lock", ".shards" };
    char path[80], name[96];

    snprintf(fixture->folder, sizeof fixture->folder, "/dev/shm/fuzz_linked_XXXXXX");
    must(mkdtemp(fixture->folder) != NULL);
    snprintf(path, sizeof path, "%s/case", fixture->folder);
    snprintf(fixture->shard, sizeof fixture->shard, "%s/0.part", fixture->folder);
    must(db_case_create(path, false, &fixture->db, NULL) == ERR_OK);
    make_rows(fixture, objects);
    for (size_t i = 0; i < sizeof beside / sizeof beside[0]; i++) { /* it is held open */
        snprintf(name, sizeof name, "%s%s", path, beside[i]);
        unlink(name);
    }
}

static void clear_folders(void)
{
    for (int i = 0; i < 2; i++) {
        unlink(fixtures[i].shard);
        rmdir(fixtures[i].folder);
    }
}

struct seen {
    const struct fixture *fixture;
    int64_t next; /* the id of the hit that comes next */
};

static enum err_code see(void *arg, const struct db_hit *hit, struct err *err)
{
    struct seen *seen = arg;

    (void)err;
    must(hit->id == seen->next++ && hit->signature_id == seen->fixture->signature_id &&
         hit->len > 0);
    return ERR_OK;
}

static enum err_code see_place(void *arg, const struct db_place *place, struct err *err)
{
    uint64_t *last = arg;

    (void)err;
    must(place->offset >= *last && place->id > 0 && place->len > 0);
    *last = place->offset;
    return ERR_OK;
}

static enum err_code see_fact(void *arg, int64_t id, const struct db_fact *fact, struct err *err)
{
    int64_t *last = arg;

    (void)err;
    must(id >= *last && (strcmp(fact->key, "t") == 0 || strcmp(fact->key, "d") == 0));
    *last = id;
    return ERR_OK;
}

/* Objects are seen where the shard can be read. */
static void see_objects(const struct fixture *fixture, enum err_code rc)
{
    struct db_object_cursor *cursor = NULL;
    struct db_object object;
    uint64_t place = 0;
    int64_t id = 0;
    bool found = true;

    must(db_places_walk(fixture->db, fixture->image_id, see_place, &place, NULL) == rc);
    must(db_facts_walk(fixture->db, NULL, see_fact, &id, NULL) == rc);
    enum err_code next = db_objects_open(fixture->db, 0, &cursor, NULL);
    while (next == ERR_OK && found) /* one may end behind the image */
        next = db_objects_next(cursor, &found, &object, NULL);
    db_objects_close(cursor);
}

static void write_shard(const struct fixture *fixture, const uint8_t *bytes, size_t len)
{
    FILE *file = fopen(fixture->shard, "w");

    must(file != NULL && fwrite(bytes, 1, len, file) == len && fclose(file) == 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char sha256[DB_SHA256_HEX + 1];
    uint64_t count = 0;

    if (fixtures[0].db == NULL) {
        make_case(&fixtures[0], false);
        make_case(&fixtures[1], true);
        atexit(clear_folders);
    }
    if (size < 3 || data[0] % OBJECTS == 0 || size - 3 < data[1])
        return 0;
    const struct fixture *fixture = &fixtures[data[0] / OBJECTS];
    struct seen seen = { .fixture = fixture, .next = 1 };
    struct db_linked linked = { .run_id = fixture->run_id,
                                .first_id = 1,
                                .hits = data[0] % OBJECTS,
                                .left_out = data + 2,
                                .left_out_len = data[1] };
    const uint8_t *shard = linked.left_out + linked.left_out_len;

    linked.len = size - 2 - linked.left_out_len;
    write_shard(fixture, shard, linked.len);
    must(db_sha256(shard, linked.len, sha256, NULL) == ERR_OK);
    linked.sha256 = sha256;
    must(db_begin(fixture->db, NULL) == ERR_OK);
    must(db_linked_add(fixture->db, &linked, NULL) == ERR_OK);
    const enum err_code rc = db_linked_check(fixture->db, &count, NULL);
    must(db_hits_walk(fixture->db, fixture->image_id, 0, see, &seen, NULL) == rc);
    must(rc != ERR_OK || (count == linked.hits && seen.next == 1 + (int64_t)count));
    if (data[0] >= OBJECTS)
        see_objects(fixture, rc);
    db_rollback(fixture->db);
    return 0;
}
