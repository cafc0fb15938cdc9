/* SPDX-License-Identifier: Apache-2.0
 * signatures/science/netcdf.c - NetCDF in its classic form: 32-bit, 64-bit places, 64-bit data.
 *
 *   "CDF" 1, 2 or 5 | records | dimensions | attributes | variables
 *   a list: 0 0, or its tag | count | elements. Name: count, bytes, zeros up to 4
 *   dimension: name | length, 0 for the one of records
 *   attribute: name | type | count | values, zeros up to 4
 *   variable: name | count, dimensions | attributes | type | size | place of its data
 *
 * Numbers are big-endian; counts have 4 bytes, in version 5 eight; places have 4 bytes in version 1
 * alone. Data of variables follow one another; those with records lie in each record. The file ends
 * with the last.
 */
#include "base/bytes.h"
#include "signatures/lib/step.h"
#include "signatures/sig.h"

enum {
    NETCDF_DIMENSIONS_MAX = 1024,
    NETCDF_LIST_MAX = 1 << 16,  /* elements */
    NETCDF_NAME_MAX = 256 * 4,  /* bytes, in UTF-8 */
    NETCDF_RANK_MAX = 1024,     /* dimensions of a variable */
    NETCDF_HEAD_MAX = 64 << 20, /* bytes of all lists */
};
#define NETCDF_SIZE_MAX (UINT64_C(1) << 44)

enum netcdf_list { NETCDF_DIMENSIONS, NETCDF_GLOBAL, NETCDF_VARIABLES, NETCDF_END };

struct netcdf_state {
    uint64_t at;         /* the next element or list; 0: not begun */
    uint32_t width;      /* bytes of a count */
    uint32_t list, left; /* enum netcdf_list; elements to come, when begun */
    uint32_t attributes; /* of a variable, to come */
    bool begun, inside;  /* inside: the attributes of a variable are read */
    uint32_t dimensions;
    uint32_t record;  /* the dimension of records */
    uint64_t records; /* how many */
    uint64_t product; /* elements of the variable, in a record if it has records */
    bool has_records; /* the variable */
    uint64_t end;     /* of all fixed variables */
    uint64_t record_at, record_size, record_first; /* first place; bytes; those of the only one */
    uint32_t record_count, variables;
    uint64_t lengths[NETCDF_DIMENSIONS_MAX];
};

/* Bytes of an element of a type, 1 to 11; 0: no such type. */
static uint32_t netcdf_width(uint32_t type)
{
    static const uint8_t widths[] = { 0, 1, 1, 2, 4, 4, 8, 1, 2, 4, 8, 8 };

    return type < sizeof widths ? widths[type] : 0;
}

/* a * b; more than the largest file becomes UINT64_MAX. */
static uint64_t netcdf_times(uint64_t a, uint64_t b)
{
    return b != 0 && a > NETCDF_SIZE_MAX / b ? UINT64_MAX : a * b;
}

static uint64_t netcdf_up(uint64_t bytes)
{
    return bytes > NETCDF_SIZE_MAX ? NETCDF_SIZE_MAX + 1 : (bytes + 3) / 4 * 4;
}

/* A big-endian number at *at, which moves behind it. */
static enum step netcdf_number(struct sig_input *in, uint64_t *at, uint32_t width, uint64_t *value)
{
    const uint8_t *p = sig_bytes(in, *at, width);

    if (p == NULL)
        return STEP_WAIT;
    *value = width == 4 ? bytes_u32be(p) : bytes_u64be(p);
    *at += width;
    return STEP_DONE;
}

static enum step netcdf_name(struct sig_input *in, uint64_t *at, uint32_t width)
{
    uint64_t len;

    if (netcdf_number(in, at, width, &len) == STEP_WAIT)
        return STEP_WAIT;
    if (len == 0 || len > NETCDF_NAME_MAX)
        return STEP_BAD;
    const uint8_t *p = sig_bytes(in, *at, (uint32_t)netcdf_up(len));
    if (p == NULL)
        return STEP_WAIT;
    for (uint32_t i = 0; i < netcdf_up(len); i++)
        if (i < len ? p[i] < ' ' || p[i] == 0x7f || p[i] == '/' : p[i] != 0)
            return STEP_BAD;
    *at += netcdf_up(len);
    return STEP_DONE;
}

static enum step netcdf_dimension(struct sig_input *in, struct netcdf_state *state, uint64_t at)
{
    uint64_t length = 0;
    enum step step = netcdf_name(in, &at, state->width);

    if (step == STEP_DONE)
        step = netcdf_number(in, &at, state->width, &length);
    if (step != STEP_DONE)
        return step;
    if (length > NETCDF_SIZE_MAX || state->dimensions == NETCDF_DIMENSIONS_MAX ||
        (length == 0 && state->record != UINT32_MAX))
        return STEP_BAD;
    if (length == 0)
        state->record = state->dimensions;
    state->lengths[state->dimensions++] = length;
    state->at = at;
    return STEP_DONE;
}

static enum step netcdf_attribute(struct sig_input *in, struct netcdf_state *state, uint64_t at)
{
    uint64_t type = 0, count = 0;
    enum step step = netcdf_name(in, &at, state->width);

    if (step == STEP_DONE)
        step = netcdf_number(in, &at, 4, &type);
    if (step == STEP_DONE)
        step = netcdf_number(in, &at, state->width, &count);
    if (step != STEP_DONE)
        return step;
    if (type > UINT8_MAX || netcdf_width((uint32_t)type) == 0 || count > NETCDF_HEAD_MAX)
        return STEP_BAD;
    state->at = at + netcdf_up(count * netcdf_width((uint32_t)type));
    return STEP_DONE;
}

/* Name and dimensions of a variable, and how many attributes follow. */
static enum step netcdf_variable(struct sig_input *in, struct netcdf_state *state, uint64_t at)
{
    uint64_t rank = 0, which = 0, tag = 0, count = 0, product = 1;
    bool records = false;
    enum step step = netcdf_name(in, &at, state->width);

    if (step == STEP_DONE)
        step = netcdf_number(in, &at, state->width, &rank);
    for (uint64_t i = 0; step == STEP_DONE && i < rank && rank <= NETCDF_RANK_MAX; i++) {
        step = netcdf_number(in, &at, state->width, &which);
        if (step != STEP_DONE)
            return step;
        if (which >= state->dimensions || (which == state->record && i > 0))
            return STEP_BAD;
        records |= which == state->record;
        if (which != state->record)
            product = netcdf_times(product, state->lengths[which]);
    }
    if (step == STEP_DONE)
        step = netcdf_number(in, &at, 4, &tag);
    if (step == STEP_DONE)
        step = netcdf_number(in, &at, state->width, &count);
    if (step != STEP_DONE)
        return step;
    if (rank > NETCDF_RANK_MAX || count > NETCDF_LIST_MAX || (count > 0 ? tag != 12 : tag != 0))
        return STEP_BAD;
    state->attributes = (uint32_t)count;
    state->product = product;
    state->has_records = records;
    state->inside = true;
    state->at = at;
    return STEP_DONE;
}

/* Type, size and place of a variable, behind its attributes. */
static enum step netcdf_place(struct sig_input *in, struct netcdf_state *state, uint64_t at,
                              bool long_places)
{
    uint64_t type = 0, told = 0, place = 0;
    enum step step = netcdf_number(in, &at, 4, &type);

    if (step == STEP_DONE)
        step = netcdf_number(in, &at, state->width, &told);
    if (step == STEP_DONE)
        step = netcdf_number(in, &at, long_places ? 8 : 4, &place);
    if (step != STEP_DONE)
        return step;
    const uint32_t width = type > UINT8_MAX ? 0 : netcdf_width((uint32_t)type);
    const uint64_t plain = netcdf_times(state->product, width), size = netcdf_up(plain);
    if (width == 0 || size > NETCDF_SIZE_MAX || place > NETCDF_SIZE_MAX ||
        (size < INT32_MAX && told != size && told != plain))
        return STEP_BAD;
    if (!state->has_records && place + size > state->end)
        state->end = place + size;
    if (state->has_records) {
        if (state->record_count == 0 || place < state->record_at)
            state->record_at = place;
        state->record_first = plain;
        state->record_size += size;
        if (state->record_count == NETCDF_LIST_MAX || state->record_size > NETCDF_SIZE_MAX)
            return STEP_BAD;
        state->record_count++;
    }
    state->variables++;
    state->inside = false;
    state->at = at;
    return STEP_DONE;
}

/* The head of a list. */
static enum step netcdf_open(struct sig_input *in, struct netcdf_state *state)
{
    static const uint8_t tags[] = { 10, 12, 11 };
    uint64_t at = state->at, tag, count;

    if (netcdf_number(in, &at, 4, &tag) == STEP_WAIT ||
        netcdf_number(in, &at, state->width, &count) == STEP_WAIT)
        return STEP_WAIT;
    if (count > NETCDF_LIST_MAX || (tag != tags[state->list] && (tag != 0 || count != 0)))
        return STEP_BAD;
    state->left = (uint32_t)count;
    state->begun = true;
    state->at = at;
    return STEP_DONE;
}

static enum step netcdf_element(struct sig_input *in, struct netcdf_state *state, bool long_places)
{
    if (!state->begun)
        return netcdf_open(in, state);
    if (state->left == 0) {
        state->begun = false;
        state->list++;
        return STEP_DONE;
    }
    if (state->list == NETCDF_VARIABLES && !state->inside)
        return netcdf_variable(in, state, state->at);
    if (state->inside && state->attributes == 0) {
        const enum step step = netcdf_place(in, state, state->at, long_places);

        state->left -= step == STEP_DONE;
        return step;
    }
    const enum step step = state->list == NETCDF_DIMENSIONS
                               ? netcdf_dimension(in, state, state->at)
                               : netcdf_attribute(in, state, state->at);
    if (step == STEP_DONE && state->inside)
        state->attributes--;
    else if (step == STEP_DONE)
        state->left--;
    return step;
}

static struct sig_result netcdf_check(struct sig_input *in, void *memory)
{
    struct netcdf_state *state = memory;
    const uint8_t *p = sig_bytes(in, 0, 12);

    if (p == NULL)
        return sig_short(in);
    const uint8_t version = p[3];
    if (version != 1 && version != 2 && version != 5)
        return sig_reject("unknown version");
    if (state->at == 0) {
        state->width = version == 5 ? 8 : 4;
        state->records = version == 5 ? bytes_u64be(p + 4) : bytes_u32be(p + 4);
        state->record = UINT32_MAX;
        state->at = 4 + state->width;
    }
    while (state->list != NETCDF_END) {
        const enum step step = netcdf_element(in, state, version != 1);

        if (step == STEP_WAIT)
            return sig_short(in);
        if (step == STEP_BAD || state->at > NETCDF_HEAD_MAX)
            return sig_breaks(in, "invalid dimension, attribute or variable");
        if (state->list > NETCDF_DIMENSIONS)
            sig_valid(in, state->at < in->limit ? state->at : in->limit);
    }
    if (state->variables == 0)
        return sig_reject("there is no variable");
    if (state->record_count > 0) {
        /* The records of a variable that is alone have no zeros between them. */
        const uint64_t size = state->record_count == 1 ? state->record_first : state->record_size,
                       all = netcdf_times(size, state->records);

        if (all > NETCDF_SIZE_MAX)
            return sig_breaks(in, "the number of records was never filled in");
        if (state->record_at + all > state->end)
            state->end = state->record_at + all;
    }
    if (state->end < state->at)
        return sig_breaks(in, "data lie in the header");
    return sig_believe(in, state->end, "the variables give the places of all data");
}

const struct sig sig_netcdf = {
    .name = "netcdf",
    .what = "NetCDF, classic form (scientific data)",
    .proves = "dimensions, attributes and variables follow one another; their data give the length",
    .source = "Unidata, NetCDF Users Guide: File Format Specifications (CDF-1, CDF-2, CDF-5)",
    .types = (const struct sig_type[]){ { "nc", "nc" }, { 0 } },
    .headers = { SIG_PATTERN("CDF\1"), SIG_PATTERN("CDF\2"), SIG_PATTERN("CDF\5") },
    .flags = SIG_SECTOR_ALIGNED,
    .size_min = 32,
    .size_max = NETCDF_SIZE_MAX,
    .state_size = sizeof(struct netcdf_state),
    .check = netcdf_check,
};
