// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <sys/stat.h>
#include <sys/types.h>

#include <utility>

#include "rtsync/host/descriptor.hpp"
#include "rtsync/host/folder_file.hpp"

namespace tactus::rtsync {

/// A file or a folder that stays open while code of others runs in the process. A model or a library may close its
/// descriptor, or put another file in its place: this notices it, and never closes what is not its own.
///
/// Threads  one at a time. Nothing here is for a frame.
class HeldFile {
 public:
  HeldFile() = default;
  explicit HeldFile(Descriptor file) : file_(std::move(file)) {
    struct stat made {};
    if (file_.get() < 0 || ::fstat(file_.get(), &made) != 0) return;
    device_ = made.st_dev;
    number_ = made.st_ino;
  }
  HeldFile(HeldFile&&) noexcept = default;
  HeldFile& operator=(HeldFile&& other) noexcept {
    std::swap(file_, other.file_);
    std::swap(device_, other.device_);
    std::swap(number_, other.number_);
    return *this;
  }
  ~HeldFile() { let_go(); }

  int get() const { return file_.get(); }
  /// Returns the names that the file has; 0: it was removed, or is not held.
  nlink_t names() const {
    struct stat now {};
    return is(now) ? now.st_nlink : 0;
  }
  /// Returns true if its descriptor was closed, or is of another file now.
  bool is_taken() const {
    struct stat now {};
    return number_ != 0 && !is(now);
  }
  /// Forgets a descriptor that is taken: its number is free for another file.
  void let_go() {
    if (is_taken()) (void)file_.release();
  }
  /// Returns true if the folder has this file under this name, whatever became of the descriptor.
  bool is_in(int folder, const char* name) const {
    return number_ != 0 && is_file_of(folder, name, device_, number_);
  }
  /// Returns true if these are the numbers of the file.
  bool has(const struct stat& facts) const {
    return number_ != 0 && facts.st_dev == device_ && facts.st_ino == number_;
  }

 private:
  bool is(struct stat& now) const { return file_.get() >= 0 && ::fstat(file_.get(), &now) == 0 && has(now); }

  Descriptor file_;
  dev_t device_ = 0;
  ino_t number_ = 0;
};

}  // namespace tactus::rtsync
