/* SPDX-License-Identifier: Apache-2.0
 * tests/fuzz/fuzz_known.c - a list of hashes of any bytes, read in the format that its first byte
 * chooses; and a hash set of any bytes.
 *
 * Found: crashes, entries that break what known.h promises, errors without a place.
 */
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "carver/hashset/known_read.h"
#include "carver/hashset/known_set.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void must(bool right)
{
    if (!right)
        abort();
}

static enum err_code take(void *arg, const struct known_entry *entry, struct err *err)
{
    uint64_t *sum = arg;

    (void)err;
    must(entry->digest != NULL && (entry->name != NULL || entry->name_len == 0) &&
         entry->name_len <= KNOWN_LINE_MAX);
    for (size_t i = 0; i < entry->name_len; i++)
        *sum += (unsigned char)entry->name[i];
    *sum += entry->digest[15];
    return ERR_OK;
}

static void read_list(const uint8_t *data, size_t size, enum known_format format,
                      enum digest_kind hash)
{
    FILE *in = fmemopen((void *)(uintptr_t)data, size, "rb");
    struct known_list list;
    struct err err = { 0 };
    uint64_t sum = 0;

    must(in != NULL);
    enum err_code rc = known_list_open_stream("fuzz", in, format, &list, &err);
    if (rc == ERR_OK && list.format != KNOWN_RDS3)
        rc = known_list_read(&list, hash, take, &sum, &err);
    must(rc == ERR_OK || (rc == ERR_INPUT && strncmp(err.text, "fuzz:", 5) == 0));
    fclose(in);
}

/* A file in memory, so that databases and sets can be opened by a name. */
static int make_file(const uint8_t *data, size_t size, char path[64])
{
    const int fd = memfd_create("fuzz", MFD_CLOEXEC);

    must(fd >= 0 && write(fd, data, size) == (ssize_t)size);
    snprintf(path, 64, "/proc/self/fd/%d", fd);
    return fd;
}

static void read_set(const uint8_t *data, size_t size)
{
    uint8_t *copy = malloc(size);
    struct known_set set;
    struct known_found found;
    struct err err = { 0 };
    char path[64];

    must(copy != NULL);
    memcpy(copy, data, size);
    if (size >= KNOWN_PAGE) /* let it through to what stands behind the hash of the header */
        known_sha256(copy, KNOWN_PAGE - KNOWN_SHA256, copy + KNOWN_PAGE - KNOWN_SHA256);
    const int fd = make_file(copy, size, path);
    if (known_set_open(path, &set, &err) == ERR_OK) {
        for (size_t at = 0; at + DIGEST_MAX <= size; at += 16)
            if (known_set_find(&set, copy + at, &found) && found.name != NULL)
                must(strlen(found.name) < size);
        must(known_set_check(&set, &err) != ERR_INTERRUPTED);
        known_set_close(&set);
    }
    close(fd);
    free(copy);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char path[64];
    struct err err = { 0 };
    uint64_t sum = 0;

    if (size < 2)
        return 0;
    const enum digest_kind hash = (enum digest_kind)(data[0] / 16 % DIGEST_KINDS);
    const uint8_t choice = data[0] % 16;
    data++;
    size--;
    if (choice < KNOWN_FORMATS && choice != KNOWN_RDS3) {
        read_list(data, size, (enum known_format)choice, hash);
    } else if (choice == KNOWN_RDS3) {
        const int fd = make_file(data, size, path);
        const struct known_list list = { .path = path, .format = KNOWN_RDS3 };
        const enum err_code rc = known_list_read(&list, hash, take, &sum, &err);

        must(rc == ERR_OK || rc == ERR_INPUT || rc == ERR_ENV);
        close(fd);
    } else {
        read_set(data, size);
    }
    return 0;
}
