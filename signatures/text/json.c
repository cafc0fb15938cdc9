/* SPDX-License-Identifier: Apache-2.0
 * signatures/text/json.c - JSON documents, alone or one a line.
 *
 *   {"name": value, ...} or [value, ...], newline, and in a file of lines the next one
 *
 * The whole grammar is walked: names and strings without control characters, numbers, literals,
 * commas where they belong. A document ends with the bracket that closes the first one. A part of a
 * larger document or of a program is none: what follows it (a comma, a closing bracket) shows that.
 */
#include <string.h>

#include "signatures/lib/chars.h"
#include "signatures/text/json_type.h"

enum {
    JSON_DEPTH_MAX = 1024,
    JSON_MIN = 64, /* bytes: smaller ones are met inside of anything */
    JSON_BROKEN_MIN = 4096,
    JSON_BROKEN_NAMES = 32,
};

enum json_phase {
    JSON_VALUE,
    JSON_VALUE_OR_END, /* behind [ */
    JSON_NAME,
    JSON_NAME_OR_END, /* behind { */
    JSON_COLON,
    JSON_COMMA,
    JSON_STRING,
    JSON_ESCAPE,
    JSON_NUMBER,
    JSON_WORD,
    JSON_TAIL,
    JSON_NONE,
};

struct json_state {
    struct chars text;
    enum json_phase phase;
    bool name; /* the string is a name */
    uint32_t depth, names, values, documents, word_at;
    const char *word;
    uint64_t begin, end;                 /* of the document being read; behind the last whole one */
    struct json_names known;             /* of the names in the first object */
    uint8_t objects[JSON_DEPTH_MAX / 8]; /* a bit for each open bracket: { */
};

static void json_opened(struct json_state *state, bool object)
{
    if (state->depth == JSON_DEPTH_MAX) {
        state->phase = JSON_NONE;
        return;
    }
    if (object)
        state->objects[state->depth / 8] |= (uint8_t)(1u << state->depth % 8);
    else
        state->objects[state->depth / 8] &= (uint8_t) ~(1u << state->depth % 8);
    state->depth++;
    state->phase = object ? JSON_NAME_OR_END : JSON_VALUE_OR_END;
}

static bool json_in_object(const struct json_state *state)
{
    return state->depth > 0 &&
           (state->objects[(state->depth - 1) / 8] >> (state->depth - 1) % 8 & 1) != 0;
}

/* Whether names are those of the first object. */
static bool json_first(const struct json_state *state)
{
    return state->depth == 1 && state->documents == 0;
}

static void json_closed(struct json_state *state, bool object)
{
    if (json_in_object(state) != object) {
        state->phase = JSON_NONE;
        return;
    }
    state->depth--;
    state->values++;
    state->phase = state->depth == 0 ? JSON_TAIL : JSON_COMMA;
}

static void json_value(struct json_state *state, uint8_t c)
{
    static const char *const words[] = { "true", "false", "null" };

    if (c == '{' || c == '[') {
        json_opened(state, c == '{');
        return;
    }
    if (state->depth == 0) {
        state->phase = JSON_NONE;
        return;
    }
    if (c == '"') {
        state->name = false;
        state->phase = JSON_STRING;
        return;
    }
    if (c == '-' || chars_is_digit(c)) {
        state->phase = JSON_NUMBER;
        return;
    }
    state->phase = JSON_NONE;
    for (uint32_t i = 0; i < 3; i++)
        if (c == (uint8_t)words[i][0]) {
            state->word = words[i];
            state->word_at = 1;
            state->phase = JSON_WORD;
        }
}

/* A character outside of strings, numbers and words. */
static void json_mark(struct json_state *state, uint8_t c)
{
    const enum json_phase phase = state->phase;

    if (chars_is_space(c))
        return;
    if (phase == JSON_VALUE || (phase == JSON_VALUE_OR_END && c != ']')) {
        json_value(state, c);
    } else if ((phase == JSON_NAME || phase == JSON_NAME_OR_END) && c == '"') {
        state->names++;
        state->name = true;
        if (json_first(state))
            json_name_begin(&state->known);
        state->phase = JSON_STRING;
    } else if (phase == JSON_COLON && c == ':') {
        state->phase = JSON_VALUE;
    } else if (phase == JSON_COMMA && c == ',') {
        state->phase = json_in_object(state) ? JSON_NAME : JSON_VALUE;
    } else if ((phase == JSON_COMMA || phase == JSON_NAME_OR_END) && c == '}') {
        json_closed(state, true);
    } else if ((phase == JSON_COMMA || phase == JSON_VALUE_OR_END) && c == ']') {
        json_closed(state, false);
    } else {
        state->phase = JSON_NONE;
    }
}

/* In a string: leaps to its end. Returns how many characters are done with. */
static uint32_t json_string(struct json_state *state, const uint8_t *chars, uint32_t len)
{
    uint32_t i = 0;

    while (i < len && chars[i] != '"' && chars[i] != '\\' && chars[i] >= ' ')
        i++;
    const bool known = state->name && json_first(state);
    if (known)
        json_name_more(&state->known, chars, i);
    if (i == len)
        return i;
    if (chars[i] == '\\')
        state->phase = JSON_ESCAPE;
    else if (chars[i] == '"')
        state->phase = state->name ? JSON_COLON : JSON_COMMA;
    else
        state->phase = JSON_NONE;
    if (known && state->phase == JSON_COLON)
        json_name_end(&state->known);
    state->values += chars[i] == '"' && !state->name;
    return i + 1;
}

static uint32_t json_step(struct json_state *state, const uint8_t *chars, uint32_t len)
{
    switch (state->phase) {
    case JSON_STRING:
        return json_string(state, chars, len);
    case JSON_ESCAPE:
        state->phase = strchr("\"\\/bfnrtu", chars[0]) != NULL ? JSON_STRING : JSON_NONE;
        return 1;
    case JSON_NUMBER:
        if (chars_is_digit(chars[0]) || (chars[0] | 0x20) == 'e' || chars[0] == '.' ||
            chars[0] == '+' || chars[0] == '-')
            return 1;
        state->values++;
        state->phase = JSON_COMMA;
        return 0;
    case JSON_WORD:
        if (chars[0] != (uint8_t)state->word[state->word_at])
            state->phase = JSON_NONE;
        else if (state->word[++state->word_at] == '\0')
            state->phase = JSON_COMMA;
        return 1;
    default:
        json_mark(state, chars[0]);
        return 1;
    }
}

/* Behind a document: whether it is a part of something, or a line of several. CHARS_WAIT: more
 * bytes are needed. */
static enum chars_step json_tail(struct sig_input *in, struct json_state *state)
{
    const uint8_t *chars;
    uint32_t len, i = 0;
    uint64_t end;

    if (chars_tail(in, &state->text, &end) == CHARS_WAIT)
        return CHARS_WAIT;
    if (chars_look(in, &state->text, JSON_MIN + 2, &chars, &len) == CHARS_WAIT)
        return CHARS_WAIT;
    while (i < len && i < JSON_MIN && chars_is_space(chars[i]))
        i++;
    if (i < len && memchr(",]});", chars[i], 5) != NULL) {
        state->phase = JSON_NONE;
        state->depth = 1; /* inside of something */
        return CHARS_RIGHT;
    }
    state->end = end;
    state->documents++;
    state->phase = JSON_NONE;
    if (i > 0 && i + 1 < len && chars[i] == '{' && chars[i + 1] == '"') {
        chars_skip(&state->text, i);
        state->phase = JSON_VALUE;
    }
    return CHARS_RIGHT;
}

static struct sig_result json_check(struct sig_input *in, void *memory)
{
    struct json_state *state = memory;

    if (chars_open(in, &state->text) == CHARS_WAIT)
        return sig_short(in);
    while (state->phase != JSON_NONE) {
        const uint8_t *chars;
        uint32_t len;

        if (state->phase == JSON_TAIL) {
            if (json_tail(in, state) == CHARS_WAIT)
                return sig_short(in);
            continue;
        }
        if (chars_look(in, &state->text, 1, &chars, &len) == CHARS_WAIT)
            return sig_short(in);
        if (len == 0)
            break;
        while (len > 0 && state->phase < JSON_TAIL) {
            const uint32_t done = json_step(state, chars, len);

            chars += done;
            len -= done;
            chars_skip(&state->text, done);
        }
    }
    in->type = json_type(&state->known, state->documents > 1);
    if (state->end >= JSON_MIN && (state->documents > 1 || state->depth == 0) &&
        state->names + state->values > 2)
        return sig_complete(in, state->end, "the document is whole");
    if (state->end > 0 || state->text.at < JSON_BROKEN_MIN || state->names < JSON_BROKEN_NAMES)
        return sig_reject("there is no whole document");
    sig_valid(in, state->text.at);
    return sig_breaks(in, "the text here is not valid JSON");
}

const struct sig sig_json = {
    .name = "json",
    .what = "JSON document, JSON lines",
    .proves = "the whole grammar, to the bracket that closes the first one",
    .source = "RFC 8259 2 to 7; JSON Lines; for the kinds: json_type.c",
    .types = json_types,
    .headers = { SIG_PATTERN("{\""), SIG_PATTERN("{\n"), SIG_PATTERN("{\r\n"), SIG_PATTERN("{ \""),
                 SIG_PATTERN("[{"), SIG_PATTERN("[\n"), SIG_PATTERN("[\r\n"), SIG_PATTERN("[\""),
                 SIG_PATTERN("[ {"), SIG_PATTERN("\xef\xbb\xbf{"), SIG_PATTERN("\xef\xbb\xbf[") },
    .flags = SIG_SECTOR_ALIGNED,
    .size_min = JSON_MIN,
    .size_max = UINT64_C(4) << 30, /* policy */
    .state_size = sizeof(struct json_state),
    .check = json_check,
};
