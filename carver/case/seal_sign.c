/* SPDX-License-Identifier: Apache-2.0
 * carver/case/seal_sign.c - runs the user's command on a seal: see seal.h. */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "carver/case/seal.h"
#include "db/files.h"

/* The process: waits for a byte, which does not come when the program ends before. */
_Noreturn static void seal_signer_run(int pipe_end, const char *script, const char *name)
{
    static const int stops[] = { SIGINT, SIGTERM, SIGHUP, SIGPIPE, SIGXFSZ };
    ssize_t got;
    char byte;

    for (size_t i = 0; i < sizeof stops / sizeof stops[0]; i++)
        signal(stops[i], SIG_IGN); /* the program is stopped, and then has what it has signed */
    do
        got = read(pipe_end, &byte, 1);
    while (got < 0 && errno == EINTR);
    if (got != 1)
        _exit(0);
    for (size_t i = 0; i < sizeof stops / sizeof stops[0]; i++)
        signal(stops[i], SIG_DFL);
    dup2(STDERR_FILENO, STDOUT_FILENO); /* results alone go to standard output */
    execl("/bin/sh", "sh", "-c", script, "sh", name, (char *)NULL);
    _exit(127);
}

enum err_code seal_check_command(const char *command, struct err *err)
{
    return command[strspn(command, " \t\n")] != '\0'
               ? ERR_OK
               : ERR_RAISE(err, ERR_ARG,
                           "--sign: no command; name one, such as 'gpg --detach-sign'");
}

enum err_code seal_signer_open(const char *command, const char *path, struct seal_signer *out,
                               struct err *err)
{
    char absolute[PATH_MAX], name[DB_FILE_NAME_MAX], *script = NULL;
    int ends[2];

    *out = (struct seal_signer){ 0 };
    if (command == NULL)
        return ERR_OK;
    enum err_code rc = db_file_absolute(path, absolute, err);
    if (rc != ERR_OK)
        return rc;
    db_file_name(absolute, DB_FILE_SEAL, name);
    if (asprintf(&script, "%s \"$1\"", command) < 0)
        return ERR_NO_MEMORY(err, strlen(command));
    if (pipe2(ends, O_CLOEXEC) != 0) {
        rc = ERR_RAISE(err, ERR_ENV, "--sign: no pipe: %s", strerror(errno));
        free(script);
        return rc;
    }
    out->pid = fork();
    if (out->pid == 0) {
        close(ends[1]);
        seal_signer_run(ends[0], script, name);
    }
    close(ends[0]);
    out->go = ends[1];
    out->command = command;
    if (out->pid < 0) {
        rc = ERR_RAISE(err, ERR_ENV, "--sign: no process: %s", strerror(errno));
        close(ends[1]);
        *out = (struct seal_signer){ 0 };
    }
    free(script);
    return rc;
}

/* Waits for its end: the status as waitpid gives it. */
static int seal_signer_wait(struct seal_signer *signer)
{
    int status = 0;

    close(signer->go);
    while (waitpid(signer->pid, &status, 0) < 0 && errno == EINTR)
        ;
    signer->pid = 0;
    return status;
}

void seal_signer_close(struct seal_signer *signer)
{
    if (signer->pid != 0)
        (void)seal_signer_wait(signer);
}

enum err_code seal_sign(struct seal_signer *signer, const char *name, struct err *err)
{
    if (signer->pid == 0)
        return ERR_OK;
    const bool told = write(signer->go, "", 1) == 1;
    const int status = seal_signer_wait(signer);

    if (told && WIFEXITED(status) && WEXITSTATUS(status) == 0)
        return ERR_OK;
    return ERR_RAISE(
        err, ERR_ENV, "--sign %s: the command %s %d; %s is there, and can be signed by hand",
        signer->command, WIFSIGNALED(status) ? "was ended by signal" : "ended with status",
        WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status), name);
}
