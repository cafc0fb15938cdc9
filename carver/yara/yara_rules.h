/* SPDX-License-Identifier: Apache-2.0
 * carver/yara/yara_rules.h - rules of YARA, compiled and tried on objects in a process without
 * rights (base/jailed.h).
 *
 *   yara_rules_add(&rules, "bad.yar", "default"); yara_rules_open(&rules);
 *   memcpy(yara_rules_room(&rules), object, len); yara_rules_try(&rules, len, &verdict);
 *
 * Rules mean what they mean to the program yara, but that they include no files. A build without
 * libyara has a yara_rules_open that says so.
 */
#ifndef BURIN_CARVER_YARA_RULES_H
#define BURIN_CARVER_YARA_RULES_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"

enum {
    YARA_RULES_FILES_MAX = 256,
    YARA_RULES_FILE_BYTES = 16 << 20,    /* of a file of rules */
    YARA_RULES_BYTES = 64 << 20,         /* of all of them */
    YARA_RULES_OBJECT_BYTES = 256 << 20, /* of an object that are looked at */
    YARA_RULES_MATCHES_MAX = 1024,       /* rules that are told of an object */
    YARA_RULES_NAME_MAX = 128,           /* bytes of a name: what YARA allows */
    YARA_RULES_TAGS_MAX = 255,
    YARA_RULES_WHY_MAX = 128,
    YARA_RULES_SECONDS = 60, /* for an object, where nothing else is said */
    YARA_RULES_SECONDS_MAX = 86400,
};

/* A rule that an object meets. Names are letters, digits and "_", that of a string begins with "$".
 */
struct yara_rules_match {
    char rule[YARA_RULES_NAME_MAX + 1];
    char space[YARA_RULES_NAME_MAX + 1];  /* its namespace, as yara_rules_add had it */
    char tags[YARA_RULES_TAGS_MAX + 1];   /* with commas between; "": none. Those that fit */
    char string[YARA_RULES_NAME_MAX + 2]; /* the string that matches first; "": no string did */
    uint64_t offset;                      /* of that in the object; 0 without one */
};

struct yara_rules_verdict {
    const struct yara_rules_match *matches; /* the rules'; until the next call */
    uint32_t count;
    uint64_t left_out;            /* rules that the object meets beside these */
    char why[YARA_RULES_WHY_MAX]; /* why it is not decided; "": it is */
};

struct yara_rules_file {
    char *path, *space, *text; /* owned */
};

struct yara_rules_work;

/* Zeroed: none. It stays where it is from yara_rules_open to yara_rules_close. */
struct yara_rules {
    struct yara_rules_file files[YARA_RULES_FILES_MAX];
    uint32_t file_count;
    uint64_t bytes;               /* of their texts */
    uint32_t seconds;             /* that YARA may take for an object */
    uint32_t rule_count;          /* once open: those that can be told; private ones are not */
    struct yara_rules_work *work; /* owned; NULL: not open */
};

/*
 * Reads a file of rules, in a namespace of YARA. Errors: ERR_INPUT: it cannot be read, is too large
 * or has a NUL; ERR_ENV: no memory.
 */
ERR_MUST_CHECK enum err_code yara_rules_add(struct yara_rules *rules, const char *path,
                                            const char *space, struct err *err);

/*
 * Loads libyara, and compiles what was added. To be called before the command gives up rights, and
 * while it has one thread. seconds: of the clock, that an object may take.
 * Errors: ERR_INPUT: "FILE:LINE: ..." for a rule that is wrong; ERR_ENV: no libyara, process or
 * memory.
 */
ERR_MUST_CHECK enum err_code yara_rules_open(struct yara_rules *rules, uint32_t seconds,
                                             struct err *err);
void yara_rules_close(struct yara_rules *rules); /* of a zeroed one: a no-op */

uint8_t *yara_rules_room(struct yara_rules *rules); /* YARA_RULES_OBJECT_BYTES for an object */

/* Tries the rules on the first len bytes of the room, YARA_RULES_OBJECT_BYTES at most. */
void yara_rules_try(struct yara_rules *rules, uint32_t len, struct yara_rules_verdict *out);

#endif
