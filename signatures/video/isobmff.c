/* SPDX-License-Identifier: Apache-2.0
 * signatures/video/isobmff.c - ISO base media files: MP4, QuickTime, 3GPP, HEIF, AVIF and their
 * kin.
 *
 *   (u32be size | type | data)*     size counts all 8 bytes; 1: a 64-bit size follows; 0: to the
 * end of the file
 *
 * Boxes are walked. moov may stand before or behind mdat; old QuickTime files have no ftyp and
 * begin at moov, mdat, wide, free, skip or pnot, and have no boxes but known ones. Nothing says
 * where a file ends: it ends behind the last box that can be its own. Tables in moov, moof and meta
 * say where samples are: all of them must lie where the media data is, and look like what their
 * codecs make, so that a file in two pieces is noticed. A media data box without a size ends where
 * the last sample does.
 */
#include <string.h>

#include "base/bytes.h"
#include "base/limits.h"
#include "signatures/video/isobmff.h"
#include "signatures/video/video_facts.h"

enum {
    ISOBMFF_BRANDS = 64, /* that are looked at */
    ISOBMFF_PROOF =
        4, /* samples that look right; pictures are one or few, and what is in them is not seen */
    ISOBMFF_MOOV_MAX = 1 << 30,
};

enum isobmff_type {
    ISOBMFF_MP4,
    ISOBMFF_MOV,
    ISOBMFF_M4V,
    ISOBMFF_M4A,
    ISOBMFF_M4B,
    ISOBMFF_3GP,
    ISOBMFF_3G2,
    ISOBMFF_HEIC,
    ISOBMFF_AVIF,
    ISOBMFF_CR3,
    ISOBMFF_F4V,
    ISOBMFF_MJ2,
    ISOBMFF_M4S,
    ISOBMFF_AVIFS,
    ISOBMFF_HEICS,
};

static const struct sig_type isobmff_types[] = {
    [ISOBMFF_MP4] = { "mp4", "mp4" },      [ISOBMFF_MOV] = { "mov", "mov" },
    [ISOBMFF_M4V] = { "m4v", "m4v" },      [ISOBMFF_M4A] = { "m4a", "m4a" },
    [ISOBMFF_M4B] = { "m4b", "m4b" },      [ISOBMFF_3GP] = { "3gp", "3gp" },
    [ISOBMFF_3G2] = { "3g2", "3g2" },      [ISOBMFF_HEIC] = { "heic", "heic" },
    [ISOBMFF_AVIF] = { "avif", "avif" },   [ISOBMFF_CR3] = { "cr3", "cr3" },
    [ISOBMFF_F4V] = { "f4v", "f4v" },      [ISOBMFF_MJ2] = { "mj2", "mj2" },
    [ISOBMFF_M4S] = { "m4s", "m4s" },      [ISOBMFF_AVIFS] = { "avifs", "avif" },
    [ISOBMFF_HEICS] = { "heics", "heic" }, { 0 },
};

/* What a brand says: the first `len` letters of it count. False: another format's (JPEG 2000), or
 * none that is known. */
static bool isobmff_brand(const uint8_t *brand, enum isobmff_type *type)
{
    static const struct {
        char brand[5];
        enum isobmff_type type;
    } brands[] = {
        { "qt  ", ISOBMFF_MOV },   { "M4A", ISOBMFF_M4A },   { "M4P", ISOBMFF_M4A },
        { "M4B", ISOBMFF_M4B },    { "M4V", ISOBMFF_M4V },   { "F4V ", ISOBMFF_F4V },
        { "F4P ", ISOBMFF_F4V },   { "3gp", ISOBMFF_3GP },   { "3ge", ISOBMFF_3GP },
        { "3gg", ISOBMFF_3GP },    { "3gr", ISOBMFF_3GP },   { "3gs", ISOBMFF_3GP },
        { "3gh", ISOBMFF_3GP },    { "3gm", ISOBMFF_3GP },   { "3g2", ISOBMFF_3G2 },
        { "KDDI", ISOBMFF_3G2 },   { "heic", ISOBMFF_HEIC }, { "heix", ISOBMFF_HEIC },
        { "heim", ISOBMFF_HEIC },  { "heis", ISOBMFF_HEIC }, { "hevc", ISOBMFF_HEICS },
        { "hevx", ISOBMFF_HEICS }, { "avif", ISOBMFF_AVIF }, { "avis", ISOBMFF_AVIFS },
        { "crx ", ISOBMFF_CR3 },   { "mjp2", ISOBMFF_MJ2 },  { "mj2s", ISOBMFF_MJ2 },
    };

    for (size_t i = 0; i < sizeof brands / sizeof brands[0]; i++)
        if (memcmp(brand, brands[i].brand, strlen(brands[i].brand)) == 0) {
            *type = brands[i].type;
            return true;
        }
    return false;
}

/* The type by the major brand; the common ones of pictures say nothing themselves, but others
 * behind them do. */
static const char *isobmff_ftyp(struct sig_input *in, const uint8_t *body, uint32_t len)
{
    enum isobmff_type type = ISOBMFF_MP4;

    if (memcmp(body, "jp2 ", 4) == 0 || memcmp(body, "jpx ", 4) == 0 ||
        memcmp(body, "jpm ", 4) == 0 || memcmp(body, "jph ", 4) == 0)
        return "the file is a JPEG 2000 file";
    for (uint32_t at = 0; at + 4 <= len; at += 4) {
        const uint32_t brand = bytes_u32be(body + at);

        if (at != 4 && brand != 0 && !isobmff_is_name(brand))
            return "invalid brand";
    }
    if (!isobmff_brand(body, &type) &&
        (memcmp(body, "mif", 3) == 0 || memcmp(body, "msf", 3) == 0 ||
         memcmp(body, "miaf", 4) == 0 || memcmp(body, "heif", 4) == 0)) {
        type = ISOBMFF_HEIC;
        for (uint32_t at = 8; at + 4 <= len; at += 4)
            if (memcmp(body + at, "avi", 3) == 0)
                type = ISOBMFF_AVIF;
    }
    in->type = &isobmff_types[type];
    return NULL;
}

/* Boxes of a file, not of another box. */
static bool isobmff_is_known(uint32_t type)
{
    static const char known[][5] = { "ftyp", "moov", "mdat", "free", "skip", "wide", "uuid",
                                     "meta", "moof", "mfra", "sidx", "ssix", "styp", "prft",
                                     "pdin", "udta", "emsg", "pnot", "PICT", "bloc", "idat",
                                     "junk", "mini", "Xtra", "beam", "sefd", "thum", "pict",
                                     "frea", "inst", "ilda", "mpvd", "cust", "vndp" };

    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++)
        if (type == ISOBMFF_TYPE(known[i]))
            return true;
    return false;
}

static bool isobmff_is_space(uint32_t type)
{
    return type == ISOBMFF_4CC('f', 'r', 'e', 'e') || type == ISOBMFF_4CC('s', 'k', 'i', 'p') ||
           type == ISOBMFF_4CC('w', 'i', 'd', 'e');
}

/* Is there all that makes a file? */
static bool isobmff_is_enough(const struct isobmff_state *state)
{
    if (state->fragment_open)
        return false;
    if (state->has_moov)
        return state->has_mdat || state->fragments > 0 || state->has_items ||
               (state->samples_checked && state->data_to == 0);
    return state->has_items || state->fragments > 0;
}

static struct sig_result isobmff_break(struct sig_input *in, const struct isobmff_state *state,
                                       const char *why)
{
    if (state->proven > LIMIT_SECTOR)
        sig_valid(in, state->proven);
    return sig_breaks(in, why);
}

static struct sig_result isobmff_wait(struct sig_input *in, const struct isobmff_state *state)
{
    if (in->wanted <= in->limit)
        return sig_short(in);
    if (state->boxes > 1 && in->limit > LIMIT_SECTOR)
        sig_valid(in, in->limit);
    return isobmff_break(in, state, sig_short(in).why);
}

/* Nothing behind state->at is this file's. */
static struct sig_result isobmff_finish(struct sig_input *in, const struct isobmff_state *state)
{
    if (!isobmff_is_enough(state))
        return isobmff_break(in, state, "the boxes end before the file is whole");
    if (state->data_to > 0 && state->fragments == 0) {
        if (state->data_to > state->end)
            return isobmff_break(in, state, "the samples lie outside the file");
        if (!state->has_items &&
            (state->data_from < state->first_mdat || state->data_to > state->last_mdat_end))
            return isobmff_break(in, state, "the samples lie outside the media data");
    }
    /* fragments without their index: there may have been more of them */
    return state->samples_right >= ISOBMFF_PROOF && (state->fragments == 0 || state->has_index)
               ? sig_complete(in, state->end,
                              "the boxes fill each other, the samples lie in the media data")
               : sig_believe(in, state->end, "the boxes fill each other");
}

/* Media data: samples that are known to be in it are looked at now, while it goes by. */
static enum step isobmff_mdat(struct sig_input *in, struct isobmff_state *state,
                              const struct isobmff_box *box)
{
    enum step step = STEP_DONE;

    if (!state->has_mdat)
        state->first_mdat = box->at;
    state->last_mdat_end = box->open ? UINT64_MAX : box->end;
    if (state->fragment_open)
        step = isobmff_runs(in, state);
    else if (!state->samples_checked && (state->has_moov || state->iloc_at != 0)) {
        step = state->has_moov ? isobmff_tracks(in, state) : STEP_DONE;
        if (step == STEP_DONE)
            step = isobmff_items(in, state);
        state->samples_checked = step == STEP_DONE;
    }
    if (step != STEP_DONE)
        return step;
    state->has_mdat = true;
    state->fragment_open = false;
    return STEP_DONE;
}

/* What has to be done for the box at state->at. */
static enum step isobmff_body(struct sig_input *in, struct isobmff_state *state,
                              const struct isobmff_box *box)
{
    const bool moov = box->type == ISOBMFF_4CC('m', 'o', 'o', 'v'),
               moof = box->type == ISOBMFF_4CC('m', 'o', 'o', 'f');
    enum step step = STEP_DONE;

    if (box->type == ISOBMFF_4CC('m', 'd', 'a', 't'))
        return isobmff_mdat(in, state, box);
    state->has_index |= box->type == ISOBMFF_4CC('m', 'f', 'r', 'a');
    state->has_items |=
        box->type == ISOBMFF_4CC('m', 'i', 'n', 'i'); /* a small picture that is one box */
    if (!moov && !moof && box->type != ISOBMFF_4CC('m', 'e', 't', 'a'))
        return STEP_DONE;
    if (box->end - box->at > ISOBMFF_MOOV_MAX)
        return isobmff_bad(state, "the tables are larger than those of any film");
    if (moof && state->has_mvex && !state->samples_checked && state->has_mdat)
        state->samples_checked = true;
    if (state->inside == 0 && !state->inside_done) {
        const bool meta = !moov && !moof;
        const uint8_t *head =
            meta && box->end - box->body >= 8 ? sig_bytes(in, box->body, 8) : NULL;

        if (head == NULL && meta && box->end - box->body >= 8)
            return STEP_WAIT;
        /* QuickTime's has no version and flags */
        isobmff_enter(state, box, meta && (head == NULL || memcmp(head + 4, "hdlr", 4) != 0));
    }
    if (!state->inside_done) {
        step = isobmff_inside(in, state);
        if (step != STEP_DONE)
            return step;
        state->inside_done = true;
    }
    if (moof) {
        state->fragment_open = true;
        state->fragments++;
    }
    state->has_moov |= moov;
    if (moov && (state->has_mdat || state->compressed_moov))
        step = state->compressed_moov ? STEP_DONE : isobmff_tracks(in, state);
    else if (!moof && !moov && state->iloc_at != 0 && state->has_mdat)
        step = isobmff_items(in, state);
    if (step != STEP_DONE)
        return step;
    state->samples_checked |= state->has_mdat && (moov || state->iloc_at != 0);
    if (moov &&
        !state->samples_checked) { /* no samples at all, as in the beginning of fragmented files? */
        state->samples_checked = state->compressed_moov;
        for (uint32_t i = 0; i < state->track_count && i < ISOBMFF_TRACKS; i++)
            state->wanted |= !state->tracks[i].elsewhere && state->tracks[i].sizes.count > 0;
        state->samples_checked |= !state->wanted;
    }
    state->inside_done = false;
    return STEP_DONE;
}

/* Whether the box at state->at is this file's. False: the file ends before. */
static bool isobmff_belongs(const struct isobmff_state *state, const struct isobmff_box *box)
{
    const bool enough = isobmff_is_enough(state);

    if (!isobmff_is_name(box->type) ||
        (!isobmff_is_known(box->type) && (enough || state->boxes == 0 || !state->branded)))
        return false;
    if (box->open && box->type != ISOBMFF_4CC('m', 'd', 'a', 't'))
        return false;
    switch (box->type) {
    case ISOBMFF_4CC('f', 't', 'y', 'p'):
        return state->boxes == 0;
    case ISOBMFF_4CC('m', 'o', 'o', 'v'):
        return !state->has_moov;
    case ISOBMFF_4CC('p', 'n', 'o', 't'):
        return state->boxes == 0;
    case ISOBMFF_4CC('m', 'e', 't', 'a'):
        return !enough || state->iloc_at == 0;
    case ISOBMFF_4CC('m', 'd', 'a', 't'):
        return !enough || state->data_to > box->at || (state->fragments > 0 && state->tail == 0);
    case ISOBMFF_4CC('s', 't', 'y', 'p'):
        return state->boxes == 0 || state->fragments > 0 || state->has_mvex;
    default:
        return true;
    }
}

/* Steps over the box at state->at. Space behind a whole file may also begin the next one (old
 * QuickTime). */
static void isobmff_step_over(struct isobmff_state *state, const struct isobmff_box *box)
{
    const bool enough = isobmff_is_enough(state);

    if (isobmff_is_space(box->type) && enough) {
        if (state->tail == 0)
            state->tail = box->at;
    } else {
        state->tail = 0;
    }
    state->at = box->end;
    state->end = box->end;
    state->boxes++;
    if (state->boxes > 2 || box->type == ISOBMFF_4CC('m', 'o', 'o', 'v'))
        state->proven = box->type == ISOBMFF_4CC('m', 'd', 'a', 't') && state->samples_right == 0
                            ? box->at
                            : box->end;
}

/* The next box is not this file's; what is, if space stands before it? */
static struct sig_result isobmff_end(struct sig_input *in, struct isobmff_state *state,
                                     const struct isobmff_box *box)
{
    if (state->tail != 0 && box != NULL && !box->open && isobmff_is_name(box->type) &&
        (box->type == ISOBMFF_4CC('m', 'd', 'a', 't') ||
         box->type == ISOBMFF_4CC('m', 'o', 'o', 'v')))
        state->end = state->tail;
    return isobmff_finish(in, state);
}

static bool isobmff_begins(uint32_t type)
{
    return isobmff_is_space(type) || type == ISOBMFF_4CC('m', 'o', 'o', 'v') ||
           type == ISOBMFF_4CC('m', 'd', 'a', 't') || type == ISOBMFF_4CC('p', 'n', 'o', 't') ||
           type == ISOBMFF_4CC('s', 't', 'y', 'p');
}

/* The first box. NULL in *why: right. */
static enum step isobmff_begin(struct sig_input *in, struct isobmff_state *state, const char **why)
{
    struct isobmff_box box;
    enum step step = isobmff_box_read(in, 0, &box);

    if (step != STEP_DONE)
        return step;
    in->type = &isobmff_types[ISOBMFF_MOV];
    state->branded =
        box.type == ISOBMFF_4CC('f', 't', 'y', 'p') || box.type == ISOBMFF_4CC('s', 't', 'y', 'p');
    if (box.type == ISOBMFF_4CC('s', 't', 'y', 'p'))
        in->type = &isobmff_types[ISOBMFF_M4S];
    if (box.type == ISOBMFF_4CC('f', 't', 'y', 'p')) {
        const uint64_t size = box.end - box.body;
        const uint8_t *body = box.open || size < 8 || size > 4 * ISOBMFF_BRANDS || size % 4 != 0
                                  ? NULL
                                  : sig_bytes(in, box.body, (uint32_t)size);

        if (body == NULL && (box.open || size < 8 || size > 4 * ISOBMFF_BRANDS || size % 4 != 0)) {
            *why = "invalid brands";
            return STEP_BAD;
        }
        if (body == NULL)
            return STEP_WAIT;
        *why = isobmff_ftyp(in, body, (uint32_t)size);
        state->no_overlap = in->type != &isobmff_types[ISOBMFF_MOV];
    } else {
        const uint8_t *head = sig_bytes(in, 0, 8);
        uint32_t printable = 0;

        if (head == NULL)
            return STEP_WAIT;
        for (uint32_t i = 0; i < 4; i++)
            printable += head[i] >= ' ' && head[i] <= '~';
        if (printable == 4 || box.open)
            *why = "text";
    }
    state->begun = *why == NULL;
    return *why == NULL ? STEP_DONE : STEP_BAD;
}

static struct sig_result isobmff_check(struct sig_input *in, void *memory)
{
    struct isobmff_state *state = memory;
    const char *why = NULL;

    if (!state->begun) {
        const enum step step = isobmff_begin(in, state, &why);

        if (step != STEP_DONE)
            return step == STEP_WAIT ? sig_short(in)
                                     : sig_reject(why == NULL ? "invalid box" : why);
    }
    for (;;) {
        struct isobmff_box box = { 0 };
        enum step step;

        if (sig_claims_full(in))
            return sig_again(in);
        step = isobmff_box_read(in, state->at, &box);
        if (step == STEP_WAIT)
            return in->wanted <= in->limit ? sig_short(in) : isobmff_end(in, state, NULL);
        if (step == STEP_BAD || (state->accepted != state->at + 1 && !isobmff_belongs(state, &box)))
            return isobmff_end(in, state, step == STEP_BAD ? NULL : &box);
        if (isobmff_begins(box.type) && state->accepted != state->at + 1)
            sig_claim(in, state->at);
        state->accepted = state->at + 1;
        step = isobmff_body(in, state, &box);
        if (step == STEP_WAIT)
            return isobmff_wait(in, state);
        if (step == STEP_BAD)
            return isobmff_break(in, state, state->why);
        if (box.open) {
            if (state->data_to <= box.body)
                return isobmff_break(in, state, "the media data have no length");
            box.end = state->data_to;
            state->last_mdat_end = box.end;
            isobmff_step_over(state, &box);
            return isobmff_finish(in, state);
        }
        isobmff_step_over(state, &box);
    }
}

const struct sig sig_isobmff = {
    .name = "isobmff",
    .what = "ISO base media: MP4, QuickTime, 3GPP, M4A, HEIF and AVIF pictures, CR3",
    .proves = "boxes fill one another, tables send every sample into the media data, samples look "
              "like their codec",
    .source = "ISO/IEC 14496-12 (file format, 4 and 8), 14496-14, 14496-15, 23008-12 (HEIF); "
              "Apple, QuickTime File "
              "Format; 3GPP "
              "TS 26.244; AV1 ISO binding",
    .types = isobmff_types,
    .headers = { SIG_MASKED("\0\0\0?ftyp", "\xff\xff\xff\0\xff\xff\xff\xff"),
                 SIG_MASKED("\0\0\1?ftyp", "\xff\xff\xff\0\xff\xff\xff\xff"),
                 SIG_MASKED("\0\0\0?styp", "\xff\xff\xff\0\xff\xff\xff\xff"),
                 SIG_MASKED("\0???moov\0\0\0?mvhd",
                            "\xff\0\0\0\xff\xff\xff\xff\xff\xff\xff\0\xff\xff\xff\xff"),
                 SIG_MASKED("\0???moov\0???cmov",
                            "\xff\0\0\0\xff\xff\xff\xff\xff\0\0\0\xff\xff\xff\xff"),
                 SIG_PATTERN_AT(4, "mdat"),
                 SIG_MASKED("\0\0\0\x08wide????mdat",
                            "\xff\xff\xff\xff\xff\xff\xff\xff\0\0\0\0\xff\xff\xff\xff"),
                 SIG_MASKED("\0\0??free", "\xff\xff\0\0\xff\xff\xff\xff"),
                 SIG_MASKED("\0\0??skip", "\xff\xff\0\0\xff\xff\xff\xff"),
                 SIG_PATTERN("\0\0\0\x14pnot") },
    .flags = SIG_CONTAINER | SIG_CLAIMS | SIG_LOOSE_END | SIG_ORDERED,
    .size_min = 64,
    .size_max = UINT64_C(1) << 42,
    .state_size = sizeof(struct isobmff_state),
    .check = isobmff_check,
    .marks = isobmff_marks,
    .is_mark = isobmff_is_mark,
    .facts = isobmff_facts,
};
