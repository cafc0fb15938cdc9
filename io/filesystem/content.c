/* SPDX-License-Identifier: Apache-2.0
 * io/filesystem/content.c - see content.h. Each line of the table is a magic; a function beside it
 * looks further and fills in what is told of the file system.
 *
 * Sources: the on-disk headers of each (linux/magic.h and the kernel's headers of each file system;
 * for BitLocker, CoreStorage and ReFS, libyal's documents).
 */
#include "io/filesystem/content.h"

#include <string.h>

#include "base/bytes.h"
#include "io/filesystem/content_label.h"
#include "io/filesystem/lvm.h"
#include "io/filesystem/md.h"

enum {
    CONTENT_BOOT = 512,
    CONTENT_HEAD = 1024, /* bytes of a superblock that are looked at */
    CONTENT_KIB = 1024,
    CONTENT_ZFS_FIRST = 128 * CONTENT_KIB, /* uberblocks of ZFS, one in each KiB */
    CONTENT_ZFS_END = 256 * CONTENT_KIB,
    CONTENT_READ_ONLY_BIGALLOC = 0x200, /* of ext4's read-only features */
};
#define CONTENT_SIZE_MAX (UINT64_C(1) << 62)

static const char content_unread[] = "no reader here";
static const char content_locked[] = "encrypted";

/* units * size, or 0 when that cannot be. */
static uint64_t content_bytes(uint64_t units, uint64_t size)
{
    return size != 0 && units <= CONTENT_SIZE_MAX / size ? units * size : 0;
}

static bool content_is_power(uint64_t n, uint64_t least, uint64_t most)
{
    return n >= least && n <= most && (n & (n - 1)) == 0;
}

/* Each: head is the superblock, where the table says that it begins. False: it is none. */
static bool content_ext(const struct source *source, const uint8_t *head, struct content *out)
{
    const uint32_t compatible = bytes_u32le(head + 92), incompatible = bytes_u32le(head + 96);
    const uint32_t read_only = bytes_u32le(head + 100), shift = bytes_u32le(head + 24);
    uint64_t blocks = bytes_u32le(head + 4);

    (void)source;
    if (shift > 6)
        return false;
    if ((incompatible & 0x80) != 0)
        blocks |= (uint64_t)bytes_u32le(head + 0x150) << 32;
    out->block_size = (uint32_t)CONTENT_KIB << shift;
    out->size = content_bytes(blocks, out->block_size);
    out->name = (incompatible & 0x2c0) != 0 || (read_only & 0x78) != 0 ? "ext4"
                : (compatible & 4) != 0                                ? "ext3"
                                                                       : "ext2";
    content_label_bytes(head + 0x78, 16, out->label);
    if ((read_only & CONTENT_READ_ONLY_BIGALLOC) != 0)
        out->reader = CONTENT_BIGALLOC;
    return true;
}

static bool content_ntfs(const struct source *source, const uint8_t *head, struct content *out)
{
    const uint32_t sector = bytes_u16le(head + 11), units = head[13];
    const uint64_t per = units <= 128 ? units : units >= 240 ? UINT64_C(1) << (256 - units) : 0;

    if (!content_is_power(sector, 256, 4096) || !content_is_power(per, 1, 4096))
        return false;
    out->block_size = (uint32_t)(sector * per);
    out->size = content_bytes(bytes_u64le(head + 40) + 1, sector);
    content_label_ntfs(source, head, out->block_size, out->label);
    return true;
}

static bool content_exfat(const struct source *source, const uint8_t *head, struct content *out)
{
    if (head[108] < 9 || head[108] > 12 || head[109] > 25 - head[108])
        return false;
    out->block_size = UINT32_C(1) << (head[108] + head[109]);
    out->size = content_bytes(bytes_u64le(head + 72), UINT64_C(1) << head[108]);
    content_label_exfat(source, head, out->label);
    return true;
}

/* A boot sector of FAT has no magic: its numbers must make sense together. */
static bool content_fat(const struct source *source, const uint8_t *head, struct content *out)
{
    const uint32_t sector = bytes_u16le(head + 11), cluster = head[13],
                   reserved = bytes_u16le(head + 14), fats = head[16],
                   roots = bytes_u16le(head + 17);
    const uint32_t small = bytes_u16le(head + 22),
                   fat = small != 0 ? small : bytes_u32le(head + 36);
    const uint32_t sectors =
        bytes_u16le(head + 19) != 0 ? bytes_u16le(head + 19) : bytes_u32le(head + 32);

    (void)source;
    if ((head[0] != 0xeb && head[0] != 0xe9) || head[510] != 0x55 || head[511] != 0xaa ||
        !content_is_power(sector, 512, 4096) || !content_is_power(cluster, 1, 128) ||
        reserved == 0 || fats == 0 || fats > 2 || (head[21] < 0xf8 && head[21] != 0xf0) || fat == 0)
        return false;
    const uint64_t lead =
        reserved + (uint64_t)fats * fat + ((uint64_t)roots * 32 + sector - 1) / sector;
    if (lead >= sectors)
        return false;
    const uint64_t clusters = (sectors - lead) / cluster;
    out->name = small == 0 ? "fat32" : clusters < 4085 ? "fat12" : "fat16";
    out->block_size = sector * cluster;
    out->size = content_bytes(sectors, sector);
    if (head[small == 0 ? 66 : 38] == 0x29)
        content_label_bytes(head + (small == 0 ? 71 : 43), 11, out->label);
    if (strcmp(out->label, "NO NAME") == 0)
        out->label[0] = '\0';
    return true;
}

static bool content_xfs(const struct source *source, const uint8_t *head, struct content *out)
{
    (void)source;
    out->block_size = bytes_u32be(head + 4);
    out->size = content_bytes(bytes_u64be(head + 8), out->block_size);
    content_label_bytes(head + 108, 12, out->label);
    return true;
}

static bool content_hfs_plus(const struct source *source, const uint8_t *head, struct content *out)
{
    const uint16_t version = bytes_u16be(head + 2);

    (void)source;
    out->block_size = bytes_u32be(head + 40);
    out->size = content_bytes(bytes_u32be(head + 44), out->block_size);
    return version == 4 || version == 5;
}

static bool content_iso(const struct source *source, const uint8_t *head, struct content *out)
{
    (void)source;
    out->block_size = bytes_u16le(head + 128);
    out->size = content_bytes(bytes_u32le(head + 80), out->block_size);
    content_label_bytes(head + 40, 32, out->label);
    return head[0] == 1;
}

static bool content_btrfs(const struct source *source, const uint8_t *head, struct content *out)
{
    (void)source;
    out->block_size = bytes_u32le(head + 0x90);
    out->size = bytes_u64le(head + 0x70) <= CONTENT_SIZE_MAX ? bytes_u64le(head + 0x70) : 0;
    content_label_bytes(head + 0x12b, 255, out->label);
    return true;
}

static bool content_apfs(const struct source *source, const uint8_t *head, struct content *out)
{
    (void)source;
    out->block_size = bytes_u32le(head + 36);
    out->size = content_bytes(bytes_u64le(head + 40), out->block_size);
    return content_is_power(out->block_size, 4096, 65536);
}

static bool content_luks(const struct source *source, const uint8_t *head, struct content *out)
{
    (void)source;
    out->name = bytes_u16be(head + 6) == 1 ? "LUKS1" : "LUKS2";
    if (bytes_u16be(head + 6) == 2)
        content_label_bytes(head + 24, 48, out->label);
    return bytes_u16be(head + 6) == 1 || bytes_u16be(head + 6) == 2;
}

static bool content_core_storage(const struct source *source, const uint8_t *head,
                                 struct content *out)
{
    (void)source;
    out->block_size = bytes_u32le(head + 96);
    out->size = bytes_u64le(head + 64) <= CONTENT_SIZE_MAX ? bytes_u64le(head + 64) : 0;
    return bytes_u16le(head + 8) == 1 && bytes_u16le(head + 10) == 0x10;
}

struct content_magic {
    uint64_t at; /* where the superblock begins */
    uint32_t in; /* where in it the magic stands */
    const char *magic;
    uint32_t len;
    const char *name;
    enum content_reader reader;
    const char *note;
    bool (*look)(const struct source *source, const uint8_t *head, struct content *out);
};

#define MAGIC(bytes) bytes, sizeof(bytes) - 1

/* The first that holds is taken: what is encrypted or locked wears other heads. */
static const struct content_magic content_table[] = {
    { 0, 3, MAGIC("-FVE-FS-"), "BitLocker", CONTENT_UNREAD, content_locked, NULL },
    { 0, 0, MAGIC("LUKS\xba\xbe"), "LUKS", CONTENT_UNREAD, content_locked, content_luks },
    { 0, 88, MAGIC("CS"), "CoreStorage", CONTENT_UNREAD,
      "encrypted, or of several disks (FileVault)", content_core_storage },
    { 0, 3, MAGIC("ReFS\0\0\0\0"), "refs", CONTENT_UNREAD, content_unread, NULL },
    { 0, 3, MAGIC("NTFS    "), "ntfs", CONTENT_TSK, "", content_ntfs },
    { 0, 3, MAGIC("EXFAT   "), "exfat", CONTENT_TSK, "", content_exfat },
    { 0, 32, MAGIC("NXSB"), "apfs", CONTENT_POOL, "", content_apfs },
    { 0, 0, MAGIC("XFSB"), "xfs", CONTENT_XFS, "", content_xfs },
    { 0, 0, MAGIC("hsqs"), "squashfs", CONTENT_UNREAD, content_unread, NULL },
    { 1024, 0x38, MAGIC("\x53\xef"), "ext", CONTENT_TSK, "", content_ext },
    { 1024, 0, MAGIC("H+"), "hfs+", CONTENT_TSK, "", content_hfs_plus },
    { 1024, 0, MAGIC("HX"), "hfs+", CONTENT_TSK, "", content_hfs_plus },
    { 1024, 0, MAGIC("BD"), "hfs", CONTENT_UNREAD, content_unread, NULL },
    { 1024, 0, MAGIC("\x10\x20\xf5\xf2"), "f2fs", CONTENT_UNREAD, content_unread, NULL },
    { 65536, 64, MAGIC("_BHRfS_M"), "btrfs", CONTENT_BTRFS, "", content_btrfs },
    { 65536, 52, MAGIC("ReIsEr"), "reiserfs", CONTENT_UNREAD, content_unread, NULL },
    { 32768, 0, MAGIC("JFS1"), "jfs", CONTENT_UNREAD, content_unread, NULL },
    { 32768, 1, MAGIC("CD001"), "iso9660", CONTENT_TSK, "", content_iso },
    { 34816, 1, MAGIC("NSR0"), "udf", CONTENT_UNREAD, content_unread, NULL },
    { 4096, 0, MAGIC("\xc6\x85\x73\xf6\x4e\x1a\x45\xca"), "bcache", CONTENT_UNREAD, content_unread,
      NULL },
    { 4096 - 10, 0, MAGIC("SWAPSPACE2"), "swap", CONTENT_UNREAD, "swap space", NULL },
    { 4096 - 10, 0, MAGIC("SWAP-SPACE"), "swap", CONTENT_UNREAD, "swap space", NULL },
    { 4096 - 10, 0, MAGIC("S1SUSPEND"), "swap", CONTENT_UNREAD,
      "swap space with a system that hibernates", NULL },
    { 1048576, 0, MAGIC("\x0d\xd0\x01\xc0"), "vmfs", CONTENT_UNREAD, content_unread, NULL },
    { 8192, 1372, MAGIC("\x54\x19\x01\x00"), "ufs1", CONTENT_TSK, "", NULL },
    { 8192, 1372, MAGIC("\x00\x01\x19\x54"), "ufs1", CONTENT_TSK, "", NULL },
    { 65536, 1372, MAGIC("\x19\x01\x54\x19"), "ufs2", CONTENT_TSK, "", NULL },
    { 65536, 1372, MAGIC("\x19\x54\x01\x19"), "ufs2", CONTENT_TSK, "", NULL },
    { 0, 0, MAGIC(""), "fat", CONTENT_TSK, "", content_fat },
};

static bool content_try(const struct source *source, const struct content_magic *line,
                        struct content *out)
{
    uint8_t head[CONTENT_HEAD + CONTENT_BOOT] = { 0 };
    /* What lies near the end of a short volume has zeros behind it. */
    const uint64_t left = source->size > line->at ? source->size - line->at : 0;
    const uint32_t len = left < sizeof head ? (uint32_t)left : (uint32_t)sizeof head;

    if (len < CONTENT_BOOT || !source_read(source, line->at, head, len) ||
        memcmp(head + line->in, line->magic, line->len) != 0)
        return false;
    *out = (struct content){ .reader = line->reader, .name = line->name, .note = line->note };
    return line->look == NULL || line->look(source, head, out);
}

/* ZFS keeps 128 uberblocks of a KiB, of which some are used, in the byte order of the machine. */
static bool content_zfs(const struct source *source)
{
    static const uint8_t magics[2][8] = { { 0x0c, 0xb1, 0xba, 0, 0, 0, 0, 0 },
                                          { 0, 0, 0, 0, 0, 0xba, 0xb1, 0x0c } };
    uint8_t word[8];

    for (uint64_t at = CONTENT_ZFS_FIRST; at < CONTENT_ZFS_END; at += CONTENT_KIB) {
        if (!source_read(source, at, word, sizeof word))
            return false;
        if (memcmp(word, magics[0], 8) == 0 || memcmp(word, magics[1], 8) == 0)
            return true;
    }
    return false;
}

struct content content_look(const struct source *source)
{
    struct content found = { .name = "", .note = "" };
    struct md_member member;
    struct lvm_label label;

    if (md_member(source, &member))
        return (struct content){ .reader = CONTENT_MD, .name = "md", .note = "" };
    if (lvm_label(source, &label))
        return (struct content){ .reader = CONTENT_LVM, .name = "LVM2", .note = "" };
    for (size_t i = 0; i < sizeof content_table / sizeof content_table[0]; i++)
        if (content_try(source, &content_table[i], &found))
            return found;
    if (content_zfs(source))
        return (struct content){ .reader = CONTENT_UNREAD, .name = "zfs", .note = content_unread };
    return (struct content){ .name = "", .note = "" };
}
