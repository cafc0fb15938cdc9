# SPDX-License-Identifier: Apache-2.0
# Warnings, sanitizers and hardening for every target of the project.
include(CheckCCompilerFlag)

set(flags -Wall -Wextra -Wconversion -Wshadow -Wstrict-prototypes -Wmissing-prototypes -Wvla
          -fno-omit-frame-pointer -fno-strict-overflow)
add_compile_definitions(_GNU_SOURCE _FILE_OFFSET_BITS=64)
if(BURIN_WERROR)
    list(APPEND flags -Werror)
endif()
if(BURIN_SANITIZE)
    list(APPEND flags -fsanitize=${BURIN_SANITIZE} -fno-sanitize-recover=all)
    add_link_options(-fsanitize=${BURIN_SANITIZE})
    # A message for each check takes 13 MB of the program, which the search for leaks reads through at the end of each. ASan tells where it was.
    if(BURIN_SANITIZE MATCHES address.*undefined AND CMAKE_C_COMPILER_ID STREQUAL "GNU")
        list(APPEND flags -fsanitize-undefined-trap-on-error)
        add_link_options(-fsanitize-undefined-trap-on-error)
    endif()
endif()
add_compile_options("$<$<COMPILE_LANGUAGE:C>:${flags}>")

# What makes a fault in a parser of evidence harder to use; tests/tidy/hardening.sh reads it from the
# program. Flags are taken where compiler and processor have them. nvcc's host compiler gets the same.
set(hardening -fstack-protector-strong)
if(NOT BURIN_SANITIZE) # sanitizers look for the same faults, and want their own hands on them
    list(APPEND hardening -fstack-clash-protection -fcf-protection=full -ftrivial-auto-var-init=zero)
endif()
foreach(flag ${hardening})
    string(MAKE_C_IDENTIFIER BURIN_HAVE${flag} have)
    check_c_compiler_flag("-Werror ${flag}" ${have})
    if(${have})
        add_compile_options("$<$<COMPILE_LANGUAGE:C>:${flag}>" "$<$<COMPILE_LANGUAGE:CUDA>:-Xcompiler=${flag}>")
    endif()
endforeach()
# The C library checks the lengths that it is given: only in optimised code, as these types of build
# are. Level 3 needs a built-in function that the front ends of older nvcc do not know.
if(NOT BURIN_SANITIZE AND CMAKE_BUILD_TYPE MATCHES "^(RelWithDebInfo|Release|MinSizeRel)$")
    add_compile_options("$<$<COMPILE_LANGUAGE:C>:-U_FORTIFY_SOURCE;-D_FORTIFY_SOURCE=3>"
                        "$<$<COMPILE_LANGUAGE:CUDA>:-Xcompiler=-U_FORTIFY_SOURCE;-Xcompiler=-D_FORTIFY_SOURCE=2>")
endif()
# Code is at an address that nobody knows, tables of functions are read-only once the program runs, no
# stack is code. Sanitizers keep tables of all code and variables: to move these costs a fifth of each start of the program, of
# which their tests have thousands.
find_program(BURIN_LLD ld.lld) # links a test program in a third of the time
if(BURIN_SANITIZE)
    add_compile_options(-fno-pie)
    add_link_options(-no-pie)
    if(BURIN_LLD)
        add_link_options(-fuse-ld=lld)
    endif()
else()
    add_compile_options("$<$<COMPILE_LANGUAGE:C>:-fPIE>" "$<$<COMPILE_LANGUAGE:CUDA>:-Xcompiler=-fPIE>")
    add_link_options(-pie)
endif()
add_link_options(-Wl,-z,relro,-z,now,-z,noexecstack)
include_directories(${PROJECT_SOURCE_DIR} ${PROJECT_BINARY_DIR}/generated)
