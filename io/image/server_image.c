/* SPDX-License-Identifier: Apache-2.0
 * io/image/server_image.c - the process that reads an image: see server_image.h. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "io/image/image_impl.h"
#include "io/image/server_image.h"

struct server_image {
    struct io_image *image;
    uint8_t *window;
    int socket;
};

static bool server_say(const struct server_image *server, const struct server_answer *answer)
{
    ssize_t done;

    do
        done = write(server->socket, answer, sizeof *answer);
    while (done < 0 && errno == EINTR);
    return done == sizeof *answer;
}

static bool server_hear(const struct server_image *server, struct server_request *request)
{
    ssize_t done;

    do
        done = read(server->socket, request, sizeof *request);
    while (done < 0 && errno == EINTR);
    return done == sizeof *request;
}

static void server_failed(struct server_answer *answer, enum err_code code, const struct err *err)
{
    answer->code = code;
    memcpy(answer->text, err->text, sizeof answer->text);
}

static void server_part(const struct server_image *server, uint64_t part,
                        struct server_answer *answer)
{
    const char *path = part < server->image->part_count ? server->image->parts[part].path : "";
    const size_t len = strlen(path) + 1;

    answer->count = len <= SERVER_WINDOW ? (uint32_t)len : 0;
    memcpy(server->window, path, answer->count);
}

static void server_fact(const struct server_image *server, uint64_t number,
                        struct server_answer *answer)
{
    struct io_fact fact;

    if (number >= IO_FACTS_MAX || !io_image_fact(server->image, (uint32_t)number, &fact))
        return;
    const size_t name = strlen(fact.name) + 1, value = strlen(fact.value) + 1;

    memcpy(server->window, fact.name, name);
    memcpy(server->window + name, fact.value, value);
    answer->count = (uint32_t)(name + value);
}

static void server_unread(const struct server_image *server, uint64_t from,
                          struct server_answer *answer)
{
    const struct io_bad_list *unread = &server->image->unread;
    const uint32_t most = SERVER_WINDOW / sizeof *unread->items;
    const uint32_t left = from < unread->count ? unread->count - (uint32_t)from : 0;

    answer->count = left < most ? left : most;
    if (answer->count > 0)
        memcpy(server->window, unread->items + from, answer->count * sizeof *unread->items);
}

static void server_read(const struct server_image *server, const struct server_request *request,
                        struct server_answer *answer)
{
    struct io_failure failure;
    struct err err = { 0 };

    if (request->len > SERVER_WINDOW ||
        io_image_check_range(server->image, request->offset, request->len, &err) != 0) {
        server_failed(answer, ERR_ENV, &err);
        return;
    }
    const enum err_code code = io_image_try_read(server->image, request->offset, server->window,
                                                 (size_t)request->len, false, &failure, &err);
    if (code == ERR_OK)
        return;
    server_failed(answer, code, &err);
    answer->cause = failure.cause;
    answer->source = failure.source;
    answer->unit = failure.unit;
}

static bool server_open(struct server_image *server, const struct io_container *container,
                        const char *path)
{
    struct server_answer answer = { .serial = 0 };
    struct err err = { 0 };
    const enum err_code code = container->open(container, path, &server->image, &err);

    if (code == ERR_OK) {
        answer.size = server->image->size;
        answer.sector_size = server->image->sector_size;
        answer.salvage_unit = server->image->salvage_unit;
        answer.part_count = server->image->part_count;
        answer.unread_count = server->image->unread.count;
    } else {
        server_failed(&answer, code, &err);
    }
    return server_say(server, &answer) && code == ERR_OK;
}

/* The first answer says why the image cannot be opened: there is no other. */
static bool server_refuse(const struct server_image *server, const struct err *why_not)
{
    struct server_answer answer = { .serial = 0 };

    server_failed(&answer, why_not->code, why_not);
    (void)!server_say(server, &answer);
    return false;
}

void io_server_image(const struct io_container *container, const char *path,
                     const struct err *why_not, int socket, int memory)
{
    struct server_image server = { .socket = socket };
    struct server_request request;
    void *window = mmap(NULL, SERVER_WINDOW, PROT_READ | PROT_WRITE, MAP_SHARED, memory, 0);

    if (window == MAP_FAILED)
        return;
    server.window = window;
    bool on =
        why_not != NULL ? server_refuse(&server, why_not) : server_open(&server, container, path);
    while (on && server_hear(&server, &request)) {
        struct server_answer answer = { .serial = request.serial };

        if (request.ask == SERVER_PART)
            server_part(&server, request.offset, &answer);
        else if (request.ask == SERVER_UNREAD)
            server_unread(&server, request.offset, &answer);
        else if (request.ask == SERVER_FACT)
            server_fact(&server, request.offset, &answer);
        else
            server_read(&server, &request, &answer);
        on = server_say(&server, &answer);
    }
    io_image_close(server.image);
    munmap(window, SERVER_WINDOW);
}
