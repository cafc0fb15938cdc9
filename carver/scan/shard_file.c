/* SPDX-License-Identifier: Apache-2.0
 * carver/scan/shard_file.c - shards that are read: see shard_file.h. */
#include "carver/scan/shard_file.h"

#include <errno.h>
#include <fcntl.h>
#include <openssl/evp.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/bytes.h"
#include "carver/scan/shard_impl.h"

enum {
    FILE_PART_MAX = 1 << 30, /* bytes of a part: its rows take 128 MiB at most, or a segment's */
    FILE_AHEAD = 256 << 10,  /* bytes that are read at a time */
    FILE_ROOM_LEAST = 64 << 10,
};

bool shard_path(const char *folder, uint32_t number, char out[LIMIT_PATH])
{
    return snprintf(out, LIMIT_PATH, "%s/%u.part", folder, number) < LIMIT_PATH;
}

static enum err_code file_damaged(const struct shard_file *file, const char *what, struct err *err)
{
    return ERR_RAISE(err, ERR_INPUT, "%s: is damaged: %s; remove it and scan the part again",
                     file->path, what);
}

static enum err_code file_failed(const struct shard_file *file, int cause, struct err *err)
{
    return ERR_RAISE(err, ERR_ENV, "%s: cannot be read: %s", file->path, strerror(cause));
}

/* Reads ahead; before that all was taken. */
static enum err_code file_fill(struct shard_file *file, struct err *err)
{
    ssize_t got;

    do
        got = read(file->fd, file->buffer, FILE_AHEAD);
    while (got < 0 && errno == EINTR);
    file->used = 0;
    file->have = got > 0 ? (size_t)got : 0;
    return got > 0 ? ERR_OK : file_failed(file, got < 0 ? errno : EIO, err);
}

/* Takes so many bytes (out NULL: which nobody wants), and hashes them, if the hash covers them. */
static enum err_code file_take(struct shard_file *file, uint8_t *out, size_t len, bool hashed,
                               struct err *err)
{
    enum err_code rc = ERR_OK;

    while (rc == ERR_OK && len > 0) {
        const size_t left = file->have - file->used, some = len < left ? len : left;
        const uint8_t *from = file->buffer + file->used;

        if (some == 0) {
            rc = file_fill(file, err);
            continue;
        }
        if (hashed && EVP_DigestUpdate(file->sha256, from, some) != 1)
            rc = ERR_RAISE(err, ERR_ENV, "libcrypto cannot hash");
        if (out != NULL) {
            memcpy(out, from, some);
            out += some;
        }
        file->used += some;
        len -= some;
    }
    return rc;
}

/* Reads bytes that the hash covers. */
static enum err_code file_read(struct shard_file *file, void *out, size_t len, struct err *err)
{
    if (len > file->left)
        return file_damaged(file, "it ends too early", err);
    const enum err_code rc = file_take(file, out, len, true, err);

    file->at += len;
    file->left -= len;
    return rc;
}

/* Nothing of what was there before is copied; rooms are of few sizes, so that they soon fit all. */
static enum err_code file_room(struct shard_file *file, uint32_t size, struct err *err)
{
    size_t room = FILE_ROOM_LEAST;

    if (size <= file->room)
        return ERR_OK;
    while (room < size)
        room *= 2;
    free(file->bytes);
    file->bytes = malloc(room);
    file->room = file->bytes != NULL ? room : 0;
    return file->bytes != NULL ? ERR_OK : ERR_NO_MEMORY(err, room);
}

/* Reads a length, and so many bytes, which stay in memory or are only hashed. */
static enum err_code file_piece(struct shard_file *file, uint32_t max, bool keep, size_t *len,
                                struct err *err)
{
    uint8_t head[4] = { 0 };
    enum err_code rc = file_read(file, head, sizeof head, err);

    *len = 0;
    if (rc != ERR_OK)
        return rc;
    const uint32_t size = bytes_u32le(head);
    if (size > max || size > file->left)
        return file_damaged(file, "a length in it is too great", err);
    rc = keep ? file_room(file, size, err) : ERR_OK;
    if (rc == ERR_OK)
        rc = file_read(file, keep ? file->bytes : NULL, size, err);
    *len = rc == ERR_OK ? size : 0;
    return rc;
}

static enum err_code file_head(struct shard_file *file, struct err *err)
{
    uint8_t head[SHARD_MAGIC_LEN + 4] = { 0 };
    size_t len = 0;

    if (file->left < sizeof head)
        return ERR_RAISE(err, ERR_INPUT, "%s: is no shard of burin scan --part", file->path);
    enum err_code rc = file_read(file, head, sizeof head, err);
    if (rc != ERR_OK)
        return rc;
    if (memcmp(head, SHARD_MAGIC, SHARD_MAGIC_LEN) != 0)
        return ERR_RAISE(err, ERR_INPUT, "%s: is no shard of burin scan --part", file->path);
    const uint32_t version = bytes_u32le(head + SHARD_MAGIC_LEN);
    if (version != SHARD_VERSION)
        return ERR_RAISE(err, ERR_INPUT,
                         "%s: was written by %s burin (shard version %u, this one reads %d); "
                         "merge it with that one, or remove it and scan the part again",
                         file->path, version < SHARD_VERSION ? "an older" : "a newer", version,
                         SHARD_VERSION);
    rc = file_piece(file, SHARD_ABOUT_MAX, true, &len, err);
    if (rc != ERR_OK)
        return rc;
    struct unpack in = { .at = file->bytes, .end = file->bytes + len };
    shard_about_restore(&in, &file->about);
    return unpack_whole(&in) ? ERR_OK
                             : file_damaged(file, "what it says of itself cannot be read", err);
}

enum err_code shard_file_open(const char *path, struct shard_file *out, struct err *err)
{
    struct stat st;
    const int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);

    *out = (struct shard_file){ .path = path };
    if (fd < 0)
        return ERR_RAISE(err, errno == ENOENT || errno == ELOOP ? ERR_INPUT : ERR_ENV,
                         "%s: cannot be opened: %s", path, strerror(errno));
    out->open = true;
    out->fd = fd;
    if (fstat(fd, &st) != 0 || !S_ISREG(st.st_mode) || st.st_size < SHARD_SHA256)
        return ERR_RAISE(err, ERR_INPUT, "%s: is no shard of burin scan --part", path);
    out->buffer = malloc(FILE_AHEAD);
    if (out->buffer == NULL)
        return ERR_NO_MEMORY(err, FILE_AHEAD);
    out->left = (uint64_t)st.st_size - SHARD_SHA256;
    out->sha256 = EVP_MD_CTX_new();
    if (out->sha256 == NULL || EVP_DigestInit_ex(out->sha256, EVP_sha256(), NULL) != 1)
        return ERR_RAISE(err, ERR_ENV, "libcrypto cannot hash");
    return file_head(out, err);
}

void shard_file_close(struct shard_file *file)
{
    if (file->open)
        close(file->fd);
    free(file->buffer);
    EVP_MD_CTX_free(file->sha256);
    shard_about_release(&file->about);
    free(file->bytes);
    *file = (struct shard_file){ 0 };
}

static void file_text(struct unpack *in, char *out, size_t size)
{
    const uint64_t len = unpack_number(in, size - 1);

    unpack_bytes(in, out, (size_t)len);
    out[len] = '\0';
    in->failed = in->failed || strlen(out) != len;
}

/* Behind the last part. */
static enum err_code file_end(struct shard_file *file, struct err *err)
{
    uint8_t stored[SHARD_SHA256];
    size_t len = 0;
    unsigned digest_len = 0;
    enum err_code rc = file_piece(file, SHARD_ABOUT_MAX, true, &len, err);

    if (rc != ERR_OK)
        return rc;
    struct unpack in = { .at = file->bytes, .end = file->bytes + len };
    struct shard_end *end = &file->end;
    file_text(&in, end->finished, sizeof end->finished);
    end->bytes = unpack_number(&in, INT64_MAX);
    end->parts = unpack_number(&in, INT64_MAX);
    end->hits = unpack_number(&in, INT64_MAX);
    end->objects = unpack_number(&in, INT64_MAX);
    end->bad_bytes = unpack_number(&in, INT64_MAX);
    file_text(&in, end->bad_sha256, sizeof end->bad_sha256);
    if (!unpack_whole(&in) || file->left != 0)
        return file_damaged(file, "its end cannot be read", err);
    if (EVP_DigestFinal_ex(file->sha256, file->digest, &digest_len) != 1)
        return ERR_RAISE(err, ERR_ENV, "libcrypto cannot hash");
    if (file_take(file, stored, sizeof stored, false, NULL) != ERR_OK ||
        memcmp(stored, file->digest, sizeof stored) != 0)
        return file_damaged(file, "its SHA-256 is another", err);
    return ERR_OK;
}

static enum err_code file_next(struct shard_file *file, bool keep, size_t *len, struct err *err)
{
    const enum err_code rc = file_piece(file, FILE_PART_MAX, keep, len, err);

    return rc == ERR_OK && *len == 0 ? file_end(file, err) : rc;
}

enum err_code shard_file_next(struct shard_file *file, size_t *len, struct err *err)
{
    return file_next(file, true, len, err);
}

enum err_code shard_file_check(struct shard_file *file, struct err *err)
{
    enum err_code rc = ERR_OK;
    size_t len = 1;

    while (rc == ERR_OK && len > 0)
        rc = file_next(file, false, &len, err);
    return rc;
}
