/* base/hex.h - hexadecimal digits. */
#ifndef BURIN_BASE_HEX_H
#define BURIN_BASE_HEX_H

/* The value of a hexadecimal digit of either case, 0..15; -1 when c is not one. */
static inline int hex_digit(char c)
{
    if (c >= '0' && c <= '9')
        return c - '0';
    if (c >= 'a' && c <= 'f')
        return c - 'a' + 10;
    return c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

#endif
