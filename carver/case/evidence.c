/* SPDX-License-Identifier: Apache-2.0
 * carver/case/evidence.c - see evidence.h. The devices are looked for in evidence_mount.c and
 * evidence_device.c.
 */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/btrfs.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "carver/case/evidence.h"
#include "carver/case/evidence_system.h"

/* The UUID as sysfs names it; stays "" where the folder is on no btrfs or may not be read. */
static void evidence_btrfs(const char *path, char out[EVIDENCE_UUID_TEXT])
{
    struct btrfs_ioctl_fs_info_args info = { 0 };
    const int fd = open(path, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);

    if (fd < 0)
        return;
    if (ioctl(fd, BTRFS_IOC_FS_INFO, &info) == 0)
        for (size_t i = 0, at = 0; i < BTRFS_FSID_SIZE; i++)
            at += (size_t)snprintf(out + at, EVIDENCE_UUID_TEXT - at, "%s%02x",
                                   i == 4 || i == 6 || i == 8 || i == 10 ? "-" : "", info.fsid[i]);
    close(fd);
}

bool evidence_place(const char *path, struct evidence_place *out)
{
    struct statx info;

    *out = (struct evidence_place){ 0 };
    if (statx(AT_FDCWD, path, 0, STATX_TYPE | STATX_MNT_ID, &info) != 0)
        return false;
    if (info.stx_mask & STATX_MNT_ID)
        out->mount = info.stx_mnt_id;
    out->dev = makedev(info.stx_dev_major, info.stx_dev_minor);
    /* Only folders and files are opened: to open a device may do something. */
    if (info.stx_dev_major == 0 && (S_ISDIR(info.stx_mode) || S_ISREG(info.stx_mode)))
        evidence_btrfs(path, out->btrfs);
    return true;
}

/* The path itself, or its nearest folder that exists, without links. */
static bool evidence_resolve(const char *path, char resolved[PATH_MAX])
{
    char folder[PATH_MAX];

    if (realpath(path, resolved) != NULL)
        return true;
    if (snprintf(folder, sizeof folder, "%s", path) >= (int)sizeof folder)
        return false;
    for (char *slash = strrchr(folder, '/'); slash != NULL; slash = strrchr(folder, '/')) {
        *slash = '\0';
        if (realpath(folder[0] != '\0' ? folder : "/", resolved) != NULL)
            return true;
    }
    return realpath(".", resolved) != NULL;
}

enum err_code evidence_refuse_output(const struct io_image *image, const char *path,
                                     const char *what, struct err *err)
{
    static const struct evidence_system kernel = { "/sys", "/proc/self/mountinfo", evidence_place };
    char resolved[PATH_MAX], type[EVIDENCE_TYPE_TEXT];
    struct evidence_place place;

    if (io_image_is_part(image, path))
        return ERR_RAISE(err, ERR_INPUT,
                         "%s: %s would be written over the evidence; choose another place", path,
                         what);
    if (!evidence_resolve(path, resolved) || !evidence_place(resolved, &place))
        return ERR_OK; /* making it will say what is wrong */
    const enum evidence_answer answer = evidence_of_place(&kernel, image, &place, 0, type);
    if (answer == EVIDENCE_ON_IT)
        return ERR_RAISE(err, ERR_INPUT,
                         "%s: %s would be written into a file system on %s, which is the evidence; "
                         "choose another disk",
                         path, what, io_image_part_path(image, 0));
    if (answer == EVIDENCE_UNKNOWN && evidence_has_device(&kernel, image))
        return ERR_RAISE(err, ERR_INPUT,
                         "%s: the system does not say which disk %s would be written to%s%s, and "
                         "%s is a device: it may be this disk; choose a place on a separate "
                         "disk, on the network or in memory (/dev/shm)",
                         path, what, type[0] != '\0' ? ", by the file system " : "", type,
                         io_image_part_path(image, 0));
    return ERR_OK;
}
