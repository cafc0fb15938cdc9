/* SPDX-License-Identifier: Apache-2.0
 * tests/base/test_fds.c - messages with descriptors: what was sent comes, and of a message that is
 * too long, or has too many descriptors, nothing is left open. Oracle: what a pipe says that is
 * written to through the descriptor that came, and the number of files in /proc/self/fd.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <dirent.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/fds.h"

static int open_files(void)
{
    DIR *folder = opendir("/proc/self/fd");
    int count = 0;

    assert_non_null(folder);
    while (readdir(folder) != NULL)
        count++;
    closedir(folder);
    return count;
}

struct ends {
    int socket[2], pipe[2];
};

static struct ends ends_open(void)
{
    struct ends ends;

    assert_int_equal(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends.socket), 0);
    assert_int_equal(pipe(ends.pipe), 0);
    return ends;
}

static void ends_close(const struct ends *ends)
{
    for (int i = 0; i < 2; i++) {
        close(ends->socket[i]);
        close(ends->pipe[i]);
    }
}

static void descriptors_come_with_their_message(void **state)
{
    const struct ends ends = ends_open();
    const int before = open_files();

    (void)state;
    for (uint32_t sent = 0; sent <= FDS_MAX; sent++) {
        const int fds[FDS_MAX] = { ends.pipe[1], ends.pipe[1] };
        int came[FDS_MAX];
        uint32_t count = FDS_MAX;
        char bytes[8] = "";

        assert_true(fds_send(ends.socket[0], "order", 6, fds, sent));
        assert_int_equal(fds_receive(ends.socket[1], bytes, sizeof bytes, came, &count), 6);
        assert_string_equal(bytes, "order");
        assert_int_equal(count, sent);
        for (uint32_t i = 0; i < count; i++) {
            assert_int_equal(write(came[i], "x", 1), 1);
            assert_int_equal(read(ends.pipe[0], bytes, sizeof bytes), 1);
            assert_int_equal(bytes[0], 'x');
            close(came[i]);
        }
    }
    assert_int_equal(open_files(), before);
    ends_close(&ends);
}

static void more_than_was_asked_for_is_nothing(void **state)
{
    const struct ends ends = ends_open();
    const int fds[FDS_MAX] = { ends.pipe[0], ends.pipe[1] }, before = open_files();
    int came[FDS_MAX];
    char bytes[4];

    (void)state;
    for (uint32_t room = 0; room < FDS_MAX; room++) {
        uint32_t count = room;

        assert_true(fds_send(ends.socket[0], "ask", 4, fds, FDS_MAX));
        assert_int_equal(fds_receive(ends.socket[1], bytes, sizeof bytes, came, &count), -1);
        assert_int_equal(count, 0);
    }
    uint32_t count = FDS_MAX;
    assert_true(fds_send(ends.socket[0], "too long", 9, fds, FDS_MAX));
    assert_int_equal(fds_receive(ends.socket[1], bytes, sizeof bytes, came, &count), -1);
    assert_int_equal(count, 0);
    assert_int_equal(open_files(), before);
    ends_close(&ends);
}

static void nobody_is_there(void **state)
{
    struct ends ends = ends_open();
    uint32_t count = 0;
    char byte;

    (void)state;
    close(ends.socket[0]);
    assert_int_equal(fds_receive(ends.socket[1], &byte, 1, NULL, &count), -1);
    assert_false(fds_send(ends.socket[1], "x", 1, NULL, 0));
    ends.socket[0] = dup(ends.socket[1]);
    ends_close(&ends);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(descriptors_come_with_their_message),
        cmocka_unit_test(more_than_was_asked_for_is_nothing),
        cmocka_unit_test(nobody_is_there),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
