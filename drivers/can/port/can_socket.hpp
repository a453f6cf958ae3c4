// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <time.h>
#include <unistd.h>

#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

#include "drivers/can/port/port.hpp"

namespace tactus::drivers::can {

/// An item that was read from a socket.
struct SocketEvent {
  enum class Kind : std::uint8_t { frame, echo, status, restarted, overflow, nothing };
  Kind kind = Kind::nothing;
  std::int64_t stamp = 0;  ///< ns, CLOCK_MONOTONIC
  CanFrame frame{};
  BusStatus status{};
  bool has_counters = false;  ///< status has the error counters, not the state alone
  bool has_state = false;
  bool is_gone = false;  ///< status says that the interface was unplugged
};

/// Returns true if an errno value says that the interface of a socket is not there: it was unplugged, and the socket is
/// bound to none, also when it is back. A socket of ISO-TP says EADDRNOTAVAIL. RT
constexpr bool is_unplugged(int error) noexcept {
  return error == ENODEV || error == ENXIO || error == EADDRNOTAVAIL;
}

/// Returns true if an errno value says that the interface of a socket is down, or not there. RT
constexpr bool is_interface_down(int error) noexcept { return error == ENETDOWN || is_unplugged(error); }

/// Reads a clock of the kernel, ns. RT
std::int64_t read_clock(clockid_t clock) noexcept;

/// The seam to SocketCAN.
///
/// Threads  send(): any, also a signal handler. receive(): one. now(), sleep_until(): any.
class CanSocket : public Seam {
 public:
  /// Returns 0, or an errno value: ENOBUFS and EAGAIN of a full queue. Never waits.
  virtual int send(const CanFrame& frame) noexcept = 0;
  /// Time before its own at which send_at() wants a frame, ns; 0: the kernel sends none at a time. Constant.
  virtual std::int64_t send_lead() const noexcept { return 0; }
  /// Has the kernel send a frame at `time`, CLOCK_MONOTONIC. Otherwise as send().
  virtual int send_at(const CanFrame& frame, std::int64_t /*time*/) noexcept { return send(frame); }
  /// Waits for at most `timeout` ns; `nothing`: nothing came.
  virtual void receive(SocketEvent& event, std::int64_t timeout) noexcept = 0;
  /// Frames that the kernel has dropped since the socket was opened.
  virtual std::uint32_t dropped() const noexcept = 0;
  /// Uses the interface again that was unplugged, once there is one of its name. Returns true if there is, or the socket has
  /// no interface. The thread of receive(). Makes system calls.
  virtual bool rejoin() noexcept { return true; }
  /// Restarts a controller that is bus-off. Returns 0, or an errno value. Makes system calls.
  virtual int restart() noexcept { return EOPNOTSUPP; }
  /// Its descriptor, by which a copy of this process can send(); -1: it has none.
  virtual int descriptor() const noexcept { return -1; }
  virtual std::int64_t now() noexcept { return read_clock(CLOCK_MONOTONIC); }  ///< ns
  virtual void sleep_until(std::int64_t time) noexcept;
};

/// A descriptor that is closed at its end.
class Descriptor {
 public:
  explicit Descriptor(int number) : number_(number) {}
  ~Descriptor() {
    if (number_ >= 0) (void)::close(number_);
  }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  int get() const { return number_; }

 private:
  int number_;
};

/// Use of SO_TXTIME, by which the kernel sends frames at their times.
enum class SendTimes : std::uint8_t {
  none,
  wanted,    ///< use of it where the socket takes the option
  demanded,  ///< no socket without it
};

/// Opens a raw socket at an interface. `times`: send_at() uses SO_TXTIME; the stamp of an echo is then the time at which it
/// was read, as the kernel's would be the planned one. Throws std::runtime_error: what is missing, and the command that
/// mends it. @when setup
std::unique_ptr<CanSocket> open_socket_can(const std::string& interface, bool fd,
                                           SendTimes times = SendTimes::none);

/// Joins a bus that another program carries: connects to its Unix socket of type SOCK_SEQPACKET, over which frames go as
/// the kernel has them, 16 or 72 bytes each. Frames have no echo. Throws std::runtime_error. @when setup
std::unique_ptr<CanSocket> open_unix_can(const std::string& path);

/// The facts of an interface that ioctl() gives.
struct InterfaceFacts {
  int error = 0;  ///< errno value, ENODEV: there is none
  bool is_can = false;
  bool is_up = false;
  int mtu = 0;
};
/// Looks at an interface. @when setup
InterfaceFacts facts_of(const std::string& interface);
/// Says why frames cannot go over it, and the command that mends it; empty: they can. @when setup
std::string complaint_about(const std::string& interface, const InterfaceFacts& facts, bool fd);
/// Says why there is no raw socket. @when setup
std::string socket_complaint(int error);

/// Asks the kernel to restart the controller of an interface that is bus-off (rtnetlink, which needs CAP_NET_ADMIN).
/// Returns 0, or an errno value: EPERM, EBUSY (it is not bus-off), EINVAL (its restart-ms is not 0, or it is down),
/// EOPNOTSUPP (it has no restart). Makes system calls.
int restart_interface(int index) noexcept;
/// Facts of an interface by rtnetlink; what it does not say is empty.
struct LinkFacts {
  std::string kind{};   ///< its kind: "can", "vcan"
  std::string qdisc{};  ///< its root qdisc: "pfifo_fast", "fq"
};
/// Looks at an interface. @when setup
LinkFacts link_facts_of(const std::string& interface);
/// Reads a message RTM_NEWLINK of the kernel. @when setup
LinkFacts link_facts_in(const std::uint8_t* bytes, std::size_t size);
/// Says why the kernel cannot send frames at their times (SO_TXTIME) on an interface, and the command that mends it; empty:
/// it can. `release` is that of uname(). @when setup
std::string send_time_complaint(const std::string& interface, const LinkFacts& link,
                                const std::string& release);
/// Room for the control message of a frame with a time.
inline constexpr std::size_t kSendTimeRoom = 32;
/// Writes SCM_TXTIME: the time at which the kernel sends, in nanoseconds of CLOCK_MONOTONIC, which is the clock of qdisc fq.
/// Returns its size. RT
std::size_t pack_send_time(std::int64_t time, std::uint8_t (&control)[kSendTimeRoom]) noexcept;
/// A frame as the kernel has it, 16 or 72 bytes. Returns the size. RT
std::size_t pack(const CanFrame& frame, std::uint8_t (&bytes)[72]) noexcept;
/// Reads one, or an error frame. `confirmed`: the kernel marks it as one that this socket sent. RT
void unpack(const std::uint8_t* bytes, std::size_t size, bool confirmed, SocketEvent& event) noexcept;
/// A time stamp of CLOCK_REALTIME on CLOCK_MONOTONIC: `monotonic` where it lies in the future or more than a second back,
/// as a clock that was set in between makes it. RT
std::int64_t on_monotonic(std::int64_t stamp, std::int64_t realtime, std::int64_t monotonic) noexcept;

}  // namespace tactus::drivers::can
