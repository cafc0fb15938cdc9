/* SPDX-License-Identifier: Apache-2.0
 * carver/triage/disk_facts.c - see disk_facts.h. */
#include <stdlib.h>
#include <string.h>

#include "carver/triage/disk_facts.h"

bool disk_facts_locked(const struct io_volume *volume)
{
    return strstr(volume->why, "encrypted") != NULL;
}

bool disk_facts_blank(const struct io_volume *volume)
{
    return volume->content[0] == '\0' &&
           (volume->kind == IO_VOLUME_PARTITION || volume->kind == IO_VOLUME_ALL);
}

/* Bytes of [from, from + len) that lie in the ranges. */
static uint64_t facts_used(const struct io_range *ranges, uint32_t count, uint64_t from,
                           uint64_t len)
{
    uint64_t used = 0;

    for (uint32_t i = 0; i < count; i++) {
        const uint64_t begin = ranges[i].offset > from ? ranges[i].offset : from;
        const uint64_t range_end = ranges[i].offset + ranges[i].len;
        const uint64_t end = range_end < from + len ? range_end : from + len;

        used += begin < end ? end - begin : 0;
    }
    return used;
}

/* What is in use is read a second time with the volumes, in two seconds or not at all. */
static enum err_code facts_free(const struct io_image *image, bool (*stop)(void),
                                struct disk_facts *facts, struct err *err)
{
    const uint32_t count = io_volumes_count(facts->volumes);
    struct io_volumes *now = NULL;
    const enum err_code rc =
        io_volumes_open(image, IO_VOLUMES_USED | IO_VOLUMES_SOON, stop, &now, err);
    uint32_t range_count = 0;

    if (rc != ERR_OK)
        return rc;
    const struct io_range *ranges = io_volumes_used(now, &range_count);
    for (uint32_t i = 0; i < count && i < io_volumes_count(now); i++) {
        const struct io_volume volume = io_volumes_get(now, i);
        const uint64_t len = volume.content_len < volume.len ? volume.content_len : volume.len;

        if (volume.kind != IO_VOLUME_LOGICAL && volume.content[0] != '\0' && len > 0 &&
            volume.why[0] == '\0')
            facts->free[i] = len - facts_used(ranges, range_count, volume.offset, len);
    }
    io_volumes_close(now);
    return ERR_OK;
}

enum err_code disk_facts_open(const struct io_image *image, bool (*stop)(void),
                              struct disk_facts *out, struct err *err)
{
    enum err_code rc;

    *out = (struct disk_facts){ 0 };
    rc = io_volumes_open(image, IO_VOLUMES_SOON, stop, &out->volumes, err);
    if (rc != ERR_OK)
        return rc;
    const uint32_t count = io_volumes_count(out->volumes);
    out->free = calloc(count + 1u, sizeof *out->free);
    if (out->free == NULL) {
        disk_facts_close(out);
        return ERR_NO_MEMORY(err, count * sizeof *out->free);
    }
    for (uint32_t i = 0; i < count; i++)
        out->free[i] = UINT64_MAX;
    if (count > 0)
        rc = facts_free(image, stop, out, err);
    if (rc != ERR_OK)
        disk_facts_close(out);
    return rc;
}

void disk_facts_close(struct disk_facts *facts)
{
    io_volumes_close(facts->volumes);
    free(facts->free);
    *facts = (struct disk_facts){ 0 };
}
