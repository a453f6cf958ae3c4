// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <array>
#include <atomic>
#include <cstdint>
#include <utility>
#include <vector>

#include "executive/driver/link.hpp"
#include "executive/driver/live.hpp"
#include "executive/plan/plan.hpp"
#include "rtsync/rt.hpp"
#include "rtsync/time/period.hpp"
#include "rtsync/wait/sleeper.hpp"

namespace tactus::executive {

/// A state to continue from: bytes in the layout of StateRestorer::image().
struct LoadedState {
  std::vector<std::byte> bytes;
  std::int64_t frame = 0;  ///< the frame that comes next
};

/// The reasons of a stop and of an abort, as whoever gives it says them.
struct EndWords {
  const char* stop;
  const char* abort;
  bool planned = false;  ///< the stop belongs to the rig or its test
};
inline constexpr EndWords kByModel{"stopped by a model", "aborted by a model", true};
inline constexpr EndWords kByClient{kStoppedByClient, kStoppedByClient};

/// Commands to a rig while it runs: from signals, the program around it, its models, and its file at
/// simulated times. All of it is taken at the end of a frame or freeze frame; of what comes together abort
/// wins over stop, stop over reset, reset over pause. Of pause, resume, step and run_until from outside of the
/// rig file the last one counts: a pause after a step freezes the rig, and the step is dropped.
///
/// Threads  give, request_*, *_reason: any. The rest: the frame's.
/// RT       everything but the constructor.
class CommandQueue final : public LinkCommands {
 public:
  CommandQueue(const std::vector<TimedCommand>& timed, const rtsync::Period& frame,
               const rtsync::Period& freeze_frame, rtsync::Sleeper& sleeper)
      : timed_(timed), frame_(frame), freeze_frame_(freeze_frame), sleeper_(sleeper) {
    clear_pause_frame();
  }

  // A reason may have been written just before: release, and acquire where it is read.
  void request_stop(const char* reason) TACTUS_RT override {
    stop(reason, false);
    sleeper_.interrupt();
  }
  /// A stop by the rig file, its test or a model.
  void request_planned_stop(const char* reason) TACTUS_RT {
    stop(reason, true);
    sleeper_.interrupt();
  }
  void request_abort(const char* reason) TACTUS_RT override {
    abort_.store(reason, std::memory_order_release);
    sleeper_.interrupt();
  }
  /// One of those that models give; any other is none of the frames'.
  void give(Command command, std::int64_t value, const EndWords& words) TACTUS_RT;
  /// A pause before which all outputs are driven to their safe values.
  void request_safe_pause() TACTUS_RT {
    safe_wanted_.store(true, std::memory_order_release);
    ask(Go::pause);
  }
  bool take_safe_wanted() TACTUS_RT {
    return safe_wanted_.load(std::memory_order_relaxed) &&
           safe_wanted_.exchange(false, std::memory_order_acquire);
  }
  void request_load(const LoadedState& state) TACTUS_RT { load_.store(&state, std::memory_order_release); }
  /// The link keeps the rig frozen, or does not any more: beside all others, whose pauses and resumes are
  /// theirs.
  void set_peer_pause(bool yes) TACTUS_RT override { held_.store(yes, std::memory_order_relaxed); }
  /// Makes a paused rig look at the requests before its freeze frame ends.
  void poll_while_paused() TACTUS_RT { poll_wanted_.store(true, std::memory_order_release); }
  const std::atomic<bool>& poll_wanted() const TACTUS_RT { return poll_wanted_; }
  bool take_poll_wanted() TACTUS_RT {
    return poll_wanted_.load(std::memory_order_relaxed) &&
           poll_wanted_.exchange(false, std::memory_order_acq_rel);
  }

  /// Returns true if a pause, resume, step or run_until from outside of the rig file is still to be taken.
  bool waiting() const TACTUS_RT { return last_.load(std::memory_order_relaxed) != kNothing; }

  /// Freeze at the first boundary of frames not before that simulated time, beside what else is asked for.
  /// False: kMostPauses wait already.
  bool request_pause_at(std::int64_t sim_time_ns) TACTUS_RT {
    for (std::atomic<std::int64_t>& slot : pauses_) {
      std::int64_t none = -1;
      if (!slot.compare_exchange_strong(none, sim_time_ns, std::memory_order_relaxed)) continue;
      some_pauses_.store(true, std::memory_order_release);
      return true;
    }
    return false;
  }

  /// Returns true if the last stop that was requested is a planned one.
  bool stop_planned() const TACTUS_RT { return stop_planned_.load(std::memory_order_relaxed); }
  const char* stop_reason() const TACTUS_RT { return stop_.load(std::memory_order_acquire); }
  const char* abort_reason() const TACTUS_RT { return abort_.load(std::memory_order_acquire); }
  bool ending() const TACTUS_RT { return stop_reason() != nullptr || abort_reason() != nullptr; }
  /// A reset or a load is to come.
  bool restore_wanted() const TACTUS_RT {
    return resets_wanted() != resets_taken_ || load_.load(std::memory_order_relaxed) != nullptr;
  }
  /// Number of resets that were requested so far.                                                   @when any
  std::int64_t resets_wanted() const TACTUS_RT { return resets_wanted_.load(std::memory_order_relaxed); }
  /// One reset does for all that were asked for until now: how many.
  std::int64_t reset_taken() TACTUS_RT { return resets_taken_ = resets_wanted(); }
  /// The state to be loaded; nullptr: none.
  const LoadedState* take_load() TACTUS_RT { return load_.exchange(nullptr, std::memory_order_acquire); }

  /// Takes what was requested up to now, before frame k. `does(command)` is called with those of the file
  /// that are not about pausing.
  template <class Does>
  void take(std::int64_t k, Does does) TACTUS_RT;
  /// Returns true if the rig is to be paused.
  bool paused() const TACTUS_RT { return paused_ || held_.load(std::memory_order_relaxed); }
  /// Returns true if it would be paused without the link, too.
  bool paused_here() const TACTUS_RT { return paused_; }
  /// Lets the rig continue, whatever pause was requested before.
  void let_go() TACTUS_RT {
    last_.store(kNothing, std::memory_order_relaxed);
    resume();
  }
  /// Pauses the rig: something else has frozen it, and only a resume or a step lets it continue.
  void force_pause() TACTUS_RT { pause_for_good(); }
  /// The next checkpoint of the file whose time has come before frame k; nullptr: none.
  const TimedCommand* next_checkpoint(std::int64_t k) TACTUS_RT {
    if (given_count_ > 0) return given_[--given_count_];
    for (; next_checkpoint_ < timed_.size() && frame_at(timed_[next_checkpoint_].at.count()) <= k;
         ++next_checkpoint_)
      if (timed_[next_checkpoint_].call.command == Command::checkpoint) return &timed_[next_checkpoint_++];
    return nullptr;
  }
  /// Has next_checkpoint() return one more, which must stay. False: kMostGiven wait.
  bool give_checkpoint(const TimedCommand& command) TACTUS_RT {
    if (given_count_ == kMostGiven) return false;
    given_[given_count_++] = &command;
    return true;
  }
  /// The frame before which the rig freezes, for a checkpoint.
  std::int64_t& hold() { return pause_frame_; }
  /// Frames are counted anew: no step or run_until is under way any more.
  void clear_pause_frame() TACTUS_RT {
    pause_frame_ = kNever;
    for (std::atomic<std::int64_t>& slot : pauses_) slot.store(-1, std::memory_order_relaxed);
  }
  /// A freeze frame has passed.
  void freeze_frame_ended() TACTUS_RT {
    if (rest_ > 0 && --rest_ == 0) paused_ = false;
  }
  /// Takes the commands that were taken since the last call: a bit for each Command.
  std::uint32_t take_taken() TACTUS_RT { return std::exchange(taken_, 0U); }
  /// Commands of the file whose time has not come yet.
  std::size_t left() const { return timed_.size() - next_; }
  /// Moves to before frame k: what lies before it is done, and what lies at it, too, if a state was loaded
  /// there.
  void seek(std::int64_t k) TACTUS_RT;
  /// A state of before frame k was loaded: it holds what the commands at that very frame did.
  void state_loaded(std::int64_t k) TACTUS_RT { loaded_ = k; }
  /// Gives those commands of the file up to frame k that a state of before it has to hold: what is switched,
  /// and where a step or run_until ends. take() gives them as well, to the same effect.
  template <class Does>
  void give_to_state(std::int64_t k, Does does) TACTUS_RT;

 private:
  void stop(const char* reason, bool planned) TACTUS_RT {
    stop_planned_.store(planned, std::memory_order_relaxed);
    stop_.store(reason, std::memory_order_release);
  }
  /// The last of pause, resume, step and run_until, with its value: two in one atomic, so that none is torn
  /// from its value, and the order in which they came is kept.
  enum class Go : std::uint8_t { pause, resume, step, run_until };
  static constexpr std::uint64_t kNothing = UINT64_MAX;
  static constexpr std::int64_t kMostValue = (std::int64_t{1} << 62) - 2;  // 146 years in ns
  void ask(Go what, std::int64_t value = 0) TACTUS_RT {
    last_.store(static_cast<std::uint64_t>(std::min(value, kMostValue)) << 2 | static_cast<unsigned>(what),
                std::memory_order_relaxed);
  }
  void take_last(std::int64_t k) TACTUS_RT;

  static constexpr std::int64_t kNever = INT64_MAX;
  static constexpr std::size_t kMostPauses = 16;
  static constexpr std::size_t kMostGiven = 16;

  /// The first frame that begins at or after a simulated time.
  std::int64_t frame_at(std::int64_t sim_time_ns) const TACTUS_RT {
    if (sim_time_ns <= 0) return 0;
    const rtsync::Wide scaled = static_cast<rtsync::Wide>(sim_time_ns) * frame_.den();
    return static_cast<std::int64_t>((scaled + frame_.num() - 1) / frame_.num());
  }
  void resume() TACTUS_RT {
    paused_ = false;
    pause_frame_ = kNever;
    rest_ = 0;
  }
  /// Pauses the rig until somebody lets it continue, also where the file has paused it for some time only.
  void pause_for_good() TACTUS_RT {
    paused_ = true;
    rest_ = 0;
  }
  void pause_before_frame(std::int64_t frame) TACTUS_RT {
    resume();
    pause_frame_ = frame;
  }
  void taken(Command command) TACTUS_RT { taken_ |= std::uint32_t{1} << static_cast<unsigned>(command); }
  template <class Does>
  bool apply(const TimedCommand& timed, std::int64_t k, Does& does) TACTUS_RT;
  void take_timed_pauses(std::int64_t k) TACTUS_RT;

  const std::vector<TimedCommand>& timed_;
  const rtsync::Period frame_;
  const rtsync::Period freeze_frame_;
  rtsync::Sleeper& sleeper_;
  std::atomic<const char*> stop_{nullptr};
  std::atomic<bool> stop_planned_{false};  // the last one
  std::atomic<const char*> abort_{nullptr};
  std::atomic<std::int64_t> resets_wanted_{0};
  std::int64_t resets_taken_ = 0;
  std::atomic<const LoadedState*> load_{nullptr};
  std::atomic<std::uint64_t> last_{kNothing};
  std::atomic<bool> held_{false};
  std::atomic<bool> safe_wanted_{false};
  std::atomic<bool> poll_wanted_{false};
  std::array<std::atomic<std::int64_t>, kMostPauses> pauses_;  // simulated times; -1: none
  std::atomic<bool> some_pauses_{false};

  std::size_t next_ = 0;                                 // of timed_
  std::size_t next_checkpoint_ = 0;                      // likewise
  std::array<const TimedCommand*, kMostGiven> given_{};  // checkpoints that are no part of timed_
  std::size_t given_count_ = 0;
  std::int64_t loaded_ = -1;  // the frame that came next when a state was loaded
  bool paused_ = false;
  std::int64_t pause_frame_ = kNever;  // the frame before which the rig freezes
  std::uint32_t taken_ = 0;
  std::int64_t rest_ = 0;  // freeze frames after which it goes on by itself; 0: it does not
};

inline void CommandQueue::give(Command command, std::int64_t value, const EndWords& words) TACTUS_RT {
  switch (command) {
    case Command::pause:
      return ask(Go::pause);
    case Command::resume:
      return ask(Go::resume);
    case Command::step:
      return value > 0 ? ask(Go::step, value) : void();
    case Command::run_until:
      return value >= 0 ? ask(Go::run_until, value) : void();
    case Command::reset:
      return void(resets_wanted_.fetch_add(1, std::memory_order_relaxed));
    case Command::stop:
      return words.planned ? request_planned_stop(words.stop) : request_stop(words.stop);
    case Command::abort:
      return request_abort(words.abort);
    default:
      return;
  }
}

/// False: the orders after it are for later.
template <class Does>
bool CommandQueue::apply(const TimedCommand& timed, std::int64_t k, Does& does) TACTUS_RT {
  const CommandCall& call = timed.call;
  taken(call.command);
  switch (call.command) {
    case Command::pause:
      paused_ = true;
      rest_ = 0;
      if (timed.rest) {
        const rtsync::Wide scaled = static_cast<rtsync::Wide>(timed.rest->count()) * freeze_frame_.den();
        rest_ = static_cast<std::int64_t>((scaled + freeze_frame_.num() - 1) / freeze_frame_.num());
      }
      return false;  // a resume of the same time is taken while it stands still
    case Command::resume:
      resume();
      return true;
    case Command::step:
      pause_before_frame(k + call.value);
      return true;
    case Command::run_until:
      pause_before_frame(frame_at(call.value));
      return true;
    case Command::enable:
    case Command::disable:
      does(call);
      return true;
    case Command::stop:
      stop("stopped by the rig file (commands)", true);
      return true;
    case Command::abort:
      abort_.store("aborted by the rig file (commands)", std::memory_order_release);
      return true;
    case Command::reset:
      resets_wanted_.fetch_add(1, std::memory_order_relaxed);
      return false;
    default:  // a checkpoint: see next_checkpoint()
      return true;
  }
}

template <class Does>
void CommandQueue::take(std::int64_t k, Does does) TACTUS_RT {
  while (next_ < timed_.size() && frame_at(timed_[next_].at.count()) <= k)
    if (!apply(timed_[next_++], k, does)) break;
  if (pause_frame_ <= k) {
    pause_frame_ = kNever;
    paused_ = true;
  }
  if (some_pauses_.load(std::memory_order_acquire)) take_timed_pauses(k);
  // From outside, which has the last word.
  if (last_.load(std::memory_order_relaxed) != kNothing) take_last(k);
}

inline void CommandQueue::take_last(std::int64_t k) TACTUS_RT {
  const std::uint64_t last = last_.exchange(kNothing, std::memory_order_relaxed);
  const auto value = static_cast<std::int64_t>(last >> 2);
  switch (static_cast<Go>(last & 3)) {
    case Go::pause:
      pause_for_good();
      return taken(Command::pause);
    case Go::resume:
      resume();
      return taken(Command::resume);
    case Go::step:
      pause_before_frame(k + std::min(value, kNever - 1 - k));
      return taken(Command::step);
    case Go::run_until:
      pause_before_frame(frame_at(value));
      if (pause_frame_ <= k) paused_ = true;
      return taken(Command::run_until);
  }
}

template <class Does>
void CommandQueue::give_to_state(std::int64_t k, Does does) TACTUS_RT {
  for (std::size_t i = next_; i < timed_.size() && frame_at(timed_[i].at.count()) <= k; ++i) {
    const CommandCall& call = timed_[i].call;
    if (call.command == Command::enable || call.command == Command::disable) does(call);
    if (call.command == Command::resume) pause_frame_ = kNever;
    if (call.command == Command::step) pause_frame_ = k + call.value;
    if (call.command == Command::run_until) pause_frame_ = frame_at(call.value);
  }
}

inline void CommandQueue::take_timed_pauses(std::int64_t k) TACTUS_RT {
  some_pauses_.store(false, std::memory_order_relaxed);  // before the slots: one that comes now is seen
  bool more = false;
  for (std::atomic<std::int64_t>& slot : pauses_) {
    const std::int64_t time = slot.load(std::memory_order_relaxed);
    if (time < 0) continue;
    const bool due = frame_at(time) <= k;
    if (due) slot.store(-1, std::memory_order_relaxed);
    if (due) pause_for_good();
    more = more || !due;
  }
  if (more) some_pauses_.store(true, std::memory_order_relaxed);
}

inline void CommandQueue::seek(std::int64_t k) TACTUS_RT {
  next_ = 0;
  // At the very frame a command is still to be carried out, unless it stands in the state that was loaded.
  const std::int64_t end = k == loaded_ ? k + 1 : k;
  while (next_ < timed_.size() && frame_at(timed_[next_].at.count()) < end) ++next_;
  next_checkpoint_ = next_;
}

}  // namespace tactus::executive
