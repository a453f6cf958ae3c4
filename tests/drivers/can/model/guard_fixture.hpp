// SPDX-License-Identifier: Apache-2.0
#pragma once
/// A bus as a Unix socket, and a rig whose guardian sends safe values on it after its end.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <cstring>
#include <functional>
#include <optional>
#include <stdexcept>
#include <string>
#include <type_traits>

#include "drivers/can/codec/e2e.hpp"
#include "drivers/can/port/can_socket.hpp"
#include "tests/drivers/can/model/bus_host.hpp"
#include "tests/support/temp_dir.hpp"

namespace tactus::drivers::can {

inline constexpr int kPatience = 20'000;  // ms

/// The station that carries the bus.
class Carrier {
 public:
  explicit Carrier(const std::string& path) {
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    std::strncpy(address.sun_path, path.c_str(), sizeof address.sun_path - 1);
    listener_ = ::socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
    if (::bind(listener_, reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0 ||
        ::listen(listener_, 1) != 0)
      throw std::runtime_error("cannot listen");
    const timeval patience{kPatience / 1000, 0};
    (void)::setsockopt(listener_, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
  }
  ~Carrier() {
    (void)::close(listener_);
    if (station_ >= 0) (void)::close(station_);
  }
  void accept() {
    station_ = retried([&] { return ::accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC); });
    const timeval patience{kPatience / 1000, 0};
    (void)::setsockopt(station_, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
  }
  void send(const CanFrame& frame) {
    std::uint8_t bytes[72];
    const std::size_t size = pack(frame, bytes);
    EXPECT_EQ(::send(station_, bytes, size, MSG_NOSIGNAL), static_cast<ssize_t>(size));
  }
  /// The next frame; nothing: all processes of the station have let go of it.
  std::optional<CanFrame> next() {
    std::uint8_t bytes[72];
    const ssize_t size = retried([&] { return ::recv(station_, bytes, sizeof bytes, 0); });
    if (size < 0) ADD_FAILURE() << "nothing came: " << std::strerror(errno);
    if (size <= 0) return std::nullopt;
    SocketEvent event;
    unpack(bytes, static_cast<std::size_t>(size), false, event);
    return event.frame;
  }

 private:
  /// A freezer or a debugger ends a call that waits for a limited time, and no signal handler runs.
  template <typename Call>
  static std::invoke_result_t<Call> retried(const Call& call) {
    for (;;)
      if (const auto answer = call(); answer >= 0 || errno != EINTR) return answer;
  }

  int listener_ = -1, station_ = -1;
};

class CanGuard : public testing::Test {
 protected:
  CanGuard() {
    (void)dir_.write("bus.dbc",
                     "VERSION \"\"\nBU_: A B\nBO_ 1 M: 8 A\n SG_ X : 40|8@1+ (1,0) [0|0] \"bar\" B\n"
                     "BO_ 2 N: 1 A\n SG_ Y : 0|8@1+ (1,0) [0|0] \"\" B\nBO_ 3 R: 1 B\n SG_ Z : 0|8@1+ (1,0) "
                     "[0|0] \"\" A\nBO_ 4 C: 3 A\n SG_ V : 0|8@1+ (1,0) [0|0] \"\" B\n"
                     " SG_ Cnt : 8|8@1+ (1,0) [0|0] \"\" B\n SG_ Crc : 16|8@1+ (1,0) [0|0] \"\" B\n");
  }
  std::string section() const {
    return "interface: \"unix:" + (dir_ / "bus").string() + "\"\ndatabase: " + (dir_ / "bus.dbc").string() +
           R"(
send:
  M: { cycle: 1 ms, start: { X: 7 }, safe: { X: 2 bar }, safe_times: 3, checksum: { profile: e2e_5, data_id: 7 } }
  N: { cycle: 1 ms }
  C: { cycle: 1 ms, start: { V: 9 }, safe: { V: 1 }, safe_times: 2, counter: Cnt,
       checksum: { profile: crc, signal: Crc, polynomial: "0x1D", first: "0xFF", last: "0xFF" } }
)";
  }
  /// Runs a rig's model in a process of its own, a frame each millisecond until `end` says so.
  pid_t rig(const std::function<void(test::BusHost&, int frame)>& each) {
    const pid_t process = ::fork();
    if (process != 0) return process;
    try {
      test::CanDriver driver;
      test::BusHost host(driver, section());
      for (int frame = 0;; ++frame) {
        if (!host.frame()) ::_exit(3);
        each(host, frame);
        (void)::usleep(1000);
      }
    } catch (const std::exception& error) {
      (void)!::write(2, error.what(), std::strlen(error.what()));
      ::_exit(4);
    }
  }
  static E2eSettings settings() {
    E2eSettings made;
    made.profile = E2eProfile::p5;
    made.data_id = 7;
    made.most_lost = 1;
    return made;
  }

  test::TempDir dir_;
  const E2e e2e_{settings()};
};

}  // namespace tactus::drivers::can
