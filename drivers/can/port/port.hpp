// SPDX-License-Identifier: Apache-2.0
#pragma once
/// The seam between the model of a bus and what carries its frames: a SocketCAN interface, or a simulated bus.
#include <cerrno>
#include <cstdint>
#include <string>
#include <system_error>

#include "drivers/can/codec/field.hpp"
#include "rtsync/rt.hpp"

namespace tactus::drivers::can {

/// A frame on a bus.
struct CanFrame {
  std::uint32_t id = 0;  ///< no flag bits
  bool extended = false;
  bool fd = false;
  bool bit_rate_switch = false;
  bool remote = false;
  std::uint8_t length = 0;
  FrameBytes data{};
};

/// A frame of a message, without data.
inline CanFrame empty_frame_of(const Message& message) TACTUS_RT {
  const unsigned length = message.fd ? wire_length(message.length) : message.length;
  return {.id = message.id,
          .extended = message.extended,
          .fd = message.fd,
          .bit_rate_switch = message.bit_rate_switch,
          .length = static_cast<std::uint8_t>(length)};
}

/// The next shorter length that a frame can have; 0 of 0.
constexpr unsigned shorter(unsigned length) TACTUS_RT {
  for (unsigned each = length; each > 0; --each)
    if (wire_length(each - 1) < length) return wire_length(each - 1);
  return 0;
}

enum class BusState : std::int32_t { active, warning, passive, bus_off, down };

struct BusStatus {
  BusState state = BusState::active;
  std::uint32_t transmit_errors = 0;
  std::uint32_t receive_errors = 0;
};

/// An event that a port hands to the model, in the order in which it happened.
struct PortEvent {
  enum class Kind : std::uint8_t {
    received,        ///< a frame of another station
    taken,           ///< the controller's queue took a frame of ours
    echo,            ///< a frame of ours was on the bus
    full,            ///< the queue did not take a frame of ours
    lost,            ///< `count` received frames, or events of this port, found no room
    status,          ///< `status` is another one
    restarted,       ///< the controller works again after bus-off
    restart_failed,  ///< restart() did not work; `error` is an errno value
    not_realtime,  ///< a thread of the port did not get the class of the frames' thread; `error` is an errno value
    failed,        ///< a frame cannot be sent at all; `error` is an errno value
    discarded  ///< a frame of ours that waited was thrown away, by discard() or close()
  };
  static constexpr std::uint32_t kNoTag = 0xFFFF'FFFF;
  Kind kind = Kind::received;
  std::uint32_t tag = 0;     ///< number given to send(); kNoTag: the port does not know it, look at the frame
  std::int64_t stamp = 0;    ///< ns, the port's clock
  std::int64_t planned = 0;  ///< ns, the port's clock: of taken and echo
  std::uint64_t count = 0;
  int error = 0;
  BusStatus status{};
  CanFrame frame{};
};

/// The text of an errno value. @when setup
inline std::string reason_of(int error) { return std::generic_category().message(error); }

/// Returns true if an errno value of a socket says that a queue is full, and so may have room later.
constexpr bool is_queue_full(int error) TACTUS_RT {
  return error == ENOBUFS || error == EAGAIN || error == EWOULDBLOCK;
}

/// Base of interfaces: they are not copied, and destroyed through a pointer to them.
class Seam {
 public:
  Seam() = default;
  Seam(const Seam&) = delete;
  Seam& operator=(const Seam&) = delete;
  virtual ~Seam() = default;
};

/// A station on a bus.
///
/// Threads  begin(), receive(): the thread of the frames at StepBegin. send(), handed(): that of the sending job, not at the
///          same time. send_at_once(), discard(), close(): any, also a signal handler.
/// RT       all of it: no lock, no allocation, no system call but in send_at_once(), discard() and close().
class Port : public Seam {
 public:
  /// Begins a frame of the rig that stands for `sim_time` and lasts `period`, both ns.
  virtual void begin(std::int64_t sim_time, std::int64_t period) TACTUS_RT = 0;
  /// Takes the oldest event. `delayed`: only those from before the beginning of the present slot.
  virtual bool receive(PortEvent& event, bool delayed) TACTUS_RT = 0;
  /// Hands a frame over, to be sent `offset` ns after the beginning of the rig's present frame. Returns false where there is
  /// no room.
  virtual bool send(const CanFrame& frame, std::uint32_t tag, std::int64_t offset) TACTUS_RT = 0;
  /// Says that all frames of the present slot were handed over.
  virtual void handed() TACTUS_RT {}
  /// Sends a frame at once, past all queues of ours. Returns 0, or an errno value: is_queue_full() tells which of them will
  /// pass. Async-signal-safe.
  virtual int send_at_once(const CanFrame& frame) TACTUS_RT = 0;
  /// Throws away what waits to be sent. Waits for at most 3 ms, for a frame that is being sent, and for those that the kernel
  /// sends at their times. Async-signal-safe.
  virtual void discard() TACTUS_RT {}
  /// Throws away what waits to be sent, without a wait: one that is being sent may still go out, and those that the kernel
  /// holds for their times, up to 500 us from now. The thread of the frames.
  virtual void drop() TACTUS_RT {}
  /// Forgets a simulation's frames on their way, to the bus and from it: the rig goes on from another state. No frame runs.
  virtual void forget() TACTUS_RT {}
  /// Has this number of error frames destroy each frame on the bus before it comes through; 0: none. Where the
  /// port cannot, nothing happens. The thread of the frames.
  virtual void disturb(unsigned errors) TACTUS_RT { (void)errors; }
  /// Returns true if error frames destroy what is on the bus, whichever station makes them. The thread of the frames.
  virtual bool is_disturbed() const TACTUS_RT { return false; }
  /// Error frames that disturb() made. Any thread.
  virtual std::uint64_t disturbed() const TACTUS_RT { return 0; }
  /// Leaves a controller that is bus-off there until restart(), where the port decides that. @when setup
  virtual void wait_for_restart() {}
  /// Returns true if the kernel sends frames at their times; false: a thread or a simulation does. Constant. @when any
  virtual bool is_timed_by_kernel() const TACTUS_RT { return false; }
  /// Asks for a restart of a controller that is bus-off: `restarted` or `restart_failed` follows. The thread of the frames.
  virtual void restart() TACTUS_RT {}
  /// The descriptor that send_at_once() needs; -1: none. @when setup
  virtual int descriptor() const { return -1; }
  /// Takes no more frames from send(), and sends none that wait; waits as discard().
  virtual void close() TACTUS_RT = 0;
};

}  // namespace tactus::drivers::can
