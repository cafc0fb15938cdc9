/* SPDX-License-Identifier: Apache-2.0
 * tests/fuzz/fuzz_text.c - any bytes, written for a terminal, a table, XML, JSON and CSV.
 *
 * Found: crashes, output that is no UTF-8 or holds a character that hides, or from which the bytes
 * cannot be had back.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "carver/cli/json_write.h"
#include "carver/cli/print_safe.h"
#include "carver/report/put_text.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void must(bool right)
{
    if (!right)
        abort();
}

/* What a writer makes of text; to be freed. */
static char *write_with(void (*put)(FILE *out, const char *text), const char *text)
{
    char *got = NULL;
    size_t len = 0;
    FILE *out = open_memstream(&got, &len);

    must(out != NULL);
    put(out, text);
    must(fclose(out) == 0 && strlen(got) == len);
    for (size_t at = 0; at < len;) {
        uint32_t code;
        const size_t step = utf8_sequence(got + at, len - at, &code);

        must(step > 0 && !utf8_hides(code));
        at += step;
    }
    return got;
}

static int digit(char c)
{
    return c >= '0' && c <= '9' ? c - '0' : c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

/* Turns \xHH and entities back, in place. */
static void undo(char *text)
{
    static const struct {
        const char *entity;
        char c;
    } entities[] = { { "&amp;", '&' }, { "&lt;", '<' }, { "&gt;", '>' }, { "&quot;", '"' } };
    char *to = text;

    while (*text != '\0') {
        if (*text == '\\') {
            must(text[1] == 'x' && digit(text[2]) >= 0 && digit(text[3]) >= 0);
            *to++ = (char)(digit(text[2]) << 4 | digit(text[3]));
            text += 4;
            continue;
        }
        size_t len = 0;
        for (size_t i = 0; i < sizeof entities / sizeof entities[0] && len == 0; i++)
            if (strncmp(text, entities[i].entity, strlen(entities[i].entity)) == 0) {
                len = strlen(entities[i].entity);
                *to++ = entities[i].c;
            }
        if (len == 0)
            *to++ = *text++;
        text += len;
    }
    *to = '\0';
}

static void put_line(FILE *out, const char *text)
{
    char *line = NULL;
    size_t len = 0;
    FILE *memory = open_memstream(&line, &len);

    must(memory != NULL);
    print_safe_line(memory, "%s", text);
    must(fclose(memory) == 0 && len > 0 && line[len - 1] == '\n');
    fwrite(line, 1, len - 1, out);
    free(line);
}

static void put_json(FILE *out, const char *text)
{
    struct json json;

    json_init(&json, out, 0);
    json_string(&json, NULL, text);
}

/* A field of a CSV file between two others: one field, no formula, and the text can be had back. */
static void check_csv(const char *text)
{
    char *got = write_with(put_csv, text), *to = got, *at = got;
    const bool quoted = *at == '"';

    must(strpbrk(got, "\r\n\t") == NULL);
    must(quoted || strpbrk(got, "\",") == NULL);
    at += quoted;
    must(*at == '\0' || strchr("=+-@", *at) == NULL);
    at += *at == '\'' && at[1 + strspn(at + 1, "'")] != '\0' &&
          strchr("=+-@", at[1 + strspn(at + 1, "'")]) != NULL;
    while (*at != '\0' && !(quoted && *at == '"' && at[1] != '"')) {
        at += quoted && *at == '"';
        *to++ = *at++;
    }
    must(!quoted || (*at == '"' && at[1] == '\0'));
    *to = '\0';
    undo(got);
    if (strchr(text, '&') == NULL) /* put_csv writes no entities */
        must(strcmp(got, text) == 0);
    free(got);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *text = malloc(size + 1), *got;

    must(text != NULL);
    memcpy(text, data, size);
    text[size] = '\0';
    got = write_with(print_safe, text);
    undo(got);
    if (strchr(text, '&') == NULL) /* print_safe writes no entities */
        must(strcmp(got, text) == 0);
    free(got);
    got = write_with(print_safe_xml, text);
    must(strpbrk(got, "<>\"") == NULL);
    undo(got);
    must(strcmp(got, text) == 0);
    free(got);
    free(write_with(print_safe_message, text));
    free(write_with(put_line, text));
    free(write_with(put_json, text));
    check_csv(text);
    got = write_with(put_body, text);
    must(strpbrk(got, "|\n\r") == NULL);
    undo(got);
    if (strchr(text, '&') == NULL) /* put_body writes no entities */
        must(strcmp(got, text) == 0);
    free(got);
    free(text);
    return 0;
}
