// SPDX-License-Identifier: Apache-2.0
#include "executive/record/whole_lines.hpp"

#include <unistd.h>

#include <cerrno>
#include <cstddef>
#include <stdexcept>
#include <string>
#include <vector>

#include "rtsync/host/folder_file.hpp"

namespace tactus::executive {
namespace {

constexpr std::size_t kPieceBytes = std::size_t{1} << 20;

/// Takes a file in pieces, and counts its lines.
class LineCounter {
 public:
  explicit LineCounter(const std::function<bool(std::string_view)>& is_whole) : is_whole_(is_whole) {}

  void take(std::string_view piece) {
    found_.bytes += piece.size();
    for (std::size_t end = piece.find('\n'); end != std::string_view::npos; end = piece.find('\n')) {
      if (begun_.empty()) {
        line(piece.substr(0, end));
      } else {
        begun_.append(piece.substr(0, end));
        line(begun_);
        begun_.clear();
      }
      piece.remove_prefix(end + 1);
    }
    begun_.append(piece);
  }
  const WholeLines& found() const { return found_; }

 private:
  void line(std::string_view text) {
    ++number_;
    at_ += text.size() + 1;
    if (text.find('\0') == std::string_view::npos && is_whole_(text)) {
      ++found_.lines;
      found_.whole = at_;
      found_.damaged += bad_;
      if (found_.first_bad == 0) found_.first_bad = first_bad_;
      bad_ = 0;
    } else if (bad_++ == 0) {
      first_bad_ = number_;
    }
  }

  const std::function<bool(std::string_view)>& is_whole_;
  std::string begun_;
  WholeLines found_;
  std::uint64_t at_ = 0;
  std::uint64_t number_ = 0;
  std::uint64_t bad_ = 0;  // since the last whole line: torn, unless a whole one follows
  std::uint64_t first_bad_ = 0;
};

}  // namespace

WholeLines examine_lines(const std::filesystem::path& file,
                         const std::function<bool(std::string_view line)>& is_whole) {
  const rtsync::Descriptor in = rtsync::open_folder_file(file, O_RDONLY);
  LineCounter counter(is_whole);
  std::vector<char> chunk(kPieceBytes);
  ssize_t got = in.get() < 0 ? -1 : 1;
  while (got > 0) {
    do {
      got = ::read(in.get(), chunk.data(), chunk.size());
    } while (got < 0 && errno == EINTR);
    if (got > 0) counter.take({chunk.data(), static_cast<std::size_t>(got)});
  }
  if (got < 0) throw std::runtime_error(rtsync::file_error(file, errno));
  return counter.found();
}

}  // namespace tactus::executive
