/* SPDX-License-Identifier: Apache-2.0
 * tests/fuzz/fuzz_lvm.c - a physical volume of LVM2 of any bytes, and its text of any bytes.
 *
 * Found: crashes, segments that point to no physical volume, numbers that overflow. The checksums
 * of a label in the second sector, and of the area of metadata that it names, are made right:
 * without them nothing would come past the label.
 */
#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "io/filesystem/lvm.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Behind the bytes that are given, a volume has zeros. */
#define FUZZ_SIZE (UINT64_C(64) << 20)

struct fuzz_bytes {
    const uint8_t *bytes;
    size_t size;
};

static void must(bool right)
{
    if (!right)
        abort();
}

static bool fuzz_read(void *arg, uint64_t at, void *out, uint32_t len)
{
    const struct fuzz_bytes *from = arg;
    const size_t have = at < from->size ? from->size - (size_t)at : 0;

    must(at <= FUZZ_SIZE && len <= FUZZ_SIZE - at);
    memset(out, 0, len);
    if (have > 0 && len > 0)
        memcpy(out, from->bytes + at, have < len ? have : len);
    return true;
}

/* The CRC of lvm2's lib/misc/crc.c, into the four bytes at out. */
static void put_crc(uint8_t *out, const uint8_t *bytes, size_t len)
{
    uint32_t crc = 0xf597a6cf;

    for (size_t i = 0; i < len; i++) {
        crc ^= bytes[i];
        for (uint32_t bit = 0; bit < 8; bit++)
            crc = crc >> 1 ^ (0xedb88320 & (0 - (crc & 1)));
    }
    for (uint32_t i = 0; i < 4; i++)
        out[i] = (uint8_t)(crc >> 8 * i);
}

/* The label, then the head of the area at byte 4096, and the text that it names. */
static void mend(uint8_t *bytes, size_t size)
{
    enum { LABEL = 512, AREA = 4096, HEAD = 512, PLACE = 40 };

    if (size < AREA + HEAD)
        return;
    const uint64_t at = bytes_u64le(bytes + AREA + PLACE),
                   len = bytes_u64le(bytes + AREA + PLACE + 8);
    if (at < size - AREA && len <= size - AREA - at)
        put_crc(bytes + AREA + PLACE + 16, bytes + AREA + at, (size_t)len);
    put_crc(bytes + AREA, bytes + AREA + 4, HEAD - 4);
    put_crc(bytes + LABEL + 16, bytes + LABEL + 20, LABEL - 20);
}

static void check(const struct lvm_group *group)
{
    must(group->extent_len > 0 && group->physical_count <= LVM_VOLUMES_MAX);
    for (uint32_t i = 0; i < group->logical_count; i++)
        must(group->logical[i].first + group->logical[i].count <= group->segment_count);
    for (uint32_t i = 0; i < group->segment_count; i++) {
        const struct lvm_segment *segment = &group->segments[i];

        must(segment->stripes <= LVM_STRIPES_MAX);
        for (uint32_t k = 0; k < segment->stripes; k++)
            must(segment->place[k] < group->physical_count &&
                 segment->extent[k] < UINT64_MAX / 2 / group->extent_len);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    uint8_t *copy = malloc(size + 1);

    must(copy != NULL);
    if (size > 0)
        memcpy(copy, data, size);
    mend(copy, size);
    struct fuzz_bytes bytes = { copy, size };
    const struct source source = { .read = fuzz_read, .arg = &bytes, .size = FUZZ_SIZE };
    struct lvm_label label;
    struct lvm_group group = { 0 };
    struct err err = { 0 };

    if (lvm_label(&source, &label) && lvm_read(&source, &label, &group, &err) == ERR_OK)
        check(&group);
    lvm_release(&group);
    if (size > 0)
        memcpy(copy, data, size);
    copy[size] = 0;
    if (lvm_parse((char *)copy, (uint32_t)size, &group, &err) == ERR_OK)
        check(&group);
    lvm_release(&group);
    free(copy);
    return 0;
}
