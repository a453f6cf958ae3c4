// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <array>
#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "executive/flight/flight_file.hpp"
#include "executive/flight/flight_record.hpp"
#include "rtsync/evidence/cause.hpp"
#include "rtsync/evidence/evidence.hpp"
#include "rtsync/wait/overrun_policy.hpp"

namespace tactus::executive {

/// Ticks and the rig's clock as nanoseconds of CLOCK_MONOTONIC, by the moments at which all three were read.
class FlightClock {
 public:
  explicit FlightClock(std::uint64_t tick_scale) : scale_(tick_scale) {}
  struct Anchor {
    std::uint64_t ticks = 0;
    std::int64_t kernel_ns = 0;
    std::int64_t rig_ns = 0;
  };
  void add(const Anchor& anchor) { anchors_.push_back(anchor); }
  std::int64_t of_ticks(std::uint64_t ticks) const;
  std::int64_t of_rig(std::int64_t ns) const;
  /// Ticks at a moment not after that time of the kernel's clock.
  std::uint64_t ticks_before(std::int64_t kernel_ns) const;

 private:
  const std::uint64_t scale_;
  std::vector<Anchor> anchors_;
};

/// A job that ran, or a wait for another thread; times are of CLOCK_MONOTONIC.
struct FlownJob {
  std::uint32_t job = 0;  ///< awaited thread of a wait, or kGrantAwaited
  std::int64_t begin_ns = 0;
  std::int64_t end_ns = 0;
  bool waits = false;
  std::int64_t length_ns() const { return end_ns - begin_ns; }
};

/// Cause of a late frame, with the evidence.
struct FlownCause {
  rtsync::Cause cause = rtsync::Cause::unknown;
  rtsync::LatePart part = rtsync::LatePart::job;
  bool of_wake = false;  ///< it says why the frame woke late, else why it overran
  std::uint32_t job = 0;
  std::array<std::optional<std::int64_t>, kFlightFigures> figures{};
  std::optional<std::int64_t> figure(FlightFigure which) const {
    return figures[static_cast<std::size_t>(which)];
  }
};

/// A frame that ended.
struct FlownFrame {
  std::uint64_t index = 0;  ///< index of its last record in the ring: no other frame has it
  std::int64_t frame = 0;
  std::int64_t wake_ns = 0;  ///< wake, as CLOCK_MONOTONIC
  std::int64_t done_ns = 0;
  std::int64_t late_ns = 0;
  std::int64_t slack_ns = 0;
  std::int64_t housekeeping_ns = 0;
  std::int64_t lost = 0;
  rtsync::OverrunCause overrun = rtsync::OverrunCause::none;
  bool paced = false;
  bool late_wake = false;
  bool late_by_housekeeping = false;
  bool grace = false;
  std::vector<FlownCause> causes;
  std::int64_t work_ns() const { return done_ns - wake_ns; }
};

/// Something between two frames.
struct FlownEvent {
  FlightEvent what = FlightEvent::paused;
  std::uint32_t id = 0;
  std::int64_t at_ns = 0;
};

/// The value of a variable after a frame.
struct FlownValue {
  std::uint32_t variable = 0;
  std::uint64_t bits = 0;
};

/// The external clock after a frame.
struct FlownEdge {
  std::int64_t phase_ns = 0;
  std::uint32_t edges = 0;
  std::uint16_t missing = 0;
};

/// A CPU is with another thread from then on.
struct FlownSwitch {
  std::int64_t at_ns = 0;
  std::uint32_t thread = 0;  ///< 0: no thread
  std::uint16_t cpu = 0;
  bool ready = false;  ///< the one before could have gone on
};

struct FlownFault {
  std::int64_t at_ns = 0;
  std::uint32_t count = 0;
  std::uint16_t thread = 0;  ///< thread of the rig
  bool major = false;
};

/// Events of the kernel, in the order of time.
struct FlownKernel {
  std::vector<FlownSwitch> switches;
  std::vector<FlownFault> faults;
};

/// Activity of a thread that had not ended when its process died.
struct FlownUnended {
  std::uint32_t job = 0;  ///< job, or UINT32_MAX: none
  std::int64_t since_ns = 0;
};

/// Content of a flight recorder, up to when this was made, as jobs, frames and events with times.
///
/// Threads  any one, of any process. @when service
class FlightView {
 public:
  /// `file` must outlive it. `first`: what the main thread recorded before is left out (start_of_frames()).
  explicit FlightView(const FlightFile& file, std::uint64_t first = 0);

  struct Visitor {
    std::function<void(const FlownJob&)> job{};
    std::function<void(const FlownFrame&)> frame{};
    std::function<void(const FlownEvent&)> event{};
    std::function<void(const FlownValue&)> value{};
    std::function<void(const FlownEdge&)> edge{};
    std::int64_t since_ns = INT64_MIN;  ///< jobs that ended long before may be left out
  };
  /// The records of a ring, in their order. Returns how many were overwritten meanwhile.
  std::uint64_t visit(std::size_t ring, const Visitor& visitor) const;

  /// Events of the kernel since that time.
  FlownKernel kernel(std::int64_t from_ns) const;
  /// The frame that was under way when the process died, woken then; nothing: none was.
  std::optional<FlownFrame> unended_frame() const;
  /// Activity of a thread that had not ended.
  std::optional<FlownUnended> unended(std::size_t ring) const;

  const FlightFile& file() const { return file_; }
  /// The last frame that is whole; nothing: none is.
  std::optional<FlownFrame> last() const;

 private:
  const FlightFile& file_;
  const std::uint64_t first_;
  FlightClock clock_;
};

}  // namespace tactus::executive
