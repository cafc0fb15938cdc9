/* base/err.c - see err.h. */
#include <stdio.h>
#include <string.h>

#include "base/err.h"

enum err_code err_raise(struct err *err, enum err_code code, const char *where, const char *format,
                        ...)
{
    if (err != NULL) {
        va_list args;

        err->code = code;
        err->where = where;
        va_start(args, format);
        vsnprintf(err->text, sizeof err->text, format, args);
        va_end(args);
    }
    return code;
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
