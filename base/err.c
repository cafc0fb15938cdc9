/* SPDX-License-Identifier: Apache-2.0
 * base/err.c - see err.h. */
#include <stdio.h>
#include <string.h>

#include "base/err.h"

static void err_set(struct err *err, enum err_code code, enum err_lack lack, const char *where,
                    const char *format, va_list args)
{
    if (err == NULL)
        return;
    err->code = code;
    err->lack = lack;
    err->where = where;
    vsnprintf(err->text, sizeof err->text, format, args);
}

enum err_code err_raise(struct err *err, enum err_code code, const char *where, const char *format,
                        ...)
{
    va_list args;

    va_start(args, format);
    err_set(err, code, ERR_LACK_NOTHING, where, format, args);
    va_end(args);
    return code;
}

void err_raise_lack(struct err *err, enum err_lack lack, const char *where, const char *format, ...)
{
    va_list args;

    va_start(args, format);
    err_set(err, ERR_ENV, lack, where, format, args);
    va_end(args);
}

void err_while(struct err *err, const char *format, ...)
{
    static const char joint[] = ", while ";
    va_list args;

    if (err == NULL)
        return;
    size_t used = strlen(err->text);
    if (used + sizeof joint >= sizeof err->text)
        return;
    memcpy(err->text + used, joint, sizeof joint);
    used += sizeof joint - 1;
    va_start(args, format);
    vsnprintf(err->text + used, sizeof err->text - used, format, args);
    va_end(args);
}
