/* SPDX-License-Identifier: Apache-2.0
 * signatures/disk/iso_files.h - do the files of a disc image begin as their names say? Directories
 * lie together at its front, so an image that goes on in another place has all of them in order,
 * and none of its files.
 */
#ifndef BURIN_SIGNATURES_DISK_ISO_FILES_H
#define BURIN_SIGNATURES_DISK_ISO_FILES_H

#include "signatures/lib/step.h"
#include "signatures/sig.h"

enum { ISO_FILES_MAX = 4096 }; /* files looked at; those of the first directories */

struct iso_files {
    uint32_t count, next;  /* next: those before it have been looked at */
    uint32_t known, wrong; /* of those: of a kind that is known, and not beginning as it does */
    struct {
        uint64_t at; /* object offset */
        uint32_t kind;
    } files[ISO_FILES_MAX]; /* in ascending order of offset */
};

/* Notes a file of that name (identifier of a directory record: "NAME.EXT;1") at object offset at.
 */
void iso_files_note(struct iso_files *files, const uint8_t *name, uint32_t name_len, uint64_t at);

/* STEP_BAD: too many of them begin as no file of their kind does. */
enum step iso_files_check(struct sig_input *in, struct iso_files *files);

#endif
