// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <sys/types.h>

#include <cstdint>
#include <memory>

#include "config/json.hpp"
#include "executive/driver/live_knowledge.hpp"
#include "executive/run_base/run_observer.hpp"

namespace tactus::executive {

struct CapabilitySection;
struct RunContext;

/// A capability of a run, with its whole life: link, recordings, checkpoints and so on. RigRun has a list of them
/// (kCapabilities) and calls each hook of one after the other, in the order of that list.
///
/// A capability is made when the executive is there, and adds its FramePart to it then, so that the order of the list is
/// also the order of the hooks of a frame. What a hook writes into RunContext::end is how the run ends.
///
/// Threads  the service thread, but frames_ended().
class Capability {
 public:
  virtual ~Capability() = default;

  /// Purpose for which a summary is made.
  enum class Summary : std::uint8_t {
    known,    ///< facts for the witness that do not change any more
    running,  ///< the run goes on
    ended,
  };

  /// Reads and reserves what it needs; the frames' threads wait. No job has run.                @when setup
  virtual void prepare() {}
  /// The machine grants what the rig requires: clients may come. No job has run.                @when setup
  virtual void open() {}
  /// Joins others, which may take long. False: `end` says why there will be no frame.           @when setup
  virtual bool join() { return true; }
  /// The models are initialized. False: `end` says why there will be no frame.                  @when setup
  virtual bool initialized() { return true; }
  /// Starts its threads. What the machine refuses here ends a run that requires it.             @when setup
  virtual void start() {}
  /// Begins to watch the frames' threads; what is refused here never ends a run.                @when setup
  virtual void watch() {}
  /// All is in place: the frames come next, and nothing is refused any more.  @when setup
  virtual void ready() {}

  /// Called about twenty times a second, from the moment the rig is made: reports what has happened.
  virtual void poll(RunVoice&) {}
  /// Once a second: what may wait, or is not cheap.
  virtual void poll_seldom(RunVoice&) {}
  /// Returns true for one of its threads, which may run where the frames do.
  virtual bool owns(pid_t) const { return false; }

  /// The frames have ended, in whatever way. On their thread, outside of them.
  virtual void frames_ended() {}
  /// The frames have ended: clients get their last answers, and nothing outside can ask for anything any more.
  virtual void ended() {}
  /// Leaves the federation after that, and keeps the last state. Shutdown jobs come next.
  virtual void leave() {}
  /// The shutdown jobs have run; not when a thread is stuck.
  virtual void after_jobs() {}
  /// Nothing runs any more: writes and reports what is left.
  virtual void finish() {}
  /// The run is destroyed; it may never have started. Threads outside must not call it from here on.
  virtual void drop() {}

  /// Fills in its keys of summary.json, which are null before.
  virtual void summarize(config::Json&, Summary) const {}
  /// Its part of the summary has `causes`, which conditions on the run may name.
  virtual bool knows_causes() const { return false; }
  /// A number that changes when its part of summary.json does so that it has to be written soon.
  virtual std::uint64_t changes() const { return 0; }
  /// Fills in its keys of what a client asked for.
  virtual void report(LiveReport, config::Json&) {}
};

/// A row of the list of capabilities.
struct CapabilityRow {
  /// nullptr: the rig does not need it. What it uses of the run outlives it.
  std::unique_ptr<Capability> (*make)(RunContext& run);
  /// Its keys of the rig file, and what it does to the plan; nullptr: nothing.
  const CapabilitySection* section = nullptr;
  /// Its keys of summary.json before there is an executive; nullptr: none.
  void (*known)(const RunContext& run, config::Json& all) = nullptr;
};

/// A row for a class that is made of a RunContext; one with `static bool is_needed(const RunContext&)` only where
/// it is needed.
template <class Kind>
std::unique_ptr<Capability> make_capability(RunContext& run) {
  if constexpr (requires { Kind::is_needed(run); })
    if (!Kind::is_needed(run)) return nullptr;
  return std::make_unique<Kind>(run);
}

}  // namespace tactus::executive
