# SPDX-License-Identifier: Apache-2.0
# burin-mpi: a program of its own, so that burin itself needs no MPI. It is built where OpenMPI is, and is no part of what `cmake --install`
# installs: `cmake --install build --component mpi` does so, and `./dev package mpi` makes the package burin-mpi.
add_library(cluster STATIC cluster/boss.c cluster/child.c cluster/claims.c cluster/options.c)
target_link_libraries(cluster PUBLIC base)

set(BURIN_MPI AUTO CACHE STRING "burin-mpi: AUTO (when OpenMPI is found), ON (an error when it is not), OFF")
set_property(CACHE BURIN_MPI PROPERTY STRINGS AUTO ON OFF)
if(BURIN_MPI STREQUAL "OFF")
    return()
endif()
pkg_check_modules(MPI IMPORTED_TARGET ompi-c)
if(NOT MPI_FOUND)
    if(BURIN_MPI STREQUAL "ON")
        message(FATAL_ERROR "BURIN_MPI=ON, but OpenMPI (libopenmpi-dev) is not found")
    endif()
    message(STATUS "burin-mpi: OpenMPI (libopenmpi-dev) not found; it is not built")
    return()
endif()
add_executable(burin-mpi cluster/burin_mpi.c cluster/ranks.c)
target_link_libraries(burin-mpi PRIVATE cluster PkgConfig::MPI)
burin_strip(burin-mpi)

set(mpi_document ${CMAKE_INSTALL_DATADIR}/doc/burin-mpi)
set(mpi_page ${PROJECT_BINARY_DIR}/man/burin-mpi.1.gz)
add_custom_command(OUTPUT ${mpi_page} VERBATIM DEPENDS docs/reference/burin-mpi.1
    COMMAND ${GZIP} -9nc ${PROJECT_SOURCE_DIR}/docs/reference/burin-mpi.1 > ${mpi_page})
add_custom_target(man_mpi ALL DEPENDS ${mpi_page})
file(WRITE ${PROJECT_BINARY_DIR}/doc/lintian-mpi "burin-mpi: initial-upload-closes-no-bugs *\n")
install(TARGETS burin-mpi RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR} COMPONENT mpi EXCLUDE_FROM_ALL)
install(FILES ${mpi_page} DESTINATION ${CMAKE_INSTALL_MANDIR}/man1 COMPONENT mpi EXCLUDE_FROM_ALL)
install(FILES ${documents}/changelog.gz ${documents}/changelog.Debian.gz cmake/package/copyright
        DESTINATION ${mpi_document} COMPONENT mpi EXCLUDE_FROM_ALL)
install(FILES ${PROJECT_BINARY_DIR}/doc/lintian-mpi DESTINATION ${CMAKE_INSTALL_DATADIR}/lintian/overrides RENAME burin-mpi
        COMPONENT mpi EXCLUDE_FROM_ALL)
