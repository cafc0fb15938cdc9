/* SPDX-License-Identifier: Apache-2.0
 * signatures/archive/ar.c - ar archives (static libraries, MSVC's .lib, GNU's thin archives) and
 * Debian packages.
 *
 *   "!<arch>\n" | members: name 16 | time 12 | owner 6 | group 6 | mode 8 | size 10 | "`\n" | data
 * | a byte when the size is odd
 *
 * No count and no end mark: the archive ends where no further header stands. What proves it is the
 * symbol table, the first member of nearly every library, which holds the places of members: the
 * last of them must have been met. A Debian package is whole with its data.tar. Other archives end
 * where they seem to. In a thin archive only the tables have data. Members that are object files or
 * compressed have to end as such do (content_end.h). A thorough check reads compressed members to
 * their check sums, by the validators of their formats; all others are open (sig_open).
 */
#include <string.h>

#include "signatures/archive/content_end.h"
#include "signatures/lib/inner.h"

enum {
    AR_MAGIC = 8,
    AR_HEAD = 60,
    AR_MEMBER_STATE = 96 * 1024,
    AR_TABLE_PIECE =
        4096, /* bytes of the symbol table looked at together; a multiple of its words */
};

enum ar_kind { AR_PLAIN, AR_SYMBOLS, AR_SYMBOLS_64, AR_NAMES, AR_DEBIAN_BINARY, AR_DEBIAN_DATA };

struct ar_state {
    uint64_t at;                       /* object offset of the next header */
    uint64_t table_at, table_end;      /* of the symbol table: what is left of it; equal: nothing */
    uint64_t data, data_size;          /* of the member whose end is to be looked at; 0: none */
    uint64_t last_symbol, last_member; /* offsets of headers */
    uint64_t members;
    uint32_t word; /* bytes of the table's numbers; 0: there is none */
    bool thin, debian, debian_data;
    bool looked;              /* thorough: the member at data was read */
    const struct sig *packed; /* thorough: what the member is compressed as, if it is */
};

/* Of a thorough check. */
struct ar_deep {
    struct ar_state state;
    struct inner inner;
    _Alignas(16) uint8_t member[AR_MEMBER_STATE]; /* the state of the member's validator */
};
_Static_assert(sizeof(struct ar_deep) <= SIG_STATE_MAX, "the state fits");

static const struct sig_type ar_types[] = {
    { "ar", "a" }, { "deb", "deb" }, { "lib", "lib" }, { 0 }
};

/* Digits, then spaces; blank when that may be. A time of -1 is met in MSVC's. */
static bool ar_number(const uint8_t *field, uint32_t len, uint32_t base, bool blank,
                      uint64_t *value)
{
    uint32_t i = 0, minus = field[0] == '-';

    *value = 0;
    for (i = minus; i < len && field[i] >= '0' && field[i] < '0' + base; i++)
        *value = *value * base + (field[i] - '0');
    const bool some = i > minus;
    while (i < len && field[i] == ' ')
        i++;
    return i == len && (some || blank) && (minus == 0 || blank);
}

static bool ar_head_right(const uint8_t *head, uint64_t *size)
{
    uint64_t other;

    for (uint32_t i = 0; i < 16; i++)
        if (head[i] < ' ' || head[i] == 0x7f)
            return false;
    return head[58] == '`' && head[59] == '\n' && head[0] != ' ' &&
           ar_number(head + 16, 12, 10, true, &other) &&
           ar_number(head + 28, 6, 10, true, &other) && ar_number(head + 34, 6, 10, true, &other) &&
           ar_number(head + 40, 8, 8, true, &other) && ar_number(head + 48, 10, 10, false, size);
}

static enum ar_kind ar_kind(const uint8_t *name)
{
    static const struct {
        char name[17];
        enum ar_kind kind;
    } kinds[] = {
        { "/               ", AR_SYMBOLS },       { "/SYM64/         ", AR_SYMBOLS_64 },
        { "//              ", AR_NAMES },         { "debian-binary   ", AR_DEBIAN_BINARY },
        { "debian-binary/  ", AR_DEBIAN_BINARY },
    };

    for (uint32_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++)
        if (memcmp(name, kinds[i].name, 16) == 0)
            return kinds[i].kind;
    return memcmp(name, "data.tar", 8) == 0 ? AR_DEBIAN_DATA : AR_PLAIN;
}

/* The number of symbols, which begins their table. */
static enum step ar_table(struct sig_input *in, struct ar_state *state, uint64_t from,
                          uint64_t size, uint32_t word)
{
    const uint8_t *head = sig_bytes(in, from, word);

    if (head == NULL)
        return STEP_WAIT;
    const uint64_t count = word == 8 ? bytes_u64be(head) : bytes_u32be(head);
    if (count > size / word || (count + 1) * word > size)
        return STEP_BAD;
    state->word = word;
    state->table_at = from + word;
    state->table_end = from + (count + 1) * word;
    return STEP_DONE;
}

/* Offsets of members in the symbol table. */
static enum step ar_symbols(struct sig_input *in, struct ar_state *state)
{
    while (state->table_at < state->table_end) {
        const uint64_t left = state->table_end - state->table_at;
        const uint32_t len = left < AR_TABLE_PIECE ? (uint32_t)left : AR_TABLE_PIECE;
        const uint8_t *words = sig_bytes(in, state->table_at, len);

        if (words == NULL)
            return STEP_WAIT;
        for (uint32_t i = 0; i < len; i += state->word) {
            const uint64_t member =
                state->word == 8 ? bytes_u64be(words + i) : bytes_u32be(words + i);

            if (member % 2 != 0 || member < AR_MAGIC)
                return STEP_BAD;
            if (member > state->last_symbol)
                state->last_symbol = member;
        }
        state->table_at += len;
    }
    return STEP_DONE;
}

static enum step ar_member(struct sig_input *in, struct ar_state *state)
{
    const uint8_t *head = sig_bytes(in, state->at, AR_HEAD);
    uint64_t size;

    if (head == NULL)
        return STEP_WAIT;
    if (!ar_head_right(head, &size))
        return STEP_BAD;
    const enum ar_kind kind = ar_kind(head);
    const uint64_t data = state->at + AR_HEAD;
    const bool stored =
        !state->thin || kind == AR_SYMBOLS || kind == AR_SYMBOLS_64 || kind == AR_NAMES;
    if (state->members == 0 && (kind == AR_SYMBOLS || kind == AR_SYMBOLS_64)) {
        const enum step step = ar_table(in, state, data, size, kind == AR_SYMBOLS ? 4 : 8);
        if (step != STEP_DONE)
            return step;
    } else if (state->members == 1 && kind == AR_SYMBOLS) {
        in->type = &ar_types[2]; /* Microsoft's linker has a second table */
    }
    if (state->members == 0 && kind == AR_DEBIAN_BINARY) {
        state->debian = true;
        in->type = &ar_types[1];
    }
    if (kind == AR_DEBIAN_DATA)
        state->debian_data = true;
    state->data = kind == AR_PLAIN || kind == AR_DEBIAN_DATA ? data : 0;
    state->looked = false;
    if (stored && state->data == 0)
        sig_open_field(in, data, data + size);
    state->data_size = stored ? size : 0;
    state->last_member = state->at;
    state->at = data + (stored ? size : 0);
    state->members++;
    return STEP_DONE;
}

/* Steps over the byte behind a member of odd size, which is a part of the file when it is what
 * archivers write. */
static enum step ar_pad(struct sig_input *in, struct ar_state *state)
{
    const uint8_t *byte = state->at % 2 == 0 ? NULL : sig_bytes(in, state->at, 1);

    if (state->at % 2 == 0)
        return STEP_DONE;
    if (byte == NULL)
        return STEP_WAIT;
    if (byte[0] != '\n' && byte[0] != 0)
        return STEP_BAD;
    if (byte[0] == 0) { /* rare, so that at the end it is slack: only with a header behind it */
        const uint8_t *next = sig_bytes(in, state->at + 1, AR_HEAD);
        uint64_t size;

        if (next == NULL)
            return STEP_WAIT;
        if (!ar_head_right(next, &size))
            return STEP_BAD;
    }
    state->at++;
    return STEP_DONE;
}

/* What the member is compressed as; NULL: it is not. */
static const struct sig *ar_packed(const uint8_t *head)
{
    const struct sig *sig = memcmp(head, "\xfd\x37zXZ", 6) == 0    ? inner_sig("xz")
                            : memcmp(head, "\x1f\x8b\x08", 3) == 0 ? inner_sig("gz")
                                                                   : NULL;

    return sig != NULL && sig_state_size(sig, true) <= AR_MEMBER_STATE ? sig : NULL;
}

/* Reads a compressed member to its end. */
static enum step ar_deep(struct sig_input *in, struct ar_deep *deep)
{
    struct ar_state *state = &deep->state;

    if (!deep->inner.begun) {
        const uint8_t *head = state->data_size < 6 ? NULL : sig_bytes(in, state->data, 6);

        if (head == NULL && state->data_size >= 6)
            return STEP_WAIT;
        state->packed = head == NULL ? NULL : ar_packed(head);
    }
    if (state->packed != NULL)
        return inner_check(in, &deep->inner, deep->member, state->packed, state->data,
                           state->data_size);
    sig_open_field(in, state->data, state->data + state->data_size);
    return STEP_DONE;
}

/* A compressed member is read first: where its file is cut is seen there, and not at its end. */
static enum step ar_content(struct sig_input *in, struct ar_state *state)
{
    enum step step =
        state->looked || !in->thorough ? STEP_DONE : ar_deep(in, (struct ar_deep *)state);

    state->looked = step == STEP_DONE;
    if (step == STEP_DONE)
        step = content_end(in, state->data, state->data_size, state->debian);
    if (step == STEP_DONE) {
        state->data = 0;
        sig_sure(in, in->thorough ? state->last_member + AR_HEAD : 0);
    }
    return step;
}

static struct sig_result ar_end(struct sig_input *in, const struct ar_state *state)
{
    if (state->members < 2 && !state->debian && state->word == 0)
        return state->members == 0 ? sig_reject("there is no member")
                                   : sig_believe(in, state->at, "there is a single member");
    if (state->debian)
        return state->debian_data ? sig_complete(in, state->at,
                                                 "the three members of a package "
                                                 "are there")
                                  : sig_breaks(in, "the package has no data");
    if (state->word == 0)
        return sig_believe(in, state->at,
                           "the members follow one another, and no other header "
                           "follows");
    if (state->last_symbol > state->last_member)
        return sig_breaks(in, "a member of the symbol table is missing");
    return sig_complete(in, state->at,
                        "every member up to the last one of the symbol table is "
                        "there");
}

static uint32_t ar_live(const void *memory)
{
    const struct ar_deep *deep = memory;
    const bool read = deep->state.at != 0 && deep->state.packed != NULL && deep->inner.begun;

    return (uint32_t)offsetof(struct ar_deep, member) +
           (read ? sig_state_live(deep->state.packed, deep->member) : 0);
}

static struct sig_result ar_check(struct sig_input *in, void *memory)
{
    struct ar_state *state = memory;

    if (state->at == 0) {
        const uint8_t *magic = sig_bytes(in, 0, AR_MAGIC);
        if (magic == NULL)
            return sig_short(in);
        if (in->thorough)
            ((struct ar_deep *)state)->inner = (struct inner){ 0 };
        state->thin = magic[2] == 't';
        state->at = AR_MAGIC;
    }
    for (;;) {
        enum step step = ar_symbols(in, state);

        if (step == STEP_BAD)
            return sig_reject("invalid symbol table");
        if (step == STEP_DONE && state->data != 0)
            step = ar_content(in, state);
        if (step == STEP_BAD)
            return sig_breaks(in, "the content of a member does not end as its format says");
        if (step == STEP_DONE)
            step = ar_pad(in, state);
        if (step == STEP_DONE)
            step = ar_member(in, state);
        if (step == STEP_BAD ||
            (step == STEP_WAIT && in->wanted > in->limit && state->at <= in->limit))
            return ar_end(in, state);
        if (step == STEP_WAIT && in->wanted > in->limit && state->members > 1)
            sig_valid(in, in->limit);
        if (step == STEP_WAIT)
            return sig_short(in);
        if (state->members > 1)
            sig_valid(in, state->last_member);
    }
}

/* BSD's long names stand between header and data. */
static bool ar_holds(const uint8_t *before)
{
    uint64_t size;

    for (uint32_t at = 0; at < SIG_BEFORE - AR_HEAD; at++)
        if (memcmp(before + at, "#1/", 3) == 0 && ar_head_right(before + at, &size))
            return true;
    return ar_head_right(before + SIG_BEFORE - AR_HEAD, &size);
}

const struct sig sig_ar = {
    .name = "ar",
    .what = "ar archive: static library, Debian package",
    .proves = "members lead to the last one that the symbol table names, or to a package's data; "
              "objects and xz data end where their formats say",
    .source = "GNU binutils 2.40, include/aout/ar.h and bfd/archive.c; Microsoft, PE Format: "
              "Archive (Library) File Format; "
              "deb(5)",
    .types = ar_types,
    .headers = { SIG_PATTERN("!<arch>\n"), SIG_PATTERN("!<thin>\n") },
    .flags = SIG_CONTAINER | SIG_SECTOR_ALIGNED, /* libraries are also parts of programs, members
                                          one behind the other: those are no files */
    .size_min = AR_MAGIC + AR_HEAD,
    .size_max = UINT64_C(1) << 36,
    .seam = SIG_SEAM_UNIT,
    .state_size = sizeof(struct ar_state),
    .state_thorough = sizeof(struct ar_deep),
    .state_live = ar_live,
    .check = ar_check,
    .holds = ar_holds,
};
