/* SPDX-License-Identifier: Apache-2.0
 * signatures/disk/luks.c - headers of encrypted volumes: LUKS 1 and 2.
 *
 *   1: "LUKS\xba\xbe" | u16be 1 | cipher, mode, hash | place of the encrypted data | eight key
 * slots | what the slots keep 2: the same with 2 | u64be size of the header | sequence, identity,
 * checksum | JSON; the same again with "SKUL\xba\xbe" | key slots' area
 *
 * Nothing says how long the encrypted data is: it fills the volume. What is measured is the header
 * with its key slots, which is all that is needed to try passwords on, and just what `cryptsetup
 * luksHeaderBackup` writes to a file.
 */
#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "signatures/sig.h"

enum {
    LUKS_HEAD_1 = 592,
    LUKS_SLOTS = 8,
    LUKS_SLOT = 48,
    LUKS_STRIPES = 4000,
    LUKS_SECTOR = 512, /* the format's own unit, whatever the disk's */
    LUKS_HEAD_2 = 4096,
    LUKS_HEAD_2_MAX = 4 << 20,
    LUKS_SLOTS_MAX = 128 << 20,
    LUKS_UNIT = 4096,
    LUKS_DATA_MAX = 1 << 22, /* sectors before the data */
};

/* A text of printable characters in a field filled up with zeros. */
static bool luks_text_ok(const uint8_t *p, uint32_t size)
{
    uint32_t len = 0;

    while (len < size && p[len] >= ' ' && p[len] <= '~')
        len++;
    for (uint32_t i = len; i < size; i++)
        if (p[i] != 0)
            return false;
    return len > 0 && len < size;
}

static struct sig_result luks_1(struct sig_input *in)
{
    const uint8_t *p = sig_bytes(in, 0, LUKS_HEAD_1);
    uint32_t last = 0;

    if (p == NULL)
        return sig_short(in);
    const uint32_t data = bytes_u32be(p + 104), key = bytes_u32be(p + 108);
    if (!luks_text_ok(p + 8, 32) || !luks_text_ok(p + 40, 32) || !luks_text_ok(p + 72, 32) ||
        key == 0 || key > 256 || data == 0 || data > LUKS_DATA_MAX)
        return sig_reject("invalid cipher, hash or key");
    for (uint32_t i = 0; i < LUKS_SLOTS; i++) {
        const uint8_t *slot = p + 208 + i * LUKS_SLOT;
        const uint32_t mark = bytes_u32be(slot), at = bytes_u32be(slot + 40);

        if ((mark != 0x00ac71f3 && mark != 0x0000dead) || bytes_u32be(slot + 44) != LUKS_STRIPES ||
            at <= last || at >= data)
            return sig_reject("invalid key slot");
        last = at;
    }
    const uint64_t kept = ((uint64_t)key * LUKS_STRIPES + LUKS_UNIT - 1) / LUKS_UNIT * LUKS_UNIT;
    if ((uint64_t)last * LUKS_SECTOR + kept > (uint64_t)data * LUKS_SECTOR)
        return sig_reject("the key slots reach into the data");
    return sig_believe(in, (uint64_t)last * LUKS_SECTOR + kept,
                       "the header and key slots are there; the volume stores no length");
}

static struct sig_result luks_2(struct sig_input *in)
{
    static const char field[] = "\"keyslots_size\":\"";
    const uint8_t *p = sig_bytes(in, 0, LUKS_HEAD_2);
    char digits[16] = { 0 };
    uint64_t at;

    if (p == NULL)
        return sig_short(in);
    const uint64_t size = bytes_u64be(p + 8);
    if (size < 4 * LUKS_UNIT || size > LUKS_HEAD_2_MAX || (size & (size - 1)) != 0 ||
        !luks_text_ok(p + 72, 32) || bytes_u64be(p + 256) != 0)
        return sig_reject("invalid size, checksum or place");
    p = sig_bytes(in, size, LUKS_HEAD_2);
    if (p == NULL)
        return sig_short(in);
    if (memcmp(p, "SKUL\xba\xbe\0\2", 8) != 0 || bytes_u64be(p + 8) != size ||
        bytes_u64be(p + 256) != size)
        return sig_reject("there is no second header");
    sig_valid(in, LUKS_HEAD_2);
    const enum sig_found found = sig_find(in, LUKS_HEAD_2, size, field, sizeof field - 1, &at);
    if (found == SIG_FIND_WAIT)
        return sig_short(in);
    if (found == SIG_FIND_NONE)
        return sig_breaks(in, "the JSON does not give the size of the key slots");
    p = sig_bytes(in, at + sizeof field - 1, sizeof digits - 1);
    if (p == NULL)
        return sig_short(in);
    for (uint32_t i = 0; i < sizeof digits - 1 && p[i] >= '0' && p[i] <= '9'; i++)
        digits[i] = (char)p[i];
    const uint64_t slots = strtoull(digits, NULL, 10);
    if (slots == 0 || slots > LUKS_SLOTS_MAX || slots % LUKS_UNIT != 0)
        return sig_breaks(in, "invalid area of the key slots");
    return sig_believe(in, 2 * size + slots,
                       "both headers and key slots are there; the volume stores no length");
}

static struct sig_result luks_check(struct sig_input *in, void *memory)
{
    const uint8_t *p = sig_bytes(in, 0, 8);

    (void)memory;
    if (p == NULL)
        return sig_short(in);
    return p[7] == 1 ? luks_1(in) : luks_2(in);
}

const struct sig sig_luks = {
    .name = "luks",
    .what = "header of an encrypted volume (LUKS), with its key slots",
    .proves = "cipher, hash and key slots read; the second header is there",
    .source = "LUKS1 On-Disk Format 1.2.3, 2; LUKS2 On-Disk Format 1.1.2, 2-3",
    .types = (const struct sig_type[]){ { "luks", "luks" }, { 0 } },
    .headers = { SIG_PATTERN("LUKS\xba\xbe\0\1"), SIG_PATTERN("LUKS\xba\xbe\0\2") },
    .flags = SIG_SECTOR_ALIGNED,
    .size_min = LUKS_HEAD_1,
    .size_max = 2 * LUKS_HEAD_2_MAX + LUKS_SLOTS_MAX,
    .check = luks_check,
};
