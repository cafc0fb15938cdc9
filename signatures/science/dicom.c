/* SPDX-License-Identifier: Apache-2.0
 * signatures/science/dicom.c - DICOM files (Part 10): medical pictures, plans and reports.
 *
 *   128 bytes of anything | "DICM" | elements of group 0002, explicit VR, little-endian | all other
 *   elements
 *   element:  u16 group, u16 element | (explicit) VR "OB", "UI", ... | u16 length or 0 0 u32 length
 *             | value
 *   length ffffffff: items up to a delimiter; item: fffe,e000 u32 length elements [fffe,e00d 0],
 *   sequence ends with fffe,e0dd 0
 *
 * Tags ascend, so the file ends where the next one does not, or where none can stand. Since nothing
 * else says where the end is, a file of a class that has a picture is whole only with one, and the
 * picture has to be as long as its rows and columns say. Other classes (plans, reports,
 * directories) are believed.
 */
#include "signatures/science/dicom.h"

#include <string.h>

#include "base/bytes.h"
#include "base/limits.h"

enum {
    DICOM_PREAMBLE = 128,
    DICOM_BODY = 132,
    DICOM_META_MAX = 64 << 10, /* bytes of group 0002; policy */
    DICOM_VALUE_LOOK = 1024,   /* bytes of a value that are looked at */
    DICOM_UID_MAX = 64,
    DICOM_PADDING_MAX = 256,   /* bytes behind a picture in its element; the standard knows one */
    DICOM_SHORT_MAX = 1 << 20, /* length of elements that no VR speaks for, but for pictures */
};
#define DICOM_UNDEFINED UINT32_C(0xffffffff)
#define DICOM_ITEM_TAG UINT32_C(0xfffee000)
#define DICOM_ITEM_END UINT32_C(0xfffee00d)
#define DICOM_SEQUENCE_END UINT32_C(0xfffee0dd)
#define DICOM_PIXELS UINT32_C(0x7fe00010)

struct dicom_element {
    uint32_t tag, length, head; /* head: bytes before the value */
    char vr[2];                 /* "\0\0": implicit */
};

static enum dicom_step dicom_bad(const char **why, const char *text)
{
    *why = text;
    return DICOM_BAD;
}

static bool dicom_is_vr(const char *list, const uint8_t *vr)
{
    for (; *list != '\0'; list += 2)
        if (list[0] == vr[0] && list[1] == vr[1])
            return true;
    return false;
}

static bool dicom_is_long(const uint8_t *vr)
{
    return dicom_is_vr("OBODOFOLOVOWSQSVUCUNURUTUV", vr);
}

static bool dicom_is_short(const uint8_t *vr)
{
    return dicom_is_vr("AEASATCSDADSDTFDFLISLOLTPNSHSLSSSTTMUIULUS", vr);
}

/* Groups that the standard uses; odd ones are private. */
static bool dicom_is_group(uint32_t group)
{
    static const uint16_t known[] = {
        0x0002, 0x0004, 0x0008, 0x0010, 0x0012, 0x0014, 0x0016, 0x0018, 0x0020, 0x0022,
        0x0024, 0x0028, 0x0032, 0x0034, 0x0038, 0x003a, 0x0040, 0x0042, 0x0044, 0x0046,
        0x0048, 0x0050, 0x0052, 0x0054, 0x0060, 0x0062, 0x0064, 0x0066, 0x0068, 0x006a,
        0x0070, 0x0072, 0x0074, 0x0076, 0x0078, 0x0080, 0x0082, 0x0088, 0x0100, 0x0400,
        0x2000, 0x2010, 0x2020, 0x2030, 0x2040, 0x2050, 0x2100, 0x2110, 0x2120, 0x2130,
        0x2200, 0x3002, 0x3004, 0x3006, 0x3008, 0x300a, 0x300c, 0x300e, 0x3010, 0x4000,
        0x4008, 0x4010, 0x4ffe, 0x5200, 0x5400, 0x5600, 0x7fe0, 0xfffa, 0xfffc
    };

    if ((group & 0xff01) == 0x5000 || (group & 0xff01) == 0x6000) /* curves, overlays */
        return true;
    if (group & 1)
        return group > 8 && group != 0xffff;
    for (uint32_t i = 0; i < sizeof known / sizeof known[0]; i++)
        if (known[i] == group)
            return true;
    return false;
}

/* Reads the head of the element at state->at. BAD: none can stand there. */
static enum dicom_step dicom_head(struct sig_input *in, const struct dicom_state *state,
                                  bool implicit, struct dicom_element *out)
{
    const bool big = state->big && state->body;
    const uint8_t *head = sig_bytes(in, state->at, 8);

    if (head == NULL)
        return DICOM_WAIT;
    const uint32_t group = big ? bytes_u16be(head) : bytes_u16le(head);
    *out = (struct dicom_element){
        .tag = group << 16 | (big ? bytes_u16be(head + 2) : bytes_u16le(head + 2)), .head = 8
    };
    if (implicit || group == 0xfffe) {
        out->length = big ? bytes_u32be(head + 4) : bytes_u32le(head + 4);
        return DICOM_DONE;
    }
    memcpy(out->vr, head + 4, 2);
    if (dicom_is_short(head + 4)) {
        out->length = big ? bytes_u16be(head + 6) : bytes_u16le(head + 6);
        return DICOM_DONE;
    }
    if (!dicom_is_long(head + 4) || head[6] != 0 || head[7] != 0)
        return DICOM_BAD;
    head = sig_bytes(in, state->at, 12);
    if (head == NULL)
        return DICOM_WAIT;
    out->length = big ? bytes_u32be(head + 8) : bytes_u32le(head + 8);
    out->head = 12;
    return DICOM_DONE;
}

/* Whether the element may follow one with the tag `last`, in a data set. */
static bool dicom_follows(const struct dicom_element *element, uint32_t last)
{
    const uint32_t group = element->tag >> 16, number = element->tag & 0xffff;

    /* Some writers put an element twice. */
    if (element->tag < last || (element->tag == last && element->vr[0] == '\0') ||
        !dicom_is_group(group))
        return false;
    if (element->vr[0] == '\0' && group & 1 && group != last >> 16 && number != 0 &&
        (number < 0x10 || number > 0xff))
        return false; /* a private group begins with the names of those who use it */
    if (element->vr[0] == '\0' && element->length > DICOM_SHORT_MAX &&
        element->length != DICOM_UNDEFINED && group < 0x5000 && group % 2 == 0)
        return false;
    return element->length == DICOM_UNDEFINED || element->length % 2 == 0;
}

/* Numbers have the length of numbers, UIDs and texts their characters. */
static enum dicom_step dicom_value(struct sig_input *in, uint64_t at,
                                   const struct dicom_element *element)
{
    static const struct {
        char vr[3];
        uint8_t size;
    } sizes[] = { { "US", 2 }, { "SS", 2 }, { "UL", 4 }, { "SL", 4 },
                  { "AT", 4 }, { "FL", 4 }, { "FD", 8 } };
    const uint32_t len = element->length < DICOM_VALUE_LOOK ? element->length : DICOM_VALUE_LOOK;
    const bool uid = memcmp(element->vr, "UI", 2) == 0;

    for (uint32_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++)
        if (memcmp(element->vr, sizes[i].vr, 2) == 0)
            return element->length % sizes[i].size == 0 ? DICOM_DONE : DICOM_BAD;
    if (len == 0 || !dicom_is_vr("AEASCSDADSDTISLOLTPNSHSTTMUI", (const uint8_t *)element->vr))
        return DICOM_DONE;
    const uint8_t *value = sig_bytes(in, at, len);
    if (value == NULL)
        return DICOM_WAIT;
    for (uint32_t i = 0; i < len; i++) {
        const uint8_t c = value[i];

        if (c == 0 && i + 1 < element->length && !uid) /* padding is one byte */
            return DICOM_BAD;
        if (uid ? (c < '0' || c > '9') && c != '.' && c != '\\' && c != 0 && c != ' '
                : c < 0x20 && c != 0 && c != 0x1b && (c < 9 || c > 13))
            return DICOM_BAD;
    }
    return DICOM_DONE;
}

/* The class of the object and the transfer syntax, in group 0002; is at least one byte long. */
static void dicom_meta(struct dicom_state *state, uint32_t tag, const char *uid)
{
    static const char root[] = "1.2.840.10008.";
    static const char *const blind[] = {
        /* classes without a picture */
        "1.3.10",          "5.1.4.1.1.104.",  "5.1.4.1.1.11.",   "5.1.4.1.1.88.",
        "5.1.4.1.1.66",    "5.1.4.1.1.9.",    "5.1.4.1.1.67",    "5.1.4.1.1.481.3",
        "5.1.4.1.1.481.4", "5.1.4.1.1.481.5", "5.1.4.1.1.481.6", "5.1.4.1.1.481.7",
        "5.1.4.1.1.481.8", "5.1.4.1.1.481.9", "5.1.4.1.1.131",   "5.1.4.1.1.78.",
        "5.1.4.1.1.79.",   "5.1.4.1.1.80.",   "5.1.4.1.1.4.2",   "5.1.4.1.1.200.",
        "5.1.4.34.",       "5.1.4.43.",       "5.1.4.44.",       "5.1.4.45.",
        "5.1.4.38.",       "5.1.4.39."
    };

    if (strncmp(uid, root, sizeof root - 1) != 0)
        return;
    uid += sizeof root - 1;
    if (tag == 0x00020002) {
        state->image = strncmp(uid, "5.1.4.1.1.", 10) == 0;
        for (uint32_t i = 0; i < sizeof blind / sizeof blind[0]; i++)
            if (strncmp(uid, blind[i], strlen(blind[i])) == 0)
                state->image = false;
    } else {
        state->implicit = strcmp(uid, "1.2") == 0;
        state->big = strcmp(uid, "1.2.2") == 0;
        state->deflated = strcmp(uid, "1.2.1.99") == 0;
        state->encapsulated = strncmp(uid, "1.2.4.", 6) == 0 || strcmp(uid, "1.2.5") == 0;
        state->codec = strcmp(uid, "1.2.5") == 0 ? DICOM_RLE : DICOM_OTHER;
        if (strncmp(uid, "1.2.4.5", 7) == 0 || strncmp(uid, "1.2.4.7", 7) == 0)
            state->codec = DICOM_JPEG;
        if (strncmp(uid, "1.2.4.8", 7) == 0)
            state->codec = DICOM_JPEG_LS;
        if (strncmp(uid, "1.2.4.9", 7) == 0 || strncmp(uid, "1.2.4.20", 8) == 0)
            state->codec = DICOM_JPEG_2000;
    }
}

/* Notes what the pixels depend on. */
static void dicom_learn(struct dicom_state *state, uint32_t tag, const uint8_t *value, uint32_t len)
{
    const uint32_t number = len < 2 ? 0 : state->big ? bytes_u16be(value) : bytes_u16le(value);

    switch (tag) {
    case 0x00280002:
        state->samples = number;
        break;
    case 0x00280004:
        state->subsampled = len >= 12 && memcmp(value, "YBR_FULL_422", 12) == 0;
        break;
    case 0x00280006:
        state->planes = number;
        break;
    case 0x00280008:
        state->pictures = 0;
        for (uint32_t i = 0; i < len && i < 9; i++)
            if (value[i] >= '0' && value[i] <= '9')
                state->pictures = state->pictures * 10 + (uint64_t)(value[i] - '0');
        break;
    case 0x00280010:
        state->rows = number;
        break;
    case 0x00280011:
        state->columns = number;
        break;
    case 0x00280100:
        state->allocated = number;
        break;
    case 0x00280101:
        state->stored = number;
        break;
    case 0x00280103:
        state->is_signed = number;
        break;
    default:
        break;
    }
}

/* Bytes that the picture must have. */
static uint64_t dicom_picture(const struct dicom_state *state)
{
    const uint64_t samples =
        (uint64_t)state->rows * state->columns * (state->samples == 0 ? 1 : state->samples);
    const uint64_t bits =
        samples * state->allocated * (state->pictures == 0 ? 1 : state->pictures % (1u << 24));

    return ((bits / (state->subsampled ? 3 : 1) * (state->subsampled ? 2 : 1) + 7) / 8 + 1) &
           ~UINT64_C(1);
}

static enum dicom_step dicom_push(struct dicom_state *state, enum dicom_frame_kind kind,
                                  uint64_t end, bool implicit, const char **why)
{
    if (state->depth == DICOM_DEPTH_MAX)
        return dicom_bad(why, "sequences are nested too deep");
    state->frames[state->depth++] =
        (struct dicom_frame){ .kind = kind, .end = end, .implicit = implicit };
    return DICOM_DONE;
}

/* Goes into the element at state->at, or over it. */
static enum dicom_step dicom_enter(struct sig_input *in, struct dicom_state *state,
                                   const struct dicom_element *element, bool implicit,
                                   const char **why)
{
    const uint64_t value = state->at + element->head;
    const bool undefined = element->length == DICOM_UNDEFINED;
    const bool sequence = memcmp(element->vr, "SQ", 2) == 0;
    const uint64_t end = undefined ? UINT64_MAX : value + element->length;
    enum dicom_step step = DICOM_DONE;

    if (undefined && (element->tag == DICOM_PIXELS || memcmp(element->vr, "OB", 2) == 0 ||
                      memcmp(element->vr, "OW", 2) == 0)) {
        if (state->depth == 0 && element->tag != DICOM_PIXELS)
            return dicom_bad(why, "fragments outside of a picture");
        state->at = value;
        state->has_pixels |= state->depth == 0;
        return dicom_push(state, DICOM_FRAGMENTS, UINT64_MAX, true, why);
    }
    if (undefined || (sequence && element->length > 0)) {
        /* What is unknown is written without VRs. */
        const bool plain = implicit || memcmp(element->vr, "UN", 2) == 0;

        if (undefined && !sequence && !plain)
            return dicom_bad(why, "a value has no length");
        state->at = value;
        return dicom_push(state, DICOM_SEQUENCE, end, plain, why);
    }
    if (element->vr[0] != '\0')
        step = dicom_value(in, value, element);
    if (step == DICOM_BAD)
        return dicom_bad(why, "the value of an element contradicts its kind");
    if (step == DICOM_WAIT)
        return step;
    if (state->depth == 0 && element->tag == DICOM_PIXELS && element->length > 0) {
        state->pixels_at = value;
        state->pixels_end = end;
        state->has_pixels = true;
        const uint64_t size = dicom_picture(state);
        if (state->encapsulated || element->length < size ||
            element->length - size > DICOM_PADDING_MAX)
            return dicom_bad(why, "the size of the picture contradicts rows and columns");
        return DICOM_DONE;
    }
    if (state->depth == 0 && element->tag >> 16 == 0x0028 && element->length > 0) {
        const uint32_t len =
            element->length < DICOM_VALUE_LOOK ? element->length : DICOM_VALUE_LOOK;
        const uint8_t *bytes = sig_bytes(in, value, len);

        if (bytes == NULL)
            return DICOM_WAIT;
        dicom_learn(state, element->tag, bytes, len);
    }
    if (end > in->limit) { /* a value that goes beyond everything: ask for its last byte, so that
                              the end is noticed */
        sig_valid(in, value < in->limit ? value : in->limit);
        if (sig_bytes(in, end - 1, 1) == NULL)
            return DICOM_WAIT;
    }
    state->at = end;
    return DICOM_DONE;
}

/* One step inside of a sequence, an item or fragments. */
static enum dicom_step dicom_inside(struct sig_input *in, struct dicom_state *state,
                                    const char **why)
{
    struct dicom_frame *frame = &state->frames[state->depth - 1];
    struct dicom_element element;

    if (state->at >= frame->end) {
        if (state->at > frame->end)
            return dicom_bad(why, "an element is longer than its sequence");
        state->depth--;
        return DICOM_DONE;
    }
    enum dicom_step step =
        dicom_head(in, state, frame->implicit || frame->kind != DICOM_ITEM, &element);
    if (step != DICOM_DONE)
        return step == DICOM_BAD ? dicom_bad(why, "a valid element must follow here, and none "
                                                  "does")
                                 : step;
    const uint32_t delimiter = frame->kind == DICOM_ITEM ? DICOM_ITEM_END : DICOM_SEQUENCE_END;
    if (element.tag == delimiter) {
        if (element.length != 0)
            return dicom_bad(why, "a delimiter has a length");
        state->at += 8;
        state->depth--;
        return DICOM_DONE;
    }
    if (frame->kind == DICOM_ITEM) {
        if (!dicom_follows(&element, frame->last))
            return dicom_bad(why, "a valid element must follow here, and none does");
        frame->last = element.tag;
        step = dicom_enter(in, state, &element, frame->implicit, why);
        if (step == DICOM_WAIT)
            frame->last = element.tag - 1; /* it is read again */
        return step;
    }
    if (element.tag != DICOM_ITEM_TAG)
        return dicom_bad(why, "a valid item must follow here, and none does");
    if (frame->kind == DICOM_SEQUENCE) {
        state->at += 8;
        return dicom_push(state, DICOM_ITEM,
                          element.length == DICOM_UNDEFINED ? UINT64_MAX
                                                            : state->at + element.length,
                          frame->implicit, why);
    }
    if (element.length == DICOM_UNDEFINED || element.length % 2 != 0)
        return dicom_bad(why, "invalid fragment");
    if (state->depth == 1 && state->has_pixels &&
        state->fragments > 0) { /* the first is a table of offsets */
        step = dicom_fragment(in, state, state->at + 8, element.length, why);
        if (step != DICOM_DONE)
            return step;
    }
    if (element.length > 0 && sig_bytes(in, state->at + 8 + element.length - 1, 1) == NULL)
        return DICOM_WAIT;
    state->fragments += state->depth == 1;
    state->at += 8 + (uint64_t)element.length;
    return DICOM_DONE;
}

/* One element of group 0002. END: the group is over. */
static enum dicom_step dicom_meta_step(struct sig_input *in, struct dicom_state *state,
                                       const char **why)
{
    struct dicom_element element;
    char uid[DICOM_UID_MAX + 1] = "";
    const enum dicom_step step = dicom_head(in, state, false, &element);

    if (step == DICOM_WAIT)
        return step;
    if (element.tag >> 16 != 2 || state->at == state->meta_end)
        return element.tag >> 16 == 2 || (state->meta_end != 0 && state->at != state->meta_end)
                   ? dicom_bad(why, "the length of the meta elements differs from the one given")
                   : DICOM_END;
    if (step == DICOM_BAD || element.tag <= state->last || state->at > DICOM_META_MAX)
        return dicom_bad(why, "invalid meta element");
    const uint64_t value = state->at + element.head;
    if (element.tag == 0x00020000 || element.tag == 0x00020002 || element.tag == 0x00020010) {
        const uint32_t len = element.length < DICOM_UID_MAX ? element.length : DICOM_UID_MAX;
        const uint8_t *bytes = len == 0 ? NULL : sig_bytes(in, value, len);

        if (bytes == NULL || (element.tag == 0x00020000 && len != 4))
            return bytes == NULL && len > 0 ? DICOM_WAIT : dicom_bad(why, "invalid meta element");
        if (element.tag == 0x00020000) {
            state->meta_end = value + 4 + bytes_u32le(bytes);
        } else {
            memcpy(uid, bytes, len);
            for (uint32_t i = len; i > 0 && uid[i - 1] == ' '; i--)
                uid[i - 1] = '\0';
            dicom_meta(state, element.tag, uid);
        }
    }
    state->last = element.tag;
    state->at = value + element.length;
    return DICOM_DONE;
}

/* One element of the body, outside of sequences. END: there is none. */
static enum dicom_step dicom_body_step(struct sig_input *in, struct dicom_state *state,
                                       const char **why)
{
    struct dicom_element element;
    const uint32_t last = state->last;

    if (state->pixels_end != 0) {
        const enum dicom_step step = dicom_pixels(in, state, why);

        if (step != DICOM_DONE)
            return step;
        if (sig_bytes(in, state->pixels_end - 1, 1) == NULL)
            return DICOM_WAIT;
        state->at = state->pixels_end;
        state->pixels_end = 0;
        sig_valid(in, state->at);
    }
    if (state->at == in->limit)
        return DICOM_END;
    enum dicom_step step = dicom_head(in, state, state->implicit, &element);
    if (step == DICOM_BAD && state->elements == 0 &&
        !state->implicit) { /* some writers forget the VRs */
        state->implicit = true;
        step = dicom_head(in, state, true, &element);
    }
    if (step == DICOM_WAIT && in->wanted > in->limit && state->has_pixels)
        return DICOM_END;
    if (step == DICOM_WAIT)
        return step;
    if (step == DICOM_BAD || !dicom_follows(&element, state->last))
        return DICOM_END;
    state->last = element.tag;
    step = dicom_enter(in, state, &element, state->implicit, why);
    if (step == DICOM_WAIT)
        state->last = last;
    else
        state->elements++;
    return step;
}

static enum dicom_step dicom_step(struct sig_input *in, struct dicom_state *state, const char **why)
{
    enum dicom_step step;

    if (state->at == 0)
        state->at = DICOM_BODY;
    if (!state->body) {
        step = dicom_meta_step(in, state, why);
        if (step != DICOM_END)
            return step;
        state->body = true;
        if (state->at == DICOM_BODY)
            return dicom_bad(why, "there are no meta elements");
        state->last = 0;
    }
    if (state->deflated) {
        step = dicom_inflate(in, state, why);
        return step == DICOM_DONE ? DICOM_END : step;
    }
    return state->depth > 0 ? dicom_inside(in, state, why) : dicom_body_step(in, state, why);
}

/* A byte of padding, or what gzip would write, may stand behind the deflated data. */
static struct sig_result dicom_deflated_end(struct sig_input *in, const struct dicom_state *state)
{
    static const char why[] = "the data set inflates to its end";
    const uint32_t most = in->limit - state->at < 8 ? (uint32_t)(in->limit - state->at) : 8;
    const uint8_t *behind = most == 0 ? NULL : sig_bytes(in, state->at, most);

    if (behind == NULL && most > 0)
        return sig_short(in);
    if (most == 8 && bytes_u32le(behind) == state->inflate.crc &&
        bytes_u32le(behind + 4) == (uint32_t)state->inflate.total_out)
        return sig_complete(in, state->at + 8, why);
    return sig_complete(in, state->at + (state->at % 2 != 0 && most > 0 && behind[0] == 0 ? 1 : 0),
                        why);
}

/*
 * Where there is no picture, nothing says that a data set is over but that no element follows, and
 * it looks the same when it was overwritten. But that begins at the edge of a sector: if the last
 * element lies in one sector, behind another one, it was not, and what follows is no part of it.
 * For classes that have no picture, zeros up to the end of the sector are as good, if the element
 * does not end with such; and so is the end of a sequence.
 */
static struct sig_result dicom_blank_end(struct sig_input *in, const struct dicom_state *state)
{
    enum { ELEMENTS_MIN = 8 };
    const uint64_t start = state->tail % LIMIT_SECTOR, end = start + (state->at - state->tail);
    const uint64_t room = in->limit - state->at, rest = LIMIT_SECTOR - state->at % LIMIT_SECTOR;
    const uint32_t most = (uint32_t)(room < rest ? room : rest);
    const uint8_t *behind = most == 0 ? NULL : sig_bytes(in, state->at, most);
    bool zeros = true;

    if (behind == NULL && most > 0)
        return sig_short(in);
    for (uint32_t i = 0; i < most; i++)
        zeros = zeros && behind[i] == 0;
    if (state->elements < ELEMENTS_MIN && state->image)
        return sig_breaks(in, "the file ends before its picture");
    if (start == 0 || end >= LIMIT_SECTOR) {
        const uint8_t *last = sig_bytes(in, state->at - 8, 8);

        if (last == NULL)
            return sig_short(in);
        const bool delimiter =
            memcmp(last, "\xfe\xff\xdd\xe0\0\0\0\0", 8) == 0; /* which ends a sequence */
        if (state->image || (!delimiter && (!zeros || bytes_u32le(last + 4) == 0)))
            return sig_breaks(in, "a valid element must follow here, and none does");
    }
    return sig_believe(in, state->at, "the elements follow one another, and no other follows");
}

static struct sig_result dicom_end(struct sig_input *in, struct dicom_state *state)
{
    enum { ELEMENTS_MIN = 3 };

    if (state->deflated)
        return dicom_deflated_end(in, state);
    if (state->elements < ELEMENTS_MIN)
        return sig_reject("there is no data set behind the meta elements");
    if (!state->has_pixels)
        return dicom_blank_end(in, state);
    if (state->rows == 0 || state->columns == 0 || state->allocated == 0)
        return sig_breaks(in, "the picture has no rows, columns or bits");
    if (!state->encapsulated)
        return sig_believe(in, state->at, "the elements lead to the picture, which has its size");
    return sig_complete(in, state->at, "the elements lead to the picture, which has its end mark");
}

static struct sig_result dicom_check(struct sig_input *in, void *memory)
{
    enum { VALID_MIN = 512 }; /* less of a data set is nothing */
    struct dicom_state *state = memory;
    const char *why = NULL;

    for (;;) {
        const uint64_t start = state->at;
        const enum dicom_step step = dicom_step(in, state, &why);

        if (step == DICOM_DONE && state->at > start)
            state->tail = start;

        if (state->body && state->at > DICOM_BODY + VALID_MIN && state->at <= in->limit &&
            step == DICOM_DONE)
            sig_valid(in, state->at);
        if (step == DICOM_WAIT)
            return sig_short(in);
        if (step == DICOM_BAD)
            return sig_breaks(in, why);
        if (step == DICOM_END)
            return dicom_end(in, state);
    }
}

const struct sig sig_dicom = {
    .name = "dcm",
    .what = "DICOM medical picture, plan or report",
    .proves = "tags ascend, values have their kinds, sequences close; the picture is there and has "
              "its size",
    .source =
        "NEMA PS3.10 (media storage), 7; PS3.5 (data structures and encoding), 7 and annex A, G",
    .types = (const struct sig_type[]){ { "dcm", "dcm" }, { 0 } },
    .headers = { { .bytes = "DICM\2\0?\0",
                   .mask = "\xff\xff\xff\xff\xff\xff\0\xff",
                   .len = 8,
                   .at = DICOM_PREAMBLE } },
    .size_min = DICOM_BODY + 64,
    .size_max = UINT64_C(1) << 36,
    .state_size = sizeof(struct dicom_state),
    .state_clean = offsetof(struct dicom_state, inflate),
    .flags = SIG_LOOSE_END | SIG_UNPACKS,
    .check = dicom_check,
};
