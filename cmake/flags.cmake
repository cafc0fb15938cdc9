# Warnings and sanitizers for every target of the project.
add_compile_options(-Wall -Wextra -Wconversion -Wshadow -Wstrict-prototypes -Wmissing-prototypes -Wvla
                    -fno-omit-frame-pointer -fno-strict-overflow -fstack-protector-strong)
add_compile_definitions(_GNU_SOURCE _FILE_OFFSET_BITS=64)
if(BURIN_WERROR)
    add_compile_options(-Werror)
endif()
if(BURIN_SANITIZE)
    add_compile_options(-fsanitize=${BURIN_SANITIZE} -fno-sanitize-recover=all)
    add_link_options(-fsanitize=${BURIN_SANITIZE})
endif()
include_directories(${PROJECT_SOURCE_DIR} ${PROJECT_BINARY_DIR}/generated)
