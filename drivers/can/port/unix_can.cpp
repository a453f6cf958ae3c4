// SPDX-License-Identifier: Apache-2.0
#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>

#include <cerrno>
#include <cstring>
#include <stdexcept>

#include "drivers/can/port/can_socket.hpp"

namespace tactus::drivers::can {
namespace {

constexpr std::int64_t kNsOfSecond = 1'000'000'000;

class UnixCan final : public CanSocket {
 public:
  explicit UnixCan(const std::string& path) : socket_(::socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0)) {
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    if (path.empty() || path.size() >= sizeof address.sun_path)
      throw std::runtime_error("unix:" + path + " is not a path of 1 .. " +
                               std::to_string(sizeof address.sun_path - 1) + " bytes");
    std::memcpy(std::begin(address.sun_path), path.data(), path.size());
    const auto* const general = static_cast<const sockaddr*>(static_cast<const void*>(&address));
    if (socket_.get() >= 0 && ::connect(socket_.get(), general, sizeof address) == 0) return;
    throw std::runtime_error("cannot join the bus at " + path + ": " + reason_of(errno) +
                             "; start the program that carries it first, or write 'start: { wait: 5 s }'");
  }

  int descriptor() const noexcept override { return socket_.get(); }

  int send(const CanFrame& frame) noexcept override {
    std::uint8_t bytes[72];
    const std::size_t size = pack(frame, bytes);
    return ::send(socket_.get(), bytes, size, MSG_DONTWAIT | MSG_NOSIGNAL) < 0 ? errno : 0;
  }

  void receive(SocketEvent& event, std::int64_t timeout) noexcept override {
    event.kind = SocketEvent::Kind::nothing;
    pollfd waits{socket_.get(), POLLIN, 0};
    const timespec limit{timeout / kNsOfSecond, timeout % kNsOfSecond};
    if (::ppoll(&waits, 1, &limit, nullptr) <= 0) return;
    std::uint8_t bytes[72];
    const ssize_t size = ::recv(socket_.get(), bytes, sizeof bytes, MSG_DONTWAIT);
    event.stamp = now();
    if (size > 0) {
      if (size == 16 || size == 72) unpack(bytes, static_cast<std::size_t>(size), false, event);
      return;
    }
    if (size < 0 && errno != ECONNRESET) return;
    event.kind = SocketEvent::Kind::status;  // its program has ended
    event.status = {BusState::down, 0, 0};
    event.has_state = true;
    event.has_counters = false;
    const timespec pause{0, 10'000'000};  // poll() would come back at once
    (void)::nanosleep(&pause, nullptr);
  }

  std::uint32_t dropped() const noexcept override { return 0; }

 private:
  Descriptor socket_;
};

}  // namespace

std::unique_ptr<CanSocket> open_unix_can(const std::string& path) { return std::make_unique<UnixCan>(path); }

}  // namespace tactus::drivers::can
