/* SPDX-License-Identifier: Apache-2.0
 * signatures/text/plain.c - plain text: ASCII, UTF-8, Latin-1, UTF-16 with a byte order mark.
 *
 * Nothing marks the beginning of such a file, and nothing its end. So no scan looks for it by a
 * header (SIG_NO_HEADER): whoever calls the validator says where one may begin. The text ends where
 * zeros fill the rest of its last sector, as file systems do, or where the image does. What ends
 * otherwise is the beginning of one: it goes to the end of a sector, and what follows is no text.
 *
 * Latin-1 is believed where at most a quarter of the bytes are no ASCII: samples of sound pass for
 * it otherwise. Text in other alphabets of one byte a letter is not told.
 */
#include <stddef.h>
#include <string.h>

#include "base/limits.h"
#include "base/utf8.h"
#include "signatures/lib/chars.h"
#include "signatures/plain_why.h"
#include "signatures/text/plain_kind.h"

enum {
    PLAIN_ESC = 0x1b,         /* switches alphabets and colours */
    PLAIN_HEAD = 4096,        /* characters that the kind is told by */
    PLAIN_LEAST = 32,         /* bytes of the shortest text: zeros behind a name are no file */
    PLAIN_CLUSTER = 4096,     /* bytes: a text that ends where most clusters do goes on elsewhere */
    PLAIN_BREAKS_MIN = 2048,  /* bytes of text that other bytes may follow in the same sector */
    PLAIN_CHANCE = 32,        /* bytes of a sector, most of which look like text by chance */
    PLAIN_OTHER = 4,          /* one in so many bytes may be a letter of Latin-1, */
    PLAIN_ODD = 512,          /* and one in so many a control character, besides the first one */
    PLAIN_WORDS_PERCENT = 40, /* of the first characters are in words or between them */
};

struct plain_state {
    struct chars text;
    uint64_t other;    /* bytes that are neither ASCII nor UTF-8 */
    uint64_t odd;      /* control characters that no text has, as a rule */
    uint32_t head_len; /* characters in head */
    uint8_t head[PLAIN_HEAD];
};

static const struct sig_type plain_types[] = {
    [PLAIN_TXT] = { "txt", "txt" },  [PLAIN_CSV] = { "csv", "csv" },
    [PLAIN_TSV] = { "tsv", "tsv" },  [PLAIN_LOG] = { "log", "log" },
    [PLAIN_C] = { "c", "c" },        [PLAIN_JAVA] = { "java", "java" },
    [PLAIN_PERL] = { "perl", "pl" }, [PLAIN_PYTHON] = { "python", "py" },
    [PLAIN_RUBY] = { "ruby", "rb" }, [PLAIN_SHELL] = { "shell", "sh" },
    [PLAIN_KINDS] = { 0 },
};

static void plain_keep(struct plain_state *state, const uint8_t *chars, uint32_t len)
{
    const uint32_t room = PLAIN_HEAD - state->head_len, count = len < room ? len : room;

    memcpy(state->head + state->head_len, chars, count);
    state->head_len += count;
}

/* How many of the characters are judged; a sequence of UTF-8 that may go on behind them is not. */
static uint32_t plain_judge(struct plain_state *state, const uint8_t *chars, uint32_t len,
                            bool last)
{
    const uint32_t to = last ? len : len - (UTF8_MAX - 1);
    const uint64_t known = chars_known_plain(&state->text);
    uint32_t i = known < to ? (uint32_t)known : to, code; /* most is */

    while (i < to) {
        const uint32_t plain = chars_plain(chars + i, to - i);
        size_t step = 1;

        if (plain > 0) {
            i += plain;
            continue;
        }
        state->odd +=
            chars[i] < '\t' || (chars[i] > '\r' && chars[i] < ' ' && chars[i] != PLAIN_ESC);
        if (chars[i] >= 0x80 && state->text.unit == 1) {
            step = utf8_sequence((const char *)chars + i, len - i, &code);
            state->other += step == 0;
        }
        i += step == 0 ? 1 : (uint32_t)step;
    }
    return i;
}

/* Goes over the text to where it ends. CHARS_WAIT: as everywhere. */
static enum chars_step plain_walk(struct sig_input *in, struct plain_state *state)
{
    const uint8_t *chars;
    uint32_t len;

    if (chars_open(in, &state->text) == CHARS_WAIT)
        return CHARS_WAIT;
    state->text.tolerant = true;
    for (;;) {
        if (chars_look(in, &state->text, UTF8_MAX, &chars, &len) == CHARS_WAIT)
            return CHARS_WAIT;
        if (len == 0)
            return CHARS_RIGHT;
        len = plain_judge(state, chars, len, len < UTF8_MAX);
        plain_keep(state, chars, len);
        chars_skip(&state->text, len);
    }
}

/* Characters that are counted at once: a count of each lane is a byte. */
typedef uint8_t plain_vector __attribute__((vector_size(16)));

enum { PLAIN_LANES = sizeof(plain_vector) };

static inline bool plain_is_word(uint8_t c)
{
    return chars_is_letter(c) || chars_is_digit(c) || chars_is_space(c) || c >= 0x80;
}

/* How many characters are in words or between them; no more are counted when there are `enough`. */
static uint32_t plain_count_words(const uint8_t *chars, uint32_t len, uint32_t enough)
{
    uint32_t words = 0, i = 0;

    while (words < enough && i + PLAIN_LANES <= len) {
        plain_vector count = { 0 }, c;

        for (uint32_t k = 0; k < UINT8_MAX / PLAIN_LANES && i + PLAIN_LANES <= len;
             k++, i += PLAIN_LANES) {
            memcpy(&c, chars + i, sizeof c);
            count -= (plain_vector)(((c | 0x20) - 'a' < 26) | (c - '0' < 10) | (c == ' ') |
                                    (c - '\t' <= '\r' - '\t') | (c >= 0x80));
        }
        for (uint32_t k = 0; k < PLAIN_LANES; k++)
            words += count[k];
    }
    for (; words < enough && i < len; i++)
        words += plain_is_word(chars[i]);
    return words;
}

/* Whether what was kept looks like lines of words. */
static bool plain_is_text(const struct plain_state *state)
{
    const uint32_t len = state->head_len, enough = (len * PLAIN_WORDS_PERCENT + 99) / 100;

    return (memchr(state->head, '\n', len) != NULL || memchr(state->head, '\r', len) != NULL) &&
           state->other * PLAIN_OTHER <= state->text.good &&
           state->odd * PLAIN_ODD <= state->text.good + PLAIN_ODD &&
           plain_count_words(state->head, len, enough) >= enough;
}

/* Whether zeros fill the rest of the sector that the text ends in. *wait: that is not known yet. */
static bool plain_slack(struct sig_input *in, uint64_t end, bool *wait)
{
    const uint64_t rest = LIMIT_SECTOR - (in->start + end) % LIMIT_SECTOR, left = in->limit - end;
    const uint32_t len = (uint32_t)(left < rest ? left : rest);
    const uint8_t *bytes = sig_bytes(in, end, len);
    uint32_t zeros = 0;

    *wait = bytes == NULL;
    while (bytes != NULL && zeros < len && bytes[zeros] == 0)
        zeros++;
    return zeros == len;
}

/* The first bytes of a sector that is no text may look like some. */
static uint64_t plain_end(const struct sig_input *in, uint64_t end, bool sound)
{
    const uint64_t over = (in->start + end) % LIMIT_SECTOR;

    return sound || over >= PLAIN_CHANCE || over > end ? end : end - over;
}

static struct sig_result plain_check(struct sig_input *in, void *memory)
{
    struct plain_state *state = memory;
    bool wait = false;

    if (plain_walk(in, state) == CHARS_WAIT)
        return sig_short(in);
    const bool zeros =
        state->text.stop != CHARS_STOP_LIMIT && plain_slack(in, state->text.good, &wait);
    if (wait)
        return sig_short(in);
    const uint64_t end =
        plain_end(in, state->text.good, zeros || state->text.stop == CHARS_STOP_LIMIT);
    const bool cut = (in->start + end) % LIMIT_SECTOR == 0;

    sig_valid(in, end); /* no text begins before, whatever this is */
    if (end < PLAIN_LEAST || !plain_is_text(state))
        return sig_reject("no lines of text");
    in->type = &plain_types[plain_kind(state->head, state->head_len, state->head_len < PLAIN_HEAD)];
    if (state->text.stop == CHARS_STOP_LIMIT)
        return sig_believe(in, end, "text to the end; nothing proves that it is all of the file");
    if (zeros && (in->start + end) % PLAIN_CLUSTER != 0)
        return sig_believe(in, end, PLAIN_WHY_ZEROS);
    if (!cut && end < PLAIN_BREAKS_MIN)
        return sig_reject("other bytes behind a little text");
    return sig_breaks(in, cut ? PLAIN_WHY_CUT : PLAIN_WHY_PART);
}

const struct sig sig_plain = {
    .name = "text",
    .what = "plain text, tables, logs and source code that no other format explains",
    .proves = "lines of characters from the first byte on; not that it begins and ends there",
    .source = "RFC 3629; RFC 4180; RFC 5424; ISO 8601; POSIX.1-2017, a text file",
    .types = plain_types,
    .flags = SIG_OFF | SIG_NO_HEADER,
    .size_min = PLAIN_LEAST,
    .size_max = UINT64_C(1) << 32, /* policy */
    .state_size = sizeof(struct plain_state),
    .state_clean = offsetof(struct plain_state, head),
    .check = plain_check,
};
