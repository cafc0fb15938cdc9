/* SPDX-License-Identifier: Apache-2.0
 * carver/cli/devices.c - see devices.h. */
#include <stdlib.h>
#include <string.h>

#include "carver/cli/devices.h"
#include "match/matcher.h"

/* One number; *at is behind it then. */
static bool devices_number(const char **at, uint32_t *number)
{
    const char *text = strncmp(*at, "cuda", 4) == 0 ? *at + 4 : *at;
    char *end = NULL;

    if (*text < '0' || *text > '9')
        return false;
    const unsigned long value = strtoul(text, &end, 10);
    if (value >= MATCH_DEVICES_MAX)
        return false;
    *number = (uint32_t)value;
    *at = end;
    return true;
}

enum err_code devices_read(const char *text, uint32_t *mask, struct err *err)
{
    const char *at = text;

    *mask = MATCH_DEVICES_ALL;
    if (strcmp(text, "all") == 0)
        return ERR_OK;
    *mask = 0;
    for (;; at++) {
        uint32_t number = 0;

        if (!devices_number(&at, &number) || (*at != ',' && *at != '\0'))
            return ERR_RAISE(
                err, ERR_ARG,
                "--devices %s: write \"all\", or numbers from 0 to %d with commas between", text,
                MATCH_DEVICES_MAX - 1);
        if (*mask >> number & 1)
            return ERR_RAISE(err, ERR_ARG, "--devices %s: device %u is named twice", text, number);
        *mask |= UINT32_C(1) << number;
        if (*at == '\0')
            return ERR_OK;
    }
}

enum err_code devices_check(const char *text, uint32_t mask, struct err *err)
{
    if (mask == MATCH_DEVICES_ALL ||
        mask == 1) /* nothing but a broken runtime can be wrong, and the scan will say so */
        return ERR_OK;
    const uint32_t count = match_device_count();
    if (match_device_missing() != NULL)
        return ERR_RAISE(err, ERR_ENV, "--devices %s: there is no device: %s", text,
                         match_device_missing());
    for (uint32_t i = 0; i < MATCH_DEVICES_MAX; i++)
        if ((mask >> i & 1) != 0 && i >= count)
            return ERR_RAISE(
                err, ERR_ENV,
                "--devices %s: there is no device %u; there are %u, numbered from 0 (burin info "
                "--devices)",
                text, i, count);
    return ERR_OK;
}
