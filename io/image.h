/* SPDX-License-Identifier: Apache-2.0
 * io/image.h - evidence as one flat, read-only range of bytes.
 *
 * An image is opened by the path of a file, of any part of a split image, or of a block device, or
 * by the address of a server that has it (nbd://, nbd+unix://). Its container is found by content
 * (io/containers.def, one line each), or named by the caller. A container that burin knows but
 * cannot read is refused by its name; it is read as a raw disk only when the caller asks for that.
 * Offsets count from the first byte of the stored medium, not of the container. Nothing in this
 * folder opens anything for writing.
 *
 * Bytes that cannot be read are replaced by zeros and reported as a bad range. Its source says why:
 * a read fails, a checksum of the container is wrong, or the container, or a map of GNU ddrescue
 * (io/mapfile.h), lists the bytes as not read, or as left out, when the image was made.
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

/* How the bytes of a run of the image are had. */
enum io_span_how {
    IO_SPAN_STORED, /* they lie in a file as they are */
    IO_SPAN_ZERO,   /* they are zeros, and lie nowhere */
    IO_SPAN_ASK,    /* only io_image_read_at and io_salvage_read give them, in any thread */
};

/* A run of the image that lies contiguously in one file or device, or is all zeros. */
struct io_span {
    int fd;             /* belongs to the image; do not close it. -1: in no file */
    uint64_t fd_offset; /* bytes from the start of the file, to what is stored there */
    uint64_t len;       /* bytes from the given image offset to the end of this run */
    enum io_span_how how;
};

/*
 * Opens the evidence at path read-only.
 *
 * type       NULL or "auto": the container is found by content. A type of the table below ("raw",
 *            "ewf", ...), or a format as io_image_format gives it: the image is that, whatever its
 *            content says. "qcow2@WHICH" is a snapshot by its id or name. Raw bytes are then those
 * of the file, of all files of its split set, or of the device. Errors     ERR_ARG    there is no
 * such type. ERR_INPUT  missing, a directory, standard input ("-"), not readable, empty; a
 *                       container that cannot be read or a compressed file (named); a part of a
 *                       split image is missing or shorter than the others (named).
 *            ERR_ENV    no memory.
 * Ownership  *out is the caller's, to be given to io_image_close. path is copied.
 */
ERR_MUST_CHECK enum err_code io_image_open(const char *path, const char *type,
                                           struct io_image **out, struct err *err);

/* Checks that io_image_open knows the type. Errors: ERR_ARG, whose text lists the types. */
ERR_MUST_CHECK enum err_code io_image_check_type(const char *type, struct err *err);

/*
 * Opens bytes in memory as an image, for tests and for identify. bytes stay the caller's and must
 * outlive the image.
 */
ERR_MUST_CHECK enum err_code io_image_open_memory(const uint8_t *bytes, uint64_t len,
                                                  struct io_image **out, struct err *err);

/*
 * Opens an image of len bytes without content, for benchmarks: a read returns at once and leaves
 * the buffer unchanged.
 */
ERR_MUST_CHECK enum err_code io_image_open_null(uint64_t len, struct io_image **out,
                                                struct err *err);

void io_image_close(struct io_image *image); /* NULL is a no-op */

/*
 * Containers that a library decodes are read in processes of their own. This prepares these
 * processes. A program calls it before it starts threads, and after it has confined itself
 * (base/jail.h), because the processes inherit the program's rules. A program that does not call it
 * leaves the preparation to the first such image that it opens.
 *
 * jail    True: the processes also confine themselves to reading the files of their image.
 * Errors  ERR_ENV: a process cannot be started.
 */
ERR_MUST_CHECK enum err_code io_image_prepare(bool jail, struct err *err);

/*
 * Adds rules that allow reading the files that the image at path may consist of: the file itself,
 * the files of its folder, and the files that links in the folder point to.
 */
void io_image_allow(struct jail_rules *rules, const char *path);

/*
 * Whether the text is the address of an image that a server has (io/image/address.h), and not the
 * path of a file. Source: NetworkBlockDevice/nbd, doc/uri.md.
 */
bool io_image_is_address(const char *path);

/*
 * The path without links and from the root, so that it can be used in another folder; an address as
 * it is. To be freed. NULL, with errno: there is no such file, or no memory.
 */
char *io_image_absolute(const char *path);

/*
 * A text for people that says what has happened to the process that reads the image, or what of
 * its container is damaged and was made good; "" when there is nothing to say. Threads: not while
 * another thread reads the image.
 */
const char *io_image_trouble(const struct io_image *image);

uint64_t io_image_size(const struct io_image *image); /* bytes */
/* Bytes; 512 where the container does not say */
uint32_t io_image_sector_size(const struct io_image *image);
/* "raw", "split raw", "block device", "E01", …; of a snapshot "QCOW2@ID" */
const char *io_image_format(const struct io_image *image);
uint32_t io_image_part_count(const struct io_image *image);
const char *io_image_part_path(const struct io_image *image, uint32_t part);

/* Something that a container says of its image. Both texts stay the image's. */
struct io_fact {
    const char *name, *value;
};

/*
 * What the container says, one after another from index 0 on; false: there is no further one.
 * Nobody vouches for it, and a value may hold any bytes but NUL.
 *
 * "md5", "sha1", "sha256"    a hash of the whole medium, in lower-case hex digits
 * "case number", "evidence number", "description", "examiner", "notes", "acquired", "system date",
 * "system", "tool", "model", "serial number", "completion"    as who made the image wrote them down
 * "block map hash", "stream md5", "stream sha1", "stream sha256"    hashes of an AFF4 that are not
 * of the medium; "md5 with unread bytes", and so on: of the medium, with other bytes where some are
 * not known
 */
bool io_image_fact(const struct io_image *image, uint32_t index, struct io_fact *out);

/*
 * The version of the LUKS header that the image begins with, 0: none. What follows it is encrypted,
 * unless the image was opened as "luks", with a key (io_reach_key). It may read the image.
 */
uint32_t io_image_luks(struct io_image *image);

/* An older state of the disk that a container keeps besides the one of now. */
struct io_snapshot {
    char id[32], name[256]; /* as they stand there, cut where they are longer; any bytes but NUL */
    char taken[32];         /* "2026-11-23T20:15:00Z"; "": not told */
    uint64_t size;          /* bytes of the disk then */
};

/* One after another from index 0 on; false: there is no further one. */
bool io_image_snapshot(const struct io_image *image, uint32_t index, struct io_snapshot *out);

/* The hash of the whole medium that the container has, of kind "md5", "sha1" or "sha256"; NULL:
 * none. */
const char *io_image_stored_hash(const struct io_image *image, const char *kind);

/* True when path names the same file or device as any part of the image (by device and inode). */
bool io_image_is_part(const struct io_image *image, const char *path);

/*
 * Reads image bytes [offset, offset + len) into dst and waits for them: all of them or an error.
 *
 * Errors     ERR_ARG  the range is not inside the image.
 *            ERR_IO   some byte could not be read; dst is undefined. See io_salvage_read.
 *            ERR_ENV  nothing can be read any more: the device was taken away, or memory is.
 * Threads    Any number at a time: libraries that allow one reader only are locked inside.
 */
ERR_MUST_CHECK enum err_code io_image_read_at(struct io_image *image, uint64_t offset, uint8_t *dst,
                                              size_t len, struct err *err);

/*
 * Finds out how the bytes from image offset on are had, for asynchronous reads. False for images
 * that one thread reads at a time, and at the end of the image.
 */
bool io_image_map(const struct io_image *image, uint64_t offset, struct io_span *span);

/*
 * Says that these bytes of the image will be read soon, from the page cache: where they lie in
 * files as they are, the kernel begins to read what it does not have yet, while the caller goes on.
 * Advice alone: it cannot fail, and nothing is done about bytes outside the image, where some byte
 * could not be read, and of an image whose reads are limited or waited for (io_image_max_read,
 * io_image_be_patient). Ask for some MiB at a time at most. Threads: any.
 */
void io_image_soon(const struct io_image *image, uint64_t offset, uint64_t len);

/* Why bytes count as bad. */
enum io_bad_source {
    IO_BAD_READ,        /* a read of them failed */
    IO_BAD_CHECKSUM,    /* the container's checksum of them is wrong */
    IO_BAD_ACQUISITION, /* the container says that they were not read when the image was made */
    IO_BAD_MAPFILE,     /* a map of GNU ddrescue says so: see io/mapfile.h */
    IO_BAD_LEFT_OUT,    /* the container says that nobody tried to read them */
};

/* A bad range by the letters of a map of GNU ddrescue. */
#define IO_STATUS_BAD '-'       /* reading it failed, or gave wrong bytes */
#define IO_STATUS_UNTRIMMED '*' /* it lies beside bytes that cannot be read, and was left out */
#define IO_STATUS_UNSCRAPED '/' /* as '*'; its edges were tried */
#define IO_STATUS_UNTRIED '?'   /* it was never tried */
#define IO_STATUSES "-*/?"

/* "read", "checksum", "acquisition", "mapfile" or "not acquired"; static text. */
const char *io_bad_source_name(enum io_bad_source source);

/*
 * One range that could not be read. Zeros take its place, even where the container stores other
 * bytes.
 */
struct io_bad_range {
    uint64_t offset, len; /* bytes of the image */
    int cause;            /* errno, or 0 when the library gave none */
    enum io_bad_source source;
    char status; /* one of IO_STATUSES */
};

typedef void (*io_bad_range_fn)(void *arg, const struct io_bad_range *range);

/*
 * Reads like io_image_read_at, but a failed read is retried in smaller pieces, down to one sector.
 * A piece that still fails is filled with zeros and reported through bad. bad is called with ranges
 * in ascending order; adjacent ranges of one source, cause and status are joined. Bytes that the
 * container lists as never read are not read at all.
 *
 * The pieces are read past the page cache (O_DIRECT). The smallest piece is the logical sector of a
 * device, or the unit that the file system of an image file asks for, which is often 512 bytes too.
 * Where the file system refuses O_DIRECT the smallest piece is 4,096 bytes. One bad byte costs an
 * E01 its chunk, an AFF its page, and a VMDK 4,096 bytes. A sector that the container lists
 * as never read costs no other sector.
 *
 * A piece that has failed by itself is not asked for again while the image is open: it is zeros and
 * a bad range at once. Where reads that fail have taken 60 seconds of a window of 16 MiB (several
 * at once the time that passes), nothing more is cut there: 64 KiB to 1 MiB at a time are left out,
 * with IO_STATUS_UNTRIMMED, and 64 KiB behind them are tried.
 *
 * Errors  ERR_ARG  the range is not inside the image.
 *         ERR_ENV  nothing can be read any more: the disk is gone, not full of bad sectors.
 */
ERR_MUST_CHECK enum err_code io_salvage_read(struct io_image *image, uint64_t offset, uint8_t *dst,
                                             size_t len, io_bad_range_fn bad, void *arg,
                                             struct err *err);

/*
 * From now on io_salvage_read tries places that failed again, so many times, once all of its range
 * has been read: in the smallest pieces, and while the time of their window is not used up. What
 * comes back is no bad range. Not what a checksum or the container calls bad. Before the image is
 * read by several threads.
 */
void io_image_retry_bad(struct io_image *image, uint32_t times);

/*
 * The image lies behind a network, or may. From now on io_salvage_read tries what cannot be read
 * again after 1, 5 and 25 seconds, before it cuts it; all pauses of the image take ten minutes of
 * its threads at most. What only a network or a server says (ETIMEDOUT, EHOSTDOWN, ...) is ERR_ENV.
 * Before the image is read by several threads.
 */
void io_image_be_patient(struct io_image *image);

/*
 * From now on at most so many bytes of the image are read in a second, by all readers and threads
 * together: who reads waits before. What the page cache has counts, zeros that lie nowhere do not.
 * bytes 0: there is no limit. stop: NULL, or asked by those who wait: true lets them go on at once.
 * Before the image is read by several threads.
 */
void io_image_max_read(struct io_image *image, uint64_t bytes, bool (*stop)(void));

enum { IO_SLOW_SECONDS = 3 }; /* a read that takes as long is slow */

/* Whether a read is slow that is under way in any thread: where, and for how long now. */
bool io_image_slow(const struct io_image *image, uint64_t *offset, uint64_t *seconds);

/*
 * A row of the table behind `burin info --images`: first the containers that this build reads, then
 * those that it refuses by name.
 */
struct io_container_info {
    const char *name, *how; /* "VHD", "libtsk 4.11.1 (libvhdi)" */
    const char *type;       /* "vhd", a type for io_image_open; NULL: the container is refused */
    bool readable;
};
uint32_t io_container_count(void);
struct io_container_info io_container_get(uint32_t index);

#endif
