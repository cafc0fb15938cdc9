/* SPDX-License-Identifier: Apache-2.0
 * base/err.h - errors as values that carry context.
 *
 * A function that can fail returns an enum err_code, which says what the caller may do about it,
 * and fills one caller-owned struct err, which says what a person needs to know. No module prints
 * an error or exits; a program does that in one place.
 *
 *   return ERR_RAISE(err, ERR_INPUT, "%s: not an image", path);  at the cause
 *   err_while(err, "reading part %u", i);                        once per layer that adds knowledge
 */
#ifndef BURIN_BASE_ERR_H
#define BURIN_BASE_ERR_H

#include <stdarg.h>

enum err_code {
    ERR_OK = 0,
    ERR_ARG,         /* the caller's words are wrong */
    ERR_INPUT,       /* image, dictionary or case file is wrong */
    ERR_IO,          /* evidence cannot be read at some place */
    ERR_ENV,         /* disk full, no memory, no permission, no device */
    ERR_FULL,        /* a named limit was reached; the caller splits the work or reports it */
    ERR_INTERRUPTED, /* a signal asked for a stop */
};

/* What there is too little of. A caller who knows how to do with less may add that to the text. */
enum err_lack { ERR_LACK_NOTHING, ERR_LACK_MEMORY, ERR_LACK_THREADS };

enum { ERR_TEXT_MAX = 1024 };

struct err {
    enum err_code code;
    enum err_lack lack;      /* ERR_LACK_NOTHING unless code is ERR_ENV */
    const char *where;       /* "file.c:line" of the cause; static */
    char text[ERR_TEXT_MAX]; /* what failed, on what, at which offset, why, what to do */
};

#define ERR_STR_(x) #x
#define ERR_STR(x) ERR_STR_(x)
#define ERR_MUST_CHECK __attribute__((warn_unused_result))

/* Fills err and is code, which is evaluated twice. err may be NULL when the caller wants no text.
 * Who reads the code sees that it is no ERR_OK: behind it nothing of what has failed is used. */
#define ERR_RAISE(err, code, ...)                                                                  \
    (err_raise((err), (code), __FILE__ ":" ERR_STR(__LINE__), __VA_ARGS__), (enum err_code)(code))

/* Returns code. */
enum err_code err_raise(struct err *err, enum err_code code, const char *where, const char *format,
                        ...) __attribute__((format(printf, 4, 5)));

/* ERR_RAISE of ERR_ENV, with what there is too little of. */
#define ERR_RAISE_LACK(err, lack, ...)                                                             \
    (err_raise_lack((err), (lack), __FILE__ ":" ERR_STR(__LINE__), __VA_ARGS__),                   \
     (enum err_code)ERR_ENV)

void err_raise_lack(struct err *err, enum err_lack lack, const char *where, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

/* Appends ", while ..." to the text of err. A text that does not fit is cut. err may be NULL. */
void err_while(struct err *err, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* ERR_RAISE_LACK for a failed allocation of size bytes. */
#define ERR_NO_MEMORY(err, size)                                                                   \
    ERR_RAISE_LACK((err), ERR_LACK_MEMORY, "no memory for %zu bytes; close other programs",        \
                   (size_t)(size))

#endif
