/* SPDX-License-Identifier: Apache-2.0
 * signatures/drawing/psd.h - what the parts of the Photoshop validator share; nobody else includes
 * it.
 *
 *   psd.c         header, colours, resources, the merged picture, the verdict
 *   psd_layers.c  layer records and their channels
 */
#ifndef BURIN_SIGNATURES_PICTURE_PSD_H
#define BURIN_SIGNATURES_PICTURE_PSD_H

#include "base/bytes.h"
#include "signatures/lib/plausible.h"
#include "signatures/lib/step.h"
#include "signatures/sig.h"

enum psd_phase {
    PSD_AT_HEADER,
    PSD_AT_COLOURS,
    PSD_AT_RESOURCES,
    PSD_AT_LAYERS,
    PSD_AT_LAYER_RECORDS,
    PSD_AT_LAYER_CHANNELS,
    PSD_AT_LAYERS_END,
    PSD_AT_PICTURE,
    PSD_AT_RUNS,
};

struct psd_state {
    enum psd_phase phase;
    bool big; /* PSB: lengths of 64 bits, row lengths of 32 */
    uint32_t channels, width, height, depth, mode;
    uint64_t at, end; /* place; end of the section it is in, 0: not read */

    uint64_t records, record, record_channel; /* first layer record; the one whose channels are
                                                 being read, and which one */
    uint64_t data;                            /* that channel's data */
    uint32_t layers, layer, channel;
    uint64_t row, sum; /* of the channel's table of row lengths, or of the picture's */
    uint64_t layer_info_end;

    uint64_t table, run, row_end, out; /* the merged picture's rows */
    struct plausible plausible;
};

/* Layer and mask information: state->at .. state->end. */
enum step psd_layers(struct sig_input *in, struct psd_state *state, const char **why);

#endif
