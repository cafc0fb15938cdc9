/* SPDX-License-Identifier: Apache-2.0
 * carver/carve/extract.c - see extract.h. */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "carver/carve/extract_parts.h"
#include "carver/cli/interrupt.h"
#include "signatures/crc64.h"

struct extract_object extract_object_of(const struct carve_images *images,
                                        const struct db_object *object)
{
    return (struct extract_object){ .image = images->items[object->image_id - 1],
                                    .extents = object->extents,
                                    .extent_count = object->extent_count,
                                    .unread = &images->unread[object->image_id - 1],
                                    .has_crc64 = object->has_crc64,
                                    .crc64 = object->crc64,
                                    .sha256 = object->sha256 };
}

enum err_code extract_open(struct outdir *dir, bool apart, const _Atomic bool *stop,
                           struct write_back *back, struct extract **out, struct err *err)
{
    const size_t size = (size_t)PIECE_HASH_PLACES * EXTRACT_PIECE;
    struct extract *extract = calloc(1, sizeof *extract);
    enum err_code rc = ERR_OK;

    *out = NULL;
    if (extract == NULL)
        return ERR_NO_MEMORY(err, sizeof *extract);
    *extract = (struct extract){ .dir = dir, .apart = apart, .stop = stop, .back = back };
    extract->buffer = aligned_alloc(4096, size);
    rc = extract->buffer != NULL ? piece_hash_open(&extract->hash, err) : ERR_NO_MEMORY(err, size);
    if (rc == ERR_OK)
        *out = extract;
    else
        extract_close(extract);
    return rc;
}

void extract_close(struct extract *extract)
{
    if (extract == NULL)
        return;
    piece_hash_close(extract->hash);
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

/* The same on the temporary file. */
static enum err_code extract_file_error(const struct extract *extract,
                                        const struct extract_file *file, const char *what,
                                        struct err *err)
{
    const int failed = errno;
    char path[sizeof file->part + sizeof file->object->path->folder];

    snprintf(path, sizeof path, "%s/%s", file->object->path->folder, file->part);
    errno = failed;
    return extract_system_error(extract, path, what, err);
}

static void extract_note_bad(void *arg, const struct io_bad_range *range)
{
    struct extract_result *result = arg;
    struct io_bad_range *last = result->bad_count > 0 ? &result->bad[result->bad_count - 1] : NULL;

    if (last != NULL && last->offset + last->len == range->offset && last->cause == range->cause &&
        last->source == range->source && last->status == range->status)
        last->len += range->len; /* it was cut by the end of a piece */
    else if (result->bad_count < EXTRACT_BAD_RANGES)
        result->bad[result->bad_count++] = *range;
    result->bad_bytes += range->len;
}

enum err_code extract_check_extents(const struct extract_object *object, uint64_t *len,
                                    struct err *err)
{
    const uint64_t size = io_image_size(object->image);

    *len = 0;
    for (uint32_t i = 0; i < object->extent_count; i++) {
        const struct db_extent *e = &object->extents[i];

        if (e->offset > size || e->len > size - e->offset)
            return ERR_RAISE(err, ERR_INPUT,
                             "bytes %" PRIu64 "+%" PRIu64
                             " are not in the image, which has %" PRIu64,
                             e->offset, e->len, size);
        *len += e->len;
    }
    return ERR_OK;
}

/* Reads len bytes of the image at this place of the object, and steps on. */
static enum err_code extract_read_image(struct extract_file *file, uint8_t *piece, size_t len,
                                        struct err *err)
{
    static const struct unread nothing;
    const struct extract_object *object = file->object;
    const struct unread *unread = object->unread != NULL ? object->unread : &nothing;
    enum err_code rc = ERR_OK;

    while (rc == ERR_OK && len > 0) {
        const struct db_extent *e = &object->extents[file->extent];
        const uint64_t left = e->len - file->at;
        const size_t step = left < len ? (size_t)left : len;

        if (step > 0)
            rc = unread_read(unread, object->image, e->offset + file->at, piece, step,
                             extract_note_bad, file->result, err);
        piece += step;
        len -= step;
        file->at += step;
        if (file->at == e->len) {
            file->extent++;
            file->at = 0;
        }
    }
    return rc;
}

static enum err_code extract_read_back(const struct extract_file *file, uint8_t *piece, size_t len,
                                       struct err *err)
{
    for (size_t done = 0; done < len;) {
        const ssize_t got =
            pread(file->back, piece + done, len - done, (off_t)(file->result->len + done));

        if (got > 0)
            done += (size_t)got;
        else if (got == 0 || errno != EINTR)
            return ERR_RAISE(err, ERR_IO, "cannot read the file back: %s",
                             got == 0 ? "it is shorter than it was made" : strerror(errno));
    }
    return ERR_OK;
}

static enum err_code extract_check_stop(const struct extract *extract, struct err *err)
{
    if (interrupt_requested() || (extract->stop != NULL && atomic_load(extract->stop)))
        return ERR_RAISE(err, ERR_INTERRUPTED, "interrupted");
    return ERR_OK;
}

enum err_code extract_read(const struct extract *extract, struct extract_file *file,
                           struct err *err)
{
    const uint64_t left = file->len - file->result->len;
    const size_t most = file->apart ? EXTRACT_PIECE : EXTRACT_SMALL_PIECE;
    const size_t len = left < most ? (size_t)left : most;
    const uint64_t place = file->apart ? file->pieces++ % PIECE_HASH_PLACES : 0;
    uint8_t *const piece = extract->buffer + place * EXTRACT_PIECE;

    if (extract_check_stop(extract, err) != ERR_OK)
        return ERR_INTERRUPTED;
    piece_hash_wait(extract->hash);
    const enum err_code rc = file->back >= 0 ? extract_read_back(file, piece, len, err)
                                             : extract_read_image(file, piece, len, err);
    if (rc != ERR_OK)
        return rc;
    piece_hash_add(extract->hash, piece, len);
    file->result->crc64 = crc64_add(file->result->crc64, piece, len);
    file->result->len += len;
    file->piece = piece;
    file->piece_len = len;
    return ERR_OK;
}

static enum err_code extract_write_piece(const struct extract *extract,
                                         const struct extract_file *file, int fd, struct err *err)
{
    for (size_t done = 0; done < file->piece_len;) {
        const ssize_t wrote = write(fd, file->piece + done, file->piece_len - done);

        if (wrote > 0)
            done += (size_t)wrote;
        else if (wrote == 0 || errno != EINTR)
            return extract_file_error(extract, file, "cannot write", err);
    }
    write_back_wrote(extract->back, file->piece_len);
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

enum err_code extract_settle(const struct extract *extract, const struct extract_file *file,
                             struct err *err)
{
    const enum err_code rc = piece_hash_end(extract->hash, file->result->sha256, err);

    return rc == ERR_OK ? extract_compare(file->object, file->result, err) : rc;
}

enum err_code extract_rename(const struct extract *extract, const struct extract_file *file,
                             struct err *err)
{
    struct object_path path = *file->object->path;
    char *const text = file->result->path;

    for (uint32_t tries = 0; tries < EXTRACT_CLASH_MAX; tries++, path.number++) {
        struct stat info;

        object_path_text(&path, text);
        const char *name = text + strlen(path.folder) + 1;
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
        return extract_system_error(extract, text, "cannot rename", err);
    }
    return ERR_RAISE(err, ERR_FULL, "%s/%s: %d files have this name already", extract->dir->path,
                     text, EXTRACT_CLASH_MAX);
}

/* Writes the piece that was read, and the rest of the object. */
static enum err_code extract_write_pieces(const struct extract *extract, struct extract_file *file,
                                          int fd, struct err *err)
{
    enum err_code rc = extract_write_piece(extract, file, fd, err);

    while (rc == ERR_OK && file->result->len < file->len) {
        rc = extract_read(extract, file, err);
        if (rc == ERR_OK)
            rc = extract_write_piece(extract, file, fd, err);
    }
    return rc;
}

int extract_open_part(const struct extract_file *file)
{
    return openat(file->folder, file->part, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC,
                  0600);
}

/* A file system that cannot keep a date takes another one in its place, which would be false. */
void extract_date(const struct extract_file *file, int fd)
{
    const struct timespec times[2] = { { .tv_nsec = UTIME_OMIT },
                                       { .tv_sec = file->object->date } };
    struct stat info;

    if (!file->object->has_date || futimens(fd, times) != 0)
        return;
    file->result->dated = fstat(fd, &info) == 0 && info.st_mtim.tv_sec == file->object->date;
    if (!file->result->dated)
        (void)!futimens(fd, NULL);
}

/* Makes the file, with its first piece read; settled: that is all of it, and right. */
static enum err_code extract_make(const struct extract *extract, struct extract_file *file,
                                  bool settled, struct err *err)
{
    const int fd = extract_open_part(file);

    if (fd < 0)
        return extract_file_error(extract, file, "cannot make the file", err);
    enum err_code rc = extract_write_pieces(extract, file, fd, err);
    if (rc == ERR_OK && !settled)
        rc = extract_settle(extract, file, err);
    if (rc == ERR_OK)
        extract_date(file, fd);
    if (close(fd) != 0 && rc == ERR_OK) /* where quotas and network disks tell late */
        rc = extract_file_error(extract, file, "cannot write", err);
    if (rc == ERR_OK)
        rc = extract_rename(extract, file, err);
    if (rc != ERR_OK)
        unlinkat(file->folder, file->part, 0);
    return rc;
}

/* Small objects are read and compared before there is a file, large ones while it is written. */
static enum err_code extract_copy(const struct extract *extract, struct extract_file *file,
                                  struct err *err)
{
    char ignored[DB_SHA256_HEX + 1];
    enum err_code rc;

    if (extract_share(extract, file, &rc, err))
        return rc;
    rc = piece_hash_begin(extract->hash, file->apart, err);

    if (rc != ERR_OK)
        return rc;
    rc = extract_read(extract, file, err);
    const bool all = rc == ERR_OK && file->result->len == file->len;
    if (all)
        rc = extract_settle(extract, file, err);
    if (rc == ERR_OK)
        rc = extract_make(extract, file, all, err);
    if (file->result->sha256[0] == '\0') { /* no hash was made: whoever makes one has to end */
        struct err second = { 0 };

        (void)!piece_hash_end(extract->hash, ignored, &second);
    }
    return rc;
}

/* Names the temporary file, which nobody else makes, and opens the folder. */
static enum err_code extract_prepare(const struct extract *extract, struct extract_file *file,
                                     struct err *err)
{
    const struct object_path *path = file->object->path;
    char name[OBJECT_PATH_MAX];

    object_path_text(path, name);
    snprintf(file->part, sizeof file->part, ".%s.part", name + strlen(path->folder) + 1);
    file->folder = outdir_folder(extract->dir, path->folder);
    return file->folder >= 0
               ? ERR_OK
               : extract_system_error(extract, path->folder, "cannot make the folder", err);
}

enum err_code extract_write(struct extract *extract, const struct extract_object *object,
                            struct extract_result *result, struct err *err)
{
    struct extract_file file = { .object = object, .result = result, .folder = -1, .back = -1 };

    *result = (struct extract_result){ 0 };
    enum err_code rc = extract_check_stop(extract, err);
    if (rc == ERR_OK)
        rc = extract_check_extents(object, &file.len, err);
    file.apart = extract->apart && file.len >= EXTRACT_LARGE;
    if (rc == ERR_OK)
        rc = extract_prepare(extract, &file, err);
    if (rc == ERR_OK)
        rc = extract_copy(extract, &file, err);
    if (rc == ERR_OK)
        write_back_wrote(extract->back, WRITE_BACK_FILE);
    if (file.folder >= 0)
        close(file.folder);
    return rc;
}

void extract_discard(const struct outdir *dir, const struct extract_result *result)
{
    const char *name = strrchr(result->path, '/');
    char folder[OBJECT_PATH_MAX];

    if (name == NULL)
        return;
    snprintf(folder, sizeof folder, "%.*s", (int)(name - result->path), result->path);
    const int fd = outdir_folder(dir, folder);
    if (fd >= 0) {
        unlinkat(fd, name + 1, 0);
        close(fd);
    }
}
