# SPDX-License-Identifier: Apache-2.0
# A file as a C array: burin_embed(TARGET FILE NAME) makes generated/DIR/FILE.h, which holds
#     static const unsigned char NAME[] = { the bytes of FILE, 0 };
# This file is also the script that writes it, so that an edit of FILE rebuilds TARGET.
if(CMAKE_SCRIPT_MODE_FILE)
    file(READ ${INPUT} bytes HEX)
    string(REGEX REPLACE "(................................)" "\\1\n" bytes "${bytes}")
    string(REGEX REPLACE "([0-9a-f][0-9a-f])" "0x\\1," bytes "${bytes}")
    file(WRITE ${OUTPUT} "/* Generated from ${LABEL}. */\nstatic const unsigned char ${NAME}[] = {\n${bytes}0\n};\n")
    return()
endif()

set(BURIN_EMBED_SCRIPT ${CMAKE_CURRENT_LIST_FILE})
function(burin_embed target file name)
    set(input ${PROJECT_SOURCE_DIR}/${file})
    set(output ${PROJECT_BINARY_DIR}/generated/${file}.h)
    add_custom_command(OUTPUT ${output} DEPENDS ${input} ${BURIN_EMBED_SCRIPT} VERBATIM
                       COMMAND ${CMAKE_COMMAND} -DINPUT=${input} -DOUTPUT=${output} -DNAME=${name} -DLABEL=${file}
                               -P ${BURIN_EMBED_SCRIPT})
    target_sources(${target} PRIVATE ${output})
endfunction()
