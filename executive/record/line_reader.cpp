// SPDX-License-Identifier: Apache-2.0
#include "executive/record/line_reader.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <stdexcept>
#include <system_error>
#include <utility>

namespace tactus::executive {
namespace {

constexpr std::size_t kPiece = std::size_t{1} << 20;

}  // namespace

LineReader::LineReader(const std::filesystem::path& file, std::size_t longest)
    : file_(rtsync::open_folder_file(file, O_RDONLY)), longest_(longest) {
  if (file_.get() < 0) throw std::runtime_error(rtsync::file_error(file, errno));
}

/// More bytes after the rest, which moves to the front. False: there are none.
bool LineReader::fill() {
  const std::size_t kept = rest_.size() > longest_ ? 0 : rest_.size();
  if (kept < rest_.size()) skipping_ = true;
  if (kept > 0) std::memmove(buffer_.data(), rest_.data(), kept);
  if (buffer_.size() < kept + kPiece) buffer_.resize(2 * (kept + kPiece));
  ssize_t got = 0;
  do {
    got = ::read(file_.get(), buffer_.data() + kept, buffer_.size() - kept);
  } while (got < 0 && errno == EINTR);
  if (got < 0) error_ = errno;
  rest_ = {buffer_.data(), kept + static_cast<std::size_t>(got < 0 ? 0 : got)};
  return got > 0;
}

bool LineReader::next_as_is(std::string_view& line) {
  std::size_t looked = 0;
  for (;;) {
    const std::size_t end = rest_.find('\n', looked);
    if (end == std::string_view::npos) {
      looked = rest_.size();
      if (!fill()) break;
      if (skipping_) looked = 0;
      continue;
    }
    line = rest_.substr(0, end);
    rest_.remove_prefix(end + 1);
    looked = 0;
    if (std::exchange(skipping_, false) || line.size() > longest_) {
      ++too_long_;
      continue;
    }
    return true;
  }
  torn_ += rest_.size();
  rest_ = {};
  return false;
}

bool LineReader::next(std::string_view& line) {
  if (!next_as_is(line)) return false;
  if (line.ends_with('\r')) line.remove_suffix(1);
  return true;
}

std::string LineReader::problem() const { return error_ == 0 ? "" : std::generic_category().message(error_); }

}  // namespace tactus::executive
