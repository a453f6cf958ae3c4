# SPDX-License-Identifier: Apache-2.0
# Sets TACTUS_SILKIT_INSTALLATION to a folder with bin/ and lib/libSilKit.so, made of TACTUS_SILKIT_ROOT.
get_filename_component(root ${TACTUS_SILKIT_ROOT} ABSOLUTE BASE_DIR ${CMAKE_BINARY_DIR})
if(EXISTS ${root}/lib/libSilKit.so)
  set(TACTUS_SILKIT_INSTALLATION ${root})
  return()
endif()
foreach(built ${root} ${root}/Release ${root}/Debug ${root}/RelWithDebInfo)
  if(EXISTS ${built}/libSilKit.so)
    set(TACTUS_SILKIT_INSTALLATION ${CMAKE_BINARY_DIR}/silkit_root)
    file(MAKE_DIRECTORY ${TACTUS_SILKIT_INSTALLATION})
    file(CREATE_LINK ${built} ${TACTUS_SILKIT_INSTALLATION}/bin SYMBOLIC)
    file(CREATE_LINK ${built} ${TACTUS_SILKIT_INSTALLATION}/lib SYMBOLIC)
    message(STATUS "tests beside SIL Kit: ${built}")
    return()
  endif()
endforeach()
message(FATAL_ERROR "TACTUS_SILKIT_ROOT: ${root} has no libSilKit.so, nor have lib, Release, Debug and RelWithDebInfo in "
                    "it; give the folder of an installation of SIL Kit, or the one that it was built in")
