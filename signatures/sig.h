/*
 * signatures/sig.h - a file format as data, and the checker that reads one.
 *
 * A family (jpeg.c, zip.c, …) is one file that defines one or more `const struct sig` and one line each in
 * signatures/list.def. A signature says which bytes begin a file; its checker then reads the structure from the header on and says
 * how long the file is, whether it is whole, and if not where it breaks. A signature without a checker is a header/footer
 * rule in scalpel's sense.
 *
 * Writing a checker
 *
 *   static struct sig_result bmp_check(struct sig_input *in, void *state)
 *   {
 *       const uint8_t *head = sig_bytes(in, 0, 26);
 *       if (head == NULL)
 *           return sig_short(in);               // more bytes may come, or the image ends here: sig_short knows which
 *       if (bytes_u32le(head + 14) != 40)
 *           return sig_reject("DIB header is not of a known size");
 *       return sig_complete(in, bytes_u32le(head + 2));
 *   }
 *
 * Checkers run behind the scan front, while the bytes are in memory. When bytes are asked for that have not been read yet,
 * sig_bytes gives NULL, the checker returns sig_short(in), and it is called again FROM ITS START once they are there. What is
 * cheap is simply read again; a checker that walks a long file keeps its place in `state` (zeroed before the first call, kept
 * between calls). The verdict must not depend on how the bytes were cut: tests run every checker one byte at a time.
 *
 * All offsets are bytes from the start of the file (the object), not of the image. Nothing read from the object is trusted:
 * sig_bytes checks ranges, so huge offsets are safe to ask for, but sums must not wrap: use sig_add.
 */
#ifndef BURIN_SIGNATURES_SIG_H
#define BURIN_SIGNATURES_SIG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    SIG_BYTES_MAX = 64 * 1024,  /* most bytes sig_bytes gives at a time */
    SIG_STATE_MAX = 128 * 1024, /* largest state of a checker, bytes */
    SIG_HEADERS_MAX = 24,       /* headers of one signature */
    SIG_FIELDS_MAX = 8,         /* conditions on the header of a measured format */
    SIG_TYPES_MAX = 64,         /* types that one family tells apart */
    SIG_CLAIMS_MAX = 64,        /* header places one call of a checker may claim before it returns */
    SIG_MEASURE_STATE = 32,     /* bytes of state that sig_measure needs */
    SIG_NAME_MAX = 32,          /* bytes of a type's name or extension, the NUL included */
    SIG_BEFORE = 512,           /* bytes before a place that tell whether a member begins there */
    SIG_UNPACK_RATE = 1040,     /* bytes that one byte may unpack to: deflate has at most 1032 */
    SIG_SHARERS_MAX = 255,
};

/* A byte string with a mask. A bit that is 0 in the mask matches anything; mask NULL is all ones. */
struct sig_pattern {
    const char *bytes, *mask;
    uint32_t len;
    uint32_t at;     /* offset of the pattern from the start of the file (tar: 257) */
    uint32_t column; /* of the configuration file, for one from there: that of bytes[0], counted from 1; else 0 */
};
#define SIG_PATTERN(literal)                                                                                           \
    {                                                                                                                  \
        .bytes = (literal), .len = sizeof(literal) - 1                                                                 \
    }
#define SIG_PATTERN_AT(offset, literal)                                                                                \
    {                                                                                                                  \
        .bytes = (literal), .len = sizeof(literal) - 1, .at = (offset)                                                 \
    }
#define SIG_MASKED(literal, mask_literal)                                                                              \
    {                                                                                                                  \
        .bytes = (literal), .mask = (mask_literal), .len = sizeof(literal) - 1                                         \
    }

/* What an object is called: the folder it is carved to and the extension it gets. */
struct sig_type {
    const char *name, *extension;
};

enum sig_verdict {
    SIG_REJECT,   /* not this format: no object */
    SIG_MORE,     /* good so far; call again when `len` bytes of the object are there (0: at once) */
    SIG_COMPLETE, /* the file is whole and exactly `len` bytes long */
    SIG_BREAKS,   /* valid for its first `len` bytes, and no further */
};

struct sig_result {
    enum sig_verdict verdict;
    uint64_t len;    /* bytes; see the verdict */
    const char *why; /* static text for the record; never NULL */
    bool proven;     /* complete, and what lies inside was checked: not a length alone */
    bool spent;      /* breaks because it was not read further: see sig_unpacked */
};

struct sig_source;

/* What a checker sees of its object. Kept between calls of the checker. */
struct sig_input {
    struct sig_source *source;
    const struct sig *sig;
    const struct sig_type *type; /* set by the checker when it knows better than the signature's first type */
    uint64_t start;              /* image offset of the object */
    uint64_t limit;              /* most bytes the object can have: to the end of the range, at most sig->size_max */
    uint64_t valid;              /* bytes from the start on that the checker has found right; see sig_valid */
    uint64_t wanted;             /* object bytes that the last refused request would have needed */
    uint64_t find_at;            /* how far sig_find has searched without a find */
    uint64_t claims[SIG_CLAIMS_MAX]; /* object offsets claimed since the owner last emptied the list */
    uint32_t claim_count;
    bool misused;           /* sig_bytes was asked for a length that it does not take; tests fail on it */
    uint32_t sharers;       /* other objects that unpack the same bytes; the owner sets it */
    uint64_t unpacked;      /* bytes, so far: see sig_unpacked */
    uint64_t unpacked_from; /* the object bytes below here gave them */
    bool spent;
};

/* Where the bytes come from; carver/plan/window.c implements it on segments in memory, tests on buffers. */
struct sig_source {
    /*
     * Contiguous bytes from image offset `at` on: at least `want` (1..SIG_BYTES_MAX) of them, *have says how many, valid until the next
     * call. NULL when they are not there yet. The caller has checked that [at, at + want) lies inside the range being read.
     */
    const uint8_t *(*view)(struct sig_source *source, uint64_t at, uint32_t want, uint32_t *have);
};

/*
 * len bytes (1..SIG_BYTES_MAX) at object offset at, valid until the next sig_ call; NULL: return sig_short(in). A length out of that
 * range gives NULL as if the object ended there, and sets in->misused.
 */
const uint8_t *sig_bytes(struct sig_input *in, uint64_t at, uint32_t len);

/* As many bytes as lie together at object offset at, at least one; *len says how many, never past in->limit. NULL: return sig_short(in). */
const uint8_t *sig_span(struct sig_input *in, uint64_t at, uint32_t *len);

enum sig_found { SIG_FOUND, SIG_FIND_WAIT, SIG_FIND_NONE };

/*
 * Looks for needle at object offsets from `from` up to where its last byte is below `to`. SIG_FOUND sets *at; SIG_FIND_WAIT: return
 * sig_short(in); SIG_FIND_NONE: it is not there. How far it has looked is kept in in->find_at, so calling it again is cheap;
 * set in->find_at = 0 before looking for something else, or again from an earlier place.
 */
enum sig_found sig_find(struct sig_input *in, uint64_t from, uint64_t to, const void *needle, uint32_t needle_len,
                        uint64_t *at);

/* Notes that the object is right up to object offset at; the largest one counts. A file that breaks is valid that far. */
void sig_valid(struct sig_input *in, uint64_t at);

/*
 * Says that the header of this same signature at object offset at is a part of this file (a ZIP member's local header), and no file
 * of its own. Call it as soon as the header's own bytes are seen. The signature has the flag SIG_CLAIMS.
 */
void sig_claim(struct sig_input *in, uint64_t at);

/*
 * Says that what was read of the object below object offset `to` has given `bytes` more when
 * unpacked, which are thrown away. Everything that unpacks calls it, a little at a time, and its
 * signature has the flag SIG_UNPACKS. False: the object has unpacked all that it may; what the
 * checker returns then does not count (sig_check). An object that shares its
 * bytes with n others may unpack SIG_UNPACK_RATE / (n + 1)^2 bytes for each byte that it reads, so
 * that all of them together unpack less than twice SIG_UNPACK_RATE for each byte of the image.
 */
bool sig_unpacked(struct sig_input *in, uint64_t to, uint64_t bytes);

/* Bytes that it may still unpack from what stands below `to`, or a few more; at most `most`. */
uint32_t sig_unpack_room(const struct sig_input *in, uint64_t to, uint32_t most);

/*
 * True when no further claim fits into this call: return sig_again(in) and go on from `state`. Only a checker that claims in a
 * loop needs it.
 */
bool sig_claims_full(const struct sig_input *in);
/* Asks to be called again at once, with the claims taken and no further bytes needed. */
struct sig_result sig_again(const struct sig_input *in);

/* The result to return after NULL or SIG_FIND_WAIT: SIG_MORE, or, where no more bytes can come, sig_breaks. */
struct sig_result sig_short(struct sig_input *in);
struct sig_result sig_reject(const char *why);
/* Breaks after in->valid bytes; a reject when not even the header was found right. */
struct sig_result sig_breaks(const struct sig_input *in, const char *why);
/* Whole with exactly len bytes; breaks instead when the range or the limit ends before. */
struct sig_result sig_complete(const struct sig_input *in, uint64_t len, const char *why);

/*
 * Likewise, where only the header tells the length and what lies inside cannot be checked (samples of a WAVE file). Another file that
 * begins inside, on a sector, is then taken as a sign that the file is fragmented.
 */
struct sig_result sig_believe(const struct sig_input *in, uint64_t len, const char *why);

/* a + b, or UINT64_MAX instead of a sum that would wrap: sig_bytes refuses that offset. */
static inline uint64_t sig_add(uint64_t a, uint64_t b)
{
    return a > UINT64_MAX - b ? UINT64_MAX : a + b;
}

/* How a header/footer rule without a checker ends a file (scalpel's names). */
enum sig_mode {
    SIG_FORWARD, /* the first footer after the header, included */
    SIG_NEXT,    /* up to the first footer, excluded */
    SIG_REVERSE, /* the last footer that starts within size_max, included */
    SIG_ASCII,   /* foremost: printable text around the header, both ways */
};

enum {
    SIG_CONTAINER = 1 << 0,    /* may hold other files as they are: objects inside it become its children */
    SIG_OFF = 1 << 1,          /* not looked for unless asked for by name or by "all": too many false finds */
    SIG_NO_CASE = 1 << 2,      /* header and footer ignore the case of ASCII letters */
    SIG_FROM_CONF = 1 << 3,    /* from a configuration file: carved by its own rule; a checker only labels */
    SIG_REGEX_HEADER = 1 << 4, /* headers[0] is a regular expression */
    SIG_REGEX_FOOTER = 1 << 5, /* footer is one */
    SIG_CLAIMS = 1 << 6,       /* the checker calls sig_claim: its objects are kept up with its headers */
    SIG_GRID =
        1 << 7, /* headers too weak to look for anywhere: only where the file would begin on a sector (512 bytes) */
    /*
     * Any part of such a file looks like its beginning (frames, packets, pages): a header inside of what an earlier object of this
     * signature has been found right for (sig_valid) is part of that one. Its checker never rejects once it has called sig_valid.
     */
    SIG_STREAM = 1 << 8,
    SIG_LOOSE_END =
        1 << 9, /* its last bytes could be any bytes, proven or not: what stands behind them is looked at too */
    SIG_LOOSE_START =
        1 << 10, /* every member begins as the file does: what begins where no file can is the end of another one */
    SIG_UNPACKS = 1 << 11, /* the checker calls sig_unpacked */
};

/* A field of the header that a file of the type must have: low <= value <= high. */
struct sig_field {
    uint32_t at;   /* offset from the start of the file */
    uint8_t width; /* bytes: 1, 2, 3, 4 or 8; 0 ends the list */
    bool big;      /* big-endian */
    uint64_t low, high;
};

/*
 * How long a file of a simple format is, as data: for these no code is needed (.check = sig_measure). The first of these that is given
 * decides: the length field; the footer; where the next header of the same signature begins.
 */
struct sig_measured {
    struct sig_field must[SIG_FIELDS_MAX]; /* what the header has to look like */
    struct sig_field length;               /* width 0: none. The file is value * scale + add bytes long */
    uint32_t scale;                        /* 0 stands for 1 */
    int64_t add;
    struct sig_pattern footer; /* the file ends behind it; len 0: none */
    uint8_t escape;            /* a footer with this byte before it is none; 0: no such byte */
    uint32_t newlines;         /* up to this many bytes of CR and LF behind the footer belong to the file */
    bool next_header;          /* the file ends where the next one begins, at the latest at size_max */
    bool trim_zeros;           /* zeros at the end that follows from next_header are slack, not file */
};

struct sig {
    const char *name;             /* unique among built-in ones: "jpg" */
    const char *what;             /* one line for `burin info --types` */
    const char *proves;           /* what its checker has looked at in a whole file; NULL without a checker */
    const char *source;           /* the specification this was written from */
    const struct sig_type *types; /* ends with a NULL name; the first one is the default */
    struct sig_pattern headers[SIG_HEADERS_MAX]; /* any one begins a file; len 0 ends the list */
    struct sig_pattern footer;                   /* only without a checker; len 0: none */
    enum sig_mode mode;                          /* only without a checker */
    uint32_t flags;
    uint64_t size_min, size_max; /* bytes; size_max is our policy where the format has no limit of its own */
    uint32_t state_size;         /* bytes of the checker's state, at most SIG_STATE_MAX */
    /*
     * So many of its first bytes are zeros before the first call; the rest, which the checker sets
     * before it looks at it, may be anything. 0: all. Headers come by the million, and clearing
     * tables that no false one gets to see costs more than all else.
     */
    uint32_t state_clean;
    /*
     * Most files of the type that are read at a time, where reading one is slow for its bytes; 0:
     * as many as of any type. So many may lie in one another in earnest.
     */
    uint32_t open_max;
    struct sig_result (*check)(struct sig_input *in, void *state);
    /*
     * For a container whose checker reads the headers of its members and not their data: whether one of them begins behind these
     * SIG_BEFORE bytes. A file that begins inside and is none of them shows that the container is fragmented. NULL: anywhere.
     */
    bool (*holds)(const uint8_t *before);
    const struct sig_measured *measured; /* only with .check = sig_measure */
    uint32_t line;                       /* of the configuration file, for a rule from there; else 0 */
};

/* The checker of formats that are measured by data alone: reads sig->measured. Needs .state_size = SIG_MEASURE_STATE. */
struct sig_result sig_measure(struct sig_input *in, void *state);

/* Bytes of the state that have to be zeroed before the first call. */
static inline uint32_t sig_state_clean(const struct sig *sig)
{
    return sig->state_clean != 0 ? sig->state_clean : sig->state_size;
}

/*
 * Calls the checker. An object that has unpacked all that it may breaks, right as far as it was
 * read. Whoever owns objects calls this and not sig->check.
 */
struct sig_result sig_check(const struct sig *sig, struct sig_input *in, void *state);

/* Every built-in signature (signatures/list.def), in the order of that list. */
const struct sig *const *sig_builtin(uint32_t *count);

#endif
