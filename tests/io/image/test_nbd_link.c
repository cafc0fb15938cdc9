/* SPDX-License-Identifier: Apache-2.0
 * tests/io/image/test_nbd_link.c - a server that is gone is noticed, also where it went while
 * nothing was asked of it, or while it was greeted.
 *
 * Method: qemu-nbd serves a file, and is killed between two reads. A connection then ends when a
 * read is written to it, before anything is waited for; a wait would last NBD_SILENT_SECONDS.
 */
#include <poll.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>

#include "base/clock.h"
#include "io/image/nbd_link.h"
#include "io/reach.h"
#include "tests/io/lib_io.h"

enum { DISK = 1 << 20, FILL = 0x5a, SECOND = 1000000000, LOOK_NS = 10000000 };

struct place {
    char folder[64], disk[96], socket[96], address[160];
    pid_t server;
};

static int make(void **state)
{
    struct place *place = calloc(1, sizeof *place);
    uint8_t *bytes = malloc(DISK);

    *state = NULL;
    if (system("command -v qemu-nbd >/dev/null") != 0) {
        print_message("skipped: no qemu-utils\n");
        free(bytes);
        free(place);
        return 0;
    }
    test_make_folder(place->folder);
    snprintf(place->disk, sizeof place->disk, "%s/disk", place->folder);
    snprintf(place->socket, sizeof place->socket, "%s/socket", place->folder);
    snprintf(place->address, sizeof place->address, "nbd+unix:///?socket=%s", place->socket);
    memset(bytes, FILL, DISK);
    test_write_file(place->disk, bytes, DISK);
    free(bytes);
    *state = place;
    return 0;
}

/* Whether somebody listens there: a socket has its name before that. */
static bool listens(const struct place *place)
{
    struct sockaddr_un to = { .sun_family = AF_UNIX };
    const int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);

    snprintf(to.sun_path, sizeof to.sun_path, "%s", place->socket);
    const bool is = connect(fd, (const struct sockaddr *)&to, (socklen_t)sizeof to) == 0;
    close(fd);
    return is;
}

static void serve(struct place *place)
{
    const struct timespec look = { 0, LOOK_NS };

    unlink(place->socket);
    place->server = fork();
    if (place->server == 0) {
        execlp("qemu-nbd", "qemu-nbd", "--read-only", "--persistent", "--shared=8", "--format=raw",
               "--socket", place->socket, place->disk, (char *)NULL);
        _exit(127);
    }
    while (!listens(place) && waitpid(place->server, NULL, WNOHANG) == 0)
        nanosleep(&look, NULL);
}

static void kill_server(struct place *place)
{
    if (place->server > 0) {
        kill(place->server, SIGKILL);
        waitpid(place->server, NULL, 0);
    }
    place->server = -1;
}

static int clean(void **state)
{
    struct place *place = *state;

    if (place == NULL)
        return 0;
    kill_server(place);
    test_remove_folder(place->folder);
    free(place);
    return 0;
}

/* So many pieces are asked for: one for each connection, or fewer, or more. */
static void is_noticed(struct place *place, struct nbd_link *link, uint32_t pieces)
{
    uint8_t *bytes = malloc(DISK);
    struct err err = { 0 };
    int cause = 0;

    serve(place);
    assert_int_equal(nbd_link_open(link, place->address, NULL, "", NBD_OPEN_SECONDS, &err), ERR_OK);
    assert_int_equal(link->size, DISK);
    assert_int_equal(link->count, NBD_LINKS_MAX);
    assert_int_equal(nbd_link_read(link, 0, bytes, DISK, &cause, &err), ERR_OK);
    assert_int_equal(bytes[DISK - 1], FILL);

    kill_server(place);
    const uint64_t begin = clock_now(CLOCK_MONOTONIC);
    assert_int_equal(nbd_link_read(link, 0, bytes, (size_t)pieces * NBD_PIECE, &cause, &err),
                     ERR_ENV);
    if ((clock_now(CLOCK_MONOTONIC) - begin) / SECOND >= NBD_SILENT_SECONDS / 2)
        fail_msg("%u pieces: it waited for a server that is gone", pieces);
    assert_int_equal(link->count, 0);
    nbd_link_close(link);
    free(bytes);
}

static void a_server_that_is_gone_is_not_waited_for(void **state)
{
    struct place *place = *state;
    struct nbd_link *link = malloc(sizeof *link);
    struct err err = { 0 };

    if (place == NULL) {
        free(link);
        skip();
    }
    assert_int_equal(io_reach_open(&err), ERR_OK);
    io_reach_allow(place->address);
    for (uint32_t pieces = 1; pieces <= NBD_LINKS_MAX + 1; pieces++)
        is_noticed(place, link, pieces);
    free(link);
}

/*
 * A server that says what it is (fixed newstyle, of the protocol's document), to each connection,
 * and ends it then: with what was said to it read, or not, and both look different from outside.
 */
static void break_off(struct place *place, bool listen_first)
{
    static const char greeting[18] = "NBDMAGICIHAVEOPT\0\3";
    struct sockaddr_un at = { .sun_family = AF_UNIX };
    const int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);

    unlink(place->socket);
    snprintf(at.sun_path, sizeof at.sun_path, "%s", place->socket);
    assert_int_equal(bind(fd, (const struct sockaddr *)&at, (socklen_t)sizeof at), 0);
    assert_int_equal(listen(fd, 8), 0);
    place->server = fork();
    for (int to; place->server == 0 && (to = accept(fd, NULL, NULL)) >= 0; close(to)) {
        char said[256];

        if (send(to, greeting, sizeof greeting, MSG_NOSIGNAL) < 0)
            continue;
        if (listen_first)
            (void)!read(to, said, sizeof said);
        else
            (void)poll(&(struct pollfd){ .fd = to, .events = POLLIN }, 1, -1);
    }
    close(fd);
}

/* One that has broken off may be asked again later; one that does not know the export may not. */
static void a_server_that_breaks_off_is_not_the_image_s_fault(void **state)
{
    struct place *place = *state;
    struct nbd_link *link = malloc(sizeof *link);

    if (place == NULL) {
        free(link);
        skip();
    }
    for (int kind = 0; kind < 3; kind++) {
        struct err err = { 0 };

        if (kind < 2)
            break_off(place, kind == 1);
        else
            serve(place);
        assert_int_equal(io_reach_open(&err), ERR_OK);
        io_reach_allow(place->address);
        assert_int_equal(nbd_link_open(link, place->address, NULL, kind < 2 ? "" : "another",
                                       NBD_OPEN_SECONDS, &err),
                         kind < 2 ? ERR_ENV : ERR_INPUT);
        assert_non_null(strstr(err.text, kind < 2 ? "broken off" : "export"));
        nbd_link_close(link);
        kill_server(place);
    }
    free(link);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(a_server_that_is_gone_is_not_waited_for, make, clean),
        cmocka_unit_test_setup_teardown(a_server_that_breaks_off_is_not_the_image_s_fault, make,
                                        clean),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
