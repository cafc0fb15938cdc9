/* SPDX-License-Identifier: Apache-2.0
 * signatures/archive/zip.c - ZIP archives and the formats built on them (Office Open XML,
 * OpenDocument, EPUB, JAR, APK, …).
 *
 *   member: "PK\3\4" local header | name | extra | data | data descriptor (flag bit 3)      as
 * often as there are members [archive extra data | APK signing block] "PK\1\2" central directory:
 * one entry a member | [digital signature]
 *   ["PK\6\6" zip64 end record | "PK\6\7" its locator] | "PK\5\6" end record | comment: the file
 * ends here
 *
 * The walk goes from record to record by their sizes. What holds the proof together are distances:
 * every record stands where the one before ends, every entry of the directory names a place where a
 * local header was met, and the end record gives the number, size and place of the directory.
 * Foreign bytes in between move everything behind them, so that the walk breaks at the end of the
 * data they are in; the file is then valid up to the start of the last record that was met in its
 * place. A directory that lies farther from its archive's start than from ours belongs to an
 * archive that began earlier: then this is its end, and truncated, however whole it looks.
 *
 * The CRC-32s of stored members are checked, and packed ones must not hold sectors of zeros or
 * text. The CRC-32s of deflated members are not: decoding runs at a twentieth of the speed of the
 * scan, and bytes replaced in place leave the archive's length and all other members as they are; a
 * reader of the carved file is told by its own check. A thorough check decodes all
 * (zip_thorough.c).
 */
#include "signatures/archive/zip.h"
#include "base/limits.h"
#include "signatures/archive/archive_facts.h"
#include "signatures/lib/inflate.h"

enum {
    VERSION_MAX = 63,      /* 6.3 is the highest version of the format in use */
    NAME_MAX_FIRST = 1024, /* bytes of the first member's name, of which nothing is proven yet */
    MIME_MAX = 256,        /* bytes of the member mimetype */
    SEARCH_NEAR =
        1 << 20, /* bytes searched for a descriptor before the data are looked at more closely … */
    DECODE_MAX = 256 * 1024, /* … by decoding so many of them … */
    DECODE_OUT = 1 << 20,    /* … or until so many have been put out … */
    SEARCH_FAR = 512 << 20,  /* … and then searched on */
    SIGNING_BLOCK_MAX = 64 << 20,
    SIGNING_BLOCK_ALIGN = 4096,
};

#define ZIP_KOFFICE_SIZE                                                                           \
    UINT32_C(                                                                                      \
        0x5a495343) /* "CSIZ": old Krita wrote it where the packed size of mimetype should be */

/* The walk found nothing where something should be. */
static bool zip_break(struct sig_input *in, struct zip_state *state, struct sig_result *out,
                      const char *why)
{
    if (!zip_first_data(in, state, false))
        return zip_short(in, state, out);
    *out = zip_broken(in, state, why);
    return false;
}

static bool zip_start(struct sig_input *in, struct zip_state *state, struct sig_result *out)
{
    const uint8_t *head = sig_bytes(in, 0, 4);

    if (head == NULL)
        return zip_short(in, state, out);
    if (bytes_u32le(head) ==
        ZIP_END) { /* the pattern has matched all of it: nothing but zeros follows */
        *out = in->start % LIMIT_SECTOR == 0
                   ? sig_complete(in, ZIP_END_SIZE, "an archive without members")
                   : sig_reject("an empty archive counts only at the start of a sector");
        return false;
    }
    state->at = bytes_u32le(head) == ZIP_LOCAL ? 0 : 4; /* behind a spanning marker */
    state->phase = ZIP_AT_RECORD;
    return true;
}

/* An APK's signing block, or zeros that align one, between the last member and the central
 * directory. */
static bool zip_signing_block(struct sig_input *in, struct zip_state *state, struct sig_result *out)
{
    const uint8_t *bytes = sig_bytes(in, state->at, 8);

    if (bytes == NULL)
        return zip_short(in, state, out);
    uint64_t size = bytes_u64le(bytes);
    uint64_t at = state->at;
    if (size == 0) {
        at = (at / SIGNING_BLOCK_ALIGN + 1) * SIGNING_BLOCK_ALIGN;
        if ((bytes = sig_bytes(in, at, 8)) == NULL)
            return zip_short(in, state, out);
        size = bytes_u64le(bytes);
    }
    if (state->members == 0 || size < 24 || size > SIGNING_BLOCK_MAX)
        return zip_break(in, state, out, "a valid record must follow here, and none does");
    if ((bytes = sig_bytes(in, at + size - 16, 24)) == NULL)
        return zip_short(in, state, out);
    if (bytes_u64le(bytes) != size || memcmp(bytes + 8, "APK Sig Block 42", 16) != 0)
        return zip_break(in, state, out, "a valid record must follow here, and none does");
    sig_open_field(in, state->at, at + 8 + size); /* signatures, certificates and filling */
    state->at = at + 8 + size;
    sig_valid(in, state->at);
    return true;
}

static bool zip_record(struct sig_input *in, struct zip_state *state, struct sig_result *out)
{
    const uint8_t *head = sig_bytes(in, state->at, 4);

    if (head == NULL)
        return zip_short(in, state, out);
    switch (bytes_u32le(head)) {
    case ZIP_LOCAL:
        if (sig_claims_full(in)) {
            *out = sig_again(in);
            return false;
        }
        sig_claim(in, state->at);
        if (state->members > 0)
            sig_valid(in, state->at);
        state->phase = ZIP_AT_LOCAL;
        return true;
    case ZIP_CENTRAL:
        if (state->members == 0)
            break;
        sig_valid(in, state->at);
        state->directory_at = state->at;
        state->phase = ZIP_AT_DIRECTORY;
        return true;
    case ZIP_EXTRA_DATA: {
        if ((head = sig_bytes(in, state->at, 8)) == NULL)
            return zip_short(in, state, out);
        const uint64_t end = sig_add(state->at, 8 + (uint64_t)bytes_u32le(head + 4));
        sig_open_field(in, state->at, end);
        state->at = end;
        return true;
    }
    default:
        return zip_signing_block(in, state, out);
    }
    return zip_break(in, state, out, "there is a central directory but no member");
}

static bool zip_method_known(uint32_t method)
{
    return method <= 14 || (method >= 16 && method <= 20) || (method >= 93 && method <= 99);
}

/* The first header stands alone against chance; those after it stand where a member ended. */
static bool zip_first_sane(const uint8_t *head, const uint8_t *name, uint32_t name_seen)
{
    const uint32_t flags = bytes_u16le(head + 6), method = bytes_u16le(head + 8);
    const uint32_t packed = bytes_u32le(head + 18), plain = bytes_u32le(head + 22);

    if (bytes_u16le(head + 26) == 0 || bytes_u16le(head + 26) > NAME_MAX_FIRST)
        return false;
    for (uint32_t i = 0; i < name_seen; i++)
        if (name[i] < 0x20 || name[i] == 0x7f)
            return false;
    return method != 0 || (flags & 9) != 0 || packed == plain || packed == ZIP_KOFFICE_SIZE;
}

/* Packed size in a zip64 extra field that follows the other sizes; 0 when it is not there. */
static uint64_t zip_extra_size(const uint8_t *extra, uint32_t len, bool has_plain)
{
    uint32_t at = 0;

    while (len - at >= 4) {
        const uint32_t id = bytes_u16le(extra + at), size = bytes_u16le(extra + at + 2);
        const uint32_t skip = has_plain ? 8 : 0;

        if (size > len - at - 4)
            break;
        if (id == 1 && size >= skip + 8)
            return bytes_u64le(extra + at + 4 + skip);
        at += 4 + size;
    }
    return 0;
}

/* mimetype, the first member, names the format. False: wait. */
static bool zip_mimetype(struct sig_input *in, struct zip_state *state, const uint8_t *name,
                         uint32_t name_len, uint64_t *size)
{
    if (state->members > 0 || (state->flags & 1) != 0 || name_len != 8 ||
        memcmp(name, "mimetype", 8) != 0)
        return true;
    if (*size == ZIP_KOFFICE_SIZE) {
        uint64_t at;
        const enum sig_found found =
            sig_find(in, state->data_at, state->data_at + MIME_MAX, "PK\3\4", 4, &at);

        if (found == SIG_FIND_WAIT)
            return false;
        if (found == SIG_FOUND)
            *size = at - state->data_at;
    }
    if (*size == 0 || *size > MIME_MAX)
        return true;
    const uint8_t *mime = sig_bytes(in, state->data_at, (uint32_t)*size);
    if (mime == NULL)
        return false;
    state->named = zip_type_mime(mime, (uint32_t)*size, state->method);
    return true;
}

static bool zip_local(struct sig_input *in, struct zip_state *state, struct sig_result *out)
{
    uint8_t head[ZIP_LOCAL_SIZE], name[ZIP_NAME_SEEN];
    const uint8_t *bytes = sig_bytes(in, state->at, ZIP_LOCAL_SIZE);

    if (bytes == NULL)
        return zip_short(in, state, out);
    memcpy(head, bytes, sizeof head);
    const uint32_t name_len = bytes_u16le(head + 26), extra_len = bytes_u16le(head + 28);
    const uint32_t name_seen = name_len < ZIP_NAME_SEEN ? name_len : ZIP_NAME_SEEN;
    if (head[4] > VERSION_MAX || (bytes_u16le(head + 6) & 0xd000) != 0 ||
        !zip_method_known(bytes_u16le(head + 8)))
        return zip_break(in, state, out, "unknown version or method in a local header");
    if (name_seen > 0) {
        if ((bytes = sig_bytes(in, state->at + ZIP_LOCAL_SIZE, name_seen)) == NULL)
            return zip_short(in, state, out);
        memcpy(name, bytes, name_seen);
    }
    if (state->members == 0 && !zip_first_sane(head, name, name_seen))
        return zip_break(in, state, out, "invalid local header");

    uint64_t size = bytes_u32le(head + 18);
    if (size == UINT32_MAX && extra_len > 0) {
        if ((bytes = sig_bytes(in, state->at + ZIP_LOCAL_SIZE + name_len, extra_len)) == NULL)
            return zip_short(in, state, out);
        size = zip_extra_size(bytes, extra_len, bytes_u32le(head + 22) == UINT32_MAX);
    }
    state->data_at = state->at + ZIP_LOCAL_SIZE + name_len + extra_len;
    state->flags = bytes_u16le(head + 6);
    state->method = bytes_u16le(head + 8);
    if (!zip_mimetype(in, state, name, name_len, &size))
        return zip_short(in, state, out);
    if (in->thorough && !zip_name(in, state, state->at + ZIP_LOCAL_SIZE, name_len, extra_len))
        return zip_short(in, state, out);

    zip_type_name(state, name, name_seen, name_len);
    if (state->members < ZIP_OFFSETS_MAX)
        state->offsets[state->members] = (uint32_t)state->at;
    state->members++;
    state->data_size = size;
    state->search_at = state->crc_at = state->data_at;
    state->search_hits = 0;
    in->find_at = 0;
    const bool folder = name_seen == name_len && name_len > 0 && name[name_len - 1] == '/';
    const bool streamed = (state->flags & 8) != 0 && size == 0 && !(folder && state->method == 0);
    const bool probe = state->members == 1 && state->method == 8 && (state->flags & 1) == 0;
    state->crc = 0;
    state->crc_told = bytes_u32le(head + 14);
    state->plain_size = bytes_u32le(head + 22);
    state->plausible = (struct plausible){ 0 };
    state->phase = in->thorough ? zip_deep_begin((struct zip_deep *)state, streamed)
                   : !streamed  ? ZIP_IN_SIZED
                   : probe      ? ZIP_AT_PROBE
                                : ZIP_AT_SEARCH;
    return true;
}

/* The data of the member end at `end`: on to the record behind them and behind their descriptor. */
static bool zip_data_end(struct sig_input *in, struct zip_state *state, struct sig_result *out,
                         uint64_t end)
{
    uint32_t len = 0;

    if ((state->flags & 8) != 0) {
        const enum zip_data found =
            zip_descriptor(in, state->data_at, end,
                           state->phase == ZIP_AT_SIZED || state->phase == ZIP_IN_DEFLATED, &len);

        if (found == ZIP_DATA_WAIT)
            return zip_short(in, state, out);
        if (found == ZIP_DATA_BAD)
            return zip_break(in, state, out,
                             "a valid data descriptor must follow here, and none does");
    }
    if (in->thorough) {
        const enum zip_data data = zip_deep_end(in, (struct zip_deep *)state, end, len);

        if (data == ZIP_DATA_WAIT)
            return zip_short(in, state, out);
        if (data == ZIP_DATA_BAD)
            return zip_break(in, state, out, "a member has a wrong CRC or length");
    }
    state->data_size = end - state->data_at;
    state->at = sig_add(end, len);
    state->phase = state->is_content_types ? ZIP_AT_TYPES : ZIP_AT_RECORD;
    return true;
}

static bool zip_in_sized(struct sig_input *in, struct zip_state *state, struct sig_result *out)
{
    const enum zip_data data = zip_sized(in, state);

    if (data == ZIP_DATA_WAIT)
        return zip_short(in, state, out);
    if (data == ZIP_DATA_BAD)
        return zip_break(in, state, out,
                         "a member's data have a wrong CRC or do not look "
                         "compressed");
    state->phase = ZIP_AT_SIZED;
    return true;
}

static bool zip_in_deflated(struct sig_input *in, struct zip_state *state, struct sig_result *out)
{
    uint64_t end = 0;
    const enum zip_data data = zip_deflated(in, (struct zip_deep *)state, &end);

    if (data == ZIP_DATA_WAIT)
        return zip_short(in, state, out);
    if (data == ZIP_DATA_BAD)
        return zip_break(in, state, out, "a member's data cannot be inflated");
    return zip_data_end(in, state, out, end);
}

/*
 * Data whose size the local header does not tell. The descriptor is looked for by its signature, at
 * the speed of memory; decoding is slow and only there to give up early on what is no deflate data
 * (a cut member, the header of a file that is gone).
 */
static bool zip_streamed(struct sig_input *in, struct zip_state *state, struct sig_result *out)
{
    const bool deflate = state->method == 8 && (state->flags & 1) == 0;
    const bool decode = state->phase == ZIP_AT_PROBE || state->phase == ZIP_AT_DECODE;
    const uint64_t most = state->phase == ZIP_AT_PROBE    ? ZIP_PROBE_MAX
                          : decode                        ? DECODE_MAX
                          : state->phase == ZIP_AT_SEARCH ? SEARCH_NEAR
                                                          : SEARCH_FAR;
    uint64_t end = 0;
    const uint32_t out_max = state->phase == ZIP_AT_PROBE ? ZIP_PROBE_OUT : DECODE_OUT;
    const enum zip_data data =
        decode ? zip_inflate(in, state->data_at, state->data_at + most, out_max, &end)
               : zip_search(in, state, state->data_at + most, &end);

    if (data == ZIP_DATA_WAIT)
        return zip_short(in, state, out);
    if (data == ZIP_DATA_END)
        return zip_data_end(in, state, out, end);
    if (state->phase == ZIP_AT_PROBE && data == ZIP_DATA_GOOD)
        state->phase = ZIP_AT_SEARCH;
    else if (state->phase == ZIP_AT_SEARCH &&
             (data != ZIP_DATA_MANY || (deflate && state->members > 1)))
        state->phase = deflate ? ZIP_AT_DECODE : ZIP_AT_SEARCH_FAR;
    else if (state->phase == ZIP_AT_DECODE && data == ZIP_DATA_GOOD)
        state->phase = ZIP_AT_SEARCH_FAR;
    else
        return zip_break(in, state, out, "the data of a streamed member have no end");
    state->search_hits = 0;
    return true;
}

static struct sig_result zip_check(struct sig_input *in, void *memory)
{
    struct zip_state *state = memory;
    struct sig_result out = { 0 };
    bool on = true;

    while (on) {
        switch ((enum zip_phase)state->phase) {
        case ZIP_AT_START:
            on = zip_start(in, state, &out);
            break;
        case ZIP_AT_RECORD:
            on = zip_record(in, state, &out);
            break;
        case ZIP_AT_LOCAL:
            on = zip_local(in, state, &out);
            break;
        case ZIP_IN_SIZED:
            on = zip_in_sized(in, state, &out);
            break;
        case ZIP_IN_DEFLATED:
            on = zip_in_deflated(in, state, &out);
            break;
        case ZIP_AT_SIZED:
            on = zip_data_end(in, state, &out, sig_add(state->data_at, state->data_size));
            break;
        case ZIP_AT_PROBE:
        case ZIP_AT_SEARCH:
        case ZIP_AT_DECODE:
        case ZIP_AT_SEARCH_FAR:
            on = zip_streamed(in, state, &out);
            break;
        case ZIP_AT_TYPES:
            on = zip_type_content(in, state);
            state->phase = on ? ZIP_AT_RECORD : ZIP_AT_TYPES;
            if (!on)
                zip_short(in, state, &out);
            break;
        case ZIP_AT_DIRECTORY:
            on = zip_directory(in, state, &out);
            break;
        }
    }
    in->type = zip_type(state);
    return out;
}

/* The end record stands behind the directory, whose place and size it gives. */
static uint64_t zip_tail_at(const uint8_t *bytes, uint64_t *lead)
{
    const uint64_t size = bytes_u32le(bytes + 12), at = bytes_u32le(bytes + 16);

    *lead = size;
    return size == UINT32_MAX || at == UINT32_MAX ? 0 : at + size;
}

/* The first entry of the directory says what the header of the archive's first member does. */
static bool zip_tail_fits(const uint8_t *head, const uint8_t *lead)
{
    const uint32_t name = bytes_u16le(lead + 28), room = SIG_LEAD - ZIP_CENTRAL_SIZE;
    const bool streamed = (bytes_u16le(head + 6) & 8) != 0; /* the sizes follow the data */

    if (memcmp(lead, "PK\1\2", 4) != 0)
        return false;
    if (bytes_u32le(lead + 42) != 0 || memcmp(head, "PK\3\4", 4) != 0)
        return true; /* the first entry is another member's */
    return memcmp(head + 6, lead + 8, 8) == 0 &&
           (streamed || memcmp(head + 14, lead + 16, 12) == 0) && bytes_u16le(head + 26) == name &&
           memcmp(head + ZIP_LOCAL_SIZE, lead + ZIP_CENTRAL_SIZE, name < room ? name : room) == 0;
}

/* A member that is stored. Of one that is packed its decoder tells more. */
static bool zip_unit(const uint8_t *head, struct sig_unit *unit)
{
    static const struct sig_next next[] = {
        { .bytes = "PK\3\4", .mask = "\xff\xff\xff\xff", .len = 4 },
        { .bytes = "PK\1\2", .mask = "\xff\xff\xff\xff", .len = 4 },
    };
    const uint32_t size = bytes_u32le(head + 18);
    const uint64_t names = (uint64_t)bytes_u16le(head + 26) + bytes_u16le(head + 28);
    const uint64_t data = ZIP_LOCAL_SIZE + names;

    if (memcmp(head, "PK\3\4", 4) != 0 || (bytes_u16le(head + 6) & 9) != 0 ||
        bytes_u16le(head + 8) != 0 || size == UINT32_MAX)
        return false;
    *unit = (struct sig_unit){ .sum_from = data,
                               .sum_to = data + size,
                               .sum = bytes_u32le(head + 14),
                               .next_at = data + size,
                               .next_count = 2 };
    memcpy(unit->next, next, sizeof next);
    return true;
}

static uint32_t zip_live(const void *memory)
{
    const struct zip_deep *deep = memory;

    return (uint32_t)offsetof(struct zip_deep, inflate) +
           (deep->state.phase == ZIP_IN_DEFLATED ? inflate_live(&deep->inflate) : 0);
}

const struct sig sig_zip = {
    .name = "zip",
    .what = "ZIP archive and the document and program formats built on it",
    .proves = "members lead to the central directory, which names every one of them; stored ones "
              "have their CRC-32",
    .source = "PKWARE, .ZIP File Format Specification (APPNOTE.TXT) 6.3.10; Android, APK Signature "
              "Scheme v2",
    .types = zip_types,
    .headers = { SIG_PATTERN("PK\3\4"), SIG_PATTERN("PK00PK\3\4"), SIG_PATTERN("PK\7\10PK\3\4"),
                 SIG_PATTERN("PK\5\6\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0") },
    .flags = SIG_CONTAINER | SIG_CLAIMS | SIG_UNPACKS,
    .size_min = ZIP_END_SIZE,
    .size_max = UINT64_C(1) << 42,
    .seam = SIG_SEAM_EXACT,
    .state_size = sizeof(struct zip_state),
    .state_thorough = sizeof(struct zip_deep),
    .state_live = zip_live,
    .check = zip_check,
    .tail = SIG_PATTERN("PK\5\6"),
    .tail_at = zip_tail_at,
    .tail_fits = zip_tail_fits,
    .unit = zip_unit,
    .facts = zip_facts,
};
