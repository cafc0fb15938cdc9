/* SPDX-License-Identifier: Apache-2.0
 * carver/plan/plan_saved.c - planners as bytes, and back: see plan_again_save and plan_exit_save.
 */
#include <stdlib.h>

#include "carver/plan/plan_again.h"
#include "carver/plan/plan_impl.h"

/* What is known of a signature besides its open objects. */
static void saved_numbers(const struct plan *plan, uint32_t sig, struct pack *out)
{
    const struct plan_places *claims = &plan->claims[sig];

    pack_number(out, plan->last_start[sig]);
    pack_number(out, plan->begun[sig]);
    pack_number(out, plan->reach[sig]);
    pack_number(out, claims->count);
    for (uint32_t k = 0; k < claims->count; k++)
        pack_number(out, claims->items[k]);
}

void plan_again_save(const struct plan *truth, struct pack *out)
{
    pack_number(out, truth->share_page);
    pack_number(out, truth->mates);
    for (uint32_t i = 0; i < truth->options.sig_count; i++) {
        saved_numbers(truth, i, out);
        objects_save(truth->objects, i, out);
    }
}

static enum err_code saved_restore_numbers(struct plan *truth, uint32_t sig, struct unpack *in,
                                           struct plan_places *claims, struct err *err)
{
    sig_set_add(truth->some, sig);
    truth->last_start[sig] = unpack_number(in, UINT64_MAX);
    truth->begun[sig] = (uint32_t)unpack_number(in, plan_round(truth->options.sigs[sig]) - 1);
    truth->reach[sig] = unpack_number(in, UINT64_MAX);
    const uint32_t count = unpack_count(in);
    uint64_t last = 0;
    enum err_code rc = ERR_OK;

    for (uint32_t i = 0; rc == ERR_OK && i < count; i++) {
        const uint64_t place = unpack_number(in, UINT64_MAX);

        in->failed = in->failed || place < last; /* they were in their order */
        if (in->failed)
            break;
        last = place;
        rc = plan_places_add(claims, &place, 1, err);
    }
    return rc;
}

static enum err_code saved_restore_sig(struct plan *truth, uint32_t sig, struct unpack *in,
                                       struct plan_places *claims, struct err *err)
{
    const enum err_code rc = saved_restore_numbers(truth, sig, in, claims, err);

    return rc == ERR_OK ? objects_restore(truth->objects, sig, truth->part.to, in, err) : rc;
}

/* The signatures of the true planner, whose claims from elsewhere go to claims[], and what they
 * have open once more to its verdict. */
static enum err_code saved_restore_sigs(struct plan *truth, struct plan *scratch, struct unpack *in,
                                        struct plan_places *claims, struct found *again,
                                        struct err *err)
{
    const uint32_t count = truth->options.sig_count;
    enum err_code rc = ERR_OK;

    for (uint32_t i = 0; rc == ERR_OK && !in->failed && i < count; i++)
        rc = saved_restore_sig(truth, i, in, &claims[i], err);
    if (rc == ERR_OK && !in->failed)
        rc = plan_again_tail(truth, scratch, again, err);
    for (uint32_t i = 0; rc == ERR_OK && !in->failed && i < count; i++)
        rc = plan_places_add(&truth->claims[i], claims[i].items, claims[i].count, err);
    return rc;
}

enum err_code plan_again_restore(struct plan *truth, struct plan *scratch, struct unpack *in,
                                 struct found *again, struct err *err)
{
    const uint32_t count = truth->options.sig_count;
    struct plan_places *claims = calloc(count + 1u, sizeof *claims);
    enum err_code rc;

    if (claims == NULL)
        return ERR_NO_MEMORY(err, count * sizeof *claims);
    truth->found = again;
    truth->share_page = unpack_number(in, UINT64_MAX);
    truth->mates = (uint32_t)unpack_number(in, UINT32_MAX);
    rc = saved_restore_sigs(truth, scratch, in, claims, again, err);
    for (uint32_t i = 0; i < count; i++)
        free(claims[i].items);
    free(claims);
    return rc;
}

/* Most signatures have nothing to say. */
static bool saved_is_blank(const struct plan *plan, uint32_t sig)
{
    return plan->last_start[sig] == 0 && plan->begun[sig] == 0 && plan->reach[sig] == 0 &&
           plan->claims[sig].count == 0 && objects_is_blank(plan->objects, sig);
}

void plan_exit_save(const struct plan *exit, struct pack *out)
{
    uint32_t count = 0, last = 0;

    for (uint32_t i = 0; i < exit->options.sig_count; i++)
        count += !saved_is_blank(exit, i);
    pack_number(out, count);
    for (uint32_t i = 0; i < exit->options.sig_count; i++) {
        if (saved_is_blank(exit, i))
            continue;
        pack_number(out, i - last);
        last = i;
        saved_numbers(exit, i, out);
        objects_save_exit(exit->objects, i, out);
    }
}

enum err_code plan_exit_restore(struct plan *exit, const struct plan_part *part,
                                struct found *found, struct unpack *in, struct err *err)
{
    enum err_code rc = ERR_OK;
    uint64_t sig = 0;

    plan_begin(exit, part, found, NULL);
    const uint32_t sigs = exit->options.sig_count;
    const uint32_t count = (uint32_t)unpack_number(in, sigs);
    for (uint32_t i = 0; rc == ERR_OK && i < count && !in->failed; i++) {
        sig += unpack_number(in, sigs - 1);
        in->failed = in->failed || sig >= sigs;
        if (in->failed)
            break;
        rc = saved_restore_numbers(exit, (uint32_t)sig, in, &exit->claims[sig], err);
        if (rc == ERR_OK)
            rc = objects_restore_exit(exit->objects, (uint32_t)sig, part->to, found->hit_count, in,
                                      err);
    }
    return rc;
}
