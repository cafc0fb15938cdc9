/*
 * base/err.h - errors as values that carry context.
 *
 * A function that can fail returns an enum err_code, which says what the caller may do about it,
 * and fills one caller-owned struct err, which says what a person needs to know. Nothing but
 * carver/main.c prints or exits.
 *
 *   return ERR_RAISE(err, ERR_INPUT, "%s: not an image", path);  at the cause
 *   err_while(err, "reading part %u", i);                        once per layer that adds knowledge
 */
#ifndef BURIN_BASE_ERR_H
#define BURIN_BASE_ERR_H

#include <stdarg.h>

enum err_code {
    ERR_OK = 0,
    ERR_ARG,   /* the caller's words are wrong: exit status 2 */
    ERR_INPUT, /* image, dictionary or case file is wrong: exit status 3 */
    /* Evidence cannot be read at some place: exit status 1 if the work goes on, else 3 */
    ERR_IO,
    ERR_ENV,         /* disk full, no memory, no permission, no device: exit status 4 */
    ERR_FULL,        /* a named limit was reached; the caller splits the work or reports it */
    ERR_INTERRUPTED, /* a signal asked for a stop: exit status 130 */
};

enum { ERR_TEXT_MAX = 1024 };

struct err {
    enum err_code code;
    const char *where;       /* "file.c:line" of the cause; static */
    char text[ERR_TEXT_MAX]; /* what failed, on what, at which offset, why, what to do */
};

#define ERR_STR_(x) #x
#define ERR_STR(x) ERR_STR_(x)
#define ERR_MUST_CHECK __attribute__((warn_unused_result))

/* Fills err and returns code. err may be NULL when the caller wants no text. */
#define ERR_RAISE(err, code, ...)                                                                  \
    err_raise((err), (code), __FILE__ ":" ERR_STR(__LINE__), __VA_ARGS__)

enum err_code err_raise(struct err *err, enum err_code code, const char *where, const char *format,
                        ...) __attribute__((format(printf, 4, 5)));

/* Appends ", while ..." to the text of err. A text that does not fit is cut. err may be NULL. */
void err_while(struct err *err, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* ERR_RAISE for a failed allocation of size bytes. */
#define ERR_NO_MEMORY(err, size)                                                                   \
    ERR_RAISE((err), ERR_ENV,                                                                      \
              "no memory for %zu bytes; close other programs or use a smaller --segment",          \
              (size_t)(size))

#endif
