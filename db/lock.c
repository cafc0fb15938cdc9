/* SPDX-License-Identifier: Apache-2.0
 * db/lock.c - see lock.h. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "db/connection.h"
#include "db/files.h"
#include "db/lock.h"

enum { LOCK_AGAIN_NS = 100000000 }; /* between two tries */

struct db_lock {
    char path[PATH_MAX];         /* of the case file, absolute */
    char name[DB_FILE_NAME_MAX]; /* of the lock's file */
    int fd;
};

/* "burin scan": the program's name without its folder, and the first word behind it. */
static void lock_program(char *out, size_t size)
{
    char words[512] = "";
    FILE *in = fopen("/proc/self/cmdline", "re");
    const size_t len = in != NULL ? fread(words, 1, sizeof words - 2, in) : 0;

    if (in != NULL)
        fclose(in);
    words[len] = words[len + 1] = '\0';
    const char *slash = strrchr(words, '/');
    const char *command = words + strlen(words) + 1;

    snprintf(out, size, "%.60s%s%.60s", slash != NULL ? slash + 1 : words,
             command[0] != '\0' && command < words + len ? " " : "",
             command < words + len ? command : "");
}

static void lock_write_holder(const struct db_lock *lock)
{
    char program[128], host[128] = "", now[DB_TIME_SIZE];
    char text[DB_LOCK_HOLDER_MAX + sizeof DB_LOCK_HEAD];

    lock_program(program, sizeof program);
    if (gethostname(host, sizeof host - 1) != 0)
        host[0] = '\0';
    db_time_now(now);
    const int len = snprintf(text, sizeof text, DB_LOCK_HEAD "%s, process %ld on %s, since %s\n",
                             program, (long)getpid(), host, now);
    /* Only people read it: without room on the disk the lock is as good. */
    if (ftruncate(lock->fd, 0) != 0 || pwrite(lock->fd, text, (size_t)len, 0) != len)
        (void)!ftruncate(lock->fd, 0);
}

static void lock_read_holder(int fd, char *holder)
{
    char text[DB_LOCK_HOLDER_MAX + sizeof DB_LOCK_HEAD];
    const ssize_t len = pread(fd, text, sizeof text - 1, 0);
    const size_t head = sizeof DB_LOCK_HEAD - 1;

    snprintf(holder, DB_LOCK_HOLDER_MAX, "another burin");
    if (len <= (ssize_t)head || memcmp(text, DB_LOCK_HEAD, head) != 0)
        return;
    text[len] = '\0';
    text[head + strcspn(text + head, "\n")] = '\0';
    for (char *p = text + head; *p != '\0'; p++)
        if ((unsigned char)*p < ' ' || *p == 0x7f)
            *p = '?';
    snprintf(holder, DB_LOCK_HOLDER_MAX, "%.*s", DB_LOCK_HOLDER_MAX - 1, text + head);
}

/* One try. *taken is false when another program has the lock, which holder then names. */
static enum err_code lock_try(struct db_lock *lock, bool *taken, char *holder, struct err *err)
{
    struct flock range = { .l_type = F_WRLCK, .l_whence = SEEK_SET };
    struct stat open_file, named;

    *taken = false;
    lock->fd = open(lock->name, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0600);
    if (lock->fd < 0)
        return ERR_RAISE(err, ERR_ENV,
                         "%s: the case file or its folder may not be written: %s: %s; change the "
                         "permissions, or use another folder",
                         lock->path, lock->name, strerror(errno));
    if (fcntl(lock->fd, F_OFD_SETLK, &range) == 0) {
        /* Who held it may have removed the file between our open and our lock. */
        *taken = fstat(lock->fd, &open_file) == 0 && stat(lock->name, &named) == 0 &&
                 open_file.st_dev == named.st_dev && open_file.st_ino == named.st_ino;
        holder[0] = '\0';
    } else if (errno == EAGAIN || errno == EACCES) {
        lock_read_holder(lock->fd, holder);
    } else {
        return ERR_RAISE(err, ERR_ENV, "%s: cannot be locked: %s; use a folder on another disk",
                         lock->name, strerror(errno));
    }
    if (!*taken) {
        close(lock->fd);
        lock->fd = -1;
    }
    return ERR_OK;
}

static enum err_code lock_wait(struct db_lock *lock, const struct db_wait *wait, struct err *err)
{
    const struct timespec pause = { .tv_nsec = LOCK_AGAIN_NS };
    char holder[DB_LOCK_HOLDER_MAX] = "";
    bool taken = false;
    enum err_code rc = lock_try(lock, &taken, holder, err);

    while (rc == ERR_OK && !taken) {
        const bool held = holder[0] != '\0'; /* else only the file was exchanged: at once again */

        if (held && wait == NULL)
            return ERR_RAISE(err, ERR_INPUT,
                             "%s: another program writes to this case file (%s); --wait "
                             "waits for it to end, --case names another case file",
                             lock->path, holder);
        if (held && !wait->go_on(wait->arg, holder))
            return ERR_RAISE(err, ERR_INTERRUPTED, "%s: stopped while waiting for %s", lock->path,
                             holder);
        if (held)
            nanosleep(&pause, NULL);
        rc = lock_try(lock, &taken, holder, err);
    }
    return rc;
}

/* SQLite names its other files by the path: through two names two programs would not know of each
 * other. */
static enum err_code lock_refuse_links(const char *path, struct err *err)
{
    struct stat st;

    if (lstat(path, &st) == 0 && S_ISREG(st.st_mode) && st.st_nlink > 1)
        return ERR_RAISE(
            err, ERR_INPUT,
            "%s: the file has other names too (hard links), and writing would change it "
            "under those; copy it, and use the copy",
            path);
    return ERR_OK;
}

enum err_code db_lock_take(const char *path, const struct db_wait *wait, struct db_lock **out,
                           struct err *err)
{
    struct db_lock *lock = malloc(sizeof *lock);

    *out = NULL;
    if (lock == NULL)
        return ERR_NO_MEMORY(err, sizeof *lock);
    lock->fd = -1;
    enum err_code rc = db_file_absolute(path, lock->path, err);
    if (rc == ERR_OK)
        rc = db_files_check(lock->path, err);
    if (rc == ERR_OK)
        rc = lock_refuse_links(lock->path, err);
    if (rc == ERR_OK) {
        db_file_name(lock->path, DB_FILE_LOCK, lock->name);
        rc = lock_wait(lock, wait, err);
    }
    if (rc == ERR_OK) {
        lock_write_holder(lock);
        *out = lock;
    } else {
        if (lock->fd >= 0)
            close(lock->fd);
        free(lock);
    }
    return rc;
}

void db_lock_release(struct db_lock *lock)
{
    if (lock == NULL)
        return;
    unlink(lock->name); /* while it is held: nobody else's can be removed */
    close(lock->fd);
    free(lock);
}

const char *db_lock_path(const struct db_lock *lock)
{
    return lock->path;
}

bool db_lock_held(const char *path, char *holder)
{
    struct flock range = { .l_type = F_RDLCK, .l_whence = SEEK_SET };
    char absolute[PATH_MAX], name[DB_FILE_NAME_MAX];

    if (db_file_absolute(path, absolute, NULL) != ERR_OK)
        return false;
    db_file_name(absolute, DB_FILE_LOCK, name);
    const int fd = open(name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
    if (fd < 0)
        return false;
    const bool held = fcntl(fd, F_OFD_GETLK, &range) == 0 && range.l_type != F_UNLCK;
    if (held && holder != NULL)
        lock_read_holder(fd, holder);
    close(fd);
    return held;
}
