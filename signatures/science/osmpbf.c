/* SPDX-License-Identifier: Apache-2.0
 * signatures/science/osmpbf.c - maps of OpenStreetMap (pbf).
 *
 *   blocks: u32be bytes of the head | head, of Protocol Buffers: 1 kind, "OSMHeader", "OSMData" | 2
 * index | 3 bytes of the data | data
 */
#include <string.h>

#include "base/bytes.h"
#include "signatures/lib/number.h"
#include "signatures/sig.h"

enum { OSM_HEAD_MAX = 64 << 10, OSM_DATA_MAX = 32 << 20, OSM_KIND = 1, OSM_INDEX, OSM_BYTES };

struct osm_state {
    uint64_t at; /* the next block */
    uint32_t blocks;
};

/* The block at state->at; STEP_BAD: none. */
static enum step osm_block(struct sig_input *in, struct osm_state *state)
{
    const uint8_t *p = sig_bytes(in, state->at, 4);
    uint64_t at = state->at + 4, bytes = 0;
    bool known = false;

    if (p == NULL)
        return STEP_WAIT;
    const uint64_t end = at + bytes_u32be(p);
    if (end - at < 8 || end - at > OSM_HEAD_MAX)
        return STEP_BAD;
    while (at < end) {
        struct number_field field;
        const enum step step = number_field(in, &at, &field);

        if (step != STEP_DONE)
            return step;
        if (field.number == OSM_KIND && field.kind == NUMBER_BYTES) {
            const char *kind = state->blocks == 0 ? "OSMHeader" : "OSMData";

            if (field.value != strlen(kind))
                return STEP_BAD;
            p = sig_bytes(in, at, (uint32_t)field.value);
            if (p == NULL)
                return STEP_WAIT;
            known = memcmp(p, kind, (size_t)field.value) == 0;
            at += field.value;
        } else if (field.number == OSM_BYTES && field.kind == NUMBER_VARINT) {
            bytes = field.value;
        } else if (field.number == OSM_INDEX && field.kind == NUMBER_BYTES && field.value < end) {
            at += field.value;
        } else {
            return STEP_BAD;
        }
    }
    if (at != end || !known || bytes == 0 || bytes > OSM_DATA_MAX)
        return STEP_BAD;
    if (sig_bytes(in, end + bytes - 1, 1) == NULL)
        return STEP_WAIT;
    state->at = end + bytes;
    state->blocks++;
    return STEP_DONE;
}

static struct sig_result osm_check(struct sig_input *in, void *memory)
{
    struct osm_state *state = memory;

    while (state->at < in->limit) {
        const enum step step = osm_block(in, state);

        if (step == STEP_WAIT)
            return sig_short(in);
        if (step == STEP_BAD)
            break;
        sig_valid(in, state->at);
    }
    if (state->blocks < 2)
        return sig_breaks(in, "no data behind the first block");
    return sig_believe(in, state->at, "blocks follow one another, and no other does");
}

const struct sig sig_osmpbf = {
    .name = "osm-pbf",
    .what = "map of OpenStreetMap (PBF)",
    .proves = "blocks of known kinds follow one another; it ends where no other follows",
    .source = "OpenStreetMap, PBF Format; fileformat.proto",
    .types = (const struct sig_type[]){ { "osm-pbf", "pbf" }, { 0 } },
    .headers = { SIG_MASKED("\0\0\0?\x0a\x09OSMHeader",
                            "\xff\xff\xff\0\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff") },
    .flags = SIG_SECTOR_ALIGNED,
    .size_min = 32,
    .size_max = UINT64_C(1) << 40,
    .state_size = sizeof(struct osm_state),
    .check = osm_check,
};
