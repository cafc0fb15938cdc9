/* SPDX-License-Identifier: Apache-2.0
 * io/io_libraries.c - the libraries that io/ uses. See base/library.h. */
#include <dlfcn.h>
#include <libaio.h>
#include <libdeflate.h>
#include <limits.h>
#include <lz4.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zstd.h>

#include "base/library.h"
#include "io/system/lib_tsk.h"

/* libaio tells its version nowhere but in the name of its file: libaio.so.1.0.2. */
static void io_libraries_aio(char version[LIBRARY_VERSION_MAX])
{
    char path[PATH_MAX];
    Dl_info info;

    snprintf(version, LIBRARY_VERSION_MAX, "unknown");
    if (dladdr(dlsym(RTLD_DEFAULT, "io_setup"), &info) == 0 || info.dli_fname == NULL ||
        realpath(info.dli_fname, path) == NULL)
        return;
    const char *so = strstr(path, ".so.");
    if (so != NULL)
        snprintf(version, LIBRARY_VERSION_MAX, "%.16s", so + 1);
}

void io_libraries_load(void)
{
    (void)!io_tsk_load(NULL);
}

uint32_t io_libraries(struct library out[LIBRARY_COUNT_MAX])
{
    struct io_tsk tsk;

    out[0] = (struct library){ .name = "libtsk" };
    if (io_tsk_find(&tsk))
        snprintf(out[0].version, sizeof out[0].version, "%s", tsk.tsk_version_get_str());
    else
        snprintf(out[0].version, sizeof out[0].version, "built for " TSK_VERSION_STR);
    out[1] = (struct library){ .name = "libaio" };
    io_libraries_aio(out[1].version);
    out[2] = (struct library){ .name = "libdeflate", .version = LIBDEFLATE_VERSION_STRING };
    out[3] = (struct library){ .name = "libzstd" };
    snprintf(out[3].version, sizeof out[3].version, "%s", ZSTD_versionString());
    out[4] = (struct library){ .name = "liblz4" };
    snprintf(out[4].version, sizeof out[4].version, "%s", LZ4_versionString());
    return 5;
}
