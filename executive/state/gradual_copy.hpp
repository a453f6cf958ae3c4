// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "executive/state/state_image.hpp"
#include "rtsync/host/write_tracker.hpp"
#include "rtsync/rt.hpp"

namespace tactus::executive {

/// Copies a state that is too large for the slack of one frame, while frames continue changing it. The copy
/// is that of one boundary between frames.
///
/// A helper thread copies everything once, a few pages after each frame, and watches what it has copied. What
/// is written meanwhile it copies again, pass after pass, until little is left. Then a frame waits in its
/// slack, for as long as it can spare, while the helper copies that rest. If the helper is not done by then,
/// the frame continues, and another pass follows.
///
///     idle ─begin─► copying ─little is left─► ready ─stand─► standing ─done─► taken ─release─► idle
///                      ▲                        │                │
///                      └──────── another pass ──┴──── too late ──┘
///
/// Threads  begin, allow, stand: the frames'. work, fail, release: the helper's. The rest: any.
/// RT       the frames' side: wait-free but for stand(), which takes no longer than it is let. A frame pays
///          a page fault for the first write to a watched page, and no system call.
class GradualCopy {
 public:
  using Nanoseconds = std::chrono::nanoseconds;
  static constexpr int kMostPasses = 20;  ///< number of passes in a row, then nothing is watched for kRest
  static constexpr std::chrono::milliseconds kRest{1000};  ///< time until all of it is begun anew
  static constexpr std::chrono::milliseconds kLinger{20};  ///< ready for a frame to wait
  static constexpr std::size_t kLeastTracked = 64 * 1024;  ///< memory in smaller portions is copied last
  static constexpr std::int64_t kNoLimit = std::int64_t{1} << 40;

  /// The pages in which most of the state lies: what `tracker` has to know. @when setup
  static std::vector<rtsync::Pages> pages_of(const StateImage& image);

  /// `to`: image.bytes() bytes, the helper's from begin() to release(). All must outlive it. @when setup
  GradualCopy(const StateImage& image, std::byte* to, rtsync::WriteTracker& tracker);

  // ---- the frames' side

  /// Begins a copy. Only when idle.                                                                 @when rt
  void begin() TACTUS_RT { state_.store(State::copying, std::memory_order_release); }
  /// Sets what may be done until the next frame ends: how many pages more may be watched, and how long a
  /// frame could stand still now. 0 pages: watching costs the frames too much. @when rt
  void allow(std::int64_t pages, Nanoseconds stand) TACTUS_RT {
    allowed_.store(pages, std::memory_order_relaxed);
    stand_.store(stand.count(), std::memory_order_relaxed);
  }
  /// Little enough is left.                                                                         @when rt
  bool ready() const TACTUS_RT { return state_.load(std::memory_order_acquire) == State::ready; }
  /// No thread writes any state until it returns. True: the copy is that of this moment. False: `give_up()`,
  /// which is asked over and over, said so before the copy was done, or it was not ready. @when rt
  template <class GiveUp>
  bool stand(GiveUp give_up) TACTUS_RT {
    State found = State::ready;
    if (!state_.compare_exchange_strong(found, State::standing, std::memory_order_acq_rel)) return false;
    while (state_.load(std::memory_order_acquire) == State::standing) {
      if (!give_up()) continue;
      found = State::standing;
      if (state_.compare_exchange_strong(found, State::copying, std::memory_order_acq_rel)) {
        too_late_.fetch_add(1, std::memory_order_relaxed);
        return false;
      }
    }
    return state_.load(std::memory_order_acquire) == State::taken;
  }

  // ---- the helper's side

  /// Does a piece of work; for how long there is none then. Throws std::system_error.        @when service
  std::chrono::microseconds work();
  /// There will be no copy any more: work() has thrown.                                      @when service
  void fail();
  /// Ends the copy, taken or not, at once: watches nothing.                                    @when service
  void release();
  /// The same in portions, one after each frame: all at once keep the frames from their own page faults for longer than
  /// their slack. True: nothing is watched any more. @when service
  bool release_some();

  // ---- any side

  bool under_way() const TACTUS_RT {
    const State state = state_.load(std::memory_order_acquire);
    return state != State::idle && state != State::failed;
  }
  /// Returns true if the page of that address is one of those that are watched while a copy is under way.
  bool watches(std::uint64_t address) const TACTUS_RT {
    for (const rtsync::Pages& span : spans_)
      if (address >= reinterpret_cast<std::uintptr_t>(span.begin) &&
          address < reinterpret_cast<std::uintptr_t>(span.end))
        return true;
    return false;
  }
  bool failed() const TACTUS_RT { return state_.load(std::memory_order_acquire) == State::failed; }
  /// Page faults of the frames so far, because pages were watched.
  std::int64_t faults() const TACTUS_RT { return faults_.load(std::memory_order_relaxed); }
  /// Number of times that a frame stood still in vain.
  std::int64_t too_late() const TACTUS_RT { return too_late_.load(std::memory_order_relaxed); }
  /// Number of times that it was begun anew, as too much was written in each frame.
  std::int64_t rests() const TACTUS_RT { return rests_.load(std::memory_order_relaxed); }
  /// Time that a frame would have to stand still, as seen last.
  Nanoseconds needed() const TACTUS_RT { return Nanoseconds{needed_.load(std::memory_order_relaxed)}; }
  /// Cost of the first write to a watched page.
  Nanoseconds fault_cost() const TACTUS_RT { return fault_cost_; }

 private:
  using Clock = std::chrono::steady_clock;
  enum class State : std::uint8_t { idle, copying, ready, standing, taken, failed };
  static std::vector<StateImage::Run> small_runs_of(const StateImage& image);

  bool take_allowance();
  void copy_first();
  void copy_written();
  void end_pass();
  void copy_rest();
  void rest();
  bool frame_ended();
  bool release_portion();
  void begin_anew();
  void copy(rtsync::Pages pages);

  const StateImage& image_;
  std::byte* const to_;
  rtsync::WriteTracker& tracker_;
  const std::vector<rtsync::Pages> spans_;    // that are watched
  const std::vector<StateImage::Run> small_;  // that are not: copied while a frame stands still
  const Nanoseconds fault_cost_;
  std::vector<rtsync::Pages> found_;

  std::atomic<State> state_{State::idle};
  std::atomic<std::int64_t> allowed_{-1};  // pages; -1: taken
  std::atomic<std::int64_t> stand_{0};
  std::atomic<std::int64_t> faults_{0};
  std::atomic<std::int64_t> too_late_{0};
  std::atomic<std::int64_t> rests_{0};
  std::atomic<std::int64_t> needed_{0};

  // The helper's.
  int pass_ = 0;
  std::size_t span_ = 0;
  std::byte* at_ = nullptr;  // in spans_[span_]
  std::size_t allowance_ = 0;
  bool resting_ = false;  // the pages are released, one portion after the other
  std::size_t released_spans_ = 0;
  std::byte* released_to_ = nullptr;  // in the span after those
  Clock::time_point frame_seen_;
  Nanoseconds look_{Nanoseconds::max()};  // the least that it took to look for written pages
  Nanoseconds page_cost_{1000};           // likewise to copy one, with a guess to begin with
  Clock::time_point ready_since_;
  Clock::time_point resume_at_;
};

}  // namespace tactus::executive
