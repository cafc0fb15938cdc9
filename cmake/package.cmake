# SPDX-License-Identifier: Apache-2.0
# A package for Debian, by CPack, of what is installed: ./dev package makes it.
#
# Libraries that the program is linked with are found by dpkg-shlibdeps; those that it loads when they are needed (cmake/shared.cmake) are
# named here.
set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME ${BURIN_PACKAGE})
set(CPACK_PACKAGE_VERSION ${PROJECT_VERSION})
set(CPACK_PACKAGE_CONTACT ${BURIN_MAINTAINER})
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "finds and recovers files in disk images")
set(CPACK_PACKAGE_DESCRIPTION
"Reads a disk image or a block device once, finds the files in it by their
content, says of each how long it is and whether it is whole, and records
all in a case file (SQLite). Files are written out, mounted or reported
only when asked for; evidence is opened read-only.
.
It reads raw images, E01, AFF, AFF4, VMDK, VHD, VHDX, VDI and qcow2, puts
files in pieces together, searches for keywords and expressions, knows
sets of hashes, and samples a disk in a minute.")
set(CPACK_PACKAGE_INSTALL_DIRECTORY burin)
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES OFF) # the program is (cmake/strip.cmake)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_RELEASE 1)
set(CPACK_DEBIAN_PACKAGE_SECTION admin)
set(CPACK_DEBIAN_PACKAGE_PRIORITY optional)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_DEPENDS "${TSK_PACKAGE}, ${EWF_PACKAGE}, ${NBD_PACKAGE}, ${FUSE_PACKAGE}, ${TURBOJPEG_PACKAGE}")
if(BURIN_HAVE_YARA)
    string(APPEND CPACK_DEBIAN_PACKAGE_DEPENDS ", ${YARA_PACKAGE}")
endif()
set(CPACK_DEBIAN_PACKAGE_RECOMMENDS "fuse3, qemu-utils, python3")
set(CPACK_DEBIAN_PACKAGE_SUGGESTS "sqlite3, gddrescue, chromium")
set(CPACK_DEBIAN_COMPRESSION_TYPE xz)
if(BURIN_HAVE_CUDA)
    string(APPEND CPACK_PACKAGE_DESCRIPTION_SUMMARY " (with engines for CUDA)")
    string(APPEND CPACK_PACKAGE_DESCRIPTION "\n.\nThis package has engines for NVIDIA GPUs, too, and works without one.")
    string(APPEND CPACK_DEBIAN_PACKAGE_SUGGESTS ", libcuda1")
    set(CPACK_DEBIAN_PACKAGE_PROVIDES burin)
    set(CPACK_DEBIAN_PACKAGE_CONFLICTS burin)
    set(CPACK_DEBIAN_PACKAGE_REPLACES burin)
endif()
set(BURIN_PACKAGE burin CACHE STRING "what cpack packs: burin, or burin-mpi alone")
set_property(CACHE BURIN_PACKAGE PROPERTY STRINGS burin burin-mpi)
if(BURIN_PACKAGE STREQUAL "burin-mpi")
    set(CPACK_PACKAGE_NAME burin-mpi)
    set(CPACK_INSTALL_CMAKE_PROJECTS "${PROJECT_BINARY_DIR};burin;mpi;/")
    set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "finds files in a disk image by the ranks of an MPI job")
    set(CPACK_PACKAGE_DESCRIPTION
"Cuts a disk image into parts, which the ranks of an MPI job scan with burin,
on one host or many, and makes one case file of what they find.")
    set(CPACK_DEBIAN_PACKAGE_DEPENDS "burin (>= ${PROJECT_VERSION})")
    set(CPACK_DEBIAN_PACKAGE_RECOMMENDS "openmpi-bin")
    set(CPACK_DEBIAN_PACKAGE_SUGGESTS "")
endif()
# The package is none of Debian's own: no report asks for it.
file(WRITE ${PROJECT_BINARY_DIR}/doc/lintian "${CPACK_PACKAGE_NAME}: initial-upload-closes-no-bugs *\n")
install(FILES ${PROJECT_BINARY_DIR}/doc/lintian DESTINATION ${CMAKE_INSTALL_DATADIR}/lintian/overrides RENAME ${CPACK_PACKAGE_NAME})
# Modes and times of the files are those of no machine.
set(BURIN_EPOCH_FILE ${PROJECT_BINARY_DIR}/generated/package-epoch.cmake)
file(WRITE ${BURIN_EPOCH_FILE} "set(ENV{SOURCE_DATE_EPOCH} ${BURIN_EPOCH})\nset(BURIN_EPOCH ${BURIN_EPOCH})\n")
set(CPACK_PROJECT_CONFIG_FILE ${BURIN_EPOCH_FILE})
set(CPACK_PRE_BUILD_SCRIPTS ${PROJECT_SOURCE_DIR}/cmake/package/before.cmake)
include(CPack)
