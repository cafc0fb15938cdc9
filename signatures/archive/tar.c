/* SPDX-License-Identifier: Apache-2.0
 * signatures/archive/tar.c - tar archives: POSIX ustar and pax, GNU with long names, sparse files
 * and large numbers.
 *
 *   header, 512 bytes: name 100 | mode 8 | uid 8 | gid 8 | size 12 | time 12 | checksum 8 | type |
 *   link 100 | "ustar" … | prefix
 *   [GNU sparse files: further maps of 512 bytes] | data, zeros up to 512         as often as there
 *   are members
 *   two blocks of zeros, more zeros up to a whole record
 *
 * Every header has a checksum and has to stand where the member before it ends. Data are not
 * protected by anything; a thorough check looks at them as far as their formats tell
 * (tar_member.h).
 *
 * The end: GNU tar, Python and most others fill up the last record of 20 blocks; Go and libarchive
 * stop behind two. When zeros go on to the end of that record they are taken as its filling, else
 * the file ends behind the two blocks: slack behind the shorter form seldom happens to last exactly
 * so long.
 *
 * Tars of before 1988 (and of tar --format=v7) have no magic number: they are known by numbers of
 * octal digits between spaces and NULs where they must be, and then by the checksum.
 */
#include <string.h>

#include "base/bytes.h"
#include "signatures/archive/tar_member.h"

enum {
    TAR_RECORD = 20 * TAR_BLOCK,
    TAR_CHECKSUM_AT = 148,
    TAR_MAGIC_AT = 257,
    TAR_DEVICE_AT = 329,
    TAR_PREFIX_AT = 345,
    TAR_PAX_MAX =
        32 << 10, /* bytes of pax records that are read; longer ones are taken as they are */
    TAR_SPARSE_MAX = 1 << 16, /* blocks of maps of one file */
};

enum tar_phase { TAR_AT_HEADER, TAR_IN_MAPS, TAR_IN_RECORDS, TAR_IN_DATA, TAR_AT_LINK, TAR_AT_END };

struct tar_state {
    enum tar_phase phase;
    uint64_t at;       /* object offset: what is before it has been walked */
    uint64_t size;     /* of the member's data */
    uint64_t pax_size; /* of the next member, from pax records; UINT64_MAX: none */
    uint32_t members, maps;
    char pax_type; /* of the records being read */
    uint8_t names; /* of members that an image or a layer of a container has: a bit each */
};

/* Of a thorough check. */
struct tar_deep {
    struct tar_state state;
    struct tar_member member;
};
_Static_assert(sizeof(struct tar_deep) <= SIG_STATE_MAX, "the state fits");

extern const struct sig sig_tar_old;

/* A number of octal digits between spaces and NULs, or of base 256. Nothing at all is 0. */
static bool tar_number(const uint8_t *field, uint32_t len, uint64_t *value)
{
    uint32_t i = 0;

    *value = 0;
    if (field[0] & 0x80) {
        if (field[0] == 0xff) /* below zero: a time, an owner */
            return true;
        for (*value = field[i++] & 0x7f; i < len; i++) {
            if (*value >> 55 != 0)
                return false;
            *value = *value << 8 | field[i];
        }
        return true;
    }
    while (i < len && (field[i] == ' ' || field[i] == 0))
        i++;
    for (; i < len && field[i] >= '0' && field[i] <= '7'; i++)
        *value = *value << 3 | (field[i] - '0');
    while (i < len && (field[i] == ' ' || field[i] == 0))
        i++;
    return i == len;
}

/* Historic writers summed signed characters. */
static bool tar_checksum(const uint8_t *head)
{
    uint64_t stored;
    int64_t sum = 8 * ' ', as_signed = 8 * ' ';

    for (uint32_t i = 0; i < TAR_BLOCK; i++)
        if (i < TAR_CHECKSUM_AT || i >= TAR_CHECKSUM_AT + 8) {
            sum += head[i];
            as_signed += (int8_t)head[i];
        }
    return tar_number(head + TAR_CHECKSUM_AT, 8, &stored) &&
           ((int64_t)stored == sum || (int64_t)stored == as_signed);
}

static bool tar_is_zero(const uint8_t *block)
{
    return block[0] == 0 && memcmp(block, block + 1, TAR_BLOCK - 1) == 0;
}

/* NULL: a header that can be. Old ones, without a magic number, are met among others. */
static const char *tar_header_wrong(const uint8_t *head, bool may_be_old, uint64_t *size)
{
    static const struct {
        uint8_t at, len;
    } numbers[] = { { 100, 8 }, { 108, 8 }, { 116, 8 }, { 136, 12 } };
    uint64_t other;

    const bool old = may_be_old && memcmp(head + 257, "\0\0\0\0\0", 5) == 0;

    if (!old && (memcmp(head + 257, "ustar", 5) != 0 || (head[262] != 0 && head[262] != ' ')))
        return "a valid header must follow here, and none does";
    if (!tar_checksum(head))
        return "the checksum of a header is wrong";
    for (uint32_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++)
        if (!tar_number(head + numbers[i].at, numbers[i].len, &other))
            return "invalid numbers in a header";
    if (!tar_number(head + 124, 12, size) || *size >> 62 != 0)
        return "invalid size of a member";
    return head[156] == 0 || (head[156] >= '0' && head[156] <= '9') ||
                   (head[156] >= 'A' && head[156] <= 'Z') || (head[156] >= 'a' && head[156] <= 'z')
               ? NULL
               : "unknown type of a member";
}

/* What else the first header of an archive without a magic number must be, where a checksum alone
 * is weak. */
static bool tar_is_old(const uint8_t *head)
{
    const uint8_t *name_end = memchr(head, 0, 100);

    for (const uint8_t *p = head; name_end != NULL && p < name_end; p++)
        if (*p < ' ' || *p == 0x7f)
            return false;
    for (uint32_t i = TAR_MAGIC_AT; i < TAR_BLOCK; i++)
        if ((i < TAR_DEVICE_AT || i >= TAR_PREFIX_AT) &&
            head[i] != 0) /* GNU tar fills in the numbers of a device */
            return false;
    return name_end != NULL && name_end > head &&
           (head[156] == 0 || (head[156] >= '0' && head[156] <= '2'));
}

/* Names of members that an image of a container has: OCI's, or Docker's. */
enum { TAR_HAS_LAYOUT = 1, TAR_HAS_MANIFEST = 2, TAR_HAS_LAYER = 4, TAR_HAS_WHITEOUT = 8 };

/* Notes the name of the member whose header is at head, and sets the type. */
static void tar_tell_type(struct sig_input *in, struct tar_state *state, const uint8_t *head)
{
    const char *name = (const char *)head;
    const size_t len = strnlen(name, 100), skip = len > 1 && memcmp(name, "./", 2) == 0 ? 2 : 0;
    const char *last = memrchr(name, '/', len);

    if (in->sig == &sig_tar_old)
        return;
    name += skip;
    if (len - skip == 10 && memcmp(name, "oci-layout", 10) == 0)
        state->names |= TAR_HAS_LAYOUT;
    if (len - skip == 13 && memcmp(name, "manifest.json", 13) == 0)
        state->names |= TAR_HAS_MANIFEST;
    if (len > 73 && memcmp(name + len - skip - 10, "/layer.tar", 10) == 0)
        state->names |= TAR_HAS_LAYER;
    last = last == NULL ? name : last + 1;
    if (strncmp(last, ".wh.", 4) == 0)
        state->names |= TAR_HAS_WHITEOUT;
    if ((state->names & TAR_HAS_LAYOUT) != 0 ||
        (state->names & (TAR_HAS_MANIFEST | TAR_HAS_LAYER)) == (TAR_HAS_MANIFEST | TAR_HAS_LAYER))
        in->type = &in->sig->types[1];
    else if ((state->names & TAR_HAS_WHITEOUT) != 0)
        in->type = &in->sig->types[2];
}

static enum step tar_header(struct sig_input *in, struct tar_state *state, const char **why)
{
    const uint8_t *head = sig_bytes(in, state->at, TAR_BLOCK);

    if (head == NULL)
        return STEP_WAIT;
    if (state->members > 0 && tar_is_zero(head)) {
        sig_valid(in, state->at + TAR_BLOCK);
        state->phase = TAR_AT_END;
        return STEP_DONE;
    }
    *why = tar_header_wrong(head, state->members > 0 || in->sig == &sig_tar_old, &state->size);
    if (*why == NULL && in->sig == &sig_tar_old && state->members == 0 && !tar_is_old(head))
        *why = "invalid header of an old archive";
    if (*why != NULL)
        return STEP_BAD;
    const char type = (char)head[156];
    const bool more_maps = head[482] != 0, records = type == 'x' || type == 'g' || type == 'X';
    if (state->at > 0) {
        sig_claim(in, state->at);
        sig_valid(in, state->at);
    }
    tar_tell_type(in, state, head);
    state->members++;
    state->at += TAR_BLOCK;
    if (!records && type != 'L' && type != 'K') {
        if (state->pax_size != UINT64_MAX && state->members > 1)
            state->size = state->pax_size;
        state->pax_size = UINT64_MAX;
    }
    if (type >= '2' && type <= '6')
        state->size = 0;
    state->maps = 0;
    state->pax_type = type;
    state->phase = type == 'S' && more_maps                                   ? TAR_IN_MAPS
                   : records && state->size > 0 && state->size <= TAR_PAX_MAX ? TAR_IN_RECORDS
                   : type == '1' && state->size > 0                           ? TAR_AT_LINK
                                                                              : TAR_IN_DATA;
    return STEP_DONE;
}

/* GNU: a block of 21 more pairs of offset and size, and whether another one follows. */
static enum step tar_maps(struct sig_input *in, struct tar_state *state, const char **why)
{
    const uint8_t *block = sig_bytes(in, state->at, TAR_BLOCK);
    uint64_t number;

    *why = "invalid map of a sparse file";
    if (block == NULL)
        return STEP_WAIT;
    for (uint32_t i = 0; i < 42; i++)
        if (!tar_number(block + 12 * i, 12, &number))
            return STEP_BAD;
    if (block[504] > 1 || ++state->maps > TAR_SPARSE_MAX)
        return STEP_BAD;
    state->phase = block[504] != 0 ? TAR_IN_MAPS : TAR_IN_DATA;
    state->at += TAR_BLOCK;
    return STEP_DONE;
}

/* "LENGTH KEY=VALUE\n": its length, or 0 when this is none. */
static uint32_t tar_record_len(const uint8_t *text, uint32_t len)
{
    uint32_t all = 0, i = 0;

    while (i < len && i < 6 && text[i] >= '0' && text[i] <= '9')
        all = all * 10 + (text[i++] - '0');
    return i > 0 && i < len && text[i] == ' ' && all > i + 2 && all <= len &&
                   text[all - 1] == '\n' && memchr(text + i, '=', all - i) != NULL
               ? all
               : 0;
}

static void tar_record_size(struct tar_state *state, const uint8_t *text, uint32_t len)
{
    const uint8_t *key = (const uint8_t *)memchr(text, ' ', len) + 1;
    uint64_t value = 0;

    if (len - (uint32_t)(key - text) < 7 || memcmp(key, "size=", 5) != 0)
        return;
    for (key += 5; *key >= '0' && *key <= '9' && value >> 58 == 0; key++)
        value = value * 10 + (*key - '0');
    if (*key == '\n')
        state->pax_size = value;
}

/* pax: records for the next member, or for all of them. */
static enum step tar_records(struct sig_input *in, struct tar_state *state, const char **why)
{
    const uint32_t len = (uint32_t)state->size;
    const uint8_t *text = sig_bytes(in, state->at, len);

    *why = "invalid pax records";
    if (text == NULL)
        return STEP_WAIT;
    for (uint32_t at = 0; at < len && text[at] != 0;) {
        const uint32_t record = tar_record_len(text + at, len - at);

        if (record == 0)
            return STEP_BAD;
        if (state->pax_type != 'g')
            tar_record_size(state, text + at, record);
        at += record;
    }
    state->phase = TAR_IN_DATA;
    return STEP_DONE;
}

/* A hard link with a size: old writers store the size of what it links to, and pax allows the data
 * to follow. */
static enum step tar_link(struct sig_input *in, struct tar_state *state)
{
    const uint8_t *next = sig_bytes(in, state->at, TAR_BLOCK);
    uint64_t size;

    if (next == NULL)
        return STEP_WAIT;
    if (tar_header_wrong(next, true, &size) == NULL)
        state->size = 0;
    state->phase = TAR_IN_DATA;
    return STEP_DONE;
}

/* The first block of zeros is at state->at. */
static struct sig_result tar_end(struct sig_input *in, const struct tar_state *state)
{
    const uint64_t two = state->at + UINT64_C(2) * TAR_BLOCK,
                   record = (two + TAR_RECORD - 1) / TAR_RECORD * TAR_RECORD;
    uint64_t at = state->at + TAR_BLOCK;

    for (; at < record; at += TAR_BLOCK) {
        const uint8_t *block = sig_bytes(in, at, TAR_BLOCK);

        if (block == NULL && (in->wanted <= in->limit || at != two)) {
            sig_valid(in, at);
            return sig_short(in);
        }
        if (block == NULL || !tar_is_zero(block))
            break;
    }
    if (at < two)
        return sig_breaks(in, "a single block of zeros ends the archive, not two");
    return sig_complete(in, at == record ? record : two,
                        "headers and members lead to the blocks of zeros");
}

static enum step tar_step(struct sig_input *in, struct tar_state *state, const char **why)
{
    switch (state->phase) {
    case TAR_AT_HEADER:
        return tar_header(in, state, why);
    case TAR_IN_MAPS:
        return tar_maps(in, state, why);
    case TAR_IN_RECORDS:
        return tar_records(in, state, why);
    case TAR_AT_LINK:
        return tar_link(in, state);
    default: {
        const uint64_t end = sig_add(state->at, state->size);

        *why = "invalid size of a member";
        if (end > in->sig->size_max)
            return STEP_BAD;
        const enum step step =
            in->thorough
                ? tar_member_look(in, &((struct tar_deep *)state)->member, state->at, state->size)
                : STEP_DONE;
        *why = "a member is not what its first bytes say";
        if (step != STEP_DONE)
            return step;
        state->at = (end + TAR_BLOCK - 1) / TAR_BLOCK * TAR_BLOCK;
        state->phase = TAR_AT_HEADER;
        return STEP_DONE;
    }
    }
}

static uint32_t tar_live(const void *memory)
{
    const struct tar_deep *deep = memory;
    const struct tar_member *member = &deep->member;
    const bool read =
        deep->state.members > 0 && member->begun && member->sig != NULL && member->inner.begun;

    return (uint32_t)offsetof(struct tar_deep, member.state) +
           (read ? sig_state_live(member->sig, member->state) : 0);
}

static struct sig_result tar_check(struct sig_input *in, void *memory)
{
    struct tar_state *state = memory;
    const char *why = "";

    if (state->members == 0) {
        state->pax_size = UINT64_MAX;
        if (in->thorough)
            ((struct tar_deep *)state)->member.begun = false;
    }
    while (state->phase != TAR_AT_END) {
        if (state->phase == TAR_AT_HEADER && sig_claims_full(in))
            return sig_again(in);
        const enum step step = tar_step(in, state, &why);
        if (step == STEP_DONE)
            continue;
        if (step == STEP_BAD)
            return sig_breaks(in, why);
        if (in->wanted > in->limit && in->valid > 0)
            sig_valid(in, in->limit);
        return sig_short(in);
    }
    return tar_end(in, state);
}

bool tar_is_header(const uint8_t *block)
{
    uint64_t size;

    return tar_header_wrong(block, true, &size) == NULL;
}

const struct sig sig_tar = {
    .name = "tar",
    .what = "tar archive (ustar, pax, GNU)",
    .proves = "every header has its checksum and leads to the next, up to blocks of zeros",
    .source = "IEEE Std 1003.1-2017, pax: ustar and pax interchange formats; GNU tar 1.34, Basic "
              "Tar Format and src/tar.h",
    .types =
        (const struct sig_type[]){
            { "tar", "tar" }, { "oci-image", "tar" }, { "oci-layer", "tar" }, { 0 } },
    .headers = { SIG_PATTERN_AT(257, "ustar\0"), SIG_PATTERN_AT(257, "ustar  \0") },
    .flags = SIG_CONTAINER | SIG_CLAIMS | SIG_LOOSE_START,
    .size_min = 3 * TAR_BLOCK,
    .size_max = UINT64_C(1) << 42,
    .state_size = sizeof(struct tar_state),
    .state_thorough = sizeof(struct tar_deep),
    .state_live = tar_live,
    .check = tar_check,
    .holds = tar_is_header,
};

/*
 * Mode, owner and group; size and time; checksum: octal digits and spaces (0x20 to 0x27, 0x30 to
 * 0x37), each with what ends it, a NUL or a space.
 */
const struct sig sig_tar_old = {
    .name = "tar-v7",
    .what = "tar archive without a magic number (v7)",
    .proves = "every header has its checksum and leads to the next, up to blocks of zeros",
    .source = "UNIX Seventh Edition, tar(5); GNU tar 1.34, Basic Tar Format: v7",
    .types = (const struct sig_type[]){ { "tar", "tar" }, { 0 } },
    .headers = { { .bytes = "\x20\x20\x20\x20\x20\x20\x20\0\x20\x20\x20\x20"
                            "\x20\x20\x20\0\x20\x20\x20\x20\x20\x20\x20\0"
                            "\x20\x20\x20\x20\x20\x20\x20\x20\x20\x20\x20\0"
                            "\x20\x20\x20\x20\x20\x20\x20\x20\x20\x20\x20\0"
                            "\x20\x20\x20\x20\x20\x20\0\0",
                   .mask = "\xe8\xe8\xe8\xe8\xe8\xe8\xe8\xff\xe8\xe8\xe8\xe8"
                           "\xe8\xe8\xe8\xff\xe8\xe8\xe8\xe8\xe8\xe8\xe8\xff"
                           "\xe8\xe8\xe8\xe8\xe8\xe8\xe8\xe8\xe8\xe8\xe8\xdf"
                           "\xe8\xe8\xe8\xe8\xe8\xe8\xe8\xe8\xe8\xe8\xe8\xdf"
                           "\xe8\xe8\xe8\xe8\xe8\xe8\xc8\xdf",
                   .len = 56,
                   .at = 100 } },
    .flags = SIG_CONTAINER | SIG_CLAIMS | SIG_SECTOR_ALIGNED | SIG_LOOSE_START,
    .size_min = 3 * TAR_BLOCK,
    .size_max = UINT64_C(1) << 42,
    .state_size = sizeof(struct tar_state),
    .state_thorough = sizeof(struct tar_deep),
    .state_live = tar_live,
    .check = tar_check,
    .holds = tar_is_header,
};
