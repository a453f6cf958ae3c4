// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <sys/socket.h>
#include <sys/un.h>

#include <cstddef>
#include <string>

namespace tactus::rtsync {

/// The name of a socket's file, for bind and connect.                                                 @when any
class UnixName {
 public:
  explicit UnixName(const std::string& path);

  static constexpr std::size_t kLongest = sizeof sockaddr_un::sun_path - 1;

  bool fits() const { return fits_; }  ///< false: the path is longer than kLongest, and the name is empty
  const sockaddr* address() const {
    // NOLINTNEXTLINE(cppcoreguidelines-pro-type-reinterpret-cast): how sockets take addresses
    return reinterpret_cast<const sockaddr*>(&name_);
  }
  static constexpr socklen_t size() { return sizeof(sockaddr_un); }

 private:
  sockaddr_un name_{};
  const bool fits_;
};

/// Returns false if no server listens at a file: it is not a socket, or one that a killed process has left. True also where
/// that cannot be found out, as without the right to connect. A server sees a connection that is closed at once.
/// @when service
bool may_listen(const std::string& path);

}  // namespace tactus::rtsync
