/* SPDX-License-Identifier: Apache-2.0
 * tests/fuzz/fuzz_e01.c - any bytes as an E01 image; see lib_container.h.
 *
 * The checksums of the heads of sections, of the form of the medium and of tables are made right,
 * so that what they protect is reached. Where the last two bytes of the header are a number, so
 * many bytes are the first part of the image, and the others a second one. What libewf would read,
 * as an image of EnCase 1, is left out.
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

/* Writes a part of the image, numbered 1 or 2, with checksums. */
static void put_part(const char *path, const uint8_t *data, size_t size, uint8_t number)
{
    static const uint8_t header[HEADER] = { 'E', 'V', 'F', 9, '\r', '\n', 0xff, 0, 1, 1 };
    uint8_t *bytes = malloc(size);
    size_t at = HEADER;

    fuzz_must(bytes != NULL);
    memcpy(bytes, data, size);
    memcpy(bytes, header, sizeof header);
    bytes[HEADER - 4] = number;
    for (uint32_t i = 0; i < SECTIONS && at <= size - HEAD; i++) {
        const uint64_t next = bytes_u64le(bytes + at + 16);

        mend(bytes + at, size - at);
        if (next <= at || next > size)
            break;
        at = (size_t)next;
    }
    const int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    fuzz_must(fd >= 0);
    fuzz_put(fd, 0, bytes, size);
    close(fd);
    free(bytes);
}

static bool is_ours(const uint8_t *data, size_t size)
{
    static struct io_probe probe;

    probe.size = size;
    probe.head_len = size < IO_PROBE_LEN ? (uint32_t)size : (uint32_t)IO_PROBE_LEN;
    memcpy(probe.head, data, probe.head_len);
    return io_container_is_e01(&probe);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const size_t least = HEADER + HEAD;
    char path[2][64];

    if (size < least)
        return 0;
    const size_t said = bytes_u16le(data + HEADER - 2);
    const size_t first = said < least || said > size - least ? size : said;

    if (!is_ours(data, first))
        return 0;
    for (int i = 0; i < 2; i++)
        snprintf(path[i], sizeof path[i], "/dev/shm/burin-fuzz-%ld.E0%d", (long)getpid(), i + 1);
    put_part(path[0], data, first, 1);
    if (first < size)
        put_part(path[1], data + first, size - first, 2);
    fuzz_open(path[0], "ewf");
    if (first < size)
        unlink(path[1]);
    return 0;
}
