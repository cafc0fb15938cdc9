/* SPDX-License-Identifier: Apache-2.0
 * carver/report/facts.h - what an object says of itself, while its row is there: see
 * docs/reference/facts.md for the keys.
 */
#ifndef BURIN_CARVER_REPORT_FACTS_H
#define BURIN_CARVER_REPORT_FACTS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "db/case.h"

enum {
    FACTS_MAX = 64,      /* facts of an object that are kept; a scan stores fewer */
    FACTS_TIME_MAX = 32, /* bytes of a time as text */
};

struct facts {
    struct db_fact items[FACTS_MAX]; /* texts are in the arena */
    uint32_t count;
    struct arena text;
    struct db_facts_follow *follow;
};

/* Errors: as in facts_read. To be closed in any case. */
ERR_MUST_CHECK enum err_code facts_open(struct facts *facts, struct db_case *db, struct err *err);
/* Those of another object, of that length. Errors: those of the case file; ERR_ENV. */
ERR_MUST_CHECK enum err_code facts_read(struct facts *facts, int64_t object_id, uint64_t len,
                                        struct err *err);
void facts_close(struct facts *facts);

/* The fact of a key, or NULL. With dates: one with ".local" behind the key where there is no other.
 */
const struct db_fact *facts_find(const struct facts *facts, const char *key);
const struct db_fact *facts_date(const struct facts *facts, const char *key);
/* The object's own date: the first of taken, modified and created, or NULL. */
const struct db_fact *facts_own_date(const struct facts *facts);

/* Whether the number of a fact is a date that has four digits of a year; and whether its file does
 * not say in which time zone. */
bool facts_is_date(const struct db_fact *fact);
bool facts_is_local(const struct db_fact *fact);
/* 2024-05-01T12:00:00Z; without the Z where the zone is not known. Of a date. */
void facts_time(const struct db_fact *fact, char out[FACTS_TIME_MAX]);

#endif
