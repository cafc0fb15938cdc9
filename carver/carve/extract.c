/* carver/carve/extract.c - see extract.h. */
#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <openssl/evp.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "carver/carve/extract.h"
#include "carver/cli/interrupt.h"
#include "signatures/crc64.h"

struct extract {
    struct outdir *dir;
    EVP_MD_CTX *hash;
    uint8_t *buffer; /* EXTRACT_BUFFER bytes */
};

/* One file on its way. */
struct extract_file {
    const struct object_path *path;
    char part[OBJECT_PATH_MAX + 8]; /* the temporary file, in the folder */
    int folder;                     /* its descriptor */
};

enum err_code extract_open(struct outdir *dir, struct extract **out, struct err *err)
{
    struct extract *extract = calloc(1, sizeof *extract);

    *out = NULL;
    if (extract == NULL)
        return ERR_NO_MEMORY(err, sizeof *extract);
    extract->dir = dir;
    extract->hash = EVP_MD_CTX_new();
    extract->buffer = aligned_alloc(4096, EXTRACT_BUFFER);
    if (extract->hash == NULL || extract->buffer == NULL) {
        extract_close(extract);
        return ERR_NO_MEMORY(err, EXTRACT_BUFFER);
    }
    *out = extract;
    return ERR_OK;
}

void extract_close(struct extract *extract)
{
    if (extract == NULL)
        return;
    EVP_MD_CTX_free(extract->hash);
    free(extract->buffer);
    free(extract);
}

/* What a failed system call on an output means for the caller: too large is the object's fault, the
 * rest the disk's. */
static enum err_code extract_system_error(const struct extract *extract, const char *path,
                                          const char *what, struct err *err)
{
    const char *advice =
        errno == ENOSPC || errno == EDQUOT ? "; make room and carve into a new folder" : "";

    return ERR_RAISE(err, errno == EFBIG ? ERR_FULL : ERR_ENV, "%s/%s: %s: %s%s",
                     extract->dir->path, path, what, strerror(errno), advice);
}

static void extract_note_bad(void *arg, const struct io_bad_range *range)
{
    struct extract_result *result = arg;

    if (result->bad_count < EXTRACT_BAD_RANGES)
        result->bad[result->bad_count++] = *range;
    result->bad_bytes += range->len;
}

static enum err_code extract_check_extents(const struct extract_object *object, struct err *err)
{
    const uint64_t size = io_image_size(object->image);

    for (uint32_t i = 0; i < object->extent_count; i++) {
        const struct db_extent *e = &object->extents[i];

        if (e->offset > size || e->len > size - e->offset)
            return ERR_RAISE(err, ERR_INPUT,
                             "bytes %" PRIu64 "+%" PRIu64
                             " are not in the image, which has %" PRIu64,
                             e->offset, e->len, size);
    }
    return ERR_OK;
}

static enum err_code extract_write_all(const struct extract *extract, const char *path, int fd,
                                       size_t len, struct err *err)
{
    for (size_t done = 0; done < len;) {
        const ssize_t wrote = write(fd, extract->buffer + done, len - done);

        if (wrote > 0)
            done += (size_t)wrote;
        else if (wrote == 0 || errno != EINTR)
            return extract_system_error(extract, path, "cannot write", err);
    }
    return ERR_OK;
}

/* Copies the extents to fd and hashes them. */
static enum err_code extract_copy(const struct extract *extract,
                                  const struct extract_object *object, const char *path, int fd,
                                  struct extract_result *result, struct err *err)
{
    static const struct unread nothing;
    const struct unread *unread = object->unread != NULL ? object->unread : &nothing;
    enum err_code rc = ERR_OK;

    if (EVP_DigestInit_ex(extract->hash, EVP_sha256(), NULL) != 1)
        return ERR_RAISE(err, ERR_ENV, "libcrypto has no SHA-256");
    for (uint32_t i = 0; i < object->extent_count && rc == ERR_OK; i++) {
        const struct db_extent *e = &object->extents[i];

        for (uint64_t at = 0; at < e->len && rc == ERR_OK;) {
            const size_t step =
                e->len - at < EXTRACT_BUFFER ? (size_t)(e->len - at) : EXTRACT_BUFFER;

            if (interrupt_requested())
                return ERR_RAISE(err, ERR_INTERRUPTED, "interrupted");
            rc = unread_read(unread, object->image, e->offset + at, extract->buffer, step,
                             extract_note_bad, result, err);
            if (rc == ERR_OK)
                result->crc64 = crc64_add(result->crc64, extract->buffer, step);
            if (rc == ERR_OK && EVP_DigestUpdate(extract->hash, extract->buffer, step) != 1)
                rc = ERR_RAISE(err, ERR_ENV, "libcrypto cannot hash");
            if (rc == ERR_OK)
                rc = extract_write_all(extract, path, fd, step, err);
            at += step;
            result->len += step;
        }
    }
    return rc;
}

static enum err_code extract_finish_hash(const struct extract *extract,
                                         struct extract_result *result, struct err *err)
{
    uint8_t digest[EVP_MAX_MD_SIZE];
    unsigned len = 0;

    if (EVP_DigestFinal_ex(extract->hash, digest, &len) != 1 || len * 2 != DB_SHA256_HEX)
        return ERR_RAISE(err, ERR_ENV, "libcrypto cannot finish a hash");
    for (unsigned i = 0; i < len; i++)
        snprintf(result->sha256 + (size_t)2 * i, 3, "%02x", digest[i]);
    return ERR_OK;
}

/* What could not be read this time is told, and cannot be compared. */
static enum err_code extract_compare(const struct extract_object *object,
                                     const struct extract_result *result, struct err *err)
{
    const bool crc64 = !object->has_crc64 || object->crc64 == result->crc64;
    const bool sha256 = object->sha256 == NULL || strcmp(object->sha256, result->sha256) == 0;

    if (result->bad_bytes > 0 || (crc64 && sha256))
        return ERR_OK;
    return ERR_RAISE(err, ERR_INPUT,
                     "its bytes changed since %s: the image is another one now, or was written to",
                     crc64 ? "they were hashed" : "the scan");
}

/* Names the temporary file, which nobody else makes, and opens the folder. */
static enum err_code extract_prepare(const struct extract *extract, const struct object_path *path,
                                     struct extract_file *file, struct err *err)
{
    char name[OBJECT_PATH_MAX];

    object_path_text(path, name);
    snprintf(file->part, sizeof file->part, ".%s.part", name + strlen(path->folder) + 1);
    file->path = path;
    file->folder = outdir_folder(extract->dir, path->folder);
    return file->folder >= 0
               ? ERR_OK
               : extract_system_error(extract, path->folder, "cannot make the folder", err);
}

/* Gives the finished file its name, or the first free one behind it. */
static enum err_code extract_rename(const struct extract *extract, const struct extract_file *file,
                                    struct extract_result *result, struct err *err)
{
    struct object_path path = *file->path;

    for (uint32_t tries = 0; tries < EXTRACT_CLASH_MAX; tries++, path.number++) {
        struct stat info;

        object_path_text(&path, result->path);
        const char *name = result->path + strlen(path.folder) + 1;
        if (renameat2(file->folder, file->part, file->folder, name, RENAME_NOREPLACE) == 0)
            return ERR_OK;
        if (errno == EEXIST)
            continue;
        if (errno == EINVAL || errno == ENOSYS) {
            /* The file system knows no "only if free": it is free now, or not. */
            if (fstatat(file->folder, name, &info, AT_SYMLINK_NOFOLLOW) == 0)
                continue;
            if (renameat(file->folder, file->part, file->folder, name) == 0)
                return ERR_OK;
        }
        return extract_system_error(extract, result->path, "cannot rename", err);
    }
    return ERR_RAISE(err, ERR_FULL, "%s/%s: %d files have this name already", extract->dir->path,
                     result->path, EXTRACT_CLASH_MAX);
}

/* Writes and names the file in its folder, which is open. */
static enum err_code extract_make(const struct extract *extract,
                                  const struct extract_object *object,
                                  const struct extract_file *file, struct extract_result *result,
                                  struct err *err)
{
    char path[sizeof file->part + sizeof file->path->folder];

    snprintf(path, sizeof path, "%s/%s", file->path->folder, file->part);
    const int fd = openat(file->folder, file->part,
                          O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
    if (fd < 0)
        return extract_system_error(extract, path, "cannot make the file", err);
    enum err_code rc = extract_copy(extract, object, path, fd, result, err);
    if (rc == ERR_OK)
        rc = extract_finish_hash(extract, result, err);
    if (rc == ERR_OK)
        rc = extract_compare(object, result, err);
    if (close(fd) != 0 && rc == ERR_OK) /* where quotas and network disks tell late */
        rc = extract_system_error(extract, path, "cannot write", err);
    if (rc == ERR_OK)
        rc = extract_rename(extract, file, result, err);
    if (rc != ERR_OK)
        unlinkat(file->folder, file->part, 0);
    return rc;
}

enum err_code extract_write(struct extract *extract, const struct extract_object *object,
                            struct extract_result *result, struct err *err)
{
    struct extract_file file = { .folder = -1 };

    *result = (struct extract_result){ 0 };
    enum err_code rc = extract_check_extents(object, err);
    if (rc == ERR_OK)
        rc = extract_prepare(extract, object->path, &file, err);
    if (rc == ERR_OK)
        rc = extract_make(extract, object, &file, result, err);
    if (file.folder >= 0)
        close(file.folder);
    return rc;
}
