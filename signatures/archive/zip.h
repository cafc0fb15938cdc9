/* SPDX-License-Identifier: Apache-2.0
 * signatures/archive/zip.h - what the files of the ZIP family share: the walk (zip.c), the end of
 * members whose size is not known (zip_data.c), the kind of archive by its members (zip_type.c),
 * the proof of every member's content (zip_thorough.c).
 */
#ifndef BURIN_SIGNATURES_ARCHIVE_ZIP_H
#define BURIN_SIGNATURES_ARCHIVE_ZIP_H

#include "base/bytes.h"
#include "signatures/lib/inflate.h"
#include "signatures/lib/plausible.h"
#include "signatures/sig.h"

enum {
    ZIP_LOCAL = 0x04034b50,      /* "PK\3\4" local header */
    ZIP_CENTRAL = 0x02014b50,    /* "PK\1\2" entry of the central directory */
    ZIP_END = 0x06054b50,        /* "PK\5\6" end of the central directory */
    ZIP_END64 = 0x06064b50,      /* "PK\6\6" its zip64 form */
    ZIP_LOCATOR64 = 0x07064b50,  /* "PK\6\7" where that one is */
    ZIP_DESCRIPTOR = 0x08074b50, /* "PK\7\8" data descriptor */
    ZIP_SIGNED = 0x05054b50,     /* "PK\5\5" digital signature of the central directory */
    ZIP_EXTRA_DATA = 0x08064b50, /* "PK\6\8" archive extra data */
    ZIP_LOCAL_SIZE = 30,
    ZIP_CENTRAL_SIZE = 46,
    ZIP_END_SIZE = 22,
    ZIP_DESCRIPTOR_MAX = 24,
    ZIP_PROBE_MAX = 8 * 1024,  /* bytes of deflate data: when they decode, they are no accident */
    ZIP_PROBE_OUT = 64 * 1024, /* … and bytes they may decode to: an image can be made of headers
                                  whose data blow up */
    ZIP_OFFSETS_MAX = 4096,    /* members whose place is compared with the central directory; those
                                  after them are only counted */
    ZIP_NAME_SEEN = 64,        /* bytes of a member's name that say what kind of archive it is */
};

enum zip_phase {
    ZIP_AT_START,
    ZIP_AT_RECORD,     /* something with a signature of its own should stand at `at` */
    ZIP_AT_LOCAL,      /* … and it is a local header, which has been claimed */
    ZIP_IN_SIZED,      /* a member's data of known size */
    ZIP_AT_SIZED,      /* … have been read: a descriptor may stand behind them */
    ZIP_AT_PROBE,      /* data of unknown size: does it begin like deflate? */
    ZIP_AT_SEARCH,     /* … look near by for the descriptor that names its size */
    ZIP_AT_DECODE,     /* … it is not near: do the data decode for a while? */
    ZIP_AT_SEARCH_FAR, /* … then look farther */
    ZIP_IN_DEFLATED,   /* thorough: data that are inflated, whether their size is known or not */
    ZIP_AT_TYPES,      /* [Content_Types].xml is known from its first to its last byte */
    ZIP_AT_DIRECTORY,  /* an entry of the central directory, or what ends it */
};

enum zip_hint { /* what the names of members say; bits of zip_state.hints */
                ZIP_HAS_WORD = 1 << 0,
                ZIP_HAS_XL = 1 << 1,
                ZIP_HAS_PPT = 1 << 2,
                ZIP_HAS_VISIO = 1 << 3,
                ZIP_HAS_CONTENT_TYPES = 1 << 4,
                ZIP_HAS_JAVA_MANIFEST = 1 << 5,
                ZIP_HAS_ANDROID_MANIFEST = 1 << 6,
                ZIP_HAS_DEX = 1 << 7,
                ZIP_HAS_MOZILLA = 1 << 8,
                ZIP_HAS_KML = 1 << 9,
                ZIP_HAS_VBA = 1 << 10,
                ZIP_HAS_XL_BINARY = 1 << 11,
                ZIP_HAS_FIXED_PAGES = 1 << 12,
                ZIP_HAS_WEB = 1 << 13,
                ZIP_HAS_ENTERPRISE = 1 << 14,
                ZIP_HAS_APPX = 1 << 15,
                ZIP_HAS_NUSPEC = 1 << 16,
                ZIP_HAS_WHEEL = 1 << 17,
                ZIP_HAS_PAYLOAD = 1 << 18,
                ZIP_HAS_APP_PLIST = 1 << 19,
                ZIP_HAS_SKETCH = 1 << 20,
                ZIP_HAS_SKETCH_USER = 1 << 21,
                ZIP_HAS_IWORK = 1 << 22,
                ZIP_HAS_IWORK_SLIDE = 1 << 23,
                ZIP_HAS_IWORK_TABLE = 1 << 24,
                ZIP_HAS_OUTLOOK = 1 << 25,
                ZIP_HAS_BUNDLE = 1 << 26,
                ZIP_HAS_VSIX = 1 << 27,
                ZIP_HAS_1PASSWORD = 1 << 28,
                ZIP_HAS_1PASSWORD_ATTRIBUTES = 1 << 29,
};

struct zip_state {
    uint32_t phase, hints;
    uint64_t at;                                   /* what is before it has been walked */
    uint64_t members;                              /* local headers */
    uint64_t directory_at, directory_end, entries; /* the central directory, its entries walked */
    uint32_t cursor; /* index in offsets of the member that the next entry should be of */
    uint64_t end64_at, end64_entries, end64_size,
        end64_offset;            /* zip64 end record; end64_at 0: there is none */
    uint64_t data_at, data_size; /* of the member being walked */
    uint64_t search_at;          /* how far its end has been looked for, or they are inflated */
    uint64_t crc_at;             /* how far crc goes */
    struct inflate_got deflated; /* thorough: what they have been inflated to */
    uint32_t search_hits;        /* signatures seen on the way that were not its end */
    uint16_t method, flags;      /* of that member */
    uint32_t crc, crc_told;      /* of its data, when they are stored */
    uint64_t plain_size;         /* what they unpack to; 0: not told */
    struct plausible plausible;
    uint32_t name_crc;                 /* thorough: CRC-32 of the member's name */
    uint64_t local_sum;                /* thorough: over the members, see zip_sum; … */
    uint64_t central_sum;              /* … and over the entries of the central directory */
    bool wrong;                        /* thorough: the data cannot be inflated */
    bool no_descriptor;                /* thorough: a member has no CRC-32 */
    bool is_content_types;             /* that member is [Content_Types].xml */
    bool is_tail;                      /* the directory names members that came before */
    bool data_judged;                  /* zip_first_data has done its work */
    const struct sig_type *named;      /* by mimetype or content types */
    uint32_t offsets[ZIP_OFFSETS_MAX]; /* of local headers, low 32 bits, rising */
};

/* Not enum step: good data may end or go on, and a search may be given up. */
enum zip_data { ZIP_DATA_END, ZIP_DATA_GOOD, ZIP_DATA_BAD, ZIP_DATA_MANY, ZIP_DATA_WAIT };

/*
 * Decodes deflate data at `from`, at most up to object offset `to` and until out_max bytes have
 * been put out. ZIP_DATA_END: it ends, *end is behind its last byte; ZIP_DATA_GOOD: no fault as far
 * as it went; ZIP_DATA_BAD; ZIP_DATA_WAIT: return sig_short(in).
 */
enum zip_data zip_inflate(struct sig_input *in, uint64_t from, uint64_t to, uint32_t out_max,
                          uint64_t *end);

/*
 * Length of the data descriptor at `at` (0, 12, 16, 20 or 24 bytes) behind data that began at
 * `from`; ZIP_DATA_BAD when what stands there does not end that data.
 */
enum zip_data zip_descriptor(struct sig_input *in, uint64_t from, uint64_t at, bool may_miss,
                             uint32_t *len);

/*
 * Looks through a member's data of known size: stored data against their CRC-32; packed data may
 * hold no sectors of zeros or text. ZIP_DATA_GOOD, ZIP_DATA_BAD, or ZIP_DATA_WAIT.
 */
enum zip_data zip_sized(struct sig_input *in, struct zip_state *state);

/*
 * Looks for the descriptor of data at state->data_at up to `to`. ZIP_DATA_END: *end is where the
 * data ends; ZIP_DATA_MANY: there are so many other headers that looking farther is not worth it.
 */
enum zip_data zip_search(struct sig_input *in, struct zip_state *state, uint64_t to, uint64_t *end);

/* The verdict on an archive that breaks: a reject when too little of it is proven. */
struct sig_result zip_broken(struct sig_input *in, const struct zip_state *state, const char *why);

/*
 * When nothing but a first header is known, decodes its data: what decodes is an archive and worth
 * a note. False: return zip_short.
 */
bool zip_first_data(struct sig_input *in, struct zip_state *state, bool image_ends);

/* Stops for want of bytes: sets *out and returns false. */
bool zip_short(struct sig_input *in, struct zip_state *state, struct sig_result *out);

/* One step in the central directory or in what ends it, at state->at. False: *out is the result. */
bool zip_directory(struct sig_input *in, struct zip_state *state, struct sig_result *out);

/*
 * The state of a thorough check, which inflates every member.
 */
struct zip_deep {
    struct zip_state state; /* first */
    struct inflate_state inflate;
};
_Static_assert(sizeof(struct zip_deep) <= SIG_STATE_MAX, "the state of ISA-L fits");

/*
 * Inflates the member's data from state->search_at on. ZIP_DATA_END: *end is where they end;
 * state->crc and state->deflated.bytes are the CRC-32 and the length of what they hold.
 */
enum zip_data zip_deflated(struct sig_input *in, struct zip_deep *deep, uint64_t *end);

/* Begins a thorough check of the data of the member whose local header has been read: the phase. */
enum zip_phase zip_deep_begin(struct zip_deep *deep, bool streamed);

/*
 * The data of the member end at `end`, behind them stands a descriptor of len bytes (0: none).
 * Compares the CRC-32 and the length of its content, and notes the member. ZIP_DATA_GOOD,
 * ZIP_DATA_BAD or ZIP_DATA_WAIT.
 */
enum zip_data zip_deep_end(struct sig_input *in, struct zip_deep *deep, uint64_t end, uint32_t len);

/*
 * Reads the name at `at` into state->name_crc. behind: bytes of extra fields and comments behind
 * it, which nothing proves. False: return sig_short(in).
 */
bool zip_name(struct sig_input *in, struct zip_state *state, uint64_t at, uint32_t len,
              uint32_t behind);

/*
 * What a member is to the central directory, as a number to sum up. Sizes that need zip64 count as
 * UINT32_MAX.
 */
uint64_t zip_sum(uint64_t offset, uint32_t crc, uint64_t packed, uint64_t plain, uint32_t name_crc);

extern const struct sig_type zip_types[];

/* Notes what a member's name says about the archive. name_len is at most ZIP_NAME_SEEN. */
void zip_type_name(struct zip_state *state, const uint8_t *name, uint32_t name_len,
                   uint32_t whole_len);
/* The type that the content of the member `mimetype` names; NULL: none that we know. */
const struct sig_type *zip_type_mime(const uint8_t *mime, uint32_t len, uint32_t method);
/* Reads [Content_Types].xml, the member being walked, of data_size bytes at data_at. False: return
 * sig_short(in). */
bool zip_type_content(struct sig_input *in, struct zip_state *state);
/* The verdict on the type. */
const struct sig_type *zip_type(const struct zip_state *state);

#endif
