/* SPDX-License-Identifier: Apache-2.0
 * signatures/system/etl.c - ETL: events that Windows traced.
 *
 *   buffers of one size, each: u32le its size | ... 72 bytes in all | events
 *   the first event: u16le version | u8 kind | u8 c0 | u16le bytes | u16le 0 | ... 32 bytes in all
 * | u32le size of a buffer | u32le version | build | processors | u64le time of the end | ... |
 * u32le buffers written, behind 36 bytes
 */
#include "base/bytes.h"
#include "signatures/sig.h"

enum {
    ETL_HEAD = 72,
    ETL_FIRST = 176, /* bytes of the first buffer that are looked at */
    ETL_LOG = 104,   /* where the description of the log begins */
    ETL_BUFFER_MAX = 16 << 20,
};

struct etl_state {
    uint32_t buffer; /* the next one to look at */
};

static struct sig_result etl_check(struct sig_input *in, void *memory)
{
    struct etl_state *state = memory;
    const uint8_t *p = sig_bytes(in, 0, ETL_FIRST);

    if (p == NULL)
        return sig_short(in);
    const uint32_t size = bytes_u32le(p), buffers = bytes_u32le(p + ETL_LOG + 36);
    if (size < 1024 || size > ETL_BUFFER_MAX || size % 1024 != 0 ||
        bytes_u32le(p + ETL_LOG) != size || bytes_u16le(p + ETL_HEAD + 6) != 0 ||
        bytes_u32le(p + ETL_LOG + 12) == 0 || bytes_u32le(p + ETL_LOG + 12) > 4096)
        return sig_reject("the first event does not describe the log");
    if (buffers == 0)
        return sig_reject("no buffer was written");
    for (; state->buffer < buffers; state->buffer++) {
        const uint64_t at = (uint64_t)size * state->buffer;

        p = sig_bytes(in, at, 4);
        if (p == NULL)
            return sig_short(in);
        if (bytes_u32le(p) != size)
            return sig_breaks(in, "a buffer has another size");
        sig_valid(in, at + ETL_HEAD);
    }
    const uint64_t end = (uint64_t)size * buffers;
    if (sig_bytes(in, end - 1, 1) == NULL)
        return sig_short(in);
    return sig_believe(in, end, "as many buffers as the log counts, each of its size");
}

const struct sig sig_etl = {
    .name = "etl",
    .what = "events that Windows traced (ETL)",
    .proves = "as many buffers as the log counts, each with its size; events are not read",
    .source = "Microsoft, Event Tracing: TRACE_LOGFILE_HEADER; G. Chappell, WMI_BUFFER_HEADER, "
              "SYSTEM_TRACE_HEADER",
    .types = (const struct sig_type[]){ { "etl", "etl" }, { 0 } },
    .headers = { { .bytes = "\2\0\1\xc0??\0\0",
                   .mask = "\xff\xff\xfc\xff\0\0\xff\xff",
                   .len = 8,
                   .at = ETL_HEAD } },
    .flags = SIG_SECTOR_ALIGNED,
    .size_min = 1024,
    .size_max = UINT64_C(1) << 40,
    .state_size = sizeof(struct etl_state),
    .check = etl_check,
};
