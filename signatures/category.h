/* SPDX-License-Identifier: Apache-2.0
 * signatures/category.h - what a type is for people: a picture, a document, mail, ... Each type
 * that a built-in signature tells has one category; categories.def is the list.
 */
#ifndef BURIN_SIGNATURES_CATEGORY_H
#define BURIN_SIGNATURES_CATEGORY_H

#include "signatures/sig.h"

enum sig_category {
    SIG_CATEGORY_PICTURES,
    SIG_CATEGORY_VIDEO,
    SIG_CATEGORY_SOUND,
    SIG_CATEGORY_DOCUMENTS,
    SIG_CATEGORY_MAIL, /* and contacts and calendars */
    SIG_CATEGORY_DATABASES,
    SIG_CATEGORY_ARCHIVES, /* and disk images */
    SIG_CATEGORY_KEYS,     /* and certificates, passwords, encrypted volumes, wallets */
    SIG_CATEGORY_SYSTEM,   /* what systems write: logs, registries, caches; and fonts */
    SIG_CATEGORY_PROGRAMS,
    SIG_CATEGORY_OTHER, /* types that are not built in: of rules of a configuration file */
    SIG_CATEGORY_COUNT
};

/* "pictures", ..., "other": static text. */
const char *sig_category_name(enum sig_category category);

/* The category of a type, by its name as it is; SIG_CATEGORY_OTHER where it is not built in. */
enum sig_category sig_category_of(const char *type);

#endif
