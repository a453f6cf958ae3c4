// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <deque>
#include <string>
#include <vector>

#include "executive/driver/link.hpp"
#include "executive/model/variable.hpp"
#include "executive/plan/frame_record.hpp"
#include "rtsync/clock/edge_clock_settings.hpp"

namespace tactus::executive {

/// The executive's own variables, to be recorded or connected like a model's: rt.late, rt.work, ...
/// During a frame they describe the frame before it.
struct RealtimeVariables : FrameRecord {
  std::int32_t last_cause = 0;        ///< rtsync::Cause, of the latest late frame
  std::int64_t last_late_frame = -1;  ///< its number
};

/// Work that policies left out of the frames, as the variables policy.*.
struct PolicyVariables {
  struct Job {
    std::string name;        ///< "view.draw"
    std::int32_t state = 0;  ///< 0 runs, 1 demoted, 2 shed
  };
  std::deque<Job> jobs;       ///< those that can be left out
  std::int64_t shed = 0;      ///< jobs that are left out now
  std::int64_t demoted = 0;   ///< jobs that are called less often now
  std::int64_t left_out = 0;  ///< calls so far
  std::int64_t steps = 0;     ///< number of steps of escalations taken so far
};

/// The executive's own variables: models and recordings see them as outputs of `rt`, `clock`, `policy`, `fault` and
/// `link`.
///
/// Threads  setup: one thread. The values are written by the frames, at addresses that stay.
class ExecutiveVariables {
 public:
  static constexpr const char* kRealtime = "rt";
  static constexpr const char* kClock = "clock";
  static constexpr const char* kLink = "link";
  static constexpr const char* kPolicy = "policy";
  static constexpr const char* kFault = "fault";

  ExecutiveVariables();  ///< variables with rt.* alone
  ExecutiveVariables(const ExecutiveVariables&) = delete;
  ExecutiveVariables& operator=(const ExecutiveVariables&) = delete;

  void add_clock();
  /// `jobs`: those that can be left out.
  void add_policies(const std::vector<std::string>& jobs);
  /// `names`: those of the faults.
  void add_faults(const std::vector<std::string>& names);
  /// The link must outlive this.
  void add_link(const Link& link) { link_ = &link; }

  /// Those of a name; nullptr when the rig has none.
  const std::deque<Variable>* find(const std::string& name) const;
  std::vector<const std::deque<Variable>*> all() const;
  /// Number of variables at the beginning of kRealtime that are in the record of frames: the rest repeats
  /// what earlier frames had.
  std::size_t of_one_frame() const { return of_one_frame_; }

  RealtimeVariables& realtime() { return realtime_; }
  rtsync::EdgeClockStatus& clock() { return clock_; }
  const rtsync::EdgeClockStatus& clock() const { return clock_; }
  PolicyVariables& policies() { return policies_; }
  /// Returns which faults have their effect in the frame.
  std::deque<bool>& faults() { return faults_; }

 private:
  RealtimeVariables realtime_;
  rtsync::EdgeClockStatus clock_;
  PolicyVariables policies_;
  std::deque<Variable> realtime_variables_;
  std::size_t of_one_frame_ = 0;
  std::deque<Variable> clock_variables_;
  std::deque<Variable> policy_variables_;
  std::deque<bool> faults_;
  std::deque<Variable> fault_variables_;
  const Link* link_ = nullptr;
};

}  // namespace tactus::executive
