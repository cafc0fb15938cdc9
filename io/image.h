/*
 * io/image.h - evidence as one flat, read-only range of bytes.
 *
 * An image is opened by the path of a file, of any part of a split image, or of a block device. Its
 * container is found by content (io/containers.def, one line each), or named by the caller; a
 * container that nobody here can read is refused by name and never read as if it were a raw disk
 * unasked. Offsets count from the first byte of the stored medium, not of the container. Nothing in
 * this folder opens anything for writing.
 *
 * Bytes that cannot be had are zeros and a bad range, whoever says so: a read that fails, a checksum
 * of the container, or the container's list of what was not read when it was made.
 */
#ifndef BURIN_IO_IMAGE_H
#define BURIN_IO_IMAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/err.h"

struct io_image; /* owned by the caller of io_image_open */
struct jail_rules;

/* A run of the image that lies contiguously in one file or device. */
struct io_span {
    int fd;             /* stays the image's */
    uint64_t fd_offset; /* bytes, in the file */
    uint64_t len;       /* bytes from the asked image offset to the end of this run */
};

/*
 * Opens the evidence at path read-only.
 *
 * type       NULL or "auto": the container is found by content. A type of the table below ("raw",
 *            "ewf", ...), or a format as io_image_format gives it: the image is that, whatever its
 *            content says. Raw bytes are then those of the file, of all files of its split set, or
 *            of the device.
 * Errors     ERR_ARG    there is no such type.
 *            ERR_INPUT  missing, a directory, standard input ("-"), not readable, empty, a container
 *                       that cannot be read or a compressed file (named), a part of a split image
 *                       missing or shorter than the others (named).
 *            ERR_ENV    no memory.
 * Ownership  *out is the caller's, to be given to io_image_close. path is copied.
 */
ERR_MUST_CHECK enum err_code io_image_open(const char *path, const char *type, struct io_image **out, struct err *err);

/* ERR_ARG, with the types there are, unless io_image_open knows the type. */
ERR_MUST_CHECK enum err_code io_image_check_type(const char *type, struct err *err);

/* Bytes in memory as an image, for tests and for identify. bytes stay the caller's and must outlive the image. */
ERR_MUST_CHECK enum err_code io_image_open_memory(const uint8_t *bytes, uint64_t len, struct io_image **out,
                                                  struct err *err);

/* An image of len bytes that are never there: reads return at once and leave the buffer alone. For benchmarks. */
ERR_MUST_CHECK enum err_code io_image_open_null(uint64_t len, struct io_image **out, struct err *err);

void io_image_close(struct io_image *image); /* NULL is a no-op */

/*
 * Containers that a library decodes are read in processes of their own. This prepares for them; a
 * program calls it before it starts threads, and, if it confines itself, behind that: these
 * processes give up at least as much. Otherwise the first such image does. jail: they also confine
 * themselves to reading the files of their image. ERR_ENV: no process.
 */
ERR_MUST_CHECK enum err_code io_image_prepare(bool jail, struct err *err);

/*
 * Allows to read the files that the image at path may consist of: itself, and the files of its
 * folder, or what links there lead to.
 */
void io_image_allow(struct jail_rules *rules, const char *path);

/*
 * What has happened to the process that reads the image, for people; "": nothing, or there is none.
 * Not while others read.
 */
const char *io_image_trouble(const struct io_image *image);

uint64_t io_image_size(const struct io_image *image);        /* bytes */
uint32_t io_image_sector_size(const struct io_image *image); /* bytes; 512 where the container does not say */
const char *io_image_format(const struct io_image *image);   /* "raw", "split raw", "block device", "E01", … */
uint32_t io_image_part_count(const struct io_image *image);
const char *io_image_part_path(const struct io_image *image, uint32_t part);

/* True when path names the same file or device as any part of the image (by device and inode). */
bool io_image_is_part(const struct io_image *image, const char *path);

/*
 * Reads image bytes [offset, offset + len) into dst and waits for them: all of them or an error.
 *
 * Errors     ERR_ARG  the range is not inside the image.
 *            ERR_IO   some byte could not be read; dst is undefined. See io_salvage_read for what then.
 *            ERR_ENV  nothing can be read any more: the device was taken away, or memory is.
 * Threads    Any number at a time: libraries that allow one reader only are locked inside.
 */
ERR_MUST_CHECK enum err_code io_image_read_at(struct io_image *image, uint64_t offset, uint8_t *dst, size_t len,
                                              struct err *err);

/* Where image offset lies in a file, for asynchronous reads. False for containers that must be decoded. */
bool io_image_map(const struct io_image *image, uint64_t offset, struct io_span *span);

/* Who says of bytes that they cannot be had. */
enum io_bad_source {
    IO_BAD_READ,        /* a read: it failed */
    IO_BAD_CHECKSUM,    /* the container: its checksum of them is wrong */
    IO_BAD_ACQUISITION, /* the container: they were not read when the image was made */
};

/* "read", "checksum", "acquisition" */
const char *io_bad_source_name(enum io_bad_source source);

/*
 * One range that could not be read. Zeros stand in its place, and never what the container has
 * there.
 */
struct io_bad_range {
    uint64_t offset, len; /* bytes of the image */
    int cause;            /* errno, or 0 where the library gave none */
    enum io_bad_source source;
};

typedef void (*io_bad_range_fn)(void *arg, const struct io_bad_range *range);

/*
 * Reads like io_image_read_at, but what cannot be read is retried in smaller pieces down to one
 * sector, then filled with zeros and reported through bad (ascending; adjacent ranges of one source
 * and cause joined). What the container says was never read is not asked for at all.
 *
 * The pieces are read around the page cache (O_DIRECT), down to the logical sector of a device, or
 * to what the file system of an image file asks for, often 512 bytes as well; where it refuses
 * O_DIRECT, down to 4,096 bytes. An E01 loses the chunk, an AFF the page, and a VMDK or VHD 4,096
 * bytes. Of sectors that the container says were not read none is lost beside them.
 *
 * Errors  ERR_ARG  the range is not inside the image.
 *         ERR_ENV  nothing can be read any more: the disk is gone, not full of bad sectors.
 */
ERR_MUST_CHECK enum err_code io_salvage_read(struct io_image *image, uint64_t offset, uint8_t *dst, size_t len,
                                             io_bad_range_fn bad, void *arg, struct err *err);

/* The table behind `burin info --images`: containers this build reads, then those it refuses by name. */
struct io_container_info {
    const char *name, *how; /* "VHD", "libtsk 4.11.1 (libvhdi)" */
    const char *type;       /* "vhd", what io_image_open takes it for by force; NULL: it is refused */
    bool readable;
};
uint32_t io_container_count(void);
struct io_container_info io_container_get(uint32_t index);

#endif
