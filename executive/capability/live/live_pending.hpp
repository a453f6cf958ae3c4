// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "executive/capability/live/live_port.hpp"
#include "executive/driver/live.hpp"
#include "executive/frame/executive.hpp"
#include "rtsync/interface.hpp"

namespace tactus::executive {

/// Observations of one look of the live thread, and the answers that it gives.
struct LiveView {
  State state = State::connect;
  const RunEnd* end = nullptr;           ///< nullptr: the frames go on
  const LivePort::Head* head = nullptr;  ///< a newer snapshot than at the look before; nullptr: there is none
  std::function<LiveSnapshotPtr()> copy{};  ///< makes a copy of it
  LiveSnapshotPtr copied{};
  std::vector<std::function<void()>> answers{};

  /// The snapshot for clients: one copy, however many ask for it.
  const LiveSnapshotPtr& snapshot() { return copied != nullptr ? copied : copied = copy(); }
};

/// Waits for an answer of the rig.
///
/// Threads  one at a time.
class LivePending : public rtsync::Interface {
 public:
  /// Adds the answer to those of the view once there is one. True: nothing is waited for any more.
  virtual bool poll(LiveView& view) = 0;
  virtual bool wants_snapshot() const { return false; }
};

/// An answer that is due at once.
class LiveAnswer final : public LivePending {
 public:
  explicit LiveAnswer(std::function<void()> answer) : answer_(std::move(answer)) {}
  bool poll(LiveView& view) override {
    view.answers.push_back(std::move(answer_));
    return true;
  }

 private:
  std::function<void()> answer_;
};

/// The next snapshot; `every`: of a frame whose number is a multiple of it, or of a freeze frame; 0: of any.
class PendingSnapshot final : public LivePending {
 public:
  PendingSnapshot(LivePort& port, std::int64_t every, std::function<void(LiveSnapshotPtr)> then)
      : port_(port), every_(every), then_(std::move(then)), sequence_(want()) {}
  bool wants_snapshot() const override { return true; }
  bool poll(LiveView& view) override {
    if (view.end != nullptr) {
      view.answers.push_back([then = std::move(then_)] { then(nullptr); });
      return true;
    }
    if (view.head == nullptr) return false;
    const bool fits = every_ == 0 || view.head->rig.state == State::pause || view.head->frame % every_ == 0;
    if (sequence_ > view.head->sequence || !fits) {
      (void)want();  // it came while that one was being made
      return false;
    }
    view.answers.push_back([then = std::move(then_), made = view.snapshot()] { then(made); });
    return true;
  }

 private:
  std::int64_t want() { return every_ == 0 ? port_.want() : port_.want_multiple(every_); }

  LivePort& port_;
  const std::int64_t every_;
  std::function<void(LiveSnapshotPtr)> then_;
  const std::int64_t sequence_;
};

/// The end of a reset or a load: the rig goes on from where it was sent, in Pause or running.
class PendingRestore final : public LivePending {
 public:
  /// `until`: Restart::loaded(), or else resets_done(), is then as great.
  PendingRestore(Restart& restart, bool load, std::int64_t until,
                 std::function<void(const std::string&)> then)
      : restart_(restart), load_(load), until_(until), then_(std::move(then)) {}
  bool poll(LiveView& view) override {
    const bool done = (load_ ? restart_.loaded() : restart_.resets_done()) >= until_;
    const bool goes_on =
        view.state != State::stop && view.state != State::reset && view.state != State::start;
    if (view.end == nullptr && (!done || !goes_on)) return false;
    std::string problem;
    if (!done) {
      const RunEnd& end = *view.end;
      problem =
          "the run ended before it: " + (end.reason.empty() ? std::string(name_of(end.outcome)) : end.reason);
    }
    view.answers.push_back([then = std::move(then_), problem = std::move(problem)] { then(problem); });
    return true;
  }

 private:
  Restart& restart_;
  const bool load_;
  const std::int64_t until_;
  std::function<void(const std::string&)> then_;
};

}  // namespace tactus::executive
