# SPDX-License-Identifier: Apache-2.0
# Debian packages: `cpack -G DEB` in a build folder, or scripts/package. docs/packages.md says what is in each.
set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_VENDOR "tactus")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "")  # else it is put before each description below
set(CPACK_PACKAGE_CONTACT "${tactus_maintainer}")
set(CPACK_DEBIAN_PACKAGE_RELEASE ${TACTUS_PACKAGE_RELEASE})
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_DEBIAN_COMPRESSION_TYPE xz)
set(CPACK_OUTPUT_FILE_PREFIX ${PROJECT_BINARY_DIR}/packages)
set(CPACK_COMPONENTS_ALL tactus dev python)
set(CPACK_COMPONENTS_GROUPING IGNORE)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_ENABLE_COMPONENT_DEPENDS OFF)
set(CPACK_INSTALL_DEFAULT_DIRECTORY_PERMISSIONS
    OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE WORLD_READ WORLD_EXECUTE)

set(CPACK_DEBIAN_TACTUS_PACKAGE_NAME tactus)
set(CPACK_DEBIAN_TACTUS_PACKAGE_SECTION science)
set(CPACK_DEBIAN_TACTUS_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS_PRIVATE_DIRS
    ${PROJECT_BINARY_DIR}/lib ${TACTUS_PLUGIN_DIR})  # libtactus-silkit.so.5, libtactus-private.so
set(CPACK_DEBIAN_PACKAGE_GENERATE_SHLIBS ON)
set(CPACK_DEBIAN_PACKAGE_GENERATE_SHLIBS_POLICY ">=")
set(CPACK_DEBIAN_TACTUS_PACKAGE_RECOMMENDS "python3-tactus")
set(CPACK_DEBIAN_TACTUS_DESCRIPTION
    "hard real-time frame executive for hardware-in-the-loop rigs
tactus runs simulation models in hard real time on Linux (PREEMPT_RT). In each
frame it runs the models of a rig in a fixed order, exchanges data with
hardware and other simulators, and waits for the next slot. Here are the
command, its drivers, models, shared libraries and example rigs.")

set(CPACK_DEBIAN_DEV_PACKAGE_NAME libtactus-dev)
set(CPACK_DEBIAN_DEV_PACKAGE_SECTION libdevel)
set(CPACK_DEBIAN_DEV_PACKAGE_DEPENDS "tactus (= ${PROJECT_VERSION}-${TACTUS_PACKAGE_RELEASE})")
set(CPACK_DEBIAN_DEV_DESCRIPTION
    "headers and CMake package to build models, drivers and programs for tactus
Models of rigs in C++ or C, drivers (hardware as models, formats of
recordings, clocks), programs that run rigs in episodes, and participants of
SIL Kit simulations. With CMake and pkg-config files.")

set(CPACK_DEBIAN_PYTHON_PACKAGE_NAME python3-tactus)
set(CPACK_DEBIAN_PYTHON_PACKAGE_SECTION python)
set(CPACK_DEBIAN_PYTHON_PACKAGE_ARCHITECTURE all)
set(CPACK_DEBIAN_PYTHON_PACKAGE_DEPENDS "python3 (>= 3.9)")
set(CPACK_DEBIAN_PYTHON_PACKAGE_RECOMMENDS "python3-numpy")
set(CPACK_DEBIAN_PYTHON_PACKAGE_SUGGESTS "python3-pandas, python3-h5py, python3-pytest")
set(CPACK_DEBIAN_PYTHON_DESCRIPTION
    "recordings of tactus rigs, and rigs that run, from Python
Loads recordings in every format that tactus writes, as arrays with units, and
reads, sets and drives a rig that runs through its control port.")
# Python compiles modules where they are imported; what it leaves goes with the package.
foreach(script postinst prerm)
  configure_file(scripts/packaging/python-${script} ${PROJECT_BINARY_DIR}/python-scripts/${script} COPYONLY
                 FILE_PERMISSIONS OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE WORLD_READ WORLD_EXECUTE)
  list(APPEND CPACK_DEBIAN_PYTHON_PACKAGE_CONTROL_EXTRA ${PROJECT_BINARY_DIR}/python-scripts/${script})
endforeach()
include(CPack)
