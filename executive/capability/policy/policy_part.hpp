// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <atomic>
#include <cstdint>
#include <deque>
#include <string>
#include <vector>

#include "executive/frame/executive.hpp"
#include "executive/frame/frame_part.hpp"
#include "executive/frame/step_window.hpp"
#include "rtsync/exchange/block_ring.hpp"

namespace tactus::executive {

/// Measure against overruns, for the log.
struct PolicyNote {
  static constexpr std::uint32_t kNoStep = UINT32_MAX;
  static constexpr std::uint32_t kHardBudget = UINT32_MAX - 1;
  std::int64_t frame = 0;
  /// Watched part whose step was taken; none: jobs came back. kHardBudget: the consequence of an exceeded
  /// one.
  std::uint32_t watched = kNoStep;
  std::uint32_t step = 0;
  /// The first that is left out or called less often, or is back; none, and jobs is 1: on_overrun is another.
  std::uint32_t job = kNoPlanJob;
  std::uint32_t jobs = 0;   ///< number of jobs
  std::int64_t frames = 0;  ///< number of frames with slack before they came back
};

/// Takes the steps of a plan's escalations when frames overrun, or threads and jobs take more than their
/// budgets; and lets jobs, and the rig's own on_overrun, come back when there is room again.
///
/// An event counts in a frame that is paced and beyond the grace. A frame has room when nothing counted and
/// its slack holds what would come back. After `restore_after` frames with slack, in a row, what was left out
/// last comes back; each relapse doubles that number, up to 64 times.
///
/// Threads hooks: the rig's main thread. pop(): one reader. The rest: any. RT every hook.
class PolicyPart final : public FramePart {
 public:
  /// Part of the rig with an escalation.
  struct Watched {
    ReliefScope scope;
    const std::vector<EscalationStep>* steps = nullptr;
    const BudgetAccount* account = nullptr;  ///< nullptr: frames
    std::int64_t seen = 0;
    std::vector<StepWindow> windows{};
    std::deque<std::atomic<std::int64_t>> taken{};  ///< number of times that each step was taken
  };
  static constexpr std::int64_t kLongestWaitFactor = 64;

  /// A plan has any policy that needs this part.
  static bool is_needed(const Plan& plan);
  /// `executive` must outlive it. @when setup
  explicit PolicyPart(Executive& executive);
  /// Sets the variables that show it to models, recordings and clients. @when setup
  void show_in(PolicyVariables& variables);

  PartVerdict before_frame(std::int64_t) const TACTUS_RT override {
    if (reason_ == nullptr) [[likely]]
      return {};
    return {ends_ ? PartVerdict::terminate : PartVerdict::freeze, Outcome::overrun, reason_, reason_frame_};
  }
  void at_boundary(std::int64_t k, Slack&) TACTUS_RT override;
  void changed(RigChange& change) TACTUS_RT override;

  /// Setting of the rig file, beside the one in force now.                                          @when any
  rtsync::OnOverrun own_on_overrun() const { return own_; }
  rtsync::OnOverrun on_overrun() const { return on_overrun_.load(std::memory_order_relaxed); }
  const std::deque<Watched>& watched() const { return watched_; }
  /// "job view.draw took more than its budget 3 times".
  std::string text(const Watched& watched, std::int64_t times) const;
  /// "rig", "job view.draw", "thread slow".
  std::string scope_text(const ReliefScope& scope) const;
  bool pop(PolicyNote& note) { return notes_.pop(note); }
  std::uint64_t notes_lost() const { return notes_lost_.load(std::memory_order_relaxed); }

 private:
  void go_back_to(std::int64_t k) TACTUS_RT;
  void watch(const ReliefScope& scope, const std::vector<EscalationStep>& steps,
             const BudgetAccount* account);
  bool take_events(const rtsync::FrameTiming& timing, std::int64_t k) TACTUS_RT;
  void take_hard_budgets(bool counts, std::int64_t k) TACTUS_RT;
  void act(StepAction action, const std::string& reason, std::int64_t k) TACTUS_RT;
  void count(Watched& watched, std::int64_t events, std::int64_t k) TACTUS_RT;
  void take(Watched& watched, std::size_t step, std::int64_t k) TACTUS_RT;
  bool switch_to(rtsync::OnOverrun on_overrun) TACTUS_RT;
  bool is_switched() const TACTUS_RT { return on_overrun_.load(std::memory_order_relaxed) != own_; }
  bool switched_last() const TACTUS_RT { return is_switched() && relief_.latest() <= switched_after_; }
  void wait_longer() TACTUS_RT;
  void give_back(const rtsync::FrameTiming& timing, bool trouble, std::int64_t k) TACTUS_RT;
  void note(const PolicyNote& note) TACTUS_RT;
  void show() TACTUS_RT;

  Executive& executive_;
  JobRelief& relief_;
  JobBudgets& budgets_;
  std::deque<Watched> watched_;
  std::deque<std::string> reasons_;  // of each step of each watched one, in their order
  struct Hard {
    HardBudget* budget;
    std::string reason;
    std::int64_t seen = 0;
  };
  std::deque<Hard> hard_;
  std::uint32_t bookings_ = 0;
  std::int64_t before_ = 0;       // the frame that comes next
  std::int64_t frames_ = 0;       // run so far
  std::int64_t with_room_ = 0;    // of these, in a row
  std::int64_t came_back_ = -1;   // in which of these something did
  std::int64_t wait_;             // number of frames with room that are wanted
  const char* reason_ = nullptr;  // why the rig ends, at once or when it is resumed
  std::int64_t reason_frame_ = 0;
  bool ends_ = false;
  bool pauses_ = false;
  const rtsync::OnOverrun own_;
  std::atomic<rtsync::OnOverrun> on_overrun_;
  std::int64_t switched_after_ = 0;  // JobRelief::latest() then
  std::int64_t steps_taken_ = 0;
  PolicyVariables* variables_ = nullptr;
  std::vector<std::uint32_t> shown_;  // plan jobs, as variables_->jobs
  rtsync::SpscRing<PolicyNote> notes_{1024};
  std::atomic<std::uint64_t> notes_lost_{0};
};

}  // namespace tactus::executive
