/* SPDX-License-Identifier: Apache-2.0
 * io/image/remote.c - see remote.h. Nothing that the process says is believed that does not fit. */
#include <errno.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/limits.h"
#include "io/image/image_impl.h"
#include "io/image/remote.h"
#include "io/image/remote_link.h"
#include "io/image/server.h"

enum {
    REMOTE_UNREAD_MAX = 1 << 22, /* ranges; more than any container here can list */
    REMOTE_SECTOR_MAX = 1 << 16, /* bytes */
    REMOTE_UNIT_MAX = 1 << 30,   /* bytes */
};

struct image_remote {
    struct io_image base;
    const struct io_container *container;
    char *path;           /* owned */
    pthread_mutex_t lock; /* of all below: one request at a time */
    struct remote_link link;
    uint64_t reads;        /* asked of this process */
    uint64_t ends_counted; /* each of a process as remote.h says */
    uint32_t ends;
};

static enum err_code remote_code(const struct server_answer *answer)
{
    return answer->code == ERR_OK || answer->code == ERR_INPUT || answer->code == ERR_IO
               ? (enum err_code)answer->code
               : ERR_ENV;
}

/* What the first answer says that an image cannot have. */
static bool remote_fits(const struct server_answer *answer)
{
    return answer->size > 0 && answer->size <= INT64_MAX && answer->sector_size >= LIMIT_SECTOR &&
           answer->sector_size <= REMOTE_SECTOR_MAX && answer->salvage_unit <= REMOTE_UNIT_MAX &&
           answer->part_count > 0 && answer->part_count <= LIMIT_IMAGE_PARTS &&
           answer->unread_count <= REMOTE_UNREAD_MAX;
}

/* The process has ended at its work. */
static void remote_ended(struct image_remote *remote, const char *why, bool late)
{
    remote->ends++;
    remote->ends_counted += late ? REMOTE_ENDS_LATE : 1;
    snprintf(remote->base.trouble, sizeof remote->base.trouble,
             "the process that reads this %s ended %" PRIu32 " time%s, and was started again: %s",
             remote->container->name, remote->ends, remote->ends == 1 ? "" : "s", why);
}

/* Starts a process; *answer is what it says of the image. */
static enum err_code remote_start(struct image_remote *remote, struct server_answer *answer,
                                  struct err *err)
{
    char why[REMOTE_WHY_MAX];
    bool late;

    enum err_code rc = remote_link_open(&remote->link, remote->container, remote->path, err);
    if (rc != ERR_OK)
        return rc;
    remote->reads = 0;
    if (!remote_link_hear(&remote->link, answer, why, &late))
        return ERR_RAISE(err, ERR_INPUT,
                         "%s: the process that was to open this %s ended over it: %s; the file is "
                         "damaged, or made to "
                         "do harm",
                         remote->path, remote->container->name, why);
    rc = remote_code(answer);
    if (rc != ERR_OK)
        rc = ERR_RAISE(err, rc, "%s", answer->text);
    else if (!remote_fits(answer))
        rc = ERR_RAISE(err, ERR_INPUT,
                       "%s: the process that opened this %s says of it what cannot be",
                       remote->path, remote->container->name);
    if (rc != ERR_OK)
        remote_link_close(&remote->link, NULL);
    return rc;
}

/* Starts another process where the last one has ended. */
static enum err_code remote_restart(struct image_remote *remote, struct err *err)
{
    struct server_answer answer;
    struct err why = { 0 };

    if (remote->link.socket >= 0)
        return ERR_OK;
    if (remote->ends_counted >= REMOTE_ENDS_MAX)
        return ERR_RAISE(
            err, ERR_ENV,
            "%s: cannot be read any more: %s; convert it to a raw image with the tool that made it",
            remote->path, remote->base.trouble);
    const enum err_code rc = remote_start(remote, &answer, &why);
    if (rc != ERR_OK)
        return ERR_RAISE(err, ERR_ENV, "%s: cannot be opened again: %.600s", remote->path,
                         why.text);
    if (answer.size == remote->base.size && answer.sector_size == remote->base.sector_size)
        return ERR_OK;
    remote_link_close(&remote->link, NULL);
    return ERR_RAISE(err, ERR_ENV, "%s: has changed while it was read", remote->path);
}

/* What a process says of a read. */
static enum err_code remote_take(struct image_remote *remote, const struct server_answer *answer,
                                 uint8_t *dst, size_t len, struct io_failure *failure,
                                 struct err *err)
{
    const enum err_code rc = remote_code(answer);

    if (rc == ERR_OK) {
        memcpy(dst, remote->link.window, len);
        return ERR_OK;
    }
    failure->cause = answer->cause < 0 ? EIO : answer->cause;
    failure->source =
        answer->source <= IO_BAD_ACQUISITION ? (enum io_bad_source)answer->source : IO_BAD_READ;
    if (answer->unit >= LIMIT_SECTOR && answer->unit <= REMOTE_UNIT_MAX)
        failure->unit = answer->unit;
    return ERR_RAISE(err, rc, "%s", answer->text);
}

/*
 * One piece, which fits the window. What ends a process may have happened long before, or outside
 * of it: only a place that ends one that has just begun is to blame.
 */
static enum err_code remote_piece(struct image_remote *remote, uint64_t offset, uint8_t *dst,
                                  size_t len, struct io_failure *failure, struct err *err)
{
    struct server_request request = { .ask = SERVER_READ, .offset = offset, .len = len };
    struct server_answer answer;
    char why[REMOTE_WHY_MAX] = "it ended";
    bool late = false;

    for (bool fresh = false; !fresh && !late;) {
        const enum err_code rc = remote_restart(remote, err);

        if (rc != ERR_OK)
            return rc;
        fresh = remote->reads == 0;
        remote->reads++;
        /* Where it cannot be asked, it is not there to be heard either, and that says why. */
        (void)remote_link_ask(&remote->link, &request);
        if (remote_link_hear(&remote->link, &answer, why, &late))
            return remote_take(remote, &answer, dst, len, failure, err);
        remote_ended(remote, why, late);
    }
    failure->cause = EIO;
    failure->source = IO_BAD_READ;
    if (late) /* once is enough */
        failure->unit = UINT32_MAX;
    return ERR_RAISE(err, ERR_IO,
                     "%s: bytes %" PRIu64 "+%zu of the image: the process that reads it ended: %s",
                     remote->path, offset, len, why);
}

static enum err_code remote_read_at(struct io_image *image, uint64_t offset, uint8_t *dst,
                                    size_t len, struct io_failure *failure, struct err *err)
{
    struct image_remote *remote = (struct image_remote *)image;
    enum err_code rc = ERR_OK;

    pthread_mutex_lock(&remote->lock);
    for (size_t done = 0, piece; rc == ERR_OK && done < len; done += piece) {
        const uint64_t at = offset + done;
        const size_t room = (size_t)(SERVER_WINDOW - at % SERVER_WINDOW);

        piece = len - done < room ? len - done : room;
        rc = remote_piece(remote, at, dst + done, piece, failure, err);
    }
    pthread_mutex_unlock(&remote->lock);
    return rc;
}

static void remote_close(struct io_image *image)
{
    struct image_remote *remote = (struct image_remote *)image;

    remote_link_close(&remote->link, NULL);
    pthread_mutex_destroy(&remote->lock);
    free(remote->path);
    io_image_release(image);
    free(remote);
}

/* A request at the start, when an end is the end. */
static enum err_code remote_ask(struct image_remote *remote, uint32_t ask, uint64_t number,
                                struct server_answer *answer, struct err *err)
{
    struct server_request request = { .ask = ask, .offset = number };
    char why[REMOTE_WHY_MAX] = "it ended";
    bool late;

    (void)remote_link_ask(&remote->link, &request);
    if (!remote_link_hear(&remote->link, answer, why, &late))
        return ERR_RAISE(err, ERR_INPUT,
                         "%s: the process that was to open this %s ended over it: %s", remote->path,
                         remote->container->name, why);
    return ERR_OK;
}

static enum err_code remote_take_parts(struct image_remote *remote, uint32_t count, struct err *err)
{
    struct server_answer answer;
    char path[LIMIT_PATH];
    struct stat st;
    enum err_code rc = ERR_OK;

    for (uint32_t i = 0; rc == ERR_OK && i < count; i++) {
        rc = remote_ask(remote, SERVER_PART, i, &answer, err);
        if (rc != ERR_OK)
            return rc;
        if (answer.count == 0 || answer.count > sizeof path)
            return ERR_RAISE(err, ERR_INPUT, "%s: the path of a part of it is too long",
                             remote->path);
        memcpy(path, remote->link.window, answer.count);
        path[answer.count - 1] = '\0';
        if (io_image_is_address(path))
            memset(&st, 0, sizeof st); /* no file of this machine */
        else if (stat(path, &st) != 0)
            return ERR_RAISE(err, ERR_INPUT, "%s: this part of the image has gone: %s", path,
                             strerror(errno));
        rc = io_image_add_part(&remote->base, path, &st, err);
    }
    return rc;
}

/* The ranges have to be ascending, apart and inside of the image. */
static enum err_code remote_take_unread(struct image_remote *remote, uint32_t count,
                                        struct err *err)
{
    struct io_bad_list *list = &remote->base.unread;
    struct server_answer answer;
    uint64_t end = 0;

    for (uint32_t have = 0; have < count; have += answer.count) {
        const enum err_code rc = remote_ask(remote, SERVER_UNREAD, have, &answer, err);
        bool fits = rc == ERR_OK && answer.count > 0 && answer.count <= count - have &&
                    answer.count <= SERVER_WINDOW / sizeof *list->items;

        if (rc != ERR_OK)
            return rc;
        for (uint32_t i = 0; fits && i < answer.count; i++) {
            struct io_bad_range range;

            memcpy(&range, remote->link.window + i * sizeof range, sizeof range);
            fits = range.offset >= end && range.len > 0 && range.offset <= remote->base.size &&
                   range.len <= remote->base.size - range.offset &&
                   (uint32_t)range.source <= IO_BAD_ACQUISITION && range.status != '\0' &&
                   strchr(IO_STATUSES, range.status) != NULL;
            end = range.offset + range.len;
            if (fits)
                io_bad_list_add(list, &range);
        }
        if (!fits)
            return ERR_RAISE(err, ERR_INPUT, "%s: its list of what was not read is damaged",
                             remote->path);
        if (list->failed)
            return ERR_NO_MEMORY(err, list->room * sizeof *list->items);
    }
    return ERR_OK;
}

/* Names and values may be anything: io_facts_add takes what can be. */
static enum err_code remote_take_facts(struct image_remote *remote, struct err *err)
{
    char text[IO_FACT_NAME_MAX + IO_FACT_VALUE_MAX + 1];
    struct server_answer answer = { .count = 1 };
    enum err_code rc = ERR_OK;

    for (uint32_t i = 0; i < IO_FACTS_MAX && answer.count > 0; i++) {
        rc = remote_ask(remote, SERVER_FACT, i, &answer, err);
        if (rc != ERR_OK || answer.count == 0)
            break;
        if (answer.count >= sizeof text)
            return ERR_RAISE(err, ERR_INPUT, "%s: what it says of itself is damaged", remote->path);
        memcpy(text, remote->link.window, answer.count);
        text[answer.count] = '\0'; /* a name that has no end ends here; a value likewise */
        text[answer.count - 1] = '\0';
        const size_t name = strlen(text);

        if (name < answer.count && !io_facts_add(&remote->base.facts, text, text + name + 1))
            return ERR_NO_MEMORY(err, sizeof text);
    }
    return rc;
}

static enum err_code remote_begin(struct image_remote *remote, struct err *err)
{
    struct server_answer answer;
    enum err_code rc = io_server_need(err);

    if (rc == ERR_OK)
        rc = remote_start(remote, &answer, err);
    if (rc != ERR_OK)
        return rc;
    remote->base.size = answer.size;
    remote->base.sector_size = answer.sector_size;
    remote->base.salvage_unit = answer.salvage_unit;
    rc = remote_take_parts(remote, answer.part_count, err);
    if (rc == ERR_OK)
        rc = remote_take_unread(remote, answer.unread_count, err);
    return rc == ERR_OK ? remote_take_facts(remote, err) : rc;
}

enum err_code io_remote_open(const struct io_container *container, const char *path,
                             struct io_image **out, struct err *err)
{
    static const struct io_image_ops ops = { .read_at = remote_read_at, .close = remote_close };
    struct image_remote *remote = calloc(1, sizeof *remote);

    if (remote == NULL)
        return ERR_NO_MEMORY(err, sizeof *remote);
    pthread_mutex_init(&remote->lock, NULL); /* cannot fail with default attributes on Linux */
    remote->base.ops = &ops;
    remote->base.format = container->name;
    remote->container = container;
    remote->link = (struct remote_link){ .socket = -1, .memory = -1 };
    remote->path = strdup(path);
    const enum err_code rc =
        remote->path == NULL ? ERR_NO_MEMORY(err, strlen(path) + 1) : remote_begin(remote, err);
    if (rc != ERR_OK) {
        remote_close(&remote->base);
        return rc;
    }
    *out = &remote->base;
    return ERR_OK;
}
