/* SPDX-License-Identifier: Apache-2.0
 * io/image/container.h - how an image is stored, found by content (io/ and tests only).
 *
 * The table is io/containers.def; a container is one line there, and one file where it needs a
 * reader of its own.
 */
#ifndef BURIN_IO_IMAGE_CONTAINER_H
#define BURIN_IO_IMAGE_CONTAINER_H

#include "io/image.h"

enum { IO_PROBE_LEN = 4096 }; /* bytes looked at from the start and from the end of a file */

/* A file whose container is asked for. */
struct io_probe {
    uint64_t size; /* bytes */
    uint32_t head_len, tail_len;
    uint8_t head[IO_PROBE_LEN];
    uint8_t tail[IO_PROBE_LEN];
};

struct io_magic {
    bool from_end;
    uint32_t
        distance; /* bytes from the start (or end) of the file to the first byte of the magic */
    uint32_t len; /* 0: the container is not known by content */
    const char *bytes;
};

struct io_container {
    const char *name,
        *how;         /* how: who reads it; of a container that is refused, what to do instead */
    const char *type; /* by which it can be asked for; NULL: refused */
    struct io_magic magic;
    bool (*check)(
        const struct io_probe *probe); /* what else must hold; NULL: the magic is enough */
    enum err_code (*open)(const struct io_container *container, const char *path,
                          struct io_image **out, struct err *err); /* NULL: refused */
    bool apart; /* open and what it makes belong into a process of their own, */
    enum err_code (*load)(
        struct err *err); /* which calls this before it confines itself; or NULL */
    bool link;            /* and which speaks with a server (reach_link.h): */
    const char *serve;    /* NULL: at an address; else one of ours, that QEMU knows by this name, */
    enum err_code (*whole)(const char *path, int fd, uint64_t size,
                           struct err *err); /* for a file that passes this; NULL: for any */
    bool keyed;                              /* a key opens it (io_reach_key) */
    const char *state; /* the snapshot that is asked for; NULL, as in the table: as it is now */
};

/* The table; *count: its lines. */
const struct io_container *io_container_table(uint32_t *count);

/* As io_image_open, but in this process whatever it is: for one that is there for nothing else. */
ERR_MUST_CHECK enum err_code io_image_open_here(const char *path, const char *type,
                                                struct io_image **out, struct err *err);

/* Checks of containers.def. */
bool io_container_is_aff4(const struct io_probe *probe);
bool io_container_is_fixed_vhd(const struct io_probe *probe);
bool io_container_is_stream_vmdk(const struct io_probe *probe);
bool io_container_is_e01(const struct io_probe *probe);
bool io_container_is_lone_qed(const struct io_probe *probe);
bool io_container_is_qcow2(const struct io_probe *probe);
bool io_container_is_sqlite(const struct io_probe *probe);

/*
 * A check of containers.def: QEMU reads zeros behind the end of a file. ERR_INPUT: the blocks of
 * the Parallels image do not lie in it, of `size` bytes, or lie over one another.
 */
enum err_code io_parallels_check(const char *path, int fd, uint64_t size, struct err *err);

/*
 * A check of containers.def: whether the file is a LUKS volume as QEMU reads it, of version 1.
 * ERR_INPUT: the text says what it is, and what to do.
 */
enum err_code io_luks_check(const char *path, int fd, uint64_t size, struct err *err);

/* Openers of containers.def. */
enum err_code io_image_raw_open(const struct io_container *container, const char *path,
                                struct io_image **out, struct err *err);
enum err_code io_image_split_open(const struct io_container *container, const char *path,
                                  struct io_image **out, struct err *err);
enum err_code io_image_ewf_open(const struct io_container *container, const char *path,
                                struct io_image **out, struct err *err);
enum err_code io_image_e01_open(const struct io_container *container, const char *path,
                                struct io_image **out, struct err *err);
enum err_code io_image_aff_open(const struct io_container *container, const char *path,
                                struct io_image **out, struct err *err);
enum err_code io_image_vmdk_open(const struct io_container *container, const char *path,
                                 struct io_image **out, struct err *err);
enum err_code io_image_vmdk_stream_open(const struct io_container *container, const char *path,
                                        struct io_image **out, struct err *err);
enum err_code io_image_vhd_open(const struct io_container *container, const char *path,
                                struct io_image **out, struct err *err);
enum err_code io_image_qcow2_open(const struct io_container *container, const char *path,
                                  struct io_image **out, struct err *err);
enum err_code io_image_vhdx_open(const struct io_container *container, const char *path,
                                 struct io_image **out, struct err *err);
enum err_code io_image_nbd_open(const struct io_container *container, const char *path,
                                struct io_image **out, struct err *err);
enum err_code io_image_aff4_open(const struct io_container *container, const char *path,
                                 struct io_image **out, struct err *err);
enum err_code io_image_vdi_open(const struct io_container *container, const char *path,
                                struct io_image **out, struct err *err);

#endif
