# SPDX-License-Identifier: Apache-2.0
# The toolchain of the preset arm64: Debian's cross compiler, the libraries that `scripts/setup --arm64` unpacked, and
# qemu-user, by which ctest starts what was built.
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR aarch64)
set(CMAKE_C_COMPILER aarch64-linux-gnu-gcc)
set(CMAKE_CXX_COMPILER aarch64-linux-gnu-g++)
get_filename_component(CMAKE_SYSROOT ${CMAKE_CURRENT_LIST_DIR}/../../build/arm64-sysroot ABSOLUTE)
if(NOT EXISTS ${CMAKE_SYSROOT}/.packages)
  message(FATAL_ERROR "there are no ARM64 libraries in ${CMAKE_SYSROOT}; scripts/setup --arm64 gets them")
endif()

# Libraries and headers of ARM64 alone; programs of this machine.
set(CMAKE_LIBRARY_ARCHITECTURE aarch64-linux-gnu)
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
set(CMAKE_FIND_ROOT_PATH_MODE_LIBRARY ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_INCLUDE ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_PACKAGE ONLY)
set(ENV{PKG_CONFIG_PATH} "")
set(ENV{PKG_CONFIG_SYSROOT_DIR} ${CMAKE_SYSROOT})
set(ENV{PKG_CONFIG_LIBDIR} ${CMAKE_SYSROOT}/usr/lib/aarch64-linux-gnu/pkgconfig:${CMAKE_SYSROOT}/usr/share/pkgconfig)

find_program(TACTUS_QEMU_AARCH64 NAMES qemu-aarch64 qemu-aarch64-static)
mark_as_advanced(TACTUS_QEMU_AARCH64)
if(TACTUS_QEMU_AARCH64)
  set(CMAKE_CROSSCOMPILING_EMULATOR ${TACTUS_QEMU_AARCH64} -L ${CMAKE_SYSROOT})
endif()
