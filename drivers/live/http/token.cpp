// SPDX-License-Identifier: Apache-2.0
#include "drivers/live/http/token.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <system_error>

#include "executive/driver/device_error.hpp"
#include "rtsync/host/plain_text.hpp"

namespace tactus::drivers::live_http {

Token::Token(std::string_view text) : size_(text.size()) {
  std::copy(text.begin(), text.end(), text_.begin());
}

Token Token::read(const std::filesystem::path& file) {
  const auto fail = [&](const std::string& what) {
    throw executive::DeviceError("live.http.token_file: " + file.string() + " " + what);
  };
  // Not waiting: a pipe without a writer would hold up the start.
  const int fd = ::open(file.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (fd < 0) {
    const int error = errno;
    // Only where there is none may one be made: it would take the place of a good one.
    const std::string fix =
        error == ENOENT   ? "make one: (umask 077; openssl rand -hex 16 > " + file.string() + ")"
        : error == EACCES ? "it has to belong to the user who runs the rig, and be readable by that user"
                          : "name another file";
    fail("cannot be read (" + std::generic_category().message(error) + "); " + fix);
  }
  struct stat found {};
  const bool known = ::fstat(fd, &found) == 0;
  std::string text(1024, '\0');
  const ssize_t got = ::read(fd, text.data(), text.size());
  ::close(fd);
  if (!known || !S_ISREG(found.st_mode)) fail("is not a file");
  if ((found.st_mode & 077U) != 0)
    fail("may be read or written by others (mode " + rtsync::format_text("%03o", found.st_mode & 0777U) +
         "); chmod 600 " + file.string());
  text.resize(got < 0 ? 0 : static_cast<std::size_t>(got));
  if (text.ends_with('\n')) text.pop_back();
  if (text.ends_with('\r')) text.pop_back();
  for (const char c : text)
    if (c <= ' ' || c > '~') fail("has to be one line of letters, digits and signs, without blanks");
  if (text.size() < kShortest || text.size() > kLongest)
    fail("holds " + std::to_string(text.size()) + " characters; a token has " + std::to_string(kShortest) +
         " .. " + std::to_string(kLongest) + ": openssl rand -hex 16");
  return Token(text);
}

bool Token::matches(std::string_view shown) const {
  std::array<char, kLongest> padded{};
  std::copy_n(shown.begin(), std::min(shown.size(), kLongest), padded.begin());
  volatile unsigned difference = shown.size() == size_ ? 0 : 1;
  for (std::size_t i = 0; i < kLongest; ++i)
    difference = difference | static_cast<unsigned>(static_cast<unsigned char>(padded[i] ^ text_[i]));
  return difference == 0;
}

}  // namespace tactus::drivers::live_http
