/* SPDX-License-Identifier: Apache-2.0
 * carver/known/known_runs.c - see known_runs.h. */
#include <string.h>

#include "carver/known/known_runs.h"

static enum err_code runs_write(struct known_runs *runs, uint32_t set, struct record *record,
                                struct err *err)
{
    struct known_run *run = &runs->runs[set];
    const struct known_about *about = &runs->scan->sets[set].about;
    char digest[2 * DIGEST_MAX + 1];

    known_hex(run->first.digest, digest_len(about->hash), digest);
    run->grown = false;
    return record_known_run(
        record,
        &(struct db_known_run){ .set_id = runs->scan->ids[set],
                                .offset = run->first.offset,
                                .len = run->len,
                                .digest = digest,
                                .name = run->first.what.name,
                                .source = run->first.what.block * about->block_len },
        err);
}

static bool runs_continue(const struct known_run *run, const struct known_block *found)
{
    const char *name = run->first.what.name;

    if (run->len == 0 || run->first.offset + run->len != found->offset)
        return false;
    if (name == NULL || found->what.name == NULL)
        return name == found->what.name;
    return run->next_block == found->what.block && strcmp(name, found->what.name) == 0;
}

enum err_code known_runs_add(struct known_runs *runs, const struct known_block_list *list,
                             uint64_t to, struct record *record, struct err *err)
{
    enum err_code rc = ERR_OK;

    for (uint32_t i = 0; rc == ERR_OK && i < list->count; i++) {
        const struct known_block *found = &list->items[i];
        const uint32_t len = runs->scan->sets[found->set].about.block_len;
        struct known_run *run = &runs->runs[found->set];

        if (found->offset + len > to)
            continue;
        if (!runs_continue(run, found)) {
            if (run->grown)
                rc = runs_write(runs, found->set, record, err);
            *run = (struct known_run){ .first = *found };
            runs->totals->runs++;
        }
        run->len += len;
        run->next_block = found->what.block + 1;
        run->grown = true;
        runs->totals->blocks++;
    }
    for (uint32_t s = 0; rc == ERR_OK && s < runs->scan->count; s++)
        if (runs->runs[s].grown) /* so that what a checkpoint calls done is in the case file */
            rc = runs_write(runs, s, record, err);
    return rc;
}

void known_runs_save(const struct known_runs *runs, struct pack *out)
{
    pack_number(out, runs->totals->runs);
    pack_number(out, runs->totals->blocks);
    for (uint32_t s = 0; s < runs->scan->count; s++) {
        const struct known_run *run = &runs->runs[s];

        pack_number(out, run->len);
        if (run->len == 0)
            continue;
        pack_number(out, run->first.offset);
        pack_number(out, run->next_block);
        pack_bytes(out, run->first.digest, digest_len(runs->scan->sets[s].about.hash));
    }
}

void known_runs_restore(struct known_runs *runs, struct unpack *in)
{
    runs->totals->runs = unpack_number(in, UINT64_MAX);
    runs->totals->blocks = unpack_number(in, UINT64_MAX);
    for (uint32_t s = 0; s < runs->scan->count && !in->failed; s++) {
        const struct known_set *set = &runs->scan->sets[s];
        struct known_run *run = &runs->runs[s];

        run->len = unpack_number(in, INT64_MAX);
        if (run->len == 0)
            continue;
        run->first.set = s;
        run->first.offset = unpack_number(in, INT64_MAX - run->len);
        run->next_block = unpack_number(in, UINT64_MAX);
        unpack_bytes(in, run->first.digest, digest_len(set->about.hash));
        in->failed = in->failed || !known_set_find(set, run->first.digest, &run->first.what);
    }
}
