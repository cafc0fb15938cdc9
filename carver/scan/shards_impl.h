/* SPDX-License-Identifier: Apache-2.0
 * carver/scan/shards_impl.h - the shards of a folder, from inside (shards*.c only). */
#ifndef BURIN_CARVER_SCAN_SHARDS_IMPL_H
#define BURIN_CARVER_SCAN_SHARDS_IMPL_H

#include "base/thread.h"
#include "carver/scan/shard_cut.h"
#include "carver/scan/shard_file.h"
#include "carver/scan/shards.h"
#include "carver/scan/shards_ahead.h"

struct shards {
    char folder[LIMIT_PATH];
    struct shard_about about; /* of the first one that can be read */
    uint8_t *states;          /* [about.count]: enum shard_state */
    uint64_t objects;         /* that those say they have which can be read */
    char engine[64];
    bool accept_bad; /* what one host alone could not read counts */
    bool follow;     /* shards that are not there yet are waited for */
    uint32_t polls;  /* looks for one that another host has to try */
    void (*tell)(void *arg, const char *line);
    void *arg;

    /* Between shards_begin and shards_end. */
    struct part_reader reader;
    struct shards_ahead ahead; /* what was read, and not taken */
    struct shards_slot *taken; /* what shards_next gave last; or NULL */
    struct shard_cut cut;
    uint64_t from;          /* image offset: what lies before it has been recorded */
    struct thread brings;   /* parts; what follows is its own while it runs, and the states are */
    uint64_t at, to;        /* image offsets: the next part begins, the shard's last one ends */
    uint32_t number;        /* of the shard under way */
    bool open;              /* it is */
    struct shard_file file; /* with open, of one that is there */
    char path[LIMIT_PATH];
};

void shards_say(const struct shards *s, const char *line);

/* In a thread of its own (arg: struct shards): reads all shards, ahead of who takes their parts. An
 * error, and a line, comes in its turn. */
void shards_bring(void *arg);
enum err_code shards_damaged(const char *path, uint64_t at, struct err *err);

/* Reads the shard of this number, and sets its state. Errors: ERR_INPUT: what is wrong with it. */
ERR_MUST_CHECK enum err_code shards_look(struct shards *s, uint32_t number, struct err *err);

/* *there: the shard is there by now, and whole; else some time has passed. Errors: those of
 * shards_look. */
ERR_MUST_CHECK enum err_code shards_wait(struct shards *s, uint32_t number, bool *there,
                                         struct err *err);

#endif
