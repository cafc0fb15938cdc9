/* SPDX-License-Identifier: Apache-2.0
 * match/pattern/letter.h - the cases of ASCII letters, the same on the host and on a device. */
#ifndef BURIN_MATCH_PATTERN_LETTER_H
#define BURIN_MATCH_PATTERN_LETTER_H

#include <stdint.h>

#include "base/host_device.h"

/* The other case of an ASCII letter; any other byte as it is. */
HOST_DEVICE uint8_t match_other_case(uint8_t byte)
{
    const uint8_t small = (uint8_t)(byte | 0x20);

    return small >= 'a' && small <= 'z' ? (uint8_t)(byte ^ 0x20) : byte;
}

#endif
