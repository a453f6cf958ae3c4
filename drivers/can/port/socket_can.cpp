// SPDX-License-Identifier: Apache-2.0
#include <fcntl.h>
#include <linux/can.h>
#include <linux/can/error.h>
#include <linux/can/raw.h>
#include <linux/net_tstamp.h>
#include <net/if.h>
#include <net/if_arp.h>
#include <poll.h>
#include <sys/ioctl.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <stdexcept>

#include "drivers/can/port/can_socket.hpp"

namespace tactus::drivers::can {
namespace {

constexpr std::int64_t kSecond = 1'000'000'000;
constexpr std::int64_t kSendLead = 500'000;  // longer than a thread wakes late
constexpr int kReceiveBuffer = 2 << 20;

bool is_virtual(const std::string& interface) {
  return interface.starts_with("vcan") || interface.starts_with("vx");
}

class SocketCan final : public CanSocket {
 public:
  SocketCan(const std::string& interface, bool fd, SendTimes times)
      : interface_(interface), socket_(::socket(PF_CAN, SOCK_RAW | SOCK_CLOEXEC, CAN_RAW)) {
    if (socket_.get() < 0) throw std::runtime_error(socket_complaint(errno));
    const std::string complaint = complaint_about(interface, facts_of(interface), fd);
    if (!complaint.empty()) throw std::runtime_error(complaint);
    const int yes = 1;
    const auto set = [&](int level, int option, const void* value, std::size_t size) {
      return ::setsockopt(socket_.get(), level, option, value, static_cast<socklen_t>(size)) == 0;
    };
    if (!set(SOL_CAN_RAW, CAN_RAW_FD_FRAMES, &yes, sizeof yes) && fd)
      throw std::runtime_error("this kernel has no CAN FD on raw sockets; leave messages of CAN FD out");
    // The echo is the only sign that a frame was on the bus.
    (void)set(SOL_CAN_RAW, CAN_RAW_RECV_OWN_MSGS, &yes, sizeof yes);
    const can_err_mask_t errors = CAN_ERR_CRTL | CAN_ERR_BUSOFF | CAN_ERR_RESTARTED | 0x200U;
    (void)set(SOL_CAN_RAW, CAN_RAW_ERR_FILTER, &errors, sizeof errors);
    const int stamps = SOF_TIMESTAMPING_RX_SOFTWARE | SOF_TIMESTAMPING_SOFTWARE;
    (void)set(SOL_SOCKET, SO_TIMESTAMPING, &stamps, sizeof stamps);
    (void)set(SOL_SOCKET, SO_RXQ_OVFL, &yes, sizeof yes);
    if (!set(SOL_SOCKET, SO_RCVBUFFORCE, &kReceiveBuffer, sizeof kReceiveBuffer))
      (void)set(SOL_SOCKET, SO_RCVBUF, &kReceiveBuffer, sizeof kReceiveBuffer);
    if (times != SendTimes::none) {
      const sock_txtime clock{CLOCK_MONOTONIC, 0};
      is_timed_ = set(SOL_SOCKET, SO_TXTIME, &clock, sizeof clock);
      if (!is_timed_ && times == SendTimes::demanded)
        throw std::runtime_error("this kernel sends no frames at their times (SO_TXTIME): " +
                                 reason_of(errno) + "; write 'send_by: automatic'");
    }
    const int error = bind_to_interface();
    if (error == ENODEV)  // gone since
      throw std::runtime_error(complaint_about(interface, {.error = ENODEV}, fd));
    if (error != 0) throw std::runtime_error("cannot bind to " + interface + ": " + reason_of(error));
  }

  int descriptor() const noexcept override { return socket_.get(); }
  int restart() noexcept override { return restart_interface(index_.load(std::memory_order_relaxed)); }

  bool rejoin() noexcept override {
    // The kernel has forgotten which frames the socket wants, with the interface that it was bound to.
    const can_filter all_frames{};
    (void)::setsockopt(socket_.get(), SOL_CAN_RAW, CAN_RAW_FILTER, &all_frames, sizeof all_frames);
    return bind_to_interface() == 0;
  }

  int send(const CanFrame& frame) noexcept override {
    std::uint8_t bytes[72];
    const std::size_t size = pack(frame, bytes);
    return ::send(socket_.get(), bytes, size, MSG_DONTWAIT) < 0 ? errno : 0;
  }

  std::int64_t send_lead() const noexcept override { return is_timed_ ? kSendLead : 0; }
  int send_at(const CanFrame& frame, std::int64_t time) noexcept override {
    std::uint8_t bytes[72];
    iovec part{bytes, pack(frame, bytes)};
    alignas(cmsghdr) std::uint8_t control[kSendTimeRoom];
    msghdr message{};
    message.msg_iov = &part;
    message.msg_iovlen = 1;
    message.msg_control = control;
    message.msg_controllen = pack_send_time(time, control);
    return ::sendmsg(socket_.get(), &message, MSG_DONTWAIT) < 0 ? errno : 0;
  }

  void receive(SocketEvent& event, std::int64_t timeout) noexcept override {
    event.kind = SocketEvent::Kind::nothing;
    pollfd waits{socket_.get(), POLLIN, 0};
    const timespec limit{timeout / kSecond, timeout % kSecond};
    if (::ppoll(&waits, 1, &limit, nullptr) <= 0) return;
    std::uint8_t bytes[72];
    iovec part{bytes, sizeof bytes};
    alignas(cmsghdr) std::array<std::uint8_t, 256> control{};
    msghdr message{};
    message.msg_iov = &part;
    message.msg_iovlen = 1;
    message.msg_control = control.data();
    message.msg_controllen = control.size();
    const ssize_t size = ::recvmsg(socket_.get(), &message, MSG_DONTWAIT);
    if (size < 0) {
      const int error = errno;
      if (!is_interface_down(error)) return;
      event.kind = SocketEvent::Kind::status;
      event.status = {BusState::down, 0, 0};
      event.has_state = true;
      event.has_counters = false;
      event.is_gone = is_unplugged(error);
      event.stamp = now();
      timespec pause{0, 1'000'000};  // poll() would come back at once
      (void)::nanosleep(&pause, nullptr);
      return;
    }
    const std::int64_t read_at = now();
    event.stamp = read_at;
    for (const cmsghdr* each = CMSG_FIRSTHDR(&message); each != nullptr;
         each = CMSG_NXTHDR(&message, const_cast<cmsghdr*>(each))) {
      if (each->cmsg_level != SOL_SOCKET) continue;
      if (each->cmsg_type == SCM_TIMESTAMPING) {
        timespec stamp{};
        std::memcpy(&stamp, CMSG_DATA(each), sizeof stamp);
        if (stamp.tv_sec != 0)
          event.stamp =
              on_monotonic(stamp.tv_sec * kSecond + stamp.tv_nsec, read_clock(CLOCK_REALTIME), event.stamp);
      } else if (each->cmsg_type == SO_RXQ_OVFL) {
        std::uint32_t dropped = 0;
        std::memcpy(&dropped, CMSG_DATA(each), sizeof dropped);
        dropped_.store(dropped, std::memory_order_relaxed);
      }
    }
    const bool is_echo = (message.msg_flags & MSG_CONFIRM) != 0;
    if (is_echo && is_timed_) event.stamp = read_at;  // its stamp is the time that was planned
    unpack(bytes, static_cast<std::size_t>(size), is_echo, event);
  }

  std::uint32_t dropped() const noexcept override { return dropped_.load(std::memory_order_relaxed); }

 private:
  /// Returns 0, or an errno value; ENODEV: there is no interface of the name.
  int bind_to_interface() noexcept {
    sockaddr_can address{};
    address.can_family = AF_CAN;
    address.can_ifindex = static_cast<int>(::if_nametoindex(interface_.c_str()));
    if (address.can_ifindex == 0) return ENODEV;  // 0 would be all interfaces
    const auto* const general = static_cast<const sockaddr*>(static_cast<const void*>(&address));
    if (::bind(socket_.get(), general, sizeof address) != 0) return errno;
    index_.store(address.can_ifindex, std::memory_order_relaxed);
    return 0;
  }

  const std::string interface_;
  Descriptor socket_;
  std::atomic<int> index_{0};
  bool is_timed_ = false;
  std::atomic<std::uint32_t> dropped_{0};
};

}  // namespace

std::int64_t read_clock(clockid_t clock) noexcept {
  timespec time{};
  (void)::clock_gettime(clock, &time);
  return time.tv_sec * kSecond + time.tv_nsec;
}

void CanSocket::sleep_until(std::int64_t time) noexcept {
  const timespec until{time / kSecond, time % kSecond};
  (void)::clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, nullptr);
}

std::unique_ptr<CanSocket> open_socket_can(const std::string& interface, bool fd, SendTimes times) {
  return std::make_unique<SocketCan>(interface, fd, times);
}

std::size_t pack_send_time(std::int64_t time, std::uint8_t (&control)[kSendTimeRoom]) noexcept {
  static_assert(CMSG_SPACE(sizeof(std::uint64_t)) <= kSendTimeRoom);
  std::memset(control, 0, sizeof control);
  const auto moment = static_cast<std::uint64_t>(time);
  cmsghdr head{};
  head.cmsg_len = CMSG_LEN(sizeof moment);
  head.cmsg_level = SOL_SOCKET;
  head.cmsg_type = SCM_TXTIME;
  std::memcpy(control, &head, sizeof head);
  std::memcpy(control + CMSG_LEN(0), &moment, sizeof moment);
  return CMSG_SPACE(sizeof moment);
}

std::string send_time_complaint(const std::string& interface, const LinkFacts& link,
                                const std::string& release) {
  constexpr unsigned kMajor = 5, kMinor = 19;  // the first whose raw CAN sockets look at SCM_TXTIME
  unsigned major = 0, minor = 0;
  if (std::sscanf(release.c_str(), "%u.%u", &major, &minor) != 2 || major < kMajor ||
      (major == kMajor && minor < kMinor))
    return "Linux " + release +
           " sends no CAN frames at their times (SO_TXTIME); 5.19 or a later one is needed";
  if (link.kind == "vcan" || link.kind == "vxcan")
    return interface + " is a virtual interface, which hands frames over before its qdisc sees them";
  if (link.qdisc != "fq")
    return "the root qdisc of " + interface + " is " + (link.qdisc.empty() ? "not known" : link.qdisc) +
           ": sudo tc qdisc replace dev " + interface + " root fq flow_limit 10";
  return "";
}

std::string socket_complaint(int error) {
  if (error == EAFNOSUPPORT || error == EPROTONOSUPPORT || error == ESOCKTNOSUPPORT)
    return "this kernel has no CAN sockets: sudo modprobe can-raw; if there is no such module, the kernel "
           "was built "
           "without CAN. 'interface: simulated' needs neither";
  return "no CAN socket can be had: " + reason_of(error);
}

InterfaceFacts facts_of(const std::string& interface) {
  InterfaceFacts facts;
  const Descriptor any(::socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0));
  ifreq request{};
  if (interface.size() >= sizeof request.ifr_name) {
    facts.error = ENODEV;
    return facts;
  }
  std::copy(interface.begin(), interface.end(), std::begin(request.ifr_name));
  const auto ask = [&](unsigned long what) {  // NOLINT(google-runtime-int): as ioctl() has it
    if (facts.error == 0 && ::ioctl(any.get(), what, &request) != 0) facts.error = errno;
    return facts.error == 0;
  };
  if (ask(SIOCGIFHWADDR)) facts.is_can = request.ifr_hwaddr.sa_family == ARPHRD_CAN;
  if (ask(SIOCGIFFLAGS)) facts.is_up = (request.ifr_flags & IFF_UP) != 0;
  if (ask(SIOCGIFMTU)) facts.mtu = request.ifr_mtu;
  return facts;
}

std::string complaint_about(const std::string& interface, const InterfaceFacts& facts, bool fd) {
  const bool is_vcan = is_virtual(interface);
  const std::string rates = fd ? " bitrate 500000 dbitrate 2000000 fd on" : " bitrate 500000";
  if (facts.error == ENODEV)
    return "there is no interface " + interface + ": " +
           (is_vcan ? "sudo modprobe vcan && sudo ip link add " + interface + " type vcan" +
                          (fd ? " mtu 72" : "") + " && sudo ip link set " + interface + " up"
                    : "plug it in, or see 'ip -details link show type can'");
  if (facts.error != 0) return "nothing is known of interface " + interface + ": " + reason_of(facts.error);
  if (!facts.is_can) return interface + " is not a CAN interface; see 'ip -details link show type can'";
  if (!facts.is_up)
    return interface + " is down: " +
           (is_vcan ? "sudo ip link set " + interface + " up"
                    : "sudo ip link set " + interface + " up type can" + rates +
                          " (without a bit rate it does not go up)");
  if (fd && facts.mtu < static_cast<int>(CANFD_MTU))
    return interface + " has MTU " + std::to_string(facts.mtu) +
           ", and messages of CAN FD need 72: sudo ip link set " + interface + " down && sudo ip link set " +
           interface + (is_vcan ? " mtu 72 up" : " up type can" + rates);
  return "";
}

std::size_t pack(const CanFrame& frame, std::uint8_t (&bytes)[72]) noexcept {
  std::memset(bytes, 0, sizeof bytes);
  const std::uint32_t id =
      frame.id | (frame.extended ? CAN_EFF_FLAG : 0U) | (frame.remote ? CAN_RTR_FLAG : 0U);
  std::memcpy(bytes, &id, sizeof id);
  const unsigned most = frame.fd ? CANFD_MAX_DLEN : CAN_MAX_DLEN;
  bytes[4] = static_cast<std::uint8_t>(std::min<unsigned>(frame.length, most));
  if (frame.fd && frame.bit_rate_switch) bytes[5] = CANFD_BRS;
  std::memcpy(bytes + 8, std::begin(frame.data.at), bytes[4]);
  return frame.fd ? CANFD_MTU : CAN_MTU;
}

void unpack(const std::uint8_t* bytes, std::size_t size, bool confirmed, SocketEvent& event) noexcept {
  event.kind = SocketEvent::Kind::nothing;
  event.has_counters = event.has_state = false;
  if (size != CAN_MTU && size != CANFD_MTU) return;
  std::uint32_t id = 0;
  std::memcpy(&id, bytes, sizeof id);
  const std::uint8_t* const data = bytes + 8;
  if ((id & CAN_ERR_FLAG) != 0) {
    const std::uint32_t kind = id & CAN_ERR_MASK;
    event.kind = SocketEvent::Kind::status;
    if ((kind & 0x200U) != 0) {
      event.has_counters = true;
      event.status.transmit_errors = data[6];
      event.status.receive_errors = data[7];
    }
    if ((kind & CAN_ERR_CRTL) != 0) {
      const unsigned control = data[1];
      event.has_state = (control & 0x7CU) != 0;
      event.status.state = (control & 0x30U) != 0   ? BusState::passive
                           : (control & 0x0CU) != 0 ? BusState::warning
                                                    : BusState::active;
      if ((control & CAN_ERR_CRTL_RX_OVERFLOW) != 0) event.kind = SocketEvent::Kind::overflow;
    }
    if ((kind & CAN_ERR_BUSOFF) != 0) {
      event.has_state = true;
      event.status.state = BusState::bus_off;
    }
    if ((kind & CAN_ERR_RESTARTED) != 0) event.kind = SocketEvent::Kind::restarted;
    return;
  }
  CanFrame& frame = event.frame;
  event.kind = confirmed ? SocketEvent::Kind::echo : SocketEvent::Kind::frame;
  frame.extended = (id & CAN_EFF_FLAG) != 0;
  frame.remote = (id & CAN_RTR_FLAG) != 0;
  frame.id = id & (frame.extended ? CAN_EFF_MASK : CAN_SFF_MASK);
  frame.fd = size == CANFD_MTU;
  frame.bit_rate_switch = frame.fd && (bytes[5] & CANFD_BRS) != 0;
  frame.length = std::min<std::uint8_t>(bytes[4], frame.fd ? CANFD_MAX_DLEN : CAN_MAX_DLEN);
  frame.data = FrameBytes{};
  if (!frame.remote) std::memcpy(std::begin(frame.data.at), data, frame.length);
}

std::int64_t on_monotonic(std::int64_t stamp, std::int64_t realtime, std::int64_t monotonic) noexcept {
  const std::int64_t made = stamp - (realtime - monotonic);
  return made > monotonic || made < monotonic - kSecond ? monotonic : made;
}

}  // namespace tactus::drivers::can
