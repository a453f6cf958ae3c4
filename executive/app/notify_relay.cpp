// SPDX-License-Identifier: Apache-2.0
#include "executive/app/notify_relay.hpp"

#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <array>
#include <cstddef>
#include <cstdlib>
#include <cstring>

namespace tactus::app {

NotifyRelay::NotifyRelay() {
  // NOLINTNEXTLINE(concurrency-mt-unsafe): there are no threads yet
  const char* const name = std::getenv("NOTIFY_SOCKET");
  if (name == nullptr || (*name != '/' && *name != '@')) return;  // systemd knows others, of virtual machines
  systemd_ = name;
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  if (systemd_.size() >= sizeof address.sun_path) return;
  socket_ = ::socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  socklen_t length = sizeof address;
  // NOLINTBEGIN(cppcoreguidelines-pro-type-reinterpret-cast): how bind(2) takes an address
  // An address without a path: the kernel chooses a name, which begins with a null byte.
  if (socket_ < 0 || ::bind(socket_, reinterpret_cast<sockaddr*>(&address), sizeof(sa_family_t)) != 0 ||
      ::getsockname(socket_, reinterpret_cast<sockaddr*>(&address), &length) != 0) {
    if (socket_ >= 0) (void)::close(socket_);
    socket_ = -1;
    return;
  }
  // NOLINTEND(cppcoreguidelines-pro-type-reinterpret-cast)
  own_ = "@" + std::string(address.sun_path + 1, length - offsetof(sockaddr_un, sun_path) - 1);
}

NotifyRelay::~NotifyRelay() {
  if (socket_ >= 0) (void)::close(socket_);
}

void NotifyRelay::become_rig() {
  if (socket_ < 0) return;
  (void)::setenv("NOTIFY_SOCKET", own_.c_str(), 1);
  if (std::getenv("WATCHDOG_PID") != nullptr)  // NOLINT(concurrency-mt-unsafe): there are no threads yet
    (void)::setenv("WATCHDOG_PID", std::to_string(::getpid()).c_str(), 1);
}

void NotifyRelay::relay() {
  if (socket_ < 0) return;
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  std::memcpy(address.sun_path, systemd_.data(), systemd_.size());
  if (address.sun_path[0] == '@') address.sun_path[0] = '\0';
  const auto length = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + systemd_.size());
  std::array<char, 4096> message;
  for (ssize_t bytes = 0; (bytes = ::recv(socket_, message.data(), message.size(), 0)) > 0;) {
    // Who no longer listens need not hear it.
    // NOLINTNEXTLINE(cppcoreguidelines-pro-type-reinterpret-cast): how sendto(2) takes an address
    (void)::sendto(socket_, message.data(), static_cast<std::size_t>(bytes), MSG_NOSIGNAL,
                   reinterpret_cast<const sockaddr*>(&address), length);
  }
}

}  // namespace tactus::app
