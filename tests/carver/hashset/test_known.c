/* SPDX-License-Identifier: Apache-2.0
 * tests/carver/hashset/test_known.c - the parts of hash sets: hashes side by side, sorting, blocks
 * that say nothing, names of hashes.
 *
 * Method: each form of hashing is compared with libcrypto; sorting with qsort; the rules about
 * blocks with blocks made for each.
 *
 * Labels: gpu
 */
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "carver/hashset/known_block.h"
#include "carver/hashset/known_hash.h"
#include "carver/hashset/known_set.h"
#include "carver/hashset/known_sort.h"
#include "carver/hashset/known_write.h"
#include "carver/known/known_blocks.h"
#include "match/bloom.h"
#include "match/device/device_host.h"

static struct err test_err;

static void ok(enum err_code rc)
{
    if (rc != ERR_OK)
        fail_msg("%s", test_err.text);
}

static void fill(uint8_t *bytes, size_t len, uint64_t seed)
{
    for (size_t i = 0; i < len; i++)
        bytes[i] = (uint8_t)(bloom_mix(seed + i / 8) >> i % 8 * 8);
}

static void blocks_are_hashed_as_libcrypto_does(void **state)
{
    enum { BLOCKS = 37, LEN = 4096 };
    uint8_t *bytes = malloc(BLOCKS * LEN + 7), digests[BLOCKS * DIGEST_MAX],
            expected[DIGEST_KINDS][DIGEST_MAX];
    const uint8_t *blocks[BLOCKS];
    struct known_hasher hasher;

    (void)state;
    assert_non_null(bytes);
    fill(bytes, BLOCKS * LEN + 7, 1);
    ok(known_hasher_init(&hasher, 7, &test_err));
    for (uint32_t len = 64; len <= LEN; len *= 2)
        for (int kind = 0; kind < DIGEST_KINDS; kind++) {
            const uint32_t digest = digest_len((enum digest_kind)kind);

            for (uint32_t i = 0; i < BLOCKS; i++)
                blocks[i] = bytes + (size_t)i * LEN + i % 7; /* at any address */
            for (uint32_t form = 0; form <= DIGEST_FORMS; form++) {
                uint32_t count = BLOCKS;

                if (form == DIGEST_FORMS) {
                    digest_blocks((enum digest_kind)kind, blocks, BLOCKS, len, digests);
                } else {
                    const struct digest_form f = digest_form_get(form);

                    if (f.missing != NULL)
                        continue;
                    f.run((enum digest_kind)kind, blocks, len, digests);
                    count = f.lanes;
                }
                for (uint32_t i = 0; i < count; i++) {
                    ok(known_hasher_begin(&hasher, &test_err));
                    ok(known_hasher_add(&hasher, blocks[i], len, &test_err));
                    ok(known_hasher_end(&hasher, expected, &test_err));
                    assert_memory_equal(digests + (size_t)i * digest, expected[kind], digest);
                }
            }
        }
    known_hasher_release(&hasher);
    free(bytes);
}

static size_t record_len;

static int order(const void *a, const void *b)
{
    return memcmp(a, b, record_len);
}

/* With few different bytes there are many equal records, and long common beginnings. */
static void check_sort(size_t len, size_t key_len, uint32_t count, uint8_t mask, size_t memory)
{
    uint8_t *records = malloc((size_t)count * len);
    struct known_sort *sort = NULL;
    const uint8_t *record = NULL;
    size_t at = 0;

    assert_non_null(records);
    fill(records, (size_t)count * len, len + count);
    for (size_t i = 0; i < (size_t)count * len; i++)
        records[i] &= mask;
    ok(known_sort_open(len, key_len, memory, "/tmp", &sort, &test_err));
    for (uint32_t i = 0; i < count; i++)
        ok(known_sort_add(sort, records + (size_t)i * len, &test_err));
    assert_int_equal(known_sort_count(sort), count);
    record_len = len;
    qsort(records, count, len, order);
    ok(known_sort_begin(sort, &test_err));
    do {
        ok(known_sort_next(sort, &record, &test_err));
        while (at > 0 && at < count &&
               memcmp(records + at * len, records + (at - 1) * len, key_len) == 0)
            at++;
        assert_true((record == NULL) == (at == count));
        if (record != NULL)
            assert_memory_equal(record, records + at++ * len, len);
    } while (record != NULL);
    known_sort_close(sort);
    free(records);
}

static void records_are_sorted_and_kept_once(void **state)
{
    (void)state;
    check_sort(16, 16, 0, 0xff, 1 << 20);
    check_sort(16, 16, 1, 0xff, 1 << 20);
    check_sort(16, 16, 50000, 0xff, 1 << 20);
    check_sort(20, 20, 200000, 0xff, 1 << 19);
    check_sort(32, 16, 50000, 0x01, 1 << 20);
    check_sort(48, 32, 50000, 0x03, 1 << 18);
    check_sort(36, 20, 30000, 0x00, 1 << 19);
}

static void sorting_has_a_limit(void **state)
{
    struct known_sort *sort = NULL;
    uint8_t record[16] = { 0 };
    enum err_code rc = ERR_OK;

    (void)state;
    ok(known_sort_open(16, 16, 1 << 16, "/tmp", &sort, &test_err));
    for (uint32_t i = 0; rc == ERR_OK && i < 1u << 20; i++) {
        memcpy(record, &i, sizeof i);
        rc = known_sort_add(sort, record, &test_err);
    }
    assert_int_equal(rc, ERR_FULL);
    assert_non_null(strstr(test_err.text, "--memory"));
    known_sort_close(sort);
}

static void blocks_that_say_nothing_are_told(void **state)
{
    uint8_t block[4096];
    uint32_t word;

    (void)state;
    for (size_t len = 512; len <= sizeof block; len *= 2) {
        memset(block, 0, sizeof block);
        assert_string_equal(known_block_nonprobative(block, len), "constant");
        memset(block, 'x', sizeof block);
        assert_string_equal(known_block_nonprobative(block, len), "constant");
        for (uint32_t i = 0; i < len / 4; i++) {
            word = i + 77;
            memcpy(block + (size_t)4 * i, &word, 4);
        }
        assert_string_equal(known_block_nonprobative(block, len), "ramp");
        for (uint32_t i = 0; i < len / 4; i++) {
            word = __builtin_bswap32(i + 77);
            memcpy(block + (size_t)4 * i, &word, 4);
        }
        assert_string_equal(known_block_nonprobative(block, len), "ramp");
        for (uint32_t i = 0; i < len / 4; i++) {
            word = 5 * i * i;
            memcpy(block + (size_t)4 * i, &word, 4);
        }
        assert_string_equal(known_block_nonprobative(block, len), "ordered values");
        fill(block, len, 3);
        memset(block, '\t', len * 3 / 4);
        assert_string_equal(known_block_nonprobative(block, len), "white space");
        for (uint32_t i = 0; i < len; i++)
            block[i] = i / 4 % 2 == 0 ? 'a' : 'b';
        assert_string_equal(known_block_nonprobative(block, len), "few values");
        fill(block, len, 4);
        for (uint32_t i = 0; i < len / 4; i += 3)
            memset(block + (size_t)4 * i, 0xfe, 4);
        assert_string_equal(known_block_nonprobative(block, len), "few values");
        fill(block, len, 5);
        assert_null(known_block_nonprobative(block, len));
        memcpy(block, "%PDF-1.4\n", 9);
        assert_null(known_block_nonprobative(block, len));
    }
}

/* Nothing in a set is believed: whatever byte is changed, it opens and answers, or is refused. */
static void a_changed_set_is_refused_or_answers(void **state)
{
    char path[] = "/tmp/burin-known-XXXXXX";
    const struct known_write_options options = { .hash = DIGEST_MD5,
                                                 .names = true,
                                                 .rate = 0.01,
                                                 .memory = 1 << 20,
                                                 .threads = 1,
                                                 .label = "test" };
    const int fd = mkstemp(path);
    struct known_write *write = NULL;
    uint8_t digest[16], page[KNOWN_PAGE], sha256[KNOWN_SHA256];
    uint64_t count;

    (void)state;
    assert_true(fd >= 0);
    ok(known_write_open(path, &options, &write, &test_err));
    for (uint32_t i = 0; i < 1000; i++) {
        fill(digest, 16, i * 100);
        ok(known_write_add(
            write,
            &(struct known_entry){ .digest = digest, .name = "name", .name_len = 4, .block = i },
            &test_err));
    }
    ok(known_write_finish(write, &count, &test_err));
    known_write_close(write);
    assert_int_equal(count, 1000);
    close(fd);
    const int set_fd = open(path, O_RDWR);
    assert_int_equal(pread(set_fd, page, sizeof page, 0), sizeof page);
    for (uint32_t i = 0; i < 700; i++)
        for (uint32_t way = 0; way < 3; way++) {
            uint8_t changed[KNOWN_PAGE];
            struct known_set set;
            struct known_found found;

            memcpy(changed, page, sizeof page);
            changed[i] = (uint8_t)(way == 0 ? changed[i] ^ 1 : way == 1 ? 0xff : changed[i] + 0x40);
            known_sha256(changed, KNOWN_PAGE - KNOWN_SHA256,
                         sha256); /* as one who wants to harm would */
            memcpy(changed + KNOWN_PAGE - KNOWN_SHA256, sha256, sizeof sha256);
            assert_int_equal(pwrite(set_fd, changed, sizeof changed, 0), sizeof changed);
            if (known_set_open(path, &set, &test_err) != ERR_OK)
                continue;
            for (uint32_t k = 0; k < 1000; k += 50) {
                fill(digest, 16, k * 100);
                (void)known_set_find(&set, digest, &found);
            }
            assert_true(known_set_check(&set, &test_err) != ERR_INTERRUPTED);
            known_set_close(&set);
        }
    for (off_t at = KNOWN_PAGE; at < KNOWN_PAGE + 40960; at += 97) {
        uint8_t before, after;
        struct known_set set;

        assert_int_equal(pwrite(set_fd, page, sizeof page, 0), sizeof page);
        assert_int_equal(pread(set_fd, &before, 1, at), 1);
        after = (uint8_t)~before;
        assert_int_equal(pwrite(set_fd, &after, 1, at), 1);
        ok(known_set_open(path, &set, &test_err));
        for (uint32_t k = 0; k < 1000; k += 50) {
            struct known_found found = { 0 };

            fill(digest, 16, k * 100);
            if (known_set_find(&set, digest, &found) && found.name != NULL)
                assert_true(strlen(found.name) <= 5);
        }
        assert_int_equal(known_set_check(&set, &test_err), ERR_INPUT);
        known_set_close(&set);
        assert_int_equal(pwrite(set_fd, &before, 1, at), 1);
    }
    close(set_fd);
    unlink(path);
}

/* Blocks at every sector of 64 KiB, about some of which the set knows; what the device says must be
 * what the filters say. */
static void check_device(const struct device_provider *provider, const struct known_scan *scan)
{
    enum { LEN = 65536, SECTOR = 512 };
    const struct known_about *about = &scan->sets[0].about;
    const struct match_hasher_question question = {
        .hash = about->hash,
        .block_len = about->block_len,
        .first = 1024,
        .step = SECTOR,
        .count = (LEN - 1024 - about->block_len) / SECTOR + 1
    };
    uint8_t *bytes = malloc(LEN);
    struct match_hasher *device = NULL;
    const uint8_t *answers = NULL;
    uint32_t known = 0;

    assert_non_null(bytes);
    fill(bytes, LEN, 11);
    ok(known_blocks_open_device(scan, provider, 0, 2, LEN, &device, &test_err));
    for (uint32_t slot = 0; slot < 2; slot++) {
        ok(match_hasher_load(device, slot, bytes, LEN, &test_err));
        ok(match_hasher_ask(device, slot, &question, &answers, &test_err));
        for (uint32_t i = 0; i < question.count; i++) {
            const uint8_t *block = bytes + 1024 + (size_t)i * SECTOR;
            uint8_t digest[DIGEST_MAX];
            bool has = false;

            digest_blocks(about->hash, &block, 1, about->block_len, digest);
            for (uint32_t set = 0; set < scan->count; set++)
                has |= bloom_has(&scan->sets[set].filter, digest, scan->sets[set].digest_len);
            assert_int_equal(answers[i] != 0, has);
            known += has;
        }
    }
    assert_true(known >= 2 * 12);
    match_hasher_close(device);
    free(bytes);
}

/* A set of the blocks at every fourth multiple of their length of check_device's bytes, from one of
 * them on. */
static void make_block_set(const char *path, enum digest_kind hash, uint32_t block_len,
                           uint32_t from)
{
    const struct known_write_options options = {
        .hash = hash, .block_len = block_len, .rate = 0.01, .memory = 1 << 20, .threads = 1
    };
    struct known_write *write = NULL;
    uint8_t *bytes = malloc(65536);
    uint64_t count;

    assert_non_null(bytes);
    fill(bytes, 65536, 11);
    ok(known_write_open(path, &options, &write, &test_err));
    for (uint32_t at = from * block_len; at + block_len <= 65536; at += 2 * block_len) {
        const uint8_t *block = bytes + at;
        uint8_t digest[DIGEST_MAX];

        digest_blocks(hash, &block, 1, block_len, digest);
        ok(known_write_add(write, &(struct known_entry){ .digest = digest }, &test_err));
    }
    ok(known_write_finish(write, &count, &test_err));
    known_write_close(write);
    free(bytes);
}

/* A device that fails at some call: what is found is the same, and the log says so. */
static void check_lost_device(struct known_scan *scan, enum device_host_call call, uint64_t at)
{
    enum { LEN = 65536, SLOTS = 3 };
    static const struct db_image_part parts[] = { { "/evidence", UINT64_MAX, NULL } };
    const struct db_image image = { .path = parts[0].path,
                                    .format = "raw",
                                    .size = SLOTS * LEN,
                                    .sector_size = 512,
                                    .parts = parts,
                                    .part_count = 1 };
    struct db_run run = { .command = "scan",
                          .command_line = "burin scan",
                          .version = "1",
                          .build = "1",
                          .libraries = "",
                          .options = "{}",
                          .host = "host",
                          .user = "user",
                          .status = "running" };
    struct known_block_list list = { 0 };
    struct db_case *db = NULL;
    struct match_hasher *device = NULL;
    struct known_blocks *blocks = NULL;
    int64_t run_id;
    struct device_host host;
    uint8_t *bytes = malloc(LEN);

    assert_non_null(bytes);
    fill(bytes, LEN, 11);
    unlink("/tmp/burin-known.case");
    ok(db_case_create("/tmp/burin-known.case", true, &db, &test_err));
    ok(db_image_add(db, &image, &run.image_id, &test_err));
    ok(db_run_add(db, &run, &run_id, &test_err));
    ok(known_scan_record(scan, db, run_id, &test_err));
    device_host_init(&host, 1, 1 << 26);
    const struct device_provider provider = device_host_provider(&host);
    ok(known_blocks_open_device(scan, &provider, 0, SLOTS, LEN, &device, &test_err));
    ok(known_blocks_open(scan, device, &blocks, &test_err));
    known_blocks_begin(blocks, bytes, 0);
    host.fail_at[call] = at == 0 ? 0 : host.calls[call] + at;
    host.lost = true;
    for (uint32_t slot = 0; slot < SLOTS; slot++)
        ok(known_blocks_look(blocks, slot, (uint64_t)slot * LEN, bytes, LEN, &list, &test_err));
    assert_int_equal(host.failed, at != 0);
    assert_int_equal(known_blocks_lost(blocks)[0] != '\0', at != 0);
    assert_int_equal(list.count, SLOTS * LEN / scan->sets[0].about.block_len);
    free(list.items);
    known_blocks_close(blocks);
    match_hasher_close(device);
    db_case_close(db);
    device_host_release(&host);
    unlink("/tmp/burin-known.case");
    free(bytes);
}

static void the_processor_stands_in_for_a_lost_device(void **state)
{
    static const char *const paths[] = { "/tmp/burin-known-c.set", "/tmp/burin-known-d.set" };
    static const enum device_host_call calls[] = { DEVICE_HOST_ALLOC, DEVICE_HOST_COPY,
                                                   DEVICE_HOST_LAUNCH, DEVICE_HOST_WAIT };
    struct known_scan scan;

    (void)state;
    for (uint32_t i = 0; i < 2; i++)
        make_block_set(paths[i], DIGEST_MD5, 4096, i);
    ok(known_scan_open(paths, 2, 0, &scan, &test_err));
    check_lost_device(&scan, DEVICE_HOST_ALLOC, 0);
    for (size_t i = 0; i < sizeof calls / sizeof calls[0]; i++)
        for (uint64_t at = 1; at <= 3; at++)
            check_lost_device(&scan, calls[i], at);
    known_scan_close(&scan);
    unlink(paths[0]);
    unlink(paths[1]);
}

/* Pieces that lie apart give what each gives by itself, whatever the kinds and lengths of blocks.
 */
static void pieces_apart_give_what_each_gives(void **state)
{
    enum { LEN = 65536, PIECES = 40 };
    static const char *const paths[] = { "/tmp/burin-known-e.set", "/tmp/burin-known-f.set" };
    struct known_block_list together = { 0 }, each = { 0 };
    struct known_piece pieces[PIECES];
    struct known_blocks *blocks = NULL;
    struct known_scan scan;
    uint8_t *bytes = malloc(LEN);
    uint64_t offset = 1 << 30;

    (void)state;
    assert_non_null(bytes);
    fill(bytes, LEN, 11);
    make_block_set(paths[0], DIGEST_MD5, 4096, 0);
    make_block_set(paths[1], DIGEST_SHA256, 512, 1);
    ok(known_scan_open(paths, 2, 512, &scan, &test_err));
    ok(known_blocks_open(&scan, NULL, &blocks, &test_err));
    for (uint32_t i = 0; i < PIECES; i++) { /* also some that no block begins or ends with */
        const uint32_t at = i * 37 % (LEN / 512) * 512, slip = i % 5 == 0 ? 1 : 0;
        const uint32_t most = LEN - at - slip;

        pieces[i] = (struct known_piece){ offset + slip, bytes + at + slip,
                                          1 + i * 1543 % (most < 9000 ? most : 9000) };
        offset += 65536;
    }
    ok(known_blocks_apart(blocks, pieces, PIECES, &together, &test_err));
    for (uint32_t i = 0; i < PIECES; i++) {
        known_blocks_begin(blocks, pieces[i].bytes, 0);
        ok(known_blocks_look(blocks, 0, pieces[i].offset, pieces[i].bytes, pieces[i].len, &each,
                             &test_err));
    }
    assert_true(each.count > PIECES);
    assert_int_equal(together.count, each.count);
    for (uint32_t i = 0; i < each.count; i++) {
        assert_int_equal(together.items[i].offset, each.items[i].offset);
        assert_int_equal(together.items[i].set, each.items[i].set);
        assert_memory_equal(together.items[i].digest, each.items[i].digest,
                            digest_len(scan.sets[each.items[i].set].about.hash));
    }
    free(together.items);
    free(each.items);
    known_blocks_close(blocks);
    known_scan_close(&scan);
    unlink(paths[0]);
    unlink(paths[1]);
    free(bytes);
}

static void a_device_answers_as_the_filters_do(void **state)
{
    static const char *const paths[] = { "/tmp/burin-known-a.set", "/tmp/burin-known-b.set" };
    const struct device_provider cuda = device_cuda();
    struct device_host host;

    (void)state;
    device_host_init(&host, 1, 1 << 26);
    const struct device_provider provider = device_host_provider(&host);
    for (int hash = 0; hash < DIGEST_KINDS; hash++)
        for (uint32_t block_len = 512; block_len <= 4096; block_len *= 8) {
            struct known_scan scan;

            for (uint32_t i = 0; i < 2; i++)
                make_block_set(paths[i], (enum digest_kind)hash, block_len, i);
            ok(known_scan_open(paths, 2, 512, &scan, &test_err));
            check_device(&provider, &scan);
            if (device_cuda_missing() == NULL)
                check_device(&cuda, &scan);
            known_scan_close(&scan);
        }
    if (device_cuda_missing() != NULL)
        print_message("skipped on a device: %s\n", device_cuda_missing());
    assert_int_equal(host.in_use, 0);
    assert_int_equal(host.open, 0);
    device_host_release(&host);
    unlink(paths[0]);
    unlink(paths[1]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(blocks_are_hashed_as_libcrypto_does),
        cmocka_unit_test(records_are_sorted_and_kept_once),
        cmocka_unit_test(sorting_has_a_limit),
        cmocka_unit_test(blocks_that_say_nothing_are_told),
        cmocka_unit_test(a_changed_set_is_refused_or_answers),
        cmocka_unit_test(a_device_answers_as_the_filters_do),
        cmocka_unit_test(pieces_apart_give_what_each_gives),
        cmocka_unit_test(the_processor_stands_in_for_a_lost_device),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
