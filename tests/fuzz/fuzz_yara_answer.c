/* SPDX-License-Identifier: Apache-2.0
 * tests/fuzz/fuzz_yara_answer.c - what a process of YARA that an object has taken over may say, as
 * any bytes: the length of the object, the answer, the matches as they lie in memory, and last,
 * where the answer is that of wrong rules, file, line and text.
 *
 * Found: crashes, names that end nowhere or have another character than YARA allows, offsets behind
 * the object, a fault of a file that there is not.
 */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "carver/yara/yara_answer.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void must(bool right)
{
    if (!right)
        abort();
}

/* Takes the next bytes, zeros where there are no more. */
static void take(const uint8_t **data, size_t *size, void *out, size_t len)
{
    const size_t some = len < *size ? len : *size;

    memset(out, 0, len);
    memcpy(out, *data, some);
    *data += some;
    *size -= some;
}

static void check_text(const char *text, size_t size, const char *also)
{
    must(memchr(text, '\0', size) != NULL);
    for (; *text != '\0'; text++)
        must((unsigned char)*text < 128 &&
             (isalnum((unsigned char)*text) || *text == '_' || strchr(also, *text) != NULL));
}

static void check_matches(const struct yara_rules_match *matches, uint32_t count, uint32_t len)
{
    for (uint32_t i = 0; i < count; i++) {
        must(matches[i].rule[0] != '\0' && matches[i].offset <= len);
        check_text(matches[i].rule, YARA_RULES_NAME_MAX + 1, "");
        check_text(matches[i].space, YARA_RULES_NAME_MAX + 1, "-");
        check_text(matches[i].tags, YARA_RULES_TAGS_MAX + 1, ",");
        check_text(matches[i].string, YARA_RULES_NAME_MAX + 2, "$");
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct yara_match_shared *shared;
    static struct yara_rules_match out[YARA_RULES_MATCHES_MAX];
    struct yara_match_answer said;
    struct yara_answer_fault fault;
    uint32_t len;

    if (shared == NULL)
        shared = calloc(1, sizeof *shared);
    must(shared != NULL);
    take(&data, &size, &len, sizeof len);
    take(&data, &size, &said, sizeof said);
    if (said.how == YARA_MATCH_WRONG_RULES) {
        take(&data, &size, &shared->file, sizeof shared->file);
        take(&data, &size, &shared->line, sizeof shared->line);
        take(&data, &size, shared->text, sizeof shared->text);
        yara_answer_fault(shared, 3, &fault);
        must(fault.file < 3 && strnlen(fault.text, sizeof fault.text) < sizeof fault.text);
    }
    take(&data, &size, shared->matches, sizeof shared->matches);
    if (yara_answer_matches(&said, shared->matches, len, out)) {
        must(said.how == YARA_MATCH_DONE && said.count <= YARA_RULES_MATCHES_MAX);
        check_matches(out, said.count, len);
    }
    return 0;
}
