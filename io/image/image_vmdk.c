/* SPDX-License-Identifier: Apache-2.0
 * io/image/image_vmdk.c - VMware disks: what libtsk leaves unsaid about the files they consist of.
 *
 * A VMDK has a text descriptor, in a file of its own or inside its only extent, that names the
 * extents and, of a snapshot, the parent. libtsk reports neither, and without the parent it cannot
 * read what the snapshot leaves to it. Source: VMware Virtual Disk Format 1.1, "The Descriptor
 * File" and "Hosted Sparse Extents".
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/bytes.h"
#include "base/limits.h"
#include "io/image/file.h"
#include "io/image/image_impl.h"
#include "io/image/image_tsk.h"

enum {
    VMDK_DESCRIPTOR_MAX =
        1 << 20, /* bytes; an extent is a line, and one of 2 GiB is the usual size */
    VMDK_HEADER_LEN = 44,
    VMDK_AT_DESCRIPTOR = 28,     /* u64le, sector */
    VMDK_AT_DESCRIPTOR_LEN = 36, /* u64le, sectors */
};

struct vmdk {
    const char *path;
    struct stat self;
    char *descriptor; /* owned; NULL: the file has none (COWD, later extents) */
    bool embedded;    /* the descriptor is inside the extent */
};

static enum err_code vmdk_read_descriptor(struct vmdk *vmdk, struct err *err)
{
    uint8_t head[VMDK_HEADER_LEN] = { 0 };
    int fd;
    uint64_t at = 0, len;

    enum err_code rc = io_file_open(vmdk->path, &fd, &vmdk->self, err);
    if (rc != ERR_OK)
        return rc;
    len = (uint64_t)vmdk->self.st_size;
    if (len >= sizeof head && io_file_pread(fd, 0, head, sizeof head) == 0 && head[0] != '#') {
        const bool sparse = memcmp(head, "KDMV", 4) == 0;
        const uint64_t sector = sparse ? bytes_u64le(head + VMDK_AT_DESCRIPTOR) : 0;
        const uint64_t sectors = sparse ? bytes_u64le(head + VMDK_AT_DESCRIPTOR_LEN) : 0;

        if (sector == 0 || sectors == 0 || sector > len / LIMIT_SECTOR ||
            sectors > len / LIMIT_SECTOR - sector)
            goto out;
        at = sector * LIMIT_SECTOR;
        len = sectors * LIMIT_SECTOR;
        vmdk->embedded = true;
    }
    if (len > VMDK_DESCRIPTOR_MAX) {
        rc = ERR_RAISE(err, ERR_INPUT, "%s: the VMDK descriptor is longer than %d bytes",
                       vmdk->path, VMDK_DESCRIPTOR_MAX);
        goto out;
    }
    vmdk->descriptor = calloc(1, len + 1);
    if (vmdk->descriptor == NULL)
        rc = ERR_NO_MEMORY(err, len + 1);
    else if (io_file_pread(fd, at, (uint8_t *)vmdk->descriptor, len) != 0)
        rc = ERR_RAISE(err, ERR_INPUT, "%s: the VMDK descriptor cannot be read", vmdk->path);
out:
    close(fd);
    return rc;
}

static enum err_code vmdk_check_parent(const struct vmdk *vmdk, struct err *err)
{
    static const char key[] = "parentCID=";
    const char *parent = strstr(vmdk->descriptor, key);

    if (parent != NULL && strncasecmp(parent + sizeof key - 1, "ffffffff", 8) != 0)
        return ERR_RAISE(err, ERR_INPUT,
                         "%s: is a VMDK snapshot, which holds only what has changed since its "
                         "parent; join the two: "
                         "qemu-img convert -O raw IMAGE OUT",
                         vmdk->path);
    return ERR_OK;
}

/* Checks, and adds when image is given, the file of one extent line: ACCESS SECTORS TYPE "NAME"
 * [OFFSET]. */
static enum err_code vmdk_extent(const struct vmdk *vmdk, struct io_image *image, const char *line,
                                 size_t line_len, struct err *err)
{
    const char *open = memchr(line, '"', line_len);
    const char *close =
        open == NULL ? NULL : memchr(open + 1, '"', line_len - (size_t)(open + 1 - line));
    const char *slash = strrchr(vmdk->path, '/');
    char name[LIMIT_PATH];
    struct stat st;

    if (close == NULL || close == open + 1)
        return ERR_OK; /* an extent of zeros has no file */
    const int name_len = (int)(close - open - 1);
    const int folder_len = slash == NULL ? 0 : (int)(slash + 1 - vmdk->path);
    /* libvmdk takes the last part of such a name, and whoever made the disk chose it. */
    if (memchr(open + 1, '/', (size_t)name_len) != NULL)
        return ERR_RAISE(
            err, ERR_INPUT,
            "%s: names an extent that is not in its folder, %.*s; if you know where it "
            "comes from, convert it: qemu-img convert -O raw IMAGE OUT",
            vmdk->path, name_len, open + 1);
    const int used =
        snprintf(name, sizeof name, "%.*s%.*s", folder_len, vmdk->path, name_len, open + 1);
    if (used < 0 || (size_t)used >= sizeof name)
        return ERR_RAISE(err, ERR_INPUT, "%s: the name of an extent is too long", vmdk->path);
    const bool there = stat(name, &st) == 0;
    /* libvmdk opens an extent by its name, so of a renamed disk it would read another file, or
     * none. */
    if (vmdk->embedded &&
        !(there && st.st_dev == vmdk->self.st_dev && st.st_ino == vmdk->self.st_ino))
        return ERR_RAISE(err, ERR_INPUT,
                         "%s: was renamed, and a VMDK names itself: call it %.*s again", vmdk->path,
                         name_len, open + 1);
    if (!there)
        return ERR_RAISE(err, ERR_INPUT, "%s: this extent of %s is missing: %s", name, vmdk->path,
                         strerror(errno));
    if (image == NULL || io_image_is_part(image, name))
        return ERR_OK;
    return io_image_add_part(image, name, &st, err);
}

static enum err_code vmdk_each_extent(const struct vmdk *vmdk, struct io_image *image,
                                      struct err *err)
{
    static const char *const access[] = { "RW ", "RDONLY ", "NOACCESS " };
    enum err_code rc = ERR_OK;

    for (const char *line = vmdk->descriptor; rc == ERR_OK && *line != '\0';) {
        const size_t len = strcspn(line, "\r\n");
        for (size_t i = 0; rc == ERR_OK && i < sizeof access / sizeof access[0]; i++)
            if (strncmp(line, access[i], strlen(access[i])) == 0)
                rc = vmdk_extent(vmdk, image, line, len, err);
        line += len + strspn(line + len, "\r\n");
    }
    return rc;
}

enum err_code io_image_vmdk_open(const struct io_container *container, const char *path,
                                 struct io_image **out, struct err *err)
{
    struct vmdk vmdk = { .path = path };
    enum err_code rc = vmdk_read_descriptor(&vmdk, err);

    if (rc == ERR_OK && vmdk.descriptor != NULL)
        rc = vmdk_check_parent(&vmdk, err);
    if (rc == ERR_OK && vmdk.descriptor != NULL)
        rc = vmdk_each_extent(&vmdk, NULL, err);
    if (rc == ERR_OK)
        rc = io_image_tsk_open(container, IO_TSK_VMDK, path, out, err);
    if (rc == ERR_OK && vmdk.descriptor != NULL)
        rc = vmdk_each_extent(&vmdk, *out, err);
    if (rc != ERR_OK) {
        io_image_close(*out);
        *out = NULL;
    }
    free(vmdk.descriptor);
    return rc;
}
