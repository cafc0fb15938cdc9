/* SPDX-License-Identifier: Apache-2.0
 * carver/audit/atomic_file.c - see atomic_file.h. */
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "carver/audit/atomic_file.h"

enum err_code atomic_file_open(const char *path, mode_t mode, struct atomic_file *out,
                               struct err *err)
{
    *out = (struct atomic_file){ 0 };
    if (snprintf(out->path, sizeof out->path, "%s", path) >= (int)sizeof out->path ||
        snprintf(out->aside, sizeof out->aside, "%s.%ld", path, (long)getpid()) >=
            (int)sizeof out->aside)
        return ERR_RAISE(err, ERR_ENV, "%s: the path is too long", path);
    (void)unlink(out->aside); /* of a process of this number that was killed */
    const int fd = open(out->aside, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, mode);
    if (fd < 0)
        return ERR_RAISE(err, ERR_ENV, "%s: cannot be made: %s", out->aside, strerror(errno));
    (void)fchmod(fd, mode); /* whatever the mask of the user says: others are to read it */
    out->stream = fdopen(fd, "w");
    if (out->stream != NULL)
        return ERR_OK;
    close(fd);
    (void)unlink(out->aside);
    return ERR_NO_MEMORY(err, BUFSIZ);
}

enum err_code atomic_file_keep(struct atomic_file *file, struct err *err)
{
    errno = 0;
    const bool whole = fflush(file->stream) == 0 && !ferror(file->stream) &&
                       fsync(fileno(file->stream)) == 0 && rename(file->aside, file->path) == 0;
    const int why = errno;

    if (!whole) {
        atomic_file_drop(file);
        return ERR_RAISE(err, ERR_ENV, "%s: cannot be written: %s", file->path,
                         strerror(why != 0 ? why : EIO));
    }
    fclose(file->stream);
    file->stream = NULL;
    return ERR_OK;
}

void atomic_file_drop(struct atomic_file *file)
{
    if (file->stream == NULL)
        return;
    fclose(file->stream);
    file->stream = NULL;
    (void)unlink(file->aside);
}

enum err_code atomic_file_write(const char *path, const void *bytes, size_t len, mode_t mode,
                                struct err *err)
{
    struct atomic_file file;
    enum err_code rc = atomic_file_open(path, mode, &file, err);

    if (rc != ERR_OK)
        return rc;
    (void)fwrite(bytes, 1, len, file.stream); /* what did not fit is told when it is kept */
    return atomic_file_keep(&file, err);
}
