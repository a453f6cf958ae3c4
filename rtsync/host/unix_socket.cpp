// SPDX-License-Identifier: Apache-2.0
#include "rtsync/host/unix_socket.hpp"

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <system_error>

#include "rtsync/host/descriptor.hpp"

namespace tactus::rtsync {

UnixName::UnixName(const std::string& path) : fits_(path.size() <= kLongest) {
  name_.sun_family = AF_UNIX;
  if (fits_) std::memcpy(name_.sun_path, path.c_str(), path.size() + 1);
}

bool may_listen(const std::string& path) {
  std::error_code error;
  if (!std::filesystem::is_socket(path, error)) return false;
  const UnixName name(path);
  if (!name.fits()) return true;
  const Descriptor probe(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  return probe.get() < 0 || ::connect(probe.get(), name.address(), UnixName::size()) == 0 ||
         errno != ECONNREFUSED;
}

}  // namespace tactus::rtsync
