# tests/MODULE/.../test_*.c is one CMocka program each, linked with its module; tests/MODULE/*.sh is one shell test each.
if(BURIN_TESTS STREQUAL "OFF")
    return()
endif()
find_library(CMOCKA_LIBRARY cmocka)
if(NOT CMOCKA_LIBRARY)
    if(BURIN_TESTS STREQUAL "ON")
        message(FATAL_ERROR "BURIN_TESTS=ON, but libcmocka is not found")
    endif()
    message(STATUS "tests: libcmocka not found; they are not built")
    return()
endif()
enable_testing()

set(lsan_options "LSAN_OPTIONS=suppressions=${PROJECT_SOURCE_DIR}/tests/lsan.suppress:print_suppressions=0")

# A limit is there for tests that hang, and for nothing else: a machine under load may take minutes for what takes a second.
set(hang 3600)

# What tests of one folder share: tests/MODULE/harness.c.
foreach(module base io match signatures db carver)
    if(NOT TARGET ${module})
        continue()
    endif()
    file(GLOB_RECURSE sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/tests/${module}/test_*.c)
    foreach(source ${sources})
        get_filename_component(name ${source} NAME_WE)
        add_executable(${name} ${source})
        if(EXISTS ${PROJECT_SOURCE_DIR}/tests/${module}/harness.c)
            target_sources(${name} PRIVATE tests/${module}/harness.c)
        endif()
        target_link_libraries(${name} PRIVATE ${module} ${CMOCKA_LIBRARY})
        add_test(NAME ${module}/${name} COMMAND ${name} WORKING_DIRECTORY ${PROJECT_SOURCE_DIR})
        set_tests_properties(${module}/${name} PROPERTIES TIMEOUT ${hang} ENVIRONMENT ${lsan_options})
    endforeach()
endforeach()

# It plays a disk with bad sectors to the program's own system calls.
target_link_options(test_again PRIVATE -Wl,--wrap=pread64,--wrap=__pread64_chk,--wrap=open64,--wrap=__open64_2,--wrap=statx,--wrap=posix_fadvise64)

# Those that run kernels where there is a device, and say by name what they skip where there is none: ctest -L gpu.
set_tests_properties(match/test_device match/test_offload match/test_windows match/test_engines match/test_bloom match/test_kernels match/test_pfac match/test_rk_fused carver/test_known PROPERTIES LABELS gpu)

# Stands between the program and the kernel. Sanitizers have to be there themselves.
if(NOT BURIN_SANITIZE)
    add_library(shim_disk MODULE tests/cli/faults/shim_disk.c)
    set(shim "SHIM=$<TARGET_FILE:shim_disk>")
endif()

file(GLOB scripts CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/tests/*/*.sh ${PROJECT_SOURCE_DIR}/tests/*/*/*.sh)
foreach(script ${scripts})
    file(RELATIVE_PATH name ${PROJECT_SOURCE_DIR}/tests ${script})
    if(name MATCHES "/lib[^/]*\\.sh$")
        continue()
    endif()
    # As with programs, the room is not in the name: cli/faults/kill.sh is the test cli/kill.sh.
    string(REGEX REPLACE "^([^/]*)/.*/" "\\1/" name ${name})
    add_test(NAME ${name} COMMAND bash ${script} WORKING_DIRECTORY ${PROJECT_SOURCE_DIR})
    set_tests_properties(${name} PROPERTIES TIMEOUT ${hang} SKIP_RETURN_CODE 77
                         ENVIRONMENT "BURIN=$<$<TARGET_EXISTS:burin>:$<TARGET_FILE:burin>>;BUILD=${PROJECT_BINARY_DIR};${shim};${lsan_options}")
endforeach()

# Under the sanitizers these take a minute or two, and run little that others do not: ctest -LE long leaves them out.
set_tests_properties(cli/bench.sh cli/kill.sh cli/threads.sh cli/together.sh PROPERTIES LABELS long)

set_tests_properties(match/sanitize.sh PROPERTIES LABELS gpu)
