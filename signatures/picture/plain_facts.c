/* SPDX-License-Identifier: Apache-2.0
 * signatures/picture/plain_facts.c - the size of pictures that say little more of themselves. Each
 * source is named in the format's own file. */
#include <string.h>

#include "base/bytes.h"
#include "signatures/facts/exif.h"
#include "signatures/picture/picture_facts.h"

void gif_facts(struct sig_facts *facts)
{
    const uint8_t *size = tell_bytes(facts, 6, 4);

    if (size != NULL)
        tell_size(facts, bytes_u16le(size), bytes_u16le(size + 2));
}

void bmp_facts(struct sig_facts *facts)
{
    const uint8_t *head = tell_bytes(facts, 14, 12);

    if (head == NULL)
        return;
    if (bytes_u32le(head) == 12) { /* the header of OS/2 */
        tell_size(facts, bytes_u16le(head + 4), bytes_u16le(head + 6));
        return;
    }
    const uint32_t width = bytes_u32le(head + 4), height = bytes_u32le(head + 8);
    tell_size(facts, width, height > INT32_MAX ? 0 - height : height); /* negative: from the top */
}

void tiff_facts(struct sig_facts *facts)
{
    exif_tell(facts, 0, tell_len(facts), true);
}

/* A codestream's SIZ follows its SOC; in a file of boxes ihdr has the size. */
void jp2_facts(struct sig_facts *facts)
{
    const uint8_t *head = tell_bytes(facts, 0, 24);

    if (head != NULL && memcmp(head, "\xff\x4f\xff\x51", 4) == 0) {
        tell_size(facts, bytes_u32be(head + 8) - bytes_u32be(head + 16),
                  bytes_u32be(head + 12) - bytes_u32be(head + 20));
        return;
    }
    head = tell_bytes(facts, 0, 256);
    const uint8_t *ihdr = head != NULL ? memmem(head, 256 - 12, "ihdr", 4) : NULL;
    if (ihdr != NULL)
        tell_size(facts, bytes_u32be(ihdr + 8), bytes_u32be(ihdr + 4));
}

/* Of the largest picture; 0 stands for 256. */
void ico_facts(struct sig_facts *facts)
{
    const uint8_t *head = tell_bytes(facts, 4, 2);
    const uint32_t count = head != NULL ? bytes_u16le(head) : 0;
    uint32_t width = 0, height = 0;

    for (uint32_t i = 0; i < count && i < 64; i++) {
        const uint8_t *entry = tell_bytes(facts, 6 + UINT64_C(16) * i, 2);

        if (entry == NULL)
            break;
        if (((entry[0] - 1u) & 0xff) + 1 > width) {
            width = ((entry[0] - 1u) & 0xff) + 1;
            height = ((entry[1] - 1u) & 0xff) + 1;
        }
    }
    tell_size(facts, width, height);
}

void pcx_facts(struct sig_facts *facts)
{
    const uint8_t *head = tell_bytes(facts, 4, 8);

    if (head != NULL && bytes_u16le(head + 4) >= bytes_u16le(head) &&
        bytes_u16le(head + 6) >= bytes_u16le(head + 2))
        tell_size(facts, bytes_u16le(head + 4) - bytes_u16le(head) + 1u,
                  bytes_u16le(head + 6) - bytes_u16le(head + 2) + 1u);
}

/* Two numbers of 4 bytes. */
static void plain_facts_two(struct sig_facts *facts, uint64_t at, bool big)
{
    const uint8_t *size = tell_bytes(facts, at, 8);

    if (size != NULL)
        tell_size(facts, big ? bytes_u32be(size) : bytes_u32le(size),
                  big ? bytes_u32be(size + 4) : bytes_u32le(size + 4));
}

/* The height stands first. */
void dds_facts(struct sig_facts *facts)
{
    const uint8_t *size = tell_bytes(facts, 12, 8);

    if (size != NULL)
        tell_size(facts, bytes_u32le(size + 4), bytes_u32le(size));
}

void tga_facts(struct sig_facts *facts)
{
    const uint8_t *size = tell_bytes(facts, 12, 4);

    if (size != NULL)
        tell_size(facts, bytes_u16le(size), bytes_u16le(size + 2));
}

void sgi_facts(struct sig_facts *facts)
{
    const uint8_t *size = tell_bytes(facts, 6, 4);

    if (size != NULL)
        tell_size(facts, bytes_u16be(size), bytes_u16be(size + 2));
}

void sun_facts(struct sig_facts *facts)
{
    plain_facts_two(facts, 4, true);
}

void qoi_facts(struct sig_facts *facts)
{
    plain_facts_two(facts, 4, true);
}

void dpx_facts(struct sig_facts *facts)
{
    const uint8_t *magic = tell_bytes(facts, 0, 4);

    if (magic != NULL)
        plain_facts_two(facts, 772, memcmp(magic, "SDPX", 4) == 0);
}

/* Numbers in decimal behind the first two characters, and comments from # to the end of a line. */
void pnm_facts(struct sig_facts *facts)
{
    const uint64_t len = tell_len(facts);
    const uint32_t want = len < 1024 ? (uint32_t)len : 1024;
    const uint8_t *text = want > 2 ? tell_bytes(facts, 0, want) : NULL;
    uint64_t numbers[2] = { 0, 0 };
    uint32_t at = 2;

    for (uint32_t i = 0; text != NULL && text[1] != '7' && i < 2; i++) {
        while (at < want && (text[at] < '0' || text[at] > '9'))
            if (text[at] == '#')
                while (at < want && text[at] != '\n')
                    at++;
            else
                at++;
        for (; at < want && text[at] >= '0' && text[at] <= '9' && numbers[i] < 1000000000; at++)
            numbers[i] = numbers[i] * 10 + (text[at] - '0');
    }
    tell_size(facts, numbers[0], numbers[1]);
}

/* Attributes: name, type, each with its NUL | length | value. dataWindow: the first and last pixel.
 */
void exr_facts(struct sig_facts *facts)
{
    static const char name[] = "dataWindow\0box2i\0\x10\0\0";
    const uint64_t len = tell_len(facts);
    const uint32_t want = len < 4096 ? (uint32_t)len : 4096;
    const uint8_t *text = tell_bytes(facts, 0, want);
    const uint8_t *found = text != NULL ? memmem(text, want, name, sizeof name) : NULL;

    if (found == NULL || want - (size_t)(found - text) < sizeof name + 16)
        return;
    found += sizeof name;
    tell_size(facts, bytes_u32le(found + 8) - bytes_u32le(found) + 1,
              bytes_u32le(found + 12) - bytes_u32le(found + 4) + 1);
}

/* A number of 7 bits a byte at *at, which goes behind it. */
static uint64_t plain_facts_seven(const uint8_t *text, uint32_t len, uint32_t *at)
{
    uint64_t value = 0;

    while (*at < len && value < UINT64_C(1) << 32) {
        value = value << 7 | (text[*at] & 0x7f);
        if ((text[(*at)++] & 0x80) == 0)
            return value;
    }
    return 0;
}

void bpg_facts(struct sig_facts *facts)
{
    const uint8_t *head = tell_bytes(facts, 0, 16);
    uint32_t at = 6;

    if (head == NULL)
        return;
    const uint64_t width = plain_facts_seven(head, 16, &at);
    tell_size(facts, width, plain_facts_seven(head, 16, &at));
}

/* Behind the header's empty line: "-Y height +X width". Pictures that are turned have other signs
 * and orders. */
void hdr_facts(struct sig_facts *facts)
{
    const uint64_t len = tell_len(facts);
    const uint32_t want = len < 2048 ? (uint32_t)len : 2048;
    const uint8_t *text = tell_bytes(facts, 0, want);
    const uint8_t *line = text != NULL ? memmem(text, want, "\n\n", 2) : NULL;

    if (line == NULL)
        return;
    line += 2;
    const size_t left = want - (size_t)(line - text);
    uint64_t numbers[2] = { 0, 0 };
    size_t at = 3;
    if (left < 10 || memcmp(line, "-Y ", 3) != 0)
        return;
    for (uint32_t i = 0; i < 2; i++) {
        for (; at < left && line[at] >= '0' && line[at] <= '9' && numbers[i] < 1000000000; at++)
            numbers[i] = numbers[i] * 10 + (line[at] - '0');
        if (i == 0 && (left - at < 4 || memcmp(line + at, " +X ", 4) != 0))
            return;
        at += 4;
    }
    tell_size(facts, numbers[1], numbers[0]);
}

/* MHDR and JHDR begin as PNG's IHDR does. */
void mng_facts(struct sig_facts *facts)
{
    plain_facts_two(facts, 16, true);
}
