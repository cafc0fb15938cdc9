/* SPDX-License-Identifier: Apache-2.0
 * signatures/archive/rar.h - what the files of the RAR family share: the walk (rar.c) and the two
 * kinds of headers (rar_4.c, rar_5.c). */
#ifndef BURIN_SIGNATURES_ARCHIVE_RAR_H
#define BURIN_SIGNATURES_ARCHIVE_RAR_H

#include "base/bytes.h"
#include "signatures/lib/step.h"
#include "signatures/sig.h"

enum {
    RAR_RATIO =
        100 /* data that unpack to more than so many times their size may look like anything */
};

enum rar_kind { RAR_MAIN, RAR_FILE, RAR_OTHER, RAR_END, RAR_ENCRYPTED };

/* A header and the data behind it. */
struct rar_block {
    enum rar_kind kind;
    uint32_t head_len;
    uint64_t data_len;
    bool compressed;   /* the data are */
    bool has_crc;      /* the data are those of a whole file as they are, and this is its CRC-32 */
    bool encrypted;    /* all headers behind this one are */
    bool more_volumes; /* follow this one, which ends here */
    bool needs_end;    /* the writer was new enough to put an end mark */
    uint32_t crc;
};

/* Reads the header at object offset at; its own checksum is right then. */
enum step rar_4_block(struct sig_input *in, uint64_t at, struct rar_block *block);
enum step rar_5_block(struct sig_input *in, uint64_t at, struct rar_block *block);

#endif
