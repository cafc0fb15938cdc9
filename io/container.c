/* io/container.c - the table of containers, finding one by content, and opening an image by it. */
#include <libewf.h>
#include <string.h>
#include <tsk/libtsk.h>
#include <unistd.h>

#include "base/bytes.h"
#include "io/container.h"
#include "io/file.h"
#include "io/image_impl.h"
#include "io/split.h"

#define IO_LIBTSK "libtsk " TSK_VERSION_STR
#define IO_LIBEWF "libewf " LIBEWF_VERSION_STRING
#define START(distance, bytes)                                                                                         \
    {                                                                                                                  \
        false, (distance), sizeof(bytes) - 1, (bytes)                                                                  \
    }
#define END(distance, bytes)                                                                                           \
    {                                                                                                                  \
        true, (distance), sizeof(bytes) - 1, (bytes)                                                                   \
    }
#define NO_MAGIC                                                                                                       \
    {                                                                                                                  \
        false, 0, 0, NULL                                                                                              \
    }

#define READ(name, magic, check, opener, how) { name, how, magic, check, opener },
#define REFUSE(name, magic, check, how) { name, how, magic, check, NULL },
static const struct io_container containers[] = {
#include "io/containers.def"
};

enum {
    CONTAINER_COUNT = sizeof containers / sizeof containers[0],
    CONTAINER_RAW = 0, /* the first three lines of the table are found by the file, not by its content */
    CONTAINER_SPLIT,
    CONTAINER_DEVICE,
};

uint32_t io_container_count(void)
{
    return CONTAINER_COUNT;
}

struct io_container_info io_container_get(uint32_t index)
{
    const struct io_container *container = &containers[index < CONTAINER_COUNT ? index : 0];

    return (struct io_container_info){ container->name, container->how, container->open != NULL };
}

void io_container_probe(int first, int last, uint64_t size, struct io_probe *probe)
{
    const off_t first_len = lseek(first, 0, SEEK_END), last_len = lseek(last, 0, SEEK_END);

    memset(probe, 0, sizeof *probe);
    probe->size = size;
    probe->head_len = (uint32_t)(first_len < IO_PROBE_LEN ? first_len : IO_PROBE_LEN);
    probe->tail_len = (uint32_t)(last_len < IO_PROBE_LEN ? last_len : IO_PROBE_LEN);
    if (io_file_pread(first, 0, probe->head, probe->head_len) != 0)
        memset(probe->head, 0, sizeof probe->head);
    if (io_file_pread(last, (uint64_t)(last_len - probe->tail_len), probe->tail, probe->tail_len) != 0)
        memset(probe->tail, 0, sizeof probe->tail);
}

static bool container_has_magic(const struct io_probe *probe, const struct io_magic *magic)
{
    if (magic->len == 0)
        return false;
    if (magic->from_end)
        return magic->distance <= probe->tail_len &&
               memcmp(probe->tail + probe->tail_len - magic->distance, magic->bytes, magic->len) == 0;
    return magic->distance + magic->len <= probe->head_len &&
           memcmp(probe->head + magic->distance, magic->bytes, magic->len) == 0;
}

const struct io_container *io_container_find(const struct io_probe *probe)
{
    for (uint32_t i = 0; i < CONTAINER_COUNT; i++) {
        const struct io_container *container = &containers[i];
        if (container_has_magic(probe, &container->magic) && (container->check == NULL || container->check(probe)))
            return container;
    }
    return NULL;
}

/* An AFF4 volume is a ZIP file: its comment is the volume's name, "aff4://...", and its directory lists the metadata. */
bool io_container_is_aff4(const struct io_probe *probe)
{
    return memmem(probe->tail, probe->tail_len, "aff4://", 7) != NULL ||
           memmem(probe->tail, probe->tail_len, "information.turtle", 18) != NULL ||
           memmem(probe->head, probe->head_len, "container.description", 21) != NULL;
}

/*
 * The footer of a fixed disk stands behind its bytes. Its checksum and the size in it tell it from a raw disk whose last
 * sector happens to hold an old one. Source: Virtual Hard Disk Image Format Specification 1.0, "Hard Disk Footer Format".
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

/* Raw bytes, in one file or in several. */
static enum err_code container_by_name(const char *path, const struct io_container **out, struct err *err)
{
    struct io_split split;
    const enum err_code rc = io_split_find(path, &split, err);

    if (rc == ERR_OK)
        *out = &containers[split.count > 1 ? CONTAINER_SPLIT : CONTAINER_RAW];
    io_split_release(&split);
    return rc;
}

/* Says which line of the table path is. */
static enum err_code container_of(const char *path, const struct io_container **out, struct err *err)
{
    struct io_probe probe;
    struct stat st;
    uint64_t size;
    uint32_t sector_size;
    int fd;

    enum err_code rc = io_file_open(path, &fd, &st, err);
    if (rc != ERR_OK)
        return rc;
    rc = io_file_size(path, fd, &st, &size, &sector_size, err);
    if (rc == ERR_OK && size == 0)
        rc = ERR_RAISE(err, ERR_INPUT, "%s: is empty", path);
    if (rc == ERR_OK && S_ISBLK(st.st_mode)) {
        *out = &containers[CONTAINER_DEVICE];
    } else if (rc == ERR_OK) {
        io_container_probe(fd, fd, size, &probe);
        *out = io_container_find(&probe);
        if (*out == NULL)
            rc = container_by_name(path, out, err);
    }
    close(fd);
    return rc;
}

enum err_code io_image_open(const char *path, struct io_image **out, struct err *err)
{
    const struct io_container *container = NULL;

    *out = NULL;
    if (strcmp(path, "-") == 0)
        return ERR_RAISE(err, ERR_INPUT,
                         "standard input can be read only once and an image is read at any offset; save it to a file "
                         "first and give that");
    enum err_code rc = container_of(path, &container, err);
    if (rc != ERR_OK)
        return rc;
    if (container->open == NULL)
        return ERR_RAISE(err, ERR_INPUT, "%s: its container, %s, cannot be read here; %s", path, container->name,
                         container->how);
    return container->open(container, path, out, err);
}
