// SPDX-License-Identifier: Apache-2.0
#include "drivers/silkit/command/print_line.hpp"

#include <unistd.h>

#include <array>
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

std::string read_lines(int from, const std::function<void(const std::string&)>& said) {
  std::string text;
  std::array<char, 4096> piece{};
  for (;;) {
    const ssize_t size = ::read(from, piece.data(), piece.size());
    if (size < 0 && errno == EINTR) continue;
    if (size <= 0) break;
    text.append(piece.data(), static_cast<std::size_t>(size));
    for (std::size_t end = 0; (end = text.find('\n')) != std::string::npos; text.erase(0, end + 1))
      said(text.substr(0, end));
  }
  ::close(from);
  return text;
}

}  // namespace tactus::silkit::command
