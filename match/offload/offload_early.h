/* SPDX-License-Identifier: Apache-2.0
 * match/offload/offload_early.h - devices are opened in a thread of their own, beside the making of
 * the tables that they get: a runtime takes as long to start as tables of some ten thousand words
 * do to be made. For the files offload*.c alone.
 */
#ifndef BURIN_MATCH_OFFLOAD_OFFLOAD_EARLY_H
#define BURIN_MATCH_OFFLOAD_OFFLOAD_EARLY_H

#include "match/offload/offload_parts.h"

struct offload_early {
    struct offload_shared *shared;
    struct thread thread;
    bool listed;      /* the parts are known, or rc says why not */
    uint32_t opened;  /* so many parts have been tried, in their order */
    enum err_code rc; /* of the list */
    struct err err;
};

/* Begins to open the devices that were asked for, one after the other. out stays where it is until
 * offload_early_end. Without a thread to be had, they are open when this returns. */
void offload_early_begin(struct offload_early *out, struct offload_shared *shared);

/* Waits until the devices are listed: shared->parts has them then. Errors: there are none. */
ERR_MUST_CHECK enum err_code offload_early_list(struct offload_early *early, struct err *err);

/* Waits for the device of a part: part->device.device is NULL where it could not be opened, and
 * part->why says why. Whoever takes it closes it. Returns false when shared->stop is set. */
bool offload_early_wait(struct offload_early *early, uint32_t at);

void offload_early_end(struct offload_early *early);

#endif
