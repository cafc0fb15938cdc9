/* SPDX-License-Identifier: Apache-2.0
 * carver/scan/shard_file.h - a shard: the file with what one part of an image's scan has found.
 *
 *   "burin shard\n"  version, 4 bytes   length, 4 bytes   shard_about
 *   length, 4 bytes (not 0)   a part, as part_save writes it          again and again
 *   0, 4 bytes       length, 4 bytes    shard_end
 *   SHA-256 of all before it, 32 bytes
 *
 * Integers are little-endian. It is written under a hidden name, ".NUMBER.HOST.PID", and has its
 * own one, NUMBER.part, only when all of it is on the disk: a shard that is there is whole. It is
 * written from its beginning to its end, and never again, so that it may lie on any file system
 * that several machines share.
 *
 * Nothing that a shard says is believed: see part_saved.h.
 */
#ifndef BURIN_CARVER_SCAN_SHARD_FILE_H
#define BURIN_CARVER_SCAN_SHARD_FILE_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "base/err.h"
#include "base/pack.h"
#include "carver/scan/shard_about.h"

enum { SHARD_VERSION = 5, SHARD_SHA256 = 32 };

/* What is known when the part is done. */
struct shard_end {
    char finished[32];
    uint64_t bytes; /* of the image, that were searched */
    uint64_t parts; /* in so many parts of struct part */
    uint64_t hits, objects;
    uint64_t bad_bytes;
    char bad_sha256[DB_SHA256_HEX +
                    1]; /* over the ranges that could not be read; "": there are none */
};

/* One that is written; zeroed is none. */
struct shard_new {
    FILE *stream;
    void *sha256; /* EVP_MD_CTX */
    char temporary[LIMIT_PATH], path[LIMIT_PATH];
    uint64_t bytes;
};

/* The name of a part's shard in the folder: false where it is too long. */
bool shard_path(const char *folder, uint32_t number, char out[LIMIT_PATH]);

/* Makes the folder, unless it is there. Errors: ERR_ENV. */
ERR_MUST_CHECK enum err_code shard_folder(const char *folder, struct err *err);

/* Removes what dead processes of this host have left of a part: also beside its whole shard, where
 * one died just when it had named that. */
void shard_new_clear(const char *folder, const struct shard_about *about);

/*
 * Begins the shard of a part; one of this host's that a dead process left half is removed.
 * Errors: ERR_ENV: the folder is not there, is full, or may not be written.
 */
ERR_MUST_CHECK enum err_code shard_new_open(const char *folder, struct shard_about *about,
                                            struct shard_new *out, struct err *err);
ERR_MUST_CHECK enum err_code shard_new_add(struct shard_new *shard, const struct pack *part,
                                           struct err *err);
/*
 * Puts the whole shard on the disk and gives it its name. replace: what has that name is damaged.
 * *first false: another process has published that part meanwhile, and this one is dropped.
 */
ERR_MUST_CHECK enum err_code shard_new_keep(struct shard_new *shard, const struct shard_end *end,
                                            bool replace, bool *first, struct err *err);
void shard_new_drop(struct shard_new *shard); /* removes it; of a kept or zeroed one: a no-op */

/* One that is read; zeroed is none. */
struct shard_file {
    bool open;
    int fd;
    uint8_t *buffer; /* bytes that were read ahead: [used, have) of it are still to come */
    size_t used, have;
    const char *path; /* the caller's */
    void *sha256;     /* EVP_MD_CTX */
    uint64_t at;      /* bytes of it that were read */
    uint64_t left;    /* bytes of the file in front of its hash, that were not */
    struct shard_about about;
    struct shard_end end; /* once all parts have been read */
    uint8_t digest[SHARD_SHA256];
    uint8_t *bytes; /* [room]: of the part that was read last */
    size_t room;
};

/* Opens it and reads what it says of itself. Errors: ERR_INPUT: it is no shard, damaged, or of
 * another version; ERR_ENV. Close it in any case. */
ERR_MUST_CHECK enum err_code shard_file_open(const char *path, struct shard_file *out,
                                             struct err *err);
void shard_file_close(struct shard_file *file);

/* The bytes of the next part, valid until the next call; *len 0: there is none any more, and what
 * was read is what was written. Errors: ERR_INPUT: it is damaged; ERR_ENV. */
ERR_MUST_CHECK enum err_code shard_file_next(struct shard_file *file, size_t *len, struct err *err);

/* Reads all of it, and keeps no part. */
ERR_MUST_CHECK enum err_code shard_file_check(struct shard_file *file, struct err *err);

#endif
