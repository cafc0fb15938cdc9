/* SPDX-License-Identifier: Apache-2.0
 * match/device/device_cuda.cu - the calls of device.h by the CUDA runtime, which is linked in whole
 * and finds the driver when it is first called: a program with it starts and works where there is
 * none.
 */
#include <cuda_runtime_api.h>

#include <cstdio>
#include <cstdlib>
#include <unistd.h>

extern "C" {
#include "match/device/device.h"
}

struct device_cuda_stream {
    struct device_stream stream;
    cudaStream_t handle;
};

struct device_cuda_event {
    struct device_event event;
    cudaEvent_t handle;
};

static enum err_code device_cuda_raise(const struct device *device, const char *call, size_t size,
                                       cudaError_t status, struct err *err)
{
    (void)cudaGetLastError(); /* or the next call would report it again */
    return ERR_RAISE(err, ERR_ENV, "%s of %zu bytes on device %u (%s): %s", call, size,
                     device->index, device->info.name, cudaGetErrorString(status));
}

/* Every thread has its own current device. */
static cudaError_t device_cuda_enter(const struct device *device)
{
    return cudaSetDevice((int)device->index);
}

static enum err_code device_cuda_count(void *context, uint32_t *count, struct err *err)
{
    int found = 0;
    const char *missing = device_cuda_missing();

    (void)context;
    if (missing != NULL)
        return ERR_RAISE(err, ERR_ENV, "no device: %s; choose an engine that runs on the CPU",
                         missing);
    (void)cudaGetDeviceCount(&found);
    *count = found > DEVICE_MAX ? (uint32_t)DEVICE_MAX : (uint32_t)found;
    return ERR_OK;
}

static enum err_code device_cuda_open(void *context, uint32_t index, struct device **out,
                                      struct err *err);

static void device_cuda_close(struct device *device)
{
    free(device);
}

static enum err_code device_cuda_memory_free(struct device *device, uint64_t *bytes,
                                             struct err *err)
{
    size_t left = 0, all = 0;
    cudaError_t status = device_cuda_enter(device);

    if (status == cudaSuccess)
        status = cudaMemGetInfo(&left, &all);
    *bytes = left;
    return status == cudaSuccess ? ERR_OK
                                 : device_cuda_raise(device, "cudaMemGetInfo", 0, status, err);
}

static enum err_code device_cuda_alloc(struct device *device, size_t size, void **out,
                                       struct err *err)
{
    cudaError_t status = device_cuda_enter(device);

    if (status == cudaSuccess)
        status = cudaMalloc(out, size);
    return status == cudaSuccess ? ERR_OK
                                 : device_cuda_raise(device, "cudaMalloc", size, status, err);
}

static void device_cuda_free(struct device *device, void *memory)
{
    if (device_cuda_enter(device) == cudaSuccess)
        (void)cudaFree(memory);
}

static enum err_code device_cuda_pin(struct device *device, void *memory, size_t size,
                                     struct err *err)
{
    cudaError_t status = device_cuda_enter(device);

    if (status == cudaSuccess)
        status = cudaHostRegister(memory, size, cudaHostRegisterPortable | cudaHostRegisterMapped);
    return status == cudaSuccess ? ERR_OK
                                 : device_cuda_raise(device, "cudaHostRegister", size, status, err);
}

static void device_cuda_unpin(struct device *device, void *memory)
{
    if (device_cuda_enter(device) == cudaSuccess)
        (void)cudaHostUnregister(memory);
}

static enum err_code device_cuda_map(struct device *device, const void *memory, void **out,
                                     struct err *err)
{
    cudaError_t status = device_cuda_enter(device);

    if (status == cudaSuccess)
        status = cudaHostGetDevicePointer(out, const_cast<void *>(memory), 0);
    return status == cudaSuccess
               ? ERR_OK
               : device_cuda_raise(device, "cudaHostGetDevicePointer", 0, status, err);
}

static enum err_code device_cuda_texture_open(struct device *device, const void *memory,
                                              uint32_t cells, uint32_t cell_size, uint64_t *out,
                                              struct err *err)
{
    cudaTextureObject_t texture = 0;
    struct cudaResourceDesc what = {};
    struct cudaTextureDesc how = {};
    cudaError_t status = device_cuda_enter(device);

    what.resType = cudaResourceTypeLinear;
    what.res.linear.devPtr = const_cast<void *>(memory);
    what.res.linear.desc =
        cudaCreateChannelDesc((int)cell_size * 8, 0, 0, 0, cudaChannelFormatKindUnsigned);
    what.res.linear.sizeInBytes = (size_t)cells * cell_size;
    how.readMode = cudaReadModeElementType;
    if (status == cudaSuccess)
        status = cudaCreateTextureObject(&texture, &what, &how, nullptr);
    *out = texture;
    return status == cudaSuccess ? ERR_OK
                                 : device_cuda_raise(device, "cudaCreateTextureObject",
                                                     what.res.linear.sizeInBytes, status, err);
}

static void device_cuda_texture_close(struct device *device, uint64_t texture)
{
    if (device_cuda_enter(device) == cudaSuccess)
        (void)cudaDestroyTextureObject(texture);
}

static enum err_code device_cuda_stream_open(struct device *device, struct device_stream **out,
                                             struct err *err)
{
    auto *stream = static_cast<device_cuda_stream *>(calloc(1, sizeof(device_cuda_stream)));

    if (stream == nullptr)
        return ERR_NO_MEMORY(err, sizeof *stream);
    stream->stream.device = device;
    cudaError_t status = device_cuda_enter(device);
    if (status == cudaSuccess)
        status = cudaStreamCreateWithFlags(&stream->handle, cudaStreamNonBlocking);
    if (status != cudaSuccess) {
        free(stream);
        return device_cuda_raise(device, "cudaStreamCreate", 0, status, err);
    }
    *out = &stream->stream;
    return ERR_OK;
}

static void device_cuda_stream_close(struct device_stream *opened)
{
    auto *stream = reinterpret_cast<device_cuda_stream *>(opened);

    if (device_cuda_enter(opened->device) == cudaSuccess) {
        (void)cudaStreamSynchronize(stream->handle);
        (void)cudaStreamDestroy(stream->handle);
    }
    free(stream);
}

static enum err_code device_cuda_stream_wait(struct device_stream *stream, struct err *err)
{
    cudaError_t status = device_cuda_enter(stream->device);

    if (status == cudaSuccess)
        status = cudaStreamSynchronize(reinterpret_cast<device_cuda_stream *>(stream)->handle);
    return status == cudaSuccess
               ? ERR_OK
               : device_cuda_raise(stream->device, "cudaStreamSynchronize", 0, status, err);
}

static enum err_code device_cuda_copy(struct device_stream *stream, enum device_direction direction,
                                      void *to, const void *from, size_t size, struct err *err)
{
    const cudaMemcpyKind kind =
        direction == DEVICE_IN ? cudaMemcpyHostToDevice : cudaMemcpyDeviceToHost;
    const char *call =
        direction == DEVICE_IN ? "cudaMemcpyAsync to the device" : "cudaMemcpyAsync to the host";
    cudaError_t status = device_cuda_enter(stream->device);

    if (status == cudaSuccess)
        status = cudaMemcpyAsync(to, from, size, kind,
                                 reinterpret_cast<device_cuda_stream *>(stream)->handle);
    return status == cudaSuccess ? ERR_OK
                                 : device_cuda_raise(stream->device, call, size, status, err);
}

static enum err_code device_cuda_fill(struct device_stream *stream, void *memory, uint8_t byte,
                                      size_t size, struct err *err)
{
    cudaError_t status = device_cuda_enter(stream->device);

    if (status == cudaSuccess)
        status = cudaMemsetAsync(memory, byte, size,
                                 reinterpret_cast<device_cuda_stream *>(stream)->handle);
    return status == cudaSuccess
               ? ERR_OK
               : device_cuda_raise(stream->device, "cudaMemsetAsync", size, status, err);
}

static enum err_code device_cuda_launch(struct device_stream *stream,
                                        const struct device_kernel *kernel, const void *args,
                                        struct err *err)
{
    cudaError_t status = device_cuda_enter(stream->device);

    if (status == cudaSuccess)
        status = static_cast<cudaError_t>(
            kernel->cuda(args, reinterpret_cast<device_cuda_stream *>(stream)->handle));
    return status == cudaSuccess
               ? ERR_OK
               : device_cuda_raise(stream->device, kernel->name, kernel->args_size, status, err);
}

static enum err_code device_cuda_event_open(struct device *device, bool awaited,
                                            struct device_event **out, struct err *err)
{
    auto *event = static_cast<device_cuda_event *>(calloc(1, sizeof(device_cuda_event)));

    if (event == nullptr)
        return ERR_NO_MEMORY(err, sizeof *event);
    event->event.device = device;
    cudaError_t status = device_cuda_enter(device);
    if (status == cudaSuccess) /* who waits sleeps: the cores have other work */
        status = cudaEventCreateWithFlags(&event->handle,
                                          awaited ? cudaEventBlockingSync : cudaEventDefault);
    if (status != cudaSuccess) {
        free(event);
        return device_cuda_raise(device, "cudaEventCreate", 0, status, err);
    }
    *out = &event->event;
    return ERR_OK;
}

static void device_cuda_event_close(struct device_event *opened)
{
    auto *event = reinterpret_cast<device_cuda_event *>(opened);

    if (device_cuda_enter(opened->device) == cudaSuccess)
        (void)cudaEventDestroy(event->handle);
    free(event);
}

static enum err_code device_cuda_event_record(struct device_event *event,
                                              struct device_stream *stream, struct err *err)
{
    cudaError_t status = device_cuda_enter(stream->device);

    if (status == cudaSuccess)
        status = cudaEventRecord(reinterpret_cast<device_cuda_event *>(event)->handle,
                                 reinterpret_cast<device_cuda_stream *>(stream)->handle);
    return status == cudaSuccess
               ? ERR_OK
               : device_cuda_raise(stream->device, "cudaEventRecord", 0, status, err);
}

static enum err_code device_cuda_event_follow(struct device_stream *stream,
                                              struct device_event *event, struct err *err)
{
    cudaError_t status = device_cuda_enter(stream->device);

    if (status == cudaSuccess)
        status = cudaStreamWaitEvent(reinterpret_cast<device_cuda_stream *>(stream)->handle,
                                     reinterpret_cast<device_cuda_event *>(event)->handle, 0);
    return status == cudaSuccess
               ? ERR_OK
               : device_cuda_raise(stream->device, "cudaStreamWaitEvent", 0, status, err);
}

static enum err_code device_cuda_event_wait(struct device_event *event, struct err *err)
{
    cudaError_t status = device_cuda_enter(event->device);

    if (status == cudaSuccess)
        status = cudaEventSynchronize(reinterpret_cast<device_cuda_event *>(event)->handle);
    return status == cudaSuccess
               ? ERR_OK
               : device_cuda_raise(event->device, "cudaEventSynchronize", 0, status, err);
}

static enum err_code device_cuda_event_elapsed(struct device_event *from, struct device_event *to,
                                               double *seconds, struct err *err)
{
    float ms = 0;
    cudaError_t status = device_cuda_enter(from->device);

    if (status == cudaSuccess)
        status = cudaEventElapsedTime(&ms, reinterpret_cast<device_cuda_event *>(from)->handle,
                                      reinterpret_cast<device_cuda_event *>(to)->handle);
    *seconds = ms * 1e-3;
    return status == cudaSuccess
               ? ERR_OK
               : device_cuda_raise(from->device, "cudaEventElapsedTime", 0, status, err);
}

static const struct device_calls device_cuda_calls = {
    /* name */ "CUDA",        device_cuda_count,        device_cuda_open,
    device_cuda_close,        device_cuda_memory_free,  device_cuda_alloc,
    device_cuda_free,         device_cuda_pin,          device_cuda_unpin,
    device_cuda_map,          device_cuda_texture_open, device_cuda_texture_close,
    device_cuda_stream_open,  device_cuda_stream_close, device_cuda_stream_wait,
    device_cuda_copy,         device_cuda_fill,         device_cuda_launch,
    device_cuda_event_open,   device_cuda_event_close,  device_cuda_event_record,
    device_cuda_event_follow, device_cuda_event_wait,   device_cuda_event_elapsed,
};

static enum err_code device_cuda_open(void *context, uint32_t index, struct device **out,
                                      struct err *err)
{
    uint32_t count = 0;
    enum err_code rc = device_cuda_count(context, &count, err);

    if (rc != ERR_OK)
        return rc;
    if (index >= count)
        return ERR_RAISE(err, ERR_ARG, "there is no device %u; there are %u", index, count);
    auto *device = static_cast<struct device *>(calloc(1, sizeof(struct device)));
    if (device == nullptr)
        return ERR_NO_MEMORY(err, sizeof *device);
    cudaDeviceProp found;
    device->calls = &device_cuda_calls;
    device->index = index;
    cudaError_t status = device_cuda_enter(device); /* makes its context */
    if (status == cudaSuccess)
        status = cudaGetDeviceProperties(&found, (int)index);
    if (status != cudaSuccess) {
        rc = device_cuda_raise(device, "cudaGetDeviceProperties", 0, status, err);
        free(device);
        return rc;
    }
    snprintf(device->info.name, sizeof device->info.name, "%s", found.name);
    device->info.memory = found.totalGlobalMem;
    device->info.processors = (uint32_t)found.multiProcessorCount;
    device->info.shared_max = (uint32_t)found.sharedMemPerBlockOptin;
    device->info.copy_engines = (uint32_t)found.asyncEngineCount;
    int texels = 0;
    (void)cudaDeviceGetAttribute(&texels, cudaDevAttrMaxTexture1DLinearWidth, (int)index);
    device->info.texels_max = (uint32_t)texels;
    device->info.version = (uint32_t)(found.major * 10 + found.minor);
    *out = device;
    return ERR_OK;
}

extern "C" struct device_provider device_cuda(void)
{
    return { &device_cuda_calls, nullptr };
}

extern "C" const char *device_cuda_absent(void)
{
    return access("/dev/nvidiactl", F_OK) != 0 && access("/dev/dxg", F_OK) != 0 ? "no NVIDIA device"
                                                                                : nullptr;
}

extern "C" const char *device_cuda_missing(void)
{
    int count = 0;

    if (device_cuda_absent() != nullptr)
        return device_cuda_absent();
    const cudaError_t status = cudaGetDeviceCount(&count);
    if (status != cudaSuccess) {
        (void)cudaGetLastError();
        return cudaGetErrorString(status);
    }
    return count == 0 ? "no NVIDIA device" : nullptr;
}
