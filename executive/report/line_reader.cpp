// SPDX-License-Identifier: Apache-2.0
#include "executive/report/line_reader.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <stdexcept>
#include <system_error>
#include <utility>

#include "rtsync/host/folder_file.hpp"

namespace tactus::report {

LineReader::LineReader(const std::filesystem::path& file)
    : file_(rtsync::open_folder_file(file, O_RDONLY).release()) {
  if (file_ < 0) throw std::runtime_error(rtsync::file_error(file, errno));
}

LineReader::LineReader(LineReader&& other) noexcept
    : buffer_(std::move(other.buffer_)),
      rest_(std::exchange(other.rest_, {})),
      file_(std::exchange(other.file_, -1)),
      skipping_(other.skipping_),
      torn_(other.torn_),
      too_long_(other.too_long_),
      problem_(std::move(other.problem_)) {}

LineReader::~LineReader() {
  if (file_ >= 0) (void)::close(file_);
}

/// More bytes behind the rest, which moves to the front. False: there are none.
bool LineReader::fill() {
  if (file_ < 0) return false;
  if (buffer_.empty()) buffer_.resize(2 * kLongest);
  if (rest_.size() >= kLongest) {
    skipping_ = true;
    rest_ = {};
  }
  if (!rest_.empty()) std::memmove(buffer_.data(), rest_.data(), rest_.size());
  ssize_t got = 0;
  do {
    got = ::read(file_, buffer_.data() + rest_.size(), buffer_.size() - rest_.size());
  } while (got < 0 && errno == EINTR);
  if (got < 0) problem_ = std::generic_category().message(errno);
  rest_ = {buffer_.data(), rest_.size() + static_cast<std::size_t>(got < 0 ? 0 : got)};
  return got > 0;
}

bool LineReader::next(std::string_view& line) {
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
    if (std::exchange(skipping_, false) || line.size() > kLongest) {
      ++too_long_;
      continue;
    }
    if (line.ends_with('\r')) line.remove_suffix(1);
    return true;
  }
  torn_ += rest_.size();
  rest_ = {};
  return false;
}

void split_cells(std::string_view line, char separator, std::vector<std::string_view>& cells) {
  cells.clear();
  for (;;) {
    const void* const found = std::memchr(line.data(), separator, line.size());
    if (found == nullptr) break;
    const auto length = static_cast<std::size_t>(static_cast<const char*>(found) - line.data());
    cells.push_back(line.substr(0, length));
    line.remove_prefix(length + 1);
  }
  cells.push_back(line);
}

}  // namespace tactus::report
