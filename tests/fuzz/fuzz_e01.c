/* SPDX-License-Identifier: Apache-2.0
 * tests/fuzz/fuzz_e01.c - any bytes as an E01 image; see lib_container.h.
 *
 * The checksums of the heads of sections, of the form of the medium and of tables are made right,
 * so that what they protect is reached.
 */
#include <libdeflate.h>

#include "base/bytes.h"
#include "tests/fuzz/lib_container.h"

enum { HEADER = 13, HEAD = 76, SECTIONS = 64, VOLUME_SUM = 1048, TABLE_HEAD = 24 };

static void put_sum(uint8_t *bytes, size_t len)
{
    const uint32_t sum = libdeflate_adler32(1, bytes, len);

    for (uint32_t i = 0; i < 4; i++)
        bytes[len + i] = (uint8_t)(sum >> 8 * i);
}

static bool is(const uint8_t *head, const char *type)
{
    return strncmp((const char *)head, type, 16) == 0;
}

/* Makes the checksums right of the section at head; room: bytes up to the end of the file. */
static void mend(uint8_t *head, size_t room)
{
    uint8_t *body = head + HEAD;

    put_sum(head, HEAD - 4);
    room -= HEAD;
    if ((is(head, "volume") || is(head, "data") || is(head, "disk")) && room >= VOLUME_SUM + 4)
        put_sum(body, VOLUME_SUM);
    if ((is(head, "table") || is(head, "table2")) && room >= TABLE_HEAD) {
        const uint64_t len = (uint64_t)bytes_u32le(body) * 4;

        put_sum(body, TABLE_HEAD - 4);
        if (len + TABLE_HEAD + 4 <= room && (body[4] & 1) == 0)
            put_sum(body + TABLE_HEAD, (size_t)len);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const uint8_t header[HEADER] = { 'E', 'V', 'F', 9, '\r', '\n', 0xff, 0, 1, 1 };
    uint8_t *bytes;
    size_t at = HEADER;
    char path[64];

    if (size < HEADER + HEAD)
        return 0;
    bytes = malloc(size);
    fuzz_must(bytes != NULL);
    memcpy(bytes, data, size);
    memcpy(bytes, header, sizeof header);
    for (uint32_t i = 0; i < SECTIONS && at <= size - HEAD; i++) {
        const uint64_t next = bytes_u64le(bytes + at + 16);

        mend(bytes + at, size - at);
        if (next <= at || next > size)
            break;
        at = (size_t)next;
    }
    const int fd = fuzz_file(path);
    fuzz_put(fd, 0, bytes, size);
    close(fd);
    free(bytes);
    fuzz_open(path, "ewf");
    return 0;
}
