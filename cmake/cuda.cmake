# SPDX-License-Identifier: Apache-2.0
# CUDA: found by itself, needed by nobody. The engines that use it are match/**/*.cu; where there are none, or no nvcc, the
# program is built without and says so in `burin info --engines`.
set(BURIN_CUDA AUTO CACHE STRING "CUDA engines: AUTO (when nvcc is found), ON (an error when it is not), OFF")
set_property(CACHE BURIN_CUDA PROPERTY STRINGS AUTO ON OFF)

file(GLOB_RECURSE cuda_sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/match/*.cu)
burin_without_papers(cuda_sources)

# The sanitizers know nothing of the CUDA runtime; builds with them run the same engines on the host stand-in.
set(cuda_wanted ON)
if(BURIN_CUDA STREQUAL "OFF" OR (BURIN_CUDA STREQUAL "AUTO" AND (BURIN_SANITIZE OR BURIN_FUZZ)))
    set(cuda_wanted OFF)
endif()

if(cuda_wanted)
    if(NOT CMAKE_CUDA_COMPILER)
        find_program(BURIN_NVCC nvcc HINTS /usr/local/cuda/bin)
        if(BURIN_NVCC)
            set(CMAKE_CUDA_COMPILER ${BURIN_NVCC})
        endif()
    endif()
    if(CMAKE_CUDA_COMPILER AND cuda_sources)
        # Every machine code costs build time: these two run on all devices of compute capability 8 and 9.
        if(NOT DEFINED CMAKE_CUDA_ARCHITECTURES AND NOT DEFINED ENV{CUDAARCHS})
            set(CMAKE_CUDA_ARCHITECTURES 80 90)
        endif()
        enable_language(CUDA)
        set(CMAKE_CUDA_STANDARD 17)
        set(CMAKE_CUDA_FLAGS_RELWITHDEBINFO "-O3 -lineinfo")
        # The code for devices is compressed, which makes it a fifth as large; the driver unpacks what a device needs.
        string(APPEND CMAKE_CUDA_FLAGS " -Xfatbin -compress-all")
        set(BURIN_HAVE_CUDA ON)
        message(STATUS "CUDA: ${CMAKE_CUDA_COMPILER}, architectures ${CMAKE_CUDA_ARCHITECTURES}")
    elseif(CMAKE_CUDA_COMPILER)
        message(STATUS "CUDA: nvcc found (${CMAKE_CUDA_COMPILER}); this version has no CUDA engines")
    elseif(BURIN_CUDA STREQUAL "ON")
        message(FATAL_ERROR "BURIN_CUDA=ON, but nvcc is neither in PATH nor in /usr/local/cuda/bin")
    else()
        message(STATUS "CUDA: nvcc not found; building for the CPU alone")
    endif()
endif()
