/* SPDX-License-Identifier: Apache-2.0
 * carver/info/info_devices.c - `burin info --devices`: the processor, and the GPUs beside it. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "carver/info/info.h"
#include "match/matcher.h"

enum { INFO_CPU_TEXT = 512 };

/* The model's name as the system gives it, or the architecture. */
static void info_cpu_name(char out[INFO_CPU_TEXT])
{
    FILE *in = fopen("/proc/cpuinfo", "re");
    struct utsname os;
    char line[INFO_CPU_TEXT];

    snprintf(out, INFO_CPU_TEXT, "%s", uname(&os) == 0 ? os.machine : "unknown");
    if (in == NULL)
        return;
    while (fgets(line, sizeof line, in) != NULL) {
        const char *colon = strchr(line, ':');

        if (strncmp(line, "model name", 10) == 0 && colon != NULL) {
            snprintf(out, INFO_CPU_TEXT, "%s", colon + 1 + strspn(colon + 1, " \t"));
            out[strcspn(out, "\n")] = '\0';
            break;
        }
    }
    fclose(in);
}

/* Instruction sets that engines care about. */
static void info_cpu_features(char out[INFO_CPU_TEXT])
{
    out[0] = '\0';
#if defined(__x86_64__) || defined(__i386__)
    size_t at = 0;
#define INFO_FEATURE(name)                                                                         \
    if (__builtin_cpu_supports(name))                                                              \
        at += (size_t)snprintf(out + at, INFO_CPU_TEXT - at, "%s" name, at == 0 ? "" : " ");
    INFO_FEATURE("sse2")
    INFO_FEATURE("ssse3")
    INFO_FEATURE("sse4.2")
    INFO_FEATURE("popcnt")
    INFO_FEATURE("pclmul")
    INFO_FEATURE("avx")
    INFO_FEATURE("avx2")
    INFO_FEATURE("bmi2")
    INFO_FEATURE("avx512f")
    INFO_FEATURE("avx512bw")
    INFO_FEATURE("avx512vl")
    INFO_FEATURE("avx512vbmi")
#undef INFO_FEATURE
#endif
    if (out[0] == '\0')
        snprintf(out, INFO_CPU_TEXT, "-");
}

static void info_gpu(struct json *json, uint32_t index)
{
    struct match_device_info device;
    char name[32], count[32], features[ERR_TEXT_MAX];
    struct info_row row;
    struct err err;

    if (match_device_get(index, &device, &err) != ERR_OK) {
        snprintf(features, sizeof features, "%s", err.text);
        snprintf(count, sizeof count, "0");
    } else {
        snprintf(features, sizeof features,
                 "%" PRIu64 " of %" PRIu64 " MiB free, %u multiprocessors, compute %u.%u",
                 device.memory_free >> 20, device.memory >> 20, device.processors,
                 device.version / 10, device.version % 10);
        snprintf(count, sizeof count, "1");
    }
    snprintf(name, sizeof name, "cuda%u", index);
    info_row_begin(&row, json);
    info_field(&row, "name", name);
    info_field(&row, "model", device.name[0] == '\0' ? "-" : device.name);
    info_field(&row, "count", count);
    info_field(&row, "features", features);
    info_row_end(&row);
}

void info_devices(struct json *json)
{
    char name[INFO_CPU_TEXT], features[INFO_CPU_TEXT], cpus[32];
    struct info_row row;

    info_cpu_name(name);
    info_cpu_features(features);
    snprintf(cpus, sizeof cpus, "%ld", sysconf(_SC_NPROCESSORS_ONLN));
    info_row_begin(&row, json);
    info_field(&row, "name", "cpu");
    info_field(&row, "model", name);
    info_field(&row, "count", cpus);
    info_field(&row, "features", features);
    info_row_end(&row);
    for (uint32_t i = 0; i < match_device_count(); i++)
        info_gpu(json, i);
    if (match_device_missing() != NULL) {
        char model[INFO_CPU_TEXT];

        snprintf(model, sizeof model, "none: %s", match_device_missing());
        info_row_begin(&row, json);
        info_field(&row, "name", "cuda");
        info_field(&row, "model", model);
        info_field(&row, "count", "0");
        info_field(&row, "features", "-");
        info_row_end(&row);
    }
}
