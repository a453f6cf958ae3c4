// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <vector>

#include "executive/frame/broken_promises.hpp"
#include "executive/model/job_class.hpp"
#include "executive/plan/plan.hpp"
#include "rtsync/evidence/evidence.hpp"

namespace tactus::executive {

/// Acts of the jobs of isolated models in each frame that no job of a frame may do.
///
/// Threads  the rig's main thread, after the frames.
/// RT       all but the constructor.
class IsolatedUses {
 public:
  explicit IsolatedUses(const Plan& plan) {
    for (std::uint32_t job = 0; job < plan.jobs.size(); ++job)
      if (plan.jobs[job].isolated != nullptr && is_cyclic(plan.jobs[job].job_class))
        jobs_.push_back({job, plan.jobs[job].isolated, {}});
  }

  /// Sets how long a page fault takes here, usually and at most.                                  @when setup
  void set_fault_times(rtsync::Nanoseconds usual, rtsync::Nanoseconds longest) {
    usual_fault_ = usual;
    longest_fault_ = longest;
  }
  /// Examines the evidence of a job since the frame before.
  void see(std::uint32_t job, rtsync::Evidence& evidence) const TACTUS_RT {
    for (const Job& one : jobs_) {
      if (one.job != job) continue;
      const CallPage::Use& now = one.did->sum();
      evidence.heap = {now.heap.calls - one.before.heap.calls, now.heap.took - one.before.heap.took};
      evidence.maps = {now.maps.calls - one.before.maps.calls, now.maps.bytes - one.before.maps.bytes,
                       now.maps.faults - one.before.maps.faults, now.maps.took - one.before.maps.took};
      const std::int64_t recorded = evidence.faults ? evidence.faults->minor + evidence.faults->major : 0;
      const std::int64_t unrecorded = static_cast<std::int64_t>(now.faults - one.before.faults) -
                                      static_cast<std::int64_t>(evidence.maps->faults) - recorded;
      if (unrecorded > 0)
        evidence.counted =
            rtsync::CountedFaults{static_cast<std::uint64_t>(unrecorded), usual_fault_, longest_fault_};
    }
  }
  /// The last call of a job. nullptr: its model is not isolated, or the job runs in no frame.
  const CallPage::Use* last(std::uint32_t job) const TACTUS_RT {
    for (const Job& one : jobs_)
      if (one.job == job) return &one.did->sum();
    return nullptr;
  }
  void end_frame(BrokenPromises& promises) TACTUS_RT {
    for (Job& one : jobs_) {
      const CallPage::Use& now = one.did->sum();
      const auto note = [&](BrokenPromises::Kind kind, auto times) TACTUS_RT {
        if (times > 0) promises.add(one.job, kind, static_cast<std::uint64_t>(times));
      };
      note(BrokenPromises::heap, now.heap.calls - one.before.heap.calls);
      note(BrokenPromises::fault, now.faults - one.before.faults);
      note(BrokenPromises::block, now.switches - one.before.switches);
      note(BrokenPromises::floating, now.floating - one.before.floating);
      one.before = now;
    }
  }

 private:
  struct Job {
    std::uint32_t job;
    IsolatedJob* did;
    CallPage::Use before;
  };
  std::vector<Job> jobs_;
  rtsync::Nanoseconds usual_fault_{0};
  rtsync::Nanoseconds longest_fault_{0};
};

}  // namespace tactus::executive
