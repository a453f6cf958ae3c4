// SPDX-License-Identifier: Apache-2.0
#include "rtsync/crash/loaded_files.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cinttypes>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <iterator>
#include <map>
#include <mutex>
#include <sstream>
#include <string_view>
#include <utility>

#include "rtsync/crash/witness_page.hpp"
#include "rtsync/host/descriptor.hpp"
#include "rtsync/text.hpp"

namespace tactus::rtsync {
namespace {

constexpr std::uint64_t kMostDigested = std::uint64_t{64} << 20;

std::atomic<LoadedFiles*> noted{nullptr};
std::mutex noting;

/// A number that is another one for other bytes. Nothing: the file cannot be read.
std::optional<std::uint64_t> digest_of(const char* path, std::uint64_t bytes) noexcept {
  const Descriptor file(::open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  if (file.get() < 0) return std::nullopt;
  constexpr std::size_t kWords = 512;  // a crash is handled on a small stack
  std::uint64_t words[kWords];
  std::uint64_t digest = 0xCBF29CE484222325U;
  std::uint64_t at = 0;
  while (at < bytes) {
    const std::size_t wanted = std::min<std::uint64_t>(sizeof words, bytes - at);
    std::memset(words, 0, sizeof words);
    const ssize_t got = ::pread(file.get(), words, wanted, static_cast<off_t>(at));
    if (got <= 0) break;  // it is shorter than it was
    at += static_cast<std::uint64_t>(got);
    for (const std::uint64_t word : words) {
      digest = (digest ^ word) * 0x9E3779B97F4A7C15U;
      digest ^= digest >> 29;
    }
  }
  return digest ^ at;
}

/// Range of a file that a process has mapped.
struct Mapped {
  std::uint64_t inode = 0;
  std::uint64_t bytes = 0;  // from its beginning to the last byte that is mapped
  bool runs = false;
};

std::map<std::string, Mapped> mapped_files(pid_t process) {
  std::ifstream maps("/proc/" + (process == 0 ? "self" : std::to_string(process)) + "/maps");
  std::map<std::string, Mapped> files;
  for (std::string line; std::getline(maps, line);) {
    // 7f10-7f20 r-xp 00001000 fe:00 1234    /lib/libm.so
    const std::size_t slash = line.find(" /");
    if (slash == std::string::npos) continue;
    const std::string_view path = std::string_view(line).substr(slash + 1);
    if (path.starts_with("/memfd:") || path.starts_with("/dev/")) continue;
    std::uint64_t begin = 0, end = 0, from = 0, inode = 0;
    char runs = 0;
    // Not by words_of(): this is read several times at each start.
    if (std::sscanf(line.c_str(), "%" SCNx64 "-%" SCNx64 " %*c%*c%c%*c %" SCNx64 " %*s %" SCNu64, &begin,
                    &end, &runs, &from, &inode) != 5 ||
        inode == 0)
      continue;
    Mapped& file = files[std::string(path)];
    file.inode = inode;
    file.bytes = std::max(file.bytes, from + (end - begin));
    file.runs |= runs == 'x';
  }
  return files;
}

/// "2026-01-01T00:00:00Z".
class DateText {
 public:
  explicit DateText(std::int64_t seconds) TACTUS_RT {
    const std::chrono::sys_seconds time{std::chrono::seconds(seconds)};
    const auto day = std::chrono::floor<std::chrono::days>(time);
    const std::chrono::year_month_day date(day);
    const std::chrono::hh_mm_ss clock(time - day);
    put(static_cast<std::int64_t>(static_cast<int>(date.year())), 4, '-');
    put(static_cast<unsigned>(date.month()), 2, '-');
    put(static_cast<unsigned>(date.day()), 2, 'T');
    put(clock.hours().count(), 2, ':');
    put(clock.minutes().count(), 2, ':');
    put(clock.seconds().count(), 2, 'Z');
  }
  std::string_view view() const TACTUS_RT { return {text_.data(), length_}; }

 private:
  void put(std::int64_t number, std::size_t digits, char after) TACTUS_RT {
    for (std::size_t i = digits; i > 0; --i, number /= 10)
      text_[length_ + i - 1] = static_cast<char>('0' + std::max<std::int64_t>(number, 0) % 10);
    length_ += digits;
    text_[length_++] = after;
  }
  std::array<char, 24> text_{};
  std::size_t length_ = 0;
};

/// `Line` takes texts: a stream, or a line without the heap.
template <class Line>
void write_to(Line& line, const FileChange& change) {
  char digits[24];
  const auto end = std::to_chars(std::begin(digits), std::end(digits), change.inode);
  const std::string_view inode(digits, static_cast<std::size_t>(end.ptr - digits));
  line << "library " << change.path << " was ";
  const bool overwritten = change.kind == FileChange::Kind::overwritten;
  line << (overwritten                                 ? "overwritten"
           : change.kind == FileChange::Kind::replaced ? "replaced by another file"
                                                       : "removed");
  line << " while it was loaded (inode " << inode << ", was written " << DateText(change.loaded_mtime).view();
  if (overwritten) line << ", now " << DateText(change.written_mtime).view();
  line << ")";
  if (overwritten) line << ": end the rig first, or replace the file with `install` or `mv`";
}

}  // namespace

std::optional<std::uint32_t> LoadedFiles::keep(const std::string& path) {
  for (std::size_t i = 0; i < size(); ++i)
    if (path == &text_[files_[i].path]) return files_[i].path;
  if (path.size() + 1 > text_.size() - text_length_) return std::nullopt;
  const std::size_t at = text_length_;
  std::memcpy(&text_[at], path.c_str(), path.size() + 1);
  text_length_ += path.size() + 1;
  return static_cast<std::uint32_t>(at);
}

bool LoadedFiles::knows(pid_t process, std::uint64_t inode, const std::string& path) const {
  return std::any_of(files_.begin(), files_.begin() + static_cast<std::ptrdiff_t>(size()),
                     [&](const File& file) {
                       return file.process == process && file.inode == inode && path == &text_[file.path];
                     });
}

void LoadedFiles::note(pid_t process) {
  for (const auto& [path, mapped] : mapped_files(process)) {
    struct stat now {};
    if (!mapped.runs || knows(process, mapped.inode, path) || ::stat(path.c_str(), &now) != 0 ||
        now.st_ino != mapped.inode || !S_ISREG(now.st_mode))
      continue;
    const std::size_t count = size();
    if (count == files_.size()) return;
    const auto size = static_cast<std::uint64_t>(now.st_size);
    const std::optional<std::uint32_t> kept = keep(path);
    if (!kept) return;
    File& file = files_[count];
    file.inode = now.st_ino;
    file.device = now.st_dev;
    file.size = size;
    file.seconds = now.st_mtim.tv_sec;
    file.nanoseconds = now.st_mtim.tv_nsec;
    file.mapped = std::min({mapped.bytes, size, kMostDigested});
    file.process = process;
    file.path = *kept;
    if (file.mapped <= kReadAtOnce) read(file);
    count_.store(count + 1, std::memory_order_release);
  }
}

/// A file that was written to since it was loaded stays without a digest: what is read now is not what was loaded.
void LoadedFiles::read(File& file) {
  const std::uint64_t bytes = std::exchange(file.mapped, 0);
  const char* const path = &text_[file.path];
  const std::optional<std::uint64_t> digest = digest_of(path, bytes);
  struct stat now {};
  if (!digest || ::stat(path, &now) != 0 || now.st_ino != file.inode || now.st_dev != file.device ||
      static_cast<std::uint64_t>(now.st_size) != file.size || now.st_mtim.tv_sec != file.seconds ||
      now.st_mtim.tv_nsec != file.nanoseconds)
    return;
  file.digest = *digest;
  file.bytes.store(bytes, std::memory_order_release);
}

void LoadedFiles::read(std::uint64_t bytes) {
  for (std::size_t i = 0; i < size() && bytes > 0; ++i) {
    const std::uint64_t taken = files_[i].mapped;
    if (taken > 0) read(files_[i]);
    bytes -= std::min(bytes, taken);
  }
}

std::optional<FileChange> LoadedFiles::change_of(std::size_t index) const noexcept {
  const File& file = files_[index];
  FileChange change{
      FileChange::Kind::overwritten, &text_[file.path], file.inode, file.seconds, 0, file.process};
  struct stat now {};
  if (::stat(change.path, &now) != 0) {
    if (errno != ENOENT && errno != ENOTDIR) return std::nullopt;
    change.kind = FileChange::Kind::removed;
    return change;
  }
  change.written_mtime = now.st_mtim.tv_sec;
  if (now.st_ino != file.inode || now.st_dev != file.device) {
    change.kind = FileChange::Kind::replaced;
    return change;
  }
  const auto size = static_cast<std::uint64_t>(now.st_size);
  if (now.st_mtim.tv_sec == file.seconds && now.st_mtim.tv_nsec == file.nanoseconds && size == file.size)
    return std::nullopt;
  // What is read before is what the process may run: what lies behind is no part of it.
  const std::uint64_t bytes = file.bytes.load(std::memory_order_acquire);
  if (bytes > 0 && bytes < kMostDigested && digest_of(change.path, bytes) == file.digest) return std::nullopt;
  return change;
}

std::optional<FileChange> LoadedFiles::find_overwritten(pid_t process) const noexcept {
  for (std::size_t i = 0; i < size(); ++i) {
    if (files_[i].process != process) continue;
    const std::optional<FileChange> change = change_of(i);
    if (change && change->kind == FileChange::Kind::overwritten) return change;
  }
  return std::nullopt;
}

void read_loaded_files(std::uint64_t bytes) {
  const std::scoped_lock lock(noting);
  if (LoadedFiles* const files = noted.load()) files->read(bytes);
}

void note_loaded_files(pid_t process) {
  const std::scoped_lock lock(noting);
  LoadedFiles* files = noted.load();
  if (files == nullptr) {
    WitnessPage* const page = witness_page();
    files = page != nullptr ? &page->files : new LoadedFiles;  // never destroyed: libraries are unloaded late
    noted.store(files);
  }
  files->note(process);
}

const LoadedFiles* loaded_files() TACTUS_RT { return noted.load(std::memory_order_acquire); }

std::optional<FileChange> find_overwritten(pid_t process) noexcept {
  const LoadedFiles* const files = loaded_files();
  return files == nullptr ? std::nullopt : files->find_overwritten(process);
}

std::string text_of(const FileChange& change) {
  std::ostringstream line;
  write_to(line, change);
  return line.str();
}

void write(RawLine& line, const FileChange& change) TACTUS_RT { write_to(line, change); }

}  // namespace tactus::rtsync
