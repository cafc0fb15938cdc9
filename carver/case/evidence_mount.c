/* SPDX-License-Identifier: Apache-2.0
 * carver/case/evidence_mount.c - see evidence_system.h. File systems without a device number of
 * their own (btrfs, overlays, those of a network) are known by the table of mounts:
 * Documentation/filesystems/proc.rst, section 3.5.
 *
 *   NUMBER parent major:minor root MOUNT-POINT options [optional...] - TYPE SOURCE
 * OPTIONS-OF-THE-FILE-SYSTEM
 *
 * Fields are parted by one space; in them space, tab, line feed, backslash (and in options the
 * comma) stand as \ and three octal digits.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

#include "carver/case/evidence_system.h"

enum { MOUNT_FIELDS = 6 /* in front of the optional ones */ };

/* One line of the table; the texts lie in the line, and are not decoded yet. */
struct mount {
    const char *type, *source;
    char *options;
};

static bool mount_in(const char *type, const char *const *list)
{
    for (; *list != NULL; list++)
        if (strcmp(type, *list) == 0)
            return true;
    return false;
}

/* Turns \ooo into the byte, in place. */
static void mount_decode(char *text)
{
    char *to = text;

    for (const char *from = text; *from != '\0';) {
        const bool octal = from[0] == '\\' && from[1] >= '0' && from[1] <= '3' && from[2] >= '0' &&
                           from[2] <= '7' && from[3] >= '0' && from[3] <= '7';

        *to++ =
            octal ? (char)((from[1] - '0') << 6 | (from[2] - '0') << 3 | (from[3] - '0')) : *from;
        from += octal ? 4 : 1;
    }
    *to = '\0';
}

/* Takes a line apart; false when it is not of the mount. */
static bool mount_parse(char *line, uint64_t number, struct mount *out)
{
    char *rest = line, *field = NULL, *end;

    line[strcspn(line, "\n")] = '\0';
    field = strsep(&rest, " ");
    if (strtoull(field, &end, 10) != number || end == field || *end != '\0')
        return false;
    for (int i = 1; i < MOUNT_FIELDS && rest != NULL; i++)
        strsep(&rest, " ");
    do
        field = strsep(&rest, " ");
    while (field != NULL && strcmp(field, "-") != 0);
    out->type = strsep(&rest, " ");
    out->source = strsep(&rest, " ");
    out->options = rest;
    return field != NULL && out->type != NULL && out->source != NULL && out->options != NULL;
}

/* The mount of that number. *line holds its texts and is to be freed in any case. */
static bool mount_find(const char *table, uint64_t number, char **line, struct mount *out)
{
    FILE *in = fopen(table, "re");
    size_t room = 0;
    bool found = false;

    *line = NULL;
    if (in == NULL || number == 0) {
        if (in != NULL)
            fclose(in);
        return false;
    }
    while (!found && getline(line, &room, in) >= 0)
        found = mount_parse(*line, number, out);
    fclose(in);
    return found;
}

/* Of a block device by its path. */
static enum evidence_answer mount_device(const struct evidence_system *system,
                                         const struct io_image *image, const char *path,
                                         uint32_t depth)
{
    struct stat info;

    if (path[0] != '/' || stat(path, &info) != 0 || !S_ISBLK(info.st_mode))
        return EVIDENCE_UNKNOWN;
    return evidence_of_device(system, image, info.st_rdev, depth);
}

/* What is written there goes into a folder of another file system. */
static enum evidence_answer mount_folder(const struct evidence_system *system,
                                         const struct io_image *image, const char *path,
                                         uint32_t depth)
{
    char type[EVIDENCE_TYPE_TEXT];
    struct evidence_place place;

    /* A path that is not absolute was told by a process in another folder. */
    if (path[0] != '/' || !system->place(path, &place))
        return EVIDENCE_UNKNOWN;
    return evidence_of_place(system, image, &place, depth, type);
}

/*
 * An overlay writes to its upper and its work folder; without an upper one it cannot be written to.
 */
static enum evidence_answer mount_overlay(const struct evidence_system *system,
                                          const struct io_image *image, char *options,
                                          uint32_t depth)
{
    static const char *const written[] = { "upperdir=", "workdir=" };
    enum evidence_answer answer = EVIDENCE_APART;

    for (char *option; (option = strsep(&options, ",")) != NULL;)
        for (size_t i = 0; i < sizeof written / sizeof written[0]; i++) {
            const size_t len = strlen(written[i]);

            if (strncmp(option, written[i], len) != 0)
                continue;
            mount_decode(option + len);
            answer = evidence_worse(answer, mount_folder(system, image, option + len, depth + 1));
        }
    return answer;
}

/* A btrfs has as many devices as it likes; the table of mounts names one. */
static enum evidence_answer mount_btrfs(const struct evidence_system *system,
                                        const struct io_image *image, const char *uuid,
                                        uint32_t depth)
{
    char folder[4096];

    if (uuid[0] == '\0')
        return EVIDENCE_UNKNOWN;
    snprintf(folder, sizeof folder, "%.1024s/fs/btrfs/%s/devices", system->sysfs, uuid);
    return evidence_of_links(system, image, folder, depth);
}

/* Several devices, parted by colons. */
static enum evidence_answer mount_devices(const struct evidence_system *system,
                                          const struct io_image *image, char *list, uint32_t depth)
{
    enum evidence_answer answer = EVIDENCE_APART;

    for (const char *device; (device = strsep(&list, ":")) != NULL;)
        answer = evidence_worse(answer, mount_device(system, image, device, depth));
    return answer;
}

static enum evidence_answer mount_judge(const struct evidence_system *system,
                                        const struct io_image *image, const struct mount *mount,
                                        const char *btrfs, uint32_t depth)
{
    /* They keep nothing on a block device of this machine. */
    static const char *const apart[] = { "tmpfs",
                                         "ramfs",
                                         "devtmpfs",
                                         "nfs",
                                         "nfs4",
                                         "cifs",
                                         "smb3",
                                         "9p",
                                         "virtiofs",
                                         "ceph",
                                         "afs",
                                         "vboxsf",
                                         "fuse.sshfs",
                                         "fuse.rclone",
                                         "fuse.glusterfs",
                                         "fuse.vmhgfs-fuse",
                                         "lustre",
                                         NULL };
    /* Their source is the folder below. */
    static const char *const stacked[] = { "ecryptfs", "shiftfs", NULL };
    char *source = strdup(mount->source);
    enum evidence_answer answer = EVIDENCE_UNKNOWN;

    if (source == NULL)
        return EVIDENCE_UNKNOWN;
    mount_decode(source);
    if (mount_in(mount->type, apart))
        answer = EVIDENCE_APART;
    else if (strcmp(mount->type, "overlay") == 0)
        answer = mount_overlay(system, image, mount->options, depth);
    else if (strcmp(mount->type, "btrfs") == 0)
        answer = mount_btrfs(system, image, btrfs, depth);
    else if (mount_in(mount->type, stacked))
        answer = mount_folder(system, image, source, depth + 1);
    else /* of others the devices that are named, and maybe they have more */
        answer = evidence_worse(EVIDENCE_UNKNOWN, mount_devices(system, image, source, depth));
    free(source);
    return answer;
}

enum evidence_answer evidence_of_place(const struct evidence_system *system,
                                       const struct io_image *image,
                                       const struct evidence_place *place, uint32_t depth,
                                       char type[EVIDENCE_TYPE_TEXT])
{
    enum evidence_answer answer = EVIDENCE_UNKNOWN;
    struct mount mount;
    char *line;

    type[0] = '\0';
    if (major(place->dev) != 0)
        return evidence_of_device(system, image, place->dev, depth);
    if (depth >= EVIDENCE_DEPTH_MAX)
        return EVIDENCE_UNKNOWN;
    if (mount_find(system->mountinfo, place->mount, &line, &mount)) {
        snprintf(type, EVIDENCE_TYPE_TEXT, "%s", mount.type);
        answer = mount_judge(system, image, &mount, place->btrfs, depth);
    }
    free(line);
    return answer;
}
