/* SPDX-License-Identifier: Apache-2.0
 * carver/case/new_file.c - see new_file.h. */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "carver/case/evidence.h"
#include "carver/case/new_file.h"
#include "io/image.h"

/* What is not there any more, or is none that can be read, cannot be told from other files; a file
 * that is new is no part of it. */
static enum err_code new_file_refuse(struct db_case *db, const char *path, const char *what,
                                     struct err *err)
{
    uint32_t count = 0;
    enum err_code rc = db_image_count(db, &count, err);

    for (uint32_t i = 0; rc == ERR_OK && i < count; i++) {
        struct db_image image;
        struct io_image *open = NULL;

        rc = db_image_get(db, (int64_t)i + 1, &image, err);
        if (rc == ERR_OK && io_image_open(image.path, NULL, &open, NULL) == ERR_OK) {
            rc = evidence_refuse_output(open, path, what, err);
            io_image_close(open);
        }
    }
    return rc;
}

enum err_code new_file_open(struct db_case *db, const char *path, const char *what,
                            struct new_file *out, struct err *err)
{
    enum err_code rc = new_file_refuse(db, path, what, err);
    int fd = -1;

    *out = (struct new_file){ 0 };
    if (rc != ERR_OK)
        return rc;
    fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0666);
    if (fd < 0)
        return errno == EEXIST
                   ? ERR_RAISE(err, ERR_INPUT,
                               "%s: is there already; %s is never written over a file, so name "
                               "another one",
                               path, what)
                   : ERR_RAISE(err,
                               errno == ENOENT || errno == ENOTDIR || errno == ENAMETOOLONG
                                   ? ERR_INPUT
                                   : ERR_ENV,
                               "%s: cannot be made: %s", path, strerror(errno));
    out->path = path;
    out->stream = fdopen(fd, "w");
    if (out->stream == NULL) {
        close(fd);
        unlink(path);
        return ERR_NO_MEMORY(err, BUFSIZ);
    }
    return ERR_OK;
}

enum err_code new_file_keep(struct new_file *file, struct err *err)
{
    errno = 0;
    const bool written =
        fflush(file->stream) == 0 && !ferror(file->stream) && fsync(fileno(file->stream)) == 0;
    const int why = errno;

    if (!written) {
        const char *path = file->path;

        new_file_drop(file);
        return ERR_RAISE(err, ERR_ENV, "%s: cannot be written: %s; it was removed", path,
                         strerror(why != 0 ? why : EIO));
    }
    fclose(file->stream);
    *file = (struct new_file){ 0 };
    return ERR_OK;
}

void new_file_drop(struct new_file *file)
{
    if (file->stream == NULL)
        return;
    fclose(file->stream);
    unlink(file->path);
    *file = (struct new_file){ 0 };
}
