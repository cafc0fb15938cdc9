# Warnings and sanitizers for every target of the project.
set(flags -Wall -Wextra -Wconversion -Wshadow -Wstrict-prototypes -Wmissing-prototypes -Wvla
          -fno-omit-frame-pointer -fno-strict-overflow -fstack-protector-strong)
add_compile_definitions(_GNU_SOURCE _FILE_OFFSET_BITS=64)
if(BURIN_WERROR)
    list(APPEND flags -Werror)
endif()
if(BURIN_SANITIZE)
    list(APPEND flags -fsanitize=${BURIN_SANITIZE} -fno-sanitize-recover=all)
    add_link_options(-fsanitize=${BURIN_SANITIZE})
endif()
add_compile_options("$<$<COMPILE_LANGUAGE:C>:${flags}>")
include_directories(${PROJECT_SOURCE_DIR} ${PROJECT_BINARY_DIR}/generated)
