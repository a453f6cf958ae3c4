// SPDX-License-Identifier: Apache-2.0
// denied_call NUMBER PROGRAM ARGUMENT...: runs a program to which a filter forbids a system call. Status 77: no filter is
// allowed here.
#include <unistd.h>

#include <cstdlib>

#include "tests/rtsync/support/call_filter.hpp"

int main(int argc, char** argv) {
  if (argc < 3) return 2;
  if (!tactus::rtsync::forbid_call(static_cast<unsigned>(std::strtoul(argv[1], nullptr, 10)))) return 77;
  ::execv(argv[2], argv + 2);
  return 3;
}
