/* SPDX-License-Identifier: Apache-2.0
 * tests/io/image/test_address.c - addresses of servers: what they mean, and what is none.
 *
 * Method: the examples of NetworkBlockDevice/nbd, doc/uri.md, and the rules of RFC 3986, read by
 * hand.
 */
#include "io/image/address.h"
#include "tests/io/lib_io.h"

static void means_host(const char *text, const char *host, const char *port, const char *name)
{
    struct io_address address;
    struct err err = { 0 };

    assert_true(io_image_is_address(text));
    assert_int_equal(io_address_parse(text, &address, &err), ERR_OK);
    assert_false(address.local);
    assert_string_equal(address.host, host);
    assert_string_equal(address.port, port);
    assert_string_equal(address.export_name, name);
}

static void means_socket(const char *text, const char *socket, const char *name)
{
    struct io_address address;
    struct err err = { 0 };

    assert_true(io_image_is_address(text));
    assert_int_equal(io_address_parse(text, &address, &err), ERR_OK);
    assert_true(address.local);
    assert_string_equal(address.socket, socket);
    assert_string_equal(address.export_name, name);
}

static void test_hosts(void **state)
{
    (void)state;
    means_host("nbd://example.com", "example.com", "10809", "");
    means_host("nbd://example.com/", "example.com", "10809", "");
    means_host("nbd://example.com/export", "example.com", "10809", "export");
    means_host("nbd://example.com:10810/a/b", "example.com", "10810", "a/b");
    means_host("nbd://example.com//disk", "example.com", "10809", "/disk");
    means_host("nbd://192.0.2.1:1/", "192.0.2.1", "1", "");
    means_host("nbd://[2001:db8::1]", "2001:db8::1", "10809", "");
    means_host("nbd://[2001:db8::1]:65535/x", "2001:db8::1", "65535", "x");
    means_host("nbd://host:/x", "host", "10809", "x");
    means_host("nbd://host/%41%c3%a4%2f", "host", "10809", "A\xc3\xa4/");
}

static void test_sockets(void **state)
{
    (void)state;
    means_socket("nbd+unix:///?socket=/tmp/nbd.sock", "/tmp/nbd.sock", "");
    means_socket("nbd+unix:///foo?socket=/tmp/nbd.sock", "/tmp/nbd.sock", "foo");
    means_socket("nbd+unix://?socket=/s", "/s", "");
    means_socket("nbd+unix:///%3F?socket=/a%20b%26c", "/a b&c", "?");
}

static void test_none(void **state)
{
    static const char *const wrong[] = {
        "nbds://host/",
        "nbd+vsock://2/",
        "nbds+unix:///?socket=/s",
        "nbd://",
        "nbd:///x",
        "nbd://:1/x",
        "nbd://host:0/",
        "nbd://host:65536/",
        "nbd://host:18446744073709551617/",
        "nbd://host:1x/",
        "nbd://user@host/",
        "nbd://[::1/x",
        "nbd://[::1]x/",
        "nbd://host/x?socket=/s",
        "nbd://host/x#y",
        "nbd://host/%",
        "nbd://host/%4",
        "nbd://host/%4g",
        "nbd://host/%00",
        "nbd+unix:///",
        "nbd+unix:///x?socket=",
        "nbd+unix:///x?socket=relative",
        "nbd+unix:///x?socket=/a&tls-certificates=/b",
        "nbd+unix:///x?tls-psk-file=/b",
        "nbd+unix://host/x?socket=/s",
        "nbd+unix:///x?socket=/s#y",
    };
    struct io_address address;

    (void)state;
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        assert_true(io_image_is_address(wrong[i]));
        if (io_address_parse(wrong[i], &address, NULL) != ERR_INPUT)
            fail_msg("%s is taken for an address", wrong[i]);
    }
    assert_false(io_image_is_address("nbd:disk"));
    assert_false(io_image_is_address("./nbd://x"));
    assert_false(io_image_is_address("NBD://x"));
    assert_false(io_image_is_address(""));
}

/* A path of 107 bytes is the longest that a socket can have, an export's name 4,096. */
static void test_longest(void **state)
{
    char text[8192];
    struct io_address address;

    (void)state;
    for (int len = 107; len <= 108; len++) {
        snprintf(text, sizeof text, "nbd+unix:///?socket=/%0*d", len - 1, 0);
        assert_int_equal(io_address_parse(text, &address, NULL), len == 107 ? ERR_OK : ERR_INPUT);
    }
    for (int len = 4096; len <= 4097; len++) {
        snprintf(text, sizeof text, "nbd://h/%0*d", len, 0);
        assert_int_equal(io_address_parse(text, &address, NULL), len == 4096 ? ERR_OK : ERR_INPUT);
    }
}

/* An address is where it is, wherever one stands. */
static void test_absolute(void **state)
{
    char *same = io_image_absolute("nbd://host/x");

    (void)state;
    assert_string_equal(same, "nbd://host/x");
    free(same);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_hosts),    cmocka_unit_test(test_sockets),
        cmocka_unit_test(test_none),     cmocka_unit_test(test_longest),
        cmocka_unit_test(test_absolute),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
