/* io/image_vhd.c - Virtual PC disks, fixed and dynamic. Source: Virtual Hard Disk Image Format Specification 1.0. */
#include <string.h>
#include <unistd.h>

#include "base/bytes.h"
#include "io/file.h"
#include "io/image_tsk.h"

enum { VHD_FOOTER_LEN = 512, VHD_AT_TYPE = 60, VHD_TYPE_DIFFERENCING = 4 };

enum err_code io_image_vhd_open(const struct io_container *container, const char *path, struct io_image **out,
                                struct err *err)
{
    uint8_t head[VHD_FOOTER_LEN] = { 0 }; /* a fixed disk has no footer here, and no parent */
    struct stat st;
    int fd;

    enum err_code rc = io_file_open(path, &fd, &st, err);
    if (rc != ERR_OK)
        return rc;
    if (st.st_size < VHD_FOOTER_LEN || io_file_pread(fd, 0, head, sizeof head) != 0)
        rc = ERR_RAISE(err, ERR_INPUT, "%s: the header of the VHD cannot be read; the file is cut short", path);
    close(fd);
    if (rc == ERR_OK && memcmp(head, "conectix", 8) == 0 && bytes_u32be(head + VHD_AT_TYPE) == VHD_TYPE_DIFFERENCING)
        rc = ERR_RAISE(err, ERR_INPUT,
                       "%s: is a differencing VHD, which holds only what has changed since its parent; join the two: "
                       "qemu-img convert -O raw IMAGE OUT",
                       path);
    if (rc == ERR_OK)
        rc = io_image_tsk_open(container, IO_TSK_VHD, path, out, err);
    return rc;
}
