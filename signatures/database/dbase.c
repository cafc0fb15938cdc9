/* SPDX-License-Identifier: Apache-2.0
 * signatures/database/dbase.c - dBASE, FoxPro and Clipper tables, also the attributes of
 * shapefiles: dbf.
 *
 *   kind | year, month, day | u32le records | u16le length of the header, of a record | ... | 32
 * bytes for each field | 0D field: name, 11 bytes | kind, a letter | ... | 16 length | 17 decimals
 *   records: a space, or a star when deleted, then the fields without anything between
 *   1A
 *
 * One byte makes a weak header, so the fields must add up to the record, and every record must
 * begin as one does. Many writers leave the 1A out; memo files (dbt, fpt) are files of their own
 * and not looked for.
 */
#include <string.h>

#include "base/bytes.h"
#include "signatures/sig.h"

enum {
    DBASE_HEAD = 32,
    DBASE_FIELD = 32,
    DBASE_FIELDS_MAX = 255,
    DBASE_SLACK =
        263 + 32, /* bytes behind the 0D: FoxPro's link to its database, and what writers leave */
    DBASE_END = 0x1a,
};

struct dbase_state {
    uint64_t records_at, next;
    uint32_t records, record_len;
};

static bool dbase_name(const uint8_t *name)
{
    uint32_t len = 0;

    for (; len < 11 && name[len] != 0; len++)
        if (name[len] < ' ' || name[len] == 0x7f)
            return false;
    return len > 0 && name[0] != ' ';
}

/* Bytes of a record that the fields take, or 0. Some writers keep the upper byte of a long text's
 * length among the decimals. */
static uint32_t dbase_fields(const uint8_t *fields, uint32_t room)
{
    uint32_t sum = 1, count = 0;

    for (; room > DBASE_FIELD && fields[0] != 0x0d;
         room -= DBASE_FIELD, fields += DBASE_FIELD, count++) {
        if (!dbase_name(fields) || memchr("CNDLMFBGPYTIVX@O+0WQ", fields[11], 20) == NULL ||
            count == DBASE_FIELDS_MAX)
            return 0;
        sum += fields[11] == 'C' ? bytes_u16le(fields + 16) : fields[16];
    }
    return count > 0 && fields[0] == 0x0d && room <= DBASE_SLACK ? sum : 0;
}

static enum sig_verdict dbase_head(struct sig_input *in, struct dbase_state *state)
{
    const uint8_t *head = sig_bytes(in, 0, DBASE_HEAD + 1);

    if (head == NULL)
        return SIG_MORE;
    const uint32_t head_len = bytes_u16le(head + 8), record_len = bytes_u16le(head + 10),
                   records = bytes_u32le(head + 4);
    if (head[2] < 1 || head[2] > 12 || head[3] < 1 || head[3] > 31 ||
        head_len < DBASE_HEAD + DBASE_FIELD + 1 || record_len < 2 || head[30] != 0 || head[31] != 0)
        return SIG_REJECT;
    head = sig_bytes(in, 0, head_len);
    if (head == NULL)
        return SIG_MORE;
    if (dbase_fields(head + DBASE_HEAD, head_len - DBASE_HEAD) != record_len)
        return SIG_REJECT;
    state->records_at = head_len;
    state->records = records;
    state->record_len = record_len;
    return SIG_COMPLETE;
}

static struct sig_result dbase_check(struct sig_input *in, void *memory)
{
    struct dbase_state *state = memory;

    if (state->records_at == 0) {
        const enum sig_verdict verdict = dbase_head(in, state);

        if (verdict == SIG_MORE)
            return sig_short(in);
        if (verdict == SIG_REJECT)
            return sig_reject("invalid header, or the fields do not add up to a record");
    }
    for (; state->next < state->records; state->next++) {
        const uint64_t at = state->records_at + state->next * state->record_len;
        const uint8_t *mark = sig_bytes(in, at, 1);

        if (mark == NULL)
            return sig_short(in);
        if (mark[0] != ' ' && mark[0] != '*')
            return sig_breaks(in, "invalid start of a record");
        sig_valid(in, at + 1);
    }
    const uint64_t end = state->records_at + (uint64_t)state->records * state->record_len;
    if (end > in->limit)
        return sig_complete(in, end, "");
    const uint8_t *mark = sig_bytes(in, end, 1);
    if (mark == NULL && in->wanted <= in->limit)
        return sig_short(in);
    if (mark != NULL && mark[0] == DBASE_END)
        return sig_complete(in, end + 1,
                            "the fields add up to the records, and the end mark follows them");
    return sig_believe(in, end, "the fields add up to the records");
}

#define DBASE_KIND(kind) SIG_MASKED(kind "?\0\0???\0", "\xff\0\xf0\xe0\0\0\0\xff")

const struct sig sig_dbase = {
    .name = "dbase",
    .what = "dBASE, FoxPro or Clipper table (dbf)",
    .proves =
        "fields add up to a record, every record begins as one, the end mark where there is one",
    .source = "dBASE .DBF File Structure (Borland, dBASE 7 documentation); Microsoft, Visual "
              "FoxPro: Table File Structure",
    .types = (const struct sig_type[]){ { "dbf", "dbf" }, { 0 } },
    .headers = { DBASE_KIND("\x02"), DBASE_KIND("\x03"), DBASE_KIND("\x30"), DBASE_KIND("\x31"),
                 DBASE_KIND("\x32"), DBASE_KIND("\x43"), DBASE_KIND("\x63"), DBASE_KIND("\x83"),
                 DBASE_KIND("\x8b"), DBASE_KIND("\x8e"), DBASE_KIND("\xcb"), DBASE_KIND("\xf5"),
                 DBASE_KIND("\xfb") },
    .flags = SIG_SECTOR_ALIGNED,
    .size_min = DBASE_HEAD + DBASE_FIELD + 1,
    .size_max = UINT64_C(1) << 32,
    .state_size = sizeof(struct dbase_state),
    .check = dbase_check,
};
