/* SPDX-License-Identifier: Apache-2.0
 * carver/audit/state.c - see state.h. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include "carver/audit/atomic_file.h"
#include "carver/audit/state.h"
#include "db/files.h"

static enum err_code state_failed(const char *path, const char *what, struct err *err)
{
    return ERR_RAISE(err, ERR_ENV, "%s: %s: %s", path, what, strerror(errno));
}

static enum err_code state_path(const struct state *state, const char *name,
                                char out[STATE_PATH_MAX], struct err *err)
{
    return snprintf(out, STATE_PATH_MAX, "%s/%s", state->folder, name) < STATE_PATH_MAX
               ? ERR_OK
               : ERR_RAISE(err, ERR_INPUT, "%s: the path is too long", state->folder);
}

static enum err_code state_lock(struct state *state, struct err *err)
{
    char path[STATE_PATH_MAX];
    enum err_code rc = state_path(state, "lock", path, err);

    if (rc != ERR_OK)
        return rc;
    state->lock = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
    if (state->lock < 0)
        return state_failed(path, "cannot be opened", err);
    if (flock(state->lock, LOCK_EX | LOCK_NB) == 0)
        return ERR_OK;
    return errno == EWOULDBLOCK
               ? ERR_RAISE(err, ERR_INPUT, "%s: another audit is at work there; wait for its end",
                           state->folder)
               : state_failed(path, "cannot be locked", err);
}

/* A key that is there already, or a new one. */
static enum err_code state_key(struct state *state, struct err *err)
{
    char path[STATE_PATH_MAX];
    enum err_code rc = state_path(state, "key", path, err);
    struct stat st;

    if (rc != ERR_OK)
        return rc;
    const int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
    if (fd < 0 && errno == ENOENT) {
        if (getrandom(state->key, sizeof state->key, 0) != (ssize_t)sizeof state->key)
            return state_failed(path, "no random bytes", err);
        return atomic_file_write(path, state->key, sizeof state->key, 0600, err);
    }
    if (fd < 0)
        return state_failed(path, "cannot be opened", err);
    if (fstat(fd, &st) != 0 || !S_ISREG(st.st_mode) || st.st_size != SECRET_KEY_LEN ||
        read(fd, state->key, sizeof state->key) != (ssize_t)sizeof state->key)
        rc = ERR_RAISE(err, ERR_INPUT,
                       "%s: not a key of %d bytes; with another key no fingerprint of an allow "
                       "list holds, so bring back the old one, or remove it for a new one",
                       path, SECRET_KEY_LEN);
    close(fd);
    return rc;
}

/* When the last run was finished; a file that says nothing is as good as none. */
static enum err_code state_success(struct state *state, struct err *err)
{
    char path[STATE_PATH_MAX], text[32] = "";
    const enum err_code rc = state_path(state, "success", path, err);

    if (rc != ERR_OK)
        return rc;
    const int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
    state->success = fd >= 0 && read(fd, text, sizeof text - 1) > 0 ? strtoll(text, NULL, 10) : 0;
    if (fd >= 0)
        close(fd);
    return ERR_OK;
}

/* The number of the run whose case file has this name; 0: it is another name. */
static uint32_t state_number(const char *name)
{
    const bool is = strncmp(name, "run-", 4) == 0;
    const unsigned long number = is ? strtoul(name + 4, NULL, 10) : 0;
    char again[32];

    if (number == 0 || number > STATE_RUN_MAX)
        return 0;
    snprintf(again, sizeof again, "run-%06lu.burin", number);
    return strcmp(name, again) == 0 ? (uint32_t)number : 0;
}

bool state_run(const struct state *state, uint32_t number, char out[STATE_PATH_MAX])
{
    return snprintf(out, STATE_PATH_MAX, "%s/run-%06" PRIu32 ".burin", state->folder, number) <
               STATE_PATH_MAX &&
           number > 0 && access(out, F_OK) == 0;
}

enum err_code state_look(struct state *state, struct err *err)
{
    char whole[STATE_PATH_MAX];
    enum err_code rc = state_path(state, "unfinished.burin", state->unfinished, err);
    if (rc == ERR_OK)
        rc = state_path(state, "parts", state->parts, err);
    if (rc == ERR_OK)
        rc = state_path(state, "parts.whole", whole, err);
    DIR *dir = rc == ERR_OK ? opendir(state->folder) : NULL;

    if (rc != ERR_OK)
        return rc;
    if (dir == NULL)
        return state_failed(state->folder, "cannot be read", err);
    state->has_parts = access(whole, F_OK) == 0 && access(state->parts, F_OK) == 0;
    state->last_number = 0;
    for (const struct dirent *entry; (entry = readdir(dir)) != NULL;) {
        const uint32_t number = state_number(entry->d_name);

        if (number > state->last_number)
            state->last_number = number;
    }
    closedir(dir);
    state->last[0] = '\0';
    if (state->last_number > 0)
        (void)state_run(state, state->last_number, state->last);
    state->resumes = access(state->unfinished, F_OK) == 0;
    return ERR_OK;
}

enum err_code state_open(const char *folder, struct state *out, struct err *err)
{
    *out = (struct state){ .folder = folder, .lock = -1 };
    if (mkdir(folder, 0700) != 0 && errno != EEXIST)
        return state_failed(folder, "cannot be made", err);
    enum err_code rc = state_path(out, "latest.html", out->page, err);
    if (rc == ERR_OK)
        rc = state_success(out, err); /* first: it is told whatever comes of the run */
    if (rc == ERR_OK)
        rc = state_lock(out, err);
    if (rc == ERR_OK)
        rc = state_key(out, err);
    return rc == ERR_OK ? state_look(out, err) : rc;
}

void state_close(struct state *state)
{
    if (state->lock >= 0)
        close(state->lock);
    state->lock = -1;
}

enum err_code state_remove(const char *path, struct err *err)
{
    char name[DB_FILE_NAME_MAX];

    for (int i = DB_FILES_COUNT - 1; i >= 0; i--) { /* the case file last */
        db_file_name(path, (enum db_file)i, name);
        if (unlink(name) != 0 && errno != ENOENT)
            return state_failed(name, "cannot be removed", err);
    }
    return ERR_OK;
}

enum err_code state_drop(struct state *state, struct err *err)
{
    state->resumes = false;
    return state_remove(state->unfinished, err);
}

enum err_code state_begin(const struct state *state, struct err *err)
{
    char whole[STATE_PATH_MAX];
    const enum err_code rc = state_path(state, "parts.whole", whole, err);

    return rc != ERR_OK || unlink(whole) == 0 || errno == ENOENT
               ? rc
               : state_failed(whole, "cannot be removed", err);
}

/* Gives the case file its name, and takes its seal along. */
static enum err_code state_rename(struct state *state, struct err *err)
{
    char from[DB_FILE_NAME_MAX], to[DB_FILE_NAME_MAX];

    db_file_name(state->unfinished, DB_FILE_SEAL, from);
    db_file_name(state->last, DB_FILE_SEAL, to);
    if (rename(from, to) != 0 && errno != ENOENT)
        return state_failed(from, "cannot be renamed", err);
    if (rename(state->unfinished, state->last) != 0)
        return state_failed(state->unfinished, "cannot be renamed", err);
    return state_remove(state->unfinished, err); /* what is left beside it, such as its lock */
}

enum err_code state_finish(struct state *state, uint32_t keep, int64_t now, struct err *err)
{
    char path[STATE_PATH_MAX], text[32];

    if (state->last_number == STATE_RUN_MAX)
        return ERR_RAISE(err, ERR_ENV, "%s: %d runs are in it; begin with another state folder",
                         state->folder, STATE_RUN_MAX);
    (void)state_run(state, state->last_number + 1, state->last);
    enum err_code rc = state_rename(state, err);
    if (rc == ERR_OK) {
        state->last_number++;
        state->resumes = false;
    }
    for (uint32_t number = state->last_number; rc == ERR_OK && number > keep; number--)
        if (state_run(state, number - keep, path))
            rc = state_remove(path, err);
    if (rc == ERR_OK && access(state->parts, F_OK) == 0)
        rc = state_path(state, "parts.whole", path, err);
    else
        path[0] = '\0';
    if (rc == ERR_OK && path[0] != '\0')
        rc = atomic_file_write(path, "", 0, 0600, err);
    if (rc == ERR_OK)
        rc = state_path(state, "success", path, err);
    if (rc == ERR_OK) {
        snprintf(text, sizeof text, "%" PRId64 "\n", now);
        rc = atomic_file_write(path, text, strlen(text), 0600, err);
    }
    if (rc == ERR_OK)
        state->success = now;
    return rc;
}
