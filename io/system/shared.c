/* SPDX-License-Identifier: Apache-2.0
 * io/system/shared.c - see shared.h. */
#include <dlfcn.h>
#include <string.h>

#include "io/system/shared.h"

/* The first function that the library lacks, or NULL. */
static const char *shared_fill(const struct io_shared *shared, void *library, void *table)
{
    for (uint32_t i = 0; i < shared->function_count; i++) {
        const struct io_shared_function *function = &shared->functions[i];
        void *const address = dlsym(library, function->name);

        if (address == NULL)
            return function->name;
        memcpy((uint8_t *)table + function->at, &address, sizeof address);
    }
    return NULL;
}

enum err_code io_shared_open(const struct io_shared *shared, void *table, struct err *err)
{
    /* All of it is bound at once: later, in a process that confined itself, it could not be. */
    void *library = dlopen(shared->file, RTLD_NOW | RTLD_LOCAL);

    if (library == NULL) {
        const char *why = dlerror();

        return ERR_RAISE(err, ERR_ENV,
                         "the library that reads this cannot be loaded: %s; install it (Debian's "
                         "package %s)",
                         why != NULL ? why : shared->file, shared->package);
    }
    const char *lacking = shared_fill(shared, library, table);
    if (lacking != NULL)
        return ERR_RAISE(err, ERR_ENV,
                         "%s has no function %s: it is not the one that burin was built for; "
                         "install it again (Debian's package %s), or build burin again",
                         shared->file, lacking, shared->package);
    return ERR_OK;
}

bool io_shared_find(const struct io_shared *shared, void *table)
{
    void *library = dlopen(shared->file, RTLD_NOW | RTLD_LOCAL | RTLD_NOLOAD);

    return library != NULL && shared_fill(shared, library, table) == NULL;
}
