/* SPDX-License-Identifier: Apache-2.0
 * carver/hashset/known_write_finish.c - see known_write.h. Makes the file of a hash set, part by
 * part, when all entries have come: blank header, hashes, index, filter, references and names; then
 * the header, with the hash of all that, and the file's name.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/bytes.h"
#include "carver/cli/about.h"
#include "carver/cli/interrupt.h"
#include "carver/hashset/known_hash.h"
#include "carver/hashset/known_write_parts.h"
#include "signatures/crc64.h"

enum {
    KNOWN_BATCH = 1 << 18, /* hashes that go into the filter at a time */
};

static void finish_u64le(uint8_t *to, uint64_t value)
{
    for (int i = 0; i < 8; i++)
        to[i] = (uint8_t)(value >> 8 * i);
}

/* The hashes in order, each once; counts them for the index. */
static enum err_code finish_hashes(struct known_write *write, struct err *err)
{
    const uint32_t len = digest_len(write->options.hash), bits = write->about.index_bits;
    const uint8_t *record = NULL;
    enum err_code rc = known_sort_begin(write->sort, err);

    write->about.hashes.at = write->set.at;
    while (rc == ERR_OK && (rc = known_sort_next(write->sort, &record, err)) == ERR_OK &&
           record != NULL) {
        rc = known_out_put(&write->set, record, len, err);
        write->index[bits == 0 ? 0 : bytes_u32be(record) >> (32 - bits)]++;
        write->about.count++;
        if (rc == ERR_OK && write->options.names) {
            uint8_t ref[16];

            finish_u64le(ref, bytes_u64be(record + len));
            finish_u64le(ref + 8, bytes_u64be(record + len + 8));
            rc = known_out_put(&write->refs, ref, sizeof ref, err);
        }
    }
    write->about.hashes.len = write->about.count * len;
    return rc;
}

static enum err_code finish_index(struct known_write *write, struct err *err)
{
    const uint64_t slots = UINT64_C(1) << write->about.index_bits;
    uint64_t sum = 0;
    enum err_code rc = known_out_page(&write->set, err);

    write->about.index = (struct known_part){ write->set.at, (slots + 1) * 8 };
    for (uint64_t i = 0; rc == ERR_OK && i <= slots; i++) {
        uint8_t entry[8];

        finish_u64le(entry, sum);
        sum += i < slots ? write->index[i] : 0;
        rc = known_out_put(&write->set, entry, sizeof entry, err);
    }
    free(write->index);
    write->index = NULL;
    return rc;
}

/* Bytes of the set that were written before. */
static enum err_code finish_read_back(const struct known_write *write, uint8_t *to, size_t len,
                                      uint64_t at, struct err *err)
{
    for (size_t done = 0; done < len;) {
        const ssize_t got = pread(write->set.fd, to + done, len - done, (off_t)(at + done));

        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0)
            return ERR_RAISE(err, ERR_ENV, "%s: cannot be read back: %s", write->path,
                             got < 0 ? strerror(errno) : "it is cut short");
        done += (size_t)got;
    }
    return interrupt_requested() ? ERR_RAISE(err, ERR_INTERRUPTED, "interrupted") : ERR_OK;
}

/* The hashes are read back from the file: memory held only a part of them. */
static enum err_code finish_fill(const struct known_write *write, const struct bloom *bloom,
                                 struct err *err)
{
    const struct known_about *about = &write->about;
    const struct bloom_view view = bloom_view(bloom);
    const uint32_t len = digest_len(about->hash);
    uint8_t *hashes = malloc((size_t)KNOWN_BATCH * len);
    enum err_code rc = ERR_OK;

    if (hashes == NULL)
        return ERR_NO_MEMORY(err, (size_t)KNOWN_BATCH * len);
    for (uint64_t at = 0; rc == ERR_OK && at < about->count; at += KNOWN_BATCH) {
        const uint64_t left = about->count - at, count = left < KNOWN_BATCH ? left : KNOWN_BATCH;
        const struct bloom_keys keys = { .bytes = hashes, .len = len, .count = count };

        rc = finish_read_back(write, hashes, (size_t)count * len, about->hashes.at + at * len, err);
        if (rc == ERR_OK)
            bloom_insert(&view, &keys, write->options.threads);
    }
    free(hashes);
    return rc;
}

static enum err_code finish_filter(struct known_write *write, struct err *err)
{
    struct known_about *about = &write->about;
    struct bloom *bloom = NULL;
    enum err_code rc =
        bloom_plan(BLOOM_BLOCKED, about->count, write->options.rate, 0, &about->filter, err);

    if (rc == ERR_OK)
        rc = known_out_page(&write->set, err);
    if (rc == ERR_OK)
        rc = known_out_flush(&write->set, err);
    if (rc == ERR_OK)
        rc = bloom_open(&about->filter, 0, &bloom, err);
    if (rc == ERR_OK)
        rc = finish_fill(write, bloom, err);
    about->bloom = (struct known_part){ write->set.at, bloom_size(&about->filter) };
    if (rc == ERR_OK)
        rc = known_out_put(&write->set, bloom_view(bloom).words, bloom_size(&about->filter), err);
    bloom_close(bloom);
    return rc;
}

/* Copies what one of the files without a name holds to the end of the set. */
static enum err_code finish_copy(struct known_write *write, struct known_out *from,
                                 struct known_part *part, struct err *err)
{
    enum err_code rc = known_out_flush(from, err);
    ssize_t got = 1;

    if (rc == ERR_OK)
        rc = known_out_page(&write->set, err);
    *part = (struct known_part){ write->set.at, from->at };
    for (off_t at = 0; rc == ERR_OK && got > 0; at += got) {
        got = pread(from->fd, from->buffer, KNOWN_OUT, at);
        if (got < 0)
            return ERR_RAISE(err, ERR_ENV, "%s: the temporary file cannot be read: %s", from->path,
                             strerror(errno));
        if (interrupt_requested())
            return ERR_RAISE(err, ERR_INTERRUPTED, "interrupted");
        rc = known_out_put(&write->set, from->buffer, (size_t)got, err);
    }
    return rc;
}

/* The SHA-256 and the CRC-64 of all behind the header. */
static enum err_code finish_hash(struct known_write *write, struct err *err)
{
    struct known_about *about = &write->about;
    uint8_t digests[DIGEST_KINDS][DIGEST_MAX];
    struct known_hasher hasher;
    enum err_code rc = known_hasher_init(&hasher, 1u << DIGEST_SHA256, err);

    if (rc == ERR_OK)
        rc = known_hasher_begin(&hasher, err);
    for (uint64_t at = KNOWN_PAGE; rc == ERR_OK && at < about->size; at += KNOWN_OUT) {
        const uint64_t left = about->size - at;
        const size_t len = left < KNOWN_OUT ? (size_t)left : KNOWN_OUT;

        rc = finish_read_back(write, write->set.buffer, len, at, err);
        if (rc == ERR_OK)
            rc = known_hasher_add(&hasher, write->set.buffer, len, err);
        if (rc == ERR_OK)
            about->body_crc64 = crc64_add(about->body_crc64, write->set.buffer, len);
    }
    if (rc == ERR_OK)
        rc = known_hasher_end(&hasher, digests, err);
    if (rc == ERR_OK)
        memcpy(about->body_sha256, digests[DIGEST_SHA256], KNOWN_SHA256);
    about->has_crc64 = rc == ERR_OK;
    known_hasher_release(&hasher);
    return rc;
}

/* A new set is its owner's alone; one that is replaced keeps the mode that somebody gave it. */
static bool finish_mode(const struct known_write *write)
{
    struct stat info;

    return lstat(write->path, &info) != 0 || !S_ISREG(info.st_mode) ||
           fchmod(write->set.fd, info.st_mode & 0666) == 0;
}

/* Makes the header, with the hash of all that follows, and gives the file its name. */
static enum err_code finish_seal(struct known_write *write, struct err *err)
{
    struct known_about *about = &write->about;
    uint8_t page[KNOWN_PAGE];

    about->size = write->set.at;
    enum err_code rc = finish_hash(write, err);
    if (rc != ERR_OK)
        return rc;
    known_about_store(about, page);
    if (pwrite(write->set.fd, page, sizeof page, 0) != (ssize_t)sizeof page ||
        !finish_mode(write) || fsync(write->set.fd) != 0)
        return ERR_RAISE(err, ERR_ENV, "%s: cannot write: %s", write->path, strerror(errno));
    if (rename(write->part, write->path) != 0)
        return ERR_RAISE(err, ERR_ENV, "%s: cannot give the set this name: %s", write->path,
                         strerror(errno));
    write->made = false;
    return ERR_OK;
}

enum err_code known_write_finish(struct known_write *write, uint64_t *count, struct err *err)
{
    static const uint8_t blank[KNOWN_PAGE];
    const uint64_t entries = known_sort_count(write->sort);
    struct known_about *about = &write->about;

    *about = (struct known_about){ .hash = write->options.hash,
                                   .verdict = write->options.verdict,
                                   .block_len = write->options.block_len,
                                   .rate = write->options.rate,
                                   .has_names = write->options.names };
    while (about->index_bits < KNOWN_INDEX_BITS_MAX &&
           entries >> about->index_bits > KNOWN_INDEX_SHARE)
        about->index_bits++;
    snprintf(about->label, sizeof about->label, "%s",
             write->options.label != NULL ? write->options.label : "");
    snprintf(about->writer, sizeof about->writer, "burin %s", about_version());
    about_now(about->created);
    write->index = calloc(UINT64_C(1) << about->index_bits, sizeof *write->index);
    if (write->index == NULL)
        return ERR_NO_MEMORY(err, sizeof *write->index << about->index_bits);
    enum err_code rc = known_out_put(&write->set, blank, sizeof blank, err);
    if (rc == ERR_OK)
        rc = finish_hashes(write, err);
    known_sort_close(write->sort);
    write->sort = NULL;
    if (rc == ERR_OK)
        rc = finish_index(write, err);
    if (rc == ERR_OK)
        rc = finish_filter(write, err);
    if (rc == ERR_OK && write->options.names && about->count > 0)
        rc = finish_copy(write, &write->refs, &about->refs, err);
    if (rc == ERR_OK && write->options.names && about->count > 0)
        rc = finish_copy(write, &write->names, &about->names, err);
    if (rc == ERR_OK)
        rc = known_out_flush(&write->set, err);
    if (rc == ERR_OK)
        rc = finish_seal(write, err);
    *count = about->count;
    return rc;
}
