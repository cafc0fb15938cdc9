/* SPDX-License-Identifier: Apache-2.0
 * tests/match/device/test_device.c - the device layer: the stand-in on the host, call by call, and
 * the CUDA runtime where it has a device.
 *
 * Method: the stand-in does nothing before somebody waits, so each test looks at memory before and
 * after. One round trip with streams, events and copies runs on both.
 *
 * Labels: gpu
 */
#include "match/device/device_host.h"
#include "tests/match/match_test.h"

enum { LEN = 4096, MEMORY = 1 << 20 };

struct add_args {
    uint8_t *bytes;
    uint32_t len;
    uint8_t by;
};

static void add_host(const void *args)
{
    const struct add_args *add = args;

    for (uint32_t i = 0; i < add->len; i++)
        add->bytes[i] = (uint8_t)(add->bytes[i] + add->by);
}

static const struct device_kernel add_kernel = { .name = "add",
                                                 .args_size = sizeof(struct add_args),
                                                 .host = add_host };

static struct device *open_host(struct device_host *host)
{
    const struct device_provider provider = device_host_provider(host);
    struct device *device = NULL;

    TEST_OK(device_open(&provider, 0, &device, &test_err));
    return device;
}

static void close_host(struct device *device, struct device_host *host)
{
    device_close(device);
    assert_int_equal(host->in_use, 0);
    assert_int_equal(host->open, 0);
    device_host_release(host);
}

static void work_is_done_in_order_and_late(void **state)
{
    struct device_host host;
    uint8_t in[LEN], out[LEN] = { 0 };
    void *memory;
    struct device_stream *stream;

    (void)state;
    device_host_init(&host, 1, MEMORY);
    struct device *device = open_host(&host);
    TEST_OK(device_alloc(device, LEN, &memory, &test_err));
    TEST_OK(device_stream_open(device, &stream, &test_err));
    memset(in, 1, LEN);
    TEST_OK(device_copy_in(stream, memory, in, LEN, &test_err));
    TEST_OK(device_launch(stream, &add_kernel,
                          &(struct add_args){ .bytes = memory, .len = LEN, .by = 3 }, &test_err));
    TEST_OK(device_fill(stream, memory, 9, 1, &test_err));
    TEST_OK(device_copy_out(stream, out, memory, LEN, &test_err));
    assert_int_equal(out[1], 0);
    memset(in, 2, LEN); /* too early: the copy has not happened */
    TEST_OK(device_stream_wait(stream, &test_err));
    assert_int_equal(out[0], 9);
    assert_int_equal(out[1], 2 + 3);
    assert_int_equal(out[LEN - 1], 2 + 3);
    device_stream_close(stream);
    device_free(device, memory);
    close_host(device, &host);
}

/* Copies byte by way of the device; the stream that reads must follow the one that writes. */
static uint8_t round_trip(struct device *device, uint8_t byte)
{
    uint8_t *pinned = aligned_alloc(4096, 2 * LEN);
    void *memory;
    struct device_stream *write, *read;
    struct device_event *written, *done;
    double seconds = -1;

    assert_non_null(pinned);
    memset(pinned, byte, LEN);
    memset(pinned + LEN, 0, LEN);
    TEST_OK(device_pin(device, pinned, 2 * (size_t)LEN, &test_err));
    TEST_OK(device_alloc(device, LEN, &memory, &test_err));
    TEST_OK(device_stream_open(device, &write, &test_err));
    TEST_OK(device_stream_open(device, &read, &test_err));
    TEST_OK(device_event_open(device, true, &written, &test_err));
    TEST_OK(device_event_open(device, true, &done, &test_err));
    TEST_OK(device_event_follow(read, written, &test_err)); /* never recorded: no wait */
    TEST_OK(device_event_record(done, read, &test_err));
    TEST_OK(device_event_wait(done, &test_err));
    TEST_OK(device_fill(write, memory, 0, LEN, &test_err));
    TEST_OK(device_copy_in(write, memory, pinned, LEN, &test_err));
    TEST_OK(device_event_record(written, write, &test_err));
    TEST_OK(device_event_follow(read, written, &test_err));
    TEST_OK(device_copy_out(read, pinned + LEN, memory, LEN, &test_err));
    TEST_OK(device_event_record(done, read, &test_err));
    TEST_OK(device_event_wait(done, &test_err));
    TEST_OK(device_event_wait(written, &test_err));
    TEST_OK(device_event_elapsed(written, done, &seconds, &test_err));
    assert_true(seconds >= 0 && seconds < 60);
    const uint8_t got = pinned[2 * LEN - 1];

    device_event_close(written);
    device_event_close(done);
    device_stream_close(write);
    device_stream_close(read);
    device_free(device, memory);
    device_unpin(device, pinned);
    free(pinned);
    return got;
}

static void streams_follow_events(void **state)
{
    struct device_host host;

    (void)state;
    device_host_init(&host, 1, MEMORY);
    struct device *device = open_host(&host);
    assert_int_equal(round_trip(device, 0x5a), 0x5a);
    close_host(device, &host);
}

static void memory_ends(void **state)
{
    struct device_host host;
    uint64_t left = 0;
    void *most, *more;

    (void)state;
    device_host_init(&host, 1, MEMORY);
    struct device *device = open_host(&host);
    TEST_OK(device_alloc(device, MEMORY - 100, &most, &test_err));
    TEST_OK(device_memory_free(device, &left, &test_err));
    assert_int_equal(left, 100);
    assert_int_equal(device_alloc(device, 101, &more, &test_err), ERR_ENV);
    assert_null(more);
    assert_non_null(strstr(test_err.text, "101 bytes on device 0"));
    device_free(device, most);
    close_host(device, &host);
}

static void calls_fail_when_told(void **state)
{
    struct device_host host;
    void *memory;
    struct device_stream *stream;
    uint8_t bytes[16] = { 0 };

    (void)state;
    device_host_init(&host, 1, MEMORY);
    struct device *device = open_host(&host);
    TEST_OK(device_alloc(device, 16, &memory, &test_err));
    TEST_OK(device_stream_open(device, &stream, &test_err));
    host.fail_at[DEVICE_HOST_COPY] = 2;
    TEST_OK(device_copy_in(stream, memory, bytes, 16, &test_err));
    assert_int_equal(device_copy_out(stream, bytes, memory, 16, &test_err), ERR_ENV);
    assert_string_equal(test_err.text,
                        "copy out of 16 bytes on device 0 (host stand-in): made to fail");
    TEST_OK(device_copy_out(stream, bytes, memory, 16, &test_err));
    host.lost = true;
    assert_int_equal(device_stream_wait(stream, &test_err), ERR_ENV);
    assert_int_equal(device_launch(stream, &add_kernel, &(struct add_args){ 0 }, &test_err),
                     ERR_ENV);
    device_stream_close(stream);
    device_free(device, memory);
    close_host(device, &host);
}

static void devices_are_counted(void **state)
{
    struct device_host host;
    const struct device_provider provider = device_host_provider(&host);
    struct device *device = NULL;
    uint32_t count = 0;

    (void)state;
    device_host_init(&host, 3, MEMORY);
    TEST_OK(device_count(&provider, &count, &test_err));
    assert_int_equal(count, 3);
    assert_int_equal(device_open(&provider, 3, &device, &test_err), ERR_ARG);
    device_host_release(&host);
}

static void without_a_device_the_reason_is_given(void **state)
{
    const struct device_provider cuda = device_cuda();
    struct device *device = NULL;
    uint32_t count = 7;

    (void)state;
    if (device_cuda_missing() == NULL)
        skip();
    assert_int_equal(device_count(&cuda, &count, &test_err), ERR_ENV);
    assert_int_equal(count, 0);
    assert_non_null(strstr(test_err.text, device_cuda_missing()));
    assert_int_equal(device_open(&cuda, 0, &device, &test_err), ERR_ENV);
    assert_null(device);
}

static void cuda_makes_the_round_trip(void **state)
{
    const struct device_provider cuda = device_cuda();
    struct device *device = NULL;
    uint64_t left = 0;
    void *memory = NULL;

    (void)state;
    if (device_cuda_missing() != NULL)
        skip();
    TEST_OK(device_open(&cuda, 0, &device, &test_err));
    assert_int_equal(round_trip(device, 0x5a), 0x5a);
    TEST_OK(device_memory_free(device, &left, &test_err));
    assert_true(left <= device->info.memory);
    assert_int_equal(device_alloc(device, SIZE_MAX / 2, &memory, &test_err), ERR_ENV);
    assert_non_null(strstr(test_err.text, "cudaMalloc of 9223372036854775807 bytes on device 0"));
    assert_int_equal(round_trip(device, 0x11), 0x11); /* the error is gone */
    device_close(device);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(work_is_done_in_order_and_late),
        cmocka_unit_test(streams_follow_events),
        cmocka_unit_test(memory_ends),
        cmocka_unit_test(calls_fail_when_told),
        cmocka_unit_test(devices_are_counted),
        cmocka_unit_test(without_a_device_the_reason_is_given),
        cmocka_unit_test(cuda_makes_the_round_trip),
    };
    return cmocka_run_group_tests_name("device", tests, NULL, NULL);
}
