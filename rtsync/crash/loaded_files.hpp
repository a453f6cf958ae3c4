// SPDX-License-Identifier: Apache-2.0
#pragma once
/// The files whose code processes run, as they were when they were loaded. Linux lets a program write over a library
/// that is loaded: its code is then another one, or gone (SIGBUS), and no job is to blame for what follows. The list
/// lies in memory that outlives the process.
///
///     note_loaded_files();                                        // when libraries have been loaded
///     read_loaded_files(4 << 20);                                 // later, now and then
///     if (const auto change = find_overwritten()) say(text_of(*change));
///
/// Threads  note(), read(): any, one after the other. The rest: any, at any time; also the handler of a signal, and the
///          witness of a process that is dead.
#include <sys/types.h>

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "rtsync/crash/raw_line.hpp"
#include "rtsync/rt.hpp"

namespace tactus::rtsync {

/// Change of a file after its code was loaded.
struct FileChange {
  enum class Kind : std::uint8_t {
    overwritten,  ///< other bytes in the same file: what runs is not what was loaded
    replaced,     ///< another file has its name: harmless, the old one is still there for the process
    removed       ///< no file has its name: harmless as well
  };
  Kind kind = Kind::overwritten;
  const char* path = "";
  std::uint64_t inode = 0;         ///< inode of the file that was loaded
  std::int64_t loaded_mtime = 0;   ///< last change of the loaded file, in seconds since 1970
  std::int64_t written_mtime = 0;  ///< last change of the present file of that name; 0: there is none
  pid_t process = 0;               ///< process, as LoadedFiles::note() had it
};

class LoadedFiles {
 public:
  static constexpr std::size_t kMostFiles = 512;
  static constexpr std::size_t kMostText = std::size_t{64} << 10;
  static constexpr pid_t kThisProcess = 0;
  /// Files of which more is mapped are not read by note(): that took a third of the start.
  static constexpr std::uint64_t kReadAtOnce = std::uint64_t{256} << 10;

  /// Adds what the process has loaded since the last time. What does not fit is left out.        @when setup
  void note(pid_t process = kThisProcess);
  /// Reads files that note() has not, until that many bytes of them were read. Until then such a file counts as
  /// overwritten even if its time alone was changed.                                           @when service
  void read(std::uint64_t bytes);
  std::size_t size() const TACTUS_RT { return count_.load(std::memory_order_acquire); }
  /// Returns how a file changed; nothing: it is as it was loaded, or that is unknown. Without heap; reads the
  /// file if it was written to, so that one whose time alone was changed is not blamed. @when any
  std::optional<FileChange> change_of(std::size_t file) const noexcept;
  /// The first file of a process that was overwritten.                                            @when any
  std::optional<FileChange> find_overwritten(pid_t process = kThisProcess) const noexcept;

 private:
  struct File {
    std::uint64_t inode = 0, device = 0, size = 0;
    std::int64_t seconds = 0, nanoseconds = 0;  // of its last writing
    std::uint64_t mapped = 0;                   // bytes to be read; 0: nothing is to be read any more
    std::uint64_t digest = 0;
    std::atomic<std::uint64_t> bytes{0};  // that the digest is of; 0: none is known
    pid_t process = 0;
    std::uint32_t path = 0;  // in text_
  };
  void read(File& file);
  std::optional<std::uint32_t> keep(const std::string& path);
  bool knows(pid_t process, std::uint64_t inode, const std::string& path) const;

  std::atomic<std::size_t> count_{0};
  std::size_t text_length_ = 0;
  std::array<File, kMostFiles> files_{};
  std::array<char, kMostText> text_{};
};

/// Adds them to the list of this process, which its witness reads. @when setup
void note_loaded_files(pid_t process = LoadedFiles::kThisProcess);
/// LoadedFiles::read() of that list. @when service
void read_loaded_files(std::uint64_t bytes);
/// The list of this process; nullptr: nothing was noted. @when any
const LoadedFiles* loaded_files() TACTUS_RT;
/// The first file of a process that was overwritten.                                              @when any
std::optional<FileChange> find_overwritten(pid_t process = LoadedFiles::kThisProcess) noexcept;

/// "library /x/y.so was overwritten while it was loaded (inode 5, was written 2026-01-01T00:00:00Z, now ...): ...".
/// @when service
std::string text_of(const FileChange& change);
/// The same, without the heap.                                                                    @when any
void write(RawLine& line, const FileChange& change) TACTUS_RT;

}  // namespace tactus::rtsync
