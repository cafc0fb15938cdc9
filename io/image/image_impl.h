/* SPDX-License-Identifier: Apache-2.0
 * io/image/image_impl.h - what a container embeds as its first member, and the helpers containers
 * share (io/ and tests only).
 */
#ifndef BURIN_IO_IMAGE_IMAGE_IMPL_H
#define BURIN_IO_IMAGE_IMAGE_IMPL_H

#include <sys/stat.h>

#include "io/image.h"
#include "io/image/bad_list.h"
#include "io/image/bad_places.h"
#include "io/image/facts.h"
#include "io/image/patience.h"
#include "io/image/rate.h"
#include "io/image/watch.h"

/*
 * Why a read failed. io_image_try_read sets all of it beforehand; a container changes what it knows
 * better.
 */
struct io_failure {
    int cause;                 /* errno; 0: the library gave none */
    enum io_bad_source source; /* IO_BAD_READ */
    uint32_t unit;             /* bytes; what fails in one unit of its file is not cut further */
    uint64_t page;     /* image offset: of the page_len bytes from there on, no read_at gives one */
    uint64_t page_len; /* 0: that is not known */
};

struct io_image_ops {
    /*
     * Reads [offset, offset + len), which the caller has checked to be inside the image and to hold
     * nothing of io_image.unread: all of it or an error, and then *failure says why. err may be
     * NULL. ERR_IO: this place cannot be read;
     * ERR_ENV: nothing can be read any more.
     */
    enum err_code (*read_at)(struct io_image *image, uint64_t offset, uint8_t *dst, size_t len,
                             struct io_failure *failure, struct err *err);
    /*
     * Like read_at, where a read has failed: no more is asked of the medium than is wanted. NULL:
     * read_at does so.
     */
    enum err_code (*read_again)(struct io_image *image, uint64_t offset, uint8_t *dst, size_t len,
                                struct io_failure *failure, struct err *err);
    /* As io_image_map; offset is inside the image. NULL: one thread reads it at a time. */
    bool (*map)(const struct io_image *image, uint64_t offset, struct io_span *span);
    void (*close)(
        struct io_image *image); /* releases what the container added and its struct; not NULL */
};

enum { IO_TROUBLE_MAX = 256, IO_SNAPSHOTS_MAX = 4096 };

struct io_part {
    char *path; /* owned */
    dev_t dev;  /* st_rdev of a block device, st_dev of a file */
    ino_t ino;
    bool is_device;
};

struct io_image {
    const struct io_image_ops *ops;
    const char *format; /* static, or state */
    char state[64];     /* the format of a snapshot */
    uint64_t size;
    uint32_t sector_size;
    uint32_t salvage_unit; /* bytes; a bad place is no smaller. 0: LIMIT_SECTOR */
    uint32_t part_count;
    struct io_part *parts;         /* owned */
    struct io_bad_list unread;     /* ascending, apart: known from the start to hold no bytes */
    struct io_bad_places places;   /* those that could not be read */
    struct io_facts facts;         /* that the container says of the image */
    struct io_snapshot *snapshots; /* [snapshot_count], owned */
    uint32_t snapshot_count;
    uint32_t retry_bad; /* see io_image_retry_bad */
    struct io_patience patience;
    struct io_watch watch; /* reads under way */
    struct io_rate rate;   /* see io_image_max_read */
    char trouble[IO_TROUBLE_MAX];
};

/*
 * Reads like io_image_read_at, and says why not. The range has been checked. again: a read of it
 * has failed before.
 */
enum err_code io_image_try_read(struct io_image *image, uint64_t offset, uint8_t *dst, size_t len,
                                bool again, struct io_failure *failure, struct err *err);

/* Like io_salvage_read, of a range that a read has failed in before. */
ERR_MUST_CHECK enum err_code io_salvage_again(struct io_image *image, uint64_t offset, uint8_t *dst,
                                              size_t len, io_bad_range_fn bad, void *arg,
                                              struct err *err);

/* ERR_ARG unless [offset, offset + len) is inside the image. */
enum err_code io_image_check_range(const struct io_image *image, uint64_t offset, uint64_t len,
                                   struct err *err);

/* Appends a part (path is copied) with its device and inode. ERR_ENV without memory, ERR_INPUT
 * above LIMIT_IMAGE_PARTS. */
ERR_MUST_CHECK enum err_code io_image_add_part(struct io_image *image, const char *path,
                                               const struct stat *st, struct err *err);

/*
 * Releases the parts, the facts and the list of what was never read: for the close function of
 * every container.
 */
void io_image_release(struct io_image *image);

#endif
