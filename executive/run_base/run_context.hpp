// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <sys/types.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "config/json.hpp"
#include "executive/frame/executive.hpp"
#include "executive/plan/rig.hpp"
#include "executive/run_base/capability.hpp"
#include "executive/run_base/live_journal.hpp"
#include "executive/run_base/pacing.hpp"
#include "executive/run_base/rig_threads.hpp"
#include "executive/run_base/run_options.hpp"
#include "rtsync/host/provision.hpp"

namespace tactus::executive {

/// An end that a run waits for.
struct AwaitedEnd {
  std::string what;  ///< "the file of recording time was closed"
  std::string
      call{};  ///< the present call, which may change: " (close() of driver 'x')"; empty: none is known
};

/// Data of a run for its capabilities, and functions that they may call. All of it outlives them.
///
/// Threads  the service thread, but where a function says something else.
struct RunContext {
  Rig& rig;
  const RunOptions& options;
  const bool realtime;                        ///< the run begins in real time
  std::optional<rtsync::CpuClaims> claims{};  ///< held as long as the run
  RigCpus cpus{};
  std::vector<rtsync::Provision> provisions{};  ///< provisions requested from the machine
  std::optional<Pacing> pacing{};
  std::unique_ptr<Executive> executive{};
  std::vector<std::unique_ptr<Capability>> capabilities{};  ///< capabilities in the order of kCapabilities
  std::unique_ptr<RigThreads> threads{};
  std::optional<RunVoice> voice{};

  pid_t main = 0;                      ///< the thread of the frames; once it is there
  std::vector<pid_t> frame_threads{};  ///< those of its jobs; after the start
  bool memory_locked = false;          ///< all memory of the process
  bool stuck = false;                  ///< a job never returns: nothing may wait for the frames' threads
  bool file_stuck = false;             ///< a file never answers
  bool driver_stuck = false;           ///< a driver never returns from a call beside the frames
  std::vector<std::string> silent{};   ///< driver models whose call on another thread has not returned
  RunEnd end{};                        ///< end of the run; a capability may change it
  const LoadedState* start = nullptr;  ///< the state that the run goes on from
  rtsync::RealtimeTotals totals_when_stuck{};
  rtsync::Nanoseconds overran{0};  ///< lateness of the frame that is stuck
  bool incomplete = false;         ///< a file of the run lacks something
  int asked_status = 0;            ///< the exit status that a client asked for

  /// Runs what may take long on the setup thread. False: `end` says why it did not succeed.
  std::function<bool(const char* what, const std::function<void()>& work)> aside{};
  /// True: go on with a wait at the end that has lasted for `hangs`; see RigRun::waits_on().
  std::function<bool(std::chrono::nanoseconds hangs, const AwaitedEnd& end, std::chrono::seconds longest)>
      waits_on{};
  /// Serves signals for a moment.
  std::function<void(std::chrono::nanoseconds at_most)> tick{};
  /// Returns true if a thread belongs to the run.
  std::function<bool(pid_t)> owns{};
  /// Makes what a client asked for.
  std::function<config::Json(LiveReport)> report{};

  /// Writes the last frames to a trace, with the reason in its title. Empty: there is no flight recorder.
  std::function<void(const std::string& why)> trace{};

  /// The first frame: 0, or that of the state that the run goes on from.
  std::int64_t first_frame() const { return start ? start->frame : 0; }
  /// Names what keeps the run out of real time: "--no-realtime"; empty: nothing does.
  std::string why_unpaced() const {
    if (realtime) return "";
    if (!options.realtime) return options.no_realtime;
    return rig.follows_others() ? "link.mode: follow" : "realtime.enabled: no";
  }
  /// Says whether the run is in real time, and why not: "not in real time (--no-realtime)".
  std::string pace() const { return realtime ? "real time" : "not in real time (" + why_unpaced() + ")"; }
  /// A thread reads the clock instead of sleeping.
  bool spins() const {
    return pacing->sleeper().share_spun(rig.plan().frame) >= 1 || !rig.settings().realtime.sleep_timer;
  }
  /// Returns true if a driver's model may be called beside the frames: no call of it hangs, which may hold its locks.
  bool may_call(const std::string& model) const {
    return !stuck && std::find(silent.begin(), silent.end(), model) == silent.end();
  }
  /// Totals of the run so far.
  rtsync::RealtimeTotals totals() const { return stuck ? totals_when_stuck : executive->totals(); }
  void add(std::vector<rtsync::Provision> more) {
    for (rtsync::Provision& provision : more) provisions.push_back(std::move(provision));
  }
  /// Reports a failure; the first one is how the run ends.
  void fail(const std::string& failure) {
    voice->say(failure);
    if (end.in_order()) end = {Outcome::failed, failure, end.frames};
  }
  /// Adds to the reason of the end.
  void add_reason(const std::string& more) {
    end.reason += (end.reason.empty() ? "" : "; ") + more;
    if (!end.brief.empty()) end.brief += "; " + more;
  }
  /// Adds an entry to the journal of changes: what, when (frame), and who caused it.
  void note(config::Json entry, const std::string& who);
  /// Says in the log and in the journal that something switched by name began or ended. `kind`:
  /// "fault".
  void tell_switched(const char* kind, const std::string& name, bool on, std::int64_t frame);
  /// Adds an entry to the journal of live access; nullptr: the rig has none, and the run keeps one of its own.
  std::function<void(config::Json entry, const std::string& who)> journal{};
  std::unique_ptr<LiveHistory> own_history{};
  std::unique_ptr<LiveJournal> own_journal{};
  /// Another capability; nullptr: this run has none of the kind.                                    @when any
  template <class Kind>
  Kind* find() const {
    for (const std::unique_ptr<Capability>& each : capabilities)
      if (auto* const found = dynamic_cast<Kind*>(each.get())) return found;
    return nullptr;
  }
};

}  // namespace tactus::executive
