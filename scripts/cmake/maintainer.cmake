# SPDX-License-Identifier: Apache-2.0
# tactus_maintainer: whom the packages name, "Name <address>". Who makes packages is their maintainer.
set(TACTUS_PACKAGE_RELEASE 1)  # of packages of one version
set(tactus_maintainer "${TACTUS_MAINTAINER}")
set(name "$ENV{DEBFULLNAME}")
set(address "$ENV{DEBEMAIL}")
foreach(part name address)
  string(REPLACE address email key ${part})
  if(tactus_maintainer STREQUAL "" AND ${part} STREQUAL "")
    execute_process(COMMAND git -c safe.directory=* config user.${key} WORKING_DIRECTORY ${PROJECT_SOURCE_DIR}
                    OUTPUT_VARIABLE ${part} ERROR_QUIET OUTPUT_STRIP_TRAILING_WHITESPACE)
  endif()
endforeach()
if(tactus_maintainer STREQUAL "" AND NOT address STREQUAL "")
  if(name STREQUAL "")
    set(name tactus)
  endif()
  set(tactus_maintainer "${name} <${address}>")
endif()
if(tactus_maintainer STREQUAL "")
  set(tactus_maintainer "nobody named <unknown@tactus.invalid>")  # scripts/package says how to name somebody
endif()
if(NOT tactus_maintainer MATCHES "^[^<>]+ <[^<> @]+@[^<> @]+>$")
  message(FATAL_ERROR "the maintainer '${tactus_maintainer}' is not Name <address>; set TACTUS_MAINTAINER, or DEBFULLNAME "
                      "and DEBEMAIL")
endif()
