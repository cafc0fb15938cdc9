/* SPDX-License-Identifier: Apache-2.0
 * carver/case/live_device.c - see live_device.h. */
#include "carver/case/live_device.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

#include "base/sysfs.h"

#define LIVE_NONE ((dev_t)-1)

enum { LIVE_DEVICES = 256 /* a disk and its partitions, at most */, LIVE_NAME = 64 };

struct live_one {
    dev_t dev;
    char name[LIVE_NAME]; /* "sda1" */
    char folder[PATH_MAX];
};

struct live {
    const struct live_system *system;
    struct live_one *devices; /* [LIVE_DEVICES]: the device, then its partitions */
    uint32_t count;
    struct live_device *out;
};

/* A sentence, and how many more devices or places it is true of. */
static void live_say(struct live *live, const char *what, const char *first, uint32_t more,
                     const char *so)
{
    char others[32] = "";

    if (more > 0)
        snprintf(others, sizeof others, " and %u more", more);
    snprintf(live->out->text[live->out->count++], LIVE_TEXT, "%.200s%s%s%s", what, first, others,
             so);
}

static void live_add(struct live *live, const char *folder, dev_t dev)
{
    struct live_one *one = &live->devices[live->count];

    if (live->count == LIVE_DEVICES)
        return;
    one->dev = dev;
    snprintf(one->name, sizeof one->name, "%.*s", LIVE_NAME - 1, strrchr(folder, '/') + 1);
    snprintf(one->folder, sizeof one->folder, "%s", folder);
    live->count++;
}

/* The partitions of a disk stand in its folder. */
static void live_partitions(struct live *live, const char *folder)
{
    DIR *entries = opendir(folder);
    char path[PATH_MAX];
    dev_t dev;

    if (entries == NULL)
        return;
    for (const struct dirent *entry; (entry = readdir(entries)) != NULL;)
        if (entry->d_name[0] != '.' &&
            snprintf(path, sizeof path, "%s/%s", folder, entry->d_name) < (int)sizeof path &&
            sysfs_has(path, "partition") && sysfs_number(path, &dev))
            live_add(live, path, dev);
    closedir(entries);
}

/* The device of this number, or whose path is "/dev/NAME"; NULL: another one. A btrfs has a number
 * of its own. */
static const struct live_one *live_find(const struct live *live, dev_t dev, const char *path)
{
    for (uint32_t i = 0; i < live->count; i++)
        if (live->devices[i].dev == dev ||
            (strncmp(path, "/dev/", 5) == 0 && strcmp(path + 5, live->devices[i].name) == 0))
            return &live->devices[i];
    return NULL;
}

/* Field number of a line, from 0; "" where it is missing. The line is cut into its fields. */
static void live_fields(char *line, const char **fields, uint32_t count)
{
    char *rest = line;

    line[strcspn(line, "\n")] = '\0';
    for (uint32_t i = 0; i < count; i++) {
        const char *field = rest != NULL ? strsep(&rest, " \t") : NULL;

        fields[i] = field != NULL ? field : "";
    }
}

/* "8:1"; that of no device, where it is none. */
static dev_t live_number(const char *text)
{
    char *colon, *end;
    const unsigned long high = strtoul(text, &colon, 10);

    if (colon == text || *colon != ':')
        return LIVE_NONE;
    const unsigned long low = strtoul(colon + 1, &end, 10);

    return end == colon + 1 || *end != '\0' ? LIVE_NONE : makedev((unsigned)high, (unsigned)low);
}

/* "36 35 8:1 / /mnt rw,noatime shared:1 - ext4 /dev/sda1 rw" */
static void live_mounts(struct live *live)
{
    enum { NUMBER = 2, PLACE = 4, FIELDS = 32 };
    FILE *in = fopen(live->system->mountinfo, "re");
    const char *fields[FIELDS];
    char first[LIVE_TEXT / 2] = "", *line = NULL;
    uint32_t found = 0;
    size_t room = 0;

    while (in != NULL && getline(&line, &room, in) >= 0) {
        uint32_t dash = PLACE;

        live_fields(line, fields, FIELDS);
        while (dash + 2 < FIELDS && strcmp(fields[dash], "-") != 0)
            dash++;
        const struct live_one *one =
            dash + 2 < FIELDS ? live_find(live, live_number(fields[NUMBER]), fields[dash + 2])
                              : NULL;
        if (one != NULL && found++ == 0)
            snprintf(first, sizeof first, "%s is mounted at %.160s", one->name, fields[PLACE]);
    }
    free(line);
    if (in != NULL)
        fclose(in);
    if (found > 0)
        live_say(live, "", first, found - 1,
                 ": what is read is no state of one moment, and what the file system has not yet "
                 "written to the device is missing");
}

/* "/dev/sda2 partition 976 0 -2", behind a heading. */
static void live_swaps(struct live *live)
{
    FILE *in = fopen(live->system->swaps, "re");
    char *line = NULL;
    const char *path;
    const struct live_one *first = NULL;
    uint32_t found = 0;
    size_t room = 0;

    while (in != NULL && getline(&line, &room, in) >= 0) {
        live_fields(line, &path, 1);
        const struct live_one *one = live_find(live, LIVE_NONE, path);

        if (one != NULL && found++ == 0)
            first = one;
    }
    free(line);
    if (in != NULL)
        fclose(in);
    if (first != NULL)
        live_say(live, first->name, "", found - 1,
                 " is in use as swap: its bytes change meanwhile");
}

static void live_holders(struct live *live)
{
    char path[PATH_MAX], first[LIVE_TEXT / 2] = "";
    uint32_t found = 0;

    for (uint32_t i = 0; i < live->count; i++) {
        const struct live_one *one = &live->devices[i];
        DIR *entries = snprintf(path, sizeof path, "%s/holders", one->folder) < (int)sizeof path
                           ? opendir(path)
                           : NULL;

        if (entries == NULL)
            continue;
        for (const struct dirent *entry; (entry = readdir(entries)) != NULL;)
            if (entry->d_name[0] != '.' && found++ == 0)
                snprintf(first, sizeof first, "%s is in use by %.64s", one->name, entry->d_name);
        closedir(entries);
    }
    if (found > 0)
        live_say(live, "", first, found - 1,
                 ", a volume, an array or an encrypted disk on it: its bytes may change meanwhile");
}

static void live_read_only(struct live *live)
{
    char text[PATH_MAX];

    if (sysfs_text(live->devices[0].folder, "ro", text) && strcmp(text, "0") == 0)
        live_say(live, live->devices[0].name, "", 0,
                 " is not write-protected: other programs may write to it; use a write blocker, or "
                 "blockdev --setro");
}

static void live_discards(struct live *live, const char *disk)
{
    char text[PATH_MAX];

    if (sysfs_text(disk, "queue/discard_max_bytes", text) && strtoull(text, NULL, 10) > 0)
        live_say(live, live->devices[0].name, "", 0,
                 " discards what is deleted (TRIM): unallocated space may read as zeros for that "
                 "reason");
}

void live_device_look(const struct live_system *system, dev_t dev, struct live_device *out)
{
    struct live live = { .system = system, .out = out };
    char folder[PATH_MAX];

    *out = (struct live_device){ 0 };
    live.devices = calloc(LIVE_DEVICES, sizeof *live.devices);
    if (live.devices == NULL || !sysfs_device(system->sysfs, dev, folder)) {
        free(live.devices);
        return;
    }
    live_add(&live, folder, dev);
    if (sysfs_has(folder, "partition")) /* its disk has the queue */
        *strrchr(folder, '/') = '\0';
    else
        live_partitions(&live, folder);
    live_mounts(&live);
    live_swaps(&live);
    live_holders(&live);
    live_read_only(&live);
    live_discards(&live, folder);
    free(live.devices);
}

void live_device_of_image(const struct io_image *image, struct live_device *out)
{
    static const struct live_system system = { .sysfs = "/sys",
                                               .mountinfo = "/proc/self/mountinfo",
                                               .swaps = "/proc/swaps" };
    struct stat st;

    *out = (struct live_device){ 0 };
    for (uint32_t i = 0; out->count == 0 && i < io_image_part_count(image); i++)
        if (stat(io_image_part_path(image, i), &st) == 0 && S_ISBLK(st.st_mode))
            live_device_look(&system, st.st_rdev, out);
}
