/* SPDX-License-Identifier: Apache-2.0
 * carver/text/text_teller.c - see text_teller.h. */
#include "carver/text/text_teller.h"

#include <stdlib.h>

#include "base/grow.h"
#include "base/limits.h"
#include "carver/text/text_before.h"
#include "carver/text/text_said.h"

enum err_code text_teller_open(struct text_teller *teller, const struct sig *sig,
                               const struct lookback *lookback, struct err *err)
{
    *teller =
        (struct text_teller){ .sig = sig, .lookback = lookback, .state = malloc(sig->state_size) };
    lookback_view_open(lookback, &teller->view);
    return teller->state != NULL ? ERR_OK : ERR_NO_MEMORY(err, sig->state_size);
}

void text_teller_close(struct text_teller *teller)
{
    lookback_view_close(&teller->view);
    free(teller->state);
    *teller = (struct text_teller){ 0 };
}

void text_teller_begin(struct text_teller *teller, struct text_starts *starts, uint64_t begin,
                       uint64_t end)
{
    lookback_view_forget(&teller->view);
    teller->view.reread = 0;
    teller->starts = starts;
    teller->begin = begin;
    teller->end = end;
    teller->next = 0;
    teller->from = 0;
    teller->asking = false;
}

static enum err_code teller_add(struct text_teller *t, const struct text_said *said,
                                struct err *err)
{
    struct text_starts *starts = t->starts;
    const enum err_code rc =
        grow_items(&starts->said, starts->said_count, &starts->said_room, sizeof *said, err);

    if (rc == ERR_OK)
        starts->said[starts->said_count++] = *said;
    return rc;
}

static enum err_code teller_tell(struct text_teller *t, const struct text_row *row, uint64_t reach,
                                 struct err *err)
{
    struct text_said said;

    t->from = row->offset + row->len;
    if (reach > t->end || !text_said_of(t->sig, row, reach, &said))
        return ERR_OK;
    const uint8_t *before =
        text_source_bytes(&t->view.source, row->offset - TEXT_ZEROS, TEXT_ZEROS);
    said.zeros = before != NULL && before[0] == 0 && before[1] == 0;
    return teller_add(t, &said, err);
}

/* Begins to ask about the next sector; or tells that none begins there. */
static enum err_code teller_next(struct text_teller *t, uint64_t at, struct err *err)
{
    struct sig_source *source = &t->view.source;

    t->next++;
    if (at < t->from || at - t->begin < TEXT_BLOCK_MAX || text_is_before(source, at))
        return ERR_OK;
    if (text_is_listed(source, at))
        return teller_tell(t, &(struct text_row){ .offset = at, .len = 1 }, at + LIMIT_SECTOR, err);
    text_ask_begin(&t->ask, t->sig, t->state, source, at, t->end);
    t->asking = true;
    return ERR_OK;
}

enum err_code text_teller_on(struct text_teller *teller, struct err *err)
{
    const struct text_starts *starts = teller->starts;
    const uint64_t shown = teller->lookback->limit;
    struct text_row row;
    enum err_code rc = ERR_OK;

    while (rc == ERR_OK &&
           (teller->asking || (teller->next < starts->count &&
                               starts->items[teller->next] + LIMIT_SECTOR <= shown))) {
        if (!teller->asking) {
            rc = teller_next(teller, starts->items[teller->next], err);
        } else if (!text_ask_on(&teller->ask, &row)) {
            break;
        } else {
            teller->asking = false;
            rc = teller_tell(teller, &row, text_ask_reach(&teller->ask), err);
        }
    }
    return rc == ERR_OK ? lookback_view_error(&teller->view, err) : rc;
}

bool text_teller_looked(const struct text_teller *teller, struct io_range *out)
{
    const struct lookback_view *view = &teller->view;

    if (view->low < view->high)
        *out = (struct io_range){ view->low, view->high - view->low };
    return view->low < view->high;
}
