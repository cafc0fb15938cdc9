/* SPDX-License-Identifier: Apache-2.0
 * io/image/luks.c - the header of a LUKS volume, to tell what QEMU can open: the rest is read by
 * qemu-nbd (serve.h). Source: LUKS On-Disk Format Specification 1.2.3, "The Partition Header";
 * LUKS2 On-Disk Format Specification 1.1.1.
 */
#include <inttypes.h>
#include <string.h>
#include <sys/stat.h>

#include "base/bytes.h"
#include "base/limits.h"
#include "io/image/container.h"
#include "io/image/file.h"
#include "io/image/image_impl.h"

enum {
    LUKS_HEADER = 108,
    LUKS_MAGIC = 6,
    AT_VERSION = 6,   /* u16be */
    AT_PAYLOAD = 104, /* where the encrypted disk begins, in sectors, u32be; of version 1 */
};

static const char luks_magic[LUKS_MAGIC] = { 'L', 'U', 'K', 'S', (char)0xba, (char)0xbe };

#define LUKS_CRYPTSETUP                                                                            \
    "open it with cryptsetup (cryptsetup open --readonly IMAGE NAME), and scan /dev/mapper/NAME"

/* 0: the bytes are no such header. */
static uint32_t luks_version(const uint8_t header[LUKS_HEADER])
{
    return memcmp(header, luks_magic, LUKS_MAGIC) == 0 ? bytes_u16be(header + AT_VERSION) : 0;
}

uint32_t io_image_luks(struct io_image *image)
{
    uint8_t header[LUKS_HEADER];

    return image->size >= LUKS_HEADER &&
                   io_image_read_at(image, 0, header, LUKS_HEADER, NULL) == ERR_OK
               ? luks_version(header)
               : 0;
}

enum err_code io_luks_check(const char *path, int fd, uint64_t size, struct err *err)
{
    uint8_t header[LUKS_HEADER];
    struct stat st;

    (void)path; /* the caller's text has it */
    if (size < LUKS_HEADER || io_file_pread(fd, 0, header, LUKS_HEADER) != 0 ||
        luks_version(header) == 0)
        return ERR_RAISE(err, ERR_INPUT, "it does not begin with the header of a LUKS volume");
    if (luks_version(header) != 1)
        return ERR_RAISE(err, ERR_INPUT,
                         "it is of version %" PRIu32
                         ", and QEMU reads version 1 alone; " LUKS_CRYPTSETUP,
                         luks_version(header));
    if (fstat(fd, &st) != 0 || !S_ISREG(st.st_mode))
        return ERR_RAISE(err, ERR_INPUT, "it is a device and no file; " LUKS_CRYPTSETUP);
    const uint64_t payload = (uint64_t)bytes_u32be(header + AT_PAYLOAD) * LIMIT_SECTOR;
    if (payload >= size || (size - payload) % LIMIT_SECTOR != 0)
        return ERR_RAISE(err, ERR_INPUT,
                         "its disk begins at byte %" PRIu64 ", and the file has %" PRIu64
                         " bytes: no whole number of sectors is left, it was cut off",
                         payload, size);
    return ERR_OK;
}
