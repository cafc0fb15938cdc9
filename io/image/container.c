/* SPDX-License-Identifier: Apache-2.0
 * io/image/container.c - the table of containers, finding one by content, and opening an image by
 * it. */
#include <assert.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/bytes.h"
#include "io/image/address.h"
#include "io/image/compressed.h"
#include "io/image/container.h"
#include "io/image/file.h"
#include "io/image/image_impl.h"
#include "io/image/remote.h"
#include "io/image/split.h"
#include "io/reach.h"
#include "io/system/lib_ewf.h"
#include "io/system/lib_nbd.h"
#include "io/system/lib_tsk.h"

#define IO_LIBTSK "libtsk " TSK_VERSION_STR
#define IO_QEMU_NBD "qemu-nbd (Debian's qemu-utils), in a jail"
#define IO_LIBEWF "libewf " LIBEWF_VERSION_STRING
#define START(distance, bytes)                                                                     \
    {                                                                                              \
        false, (distance), sizeof(bytes) - 1, (bytes)                                              \
    }
#define END(distance, bytes)                                                                       \
    {                                                                                              \
        true, (distance), sizeof(bytes) - 1, (bytes)                                               \
    }
#define NO_MAGIC                                                                                   \
    {                                                                                              \
        false, 0, 0, NULL                                                                          \
    }

#define READ(name, type, magic, check, opener, how)                                                \
    { name, how, type, magic, check, opener, false, NULL, false, NULL, NULL, false, NULL },
#define APART(name, type, magic, check, opener, load, how)                                         \
    { name, how, type, magic, check, opener, true, load, false, NULL, NULL, false, NULL },
#define SERVER(name, type, opener, load, how)                                                      \
    { name, how, type, NO_MAGIC, NULL, opener, true, load, true, NULL, NULL, false, NULL },
#define SERVE(name, type, magic, check, whole, format)                                             \
    { name, IO_QEMU_NBD, type,  magic, check, io_image_nbd_open, true, io_nbd_load,                \
      true, format,      whole, false, NULL },
#define KEYED(name, type, whole, format)                                                           \
    { name,  IO_QEMU_NBD ", with --key-file",                                                      \
      type,  NO_MAGIC,                                                                             \
      NULL,  io_image_nbd_open,                                                                    \
      true,  io_nbd_load,                                                                          \
      true,  format,                                                                               \
      whole, true,                                                                                 \
      NULL },
#define REFUSE(name, magic, check, how)                                                            \
    { name, how, NULL, magic, check, NULL, false, NULL, false, NULL, NULL, false, NULL },
static const struct io_container containers[] = {
#include "io/containers.def"
};

enum {
    CONTAINER_COUNT = sizeof containers / sizeof containers[0],
    CONTAINER_RAW =
        0, /* the first three lines of the table are found by the file, not by its content */
    CONTAINER_SPLIT,
    CONTAINER_DEVICE,
    CONTAINER_NBD, /* and the fourth by its address */
};

uint32_t io_container_count(void)
{
    return CONTAINER_COUNT;
}

struct io_container_info io_container_get(uint32_t index)
{
    const struct io_container *container = &containers[index < CONTAINER_COUNT ? index : 0];

    return (struct io_container_info){ container->name, container->how, container->type,
                                       container->open != NULL };
}

/* What cannot be read counts as zeros: a bad sector there must not end the scan of the rest. */
static void container_probe_file(int fd, uint64_t size, struct io_probe *probe)
{
    const uint32_t len = size < IO_PROBE_LEN ? (uint32_t)size : IO_PROBE_LEN;

    /* The kernel reads no further, and leaves no mark in the page cache to do so later. */
    posix_fadvise(fd, 0, 0, POSIX_FADV_RANDOM);
    memset(probe, 0, sizeof *probe);
    probe->size = size;
    probe->head_len = probe->tail_len = len;
    if (io_file_pread(fd, 0, probe->head, len) != 0)
        memset(probe->head, 0, sizeof probe->head);
    if (io_file_pread(fd, size - len, probe->tail, len) != 0)
        memset(probe->tail, 0, sizeof probe->tail);
}

static void container_probe_image(struct io_image *image, struct io_probe *probe)
{
    const uint32_t len = image->size < IO_PROBE_LEN ? (uint32_t)image->size : IO_PROBE_LEN;

    memset(probe, 0, sizeof *probe);
    probe->size = image->size;
    probe->head_len = probe->tail_len = len;
    if (io_image_read_at(image, 0, probe->head, len, NULL) != ERR_OK)
        memset(probe->head, 0, sizeof probe->head);
    if (io_image_read_at(image, image->size - len, probe->tail, len, NULL) != ERR_OK)
        memset(probe->tail, 0, sizeof probe->tail);
}

static bool container_has_magic(const struct io_probe *probe, const struct io_magic *magic)
{
    if (magic->len == 0)
        return false;
    if (magic->from_end)
        return magic->distance <= probe->tail_len &&
               memcmp(probe->tail + probe->tail_len - magic->distance, magic->bytes, magic->len) ==
                   0;
    return magic->distance + magic->len <= probe->head_len &&
           memcmp(probe->head + magic->distance, magic->bytes, magic->len) == 0;
}

bool io_container_is_sqlite(const struct io_probe *probe)
{
    static const char magic[] = "SQLite format 3"; /* the zero behind it too */

    return probe->head_len >= sizeof magic && memcmp(probe->head, magic, sizeof magic) == 0;
}

/* The container that the content names, or NULL: raw bytes. */
static const struct io_container *container_find(const struct io_probe *probe)
{
    for (uint32_t i = 0; i < CONTAINER_COUNT; i++) {
        const struct io_container *container = &containers[i];
        if (container_has_magic(probe, &container->magic) &&
            (container->check == NULL || container->check(probe)))
            return container;
    }
    return NULL;
}

/* An AFF4 volume is a ZIP file: its comment is the volume's name, "aff4://...", and its directory
 * lists the metadata. */
bool io_container_is_aff4(const struct io_probe *probe)
{
    return memmem(probe->tail, probe->tail_len, "aff4://", 7) != NULL ||
           memmem(probe->tail, probe->tail_len, "information.turtle", 18) != NULL ||
           memmem(probe->head, probe->head_len, "container.description", 21) != NULL;
}

/*
 * The footer of a fixed disk stands behind its bytes. Its checksum and the size in it tell it from
 * a raw disk whose last sector happens to hold an old one. Source: Virtual Hard Disk Image Format
 * Specification 1.0, "Hard Disk Footer Format".
 */
bool io_container_is_fixed_vhd(const struct io_probe *probe)
{
    enum { FOOTER_LEN = 512, AT_SIZE = 48, AT_TYPE = 60, AT_SUM = 64, TYPE_FIXED = 2 };
    const uint8_t *footer = probe->tail + probe->tail_len - FOOTER_LEN;
    uint32_t sum = 0;

    for (uint32_t i = 0; i < FOOTER_LEN; i++)
        sum += i >= AT_SUM && i < AT_SUM + 4 ? 0 : footer[i];
    return ~sum == bytes_u32be(footer + AT_SUM) && bytes_u32be(footer + AT_TYPE) == TYPE_FIXED &&
           bytes_u64be(footer + AT_SIZE) <= probe->size - FOOTER_LEN;
}

/* Version 1 is another format. */
bool io_container_is_qcow2(const struct io_probe *probe)
{
    enum { AT_VERSION = 7 };

    return probe->head_len > AT_VERSION && probe->head[AT_VERSION] >= 2;
}

/*
 * A QED that is not based on another file, which its bytes name. Source: QEMU,
 * docs/interop/qed_spec.txt.
 */
bool io_container_is_lone_qed(const struct io_probe *probe)
{
    enum { AT_FEATURES = 16, HEADER_LEN = 64, NEED_CHECK = 2 };

    return probe->head_len >= HEADER_LEN &&
           (bytes_u64le(probe->head + AT_FEATURES) & ~(uint64_t)NEED_CHECK) == 0;
}

/* The snapshot that a type asks for, "qcow2@WHICH"; NULL: none. */
static const char *container_state(const char *type)
{
    const char *at = type == NULL ? NULL : strchr(type, '@');

    return at == NULL ? NULL : at + 1;
}

/* The first line of that type or name; NULL: there is none, or it is refused. */
static const struct io_container *container_of_type(const char *type)
{
    const size_t len = strcspn(type, "@");

    for (uint32_t i = 0; i < CONTAINER_COUNT; i++) {
        const struct io_container *container = &containers[i];
        const bool is =
            container->type != NULL &&
            ((strlen(container->type) == len && memcmp(container->type, type, len) == 0) ||
             (strlen(container->name) == len && memcmp(container->name, type, len) == 0));

        if (is && (type[len] == '\0' ||
                   (container->open == io_image_qcow2_open && type[len + 1] != '\0')))
            return container;
    }
    return NULL;
}

static bool container_is_auto(const char *type)
{
    return type == NULL || strcmp(type, "auto") == 0;
}

enum err_code io_image_check_type(const char *type, struct err *err)
{
    char types[256] = "auto";
    size_t used = strlen(types);
    const char *last = "";

    if (container_is_auto(type) || container_of_type(type) != NULL)
        return ERR_OK;
    for (uint32_t i = 0; i < CONTAINER_COUNT && used < sizeof types; i++) {
        if (containers[i].type == NULL || strcmp(containers[i].type, last) == 0)
            continue;
        last = containers[i].type;
        used += (size_t)snprintf(types + used, sizeof types - used, ", %s", last);
    }
    return ERR_RAISE(err, ERR_ARG, "%s: there is no such type of image; there are %s", type, types);
}

/* How many files the set has that path is of; 1 where that cannot be told. */
static uint32_t container_part_count(const char *path)
{
    struct io_split split;
    const uint32_t count = io_split_find(path, &split, NULL) == ERR_OK ? split.count : 1;

    io_split_release(&split);
    return count;
}

/* Raw bytes, of a device, in one file or in several. */
static enum err_code container_raw(const char *path, const struct stat *st,
                                   const struct io_container **out, struct err *err)
{
    struct io_split split = { 0 };
    enum err_code rc = ERR_OK;

    if (!S_ISBLK(st->st_mode))
        rc = io_split_find(path, &split, err);
    *out = &containers[S_ISBLK(st->st_mode) ? CONTAINER_DEVICE
                       : split.count > 1    ? CONTAINER_SPLIT
                                            : CONTAINER_RAW];
    io_split_release(&split);
    return rc;
}

/*
 * The container that the content of a file names; NULL: raw bytes, or a later part of a set whose
 * first part says so.
 */
static const struct io_container *container_by_content(const char *path, int fd, uint64_t size)
{
    struct io_split split = { 0 };
    struct io_probe probe;
    struct stat st;
    int first;

    container_probe_file(fd, size, &probe);
    const struct io_container *container = container_find(&probe);
    if (container == NULL || io_split_find(path, &split, NULL) != ERR_OK || split.count < 2 ||
        strcmp(split.paths[0], path) == 0)
        goto out;
    if (io_file_open(split.paths[0], &first, &st, NULL) != ERR_OK)
        goto out;
    container_probe_file(first, (uint64_t)st.st_size, &probe);
    if (container_find(&probe) == NULL)
        container = NULL;
    close(first);
out:
    io_split_release(&split);
    return container;
}

/* A server has bytes, and nothing says what they are but they themselves. */
static enum err_code container_of_address(const char *path, const struct io_container *asked,
                                          const struct io_container **out, struct err *err)
{
    struct io_address address;

    *out = &containers[CONTAINER_NBD];
    if (asked != NULL && asked != *out && strcmp(asked->type, "raw") != 0)
        return ERR_RAISE(err, ERR_INPUT,
                         "%s: a server's image is read as raw bytes, not as %s; let the server "
                         "unpack it: qemu-nbd -r -t -e 8 -f FORMAT ...",
                         path, asked->name);
    return io_address_parse(path, &address, err);
}

/*
 * Says which line of the table path is; asked: the one that it is to be, NULL: what its content
 * says.
 */
static enum err_code container_of(const char *path, const struct io_container *asked,
                                  const struct io_container **out, struct err *err)
{
    struct stat st;
    uint64_t size;
    uint32_t sector_size;
    int fd;

    if (io_image_is_address(path))
        return container_of_address(path, asked, out, err);
    if (asked == &containers[CONTAINER_NBD])
        return ERR_RAISE(err, ERR_INPUT,
                         "%s: is a file, and no address of a server: nbd://HOST:PORT/EXPORT or "
                         "nbd+unix:///EXPORT?socket=/PATH",
                         path);
    enum err_code rc = io_file_open(path, &fd, &st, err);
    if (rc != ERR_OK)
        return rc;
    rc = io_file_size(path, fd, &st, &size, &sector_size, err);
    if (rc == ERR_OK && size == 0)
        rc = ERR_RAISE(err, ERR_INPUT, "%s: is empty", path);
    *out = asked;
    if (rc == ERR_OK && !S_ISBLK(st.st_mode)) {
        const struct io_container *found = container_by_content(path, fd, size);

        /* Of lines of one type, the content says which one. */
        if (asked == NULL ||
            (found != NULL && found->type != NULL && strcmp(found->type, asked->type) == 0))
            *out = found;
    }
    if (rc == ERR_OK && (*out == NULL || *out <= &containers[CONTAINER_DEVICE]))
        rc = container_raw(path, &st, out, err);
    close(fd);
    return rc;
}

bool io_reach_is_needed(const char *path)
{
    const struct io_container *found = NULL;
    uint32_t sector_size;
    struct stat st;
    uint64_t size;
    int fd;

    if (io_image_is_address(path))
        return true;
    if (io_file_open(path, &fd, &st, NULL) != ERR_OK)
        return false;
    if (S_ISREG(st.st_mode) && io_file_size(path, fd, &st, &size, &sector_size, NULL) == ERR_OK &&
        size > 0)
        found = container_by_content(path, fd, size);
    close(fd);
    return found != NULL && found->serve != NULL;
}

static enum err_code container_refuse(const char *path, const struct io_container *container,
                                      struct err *err)
{
    const char *join =
        container_part_count(path) > 1 ? "join its parts (cat PARTS > IMAGE), then " : "";

    if (container->open != NULL)
        return ERR_RAISE(err, ERR_INPUT,
                         "%s: the parts hold one %s container; join them first: cat PARTS > IMAGE; "
                         "or take them for a "
                         "raw disk: --image-type raw",
                         path, container->name);
    return ERR_RAISE(err, ERR_INPUT,
                     "%s: its container, %s, cannot be read here; %s%s; or take it for a raw disk: "
                     "--image-type raw",
                     path, container->name, join, container->how);
}

/* A container that was cut into parts, or that a server has, would be read as raw bytes. */
static enum err_code container_check_parts(struct io_image *image, struct err *err)
{
    struct io_probe probe;

    assert(image != NULL);
    container_probe_image(image, &probe);
    const struct io_container *container = container_find(&probe);
    const char *path = io_image_part_path(image, 0);

    if (container != NULL && io_image_is_address(path))
        return ERR_RAISE(err, ERR_INPUT,
                         "%s: the server's image holds a container, %s; let the server unpack it, "
                         "or take it for a raw disk: --image-type raw",
                         path, container->name);
    return container == NULL ? ERR_OK : container_refuse(path, container, err);
}

const struct io_container *io_container_table(uint32_t *count)
{
    *count = CONTAINER_COUNT;
    return containers;
}

/* here: in this process, whatever the container is. */
static enum err_code container_open(const char *path, const char *type, bool here,
                                    struct io_image **out, struct err *err)
{
    const struct io_container *asked = container_is_auto(type) ? NULL : container_of_type(type),
                              *found = &containers[CONTAINER_RAW];
    struct io_container taken;

    *out = NULL;
    if (strcmp(path, "-") == 0)
        return ERR_RAISE(err, ERR_INPUT,
                         "standard input can be read only once and an image is read at any offset; "
                         "save it to a file "
                         "first and give that");
    enum err_code rc = io_image_check_type(type, err);
    if (rc == ERR_OK)
        rc = container_of(path, asked, &found, err);
    if (rc == ERR_OK) {
        taken = *found;
        taken.state = container_state(type);
    }
    if (rc == ERR_OK)
        rc = found->open == NULL || (found->serve != NULL && container_part_count(path) > 1)
                 ? container_refuse(path, found, err)
             : found->apart && !here ? io_remote_open(found, path, out, err)
                                     : found->open(&taken, path, out, err);
    if (rc == ERR_OK && asked == NULL &&
        (found == &containers[CONTAINER_SPLIT] || found == &containers[CONTAINER_NBD]))
        rc = container_check_parts(*out, err);
    if (rc != ERR_OK) {
        io_image_close(*out);
        *out = NULL;
    }
    return rc;
}

enum err_code io_image_open(const char *path, const char *type, struct io_image **out,
                            struct err *err)
{
    return container_open(path, type, false, out, err);
}

enum err_code io_image_open_here(const char *path, const char *type, struct io_image **out,
                                 struct err *err)
{
    return container_open(path, type, true, out, err);
}
