/* SPDX-License-Identifier: Apache-2.0
 * carver/main.c - the program: finds the command, runs it, prints its error, and turns it into an
 * exit status.
 *
 * Nothing but this file prints errors or exits. The commands are the lines of commands.def; each is
 * one file.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/memory.h"
#include "carver/cli/about.h"
#include "carver/cli/advice.h"
#include "carver/cli/command.h"
#include "carver/cli/interrupt.h"
#include "carver/cli/near.h"
#include "carver/cli/print_safe.h"

#define COMMAND(name) extern const struct command command_##name;
#include "carver/cli/commands.def"
#undef COMMAND

#define COMMAND(name) &command_##name,
static const struct command *const main_commands[] = {
#include "carver/cli/commands.def"
    NULL,
};
#undef COMMAND

/* Commands of this file's own. */
#define MAIN_HELP "help"
#define MAIN_VERSION "version"

/*
 * A program that was started with a standard stream closed would get its number for the next file
 * it opens, and messages would land in the case file.
 */
static bool main_fill_streams(void)
{
    int fd;

    do
        fd = open("/dev/null", O_RDWR);
    while (fd >= 0 && fd <= STDERR_FILENO);
    if (fd < 0)
        return false;
    close(fd);
    return true;
}

static void main_help(void)
{
    printf("Usage: burin COMMAND [options] ...\n\n"
           "Finds and recovers files in disk images. Evidence is only ever read.\n\nCommands:\n");
    for (size_t i = 0; main_commands[i] != NULL; i++)
        printf("  %-10s %s\n", main_commands[i]->name, main_commands[i]->what);
    printf("  %-10s %s\n", MAIN_HELP, "print this text, or that of a command: burin help COMMAND");
    printf("  %-10s %s\n", MAIN_VERSION, "print version, build and libraries");
    printf("\nOptions:\n"
           "  --help     print this text; after a command, the text of that command\n"
           "  --version  print version, build and libraries\n\n"
           "Exit status: 0 done; 1 done, but some evidence could not be read, some objects were\n"
           "not written or some headers not recorded; 2 wrong usage; 3 wrong input; 4 the\n"
           "environment failed; 130 interrupted; of an audit 10 findings, 11 only differences.\n");
}

/* argv[0] is the command's name. */
static enum err_code main_command_help(const struct command *command, int argc, char **argv,
                                       struct err *err)
{
    if (command->help != NULL)
        return command->help(argc, argv, err);
    printf("Usage: burin %s %s\n\n%s\n\n%s", command->name, command->arguments, command->what,
           command->options);
    return ERR_OK;
}

static void main_version(void)
{
    char libraries[ABOUT_LIBRARIES_TEXT];

    about_libraries_text(libraries);
    printf("burin %s (build %s)\n%s\n%s\nLicence: Apache-2.0\n", about_version(), about_build(),
           about_compiler(), libraries);
}

static bool main_is_help(const char *word)
{
    return strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0;
}

static bool main_is_version(const char *word)
{
    return strcmp(word, "--version") == 0 || strcmp(word, "-V") == 0;
}

/* Whether one of the words before "--" is what `is` looks for. */
static bool main_asks(int argc, char **argv, bool (*is)(const char *word))
{
    for (int i = 1; i < argc && strcmp(argv[i], "--") != 0; i++)
        if (is(argv[i]))
            return true;
    return false;
}

/* Evidence that cannot be read ends a command only where its work cannot go on. */
static enum exit_status main_status(enum err_code code)
{
    switch (code) {
    case ERR_OK:
        return EXIT_DONE;
    case ERR_ARG:
        return EXIT_USAGE;
    case ERR_INPUT:
    case ERR_IO:
        return EXIT_INPUT;
    case ERR_INTERRUPTED:
        return EXIT_SIGNAL;
    case ERR_ENV:
    case ERR_FULL:
        break;
    }
    return EXIT_ENVIRONMENT;
}

/* command: NULL where none is known yet. */
static void main_print_error(const struct command *command, struct err *err)
{
    fputs("burin: ", stderr);
    if (command != NULL) {
        fprintf(stderr, "%s: ", command->name);
        advice_append(err, command->options);
    }
    print_safe_message(stderr, err->text);
    if (getenv("BURIN_DEBUG") != NULL && err->where != NULL)
        fprintf(stderr, " [%s]", err->where);
    putc('\n', stderr);
}

static const struct command *main_find(const char *name)
{
    for (size_t i = 0; main_commands[i] != NULL; i++)
        if (strcmp(main_commands[i]->name, name) == 0)
            return main_commands[i];
    return NULL;
}

static enum err_code main_unknown(const char *word, struct err *err)
{
    const char *names[sizeof main_commands / sizeof main_commands[0] + 2];
    size_t count = 0;

    if (word[0] == '-')
        return ERR_RAISE(err, ERR_ARG, "no option '%s'; try 'burin --help'", word);
    while (main_commands[count] != NULL) {
        names[count] = main_commands[count]->name;
        count++;
    }
    names[count++] = MAIN_HELP;
    names[count++] = MAIN_VERSION;
    const char *near = near_best(word, strlen(word), names, count);
    if (near != NULL)
        return ERR_RAISE(err, ERR_ARG, "no command '%s'; did you mean '%s'? 'burin help' lists all",
                         word, near);
    return ERR_RAISE(err, ERR_ARG, "no command '%s'; 'burin help' lists all", word);
}

static bool main_is_own(const char *word)
{
    return strcmp(word, MAIN_HELP) == 0 || strcmp(word, MAIN_VERSION) == 0;
}

/* `burin help`, `burin help COMMAND` and `burin version`. */
static enum err_code main_run_own(int argc, char **argv, struct err *err)
{
    const bool help = strcmp(argv[0], MAIN_HELP) == 0;
    const struct command *command = argc > 1 ? main_find(argv[1]) : NULL;
    const int most = !help ? 1 : command != NULL && command->help != NULL ? 3 : 2;

    if (main_asks(argc, argv, main_is_help)) {
        main_help();
        return ERR_OK;
    }
    if (argc > most)
        return ERR_RAISE(err, ERR_ARG, "unexpected word '%s'; try 'burin --help'", argv[most]);
    if (argc > 1 && command == NULL && !main_is_own(argv[1]))
        return main_unknown(argv[1], err);
    if (command != NULL)
        return main_command_help(command, argc - 1, argv + 1, err);
    if (help)
        main_help();
    else
        main_version();
    return ERR_OK;
}

/* Runs what the command line asks for; *command is set once it is known. */
static enum err_code main_run(int argc, char **argv, enum exit_status *status,
                              const struct command **command, struct err *err)
{
    if (argc < 2)
        return ERR_RAISE(err, ERR_ARG, "a command is missing; try 'burin --help'");
    if (main_is_help(argv[1])) {
        main_help();
        return ERR_OK;
    }
    if (main_is_version(argv[1])) {
        main_version();
        return ERR_OK;
    }
    if (main_is_own(argv[1]))
        return main_run_own(argc - 1, argv + 1, err);
    *command = main_find(argv[1]);
    if (*command == NULL)
        return main_unknown(argv[1], err);
    if (main_asks(argc - 1, argv + 1, main_is_help))
        return main_command_help(*command, argc - 1, argv + 1, err);
    if (main_asks(argc - 1, argv + 1, main_is_version)) {
        main_version();
        return ERR_OK;
    }
    return (*command)->run(argc - 1, argv + 1, status, err);
}

/* Whoever read standard output (head, less) has enough, and knows it. */
static bool main_nobody_reads(void)
{
    struct pollfd out = { .fd = STDOUT_FILENO };

    return poll(&out, 1, 0) == 1 && (out.revents & (POLLERR | POLLHUP)) != 0;
}

int main(int argc, char **argv)
{
    enum exit_status status = EXIT_DONE;
    const struct command *command = NULL;
    struct err err = { 0 };

    if (!main_fill_streams())
        return EXIT_ENVIRONMENT;
    memory_in_large_steps();
    enum err_code rc =
        interrupt_install(&err); /* first: a broken pipe is an error, and no signal */
    if (rc == ERR_OK)
        rc = main_run(argc, argv, &status, &command, &err);
    errno = 0;
    if ((fflush(stdout) != 0 || ferror(stdout)) && rc == ERR_OK) {
        if (errno == EPIPE || main_nobody_reads())
            return (int)status;
        rc = ERR_RAISE(&err, ERR_ENV, "cannot write to standard output: %s",
                       errno != 0 ? strerror(errno) : "output is lost");
    }
    if (rc != ERR_OK) {
        main_print_error(command, &err);
        return (int)main_status(rc);
    }
    return (int)status;
}
