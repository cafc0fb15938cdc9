/* SPDX-License-Identifier: Apache-2.0
 * signatures/sound/dsd.c - Direct Stream Digital: DSF (Sony) and DSDIFF (Philips).
 *
 *   DSF: "DSD " | u64le 28 | u64le size of the file | u64le where the ID3v2 tag is, or 0 | "fmt " |
 *   u64le 52 | ... |
 *        "data" | u64le length, these 12 included | samples | [ID3v2]
 *   DSDIFF: "FRM8" | u64be size | "DSD " | (id | u64be length | data | pad to even)*     size
 *   counts from the type on
 */
#include <string.h>

#include "base/bytes.h"
#include "signatures/lib/chars.h"
#include "signatures/sig.h"
#include "signatures/sound/audio_tag.h"

enum {
    DSF_HEAD = 28,
    DSF_FORMAT = 52,
    DSF_DATA = DSF_HEAD + DSF_FORMAT, /* where "data" stands */
    DSD_CHUNKS_MAX = 4096,
    DSDIFF_HEAD = 16,
    DSDIFF_CHUNK = 12,
};

static const struct sig_type dsd_types[] = { { "dsf", "dsf" }, { "dff", "dff" }, { 0 } };

/* The tag that ends the file, or "data", ends where the file does. */
static struct sig_result dsd_dsf(struct sig_input *in)
{
    const uint8_t *head = sig_bytes(in, 0, DSF_DATA + 12);

    if (head == NULL)
        return sig_short(in);
    const uint64_t size = bytes_u64le(head + 12), tag = bytes_u64le(head + 20),
                   data = bytes_u64le(head + 84);
    const uint8_t *format = head + DSF_HEAD;
    const uint32_t channels = bytes_u32le(format + 24), bits = bytes_u32le(format + 32);
    const uint64_t samples = bytes_u64le(format + 36), block = bytes_u32le(format + 44);
    const uint64_t data_end = sig_add(DSF_DATA, data);

    if (memcmp(head, "DSD \x1c\0\0\0\0\0\0\0", 12) != 0 ||
        memcmp(format, "fmt \x34\0\0\0\0\0\0\0\1\0\0\0", 16) != 0 ||
        memcmp(head + DSF_DATA, "data", 4) != 0 || channels == 0 || channels > 6 ||
        (bits != 1 && bits != 8) || bytes_u32le(format + 16) != 0 ||
        bytes_u32le(format + 28) == 0 || block == 0 || block > 1 << 20 || data < 12 ||
        data_end == UINT64_MAX || data_end > size || (tag == 0 ? size : tag) != data_end)
        return sig_reject("the fields of the header contradict each other");
    const uint64_t blocks = (samples * bits / 8 + block - 1) / block;
    if (samples > UINT64_C(1) << 48 || blocks * block * channels != data - 12)
        return sig_reject("the header contradicts the number of samples");
    sig_valid(in, DSF_DATA + 12);
    if (tag != 0) {
        head = sig_bytes(in, tag, AUDIO_TAG_ID3_HEAD);
        if (head == NULL)
            return sig_short(in);
        const uint64_t len = audio_tag_id3_len(head);
        if (len == 0 || len > size - tag)
            return sig_breaks(in, "there is no valid tag where the header points");
    }
    return sig_believe(in, size, "the header gives the length");
}

struct dsd_state {
    uint64_t at, end; /* at: object offset of the next chunk; 0: not begun */
    uint32_t chunks;
    bool has_format, has_sound;
};

static struct sig_result dsd_dsdiff(struct sig_input *in, struct dsd_state *state)
{
    if (state->at == 0) {
        const uint8_t *head = sig_bytes(in, 0, DSDIFF_HEAD);

        if (head == NULL)
            return sig_short(in);
        state->end = sig_add(DSDIFF_CHUNK, bytes_u64be(head + 4));
        if (state->end > in->sig->size_max)
            return sig_reject("the form is longer than any file");
        state->at = DSDIFF_HEAD;
    }
    while (state->at < state->end) {
        const uint8_t *chunk = sig_bytes(in, state->at, DSDIFF_CHUNK);

        if (chunk == NULL)
            return sig_short(in);
        const uint64_t len = bytes_u64be(chunk + 4);
        if (!text_is_printable(chunk, 4))
            return sig_breaks(in, "the name of a chunk is not printable");
        if (len > state->end - state->at - DSDIFF_CHUNK || state->chunks == DSD_CHUNKS_MAX)
            return sig_breaks(in, "a chunk is longer than the form");
        state->has_format |= memcmp(chunk, "PROP", 4) == 0;
        state->has_sound |= memcmp(chunk, "DSD ", 4) == 0 || memcmp(chunk, "DST ", 4) == 0;
        if (state->has_sound && !state->has_format)
            return sig_reject("the sound comes before its properties");
        state->at += DSDIFF_CHUNK + len + len % 2;
        state->chunks++;
        if (state->has_format)
            sig_valid(in, state->at < state->end ? state->at : state->end);
    }
    if (!state->has_sound)
        return sig_breaks(in, "the file ends before its sound");
    return sig_believe(in, state->end, "the chunks end with the form");
}

static struct sig_result dsd_check(struct sig_input *in, void *memory)
{
    const uint8_t *head = sig_bytes(in, 0, 4);

    if (head == NULL)
        return sig_short(in);
    const bool dsdiff = head[0] == 'F';
    in->type = &dsd_types[dsdiff];
    return dsdiff ? dsd_dsdiff(in, memory) : dsd_dsf(in);
}

const struct sig sig_dsd = {
    .name = "dsf",
    .what = "DSD audio: DSF or DSDIFF",
    .proves = "DSF: header and tag agree with the length; DSDIFF: chunks end with the form; the "
              "sound is not read",
    .source = "Sony, DSF File Format Specification 1.01; Philips, DSDIFF 1.5",
    .types = dsd_types,
    .headers = { SIG_PATTERN("DSD \x1c\0\0\0\0\0\0\0"),
                 SIG_MASKED("FRM8\0\0??????DSD ",
                            "\xff\xff\xff\xff\xff\xff\0\0\0\0\0\0\xff\xff\xff\xff") },
    .flags = SIG_SECTOR_ALIGNED,
    .size_min = DSDIFF_HEAD + 2 * DSDIFF_CHUNK,
    .size_max = UINT64_C(1) << 40, /* policy: lengths have 64 bits */
    .state_size = sizeof(struct dsd_state),
    .check = dsd_check,
};
