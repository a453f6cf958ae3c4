// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <sys/types.h>

#include <atomic>
#include <cstdint>
#include <limits>
#include <memory>
#include <thread>
#include <vector>

#include "drivers/can/port/can_socket.hpp"
#include "drivers/can/port/port.hpp"
#include "drivers/can/port/ring.hpp"

namespace tactus::drivers::can {

struct SocketPortSettings {
  std::size_t queue = 256;  ///< frames that wait to be sent
  bool retry = true;        ///< a full queue of the controller keeps the frame
  std::int64_t at =
      -1;  ///< ns after the beginning of a slot at which its frames are due; below 0: half of it
  /// The earliest offset of frames that have their own, ns.
  std::int64_t earliest_own = std::numeric_limits<std::int64_t>::max();
};

/// A station at a socket. Two threads beside the frames have the socket: one receives, one sends each frame at its time. They
/// take the scheduling class of the thread of the frames, once it has begun the first one, and stay on the CPUs of the
/// thread that made them.
///
/// Frames are sent in the order of their planned times, of two with the same one the one that was handed over first.
///
/// Where the kernel sends frames at their times (SO_TXTIME), each is handed to it a little before: CanSocket::send_lead().
/// What it has cannot be taken back, so discard() and close() wait until all of that is out.
///
/// The beginning of a slot is estimated: the frame's thread reads the clock as it begins a frame, and is late now and then.
///
/// An interface that was unplugged is used again once there is one of its name.
///
/// Threads  as Port; step_sender(), step_receiver(): one each, for tests without threads.
class SocketPort final : public Port {
 public:
  /// `with_threads` false: a test calls the steps. @when setup
  SocketPort(std::unique_ptr<CanSocket> socket, const SocketPortSettings& settings, bool with_threads = true);
  ~SocketPort() override;

  void begin(std::int64_t sim_time, std::int64_t period) TACTUS_RT override;
  bool receive(PortEvent& event, bool delayed) TACTUS_RT override;
  bool send(const CanFrame& frame, std::uint32_t tag, std::int64_t offset) TACTUS_RT override;
  void handed() TACTUS_RT override;
  int send_at_once(const CanFrame& frame) TACTUS_RT override;
  void discard() TACTUS_RT override;
  void drop() TACTUS_RT override { generation_.fetch_add(1, std::memory_order_seq_cst); }
  void close() TACTUS_RT override;
  void restart() TACTUS_RT override { restart_wanted_.store(true, std::memory_order_relaxed); }
  int descriptor() const override { return socket_->descriptor(); }
  bool is_timed_by_kernel() const TACTUS_RT override { return lead_ > 0; }

  /// Sends what is due. Returns when it wants to be called again, on the socket's clock.
  std::int64_t step_sender() noexcept;
  /// Waits for at most `timeout` ns for something to receive, and hands it over.
  void step_receiver(std::int64_t timeout) noexcept;
  std::int64_t slot() const noexcept { return slot_.load(std::memory_order_relaxed); }

 private:
  struct Out {
    CanFrame frame{};
    std::uint32_t tag = 0;
    std::int64_t planned = 0;
    std::uint32_t generation = 0;
    bool was_full = false;
  };
  static constexpr std::size_t kEvents = 8192;
  static constexpr std::int64_t kNever = std::numeric_limits<std::int64_t>::min();

  template <class Step>
  void run(Step step);
  void run_sender();
  void run_receiver();
  void stop() noexcept;
  void take_class() noexcept;
  void collect() noexcept;
  void restart_if_wanted() noexcept;
  void await_sender() noexcept;
  void take_down_of_sender() noexcept;
  void tell(Ring<PortEvent>& to, const PortEvent& event) noexcept;

  std::unique_ptr<CanSocket> socket_;
  const SocketPortSettings settings_;
  const std::int64_t lead_;  // time before its own at which the kernel gets a frame
  Ring<Out> out_;
  std::vector<Out> waiting_;  // the sender's: latest planned time first, never grows beyond its capacity
  Ring<PortEvent> from_sender_, from_receiver_;
  BusStatus status_{};              // the receiver's
  std::uint32_t dropped_ = 0;       // the receiver's
  std::int64_t down_since_ = 0;     // the receiver's
  std::int64_t heard_at_ = kNever;  // the receiver's: the last frame
  std::atomic<std::int64_t> sender_saw_down_{kNever};
  std::atomic<std::uint64_t> lost_{0};
  std::atomic<std::size_t> unsent_{0};
  std::atomic<std::uint32_t> generation_{0};  // what was handed over in an earlier one is not sent
  std::atomic<std::int64_t> slot_{0}, period_{0}, handed_{-1};
  std::atomic<bool> closed_{false}, stopped_{false}, sending_{false};
  std::atomic<bool> restart_wanted_{false};
  std::atomic<bool> is_gone_{false};  // the interface was unplugged, and the socket has none since
  std::atomic<int> refused_{0};       // errno value
  std::atomic<pid_t> frames_thread_{0};
  std::thread sender_, receiver_;
};

}  // namespace tactus::drivers::can
