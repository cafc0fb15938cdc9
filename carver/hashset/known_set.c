/* SPDX-License-Identifier: Apache-2.0
 * carver/hashset/known_set.c - see known_set.h: opening a set, and looking up. Whether it is whole:
 * known_verify.c. */
#include <assert.h>
#include <errno.h>
#include <inttypes.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include "base/bytes.h"
#include "base/input.h"
#include "carver/cli/interrupt.h"
#include "carver/hashset/known_set.h"

static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "filters are read in place");

static enum err_code set_map(struct known_set *set, int fd, struct err *err)
{
    struct stat info;

    if (fstat(fd, &info) != 0)
        return ERR_RAISE(err, ERR_INPUT, "%s: cannot find its size: %s", set->path,
                         strerror(errno));
    if (info.st_size < KNOWN_PAGE)
        return ERR_RAISE(err, ERR_INPUT,
                         "%s: not a hash set of burin; burin known build makes one of a list",
                         set->path);
    void *bytes = mmap(NULL, (size_t)info.st_size, PROT_READ, MAP_SHARED, fd, 0);
    if (bytes == MAP_FAILED)
        return ERR_RAISE(err, ERR_ENV, "%s: cannot be mapped into memory: %s", set->path,
                         strerror(errno));
    set->bytes = bytes;
    set->about.size = (uint64_t)info.st_size;
    return ERR_OK;
}

enum err_code known_set_open(const char *path, struct known_set *out, struct err *err)
{
    FILE *file = NULL;

    *out = (struct known_set){ .path = path };
    enum err_code rc = input_open(path, &file, err);
    if (rc != ERR_OK)
        return rc;
    rc = set_map(out, fileno(file), err);
    fclose(file);
    const uint64_t size = out->about.size;
    if (rc == ERR_OK)
        rc = known_about_load(path, out->bytes, size, &out->about, err);
    if (rc == ERR_OK && out->about.has_names &&
        out->bytes[out->about.names.at + out->about.names.len - 1] != '\0')
        rc = ERR_RAISE(err, ERR_INPUT,
                       "%s: the hash set is damaged: its last name has no end; build it again",
                       path);
    if (rc != ERR_OK) {
        out->about.size = size; /* of the mapping */
        known_set_close(out);
        return rc;
    }
    out->digest_len = digest_len(out->about.hash);
    out->filter =
        (struct bloom_view){ .shape = out->about.filter,
                             .words = (uint32_t *)(uintptr_t)(out->bytes + out->about.bloom.at) };
    return ERR_OK;
}

void known_set_close(struct known_set *set)
{
    if (set->bytes != NULL)
        munmap((void *)(uintptr_t)set->bytes, (size_t)set->about.size);
    set->bytes = NULL;
}

static const uint8_t *set_hash(const struct known_set *set, uint64_t index)
{
    return set->bytes + set->about.hashes.at + index * set->digest_len;
}

/* Where the hashes that begin with the same bits as digest stand; nothing for an index that cannot
 * be. */
static void set_range(const struct known_set *set, const uint8_t *digest, uint64_t *from,
                      uint64_t *to)
{
    const uint32_t bits = set->about.index_bits;
    const uint64_t slot = bits == 0 ? 0 : bytes_u32be(digest) >> (32 - bits);
    const uint8_t *entry = set->bytes + set->about.index.at + slot * 8;

    *from = bytes_u64le(entry);
    *to = bytes_u64le(entry + 8);
    if (*to > set->about.count || *from > *to)
        *from = *to = 0;
}

static void set_name(const struct known_set *set, uint64_t index, struct known_found *out)
{
    *out = (struct known_found){ 0 };
    if (!set->about.has_names)
        return;
    const uint8_t *ref = set->bytes + set->about.refs.at + index * 16;
    const uint64_t at = bytes_u64le(ref);

    out->block = bytes_u64le(ref + 8);
    if (at < set->about.names.len && set->bytes[set->about.names.at + at] != '\0')
        out->name = (const char *)set->bytes + set->about.names.at + at;
}

static bool set_search(const struct known_set *set, const uint8_t *digest, uint64_t *index)
{
    uint64_t from, to;

    set_range(set, digest, &from, &to);
    while (from < to) {
        const uint64_t middle = from + (to - from) / 2;
        const int order = memcmp(set_hash(set, middle), digest, set->digest_len);

        if (order == 0) {
            *index = middle;
            return true;
        }
        if (order < 0)
            from = middle + 1;
        else
            to = middle;
    }
    return false;
}

bool known_set_find(const struct known_set *set, const uint8_t *digest, struct known_found *out)
{
    uint64_t index = 0;

    if (!bloom_has(&set->filter, digest, set->digest_len) || !set_search(set, digest, &index))
        return false;
    set_name(set, index, out);
    return true;
}

void known_set_filter(const struct known_set *set, const uint8_t *digests, uint32_t count,
                      uint8_t *answers)
{
    const struct bloom_keys keys = { .bytes = digests, .len = set->digest_len, .count = count };

    bloom_query(&set->filter, &keys, answers, 1);
}

void known_set_entry(const struct known_set *set, uint64_t index, struct known_entry *out)
{
    struct known_found found;

    set_name(set, index, &found);
    *out = (struct known_entry){ .digest = set_hash(set, index),
                                 .name = found.name,
                                 .name_len = found.name != NULL ? strlen(found.name) : 0,
                                 .block = found.block };
}

enum err_code known_set_check(const struct known_set *set, struct err *err)
{
    enum err_code rc = known_set_sha256(set, err);

    if (rc == ERR_OK)
        rc = known_set_verify(set, err);
    if (rc != ERR_OK)
        return rc;
    for (uint64_t i = 0; i < set->about.count; i++) {
        uint64_t index = 0;

        if (i % 65536 == 0 && interrupt_requested())
            return ERR_RAISE(err, ERR_INTERRUPTED, "interrupted");
        if (i > 0 && memcmp(set_hash(set, i - 1), set_hash(set, i), set->digest_len) >= 0)
            return ERR_RAISE(err, ERR_INPUT,
                             "%s: hash %" PRIu64 " is out of order; build the set again", set->path,
                             i);
        if (!bloom_has(&set->filter, set_hash(set, i), set->digest_len) ||
            !set_search(set, set_hash(set, i), &index) || index != i)
            return ERR_RAISE(err, ERR_INPUT,
                             "%s: hash %" PRIu64 " cannot be found again; build the set again",
                             set->path, i);
    }
    return ERR_OK;
}
