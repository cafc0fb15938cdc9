/* SPDX-License-Identifier: Apache-2.0
 * carver/case/record_batch.c - see record_batch.h. */
#include <stdlib.h>

#include "carver/case/record_batch.h"

enum err_code record_batch_open(struct record_batch *batch, struct err *err)
{
    *batch = (struct record_batch){ .hits = malloc(RECORD_HITS * sizeof *batch->hits),
                                    .objects = malloc(RECORD_OBJECTS * sizeof *batch->objects),
                                    .sums = malloc(RECORD_SUMS * sizeof *batch->sums),
                                    .asides = malloc(RECORD_ASIDES * sizeof *batch->asides) };
    return batch->hits != NULL && batch->objects != NULL && batch->sums != NULL &&
                   batch->asides != NULL
               ? ERR_OK
               : ERR_NO_MEMORY(err, RECORD_OBJECTS * sizeof *batch->objects);
}

void record_batch_empty(struct record_batch *batch)
{
    for (uint32_t i = 0; i < batch->aside_count; i++) {
        if (batch->asides[i].kind == RECORD_LOG)
            free(batch->asides[i].log.text);
        if (batch->asides[i].kind == RECORD_LEAVES)
            free(batch->asides[i].leaves.bytes);
        if (batch->asides[i].kind == RECORD_TEXT_SPOTS)
            pack_release(&batch->asides[i].spots.pack);
        if (batch->asides[i].kind == RECORD_LINK)
            free((void *)(uintptr_t)batch->asides[i].link.row.left_out);
    }
    batch->hit_count = batch->object_count = batch->sum_count = batch->aside_count = 0;
    batch->commit = batch->drop = false;
    pack_clear(&batch->state);
    pack_clear(&batch->facts);
    if (batch->state.room > RECORD_STATE_KEPT) /* there are many batches */
        pack_release(&batch->state);
}

void record_batch_close(struct record_batch *batch)
{
    record_batch_empty(batch);
    free(batch->hits);
    free(batch->objects);
    free(batch->sums);
    free(batch->asides);
    pack_release(&batch->state);
    pack_release(&batch->facts);
    *batch = (struct record_batch){ 0 };
}
