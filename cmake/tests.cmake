# SPDX-License-Identifier: Apache-2.0
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
option(BURIN_TESTS_PLAIN "Build the tests with the label plain, too, where all is built" ON)

# Freed memory is used again after 16 MiB, not 256, and not given back: what costs most under ASan are pages that are touched for the first
# time. What UBSan finds is an illegal instruction.
set(sanitizer_options
    ASAN_OPTIONS=quarantine_size_mb=16:allocator_release_to_os_interval_ms=-1:handle_sigill=1
    LSAN_OPTIONS=suppressions=${PROJECT_SOURCE_DIR}/tests/lsan.suppress:print_suppressions=0)

# A limit is there for tests that hang, and for nothing else: a machine under load may take minutes for what takes a second.
set(hang 3600)

# A test says in its head what labels it has, in a line "Labels: gpu long slow".
#   gpu   runs kernels where there is a device, and says by name what it skips where there is none: ctest -L gpu
#   long  takes ten seconds or more under the sanitizers, and runs little that others do not: ctest -LE long leaves it out
#   plain is of code that is one way everywhere, and does the same under the sanitizers: ./dev test runs it there alone. Tests of modules
#         without kernels and engines have it, and those of the command line but for the long ones; others say so.
#   slow  takes ten seconds or more in some build: it begins before the others, so that no processor waits at the end
function(burin_test_labels name source)
    file(STRINGS ${source} line REGEX "^( \\*|#) Labels: [a-z ]+$" LIMIT_COUNT 1)
    if(line)
        string(REGEX REPLACE "^.*Labels: " "" labels ${line})
        string(REPLACE " " ";" labels ${labels})
        set_tests_properties(${name} PROPERTIES LABELS "${labels}")
        if("slow" IN_LIST labels OR "long" IN_LIST labels)
            set_tests_properties(${name} PROPERTIES COST 100)
        endif()
    endif()
endfunction()

function(burin_test_program program module)
    target_link_libraries(${program} PRIVATE ${module} ${CMOCKA_LIBRARY})
    if(NOT BURIN_SANITIZE) # what takes time is the library: a test compiles in half of it
        target_compile_options(${program} PRIVATE $<$<COMPILE_LANGUAGE:C>:-O1>)
    endif()
    if(BURIN_LLD)
        target_link_options(${program} PRIVATE -fuse-ld=lld)
    endif()
endfunction()

function(burin_unit_test name source)
    set_tests_properties(${name} PROPERTIES TIMEOUT ${hang} ENVIRONMENT "${sanitizer_options}")
    burin_test_labels(${name} ${source})
endfunction()

# Tests of a module are one program, tests_MODULE, with what they share (tests/MODULE/harness.c, sample.c): to link each one took as long
# as to compile it. test_NAME is a link to it, by which it knows what to run, and a target that builds it. Three play the kernel to the
# rest of their program, and so are programs of their own; so are those with the label gpu, to be carried to where a GPU is.
foreach(module base io match signatures db carver cluster)
    if(NOT TARGET ${module})
        continue()
    endif()
    file(GLOB_RECURSE sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/tests/${module}/test_*.c)
    burin_without_papers(sources)
    file(GLOB shared CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/tests/${module}/harness.c ${PROJECT_SOURCE_DIR}/tests/${module}/sample.c)
    set(plain OFF)
    if(module MATCHES "^(base|io|signatures|db|carver)$")
        set(plain ON)
    endif()
    foreach(source ${sources})
        get_filename_component(name ${source} NAME_WE)
        file(STRINGS ${source} gpu REGEX "^ \\* Labels: .*gpu" LIMIT_COUNT 1)
        if(gpu OR name MATCHES "^test_(again|carve_trouble|write_back)$")
            list(REMOVE_ITEM sources ${source})
            if(IS_SYMLINK ${PROJECT_BINARY_DIR}/${name})
                file(REMOVE ${PROJECT_BINARY_DIR}/${name})
            endif()
            add_executable(${name} ${source} ${shared})
            burin_test_program(${name} ${module})
            add_test(NAME ${module}/${name} COMMAND ${name} WORKING_DIRECTORY ${PROJECT_SOURCE_DIR})
            burin_unit_test(${module}/${name} ${source})
            if(plain AND NOT gpu)
                set_property(TEST ${module}/${name} APPEND PROPERTY LABELS plain)
                if(NOT BURIN_TESTS_PLAIN)
                    set_target_properties(${name} PROPERTIES EXCLUDE_FROM_ALL ON)
                endif()
            endif()
        endif()
    endforeach()
    set(program tests_${module})
    set(mains ${PROJECT_BINARY_DIR}/generated/${program}.h)
    set(declared "")
    set(table "")
    foreach(source ${sources})
        get_filename_component(name ${source} NAME_WE)
        file(STRINGS ${source} words REGEX "^int main\\(int argc" LIMIT_COUNT 1)
        if(words)
            string(APPEND declared "int ${name}_main(int argc, char **argv);\n")
            string(APPEND table "    { \"${name}\", NULL, ${name}_main },\n")
        else()
            string(APPEND declared "int ${name}_main(void);\n")
            string(APPEND table "    { \"${name}\", ${name}_main, NULL },\n")
        endif()
        set_source_files_properties(${source} PROPERTIES COMPILE_DEFINITIONS main=${name}_main COMPILE_OPTIONS "-include;${mains}")
        file(CREATE_LINK ${program} ${PROJECT_BINARY_DIR}/${name} SYMBOLIC)
        add_custom_target(${name} DEPENDS ${program})
        add_test(NAME ${module}/${name} COMMAND ${PROJECT_BINARY_DIR}/${name} WORKING_DIRECTORY ${PROJECT_SOURCE_DIR})
        burin_unit_test(${module}/${name} ${source})
        get_test_property(${module}/${name} LABELS labels)
        if(plain AND NOT "long" IN_LIST labels)
            set_property(TEST ${module}/${name} APPEND PROPERTY LABELS plain)
        endif()
    endforeach()
    file(CONFIGURE OUTPUT ${mains} CONTENT "${declared}" @ONLY)
    configure_file(tests/main.c.in generated/${program}.c @ONLY)
    add_executable(${program} ${PROJECT_BINARY_DIR}/generated/${program}.c ${sources} ${shared})
    set_source_files_properties(${PROJECT_BINARY_DIR}/generated/${program}.c PROPERTIES COMPILE_OPTIONS "-include;${mains}")
    burin_test_program(${program} ${module})
    if(plain AND NOT BURIN_TESTS_PLAIN)
        set_target_properties(${program} PROPERTIES EXCLUDE_FROM_ALL ON)
    endif()
endforeach()

# What stands in for libyara in a build without it compiles in the others, too.
if(BURIN_HAVE_YARA)
    add_library(yara_match_absent OBJECT carver/yara/yara_match_absent.c)
endif()

target_link_options(test_again PRIVATE -Wl,--wrap=pread64,--wrap=__pread64_chk,--wrap=open64,--wrap=__open64_2,--wrap=statx,--wrap=posix_fadvise64)

# Stands between the program and the kernel. Sanitizers have to be there themselves.
if(NOT BURIN_SANITIZE)
    add_library(shim_disk MODULE tests/cli/faults/shim_disk.c)
    set(shim "SHIM=$<TARGET_FILE:shim_disk>")
endif()

file(GLOB scripts CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/tests/*/*.sh ${PROJECT_SOURCE_DIR}/tests/*/*/*.sh)
foreach(script ${scripts})
    file(RELATIVE_PATH name ${PROJECT_SOURCE_DIR}/tests ${script})
    if(name MATCHES "/lib(_[^/]*)?\\.sh$")
        continue()
    endif()
    # As with programs, the room is not in the name: cli/faults/kill.sh is the test cli/kill.sh.
    string(REGEX REPLACE "^([^/]*)/.*/" "\\1/" name ${name})
    add_test(NAME ${name} COMMAND bash ${script} WORKING_DIRECTORY ${PROJECT_SOURCE_DIR})
    set_tests_properties(${name} PROPERTIES TIMEOUT ${hang} SKIP_RETURN_CODE 77
                         ENVIRONMENT "BURIN=$<$<TARGET_EXISTS:burin>:$<TARGET_FILE:burin>>;BUILD=${PROJECT_BINARY_DIR};BURIN_MPI=$<$<TARGET_EXISTS:burin-mpi>:$<TARGET_FILE:burin-mpi>>;${shim};${sanitizer_options}")
    burin_test_labels(${name} ${script})
    # What stands between the program and the kernel, what is packed, and code for devices are in other builds than those with sanitizers.
    file(STRINGS ${script} other REGEX "SHIM|BURIN_SANITIZE|CUDA" LIMIT_COUNT 1)
    get_test_property(${name} LABELS labels)
    if(name MATCHES "^cli/" AND NOT other AND NOT "long" IN_LIST labels)
        set_property(TEST ${name} APPEND PROPERTY LABELS plain)
    endif()
endforeach()
