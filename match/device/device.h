/* SPDX-License-Identifier: Apache-2.0
 * match/device/device.h - what engines need of a device: memory, copies, streams, events, kernels.
 *
 * Behind it is a table of calls, filled by the CUDA runtime (device_cuda.cu) or by a stand-in on
 * the host (device_host.c), so that all that is built on devices is tested where there is none.
 * Every call names itself, its device and its size in the error that it leaves. All calls of one
 * device may come from any thread.
 */
#ifndef BURIN_MATCH_DEVICE_DEVICE_H
#define BURIN_MATCH_DEVICE_DEVICE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

enum {
    DEVICE_MAX = 16,       /* of one host; as matcher.h's */
    DEVICE_NAME_MAX = 64,  /* bytes, with the NUL; as matcher.h's */
    DEVICE_ARGS_MAX = 256, /* bytes of a kernel's arguments */
};

struct device;        /* one device, opened; owned by the caller of device_open */
struct device_stream; /* work done in order; owned by the caller of device_stream_open */
struct device_event;  /* a moment in a stream; owned by the caller of device_event_open */

/* What device a provider has, and its calls; a provider is open as long as its owner says. */
struct device_provider {
    const struct device_calls *calls;
    void *context; /* the calls' own */
};

struct device_info {
    char name[DEVICE_NAME_MAX];
    uint64_t memory;       /* bytes */
    uint32_t processors;   /* multiprocessors */
    uint32_t shared_max;   /* bytes of shared memory that one block may have */
    uint32_t copy_engines; /* copies under way at a time */
    uint32_t texels_max;   /* cells of a texture over memory in a line */
    uint32_t version;      /* compute capability: 90 is 9.0; 0 for the stand-in */
};

/* One kernel in the forms there are. args is a plain struct of args_size bytes, copied when the
 * kernel is enqueued. */
struct device_kernel {
    const char *name;
    uint32_t args_size;
    void (*host)(const void *args); /* does all of its work before it returns */
    int (*cuda)(
        const void *args,
        void *stream); /* launches it, answers with a cudaError_t; NULL: built without CUDA */
};

enum device_direction { DEVICE_IN, DEVICE_OUT };

struct device_calls {
    const char *name; /* "CUDA" */
    enum err_code (*count)(void *context, uint32_t *count, struct err *err);
    enum err_code (*open)(void *context, uint32_t index, struct device **out, struct err *err);
    void (*close)(struct device *device);
    enum err_code (*memory_free)(struct device *device, uint64_t *bytes, struct err *err);
    enum err_code (*alloc)(struct device *device, size_t size, void **out, struct err *err);
    void (*free)(struct device *device, void *memory);
    enum err_code (*pin)(struct device *device, void *memory, size_t size, struct err *err);
    void (*unpin)(struct device *device, void *memory);
    enum err_code (*map)(struct device *device, const void *memory, void **out, struct err *err);
    enum err_code (*texture_open)(struct device *device, const void *memory, uint32_t cells,
                                  uint32_t cell_size, uint64_t *out, struct err *err);
    void (*texture_close)(struct device *device, uint64_t texture);
    enum err_code (*stream_open)(struct device *device, struct device_stream **out,
                                 struct err *err);
    void (*stream_close)(struct device_stream *stream);
    enum err_code (*stream_wait)(struct device_stream *stream, struct err *err);
    enum err_code (*copy)(struct device_stream *stream, enum device_direction direction, void *to,
                          const void *from, size_t size, struct err *err);
    enum err_code (*fill)(struct device_stream *stream, void *memory, uint8_t byte, size_t size,
                          struct err *err);
    enum err_code (*launch)(struct device_stream *stream, const struct device_kernel *kernel,
                            const void *args, struct err *err);
    enum err_code (*event_open)(struct device *device, bool awaited, struct device_event **out,
                                struct err *err);
    void (*event_close)(struct device_event *event);
    enum err_code (*event_record)(struct device_event *event, struct device_stream *stream,
                                  struct err *err);
    enum err_code (*event_follow)(struct device_stream *stream, struct device_event *event,
                                  struct err *err);
    enum err_code (*event_wait)(struct device_event *event, struct err *err);
    enum err_code (*event_elapsed)(struct device_event *from, struct device_event *to,
                                   double *seconds, struct err *err);
};

/* The first members of every provider's own structs. */
struct device {
    const struct device_calls *calls;
    uint32_t index;
    struct device_info info;
};
struct device_stream {
    struct device *device;
};
struct device_event {
    struct device *device;
};

/* The CUDA runtime of this machine. */
struct device_provider device_cuda(void);

/* NULL when the CUDA runtime has a device here, else why not. The first time, this starts the
 * driver: a tenth of a second. */
const char *device_cuda_missing(void);

/* The same by a look that takes no time: NULL does not promise that a device works. */
const char *device_cuda_absent(void);

ERR_MUST_CHECK enum err_code device_count(const struct device_provider *provider, uint32_t *count,
                                          struct err *err);
ERR_MUST_CHECK enum err_code device_open(const struct device_provider *provider, uint32_t index,
                                         struct device **out, struct err *err);
void device_close(
    struct device *device); /* after everything that was opened on it; NULL is a no-op */

ERR_MUST_CHECK enum err_code device_memory_free(struct device *device, uint64_t *bytes,
                                                struct err *err);
/* ERR_ENV, in words, when the device has not so much memory free for what is called `what`. */
ERR_MUST_CHECK enum err_code device_room(struct device *device, uint64_t size, const char *what,
                                         struct err *err);
ERR_MUST_CHECK enum err_code device_alloc(struct device *device, size_t size, void **out,
                                          struct err *err);
void device_free(struct device *device,
                 void *memory); /* waits for work in flight; NULL is a no-op */

/* Locks pages of the host in memory, so that copies run beside everything else. */
ERR_MUST_CHECK enum err_code device_pin(struct device *device, void *memory, size_t size,
                                        struct err *err);
void device_unpin(struct device *device, void *memory);

/* Where kernels find a byte of pinned memory: they read what follows in place, over the bus. */
ERR_MUST_CHECK enum err_code device_map(struct device *device, const void *memory, void **out,
                                        struct err *err);

/* A texture over device memory, of at most info.texels_max cells of 2 or 4 bytes. Never 0. */
ERR_MUST_CHECK enum err_code device_texture_open(struct device *device, const void *memory,
                                                 uint32_t cells, uint32_t cell_size, uint64_t *out,
                                                 struct err *err);
void device_texture_close(struct device *device, uint64_t texture); /* 0 is a no-op */

ERR_MUST_CHECK enum err_code device_stream_open(struct device *device, struct device_stream **out,
                                                struct err *err);
void device_stream_close(struct device_stream *stream); /* NULL is a no-op */
ERR_MUST_CHECK enum err_code device_stream_wait(struct device_stream *stream, struct err *err);

/* These return before the work is done; host memory must be pinned, and stay as it is until then.
 */
ERR_MUST_CHECK enum err_code device_copy_in(struct device_stream *stream, void *to,
                                            const void *from, size_t size, struct err *err);
ERR_MUST_CHECK enum err_code device_copy_out(struct device_stream *stream, void *to,
                                             const void *from, size_t size, struct err *err);
ERR_MUST_CHECK enum err_code device_fill(struct device_stream *stream, void *memory, uint8_t byte,
                                         size_t size, struct err *err);
ERR_MUST_CHECK enum err_code device_launch(struct device_stream *stream,
                                           const struct device_kernel *kernel, const void *args,
                                           struct err *err);

/* awaited: a thread of the host will wait for it, for which the device interrupts a processor each
 * time that it comes. */
ERR_MUST_CHECK enum err_code device_event_open(struct device *device, bool awaited,
                                               struct device_event **out, struct err *err);
void device_event_close(struct device_event *event); /* NULL is a no-op */
ERR_MUST_CHECK enum err_code device_event_record(struct device_event *event,
                                                 struct device_stream *stream, struct err *err);
/* What is enqueued in stream from here on waits for the event; no wait for one that was never
 * recorded. */
ERR_MUST_CHECK enum err_code device_event_follow(struct device_stream *stream,
                                                 struct device_event *event, struct err *err);
ERR_MUST_CHECK enum err_code device_event_wait(struct device_event *event,
                                               struct err *err); /* an awaited one */
/* Both must have come: they, or what came after them, have been waited for. */
ERR_MUST_CHECK enum err_code device_event_elapsed(struct device_event *from,
                                                  struct device_event *to, double *seconds,
                                                  struct err *err);

#endif
