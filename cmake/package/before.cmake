# SPDX-License-Identifier: Apache-2.0
# CPack runs this before it packs what was installed in CPACK_TEMPORARY_DIRECTORY.
include(${CPACK_PROJECT_CONFIG_FILE})
execute_process(COMMAND chmod -R u=rwX,go=rX ${CPACK_TEMPORARY_DIRECTORY} COMMAND_ERROR_IS_FATAL ANY)
execute_process(COMMAND find ${CPACK_TEMPORARY_DIRECTORY} -exec touch --no-dereference --date=@${BURIN_EPOCH} {} +
                COMMAND_ERROR_IS_FATAL ANY)
