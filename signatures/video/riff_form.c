/* SPDX-License-Identifier: Apache-2.0
 * signatures/video/riff_form.c - WAVE, AVI, WebP, ANI, RMID, SoundFont: which chunks they have, and
 * what must stand in them. */
#include <string.h>

#include "base/bytes.h"
#include "signatures/video/riff.h"

enum {
    WAVE_PCM = 1,
    WAVE_EXTENSIBLE = 0xfffe,
    WAVE_STEP_MAX = 16, /* bytes of a sample of all channels that textures are looked at for */
    WAVE_CHANNELS_MAX = 256,
    WAVE_RATE_MAX = 10000000, /* samples a second */
    AVI_HEADER = 56,
    AVI_INDEX_ENTRY = 16,
};

static bool riff_is(const struct riff_chunk *chunk, const char id[4])
{
    return memcmp(chunk->id, id, 4) == 0;
}

static enum riff_step riff_bad(const char **why, const char *text)
{
    *why = text;
    return RIFF_BAD;
}

static enum riff_step riff_wave(struct sig_input *in, struct riff_state *state,
                                const struct riff_chunk *chunk, const char **why)
{
    if (riff_is(chunk, "fmt ")) {
        if (state->has_format || chunk->size < 14 || chunk->size > 4096)
            return riff_bad(why, "invalid sound format");
        const uint8_t *format = sig_bytes(in, chunk->at + 8, chunk->size < 16 ? 14 : 16);
        if (format == NULL)
            return RIFF_WAIT;
        const uint32_t channels = riff_u16(state, format + 2), rate = riff_u32(state, format + 4);
        const uint32_t block = riff_u16(state, format + 12);
        if (riff_u16(state, format) == 0 || channels == 0 || channels > WAVE_CHANNELS_MAX ||
            rate == 0 || rate > WAVE_RATE_MAX || block == 0)
            return riff_bad(why, "invalid sound format");
        const uint32_t tag = riff_u16(state, format),
                       bits = chunk->size < 16 ? 0 : riff_u16(state, format + 14);
        if ((tag == WAVE_PCM || tag == WAVE_EXTENSIBLE) && block * 8 == channels * bits &&
            block <= WAVE_STEP_MAX && !state->big_endian) {
            state->kind = bits == 16  ? PLAUSIBLE_SAMPLES_16
                          : bits == 8 ? PLAUSIBLE_SAMPLES_8
                                      : PLAUSIBLE_ANY;
            state->step = block;
        }
        state->has_format = true;
        return RIFF_DONE;
    }
    state->has_fact |= riff_is(chunk, "fact");
    if (riff_is(chunk, "data")) {
        if (!state->has_format)
            return riff_bad(why, "the sound comes before its format");
        state->has_content = true;
    }
    return RIFF_DONE;
}

static bool avi_is_digit(uint8_t c)
{
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
}

static bool avi_is_letter(uint8_t c)
{
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

/* In "movi": 00dc, 01wb, ix00, JUNK, LIST rec. */
static bool avi_is_movie_chunk(const uint8_t id[4])
{
    if (memcmp(id, "JUNK", 4) == 0 || memcmp(id, "LIST", 4) == 0)
        return true;
    return (avi_is_digit(id[0]) && avi_is_digit(id[1]) && avi_is_letter(id[2]) &&
            avi_is_letter(id[3])) ||
           (id[0] == 'i' && id[1] == 'x' && avi_is_digit(id[2]) && avi_is_digit(id[3]));
}

static enum riff_step riff_avi_list(struct sig_input *in, struct riff_state *state,
                                    const struct riff_chunk *chunk, const char **why)
{
    if (chunk->size < 4)
        return riff_bad(why, "a list has no name");
    const uint8_t *name = sig_bytes(in, chunk->at + 8, 4);
    if (name == NULL)
        return RIFF_WAIT;
    if (chunk->at < state->movi_end)
        return memcmp(name, "rec ", 4) == 0
                   ? RIFF_INSIDE
                   : riff_bad(why, "a list is not allowed among the frames");
    if (memcmp(name, "movi", 4) == 0) {
        if (!state->has_format)
            return riff_bad(why, "the frames come before their header");
        state->has_content = true;
        state->movi_end = chunk->at + 8 + chunk->size;
        return RIFF_INSIDE;
    }
    if (memcmp(name, "hdrl", 4) == 0) {
        if (state->has_format || chunk->size < 4 + 8 + AVI_HEADER)
            return riff_bad(why, "invalid video header");
        const uint8_t *header = sig_bytes(in, chunk->at + RIFF_HEAD, 8);
        if (header == NULL)
            return RIFF_WAIT;
        if (memcmp(header, "avih", 4) != 0 || bytes_u32le(header + 4) < AVI_HEADER - 16)
            return riff_bad(why, "invalid video header");
        state->has_format = true;
    }
    return RIFF_DONE;
}

static enum riff_step riff_avi(struct sig_input *in, struct riff_state *state,
                               const struct riff_chunk *chunk, const char **why)
{
    const bool in_movie = chunk->at < state->movi_end;

    if (in_movie && !avi_is_movie_chunk(chunk->id))
        return riff_bad(why, "a valid frame must follow here, and none does");
    if (in_movie && chunk->at + 8 + chunk->size > state->movi_end)
        return riff_bad(why, "a frame is longer than the list of frames");
    if (riff_is(chunk, "LIST"))
        return riff_avi_list(in, state, chunk, why);
    if (!in_movie && riff_is(chunk, "idx1")) {
        if (!state->has_content || chunk->size % AVI_INDEX_ENTRY != 0)
            return riff_bad(why, "invalid index");
        if (chunk->size == 0)
            return RIFF_DONE;
        const uint8_t *entry = sig_bytes(in, chunk->at + 8, 4);
        if (entry == NULL)
            return RIFF_WAIT;
        if (!avi_is_movie_chunk(entry) && memcmp(entry, "rec ", 4) != 0)
            return riff_bad(why, "invalid index");
    }
    return RIFF_DONE;
}

static enum riff_step riff_webp(struct sig_input *in, struct riff_state *state,
                                const struct riff_chunk *chunk, const char **why)
{
    static const char head[] = "VP8X";
    const bool lossy = riff_is(chunk, "VP8 "), lossless = riff_is(chunk, "VP8L");

    if (!state->has_format && !lossy && !lossless && !riff_is(chunk, head))
        return riff_bad(why, "the first chunk is not a picture");
    if (lossy || lossless || riff_is(chunk, head)) {
        if (state->has_content || chunk->size < (lossless ? 5 : 10) ||
            (state->has_format && riff_is(chunk, head)))
            return riff_bad(why, "invalid picture");
        const uint8_t *body = sig_bytes(in, chunk->at + 8, lossless ? 5 : 10);
        if (body == NULL)
            return RIFF_WAIT;
        if (lossy &&
            ((body[0] & 1) != 0 || memcmp(body + 3, "\x9d\x01\x2a", 3) != 0 ||
             (bytes_u16le(body + 6) & 0x3fff) == 0 || (bytes_u16le(body + 8) & 0x3fff) == 0 ||
             (bytes_u32le(body) & 0xffffff) >> 5 > chunk->size - 10))
            return riff_bad(why, "invalid picture");
        if (lossless && (body[0] != 0x2f || body[4] >> 5 != 0))
            return riff_bad(why, "invalid picture");
        state->has_content |= lossy || lossless;
    }
    if (riff_is(chunk, "ANMF")) {
        if (chunk->size < 16 + 8)
            return riff_bad(why, "invalid frame");
        state->has_content = true;
    }
    state->has_format = true;
    return RIFF_DONE;
}

/* One list or chunk by its name: the first of the form, and the one that holds the content. */
static enum riff_step riff_other(struct sig_input *in, struct riff_state *state,
                                 const struct riff_chunk *chunk, const char **why)
{
    if (state->form == RIFF_ACON) {
        if (riff_is(chunk, "anih")) {
            if (chunk->size != 36)
                return riff_bad(why, "invalid cursor header");
            state->has_format = true;
        }
    } else if (state->form == RIFF_RMID && riff_is(chunk, "data")) {
        const uint8_t *body = chunk->size < 14 ? NULL : sig_bytes(in, chunk->at + 8, 4);

        if (body == NULL)
            return chunk->size < 14 ? riff_bad(why, "the content is not a MIDI file") : RIFF_WAIT;
        if (memcmp(body, "MThd", 4) != 0)
            return riff_bad(why, "the content is not a MIDI file");
        state->has_format = true;
        state->has_content = true;
    }
    if (riff_is(chunk, "LIST")) {
        const uint8_t *name = chunk->size < 4 ? NULL : sig_bytes(in, chunk->at + 8, 4);

        if (name == NULL)
            return chunk->size < 4 ? riff_bad(why, "a list has no name") : RIFF_WAIT;
        state->has_format |= state->form == RIFF_SFBK && memcmp(name, "INFO", 4) == 0;
        state->has_content |= memcmp(name, state->form == RIFF_SFBK ? "pdta" : "fram", 4) == 0;
    } else if (state->form == RIFF_SFBK) {
        return riff_bad(why, "a chunk does not belong in a SoundFont");
    }
    return RIFF_DONE;
}

/* Forms that must begin with one chunk, and have one more (or a list of any kind) that holds what
 * they are made for. */
static enum riff_step riff_plain(struct riff_state *state, const struct riff_chunk *chunk,
                                 const char **why)
{
    static const struct {
        char first[5], content[5];
    } forms[] = {
        [RIFF_CDR] = { "vrsn", "LIST" },  [RIFF_CMX] = { "cont", "page" },
        [RIFF_DLS] = { "", "LIST" },      [RIFF_CDXA] = { "fmt ", "data" },
        [RIFF_QLCM] = { "fmt ", "data" }, [RIFF_PAL] = { "", "data" },
    };
    const char *first = forms[state->form].first;

    if (!state->has_format && first[0] != '\0' && !riff_is(chunk, first))
        return riff_bad(why, "the first chunk does not belong to this form");
    if (state->form == RIFF_PAL && chunk->size % 4 != 0)
        return riff_bad(why, "invalid length of the colours");
    state->has_format = true;
    state->has_content |= riff_is(chunk, forms[state->form].content);
    return RIFF_DONE;
}

enum riff_step riff_chunk(struct sig_input *in, struct riff_state *state,
                          const struct riff_chunk *chunk, const char **why)
{
    switch (state->form) {
    case RIFF_WAVE:
        return riff_wave(in, state, chunk, why);
    case RIFF_AVI:
        return riff_avi(in, state, chunk, why);
    case RIFF_WEBP:
        return riff_webp(in, state, chunk, why);
    default:
        return state->form >= RIFF_CDR ? riff_plain(state, chunk, why)
                                       : riff_other(in, state, chunk, why);
    }
}

const char *riff_missing(const struct riff_state *state)
{
    if (!state->has_format)
        return "the file ends before its header";
    return state->has_content ? NULL : "the file ends before its content";
}

bool riff_is_content(const struct riff_state *state, const struct riff_chunk *chunk)
{
    return state->form == RIFF_WAVE ? state->has_format && riff_is(chunk, "data")
                                    : state->form == RIFF_AVI && riff_is(chunk, "LIST");
}

bool riff_has_content(const struct riff_state *state)
{
    return state->has_format && state->has_content;
}

enum plausible_kind riff_plausible(const struct riff_state *state, const struct riff_chunk *chunk)
{
    if (state->form == RIFF_WAVE && riff_is(chunk, "data"))
        return state->kind;
    if (state->form == RIFF_WEBP && (riff_is(chunk, "VP8 ") || riff_is(chunk, "VP8L")))
        return PLAUSIBLE_COMPRESSED;
    return PLAUSIBLE_ANY;
}
