/* SPDX-License-Identifier: Apache-2.0
 * carver/completion/completion.c - `burin completion`: the script with which a shell completes the
 * words of a command line.
 *
 * A script is a table of what can stand behind which words, made from commands.def and the texts of
 * --help, and the shell's own part, which looks words up in it. A line of the table has four
 * columns, separated by tabs: the words before ("burin scan"), the word or the option, what its
 * value is called or "-", and what it means. What depends on the build and the machine (types,
 * engines, devices) is asked of the program when it is needed.
 */
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "carver/bench/bench.h"
#include "carver/cli/args.h"
#include "carver/cli/command.h"
#include "carver/cli/near.h"

#include "carver/completion/burin.bash.h"
#include "carver/completion/burin.fish.h"
#include "carver/completion/burin.zsh.h"

#define COMMAND(name) extern const struct command command_##name;
#include "carver/cli/commands.def"
#undef COMMAND

static const struct completion_shell {
    const char *name;
    const char *begin; /* up to the table, which stands in single quotes */
    const unsigned char *rest;
} completion_shells[] = {
    { "bash", "# shellcheck shell=bash\n_burin_table=", completion_bash },
    { "zsh", "#compdef burin\ntypeset -g _burin_table=", completion_zsh },
    { "fish", "set -g _burin_table ", completion_fish },
};
enum { COMPLETION_SHELLS = sizeof completion_shells / sizeof completion_shells[0] };

enum {
    COMPLETION_WHAT_MIN = 16, /* bytes of a meaning that is not cut off yet */
    COMPLETION_DEEP = 10,     /* blanks before a line that goes on with the meaning above it */
};

/* One character in single quotes, with the same meaning in all three shells. */
static void completion_put(char c)
{
    if (c == '\'')
        fputs("'\\''", stdout);
    else
        putchar(c == '\\' || c == '\t' ? ' ' : c);
}

static void completion_row(const char *before, const char *below, const char *word, size_t word_len,
                           const char *value, size_t value_len)
{
    printf("burin%s%s%s%s\t%.*s\t%.*s\t", before[0] == '\0' ? "" : " ", before,
           below[0] == '\0' ? "" : " ", below, (int)word_len, word,
           value_len == 0 ? 1 : (int)value_len, value_len == 0 ? "-" : value);
}

/* Whether the meaning ends at this place: what follows goes into detail. */
static bool completion_ends(const char *at, size_t len)
{
    return *at == ';' ||
           (len >= COMPLETION_WHAT_MIN && (strncmp(at, ": ", 2) == 0 || strncmp(at, " (", 2) == 0));
}

/* The meaning of an option up to its first detail, on one line; and the end of the row. */
static void completion_what(const char *at)
{
    for (size_t len = 0; *at != '\0' && !completion_ends(at, len); at++, len++) {
        if (*at != '\n') {
            completion_put(*at);
            continue;
        }
        const size_t blanks = strspn(at + 1, " ");
        if (blanks < COMPLETION_DEEP || at[1 + blanks] == '(')
            break;
        at += blanks;
        completion_put(' ');
    }
    putchar('\n');
}

static size_t completion_span(const char *at)
{
    return strcspn(at, " \n");
}

/* Whether the text has the option on an earlier line too: one that belongs to several of its
 * commands. */
static bool completion_again(const char *text, const char *line, const char *word, size_t len)
{
    for (const char *at = text; (at = strstr(at, "\n  --")) != NULL && at + 1 < line; at++)
        if (strncmp(at + 3, word, len) == 0 && strchr(" \n", at[3 + len]) != NULL)
            return true;
    return false;
}

/* "  -t, --types LIST     of these types" or "  build SET LIST...    make a set"; other lines have
 * nothing for the table. */
static void completion_line(const char *before, const char *below, const char *text,
                            const char *line)
{
    const char *at = line + 2, *brief = NULL;

    if (strncmp(line, "  ", 2) != 0)
        return;
    if (at[0] == '-' && at[1] != '-' && strncmp(at + 2, ", ", 2) == 0) {
        brief = at;
        at += 4;
    }
    const size_t len = completion_span(at);
    const bool option = strncmp(at, "--", 2) == 0;
    if (len == 0 || (!option && strspn(at, "abcdefghijklmnopqrstuvwxyz") != len) ||
        completion_again(text, line, at, len))
        return;
    const char *value = at + len + (at[len] == ' ');
    const size_t value_len = option ? completion_span(value) : 0;
    const char *what = strstr(at + len, "  ");
    if (what == NULL)
        return;
    what += strspn(what, " ");
    if (brief != NULL) {
        completion_row(before, below, brief, 2, value, value_len);
        completion_what(what);
    }
    completion_row(before, below, at, len, value, value_len);
    completion_what(what);
}

static void completion_text(const char *before, const char *below, const char *text)
{
    for (const char *line = text; line != NULL && *line != '\0'; line = strchr(line, '\n')) {
        line += *line == '\n';
        completion_line(before, below, text, line);
    }
}

static void completion_command(const struct command *command)
{
    completion_row("", "", command->name, strlen(command->name), "", 0);
    completion_what(command->what);
    if (command->options != NULL)
        completion_text(command->name, "", command->options);
}

/* Each kind of benchmark has options of its own. */
static void completion_bench(const char *name, const char *what, const char *help)
{
    completion_row("bench", "", name, strlen(name), "", 0);
    completion_what(what);
    completion_text("bench", name, help);
}

static void completion_print(const struct completion_shell *shell)
{
    printf("%s'", shell->begin);
#define COMMAND(name) completion_command(&command_##name);
#include "carver/cli/commands.def"
#undef COMMAND
#define BENCH(name, part, arguments, what) completion_bench(#name, what, bench_##name##_help);
#include "carver/bench/bench.def"
#undef BENCH
    completion_text("", "",
                    "  help     print the text of a command\n"
                    "  version  print version and build\n"
                    "  --help  print all commands\n"
                    "  --version  print version, build and libraries\n");
    printf("'\n%s", (const char *)shell->rest);
}

static enum err_code completion_run(int argc, char **argv, enum exit_status *status,
                                    struct err *err)
{
    static const struct args_option none[] = { { 0 } };
    const char *names[COMPLETION_SHELLS], *value;
    struct args args;
    char **operands;
    int id, count;

    (void)status;
    args_begin(&args, "completion", none, argc, argv);
    enum err_code rc = args_next(&args, &id, &value, err);
    if (rc == ERR_OK)
        rc = args_operands(&args, 1, 1, "SHELL (bash, zsh or fish)", &operands, &count, err);
    if (rc != ERR_OK)
        return rc;
    for (size_t i = 0; i < COMPLETION_SHELLS; i++) {
        names[i] = completion_shells[i].name;
        if (strcmp(operands[0], names[i]) == 0) {
            completion_print(&completion_shells[i]);
            return ERR_OK;
        }
    }
    const char *near = near_best(operands[0], strlen(operands[0]), names, COMPLETION_SHELLS);
    if (near != NULL)
        return ERR_RAISE(err, ERR_ARG, "no shell '%s'; did you mean '%s'?", operands[0], near);
    return ERR_RAISE(err, ERR_ARG, "no shell '%s'; there are bash, zsh and fish", operands[0]);
}

static const char completion_options_text[] =
    "Prints a script for this shell, with which it completes commands, options, types, engines\n"
    "and devices. cmake --install puts the three of them where the shells find them; without\n"
    "that, for one session of bash: source <(burin completion bash)\n"
    "\n"
    "Shells:\n"
    "  bash     bash 4 or later\n"
    "  zsh      zsh 5 or later\n"
    "  fish     fish 3 or later\n"
    "\n"
    "Options:\n"
    "  --help               print this text\n";

const struct command command_completion = {
    .name = "completion",
    .arguments = "bash|zsh|fish",
    .what = "print a script with which a shell completes the words of burin",
    .options = completion_options_text,
    .run = completion_run,
};
