/* SPDX-License-Identifier: Apache-2.0
 * tests/fuzz/fuzz_linked.c - hits that stay in a shard, as any bytes: of the shard, and of the row
 * of the case file that says where they are.
 *
 * The first byte says how many hits there are to be, the second how many of the bytes behind it say
 * which are left out; the others are the shard. Its hash is always right: to get that far is what
 * counts.
 *
 * Found: crashes, leaks, hits with other ids or signatures than there are, hangs.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "db/sha256.h"
#include "tests/db/run_row.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { PATTERNS = 3 };

/* Made once, and kept: to make a case file takes longer than all else. */
static struct {
    struct db_case *db;
    int64_t image_id, run_id, signature_id;
    char folder[64], shard[80];
} fixture;

static void must(bool right)
{
    if (!right)
        abort();
}

static void make_rows(void)
{
    static const uint8_t patterns[] = { PATTERNS, 0, 1, 0 };
    const struct db_image image = { .path = "/x", .format = "raw", .size = 4096 };

    struct db_signature signature = {
        .name = "x", .kind = "rule", .origin = "x", .header = "x", .size_max = 1
    };
    struct db_link link = { .folder = fixture.folder,
                            .patterns = patterns,
                            .len = sizeof patterns };

    must(db_image_add(fixture.db, &image, &fixture.image_id, NULL) == ERR_OK);
    const struct db_run run = run_row("scan", fixture.image_id);

    link.image_id = fixture.image_id;
    must(db_run_add(fixture.db, &run, &fixture.run_id, NULL) == ERR_OK);
    signature.run_id = link.run_id = fixture.run_id;
    must(db_signature_add(fixture.db, &signature, &fixture.signature_id, NULL) == ERR_OK);
    must(db_link_begin(fixture.db, &link, NULL) == ERR_OK);
}

static void make_case(void)
{
    static const char *const beside[] = { "", "-wal", "-shm", ".lock", ".shards" };
    char path[80], name[96];

    snprintf(fixture.folder, sizeof fixture.folder, "/dev/shm/fuzz_linked_XXXXXX");
    must(mkdtemp(fixture.folder) != NULL);
    snprintf(path, sizeof path, "%s/case", fixture.folder);
    snprintf(fixture.shard, sizeof fixture.shard, "%s/0.part", fixture.folder);
    must(db_case_create(path, false, &fixture.db, NULL) == ERR_OK);
    make_rows();
    for (size_t i = 0; i < sizeof beside / sizeof beside[0]; i++) { /* it is held open */
        snprintf(name, sizeof name, "%s%s", path, beside[i]);
        unlink(name);
    }
}

static void clear_folder(void)
{
    unlink(fixture.shard);
    rmdir(fixture.folder);
}

static enum err_code see(void *arg, const struct db_hit *hit, struct err *err)
{
    int64_t *next = arg;

    (void)err;
    must(hit->id == (*next)++ && hit->signature_id == fixture.signature_id && hit->len > 0);
    return ERR_OK;
}

static void write_shard(const uint8_t *bytes, size_t len)
{
    FILE *file = fopen(fixture.shard, "w");

    must(file != NULL && fwrite(bytes, 1, len, file) == len && fclose(file) == 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char sha256[DB_SHA256_HEX + 1];
    uint64_t count = 0;
    int64_t next = 1;

    if (fixture.db == NULL) {
        make_case();
        atexit(clear_folder);
    }
    if (size < 3 || data[0] == 0 || size - 3 < data[1])
        return 0;
    struct db_linked linked = { .run_id = fixture.run_id,
                                .first_id = 1,
                                .hits = data[0],
                                .left_out = data + 2,
                                .left_out_len = data[1] };
    const uint8_t *shard = linked.left_out + linked.left_out_len;

    linked.len = size - 2 - linked.left_out_len;
    write_shard(shard, linked.len);
    must(db_sha256(shard, linked.len, sha256, NULL) == ERR_OK);
    linked.sha256 = sha256;
    must(db_begin(fixture.db, NULL) == ERR_OK);
    must(db_linked_add(fixture.db, &linked, NULL) == ERR_OK);
    const enum err_code rc = db_linked_check(fixture.db, &count, NULL);
    must(db_hits_walk(fixture.db, fixture.image_id, 0, see, &next, NULL) == rc);
    must(rc != ERR_OK || (count == data[0] && next == 1 + (int64_t)count));
    db_rollback(fixture.db);
    return 0;
}
