/* SPDX-License-Identifier: Apache-2.0
 * carver/feature/check_net.c - domains and addresses of networks: see check.h. */
#include <arpa/inet.h>
#include <string.h>

#include "carver/feature/check.h"
#include "carver/feature/letter.h"

enum { TLD_MAX = 24 /* characters of the longest one, and more */ };

static const char *const check_tlds[] = {
#include "carver/feature/tlds.def"
};

bool check_tld(const char *text, size_t len)
{
    size_t low = 0, high = sizeof check_tlds / sizeof check_tlds[0], small = 0;
    char name[TLD_MAX + 1];

    if (len > 4 && len <= CHECK_LABEL_MAX && (memcmp(text, "xn--", 4) == 0))
        return true;
    if (len < 2 || len > TLD_MAX)
        return false;
    for (size_t i = 0; i < len; i++) {
        if (!letter_alpha(text[i]))
            return false;
        small += letter_lower(text[i]);
        name[i] = letter_small(text[i]);
    }
    name[len] = '\0';
    if (small != 0 && small != len)
        return false;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        const int order = strcmp(name, check_tlds[middle]);

        if (order == 0)
            return true;
        if (order < 0)
            high = middle;
        else
            low = middle + 1;
    }
    return false;
}

bool check_domain(const char *text, size_t len)
{
    size_t label = 0, labels = 0;

    if (len > CHECK_DOMAIN_MAX)
        return false;
    for (size_t i = 0; i <= len; i++) {
        if (i < len && text[i] != '.') {
            if (!letter_alnum(text[i]) && text[i] != '-')
                return false;
            continue;
        }
        if (i == label || i - label > CHECK_LABEL_MAX || text[label] == '-' || text[i - 1] == '-')
            return false;
        if (i == len)
            return labels > 0 && check_tld(text + label, len - label);
        labels++;
        label = i + 1;
    }
    return false;
}

bool check_ipv4(const char *text, size_t len)
{
    uint32_t parts[4] = { 0 }, part = 0, digits = 0;

    for (size_t i = 0; i < len; i++) {
        if (text[i] == '.' && digits > 0 && part < 3) {
            part++;
            digits = 0;
        } else if (letter_digit(text[i]) && digits < 3 && !(digits == 1 && parts[part] == 0)) {
            parts[part] = parts[part] * 10 + (uint32_t)(text[i] - '0');
            digits++;
        } else {
            return false;
        }
    }
    for (uint32_t i = 0; i < 4; i++)
        if (parts[i] > 255)
            return false;
    return part == 3 && digits > 0 && parts[0] >= 1 && parts[0] <= 239;
}

bool check_ipv6(const char *text, size_t len)
{
    char copy[INET6_ADDRSTRLEN];
    uint8_t address[16];

    if (len >= sizeof copy || memchr(text, '\0', len) != NULL)
        return false;
    memcpy(copy, text, len);
    copy[len] = '\0';
    if (inet_pton(AF_INET6, copy, address) != 1)
        return false;
    return address[0] >> 5 == 1 || address[0] >> 1 == 0xfc >> 1 || address[0] == 0xff ||
           (address[0] == 0xfe && address[1] >> 6 == 2);
}
