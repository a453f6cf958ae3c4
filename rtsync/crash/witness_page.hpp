// SPDX-License-Identifier: Apache-2.0
#pragma once
/// State that a rig publishes in memory that outlives it: its witness, another process, reads there how far
/// it came, whatever ended it. Also the way on which the witness passes on the signals that were sent to it.
///
///     if (WitnessPage* const page = witness_page()) page->frames.store(k, std::memory_order_relaxed);
///
/// Threads each field has one writer; the witness reads what the rig wrote, and the rig `passed`, at any
/// time. RT every store: plain memory, locked with the rest of the rig's.
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "rtsync/crash/loaded_files.hpp"
#include "rtsync/crash/running_job.hpp"
#include "rtsync/crash/thread_life.hpp"
#include "rtsync/crash/thread_origin.hpp"
#include "rtsync/rt.hpp"

namespace tactus::rtsync {

struct WitnessPage {
  static constexpr std::size_t kMostThreads = 64;
  static constexpr int kNoStatus = -1;
  static constexpr std::uint32_t kMostPassed = 64;

  struct Signal {
    int number;
    int value;
  };

  int witness = 0;  ///< its process id
  /// Files in memory for what is known of the run, as JSON. They are written in turn: a kill in the middle of a write
  /// leaves the file that was whole before.
  std::array<int, 2> facts{-1, -1};
  std::atomic<int> told{-1};            ///< index in `facts` of the one that is whole; -1: none yet
  std::atomic<int> status{kNoStatus};   ///< exit status of the rig in order, set right before
  std::atomic<std::int64_t> frames{0};  ///< number of frames that have ended
  std::atomic<std::int64_t> frames_run{0};
  std::atomic<std::int64_t> sim_time_ns{0};
  std::atomic<std::int64_t> late_ns{0}, work_ns{0}, slack_ns{0};  ///< times of the last frame in real time
  std::atomic<std::int64_t> overruns{0}, lost{0}, late_wakes{0};
  /// Running jobs by thread of the plan, of those that no flight recorder keeps.
  std::array<RunningJob, kMostThreads> running{};
  std::atomic<std::uint32_t> doing_turn{0};  ///< odd: `doing` is being written
  std::atomic<std::size_t> doing_length{0};
  std::array<std::atomic<char>, 1024> doing{};  ///< "library '/x/y.so' was loaded"; has to do with no frame
  /// Reason why the process was ended although a call did not return.
  enum class GivenUp : std::uint8_t { no, second_signal, too_long };
  std::atomic<GivenUp> given_up{GivenUp::no};
  std::atomic<std::size_t> call_length{0};
  std::array<char, 32> call{};         ///< "_exit()": a model or a library called it, which ends the rig
  std::atomic<int> crashed_thread{0};  ///< its id, if it runs none of the rig's jobs; 0: none such
  ThreadOrigin crashed_origin{};

  LoadedFiles files;  ///< files whose code the rig and its isolated models run

  ThreadLife frames_thread;  ///< held by the thread that runs the frames

  std::array<std::atomic<std::uint64_t>, kMostPassed> passed{};
  std::atomic<std::uint32_t> passed_count{0}, passed_taken{0};

  /// The witness passes a signal on. False: the rig has not taken the last kMostPassed.       @when service
  bool pass(Signal signal);
  /// The next one that was passed on.                                                         @when service
  std::optional<Signal> take_passed();
  /// Describes the present activity, or the one at the end of the rig; empty: nothing of that kind, or the process died
  /// while it wrote. @when service
  std::string doing_text() const;
  void set_doing(std::string_view text) TACTUS_RT;
  /// Empty: none.                                                                             @when service
  std::string call_text() const;
};

/// Page of this process; nullptr: it has no witness.                                              @when any
WitnessPage* witness_page() TACTUS_RT;
/// Makes `page` the page of this process. Called in the rig only. @when setup
void show_to_witness(WitnessPage& page);
/// The process is about to end in order, with this status.                                    @when service
void tell_witness_of_end(int status) TACTUS_RT;
/// The process is about to end because of this call.                                             @when any
void tell_witness_of_call(std::string_view call) TACTUS_RT;

/// The process is about to end because of this thread, which runs none of the rig's jobs.       @when any
void tell_witness_of_thread(int tid, const ThreadOrigin& origin) TACTUS_RT;

/// "ended by a second signal".                                                                    @when any
const char* text_of(WitnessPage::GivenUp why);
/// Describes the present activity in this process, also without a witness; empty: nothing.    @when service
std::string doing_text();

/// Shows the witness, while it lives, that a library or a model's own code runs outside of all jobs.
///
/// Threads  one at a time.
class Doing {
 public:
  explicit Doing(std::string_view text);  ///< @when setup, service
  ~Doing();
  Doing(const Doing&) = delete;
  Doing& operator=(const Doing&) = delete;

 private:
  std::string before_;
};

}  // namespace tactus::rtsync
