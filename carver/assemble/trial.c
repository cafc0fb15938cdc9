/* SPDX-License-Identifier: Apache-2.0
 * carver/assemble/trial.c - see trial.h. */
#include <stdlib.h>
#include <string.h>

#include "base/limits.h"
#include "carver/assemble/trial.h"

enum {
    TRIAL_AGAIN_MAX = 1 << 20, /* calls that only empty the list of claims */
    TRIAL_SHOWN = 2,           /* bytes that are shown in the time of one that is unpacked */
    TRIAL_LAST = 8,            /* bytes of a last piece, at least, that prove that it is one */
};

enum err_code trial_open(struct io_image *image, const struct unread *unread, uint32_t trials,
                         struct trial *out, struct err *err)
{
    *out = (struct trial){ .state = malloc(SIG_STATE_MAX) };
    if (out->state == NULL)
        return ERR_NO_MEMORY(err, SIG_STATE_MAX);
    const enum err_code rc = looks_open(&out->looks, err);
    if (rc != ERR_OK)
        return rc;
    return splice_open(image, unread, trials, &out->splice, err);
}

void trial_close(struct trial *trial)
{
    splice_close(&trial->splice);
    looks_close(trial->looks);
    trial->looks = NULL;
    free(trial->state);
    trial->state = NULL;
}

enum err_code trial_begin(struct trial *trial, const struct sig *sig, const struct io_range *runs,
                          uint32_t count, struct err *err)
{
    const enum err_code rc = splice_set(&trial->splice, runs, count, err);

    if (rc != ERR_OK)
        return rc;
    const uint64_t len = splice_len(&trial->splice);
    trial->in = (struct sig_input){ .source = &trial->splice.source,
                                    .sig = sig,
                                    .thorough = true,
                                    .start = runs[0].offset,
                                    .limit = len < sig->size_max ? len : sig->size_max };
    memset(trial->state, 0, sig_state_clean(sig));
    return ERR_OK;
}

struct sig_result trial_run(struct trial *trial)
{
    struct sig_result result;
    const struct sig_input *in = &trial->in;
    const uint64_t checked = trial->splice.checked, unpacked = in->unpacked + in->unpacked_aside;
    uint32_t again = 0;
    bool claimed;

    do {
        trial->in.claim_count = 0;
        result = sig_check(trial->in.sig, &trial->in, trial->state);
        claimed = trial->in.claim_count > 0;
    } while (result.verdict == SIG_MORE && claimed && again++ < TRIAL_AGAIN_MAX);
    trial->work += (trial->splice.checked - checked) / TRIAL_SHOWN + in->unpacked +
                   in->unpacked_aside - unpacked;
    return splice_error(&trial->splice, NULL) == ERR_OK ? result : sig_reject("the image is gone");
}

bool trial_proves(const struct trial *trial, const struct sig_result *result)
{
    const struct sig_input *in = &trial->in;
    const struct splice *splice = &trial->splice;

    if (in->sig->seam < SIG_SEAM_UNIT || result->verdict != SIG_COMPLETE || in->doubt != 0 ||
        (!result->proven && (in->open_count == 0 || in->sure < result->len)))
        return false;
    /* A few bytes that a file may end with stand at the beginning of many a sector. */
    if (splice->count > 1 && result->len > splice->begins[splice->count - 1] &&
        result->len - splice->begins[splice->count - 1] < TRIAL_LAST)
        return false;
    for (uint32_t i = 1; i < splice->count; i++)
        for (uint32_t k = 0; k < in->open_count; k++)
            if (in->open[k].from < splice->begins[i] + LIMIT_SECTOR &&
                in->open[k].to + LIMIT_SECTOR > splice->begins[i])
                return false;
    return true;
}

const struct sig_type *trial_type(const struct trial *trial)
{
    return trial->in.type != NULL ? trial->in.type : &trial->in.sig->types[0];
}

enum err_code trial_all(struct trial *trial, const struct sig *sig, const struct io_range *runs,
                        uint32_t count, struct sig_result *result, struct err *err)
{
    const enum err_code rc = trial_begin(trial, sig, runs, count, err);

    if (rc != ERR_OK)
        return rc;
    *result = trial_run(trial);
    return splice_error(&trial->splice, err);
}

/* Whether the pattern stands at its place in the object. */
static bool trial_pattern(struct trial *trial, const struct sig *sig, const struct sig_pattern *p,
                          uint32_t *fixed)
{
    const uint64_t len = splice_len(&trial->splice);
    uint32_t have = 0;

    *fixed = 0;
    if (p->at > len || p->len > len - p->at)
        return false;
    const uint8_t *bytes = trial->splice.source.view(&trial->splice.source,
                                                     trial->splice.start + p->at, p->len, &have);
    for (uint32_t i = 0; bytes != NULL && i < p->len; i++) {
        const uint8_t mask = p->mask == NULL ? 0xff : (uint8_t)p->mask[i];
        const uint8_t differ = (uint8_t)((bytes[i] ^ (uint8_t)p->bytes[i]) & mask);
        const bool letter = (bytes[i] | 0x20) >= 'a' && (bytes[i] | 0x20) <= 'z';

        if (differ != 0 && !(differ == 0x20 && letter && (sig->flags & SIG_NO_CASE) != 0))
            return false;
        *fixed += (uint32_t)__builtin_popcount(mask);
    }
    return bytes != NULL;
}

enum err_code trial_header(struct trial *trial, const struct sig *sig, const struct io_range *runs,
                           uint32_t count, bool *found, uint32_t *fixed, struct err *err)
{
    const enum err_code rc = splice_set(&trial->splice, runs, count, err);

    *found = false;
    for (uint32_t i = 0; rc == ERR_OK && !*found && i < SIG_HEADERS_MAX && sig->headers[i].len != 0;
         i++)
        *found = trial_pattern(trial, sig, &sig->headers[i], fixed);
    return rc == ERR_OK ? splice_error(&trial->splice, err) : rc;
}
