/* SPDX-License-Identifier: Apache-2.0
 * signatures/sig.h - a file format as data, and the validator that reads one.
 *
 * A family (jpeg.c, zip.c, …) is one file that defines one or more `const struct sig` and one line
 * each in signatures/list.def. A signature says which bytes begin a file. Its validator then reads
 * the structure from the header on and says how long the file is and whether it is whole, or where
 * it breaks. A signature without a validator is a header/footer rule in scalpel's sense.
 *
 * Writing a validator
 *
 *   static struct sig_result bmp_check(struct sig_input *in, void *state)
 *   {
 *       const uint8_t *head = sig_bytes(in, 0, 26);
 *       if (head == NULL)
 *           return sig_short(in);     // more bytes may come, or the image ends: sig_short knows
 *       if (bytes_u32le(head + 14) != 40)
 *           return sig_reject("DIB header is not of a known size");
 *       return sig_complete(in, bytes_u32le(head + 2), "the length that the header gives");
 *   }
 *
 * Validators run behind the scan front, while the bytes are in memory. When a validator asks for
 * bytes that have not been read yet, sig_bytes returns NULL and the validator returns
 * sig_short(in). It is called again FROM ITS START once the bytes are there. A validator of a short
 * structure simply reads it again. A validator that walks a long file keeps its place in `state`,
 * which is zeroed before the first call and kept between calls. The verdict must not depend on how
 * the bytes were cut: tests run every validator one byte at a time.
 *
 * All offsets are bytes from the start of the file (the object), not of the image. Nothing read
 * from the object is trusted. sig_bytes checks ranges, so a huge offset does no harm, but a sum of
 * offsets must not wrap: use sig_add.
 *
 * Threads: several validators run at a time, each with its own input and state. A validator has no
 * other data that changes.
 *
 * Snapshots: the owner may copy the input and the state with memcpy after a call of the validator,
 * copy both back later TO THE SAME ADDRESSES and go on from there, with other bytes behind those
 * that the validator had seen. So a state is plain memory: it owns no heap, file or lock. It may
 * point to static data, to the input and into itself. sig_state_live says how much of a state there
 * is to copy. It must not keep what a sig_ call returned
 * (those bytes are gone by then), nor a count of what it has handed out elsewhere. A library whose
 * state has a heap of its own can be used within one call only.
 */
#ifndef BURIN_SIGNATURES_SIG_H
#define BURIN_SIGNATURES_SIG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    SIG_BYTES_MAX = 64 * 1024,  /* most bytes that sig_bytes returns at a time */
    SIG_STATE_MAX = 128 * 1024, /* bytes of the largest state of a validator */
    SIG_HEADERS_MAX = 24,       /* most headers of one signature */
    SIG_FIELDS_MAX = 8,         /* most conditions on the header of a measured format */
    SIG_TYPES_MAX = 64,         /* most types that one family tells apart */
    SIG_CLAIMS_MAX = 64,        /* most places that one call of a validator may claim */
    SIG_OPEN_MAX = 12,          /* most stretches of an object that are noted as open */
    SIG_BY_LENGTH_STATE = 32,   /* bytes of state that sig_by_length needs */
    SIG_NAME_MAX = 32,          /* bytes of a type's name or extension, with the NUL */
    SIG_TAIL = 32,              /* bytes of a record that says where in its file it stands, */
    SIG_LEAD = 512,             /* and of what leads to it, or of a unit's beginning, */
    SIG_NAMED = 32 * 1024,      /* and from what such a record names to the record, at most */
    SIG_BEHIND = 24,            /* most bytes of what follows a unit that are known, */
    SIG_NEXTS = 2,              /* and things that may follow it */
    SIG_JOINT_ENDS = 2,         /* and numbers that may stand behind one of another kind */
    SIG_FLOW_SLACK = 32,        /* bytes behind those of a flow that are there, whatever they are */
    SIG_MARKS = 112,            /* places of a file of which its beginning tells, at most, */
    SIG_MARK = 512,             /* and bytes of each, and of that beginning, */
    SIG_HEAD = 128 * 1024,      /* but for formats whose tables are longer */
    SIG_NEST_DEPTH = 128,       /* elements of a text that are open at a time, at most, */
    SIG_NEST_NAME = 16,         /* and bytes of a name that are told apart, with a NUL */
    SIG_BEFORE = 512,           /* bytes before a place that tell whether a member begins there */
    SIG_UNPACK_RATE = 1040,     /* bytes that one byte may unpack to: deflate has at most 1032 */
    SIG_SHARERS_MAX = 255,      /* a higher number of sharers counts as this one */
};

/*
 * A byte string with a mask. A bit that is 0 in the mask matches anything; mask NULL is all ones.
 */
struct sig_pattern {
    const char *bytes, *mask;
    uint32_t len;
    uint32_t at; /* offset of the pattern from the start of the file (tar: 257) */
    /* The column of bytes[0] in the configuration file, counted from 1; 0: it is from none. */
    uint32_t column;
};
/* Whether the pattern's len bytes stand at bytes, upper and lower case apart. */
static inline bool sig_pattern_stands(const struct sig_pattern *pattern, const uint8_t *bytes)
{
    for (uint32_t i = 0; i < pattern->len; i++) {
        const uint8_t mask = pattern->mask == NULL ? 0xff : (uint8_t)pattern->mask[i];

        if (((bytes[i] ^ (uint8_t)pattern->bytes[i]) & mask) != 0)
            return false;
    }
    return true;
}

#define SIG_PATTERN(literal)                                                                       \
    {                                                                                              \
        .bytes = (literal), .len = sizeof(literal) - 1                                             \
    }
#define SIG_PATTERN_AT(offset, literal)                                                            \
    {                                                                                              \
        .bytes = (literal), .len = sizeof(literal) - 1, .at = (offset)                             \
    }
#define SIG_MASKED(literal, mask_literal)                                                          \
    {                                                                                              \
        .bytes = (literal), .mask = (mask_literal), .len = sizeof(literal) - 1                     \
    }

/* A type of object: name is also the folder that it is carved to, extension ends its file name. */
struct sig_type {
    const char *name, *extension;
};

enum sig_verdict {
    SIG_REJECT,   /* not this format: no object */
    SIG_MORE,     /* good so far; call again when `len` bytes of the object are there; 0: at once */
    SIG_COMPLETE, /* the file is whole and exactly `len` bytes long */
    SIG_BREAKS,   /* the first `len` bytes are valid; the next ones are not, or are missing */
};

struct sig_result {
    enum sig_verdict verdict;
    uint64_t len;    /* bytes; see enum sig_verdict */
    const char *why; /* static text for the case file; never NULL */
    bool proven;     /* SIG_COMPLETE: the content was checked, not only the length believed */
    bool spent;      /* SIG_BREAKS: the object may not unpack any more; see sig_unpacked */
};

/*
 * What a validator proves of the seams of a file that was put together from pieces, when it looks
 * at everything (sig_input.thorough) and says that the file is whole and proven. The weakest of
 * these holds for all types of the signature.
 */
enum sig_seam {
    /* Nothing: foreign bytes may pass, and bytes may be missing (text, samples). */
    SIG_SEAM_NONE,
    /*
     * Records lie in their places and lengths are right: a sector that is missing or one too many
     * is seen. Foreign bytes inside of a record's content pass.
     */
    SIG_SEAM_PLACES,
    /*
     * Units (pages, chunks, frames) that are checked each by itself: a foreign sector instead of
     * one of the file's own is seen too. A unit that is left out, or comes from another file of the
     * kind, may pass.
     */
    SIG_SEAM_UNIT,
    /*
     * A check sum or a decoder has gone over every byte: any sector that was replaced, left out or
     * added is seen, but for the chance that a check sum comes out right.
     */
    SIG_SEAM_EXACT,
};

/* A stretch of an object: offsets of its first byte, and behind its last one. */
struct sig_range {
    uint64_t from, to;
};

struct sig_source;
struct sig_facts;

/* What a validator sees of its object. It is kept between calls of the validator. */
struct sig_input {
    struct sig_source *source;
    const struct sig *sig;
    /* The first type of sig, unless the validator sets another one */
    const struct sig_type *type;
    uint64_t start; /* image offset of the object */
    uint64_t limit; /* bytes to the end of the range, at most sig->size_max */
    /*
     * Look at everything that can be proven, whatever it costs. The owner sets it before the first
     * call. Without it a validator reads no more than tells a file from what is none.
     */
    bool thorough;
    uint64_t valid; /* bytes from the start that were found right; see sig_valid */
    uint64_t sure;  /* bytes from the start that were verified; see sig_sure */
    /* Stretches that nothing proves, wherever sure is; see sig_open. */
    struct sig_range open[SIG_OPEN_MAX];
    uint32_t open_count;
    uint64_t doubt;   /* where sectors begin that may be foreign; 0: nowhere; see sig_doubt */
    uint64_t reached; /* the object offset behind the last byte that a sig_ call has returned */
    uint64_t wanted;  /* bytes from the start that the last refused request needed */
    uint64_t find_at; /* object offset up to which sig_find has searched in vain */
    uint64_t claims[SIG_CLAIMS_MAX]; /* object offsets claimed since the owner emptied the list */
    uint32_t claim_count;
    bool misused;             /* sig_bytes got a length out of its range; tests fail on it */
    uint32_t sharers;         /* other objects that unpack the same bytes; the owner sets it */
    uint64_t unpacked;        /* bytes that the validator has unpacked so far; see sig_unpacked */
    uint64_t unpacked_aside;  /* bytes that it has unpacked without telling sig_unpacked */
    uint64_t unpacked_from;   /* the bytes of the object that were unpacked lie below this offset */
    bool spent;               /* the object may not unpack any more; see sig_unpacked */
    uint64_t share_most;      /* 0: not limited yet; see sig_sharers_most */
    uint64_t room_from;       /* the last call of sig_unpack_room: its `to`, */
    uint32_t room, room_most; /* what it returned, and its `most`; 0: sig_unpacked has come since */
};

/*
 * Where the bytes come from; carver/plan/lookback.c implements it on segments in memory, tests on
 * buffers.
 */
struct sig_source {
    /*
     * Returns contiguous bytes from image offset `at` on: at least `want` (1..SIG_BYTES_MAX) of
     * them. *have becomes their number. They are valid until the next call. Returns NULL when they
     * are not there yet. The caller has checked that [at, at + want) lies inside the range that is
     * read.
     */
    const uint8_t *(*view)(struct sig_source *source, uint64_t at, uint32_t want, uint32_t *have);
};

/*
 * Returns len bytes (1..SIG_BYTES_MAX) at object offset at, valid until the next sig_ call. NULL:
 * the validator returns sig_short(in). A len out of that range gives NULL as if the object ended
 * there, and sets in->misused.
 */
const uint8_t *sig_bytes(struct sig_input *in, uint64_t at, uint32_t len);

/*
 * Returns all bytes that lie together at object offset at: at least one, and none beyond in->limit.
 * *len becomes their number. NULL: the validator returns sig_short(in).
 */
const uint8_t *sig_span(struct sig_input *in, uint64_t at, uint32_t *len);

/* The same, but none at object offset `to` or beyond. to: not before at. */
const uint8_t *sig_span_to(struct sig_input *in, uint64_t at, uint64_t to, uint32_t *len);

enum sig_found { SIG_FOUND, SIG_FIND_WAIT, SIG_FIND_NONE };

/*
 * Looks for the first needle that lies inside object bytes [from, to).
 *
 *   SIG_FOUND      *at is its object offset.
 *   SIG_FIND_WAIT  more bytes are needed: the validator returns sig_short(in).
 *   SIG_FIND_NONE  it is not there.
 *
 * in->find_at keeps how far it has looked, so calling it again is cheap. Set in->find_at = 0 before
 * looking for another needle, or again from an earlier place.
 */
enum sig_found sig_find(struct sig_input *in, uint64_t from, uint64_t to, const void *needle,
                        uint32_t needle_len, uint64_t *at);

/*
 * Notes that the object is right up to object offset at. The largest of these offsets counts: it is
 * the length of a file that breaks.
 */
void sig_valid(struct sig_input *in, uint64_t at);

/*
 * Notes that every byte below object offset at was verified: a foreign sector there would have
 * shown (a CRC over the bytes came out right, the check behind deflated data did). Unlike
 * sig_valid, which says that the structure is right so far. So a file that breaks and lies in
 * pieces is cut at in->sure or behind it, or inside of an open stretch.
 */
void sig_sure(struct sig_input *in, uint64_t at);

/*
 * Notes, in a thorough check, that nothing proves the object's bytes [from, to), and that bytes may
 * be missing there: a scan that is not decoded, the data of an encrypted member. Everything else is
 * proven all the same: a file in pieces may be trusted where it is cut outside of its open
 * stretches. It is not called proven (sig_check). When there are too many, the last one is
 * stretched.
 */
void sig_open(struct sig_input *in, uint64_t from, uint64_t to);

/*
 * The same of a field whose length is proven, so that missing bytes show (a comment, a thumbnail):
 * it is open only when it can hold a whole sector.
 */
void sig_open_field(struct sig_input *in, uint64_t from, uint64_t to);

/*
 * Notes, in a thorough check, that whole sectors in the object's bytes [from, to) look like none of
 * the file's own though its format allows them: zeros in packed data. What was put together from
 * pieces is not trusted with such bytes, and the first of them may be behind the cut.
 */
void sig_doubt(struct sig_input *in, uint64_t from, uint64_t to);

/*
 * Says that a header of the same signature at object offset at is a part of this file (a ZIP
 * member's local header) and begins no file of its own. Call it as soon as the header's own bytes
 * are seen. The signature must have the flag SIG_CLAIMS.
 */
void sig_claim(struct sig_input *in, uint64_t at);

/*
 * Counts `bytes` more bytes that the validator has unpacked from object bytes below offset `to`. A
 * validator that unpacks calls it again and again, after a little at a time. Its signature must
 * have the flag SIG_UNPACKS, unless it does so in a thorough check alone.
 *
 * Returns false when the object has unpacked all that it may; then what the validator returns does
 * not count (sig_check). An object that shares its bytes with n others may unpack SIG_UNPACK_RATE /
 * (n + 1)^2 bytes for each byte that it reads. So all of them together unpack less than twice
 * SIG_UNPACK_RATE bytes for each byte of the image.
 */
bool sig_unpacked(struct sig_input *in, uint64_t to, uint64_t bytes);

/*
 * The validator would have done the same so far with any number of sharers up to this one. It is
 * SIG_SHARERS_MAX for an object that has unpacked nothing, and in->sharers at least.
 */
uint32_t sig_sharers_most(const struct sig_input *in);

/*
 * About how many bytes the object may still unpack from object bytes below offset `to`; at most
 * `most`. The next call of sig_unpacked is for what was unpacked into that room: where that left
 * some of it, the validator must do the same in any room that is not filled either.
 */
uint32_t sig_unpack_room(struct sig_input *in, uint64_t to, uint32_t most);

/*
 * True when this call of the validator can claim no more: the validator returns sig_again(in) and
 * goes on from its `state` in the next call. Only a validator that claims in a loop needs it.
 */
bool sig_claims_full(const struct sig_input *in);
/* The result that asks for another call at once; before it the owner empties in->claims. */
struct sig_result sig_again(const struct sig_input *in);

/*
 * The result to return after NULL or SIG_FIND_WAIT: SIG_MORE, or that of sig_breaks when no more
 * bytes can come.
 */
struct sig_result sig_short(struct sig_input *in);
/* The object is not of this format. */
struct sig_result sig_reject(const char *why);
/* The object breaks after in->valid bytes. It is rejected when in->valid is 0. */
struct sig_result sig_breaks(const struct sig_input *in, const char *why);
/*
 * The object is whole, and its content was checked; it has len bytes. It breaks instead when the
 * range or the limit ends before, and is rejected when len is below size_min.
 */
struct sig_result sig_complete(const struct sig_input *in, uint64_t len, const char *why);

/*
 * As sig_complete, for an object whose header gives the length and whose content cannot be checked
 * (samples of a WAVE file). When another file begins inside it on a sector, the object counts as
 * fragmented.
 */
struct sig_result sig_believe(const struct sig_input *in, uint64_t len, const char *why);

/* a + b. A sum that would wrap becomes UINT64_MAX, an offset that sig_bytes refuses. */
static inline uint64_t sig_add(uint64_t a, uint64_t b)
{
    return a > UINT64_MAX - b ? UINT64_MAX : a + b;
}

/* How a header/footer rule without a validator ends a file (scalpel's names). */
enum sig_mode {
    SIG_FORWARD, /* behind the first footer after the header */
    SIG_NEXT,    /* before the first footer after the header */
    SIG_REVERSE, /* behind the last footer that starts within size_max */
    SIG_ASCII,   /* foremost: the printable text before and behind the header is the file */
};

/* Flags of a signature. */
enum {
    /* The file may hold other files unchanged: objects inside it become its children. */
    SIG_CONTAINER = 1 << 0,
    /*
     * A scan looks for it only when the user gives its name or "all": it has too many false finds.
     */
    SIG_OFF = 1 << 1,
    /* Header and footer ignore the case of ASCII letters. */
    SIG_NO_CASE = 1 << 2,
    /* It is a rule of a configuration file: the rule says how to carve, a validator only labels. */
    SIG_FROM_CONF = 1 << 3,
    SIG_REGEX_HEADER = 1 << 4, /* headers[0] is a regular expression */
    SIG_REGEX_FOOTER = 1 << 5, /* footer is a regular expression */
    /*
     * The validator calls sig_claim. Its open objects are run up to each new header of the
     * signature, to know whether one of them claims that header.
     */
    SIG_CLAIMS = 1 << 6,
    /*
     * The header is too short to look for everywhere: it counts only where the file would begin on
     * a sector (512 bytes).
     */
    SIG_SECTOR_ALIGNED = 1 << 7,
    /*
     * Any part of such a file looks like its beginning (frames, packets, pages). A header inside
     * the bytes that an earlier object of this signature has found right (sig_valid) is part of
     * that object. The validator never rejects once it has called sig_valid.
     */
    SIG_STREAM = 1 << 8,
    /*
     * The last bytes of the file could be any bytes, proven or not: the bytes behind them are
     * looked at too.
     */
    SIG_LOOSE_END = 1 << 9,
    /*
     * Every member of the file begins as the file does. An object that begins where no file can
     * begin is the end of another file.
     */
    SIG_LOOSE_START = 1 << 10,
    SIG_UNPACKS = 1 << 11, /* the validator calls sig_unpacked, also when it is not thorough */
    /*
     * Nothing marks the beginning of such a file: headers is empty, and no matcher looks for it. It
     * is of the lowest rank: the validator is asked only where no other file is known to be.
     */
    SIG_NO_HEADER = 1 << 12,
    /*
     * A thorough check looks at the units of a file (samples of a film) in the order in which they
     * lie, as far as they follow one another, and the length of a file that breaks is where the
     * first wrong one begins. So they tell where a file with marks is cut.
     */
    SIG_ORDERED = 1 << 13,
};

/* A condition on a number in the header: low <= value <= high. */
struct sig_field {
    uint32_t at;   /* offset from the start of the file */
    uint8_t width; /* bytes: 1, 2, 3, 4 or 8; 0 ends the list */
    bool big;      /* big-endian */
    uint64_t low, high;
};

/*
 * The rule for the length of a simple format, as data (.check = sig_by_length): such a format needs
 * no code. The first of these that is given decides: the length field; the footer; where the next
 * header of the same signature begins.
 */
struct sig_length_rule {
    struct sig_field must[SIG_FIELDS_MAX]; /* conditions that the header must meet */
    /* The file has value * scale + add bytes; width 0: no length field */
    struct sig_field length;
    uint32_t scale;            /* 0 stands for 1 */
    int64_t add;               /* bytes */
    struct sig_pattern footer; /* the file ends behind it; len 0: no footer */
    /* A footer right behind this byte does not count; 0: every one does */
    uint8_t escape;
    /* Most bytes of CR and LF behind the footer that belong to the file */
    uint32_t newlines;
    bool next_header; /* the file ends where the next one begins, at size_max at the latest */
    bool trim_zeros;  /* with next_header: zeros at the end of the file do not belong to it */
};

/* A place of a file, a whole sector, of which the file's first sector tells what stands there. */
struct sig_mark {
    uint64_t at;     /* object offset */
    uint32_t number; /* the format's own: which of its marks it is */
};

/* How the elements of a text nest, as far as it has been read. Zeroed: nothing was read. */
struct sig_nest {
    uint32_t names[SIG_NEST_DEPTH], depth; /* that are open: the format's own numbers */
    uint32_t wrong;                        /* faults so far */
    uint32_t phase, len;                   /* the format's own, and bytes of the name */
    char name[SIG_NEST_NAME];
    bool closes;
    uint8_t before;
};

/* A stretch of a file that has a sum: that of its big-endian words of 32 bits, zeros behind it. */
struct sig_sum {
    uint64_t from, to; /* object offsets; from: a multiple of 4 */
    uint32_t sum;
};

/* What may follow a unit. */
struct sig_next {
    uint8_t bytes[SIG_BEHIND], mask[SIG_BEHIND]; /* the first three have no bit that is wild */
    uint32_t len;
};

/*
 * A unit of a file (a chunk, a page, a member), as its first bytes tell. Offsets count from its
 * first byte.
 */
struct sig_unit {
    uint64_t sum_from, sum_to; /* bytes that have a CRC-32, as lib/crc32.h; equal: none have */
    uint64_t sum_at;           /* where that stands, big-endian; 0: it is sum */
    uint32_t sum;
    uint64_t next_at; /* where what follows stands; */
    /*
     * or anywhere from there up to here, when this is not 0: the unit does not say how long it is.
     * Its bytes have a CRC-16 of 0 then, its own included, as RFC 9639, 9.3 has it.
     */
    uint64_t next_most;
    uint32_t next_count;
    struct sig_next next[SIG_NEXTS];
};

/* A unit that lies in two pieces; offsets are bytes of here or of there, which stay the caller's.
 */
struct sig_joint_job {
    const uint8_t *here;  /* the unit's beginning, and what follows in the image */
    const uint8_t *there; /* what stands before its end in the image, and that */
    uint32_t here_len, there_len;
    uint32_t cut;     /* in here: the first place where the first piece may end, */
    uint32_t begin;   /* and in there: where the second one may begin, */
    uint32_t step;    /* and bytes from one such place to the next one */
    uint32_t end_bit; /* of there: the first one of the number that stands behind the unit */
};

/* Where the first piece ends in here, and the second one begins in there. */
struct sig_seam_at {
    uint32_t end, begin;
};

/* How a unit is put together that does not say how long it is. */
struct sig_joint {
    uint64_t ends[SIG_JOINT_ENDS]; /* numbers of 48 bits: one stands behind the unit, at any bit */
    uint32_t most;                 /* bytes of a unit */
    /*
     * Finds seams that may be the right one: out[0..*count), room at most. Nothing is trusted, and
     * nothing that it finds need be right. False: no memory. Any thread.
     */
    bool (*join)(const struct sig_joint_job *job, struct sig_seam_at *out, uint32_t room,
                 uint32_t *count);
};

/* The beginning of a packed file; offsets are bytes of it, which stay the caller's, unchanged while
 * the flow is open. */
struct sig_flow_job {
    const uint8_t *here; /* and what follows in the image; SIG_FLOW_SLACK bytes more may be read */
    uint32_t here_len;
    uint32_t cut;  /* the first place where the piece may end, */
    uint32_t step; /* and bytes from one such place to the next one */
};

/* How a packed file goes on that nothing marks the middle of. */
struct sig_flow {
    uint32_t most, there; /* bytes of the beginning, and of what may go on, that are of use */
    /* Reads the beginning. NULL: it tells nothing, or there is no memory. Nothing is trusted. */
    void *(*open)(const struct sig_flow_job *job);
    /*
     * How well these bytes go on where the piece ends best, which *end becomes: it is by so many
     * bits unlikelier that others do; 0: they do not.
     */
    uint32_t (*follow)(void *flow, const uint8_t *there, uint32_t len, uint32_t *end);
    void (*close)(void *flow);
};

struct sig {
    const char *name; /* unique among built-in signatures: "jpg" */
    const char *what; /* one line for `burin info --types` */
    /* What the validator checks in a whole file; NULL without a validator */
    const char *proves;
    const char *source;           /* the specification that the signature was written from */
    const struct sig_type *types; /* the first is the default; a NULL name ends the list */
    /* Each of them begins a file; len 0 ends the list */
    struct sig_pattern headers[SIG_HEADERS_MAX];
    struct sig_pattern footer; /* only without a validator; len 0: no footer */
    enum sig_mode mode;        /* only without a validator */
    uint32_t flags;            /* SIG_CONTAINER and so on */
    /* Bytes; where the format has no limit, size_max is burin's choice */
    uint64_t size_min, size_max;
    enum sig_seam seam; /* what the validator proves of a file in pieces; 0: nothing */
    /*
     * Bytes behind a wrong seam within which a thorough check nearly always breaks, for a format
     * whose bytes may pass for a while, and now and then to the end; 0: not known. What breaks
     * later was not cut so early.
     */
    uint32_t seam_lag;
    uint32_t state_size; /* bytes of the validator's state, at most SIG_STATE_MAX */
    /*
     * The first state_clean bytes of the state are zero before the first call; 0: all bytes are.
     * The validator itself sets the others before it reads them. Most headers are false, and
     * clearing large tables for each of them would cost more time than everything else.
     */
    uint32_t state_clean;
    /*
     * Bytes of the state when the owner asks the validator to be thorough; 0: state_size. Those
     * behind state_size are not zeroed.
     */
    uint32_t state_thorough;
    /*
     * Of a state of a thorough check: the bytes from its first one on that say something. The
     * validator writes all others before it reads them, so a snapshot may leave them out: most
     * states have large tables and windows that are seldom in use. NULL: all bytes do. Pure.
     */
    uint32_t (*state_live)(const void *state);
    /*
     * Most files of the type that are open at a time, for a type that takes long for its bytes. At
     * least as many as can really lie inside one another. 0: the limit of all other types.
     */
    uint32_t open_max;
    struct sig_result (*check)(struct sig_input *in, void *state);
    /*
     * For a container whose validator reads the headers of its members but not their data: whether
     * a member begins right behind these SIG_BEFORE bytes. A file that begins inside and is not a
     * member shows that the container is fragmented. NULL: a member may begin anywhere.
     */
    bool (*holds)(const uint8_t *before);
    /*
     * The first bytes of a record near the end of the file that says where it stands itself; len 0:
     * there is none.
     */
    struct sig_pattern tail;
    /*
     * Of SIG_TAIL bytes that begin with the pattern: the object offset of the record; 0: it does
     * not say. *lead: so many bytes right before it belong to it (a directory), 0: none. Nothing is
     * trusted: it is where a file in pieces is looked for first. Pure.
     */
    uint64_t (*tail_at)(const uint8_t *bytes, uint64_t *lead);
    /*
     * Whether the first SIG_LEAD bytes of what leads to the record may be of the file that begins
     * with so many bytes. Pure.
     */
    bool (*tail_fits)(const uint8_t *head, const uint8_t *lead);
    /*
     * Of a format whose record says where something before it stands, and not it itself: the bytes
     * from that to the record, which the last of these SIG_NAMED or fewer lies right before; 0: it
     * is not there. tail_fits gets what is named then. Pure.
     */
    uint32_t (*tail_names)(const uint8_t *before, uint32_t len);
    /*
     * Of SIG_LEAD bytes: the unit of a file that begins with them, behind all that is sure
     * (sig_sure); false: they do not say. Nothing is trusted: it is where a file that breaks in
     * such a unit is looked for first. Pure.
     */
    bool (*unit)(const uint8_t *head, struct sig_unit *unit);
    /* The same of a unit that begins in the byte behind all that is sure; NULL: there is none. */
    const struct sig_joint *joint;
    /* Of a format whose bytes behind all that is sure are packed; NULL: there is none. */
    const struct sig_flow *flow;
    /*
     * Of the first SIG_MARK bytes of a file: sectors farther on of which they tell what stands
     * there, SIG_MARKS at most, ascending. Returns their number. Nothing is trusted: it tells where
     * the pieces of a file may lie, far away and in any order. Pure.
     */
    uint32_t (*marks)(const uint8_t *head, struct sig_mark *out);
    /* Whether is_mark does not know the mark of this number in some files, as hardly anything is in
     * it there; NULL: it knows all. Pure. */
    bool (*is_vague)(uint32_t number);
    /* Bytes of the beginning that marks and is_mark get, SIG_HEAD at most; 0: SIG_MARK. */
    uint32_t marks_head;
    /* Whether SIG_MARK bytes may be those of a mark of the file that begins so. Pure. */
    bool (*is_mark)(const uint8_t *head, const struct sig_mark *mark, const uint8_t *sector);
    /* Whether they may be those of any mark of it, in less time than to ask of each; false: is_mark
     * is false of all. NULL: there are few. Pure. */
    bool (*may_be_mark)(const uint8_t *head, const uint8_t *sector);
    /*
     * Of a text: reads on, and the number of faults in how its elements nest if it ends there. Many
     * files have some; of several ways of putting one together the right one has fewest. NULL: it
     * has no elements. Nothing is trusted. Pure.
     */
    void (*nest)(struct sig_nest *nest, const uint8_t *bytes, uint32_t len);
    uint32_t (*nest_wrong)(const struct sig_nest *nest);
    /*
     * Of the first SIG_MARK bytes of a file with marks: its stretch of this number that has a sum,
     * which tells where it is cut. False: there is none of this number. NULL: there are none. Pure.
     */
    bool (*sums)(const uint8_t *head, uint32_t number, struct sig_sum *out);
    /*
     * Tells facts of an object that the validator did not reject: see fact.h. NULL: none are read.
     */
    void (*facts)(struct sig_facts *facts);
    const struct sig_length_rule *length_rule; /* only with .check = sig_by_length */
    /* Line of the rule in its configuration file; 0: it is from none */
    uint32_t line;
};

/* The validator of a format that has sig->length_rule. Needs .state_size = SIG_BY_LENGTH_STATE. */
struct sig_result sig_by_length(struct sig_input *in, void *state);

/* The number of bytes of the state that the owner zeroes before the first call. */
static inline uint32_t sig_state_clean(const struct sig *sig)
{
    return sig->state_clean != 0 ? sig->state_clean : sig->state_size;
}

/* The bytes of a state of a thorough check that a snapshot must have. */
static inline uint32_t sig_state_live(const struct sig *sig, const void *state)
{
    if (sig->state_live != NULL)
        return sig->state_live(state);
    return sig->state_thorough != 0 ? sig->state_thorough : sig->state_size;
}

/* The bytes of the state for an owner that asks to be thorough, or does not. */
static inline uint32_t sig_state_size(const struct sig *sig, bool thorough)
{
    return thorough && sig->state_thorough != 0 ? sig->state_thorough : sig->state_size;
}

/*
 * Calls the validator. Owners of objects call this and not sig->check. An object that has unpacked
 * all that it may (sig_unpacked) breaks behind the last byte that was unpacked. A thorough check
 * that proves a whole file of SIG_SEAM_UNIT or SIG_SEAM_EXACT makes all of its bytes sure; with
 * open stretches it is not proven.
 */
struct sig_result sig_check(const struct sig *sig, struct sig_input *in, void *state);

/* Every built-in signature (signatures/list.def), in the order of that list. */
const struct sig *const *sig_builtin(uint32_t *count);

#endif
