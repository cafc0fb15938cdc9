/* SPDX-License-Identifier: Apache-2.0
 * signatures/science/edf.c - EDF and BDF: currents of brain and heart, sleep.
 *
 *   8 bytes of version, "0" or ff "BIOSEMI" | 80 of patient | 80 of recording | date, time, 8 each
 * | 8 bytes of the head | 44 | 8 records | 8 seconds of one | 4 signals for all signals one after
 * the other: 16 label | 80 | 8 | 8 | 8 | 8 | 8 | 80 | 8 samples a record | 32; a sample has 2
 * bytes, in BDF 3
 */
#include "base/bytes.h"
#include "signatures/sig.h"

enum {
    EDF_HEAD = 256,
    EDF_SIGNALS_MAX = 4096,
    EDF_SAMPLES_AT = 216, /* bytes of a signal before its samples */
};

struct edf_state {
    uint64_t record; /* bytes of a record, so far */
    uint32_t signal; /* the next one to look at */
};

/* A number of up to `len` digits, spaces behind it. */
static bool edf_number(const uint8_t *p, uint32_t len, uint64_t *value)
{
    uint32_t i = 0;

    for (*value = 0; i < len && p[i] >= '0' && p[i] <= '9'; i++)
        *value = 10 * *value + (uint64_t)(p[i] - '0');
    const bool any = i > 0;
    while (i < len && p[i] == ' ')
        i++;
    return any && i == len;
}

static struct sig_result edf_check(struct sig_input *in, void *memory)
{
    struct edf_state *state = memory;
    const uint8_t *p = sig_bytes(in, 0, EDF_HEAD);
    uint64_t head, records, signals;

    if (p == NULL)
        return sig_short(in);
    const bool bdf = p[0] == 0xff;
    in->type = &in->sig->types[bdf];
    if (!edf_number(p + 184, 8, &head) || !edf_number(p + 236, 8, &records) ||
        !edf_number(p + 252, 4, &signals) || signals == 0 || signals > EDF_SIGNALS_MAX ||
        head != EDF_HEAD * (signals + 1) || records == 0)
        return sig_reject("the head does not fit the signals");
    for (; state->signal < signals; state->signal++) {
        uint64_t samples;

        p = sig_bytes(in, EDF_HEAD + EDF_SAMPLES_AT * signals + 8 * (uint64_t)state->signal, 8);
        if (p == NULL)
            return sig_short(in);
        if (!edf_number(p, 8, &samples) || samples == 0)
            return sig_reject("a signal has no samples");
        state->record += (bdf ? 3 : 2) * samples;
    }
    sig_valid(in, head);
    const uint64_t end = head + records * state->record;
    if (sig_bytes(in, end - 1, 1) == NULL)
        return sig_short(in);
    return sig_believe(in, end, "records and samples give the length");
}

const struct sig sig_edf = {
    .name = "edf",
    .what = "currents of brain and heart (EDF, BDF)",
    .proves = "the head fits its signals; records and samples give the length",
    .source =
        "B. Kemp and others, A simple format for exchange of digitized polygraphic recordings, "
        "1992; BioSemi, BDF",
    .types = (const struct sig_type[]){ { "edf", "edf" }, { "biosemi", "bdf" }, { 0 } },
    .headers = { SIG_PATTERN("0       "), SIG_PATTERN("\xff\x42IOSEMI") },
    .flags = SIG_SECTOR_ALIGNED,
    .size_min = 2 * EDF_HEAD + 2,
    .size_max = UINT64_C(1) << 44,
    .state_size = sizeof(struct edf_state),
    .check = edf_check,
};
