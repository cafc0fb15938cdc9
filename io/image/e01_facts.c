/* SPDX-License-Identifier: Apache-2.0
 * io/image/e01_facts.c - see e01_facts.h.
 *
 * The body of "hash" is an MD5 and 16 bytes, that of "digest" an MD5, an SHA-1 and 40 bytes; both
 * end in the Adler-32 of that. "header" and "header2" are texts packed by zlib, the second one in
 * UTF-16: the third line has the names of the columns of the fourth, between tabs.
 * Source: libewf, "Expert Witness Compression Format (EWF)", "Header section" and following.
 */
#include "io/image/e01_facts.h"

#include <libdeflate.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/bytes.h"
#include "base/hex.h"
#include "io/image/file.h"

enum {
    FACTS_HASH_SUM = 32,
    FACTS_DIGEST_SUM = 76,
    FACTS_SUM_LEN = 4,
    FACTS_MD5_LEN = 16,
    FACTS_SHA1_LEN = 20,
    FACTS_PACKED_MAX = 64 << 10, /* bytes of a header; longer ones are left alone */
    FACTS_TEXT_MAX = 256 << 10,
    FACTS_TEXT_FIRST = 8 << 10, /* bytes in which nearly all texts have room */
    FACTS_NAMES_LINE = 2,
};

static bool facts_hash(const char *name, const uint8_t *hash, size_t len, io_e01_fact_fn add,
                       void *arg)
{
    static const uint8_t zeros[FACTS_SHA1_LEN];
    char text[2 * FACTS_SHA1_LEN + 1];

    if (memcmp(hash, zeros, len) == 0)
        return true; /* it was not computed */
    hex_bytes(hash, len, text);
    text[2 * len] = '\0';
    return add(arg, name, text);
}

static bool facts_hashes(const struct io_ewf_section *section, bool digest, io_e01_fact_fn add,
                         void *arg)
{
    const uint32_t sum = digest ? FACTS_DIGEST_SUM : FACTS_HASH_SUM;
    uint8_t body[FACTS_DIGEST_SUM + FACTS_SUM_LEN];

    if (section->end < section->at || section->end - section->at < sum + FACTS_SUM_LEN ||
        io_file_pread(section->fd, section->at, body, sum + FACTS_SUM_LEN) != 0 ||
        libdeflate_adler32(1, body, sum) != bytes_u32le(body + sum))
        return true;
    return facts_hash("md5", body, FACTS_MD5_LEN, add, arg) &&
           (!digest || facts_hash("sha1", body + FACTS_MD5_LEN, FACTS_SHA1_LEN, add, arg));
}

/* UTF-16LE of len bytes as UTF-8; half a pair becomes a question mark. out has room for 3 / 2 of
 * it and a NUL. */
static void facts_utf8(const uint8_t *in, size_t len, char *out)
{
    for (size_t i = 0; i + 1 < len; i += 2) {
        uint32_t c = bytes_u16le(in + i);
        const uint32_t low = i + 3 < len ? bytes_u16le(in + i + 2) : 0;

        if (c == 0xfeff && i == 0)
            continue;
        if (c >= 0xd800 && c < 0xdc00 && low >= 0xdc00 && low < 0xe000) {
            c = 0x10000 + ((c - 0xd800) << 10) + (low - 0xdc00);
            *out++ = (char)(0xf0 | c >> 18);
            *out++ = (char)(0x80 | (c >> 12 & 0x3f));
            *out++ = (char)(0x80 | (c >> 6 & 0x3f));
            *out++ = (char)(0x80 | (c & 0x3f));
            i += 2;
        } else if (c >= 0xd800 && c < 0xe000) {
            *out++ = '?';
        } else if (c >= 0x800) {
            *out++ = (char)(0xe0 | c >> 12);
            *out++ = (char)(0x80 | (c >> 6 & 0x3f));
            *out++ = (char)(0x80 | (c & 0x3f));
        } else if (c >= 0x80) {
            *out++ = (char)(0xc0 | c >> 6);
            *out++ = (char)(0x80 | (c & 0x3f));
        } else {
            *out++ = (char)c;
        }
    }
    *out = '\0';
}

/* Seconds since 1970 as a time of UTC; anything else stays as it is. */
static void facts_time(const char *value, char text[64])
{
    char *end;
    const long long seconds = strtoll(value, &end, 10);
    const time_t when = (time_t)seconds;
    struct tm tm;

    snprintf(text, 64, "%s", value);
    if (end != value && *end == '\0' && seconds > 0 && gmtime_r(&when, &tm) != NULL)
        strftime(text, 64, "%Y-%m-%dT%H:%M:%SZ", &tm);
}

static bool facts_column(const char *column, const char *value, io_e01_fact_fn add, void *arg)
{
    static const char *const known[][2] = {
        { "c", "case number" }, { "n", "evidence number" }, { "a", "description" },
        { "e", "examiner" },    { "t", "notes" },           { "m", "acquired" },
        { "u", "system date" }, { "ov", "system" },         { "av", "tool" },
        { "md", "model" },      { "sn", "serial number" },
    };
    char text[64];

    for (uint32_t i = 0; value[0] != '\0' && i < sizeof known / sizeof known[0]; i++) {
        if (strcmp(column, known[i][0]) != 0)
            continue;
        if (column[0] == 'u' || strcmp(column, "m") == 0) {
            facts_time(value, text);
            value = text;
        }
        return add(arg, known[i][1], value);
    }
    return true;
}

/* Goes through the columns of two lines, which it cuts up. */
static bool facts_columns(char *text, io_e01_fact_fn add, void *arg)
{
    char *names = NULL, *values = NULL;
    bool ok = true;

    for (uint32_t line = 0; text != NULL && line <= FACTS_NAMES_LINE + 1; line++) {
        char *one = strsep(&text, "\n");

        one[strcspn(one, "\r")] = '\0';
        if (line == FACTS_NAMES_LINE)
            names = one;
        else if (line > FACTS_NAMES_LINE)
            values = one;
    }
    while (ok && names != NULL && values != NULL) {
        const char *name = strsep(&names, "\t"), *value = strsep(&values, "\t");

        ok = facts_column(name, value, add, arg);
    }
    return ok;
}

/* *plain: the text of a section of len bytes, for free, or NULL where it has none that can be read;
 * *made: bytes of it. False: no memory. */
static bool facts_unpack(const struct io_ewf_section *section, size_t len, uint8_t **plain,
                         size_t *made)
{
    struct libdeflate_decompressor *deflate = libdeflate_alloc_decompressor();
    uint8_t *packed = malloc(len);
    bool ok = deflate != NULL && packed != NULL;
    enum libdeflate_result result = LIBDEFLATE_INSUFFICIENT_SPACE;
    size_t used = 0;

    *plain = NULL;
    if (!ok || io_file_pread(section->fd, section->at, packed, len) != 0)
        result = LIBDEFLATE_BAD_DATA;
    for (size_t room = FACTS_TEXT_FIRST;
         ok && result == LIBDEFLATE_INSUFFICIENT_SPACE && room <= FACTS_TEXT_MAX; room *= 2) {
        free(*plain);
        *plain = malloc(room);
        ok = *plain != NULL;
        if (ok)
            result = libdeflate_zlib_decompress_ex(deflate, packed, len, *plain, room, &used, made);
    }
    if (result != LIBDEFLATE_SUCCESS) {
        free(*plain);
        *plain = NULL;
    }
    libdeflate_free_decompressor(deflate);
    free(packed);
    return ok;
}

static bool facts_text(const struct io_ewf_section *section, bool wide, io_e01_fact_fn add,
                       void *arg)
{
    const size_t len = section->end <= section->at ? 0 : (size_t)(section->end - section->at);
    uint8_t *plain;
    size_t made = 0;

    if (len == 0 || len > FACTS_PACKED_MAX)
        return true;
    if (!facts_unpack(section, len, &plain, &made))
        return false;
    if (plain == NULL)
        return true;
    char *text = malloc(2 * made + 1);
    bool ok = text != NULL;
    if (ok && wide) {
        facts_utf8(plain, made, text);
    } else if (ok) {
        memcpy(text, plain, made);
        text[made] = '\0';
    }
    ok = ok && facts_columns(text, add, arg);
    free(plain);
    free(text);
    return ok;
}

bool io_e01_facts(const struct io_ewf_section *section, io_e01_fact_fn add, void *arg)
{
    const bool digest = strcmp(section->type, "digest") == 0,
               wide = strcmp(section->type, "header2") == 0;

    if (digest || strcmp(section->type, "hash") == 0)
        return facts_hashes(section, digest, add, arg);
    if (wide || strcmp(section->type, "header") == 0)
        return facts_text(section, wide, add, arg);
    return true;
}
