// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <utility>
#include <vector>

#include "executive/flight/flight_reader.hpp"
#include "executive/flight/kernel_tracks.hpp"
#include "executive/flight/trace_sequence.hpp"

namespace tactus::executive {

/// Cause of a late frame: an instant to which arrows from its origin lead.
struct Effect {
  std::int64_t frame = 0;
  std::int64_t from_ns = 0;  ///< its origin is looked for there
  std::int64_t to_ns = 0;
  std::int64_t at_ns = 0;
  FlownCause cause;
  bool found = false;
  std::vector<std::uint64_t> flows{};
};

/// Puts the causes of late frames into a trace: an instant for each, and arrows to it from the job, the thread or the frame
/// that caused it.
///
/// Threads  one.
class CauseTracks {
 public:
  using Flows = std::vector<std::uint64_t>;
  static constexpr std::uint64_t kCauseTrack = 5, kOthersTrack = 6;

  /// All must outlive it.
  CauseTracks(const FlightPlan& plan, const KernelTracks& kernel, TraceSequence& out)
      : plan_(plan), kernel_(kernel), out_(out) {}

  /// Takes an effect; its origin may be among jobs of its frame. `flows`: the arrows of each of these.
  void add(Effect effect, const std::vector<FlownJob>& jobs, std::vector<Flows>& flows) {
    find_origin(effect, jobs, flows);
    effects_.push_back(std::move(effect));
  }
  /// Looks for origins among the jobs of another thread.
  void find_origins(const std::vector<FlownJob>& jobs, std::vector<Flows>& flows) {
    for (Effect& effect : effects_) find_origin(effect, jobs, flows);
  }
  /// Writes a sequence of their own.
  void write();

 private:
  void find_origin(Effect& effect, const std::vector<FlownJob>& jobs, std::vector<Flows>& flows);
  void add_others();
  void chain_catching_up();

  const FlightPlan& plan_;
  const KernelTracks& kernel_;
  TraceSequence& out_;
  std::vector<Effect> effects_;
};

}  // namespace tactus::executive
