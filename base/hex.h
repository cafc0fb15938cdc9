/* base/hex.h - hexadecimal digits. */
#ifndef BURIN_BASE_HEX_H
#define BURIN_BASE_HEX_H

/* 0..15; -1 for what is no hexadecimal digit, of either case. */
static inline int hex_digit(char c)
{
    if (c >= '0' && c <= '9')
        return c - '0';
    if (c >= 'a' && c <= 'f')
        return c - 'a' + 10;
    return c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

#endif
