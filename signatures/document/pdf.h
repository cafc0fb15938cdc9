/* SPDX-License-Identifier: Apache-2.0
 * signatures/document/pdf.h - what the files of the PDF family share: the scan for the end (pdf.c),
 * the proof of an end by its cross-reference section (pdf_xref.c), the walk over the objects of a
 * file that breaks (pdf_walk.c).
 */
#ifndef BURIN_SIGNATURES_DOCUMENT_PDF_H
#define BURIN_SIGNATURES_DOCUMENT_PDF_H

#include "signatures/lib/inflate.h"
#include "signatures/lib/step.h"
#include "signatures/sig.h"

enum pdf_phase {
    PDF_AT_HEAD,
    PDF_AT_PROVE, /* thorough: objects are walked and their streams inflated */
    PDF_AT_SCAN,  /* looking for "%%EOF" */
    PDF_AT_END,   /* an end is proven: does an update follow? */
    PDF_AT_WALK,  /* it breaks: how far is it right? */
};

struct pdf_state {
    uint32_t phase;
    uint32_t ends;        /* "%%EOF" met that proved nothing */
    uint64_t at;          /* where the scan stands */
    uint64_t linear_len;  /* length of the file that a linearization dictionary gives; 0: none */
    uint64_t good_end;    /* end of the last revision that is proven */
    uint64_t stop;        /* the file cannot reach beyond */
    const char *why;      /* … because */
    uint64_t walk_at;     /* objects before it are right */
    uint64_t subsections; /* read in all cross-reference tables that ends have named */
    bool cut;             /* the image ends in the stream where the walk ends */
    uint64_t length_object, length_value; /* a stream's length that the object of this number must
                                             hold; 0: none is due */
    uint64_t inflated_at; /* thorough: object offset of the stream that is being inflated, … */
    uint64_t inflate_at;  /* … how far it is, */
    struct inflate_got inflated; /* … and what has come out */
    bool secret; /* thorough: a stream does not begin as it says: all may be encrypted */
};

/* The state of a thorough check, which inflates streams. */
struct pdf_deep {
    struct pdf_state state; /* first */
    struct inflate_state inflate;
};
_Static_assert(sizeof(struct pdf_deep) <= SIG_STATE_MAX, "the state of ISA-L fits");

/* White space and digits as ISO 32000-1, 7.2.2 has them. */
static inline bool pdf_is_space(uint8_t byte)
{
    return byte == ' ' || byte == '\n' || byte == '\r' || byte == '\t' || byte == '\f' || byte == 0;
}

static inline bool pdf_is_digit(uint8_t byte)
{
    return byte >= '0' && byte <= '9';
}

/* First place at or behind `at` that is no white space. */
uint32_t pdf_skip_space(const uint8_t *text, uint32_t len, uint32_t at);
/* A number of at most 18 digits at *at, which moves behind it; false: there is none. */
bool pdf_number(const uint8_t *text, uint32_t len, uint32_t *at, uint64_t *value);
/* Does text[at..] begin with word? */
bool pdf_word(const uint8_t *text, uint32_t len, uint32_t at, const char *word);
/* Length of "N G obj" at text[0]; 0: something else stands there. */
uint32_t pdf_object_head(const uint8_t *text, uint32_t len, uint64_t *number);
/* The direct number behind /Key in a dictionary; false: none, or a reference. */
bool pdf_key_number(const uint8_t *text, uint32_t len, const char *key, uint64_t *value);

/*
 * Reads the values of an object or a trailer from text[0] on: true when they are followed by
 * "stream", "endobj" or "startxref", at *at. False: they are no PDF syntax, or (*at == len) go on
 * behind text[len].
 */
bool pdf_body(const uint8_t *text, uint32_t len, uint32_t *at);

/* Up to `most` bytes at `at`, none at or beyond `to`; *len says how many. NULL: return
 * sig_short(in); or, with *len 0, `at` is not before `to`. */
const uint8_t *pdf_text(struct sig_input *in, uint64_t at, uint64_t to, uint32_t most,
                        uint32_t *len);

enum pdf_xref {
    PDF_XREF_WAIT,  /* return sig_short(in) */
    PDF_XREF_NONE,  /* no cross-reference section there, or one that names places where no objects
                       are */
    PDF_XREF_APART, /* one is there, and ends somewhere before `startxref` */
    PDF_XREF_CLOSE, /* one is there, and reaches up to `startxref` */
};

/*
 * Is the cross-reference section of the "startxref" keyword at `from` at object offset `at`?
 * *subsections is raised by as many as have been read of it.
 */
enum pdf_xref pdf_xref_check(struct sig_input *in, uint64_t at, uint64_t from,
                             uint64_t *subsections);

/*
 * How far a file is right: moves state->walk_at object by object, up to state->stop at most.
 * STEP_WAIT: return sig_short(in). STEP_BAD: the data of a stream are wrong, which only a thorough
 * check finds out.
 */
enum step pdf_walk(struct sig_input *in, struct pdf_state *state);

/* What "startxref" says of where the file's last piece lies: tail_at, tail_names and tail_fits of
 * struct sig. */
uint64_t pdf_tail_at(const uint8_t *bytes, uint64_t *lead);
uint32_t pdf_tail_names(const uint8_t *before, uint32_t len);
bool pdf_tail_fits(const uint8_t *head, const uint8_t *section);

#endif
