// SPDX-License-Identifier: Apache-2.0
#include "drivers/silkit/command/print_line.hpp"

#include <cerrno>
#include <cstdio>
#include <system_error>

#include "rtsync/host/plain_text.hpp"

namespace tactus::silkit::command {

std::string error_text(int error) { return std::generic_category().message(error); }

int print_line(const std::string& line) {
  errno = 0;
  const bool done = rtsync::print_plain(stdout, "%s\n", line.c_str()) && std::fflush(stdout) == 0;
  return done ? 0 : errno != 0 ? errno : EIO;
}

}  // namespace tactus::silkit::command
