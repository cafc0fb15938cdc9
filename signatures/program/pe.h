/* SPDX-License-Identifier: Apache-2.0
 * signatures/program/pe.h - what the parts of the PE validator share; nobody else includes it.
 *
 *   pe.c          headers, the length, the checksum
 *   pe_content.c  what the directories point to: it must make sense where no checksum proves the
 *                 whole
 *   pe_old.c      programs of DOS and 16-bit Windows
 */
#ifndef BURIN_SIGNATURES_PROGRAM_PE_H
#define BURIN_SIGNATURES_PROGRAM_PE_H

#include "base/bytes.h"
#include "signatures/lib/step.h"
#include "signatures/sig.h"

enum {
    PE_DOS_HEAD = 64,
    PE_SECTIONS_MAX = 96, /* what Windows loads */
    PE_DIRECTORIES = 16,
    PE_EXPORT = 0,
    PE_IMPORT = 1,
    PE_RESOURCE = 2,
    PE_EXCEPTION = 3,
    PE_CERTIFICATE = 4,
    PE_RELOCATION = 5,
    PE_DEBUG = 6,
    PE_CLR = 14,
};

struct pe_section {
    uint32_t address, memory; /* where it is loaded, and how much of memory it takes */
    uint32_t at, size;        /* in the file */
};

struct pe_directory {
    uint32_t address, size;
};

struct pe_header {
    bool wide; /* 64 bits */
    uint16_t machine, characteristics, subsystem, flags;
    uint32_t at; /* of "PE\0\0" */
    uint32_t section_count, symbols_at, symbol_count, checksum, image_size, headers_size;
    uint32_t align; /* of sections in memory */
    uint64_t image_base;
    struct pe_directory directories[PE_DIRECTORIES];
    struct pe_section sections[PE_SECTIONS_MAX];
};

struct pe_state {
    struct pe_header header;
    uint64_t length;    /* of the file; 0: the headers have not been read */
    uint64_t summed;    /* bytes the checksum has seen */
    uint64_t sum;       /* of 32-bit words: the same as of 16-bit words modulo 65535 */
    uint32_t directory; /* the next content to be checked */
    uint64_t entry;     /* where it goes on */
    uint32_t last;      /* what the last entry said */
    uint32_t path[3];   /* in the tree of resources: type, name, language */
};

/* The object offset of an address in memory; 0: it is not in the file. *rest: bytes of the section
 * from there on. */
uint64_t pe_place(const struct pe_header *header, uint32_t address, uint32_t *rest);

/* Everything the directories point to; *why is set with STEP_BAD. */
enum step pe_content(struct sig_input *in, struct pe_state *state, const char **why);

/* A program whose e_lfarlc or whose new header says that it is not PE; head: its first PE_DOS_HEAD
 * bytes. */
struct sig_result pe_old_check(struct sig_input *in, const uint8_t *head);

#endif
