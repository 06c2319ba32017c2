# SPDX-License-Identifier: Apache-2.0
# What Debian's policy asks of every package, added to the folders that CPack is about to pack: copyright and changelog,
# and compressed manual pages.
foreach(component ${CPACK_COMPONENTS_ALL})
  string(TOUPPER "${component}" upper)
  set(name "${CPACK_DEBIAN_${upper}_PACKAGE_NAME}")
  set(root "${CPACK_TEMPORARY_DIRECTORY}/${component}/usr")
  if(NOT EXISTS "${root}")
    continue()
  endif()
  set(documents "${root}/share/doc/${name}")
  file(WRITE "${documents}/copyright" "Format: https://www.debian.org/doc/packaging-manuals/copyright-format/1.0/
Upstream-Name: amalthea-timing

Files: *
Copyright: 2026 The amalthea-timing maintainers
License: Apache-2.0

License: Apache-2.0
 On Debian systems, the license is in /usr/share/common-licenses/Apache-2.0.
")
  file(WRITE "${documents}/changelog.Debian" "${CPACK_PACKAGE_NAME} (${CPACK_PACKAGE_VERSION}-${CPACK_DEBIAN_PACKAGE_RELEASE}) bookworm; urgency=medium

  * Release ${CPACK_PACKAGE_VERSION}.

 -- ${CPACK_PACKAGE_CONTACT}  Thu, 01 Jan 2026 00:00:00 +0000
")
  file(GLOB manuals "${root}/share/man/man1/*.1")
  execute_process(COMMAND gzip -9nf "${documents}/changelog.Debian" ${manuals} COMMAND_ERROR_IS_FATAL ANY)
  file(GLOB_RECURSE written LIST_DIRECTORIES true "${root}/share/*")
  foreach(path ${written})
    if(IS_DIRECTORY "${path}")
      file(CHMOD "${path}" PERMISSIONS OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE WORLD_READ WORLD_EXECUTE)
    else()
      file(CHMOD "${path}" PERMISSIONS OWNER_READ OWNER_WRITE GROUP_READ WORLD_READ)
    endif()
  endforeach()
  if(DEFINED ENV{SOURCE_DATE_EPOCH})  # the same bytes whenever it is packed
    execute_process(COMMAND find "${CPACK_TEMPORARY_DIRECTORY}/${component}" -exec touch -h -d "@$ENV{SOURCE_DATE_EPOCH}" {} +
                    COMMAND_ERROR_IS_FATAL ANY)
  endif()
endforeach()
