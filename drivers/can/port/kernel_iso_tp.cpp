// SPDX-License-Identifier: Apache-2.0
#include <linux/can.h>
#include <linux/can/isotp.h>
#include <net/if.h>
#include <poll.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <cstring>
#include <stdexcept>
#include <thread>
#include <utility>

#include "drivers/can/port/can_socket.hpp"
#include "drivers/can/port/iso_tp.hpp"
#include "drivers/can/port/thread_name.hpp"

namespace tactus::drivers::can {
namespace {

/// One side writes it and then says so; the other reads it and then gives it back.
struct Slot {
  std::atomic<bool> is_full{false};
  IsoTpEvent::Kind kind = IsoTpEvent::Kind::answer;
  int error = 0;
  std::size_t size = 0;
  std::array<std::uint8_t, IsoTp::kMost> bytes{};
};

std::uint32_t id_of(std::uint32_t id, bool extended) {
  return extended ? (id & CAN_EFF_MASK) | CAN_EFF_FLAG : id & CAN_SFF_MASK;
}

class KernelIsoTp final : public IsoTp {
 public:
  KernelIsoTp(const std::string& interface, const IsoTpAddress& address)
      : interface_(interface),
        address_(address),
        socket_(::socket(PF_CAN, SOCK_DGRAM | SOCK_CLOEXEC, CAN_ISOTP)) {
    if (socket_.get() < 0)
      throw std::runtime_error(std::string("this kernel offers no ISO-TP: ") +
                               std::strerror(errno) +  // NOLINT(concurrency-mt-unsafe)
                               "; sudo modprobe can-isotp");
    // Without CAN_ISOTP_WAIT_TX_DONE: where a debugger or a freezer interrupts that wait, the kernel begins the write again,
    // and the station gets the message twice.
    can_isotp_options options{};
    if (address.padding >= 0) {
      options.flags |= CAN_ISOTP_TX_PADDING;
      options.txpad_content = static_cast<std::uint8_t>(address.padding);
    }
    const bool is_set =
        ::setsockopt(socket_.get(), SOL_CAN_ISOTP, CAN_ISOTP_OPTS, &options, sizeof options) == 0;
    if (const int error = is_set ? bind_to_interface() : errno; error != 0)
      throw std::runtime_error("cannot bind ISO-TP to " + interface + ": " +
                               std::strerror(error));  // NOLINT(concurrency-mt-unsafe)
    thread_ = std::thread([this] { run(); });
    name_thread(thread_, "can-isotp");
  }
  ~KernelIsoTp() override {
    stopped_.store(true, std::memory_order_relaxed);
    thread_.join();
  }

  // The thread looks every kLook whether there is a request: the frames make no system call.
  void send(std::span<const std::uint8_t> message, std::int64_t) TACTUS_RT override {
    wanted_size_ = std::min(message.size(), kMost);
    std::memcpy(wanted_.data(), message.data(), wanted_size_);
    hand_over();
  }
  bool take(IsoTpEvent& event, std::int64_t) TACTUS_RT override {
    hand_over();
    if (is_shown_) answer_.is_full.store(false, std::memory_order_release);
    is_shown_ = answer_.is_full.load(std::memory_order_acquire);
    if (!is_shown_) return false;
    event = {answer_.kind, answer_.error, std::span<const std::uint8_t>(answer_.bytes).first(answer_.size)};
    return true;
  }
  void reset() TACTUS_RT override {
    wanted_size_ = 0;
    is_given_up_.store(true, std::memory_order_relaxed);
  }

 private:
  static constexpr int kLook = 2;  // ms

  /// Returns 0, or an errno value; ENODEV: there is no interface of the name.
  int bind_to_interface() {
    sockaddr_can at{};
    at.can_family = AF_CAN;
    at.can_ifindex = static_cast<int>(::if_nametoindex(interface_.c_str()));
    at.can_addr.tp.tx_id = id_of(address_.request, address_.extended);
    at.can_addr.tp.rx_id = id_of(address_.response, address_.extended);
    if (at.can_ifindex == 0) return ENODEV;
    const auto* const general = static_cast<const sockaddr*>(static_cast<const void*>(&at));
    return ::bind(socket_.get(), general, sizeof at) == 0 ? 0 : errno;
  }
  /// Takes note that the interface was unplugged. The kernel keeps the error for who asks, and poll() would come back at once.
  void lose_interface() {
    is_gone_ = true;
    int ignored = 0;
    socklen_t size = sizeof ignored;
    (void)::getsockopt(socket_.get(), SOL_SOCKET, SO_ERROR, &ignored, &size);
  }

  /// Gives the thread what is to be sent, once it has the message before it no more.
  void hand_over() TACTUS_RT {
    if (wanted_size_ == 0 || request_.is_full.load(std::memory_order_acquire)) return;
    request_.size = std::exchange(wanted_size_, 0);
    std::memcpy(request_.bytes.data(), wanted_.data(), request_.size);
    is_given_up_.store(false, std::memory_order_relaxed);
    request_.is_full.store(true, std::memory_order_release);
  }
  void tell(IsoTpEvent::Kind kind, int error, std::size_t size) {
    answer_.kind = kind;
    answer_.error = error;
    answer_.size = size;
    answer_.is_full.store(true, std::memory_order_release);
  }
  void run() {
    while (!stopped_.load(std::memory_order_relaxed)) {
      pollfd waits{socket_.get(), POLLIN, 0};
      const bool has_room = !answer_.is_full.load(std::memory_order_acquire);
      const int ready = ::poll(&waits, has_room ? 1 : 0, kLook);
      if (has_room && ready > 0) {
        const ssize_t size = ::recv(socket_.get(), answer_.bytes.data(), answer_.bytes.size(), MSG_DONTWAIT);
        const int error = errno;
        if (size < 0 && is_unplugged(error)) lose_interface();
        // An error while a request waits is that of the one before. ECOMM: no flow control came in time.
        if (size > 0)
          tell(IsoTpEvent::Kind::answer, 0, static_cast<std::size_t>(size));
        else if (size < 0 && !is_queue_full(error) && error != EINTR && !has_request())
          tell(IsoTpEvent::Kind::failed, error == ECOMM ? ETIMEDOUT : error, 0);
        continue;
      }
      if (!has_room || !has_request()) continue;
      if (!is_given_up_.load(std::memory_order_relaxed)) {
        if (is_gone_) is_gone_ = bind_to_interface() != 0;
        const bool is_sent =
            ::send(socket_.get(), request_.bytes.data(), request_.size, MSG_DONTWAIT | MSG_NOSIGNAL) >= 0;
        const int error = is_sent ? 0 : errno;
        if (is_unplugged(error)) lose_interface();
        if (is_queue_full(error)) continue;  // also while the message before is under way
        tell(is_sent ? IsoTpEvent::Kind::sent : IsoTpEvent::Kind::failed, error, 0);
      }
      request_.is_full.store(false, std::memory_order_release);
    }
  }
  bool has_request() const { return request_.is_full.load(std::memory_order_acquire); }

  const std::string interface_;
  const IsoTpAddress address_;
  Descriptor socket_;
  bool is_gone_ = false;  // the thread's: the interface was unplugged, and the socket is bound to none since
  Slot request_, answer_;
  std::atomic<bool> is_given_up_{false};  // the request
  // The frames'.
  std::array<std::uint8_t, kMost> wanted_{};
  std::size_t wanted_size_ = 0;  // 0: nothing waits for the thread
  bool is_shown_ = false;
  std::atomic<bool> stopped_{false};
  std::thread thread_;
};

}  // namespace

std::unique_ptr<IsoTp> open_kernel_iso_tp(const std::string& interface, const IsoTpAddress& address) {
  return std::make_unique<KernelIsoTp>(interface, address);
}

}  // namespace tactus::drivers::can
