// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <sys/types.h>

#include <filesystem>
#include <string>

#include "drivers/live/http/address.hpp"

namespace tactus::drivers::live_http {

/// Says why no client can name the file of a whole unix address; empty: one can, or it is another kind of address.
/// `in_folder`: it begins with the run folder, which may be shorter.
std::string path_problem(const Address& address, bool in_folder);

/// A listening socket. That of a unix address has a file of mode 0600, which goes with it; one that a dead
/// run left is replaced.
///
/// Threads  one owner.
class Listener {
 public:
  /// A relative path is one of `folder`. Throws DeviceError: taken, not permitted, not there.  @when setup
  Listener(Address address, const std::filesystem::path& folder);
  ~Listener();
  Listener(const Listener&) = delete;
  Listener& operator=(const Listener&) = delete;

  int fd() const { return fd_; }
  /// Address in use: with the port the system chose, and the whole path.
  const Address& address() const { return address_; }
  /// No more connections; the file goes, if it is still ours.
  void close();

 private:
  void open_unix();
  void open_tcp();
  int bind_tcp();
  [[noreturn]] void fail(const std::string& what, int error, const std::string& fix);

  Address address_;
  bool in_folder_ = false;  // the path was a relative one
  int fd_ = -1;
  dev_t device_ = 0;  // of the file, to know it again
  ino_t inode_ = 0;
};

}  // namespace tactus::drivers::live_http
