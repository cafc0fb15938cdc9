/* SPDX-License-Identifier: Apache-2.0
 * tests/io/image/test_serve.c - qemu-nbd in its jail: it serves the container that it is given, and
 * opens no other file, whatever the container names.
 *
 * Method: hostile containers name a file with a secret as their base, their data or their extent.
 * qemu-img, outside of the jail, finds the secret in each: the trap works. In the jail the server
 * ends before it greets, and says that it was denied.
 */
#include <errno.h>
#include <poll.h>
#include <sys/socket.h>

#include "base/jail.h"
#include "io/image/serve.h"
#include "tests/io/lib_io.h"

#define SECRET "the examiner's own secret"

enum { DISK = 1 << 20, LINE_MAX_TEST = 1024 };

struct place {
    char folder[64], victim[96], hostile[96];
};

static void run(const char *command)
{
    if (system(command) != 0)
        fail_msg("%s", command);
}

static int make(void **state)
{
    struct place *place = calloc(1, sizeof *place);
    uint8_t *bytes = calloc(1, DISK);

    if (system("command -v qemu-img >/dev/null && command -v qemu-nbd >/dev/null") != 0 ||
        jail_landlock() == 0) {
        print_message("skipped: no qemu-utils, or no Landlock\n");
        free(bytes);
        free(place);
        *state = NULL;
        return 0;
    }
    test_make_folder(place->folder);
    snprintf(place->victim, sizeof place->victim, "%s/victim", place->folder);
    snprintf(place->hostile, sizeof place->hostile, "%s/ho,stile", place->folder);
    memcpy(bytes + 512, SECRET, sizeof SECRET);
    test_write_file(place->victim, bytes, DISK);
    free(bytes);
    *state = place;
    return 0;
}

static int clean(void **state)
{
    struct place *place = *state;

    if (place != NULL)
        test_remove_folder(place->folder);
    free(place);
    return 0;
}

/* Whether the server greets; *serve is to be ended by the caller. */
static bool greets(struct io_serve *serve, int *failed)
{
    char text[8] = "";
    int fd = -1;

    *failed = io_serve_connect(serve, &fd);
    if (*failed == 0) {
        struct pollfd wait = { .fd = fd, .events = POLLIN };

        while (poll(&wait, 1, -1) < 0 && errno == EINTR)
            continue;
        if (recv(fd, text, sizeof text, MSG_WAITALL | MSG_DONTWAIT) < 0)
            *failed = errno;
    }
    if (fd >= 0)
        close(fd);
    if (*failed == 0 && memcmp(text, "NBDMAGIC", sizeof text) != 0)
        *failed = ECONNRESET;
    return *failed == 0;
}

/* The trap works outside of the jail, and not in it. */
static void is_denied(const struct place *place, const char *format)
{
    char command[LINE_MAX_TEST];
    struct io_serve serve;
    struct err err = { 0 };
    int failed;

    snprintf(command, sizeof command,
             "cd %s && qemu-img convert -f %s -O raw ./ho,stile out && grep -aq \"" SECRET "\" out",
             place->folder, format);
    run(command);
    assert_int_equal(io_serve_start(place->hostile, format, -1, &serve, &err), ERR_OK);
    if (greets(&serve, &failed))
        fail_msg("%s: the server greets", format);
    assert_int_equal(io_serve_failed(&serve, format, failed, &err), ERR_INPUT);
    if (strstr(err.text, "Permission denied") == NULL)
        fail_msg("%s: it says \"%s\"", format, err.text);
    assert_int_equal(serve.pid, -1);
}

static void a_sound_container_is_served(void **state)
{
    struct place *place = *state;
    char command[LINE_MAX_TEST];
    struct io_serve serve;
    struct err err = { 0 };
    int failed;

    if (place == NULL)
        skip();
    snprintf(command, sizeof command, "cd %s && qemu-img convert -f raw -O qed victim ./ho,stile",
             place->folder);
    run(command);
    assert_int_equal(io_serve_start(place->hostile, "qed", -1, &serve, &err), ERR_OK);
    if (!greets(&serve, &failed))
        fail_msg("%s", strerror(failed));
    assert_true(io_serve_lives(&serve));
    /* A second connection, by a name that is nowhere. */
    assert_true(greets(&serve, &failed));
    io_serve_end(&serve);
    assert_false(io_serve_lives(&serve));
}

static void a_base_is_not_read(void **state)
{
    struct place *place = *state;
    char command[LINE_MAX_TEST];

    if (place == NULL)
        skip();
    for (int i = 0; i < 2; i++) {
        const char *format = i == 0 ? "qcow2" : "qed";

        snprintf(command, sizeof command,
                 "cd %s && rm -f ho,stile && qemu-img create -q -f %s -b %s -F raw ./ho,stile",
                 place->folder, format, place->victim);
        run(command);
        is_denied(place, format);
    }
}

static void a_file_of_data_is_not_read(void **state)
{
    struct place *place = *state;
    char command[LINE_MAX_TEST];

    if (place == NULL)
        skip();
    snprintf(command, sizeof command,
             "cd %s && cp victim kept && qemu-img create -q -f qcow2 -o "
             "data_file=%s,data_file_raw=on ./ho,stile 1M && cp kept victim",
             place->folder, place->victim);
    run(command);
    is_denied(place, "qcow2");
}

static void an_extent_is_not_read(void **state)
{
    struct place *place = *state;
    char text[LINE_MAX_TEST];

    if (place == NULL)
        skip();
    const int len = snprintf(text, sizeof text,
                             "# Disk DescriptorFile\nversion=1\nCID=12345678\nparentCID=ffffffff\n"
                             "createType=\"monolithicFlat\"\nRW %d FLAT \"%s\" 0\n"
                             "ddb.adapterType = \"ide\"\n",
                             DISK / 512, place->victim);
    test_write_file(place->hostile, text, (size_t)len);
    is_denied(place, "vmdk");
}

/* A file of a path that another one has now, or that is not there. */
static void what_is_not_there(void **state)
{
    struct io_serve serve;
    struct err err = { 0 };

    if (*state == NULL)
        skip();
    assert_int_equal(io_serve_start("/nowhere/image", "qed", -1, &serve, &err), ERR_INPUT);
    assert_int_equal(serve.pid, -1);
    io_serve_end(&serve); /* a no-op */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(a_sound_container_is_served, make, clean),
        cmocka_unit_test_setup_teardown(a_base_is_not_read, make, clean),
        cmocka_unit_test_setup_teardown(a_file_of_data_is_not_read, make, clean),
        cmocka_unit_test_setup_teardown(an_extent_is_not_read, make, clean),
        cmocka_unit_test_setup_teardown(what_is_not_there, make, clean),
    };

    return cmocka_run_group_tests_name("io serve", tests, NULL, NULL);
}
