# SPDX-License-Identifier: Apache-2.0
# Which file speaks to a libgpiod of this version ("": there is none), or why none does; the other is "".
#
#   gpio_backend("2.2.1" backend reason)
function(gpio_backend version backend reason)
  set(file "")
  set(why "")
  if(version STREQUAL "")
    set(why "it needs libgpiod 1.6 or 2, and the build found none; install it (Debian, Ubuntu: apt-get install \
libgpiod-dev) and build tactus again in an empty build folder")
  elseif(version VERSION_LESS 1.6 OR version VERSION_GREATER_EQUAL 3)
    set(why "it needs libgpiod 1.6 or 2, and the build found libgpiod ${version}; install one of those and build tactus \
again in an empty build folder")
  else()
    string(REGEX MATCH "^[0-9]+" major "${version}")
    set(file gpiod${major}.cpp)
  endif()
  set(${backend} "${file}" PARENT_SCOPE)
  set(${reason} "${why}" PARENT_SCOPE)
endfunction()
