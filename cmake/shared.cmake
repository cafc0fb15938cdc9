# SPDX-License-Identifier: Apache-2.0
# Libraries that the program loads when an image, or a command, needs them (io/system/shared.h). They are not linked, but must be there to build:
# their headers, and the name by which the dynamic linker knows them.
#
# burin_shared(NAME LIBRARY HEADER) sets NAME_FILE (libtsk.so.19) and NAME_PACKAGE (libtsk19, as Debian names packages of libraries).
function(burin_shared name library header)
    find_path(${name}_INCLUDE ${header} REQUIRED)
    find_library(${name}_LIBRARY ${library} REQUIRED)
    if(NOT CMAKE_OBJDUMP)
        message(FATAL_ERROR "objdump is not found: it tells by which name lib${library} is loaded")
    endif()
    execute_process(COMMAND ${CMAKE_OBJDUMP} -p ${${name}_LIBRARY} OUTPUT_VARIABLE headers ERROR_QUIET)
    if(NOT headers MATCHES "SONAME +([^ \n]+)")
        message(FATAL_ERROR "${${name}_LIBRARY} says no name by which it is loaded (SONAME): is it a shared library?")
    endif()
    set(file ${CMAKE_MATCH_1})
    string(REGEX REPLACE "([0-9])\\.so\\." "\\1-" package ${file})
    string(REGEX REPLACE "\\.so\\." "" package ${package})
    set(${name}_FILE ${file} PARENT_SCOPE)
    set(${name}_PACKAGE ${package} PARENT_SCOPE)
endfunction()

# The module loads them.
function(burin_shared_use module)
    foreach(name ${ARGN})
        target_include_directories(${module} SYSTEM PUBLIC ${${name}_INCLUDE})
        target_compile_definitions(${module} PRIVATE "BURIN_${name}_FILE=\"${${name}_FILE}\""
                                                     "BURIN_${name}_PACKAGE=\"${${name}_PACKAGE}\"")
    endforeach()
endfunction()
