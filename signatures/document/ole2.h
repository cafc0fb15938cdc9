/* SPDX-License-Identifier: Apache-2.0
 * signatures/document/ole2.h - what the parts of the compound file validator share.
 *
 * ole2.c reads the header, the allocation table and the directory; ole2_type.c says from the names
 * in the root storage what kind of document it is; ole2_content.c walks the records of the streams
 * that have a known structure; ole2_marks.c says which sectors the header tells of.
 */
#ifndef BURIN_SIGNATURES_DOCUMENT_OLE2_H
#define BURIN_SIGNATURES_DOCUMENT_OLE2_H

#include "signatures/lib/step.h"
#include "signatures/sig.h"

enum {
    OLE2_ENTRY = 128,
    OLE2_CUTOFF = 4096,  /* shorter streams lie in 64-byte pieces inside the root's stream */
    OLE2_MEMORY = 30720, /* words: the places of the allocation table, one bit a sector, the places
                            of the directory */
    OLE2_STACK = 128,    /* entries of the root storage that wait to be read */
    OLE2_NAME = 31,      /* characters */
    OLE2_BACK_SEEKS = 256, /* times that a stream is read again from its start */
};

#define OLE2_NONE UINT32_MAX          /* no directory entry; a free sector */
#define OLE2_END UINT32_C(0xfffffffe) /* the chain ends */
#define OLE2_FAT UINT32_C(0xfffffffd)
#define OLE2_DIFAT UINT32_C(0xfffffffc)

/* Streams whose content is looked at. */
enum ole2_part {
    OLE2_WORKBOOK,
    OLE2_SLIDES,
    OLE2_PICTURES,
    OLE2_WORD,
    OLE2_TABLE_0,
    OLE2_TABLE_1,
    OLE2_SUMMARY,
    OLE2_DOC_SUMMARY,
    OLE2_USER,
    OLE2_COMP_OBJ,
    OLE2_MINI, /* the root's: where short streams lie */
    OLE2_PARTS,
};

/* A stream of whole sectors and how far it has been followed. */
struct ole2_stream {
    uint32_t start, index, sector; /* sector is the index-th of the chain; index counts from 0 */
    uint64_t size;                 /* 0: there is none */
};

struct ole2_state {
    uint32_t phase, shift, version;
    uint32_t fat_count,
        fat_known; /* sectors of the allocation table; those whose places are known */
    uint32_t difat_sector, difat_left;
    uint32_t dir_start, dir_count, minifat_start, minifat_count;
    uint32_t next;      /* of whatever the phase counts */
    uint32_t last_used; /* sector */
    uint32_t bits_at, dirs_at;
    bool has_bits, has_root, has_dirs;
    /* a chain that is being followed */
    uint32_t chain_sector, chain_len;
    bool chain_open;
    uint64_t budget; /* sectors that may still be followed */
    /* the directory */
    uint32_t dir_sector, entry;
    uint64_t mini_size;
    /* the root storage */
    uint8_t clsid[16];
    uint32_t stack[OLE2_STACK], stack_len, visited;
    uint64_t names; /* bits: known names that are there */
    struct ole2_stream parts[OLE2_PARTS];
    struct ole2_stream
        numbers; /* the table stream once more: where the second half of a list of pages is */
    /* the walk of records */
    uint32_t part, depth, back_seeks, pages;
    uint64_t at;
    bool begun;
    uint64_t bad_at; /* object offset where it is wrong */
    const char *why;
    uint32_t memory[OLE2_MEMORY];
};

static inline uint64_t ole2_offset(const struct ole2_state *state, uint32_t sector)
{
    return ((uint64_t)sector + 1) << state->shift;
}

/* The sector behind this one in its chain, or OLE2_END. Bad: none is. */
enum step ole2_follow(struct sig_input *in, struct ole2_state *state, uint32_t sector,
                      uint32_t *next);

/* Moves the stream to byte at of it; *place is that byte's object offset, *left how many bytes lie
 * there together (to the sector's end or the stream's). */
enum step ole2_seek(struct sig_input *in, struct ole2_state *state, struct ole2_stream *stream,
                    uint64_t at, uint64_t *place, uint32_t *left);

/* One entry of the root storage: name in UTF-16LE, len characters. Notes what it says about the
 * type. */
void ole2_name(struct ole2_state *state, const uint8_t *name, uint32_t len,
               const struct ole2_stream *stream);

/* What names and class say. */
const struct sig_type *ole2_type(const struct ole2_state *state);
extern const struct sig_type ole2_types[];
/* A wrapper around an encrypted document, in which streams of the usual names are there only for
 * show. */
bool ole2_is_encrypted(const struct ole2_state *state);

/* See struct sig. They are known of files of small sectors alone. */
uint32_t ole2_marks(const uint8_t *head, struct sig_mark *out);
bool ole2_is_mark(const uint8_t *head, const struct sig_mark *mark, const uint8_t *sector);
/* See struct sig. */
bool ole2_is_vague(uint32_t number);
bool ole2_may_be_mark(const uint8_t *head, const uint8_t *sector);

/* Walks the records of the streams of known structure. Bad: state->why, state->bad_at. */
enum step ole2_content(struct sig_input *in, struct ole2_state *state);

#endif
