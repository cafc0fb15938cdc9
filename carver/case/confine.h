/* SPDX-License-Identifier: Apache-2.0
 * carver/case/confine.h - what a command gives up before it reads bytes that may mean harm, and
 * what it keeps.
 *
 *   confine_open(&confine, off, CONFINE_ALL);
 *   confine_evidence(&confine, image); confine_case(&confine, case_path);   what it keeps
 *   rc = confine_enter(&confine, err);                                      all else is gone, for
 * ever
 *
 * Programs of the system's folders are never run and no connection is made; files are read where
 * the evidence, the case and the system's libraries are, and written below the folders of the
 * outputs. See docs/reference/architecture.md. Any of it may be missing in a kernel: confine.note
 * says it, for the log of the case. To be called before the command starts threads. A second time
 * narrows.
 */
#ifndef BURIN_CARVER_CASE_CONFINE_H
#define BURIN_CARVER_CASE_CONFINE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "base/jail.h"

#define CONFINE_TEXT                                                                               \
    "  --no-jail            give up no rights while evidence is read (see NOTES of burin(1))\n"

enum { CONFINE_NOTE_MAX = 512 };

struct confine {
    struct jail_rules rules;
    bool off;           /* --no-jail */
    bool all;           /* reading too; else writing alone */
    bool entered;       /* once before */
    bool images;        /* processes that read images will be needed, */
    bool prepared;      /* and are prepared for */
    uint32_t calls;     /* flags of jail_calls */
    uint64_t keep;      /* capabilities */
    char why_keep[128]; /* of those that are kept beside reading: for the note */
    char note[CONFINE_NOTE_MAX];
};

/* Which rules: of all files, or, while it is not known yet what will be read, of writing alone. */
enum confine_about { CONFINE_ALL, CONFINE_WRITING };

/* Begins, the first time with a struct of zeros. off: nothing is given up, and the note says so. */
void confine_open(struct confine *confine, bool off, enum confine_about about);

/*
 * Keeps what people have named themselves and another process reaches (io/reach.h), of images whose
 * files are kept later. To be called before confine_enter for the first time: a case file is not
 * trusted with hosts of a network.
 */
void confine_reach(struct confine *confine, const char *const *paths, uint32_t count);

/* Keeps what it takes to read this image, whatever it consists of. */
void confine_evidence(struct confine *confine, const char *path);

/* To read this file, or what is below this folder. */
void confine_read(struct confine *confine, const char *path);

/*
 * To write in the folder of this case file, or set, and what SQLite puts aside there. It need not
 * exist.
 */
void confine_case(struct confine *confine, const char *path);

/* To write below this folder, or where it is to be made. */
void confine_folder(struct confine *confine, const char *path);

/* To use GPUs. */
void confine_devices(struct confine *confine);

/* Gives up the rest. ERR_ENV: no process for images. */
ERR_MUST_CHECK enum err_code confine_enter(struct confine *confine, struct err *err);

#endif
