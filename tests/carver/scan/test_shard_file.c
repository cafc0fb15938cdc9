/* SPDX-License-Identifier: Apache-2.0
 * tests/carver/scan/test_shard_file.c - a shard is read as it was written; what was changed in it,
 * or cut off, is told at its end, and never taken for whole.
 *
 * The hash of a shard is taken here by libcrypto, over the bytes of the file.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <openssl/evp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "carver/scan/shard_file.h"

enum { PARTS = 5, LONG = 2 /* the number of a long one */ };

static const uint32_t lengths[PARTS] = { 1, 5000, 3000000, 7, 70000 };

struct fixture {
    char folder[32], path[LIMIT_PATH];
    struct shard_file file;
    struct err err;
};

/* What a byte of a part is. */
static uint8_t byte_of(uint32_t part, uint32_t at)
{
    return (uint8_t)(at / 251 + 31 * at + part);
}

static void write_shard(struct fixture *f)
{
    struct shard_about about = { .version = "1",
                                 .build = "",
                                 .format = "raw",
                                 .sample = "",
                                 .signatures = "",
                                 .selection = "",
                                 .mapfile = "",
                                 .count = 4,
                                 .number = 3,
                                 .host = "there",
                                 .user = "",
                                 .engine = "",
                                 .started = "",
                                 .command_line = "",
                                 .options = { .align = 1 },
                                 .image = "/image" };
    const struct shard_end end = { .finished = "today", .parts = PARTS, .hits = 12, .objects = 5 };
    struct shard_new shard = { 0 };
    bool first = false;

    assert_int_equal(shard_new_open(f->folder, &about, &shard, &f->err), ERR_OK);
    for (uint32_t i = 0; i < PARTS; i++) {
        struct pack part = { 0 };

        for (uint32_t at = 0; at < lengths[i]; at++) {
            const uint8_t byte = byte_of(i, at);

            pack_bytes(&part, &byte, 1);
        }
        assert_int_equal(shard_new_add(&shard, &part, &f->err), ERR_OK);
        pack_release(&part);
    }
    assert_int_equal(shard_new_keep(&shard, &end, false, &first, &f->err), ERR_OK);
    assert_true(first);
    shard_about_release(&about);
}

static void open_fixture(struct fixture *f)
{
    *f = (struct fixture){ .folder = "/tmp/burin_shard_XXXXXX" };
    assert_non_null(mkdtemp(f->folder));
    assert_true(shard_path(f->folder, 3, f->path));
    write_shard(f);
}

static void close_fixture(struct fixture *f)
{
    shard_file_close(&f->file);
    assert_int_equal(unlink(f->path), 0);
    assert_int_equal(rmdir(f->folder), 0);
}

static uint8_t *whole_file(const struct fixture *f, size_t *len)
{
    FILE *stream = fopen(f->path, "rb");

    assert_non_null(stream);
    assert_int_equal(fseek(stream, 0, SEEK_END), 0);
    *len = (size_t)ftell(stream);
    uint8_t *bytes = malloc(*len);
    assert_non_null(bytes);
    rewind(stream);
    assert_int_equal(fread(bytes, 1, *len, stream), *len);
    fclose(stream);
    return bytes;
}

/* How many parts come until there is none, or an error, which is returned. wrong: their bytes that
 * are not those that were written. */
static enum err_code read_shard(struct fixture *f, uint32_t *parts, uint32_t *wrong)
{
    size_t len = 0;

    *parts = *wrong = 0;
    assert_int_equal(shard_file_open(f->path, &f->file, &f->err), ERR_OK);
    for (;;) {
        const enum err_code rc = shard_file_next(&f->file, &len, &f->err);

        if (rc != ERR_OK || len == 0)
            return rc;
        assert_true(*parts < PARTS);
        assert_int_equal(len, lengths[*parts]);
        for (uint32_t at = 0; at < len; at++)
            *wrong += f->file.bytes[at] != byte_of(*parts, at);
        ++*parts;
    }
}

/* Reads all of it, but for what it says of itself without keeping it. */
static enum err_code check_shard(struct fixture *f, uint8_t digest[SHARD_SHA256])
{
    struct shard_file file;

    assert_int_equal(shard_file_open(f->path, &file, &f->err), ERR_OK);
    const enum err_code rc = shard_file_check(&file, &f->err);
    assert_true(file.room < 3000000);
    memcpy(digest, file.digest, SHARD_SHA256);
    shard_file_close(&file);
    return rc;
}

static void parts_are_those_that_were_written(void **state)
{
    uint8_t digest[EVP_MAX_MD_SIZE], checked[SHARD_SHA256];
    struct fixture f;
    uint32_t parts = 0, wrong = 0;
    size_t len = 0;

    (void)state;
    open_fixture(&f);
    assert_int_equal(read_shard(&f, &parts, &wrong), ERR_OK);
    assert_int_equal(parts, PARTS);
    assert_int_equal(wrong, 0);
    assert_string_equal(f.file.end.finished, "today");
    assert_int_equal(f.file.end.hits, 12);
    assert_int_equal(f.file.end.objects, 5);
    uint8_t *bytes = whole_file(&f, &len);
    assert_int_equal(EVP_Digest(bytes, len - SHARD_SHA256, digest, NULL, EVP_sha256(), NULL), 1);
    assert_memory_equal(f.file.digest, digest, SHARD_SHA256);
    assert_int_equal(check_shard(&f, checked), ERR_OK);
    assert_memory_equal(checked, digest, SHARD_SHA256);
    free(bytes);
    close_fixture(&f);
}

/* One byte of a part, which is given out; the end says that it is another shard. */
static void what_was_changed_is_told(void **state)
{
    uint8_t checked[SHARD_SHA256];
    struct fixture f;
    uint32_t parts = 0, wrong = 0;

    (void)state;
    open_fixture(&f);
    FILE *stream = fopen(f.path, "r+b");
    assert_non_null(stream);
    assert_int_equal(fseek(stream, -100000, SEEK_END), 0); /* in the long part */
    const int was = fgetc(stream);
    assert_int_equal(fseek(stream, -100000, SEEK_END), 0);
    assert_int_equal(fputc(was ^ 1, stream), was ^ 1);
    fclose(stream);
    assert_int_equal(read_shard(&f, &parts, &wrong), ERR_INPUT);
    assert_int_equal(parts, PARTS);
    assert_int_equal(wrong, 1);
    assert_non_null(strstr(f.err.text, f.path));
    assert_non_null(strstr(f.err.text, "its SHA-256 is another"));
    f.err.text[0] = '\0';
    assert_int_equal(check_shard(&f, checked), ERR_INPUT);
    assert_non_null(strstr(f.err.text, "its SHA-256 is another"));
    close_fixture(&f);
}

static void what_was_cut_off_is_told(void **state)
{
    struct fixture f;
    uint32_t parts = 0, wrong = 0;

    (void)state;
    open_fixture(&f);
    assert_int_equal(truncate(f.path, 1000000), 0);
    assert_int_equal(read_shard(&f, &parts, &wrong), ERR_INPUT);
    assert_int_equal(parts, LONG); /* which is not all there */
    assert_int_equal(wrong, 0);
    assert_non_null(strstr(f.err.text, f.path));
    close_fixture(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(parts_are_those_that_were_written),
        cmocka_unit_test(what_was_changed_is_told),
        cmocka_unit_test(what_was_cut_off_is_told),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
