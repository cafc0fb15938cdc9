/* SPDX-License-Identifier: Apache-2.0
 * signatures/archive/rar_5.c - headers of RAR 5 and later.
 *
 *   u32le CRC-32 of what follows | size | type 1-5 | flags | [size of the extra area] [size of the
 * data] | fields | extra area file: flags | plain size | attributes | [time 4] [CRC-32 4] | version
 * and method | system | name length | name
 *
 * Numbers are of 7 bits a byte.
 */
#include <isa-l/crc.h>

#include "signatures/archive/rar.h"

enum {
    RAR5_LOOK = 7, /* CRC and size */
    RAR5_HEAD_MAX = SIG_BYTES_MAX,
    RAR5_HAS_EXTRA = 1 << 0,
    RAR5_HAS_DATA = 1 << 1,
    RAR5_SPLIT_BEFORE = 1 << 3,
    RAR5_SPLIT_AFTER = 1 << 4,
    RAR5_FILE_HAS_TIME = 1 << 1,
    RAR5_FILE_HAS_CRC = 1 << 2,
    RAR5_EXTRA_ENCRYPTION = 1,
};

static bool rar5_number(const uint8_t *bytes, uint64_t len, uint64_t *at, uint64_t *value)
{
    *value = 0;
    for (uint32_t shift = 0; shift < 63 && *at < len; shift += 7) {
        const uint8_t byte = bytes[(*at)++];

        *value |= (uint64_t)(byte & 0x7f) << shift;
        if ((byte & 0x80) == 0)
            return true;
    }
    return false;
}

/* Is there a record of this type in the extra area? */
static bool rar5_extra(const uint8_t *head, uint64_t at, uint64_t len, uint64_t wanted)
{
    uint64_t size, type;

    while (at < len && rar5_number(head, len, &at, &size) && size <= len - at) {
        uint64_t inside = at;

        if (!rar5_number(head, len, &inside, &type))
            return false;
        if (type == wanted)
            return true;
        at += size;
    }
    return false;
}

/* The fields of a file's or a service's header, from at on. */
static bool rar5_file(const uint8_t *head, uint64_t len, uint64_t at, uint64_t extra,
                      uint64_t flags, struct rar_block *block)
{
    uint64_t file_flags, plain, other, method, name;

    if (!rar5_number(head, len, &at, &file_flags) || !rar5_number(head, len, &at, &plain) ||
        !rar5_number(head, len, &at, &other))
        return false;
    at += file_flags & RAR5_FILE_HAS_TIME ? 4 : 0;
    if (file_flags & RAR5_FILE_HAS_CRC) {
        if (at + 4 > len)
            return false;
        block->crc = bytes_u32le(head + at);
        at += 4;
    }
    if (!rar5_number(head, len, &at, &method) || !rar5_number(head, len, &at, &other) ||
        other > 1 || !rar5_number(head, len, &at, &name) || name > len - at)
        return false;
    const bool secret = rar5_extra(head, len - extra, len, RAR5_EXTRA_ENCRYPTION);
    block->compressed = (method >> 7 & 7) != 0 && plain / RAR_RATIO <= block->data_len;
    block->has_crc =
        !secret && (file_flags & RAR5_FILE_HAS_CRC) != 0 &&
        ((flags & RAR5_SPLIT_AFTER) != 0 || /* of what is in this volume */
         ((method >> 7 & 7) == 0 && (flags & RAR5_SPLIT_BEFORE) == 0 && plain == block->data_len));
    return true;
}

enum step rar_5_block(struct sig_input *in, uint64_t at, struct rar_block *block)
{
    static const enum rar_kind kinds[] = { RAR_OTHER, RAR_MAIN,      RAR_FILE,
                                           RAR_OTHER, RAR_ENCRYPTED, RAR_END };
    const uint8_t *head = sig_bytes(in, at, RAR5_LOOK);
    uint64_t len, type, flags, pos = 4, extra = 0, data = 0;

    if (head == NULL)
        return STEP_WAIT;
    if (!rar5_number(head, RAR5_LOOK, &pos, &len) || len < 2 || len > RAR5_HEAD_MAX - pos)
        return STEP_BAD;
    len += pos;
    if ((head = sig_bytes(in, at, (uint32_t)len)) == NULL)
        return STEP_WAIT;
    if (crc32_gzip_refl(0, head + 4, len - 4) != bytes_u32le(head) ||
        !rar5_number(head, len, &pos, &type) || type < 1 || type > 5 ||
        !rar5_number(head, len, &pos, &flags) ||
        ((flags & RAR5_HAS_EXTRA) && !rar5_number(head, len, &pos, &extra)) ||
        ((flags & RAR5_HAS_DATA) && !rar5_number(head, len, &pos, &data)) || extra > len - pos)
        return STEP_BAD;
    *block = (struct rar_block){
        .kind = kinds[type], .head_len = (uint32_t)len, .data_len = data, .needs_end = true
    };
    block->encrypted = block->kind == RAR_ENCRYPTED;
    if (block->kind == RAR_END && rar5_number(head, len, &pos, &extra))
        block->more_volumes = (extra & 1) != 0;
    return (type == 2 || type == 3) && !rar5_file(head, len, pos, extra, flags, block) ? STEP_BAD
                                                                                       : STEP_DONE;
}
