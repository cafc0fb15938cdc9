/*
 * io/image/image_vhd.c - Virtual PC disks, fixed and dynamic: what libtsk believes and should not.
 *
 * A footer of 512 bytes ends the file; a dynamic disk has a copy of it at the start, and a header
 * with the table of its blocks.
 * Source: Virtual Hard Disk Image Format Specification 1.0.
 */
#include <inttypes.h>
#include <string.h>
#include <unistd.h>

#include "base/bytes.h"
#include "io/image/file.h"
#include "io/image/image_tsk.h"

enum {
    VHD_FOOTER_LEN = 512,
    VHD_AT_HEADER = 16, /* u64be, offset in the file */
    VHD_AT_FIRST = 40,  /* u64be, size of the disk when it was made: the one that libvhdi takes */
    VHD_AT_SIZE = 48,   /* u64be, its size now */
    VHD_AT_TYPE = 60,   /* u32be */
    VHD_TYPE_FIXED = 2,
    VHD_TYPE_DIFFERENCING = 4,
    VHD_HEADER_LEN = 1024,
    VHD_AT_TABLE = 16,   /* u64be, offset in the file */
    VHD_AT_ENTRIES = 28, /* u32be */
    VHD_AT_BLOCK = 32,   /* u32be, bytes */
    VHD_ENTRY_LEN = 4,
    VHD_GIB_MAX = 2040, /* of a disk; the format ends there */
};

/* How many bytes the blocks of a dynamic disk can hold; 0: the header is damaged. */
static uint64_t vhd_room(int fd, uint64_t size, const uint8_t footer[VHD_FOOTER_LEN])
{
    const uint64_t at = bytes_u64be(footer + VHD_AT_HEADER);
    uint8_t header[VHD_HEADER_LEN];

    if (at > size || size - at < sizeof header ||
        io_file_pread(fd, at, header, sizeof header) != 0 || memcmp(header, "cxsparse", 8) != 0)
        return 0;
    const uint64_t table = bytes_u64be(header + VHD_AT_TABLE),
                   entries = bytes_u32be(header + VHD_AT_ENTRIES);
    const uint64_t room = entries * bytes_u32be(header + VHD_AT_BLOCK),
                   most = (uint64_t)VHD_GIB_MAX << 30;
    if (table > size || size - table < entries * VHD_ENTRY_LEN)
        return 0;
    return room < most ? room : most;
}

/*
 * The footer that counts: the last 512 bytes, or their copy where they are no footer. False:
 * neither is one.
 */
static bool vhd_footer(int fd, uint64_t size, uint8_t footer[VHD_FOOTER_LEN])
{
    return (io_file_pread(fd, size - VHD_FOOTER_LEN, footer, VHD_FOOTER_LEN) == 0 &&
            memcmp(footer, "conectix", 8) == 0) ||
           (io_file_pread(fd, 0, footer, VHD_FOOTER_LEN) == 0 &&
            memcmp(footer, "conectix", 8) == 0);
}

/* *most: how many bytes the image in the file can have. */
static enum err_code vhd_check(const char *path, uint64_t *most, struct err *err)
{
    uint8_t footer[VHD_FOOTER_LEN];
    struct stat st;
    int fd;

    enum err_code rc = io_file_open(path, &fd, &st, err);
    if (rc != ERR_OK)
        return rc;
    const uint64_t size = (uint64_t)st.st_size;
    *most = size - VHD_FOOTER_LEN;
    if (size < VHD_FOOTER_LEN)
        rc = ERR_RAISE(err, ERR_INPUT,
                       "%s: the header of the VHD cannot be read; the file is cut short", path);
    else if (!vhd_footer(fd, size, footer))
        rc = ERR_RAISE(err, ERR_INPUT, "%s: neither begins nor ends as a VHD does", path);
    else if (bytes_u32be(footer + VHD_AT_TYPE) == VHD_TYPE_DIFFERENCING)
        rc = ERR_RAISE(err, ERR_INPUT,
                       "%s: is a differencing VHD, which holds only what has changed since its "
                       "parent; join the two: "
                       "qemu-img convert -O raw IMAGE OUT",
                       path);
    else if (bytes_u64be(footer + VHD_AT_FIRST) != bytes_u64be(footer + VHD_AT_SIZE))
        rc = ERR_RAISE(err, ERR_INPUT,
                       "%s: this VHD was resized from %" PRIu64 " to %" PRIu64
                       " bytes, and libtsk knows only the first size; convert it: qemu-img convert "
                       "-f vpc -O raw IMAGE OUT",
                       path, bytes_u64be(footer + VHD_AT_FIRST), bytes_u64be(footer + VHD_AT_SIZE));
    else if (bytes_u32be(footer + VHD_AT_TYPE) != VHD_TYPE_FIXED)
        *most = vhd_room(fd, size, footer);
    close(fd);
    return rc;
}

enum err_code io_image_vhd_open(const struct io_container *container, const char *path,
                                struct io_image **out, struct err *err)
{
    uint64_t most = 0;
    enum err_code rc = vhd_check(path, &most, err);

    if (rc == ERR_OK)
        rc = io_image_tsk_open(container, IO_TSK_VHD, path, out, err);
    if (rc == ERR_OK && io_image_size(*out) > most)
        rc = ERR_RAISE(err, ERR_INPUT,
                       "%s: this VHD is damaged: its footer says %" PRIu64
                       " bytes, and it has room for %" PRIu64,
                       path, io_image_size(*out), most);
    return rc;
}
