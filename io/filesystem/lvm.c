/* SPDX-License-Identifier: Apache-2.0
 * io/filesystem/lvm.c - see lvm.h: labels and areas of metadata. The text is read by lvm_text.c. */
#include "io/filesystem/lvm.h"

#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"

enum {
    LVM_SECTOR = 512,
    LVM_LABEL_SECTORS = 4, /* the label stands in one of these */
    LVM_UUID_LEN = 32,
    LVM_AREAS_MAX = 16, /* in a label */
    /* Of an area of metadata: its head has this many bytes, and the text goes round behind it. */
    LVM_HEAD = 512,
    LVM_HEAD_PLACES = 40, /* bytes of the head before the places of texts */
};

/* The CRC of lvm2's lib/misc/crc.c: CRC-32 of ISO 3309, begun with 0xf597a6cf, not inverted. */
static uint32_t lvm_crc(const uint8_t *bytes, uint32_t len)
{
    uint32_t crc = 0xf597a6cf;

    for (uint32_t i = 0; i < len; i++) {
        crc ^= bytes[i];
        for (uint32_t bit = 0; bit < 8; bit++)
            crc = crc >> 1 ^ (0xedb88320 & (0 - (crc & 1)));
    }
    return crc;
}

/* Areas of data, up to one of offset 0, and then areas of metadata. */
static void lvm_label_areas(const uint8_t *sector, uint32_t at, struct lvm_label *out)
{
    bool metadata = false;

    for (uint32_t i = 0; i < LVM_AREAS_MAX && at + 16 <= LVM_SECTOR; i++, at += 16) {
        const uint64_t offset = bytes_u64le(sector + at), len = bytes_u64le(sector + at + 8);

        if (offset != 0 && metadata) {
            out->metadata = offset;
            out->metadata_len = len;
            return;
        }
        if (offset == 0 && metadata)
            return;
        metadata = metadata || offset == 0;
    }
}

bool lvm_label(const struct source *source, struct lvm_label *out)
{
    uint8_t sector[LVM_SECTOR];

    *out = (struct lvm_label){ 0 };
    for (uint64_t i = 0; i < LVM_LABEL_SECTORS; i++) {
        if (!source_read(source, i * LVM_SECTOR, sector, LVM_SECTOR) ||
            memcmp(sector, "LABELONE", 8) != 0 || memcmp(sector + 24, "LVM2 001", 8) != 0 ||
            bytes_u64le(sector + 8) != i ||
            bytes_u32le(sector + 16) != lvm_crc(sector + 20, LVM_SECTOR - 20))
            continue;
        const uint32_t at = bytes_u32le(sector + 20);
        if (at < 32 || at > LVM_SECTOR - LVM_UUID_LEN - 8)
            continue;
        memcpy(out->uuid, sector + at, LVM_UUID_LEN);
        lvm_label_areas(sector, at + LVM_UUID_LEN + 8, out);
        return true;
    }
    return false;
}

enum err_code lvm_read(const struct source *source, const struct lvm_label *label,
                       struct lvm_group *out, struct err *err)
{
    uint8_t head[LVM_HEAD];

    *out = (struct lvm_group){ 0 };
    if (label->metadata_len <= LVM_HEAD)
        return ERR_RAISE(err, ERR_INPUT, "it has no description of its group");
    if (!source_read(source, label->metadata, head, sizeof head) ||
        memcmp(head + 4, " LVM2 x[5A%r0N*>", 16) != 0 ||
        bytes_u32le(head) != lvm_crc(head + 4, LVM_HEAD - 4))
        return ERR_RAISE(err, ERR_INPUT, "the head of its metadata is damaged");
    const uint64_t at = bytes_u64le(head + LVM_HEAD_PLACES);
    const uint64_t len = bytes_u64le(head + LVM_HEAD_PLACES + 8);
    const uint64_t area = label->metadata_len;
    if (at < LVM_HEAD || at >= area || len == 0 || len > area - LVM_HEAD || len > LVM_TEXT_MAX)
        return ERR_RAISE(err, ERR_INPUT, "the place of its metadata is damaged");
    char *text = malloc((size_t)len + 1);
    if (text == NULL)
        return ERR_NO_MEMORY(err, (size_t)len);
    const uint64_t first = area - at < len ? area - at : len;
    enum err_code rc = ERR_OK;
    if (!source_read(source, label->metadata + at, text, (uint32_t)first) ||
        !source_read(source, label->metadata + LVM_HEAD, text + first, (uint32_t)(len - first)))
        rc = ERR_RAISE(err, ERR_INPUT, "its metadata cannot be read");
    text[len] = '\0';
    if (rc == ERR_OK &&
        lvm_crc((const uint8_t *)text, (uint32_t)len) != bytes_u32le(head + LVM_HEAD_PLACES + 16))
        rc = ERR_RAISE(err, ERR_INPUT, "its metadata has a wrong checksum");
    if (rc == ERR_OK)
        rc = lvm_parse(text, (uint32_t)len, out, err);
    free(text);
    return rc;
}

void lvm_release(struct lvm_group *group)
{
    free(group->physical);
    free(group->logical);
    free(group->segments);
    *group = (struct lvm_group){ 0 };
}
