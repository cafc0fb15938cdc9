/* SPDX-License-Identifier: Apache-2.0
 * io/image/nbd_link.c - see nbd_link.h. */
#include <errno.h>
#include <inttypes.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/limits.h"
#include "io/image/nbd_link.h"
#include "io/image/reach_link.h"

enum { LINK_MS = 1000000, LINK_MORE_SECONDS = 2 /* for a connection that need not be */ };

/*
 * Waits until a connection has something to do, and does it. False: the server was silent until
 * then, in nanoseconds of CLOCK_MONOTONIC.
 */
static bool link_turn(struct nbd_link *link, uint64_t until)
{
    const uint64_t now = clock_now(CLOCK_MONOTONIC);
    struct pollfd waits[NBD_LINKS_MAX];

    for (uint32_t i = 0; i < link->count; i++) {
        const unsigned way = link->lib.nbd_aio_get_direction(link->links[i]);

        waits[i] = (struct pollfd){ .fd = link->lib.nbd_aio_get_fd(link->links[i]) };
        waits[i].events = (short)((way & LIBNBD_AIO_DIRECTION_READ ? POLLIN : 0) |
                                  (way & LIBNBD_AIO_DIRECTION_WRITE ? POLLOUT : 0));
        if (waits[i].events == 0) /* it is dead; poll would say so again and again */
            waits[i].fd = -1;
    }
    const int ready =
        now >= until ? 0 : poll(waits, link->count, (int)((until - now) / LINK_MS) + 1);
    if (ready < 0 && errno == EINTR)
        return true;
    for (uint32_t i = 0; ready > 0 && i < link->count; i++) {
        const short got = waits[i].revents;

        /* What they say is found out where it matters, command by command. */
        if ((got & POLLOUT) != 0 && (waits[i].events & POLLOUT) != 0)
            (void)link->lib.nbd_aio_notify_write(link->links[i]);
        else if ((got & (POLLIN | POLLHUP | POLLERR)) != 0)
            (void)link->lib.nbd_aio_notify_read(link->links[i]);
    }
    return ready > 0;
}

static uint64_t link_until(uint32_t seconds)
{
    return clock_now(CLOCK_MONOTONIC) + seconds * UINT64_C(1000) * LINK_MS;
}

/* libnbd's words for what went wrong last. */
static const char *link_why(const struct nbd_link *link)
{
    const char *why = link->lib.nbd_get_error();

    return why != NULL ? why : "the server has gone";
}

/*
 * Whether the errno of a handshake says that the server ended it without a word, as one does that
 * is killed. libnbd has none for the end of the bytes.
 */
static bool link_broke_off(int cause)
{
    return cause == 0 || cause == ECONNRESET || cause == EPIPE;
}

static enum err_code link_connect(struct nbd_link *link, const char *export_name, uint32_t seconds,
                                  struct err *err)
{
    const uint64_t until = link_until(seconds);
    struct nbd_handle *handle;
    int fd;
    enum err_code rc = io_reach_connect(link->path, link->format, seconds, &fd, err);

    if (rc != ERR_OK)
        return rc;
    handle = link->lib.nbd_create();
    if (handle == NULL) {
        close(fd);
        return ERR_NO_MEMORY(err, sizeof *link);
    }
    link->links[link->count++] = handle;
    if (link->lib.nbd_set_export_name(handle, export_name) != 0 ||
        link->lib.nbd_set_pread_initialize(handle, false) != 0 ||
        link->lib.nbd_add_meta_context(handle, LIBNBD_CONTEXT_BASE_ALLOCATION) != 0)
        return ERR_RAISE(err, ERR_INPUT, "%s: %s", link->path, link_why(link));
    /* A greeting that is there already is read at once, and so may an end of it be. */
    const bool begun = link->lib.nbd_aio_connect_socket(handle, fd) == 0;
    while (begun && link->lib.nbd_aio_is_connecting(handle) > 0)
        if (!link_turn(link, until))
            return ERR_RAISE(err, ERR_ENV, "%s: the server does not answer", link->path);
    if (begun && link->lib.nbd_aio_is_ready(handle) > 0)
        return ERR_OK;
    if (link_broke_off(link->lib.nbd_get_errno()))
        return ERR_RAISE(err, ERR_ENV, "%s: the server has broken off: %s", link->path,
                         link_why(link));
    return ERR_RAISE(err, ERR_INPUT, "%s: the server does not give this export: %s", link->path,
                     link_why(link));
}

/* What the server says of the image, and what cannot be. */
static enum err_code link_learn(struct nbd_link *link, struct err *err)
{
    struct nbd_handle *first = link->links[0];
    const int64_t size = link->lib.nbd_get_size(first);
    const int64_t least = link->lib.nbd_get_block_size(first, LIBNBD_SIZE_MINIMUM);
    const int64_t most = link->lib.nbd_get_block_size(first, LIBNBD_SIZE_MAXIMUM);

    if (size <= 0 || size > NBD_SIZE_MAX)
        return ERR_RAISE(err, ERR_INPUT, "%s: an image of %" PRId64 " bytes is none", link->path,
                         size);
    link->size = (uint64_t)size;
    link->block = least > 1 ? (uint32_t)least : 1;
    link->piece = NBD_PIECE;
    if (least > NBD_BLOCK_MAX || (link->block & (link->block - 1)) != 0 ||
        (most > 0 && most < link->block))
        return ERR_RAISE(err, ERR_INPUT,
                         "%s: the server asks for blocks of %" PRId64 " to %" PRId64
                         " bytes, which it may not",
                         link->path, least, most);
    if (most > 0 && most < NBD_PIECE)
        link->piece = (uint32_t)(most - most % link->block);
    /*
     * In one piece: a server that answers in several has begun when a part of them cannot be read,
     * and QEMU ends the connection then.
     */
    link->flags = link->lib.nbd_can_df(first) > 0 ? LIBNBD_CMD_FLAG_DF : 0;
    link->tells = link->lib.nbd_can_meta_context(first, LIBNBD_CONTEXT_BASE_ALLOCATION) > 0;
    return ERR_OK;
}

/* More connections, as far as the server takes them: one is enough. */
static void link_more(struct nbd_link *link, const char *export_name)
{
    if (link->lib.nbd_can_multi_conn(link->links[0]) <= 0)
        return;
    while (link->count < NBD_LINKS_MAX) {
        const uint32_t before = link->count;

        if (link_connect(link, export_name, LINK_MORE_SECONDS, NULL) == ERR_OK &&
            link->lib.nbd_get_size(link->links[before]) == (int64_t)link->size)
            continue;
        if (link->count > before)
            link->lib.nbd_close(link->links[--link->count]);
        break;
    }
}

enum err_code nbd_link_open(struct nbd_link *out, const char *path, const char *format,
                            const char *export_name, uint32_t seconds, struct err *err)
{
    *out = (struct nbd_link){ .path = path, .format = format };
    enum err_code rc = io_nbd_open(&out->lib, err);

    if (rc == ERR_OK)
        rc = link_connect(out, export_name, seconds, err);
    if (rc == ERR_OK)
        rc = link_learn(out, err);
    if (rc == ERR_OK)
        link_more(out, export_name);
    return rc;
}

/* A read that was asked for. */
struct link_read {
    int64_t cookie; /* 0: none */
    uint32_t link;
};

/* Whether the errno of a read says something of its place, and not of the server. */
static bool link_is_place(int cause)
{
    /* The protocol has no word for other errors of disks; EPERM is what QEMU says of damaged data.
     */
    return cause == EIO || cause == EINVAL || cause == EPERM;
}

/*
 * Looks at a read. False: it is not done. *cause: the errno that it failed with, and *lost: no
 * other will do better.
 */
static bool link_done(struct nbd_link *link, struct link_read *read, int *cause, bool *lost)
{
    struct nbd_handle *handle = link->links[read->link];
    const int done = link->lib.nbd_aio_command_completed(handle, (uint64_t)read->cookie);

    if (done == 0 && link->lib.nbd_aio_is_ready(handle) > 0)
        return false;
    /* The state "processing" is not "ready", and not the end either. */
    if (done == 0 && link->lib.nbd_aio_get_direction(handle) != 0)
        return false;
    read->cookie = 0;
    if (done > 0)
        return true;
    *cause = done < 0 ? link->lib.nbd_get_errno() : ENOTCONN;
    /* A read that the server has answered leaves the connection as it was. */
    *lost |= !link_is_place(*cause) || link->lib.nbd_aio_get_direction(handle) == 0;
    return true;
}

/* Of a part of an answer: what matters is all of it. */
static int link_chunk(void *user, const void *bytes, size_t len, uint64_t offset, unsigned status,
                      int *error)
{
    (void)user;
    (void)bytes;
    (void)len;
    (void)offset;
    (void)status;
    (void)error;
    return 0;
}

/* Begins the next read, on the connection that is its turn. */
static bool link_begin(struct nbd_link *link, uint32_t number, uint64_t offset, uint8_t *dst,
                       size_t len, struct link_read *read)
{
    const nbd_chunk_callback nothing = { .callback = link_chunk };

    read->link = number % link->count;
    read->cookie = link->lib.nbd_aio_pread_structured(link->links[read->link], dst, len, offset,
                                                      nothing, NBD_NULL_COMPLETION, link->flags);
    if (read->cookie > 0)
        return true;
    read->cookie = 0;
    return false;
}

/* Looks at all reads. Returns how many are done; *cause and *lost as link_done has them. */
static uint32_t link_collect(struct nbd_link *link, struct link_read reads[NBD_FLIGHT_MAX],
                             int *cause, bool *lost)
{
    uint32_t done = 0;

    for (uint32_t i = 0; i < NBD_FLIGHT_MAX; i++)
        done += reads[i].cookie != 0 && link_done(link, &reads[i], cause, lost);
    return done;
}

enum err_code nbd_link_read(struct nbd_link *link, uint64_t offset, uint8_t *dst, size_t len,
                            int *cause, struct err *err)
{
    struct link_read reads[NBD_FLIGHT_MAX] = { 0 };
    uint32_t flight = 0, number = 0;
    bool lost = link->count == 0;
    int failed = 0;

    for (size_t begun = 0; (begun < len && failed == 0 && !lost) || flight > 0;) {
        for (uint32_t i = 0; i < NBD_FLIGHT_MAX && begun < len && failed == 0 && !lost; i++) {
            const size_t step = len - begun < link->piece ? len - begun : link->piece;

            if (reads[i].cookie != 0)
                continue;
            lost = !link_begin(link, number++, offset + begun, dst + begun, step, &reads[i]);
            begun += lost ? 0 : step;
            flight += !lost;
        }
        /*
         * A connection whose server has gone ends when a read is written to it: nothing would come
         * of it that could be waited for.
         */
        uint32_t done = link_collect(link, reads, &failed, &lost);
        if (done == 0 && flight > 0 && !lost) {
            if (link_turn(link, link_until(NBD_SILENT_SECONDS))) {
                done = link_collect(link, reads, &failed, &lost);
            } else {
                failed = ETIMEDOUT;
                lost = true;
            }
        }
        flight -= done;
        if (lost)
            break;
    }
    *cause = failed;
    if (lost) {
        const enum err_code rc = ERR_RAISE(
            err, ERR_ENV,
            "%s: cannot be read any more, from byte %" PRIu64
            " on: the server is gone or has failed (%s)",
            link->path, offset, failed != 0 ? strerror(failed) : "the connection has ended");
        nbd_link_close(link); /* or what is in flight would be written to dst later */
        return rc;
    }
    return failed == 0 ? ERR_OK
                       : ERR_RAISE(err, ERR_IO, "%s: bytes %" PRIu64 "+%zu: the server says: %s",
                                   link->path, offset, len, strerror(failed));
}

/* Takes the answer; entries are pairs of a length and its flags. */
static int link_take_extents(void *user, const char *context, uint64_t offset, uint32_t *entries,
                             size_t count, int *error)
{
    struct nbd_link *link = user;

    (void)error;
    if (strcmp(context, LIBNBD_CONTEXT_BASE_ALLOCATION) != 0)
        return 0;
    link->extents_begin = offset;
    link->extent_count = 0;
    for (size_t i = 0; i + 1 < count && link->extent_count < NBD_EXTENTS_MAX; i += 2) {
        const uint64_t left = link->size - offset;

        offset += entries[i] < left ? entries[i] : left;
        link->extents[link->extent_count++] =
            (struct nbd_extent){ offset, (entries[i + 1] & LIBNBD_STATE_ZERO) != 0 };
    }
    return 0;
}

/* Asks what lies from offset on. A server that does not say is not asked again. */
static void link_ask(struct nbd_link *link, uint64_t offset)
{
    const uint64_t from = offset - offset % link->block, left = link->size - from;
    const uint64_t len = left < NBD_ASK_AHEAD ? left : NBD_ASK_AHEAD;
    const nbd_extent_callback take = { .callback = link_take_extents, .user_data = link };
    struct link_read read = { .link = 0 };
    bool lost = false;
    int failed = 0;

    link->extent_count = 0;
    read.cookie =
        link->lib.nbd_aio_block_status(link->links[0], len, from, take, NBD_NULL_COMPLETION, 0);
    link->tells = read.cookie > 0;
    while (link->tells && !link_done(link, &read, &failed, &lost))
        link->tells = link_turn(link, link_until(NBD_SILENT_SECONDS));
    link->tells = link->tells && failed == 0 && !lost && link->extent_count > 0 &&
                  link->extents_begin == from && link->extents[link->extent_count - 1].end > offset;
}

bool nbd_link_is_zero(struct nbd_link *link, uint64_t offset, uint64_t *end)
{
    *end = link->size;
    if (!link->tells || link->count == 0)
        return false;
    if (link->extent_count == 0 || offset < link->extents_begin ||
        offset >= link->extents[link->extent_count - 1].end)
        link_ask(link, offset);
    for (uint32_t i = 0; link->tells && i < link->extent_count; i++)
        if (offset < link->extents[i].end) {
            *end = link->extents[i].end;
            return link->extents[i].zero;
        }
    return false;
}

void nbd_link_close(struct nbd_link *link)
{
    for (uint32_t i = 0; i < link->count; i++)
        link->lib.nbd_close(link->links[i]);
    link->count = 0;
}
