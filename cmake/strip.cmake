# SPDX-License-Identifier: Apache-2.0
# The release program has no symbols: they are in PROGRAM.debug beside it, where gdb and perf find them. Sanitizers tell of lines
# from the program itself.
function(burin_strip program)
    if(BURIN_SANITIZE OR NOT CMAKE_BUILD_TYPE STREQUAL "RelWithDebInfo" OR NOT CMAKE_OBJCOPY OR NOT CMAKE_STRIP)
        return()
    endif()
    add_custom_command(TARGET ${program} POST_BUILD
        COMMAND ${CMAKE_OBJCOPY} --only-keep-debug $<TARGET_FILE:${program}> $<TARGET_FILE:${program}>.debug
        COMMAND ${CMAKE_STRIP} --strip-all $<TARGET_FILE:${program}>
        COMMAND ${CMAKE_OBJCOPY} --add-gnu-debuglink=$<TARGET_FILE:${program}>.debug $<TARGET_FILE:${program}>
        BYPRODUCTS ${program}.debug VERBATIM)
endfunction()
