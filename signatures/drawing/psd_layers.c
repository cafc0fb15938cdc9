/* SPDX-License-Identifier: Apache-2.0
 * signatures/drawing/psd_layers.c - layer records, and the data of their channels: every length of
 * a row adds up to its channel's. */
#include <stdlib.h>
#include <string.h>

#include "signatures/drawing/psd.h"

enum {
    PSD_RECORD_HEAD = 18,  /* rectangle, number of channels */
    PSD_RECORD_TAIL = 16,  /* "8BIM", blend mode, 4 bytes, length of what follows */
    PSD_LAYERS_MAX = 8192, /* Photoshop allows 8000 */
    PSD_CHANNELS_MAX = 56, /* and two masks */
    PSD_INFO_PAD = 4,
};

/* Length of the entry of one channel in a layer's record. */
static uint32_t psd_channel_len(const struct psd_state *state)
{
    return state->big ? 10 : 6;
}

/* Steps from the record at *at over it. */
static enum step psd_record(struct sig_input *in, const struct psd_state *state, uint64_t *at)
{
    const uint8_t *head = sig_bytes(in, *at, PSD_RECORD_HEAD);

    if (head == NULL)
        return STEP_WAIT;
    const uint32_t channels = bytes_u16be(head + 16);
    const int64_t rows = (int64_t)(int32_t)bytes_u32be(head + 8) - (int32_t)bytes_u32be(head);
    if (channels > PSD_CHANNELS_MAX + 2 || rows < 0)
        return STEP_BAD;
    const uint64_t tail = *at + PSD_RECORD_HEAD + (uint64_t)channels * psd_channel_len(state);
    const uint8_t *bytes = sig_bytes(in, tail, PSD_RECORD_TAIL);
    if (bytes == NULL)
        return STEP_WAIT;
    if (memcmp(bytes, "8BIM", 4) != 0)
        return STEP_BAD;
    *at = tail + PSD_RECORD_TAIL + bytes_u32be(bytes + 12);
    return STEP_DONE;
}

static enum step psd_records(struct sig_input *in, struct psd_state *state)
{
    for (; state->layer < state->layers; state->layer++) {
        const enum step step = psd_record(in, state, &state->at);

        if (step != STEP_DONE)
            return step;
        if (state->at > state->layer_info_end)
            return STEP_BAD;
    }
    state->record = state->records;
    state->data = state->at;
    state->layer = 0;
    state->phase = PSD_AT_LAYER_CHANNELS;
    return STEP_DONE;
}

/* The rows of a run-length coded channel of len bytes at state->data. */
static enum step psd_rows(struct sig_input *in, struct psd_state *state, uint64_t rows,
                          uint64_t len)
{
    const uint32_t width = state->big ? 4 : 2;

    for (; state->row < rows; state->row++) {
        const uint8_t *bytes = sig_bytes(in, state->data + 2 + state->row * width, width);

        if (bytes == NULL)
            return STEP_WAIT;
        state->sum += state->big ? bytes_u32be(bytes) : bytes_u16be(bytes);
    }
    const uint64_t need = 2 + rows * width + state->sum;
    return need == len || need + 1 == len ? STEP_DONE : STEP_BAD;
}

/* The channel being read: number state->channel of the record at state->record. */
static enum step psd_channel(struct sig_input *in, struct psd_state *state)
{
    const uint8_t *head = sig_bytes(in, state->record, PSD_RECORD_HEAD);

    if (head == NULL)
        return STEP_WAIT;
    const uint64_t rows = bytes_u32be(head + 8) - bytes_u32be(head);
    const uint8_t *entry = sig_bytes(
        in, state->record + PSD_RECORD_HEAD + (uint64_t)state->channel * psd_channel_len(state),
        psd_channel_len(state));
    if (entry == NULL)
        return STEP_WAIT;
    const int16_t id = (int16_t)bytes_u16be(entry);
    const uint64_t len = state->big ? bytes_u64be(entry + 2) : bytes_u32be(entry + 2);
    if (id < -3 || id > PSD_CHANNELS_MAX || len > state->layer_info_end - state->data)
        return STEP_BAD;
    if (len >= 2) {
        const uint8_t *data = sig_bytes(in, state->data, 2);

        if (data == NULL)
            return STEP_WAIT;
        const uint32_t compression = bytes_u16be(data);
        if (compression > 3)
            return STEP_BAD;
        if (compression == 1 && id >= -1 && len > 2) {
            const enum step step = psd_rows(in, state, rows, len);

            if (step != STEP_DONE)
                return step;
        }
    }
    state->data += len;
    state->row = state->sum = 0;
    return STEP_DONE;
}

static enum step psd_channels(struct sig_input *in, struct psd_state *state)
{
    for (; state->layer < state->layers; state->layer++) {
        const uint8_t *head = sig_bytes(in, state->record, PSD_RECORD_HEAD);

        if (head == NULL)
            return STEP_WAIT;
        const uint32_t channels = bytes_u16be(head + 16);
        for (; state->channel < channels; state->channel++) {
            const enum step step = psd_channel(in, state);

            if (step != STEP_DONE)
                return step;
        }
        if (psd_record(in, state, &state->record) == STEP_WAIT)
            return STEP_WAIT;
        state->channel = 0;
    }
    state->at = state->data;
    state->phase = PSD_AT_LAYERS_END;
    return state->layer_info_end - state->at <= PSD_INFO_PAD ? STEP_DONE : STEP_BAD;
}

/* The length of the layers, and how many there are. */
static enum step psd_info(struct sig_input *in, struct psd_state *state)
{
    const uint32_t width = state->big ? 8 : 4;
    const uint8_t *bytes = sig_bytes(in, state->at, width + 2);

    if (bytes == NULL)
        return STEP_WAIT;
    const uint64_t len = state->big ? bytes_u64be(bytes) : bytes_u32be(bytes);
    if (len > state->end - state->at - width)
        return STEP_BAD;
    state->layer_info_end = state->at + width + len;
    state->at += width;
    if (len < 2) {
        state->phase = PSD_AT_LAYERS_END;
        return len == 0 ? STEP_DONE : STEP_BAD;
    }
    state->layers = (uint32_t)abs((int16_t)bytes_u16be(bytes + width));
    state->at += 2;
    state->records = state->at;
    state->layer = 0;
    state->phase = PSD_AT_LAYER_RECORDS;
    return state->layers <= PSD_LAYERS_MAX ? STEP_DONE : STEP_BAD;
}

enum step psd_layers(struct sig_input *in, struct psd_state *state, const char **why)
{
    enum step step = STEP_DONE;

    *why = "the layers do not add up to their section";
    while (step == STEP_DONE && state->phase != PSD_AT_LAYERS_END) {
        if (state->phase == PSD_AT_LAYERS)
            step = psd_info(in, state);
        else
            step = state->phase == PSD_AT_LAYER_RECORDS ? psd_records(in, state)
                                                        : psd_channels(in, state);
    }
    return step;
}
