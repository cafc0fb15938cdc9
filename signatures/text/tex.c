/* SPDX-License-Identifier: Apache-2.0
 * signatures/text/tex.c - LaTeX documents.
 *
 *   [% comments] \documentclass[...]{...} ... \begin{document} ... \end{document} newline
 *
 * A document ends with the line that has \end{document}; as many environments end in it as begin.
 * Verbatim examples and comments do not count. Comments behind it belong to it. A second document
 * inside shows that the first one is broken.
 */
#include <string.h>

#include "base/limits.h"
#include "signatures/lib/chars.h"
#include "signatures/sig.h"

enum { TEX_BROKEN_MIN = 2048, TEX_LOOK = 256 };

struct tex_state {
    struct chars text;
    bool class_seen, begun, second, ended;
    const char *verbatim; /* the environment whose lines are no markup; NULL: none */
    int32_t depth;        /* environments begun and not ended since the document began */
};

/* Environments that show markup as it is. */
static const char *const tex_verbatim[] = { "{verbatim",     "{Verbatim", "{lstlisting",
                                            "{filecontents", "{minted",   "{comment" };

static struct sig_result tex_broken(struct sig_input *in, const struct tex_state *state,
                                    const char *why)
{
    if (!state->begun || state->text.at < TEX_BROKEN_MIN)
        return sig_reject(why);
    sig_valid(in, state->text.at);
    return sig_breaks(in, why);
}

/* Every \begin{ and \end{ of a line; true: its environment, "document", is ended. *at: behind that.
 */
static bool tex_environments(struct tex_state *state, const struct chars_line *line, uint32_t *at)
{
    for (uint32_t i = 0; i + 6 < line->len; i++) {
        const uint8_t *word = line->chars + i;
        const uint32_t left = line->len - i;
        const bool begin = left > 7 && memcmp(word, "\\begin{", 7) == 0,
                   end = memcmp(word, "\\end{", 5) == 0;

        if (!begin && !end)
            continue;
        const uint8_t *name = word + (begin ? 6 : 4);
        const uint32_t name_len = left - (begin ? 6 : 4);
        const char *verbatim = NULL;
        for (uint32_t k = 0; k < sizeof tex_verbatim / sizeof tex_verbatim[0]; k++)
            if (name_len > strlen(tex_verbatim[k]) &&
                memcmp(name, tex_verbatim[k], strlen(tex_verbatim[k])) == 0)
                verbatim = tex_verbatim[k];
        if (state->verbatim != NULL && (begin || verbatim != state->verbatim))
            continue;
        state->verbatim = begin ? verbatim : NULL;
        const bool document = name_len >= 10 && memcmp(name, "{document}", 10) == 0;
        if (document && begin && state->begun)
            state->second = true;
        if (document && end && state->begun) {
            *at = i + 14;
            return true;
        }
        if (document && begin)
            state->begun = true;
        else if (state->begun)
            state->depth += begin ? 1 : -1;
    }
    return false;
}

/*
 * Passes over comments and empty lines, as many as lie together; a document may have hundreds
 * before it begins.
 */
static enum chars_step tex_comments(struct sig_input *in, struct tex_state *state)
{
    const uint8_t *chars, *end;
    uint32_t len, at = 0;

    if (chars_look(in, &state->text, TEX_LOOK, &chars, &len) == CHARS_WAIT)
        return CHARS_WAIT;
    while (at < len && (chars[at] == '%' || chars[at] == '\n') &&
           (end = memchr(chars + at, '\n', len - at)) != NULL &&
           memchr(chars + at, '\r', (size_t)(end - chars) - at) == NULL)
        at = (uint32_t)(end - chars) + 1;
    chars_skip(&state->text, at);
    return CHARS_RIGHT;
}

static struct sig_result tex_check(struct sig_input *in, void *memory)
{
    struct tex_state *state = memory;
    struct chars_line line;
    uint32_t last;
    uint64_t end;

    if (chars_open(in, &state->text) == CHARS_WAIT)
        return sig_short(in);
    while (!state->ended) {
        if (!state->class_seen && tex_comments(in, state) == CHARS_WAIT)
            return sig_short(in);
        if (chars_next_line(in, &state->text, &line) == CHARS_WAIT)
            return sig_short(in);
        if (line.all == 0)
            return tex_broken(in, state, "the text ends before \\end{document}");
        const uint8_t *comment = line.len == 0 ? NULL : memchr(line.chars, '%', line.len);
        if (comment != NULL && (comment == line.chars || comment[-1] != '\\'))
            line.len = (uint32_t)(comment - line.chars);
        const bool class = chars_begins(line.chars, line.len, "\\documentclass");
        if (!state->class_seen && line.len > 0 && !class)
            return sig_reject("there is no \\documentclass");
        if (class && state->class_seen && state->verbatim == NULL)
            return tex_broken(in, state, "another document begins inside");
        state->class_seen |= class;
        state->ended = tex_environments(state, &line, &last);
        if (state->second)
            return tex_broken(in, state, "another document begins inside");
        chars_skip(&state->text, state->ended ? last : line.all);
    }
    if (state->depth != 0)
        return tex_broken(in, state, "the environments have no end");
    if (chars_tail(in, &state->text, &end) == CHARS_WAIT)
        return sig_short(in);
    for (;;) { /* comments behind it: editors keep their settings there */
        struct chars behind = state->text;

        behind.at = end;
        if (chars_next_line(in, &behind, &line) == CHARS_WAIT)
            return sig_short(in);
        if (line.len == 0 ||
            (line.chars[0] != '%' && !chars_begins(line.chars, line.len, "\\endinput")) ||
            line.all == line.len || end % LIMIT_SECTOR == 0)
            break;
        chars_skip(&state->text, (uint32_t)(end - state->text.at) / state->text.unit + line.len);
        if (chars_tail(in, &state->text, &end) == CHARS_WAIT)
            return sig_short(in);
    }
    return sig_complete(in, end, "the environments lead to \\end{document}");
}

const struct sig sig_tex = {
    .name = "tex",
    .what = "LaTeX document",
    .proves = "environments of all lines close, up to the end of the document",
    .source = "The LaTeX Project, LaTeX for authors; L. Lamport, LaTeX: A Document Preparation "
              "System, 2.2.2",
    .types = (const struct sig_type[]){ { "tex", "tex" }, { 0 } },
    .headers = { SIG_PATTERN("\\documentclass{"), SIG_PATTERN("\\documentclass["),
                 SIG_PATTERN("%%"), SIG_PATTERN("% "), SIG_PATTERN("%\n") },
    .flags = SIG_SECTOR_ALIGNED,
    .size_min = 48,
    .size_max = UINT64_C(64) << 20, /* policy */
    .state_size = sizeof(struct tex_state),
    .check = tex_check,
};
