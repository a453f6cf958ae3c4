// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <array>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

#include "config/json.hpp"
#include "executive/capability/cause/culprit.hpp"
#include "executive/capability/cause/evidence_part.hpp"
#include "executive/frame/cause_shares.hpp"
#include "executive/frame/executive.hpp"
#include "executive/isolation/isolation.hpp"
#include "executive/run_base/rig_threads.hpp"
#include "executive/run_base/run_context.hpp"
#include "rtsync/evidence/cause.hpp"
#include "rtsync/evidence/continuation.hpp"
#include "rtsync/evidence/cpu_watch.hpp"
#include "rtsync/evidence/freezer_watch.hpp"
#include "rtsync/evidence/group_quotas.hpp"
#include "rtsync/evidence/ready_times.hpp"
#include "rtsync/evidence/realtime_threads.hpp"
#include "rtsync/evidence/run_delays.hpp"
#include "rtsync/evidence/sign_of_life.hpp"

namespace tactus::executive {

/// Causes of late frames of a run, and jobs that broke what every job of a frame promises: counts for
/// summary.json, and a line for a job that does so for the first time.
///
/// Threads  the service thread.
class RunCauses final : public Capability {
 public:
  explicit RunCauses(Executive& executive)
      : executive_(executive), culprits_(executive.plan()), told_(executive.program().promises().jobs()) {}
  explicit RunCauses(RunContext& run) : RunCauses(*run.executive) { run_ = &run; }

  /// Events that watch() has requested; nullptr: none.
  std::shared_ptr<const rtsync::KernelEvents> events() const { return events_; }
  /// Counts the findings of a note.
  void take(const FrameNote& note);
  /// Number of overruns with a cause; those in the start-up grace count, too.
  std::int64_t overruns() const;
  void poll(RunVoice&) override;
  void poll_seldom(RunVoice& voice) override;
  const rtsync::CpuWatch& cpus() const { return cpus_; }

  ~RunCauses() override { end_counting(); }

  /// Has the kernel record what it does to the threads of the frames, and to the processes of isolated models.
  void watch() override;
  void finish() override {
    end_counting();
    poll_seldom(*run_->voice);
  }
  void summarize(config::Json& all, Summary what) const override;
  bool knows_causes() const override { return true; }
  std::uint64_t changes() const override { return found(); }
  void report(LiveReport which, config::Json& body) override;

  /// Findings and broken promises so far: what causes() and promises_broken() say changes with it.
  std::uint64_t found() const;
  /// `causes` and `promises_broken` of summary.json.
  config::Json causes() const;
  config::Json promises_broken() const;

 private:
  struct Sum {
    std::int64_t overruns = 0;
    std::int64_t late_wakes = 0;
    rtsync::Nanoseconds worst{0};
    rtsync::Nanoseconds sum{0};
    std::map<std::uint32_t, std::int64_t> jobs;
    struct Taken {
      std::int64_t count = 0;
      rtsync::Nanoseconds sum{0};
    };
    std::map<Culprit, Taken> by;
  };
  std::vector<rtsync::EventThread> threads_to_watch() const;
  void look_at_threads();
  void count_delays();
  void start_counting();
  void end_counting();
  void look_at_quotas();
  void place_signs();
  void measure_signs(RunVoice& voice);
  static config::Json by_json(const Sum& sum);
  Sum& sum_of(rtsync::Cause cause) { return sums_[static_cast<std::size_t>(cause)]; }

  Executive& executive_;
  RunContext* run_ = nullptr;
  rtsync::RealtimeThreads realtime_threads_;
  std::chrono::steady_clock::time_point looked_{};  // at the threads
  rtsync::CpuWatch cpus_;
  rtsync::ContinuationWatch continuation_;
  std::shared_ptr<rtsync::KernelEvents> events_;
  std::optional<EvidencePart> part_;
  std::optional<rtsync::RunDelays> delays_;
  std::optional<rtsync::GroupQuotas> quotas_;
  std::optional<rtsync::FreezerWatch> freezers_;
  bool may_be_limited_ = false;  // one of the threads is an ordinary one
  std::optional<rtsync::ReadyTimes> ready_;
  rtsync::EvidenceTime found_groups_{};  // the last time
  std::mutex counting_;
  std::condition_variable ended_;
  bool counts_ = false;
  std::unique_ptr<rtsync::PinnedThread> counter_;  // looks at delays_ and quotas_
  rtsync::Nanoseconds frame_{0};
  bool signs_stand_well_ = false;
  std::optional<rtsync::SignRate> signs_;
  int measurements_left_ = 10;  // of what a sign of life takes
  std::array<Sum, rtsync::kCauses> sums_;
  CauseShares shares_;
  Culprits culprits_;
  std::array<Culprit, 2> began_;  // culprits of what is caught up
  std::int64_t noted_ = -1;       // frame of the newest note
  std::vector<std::array<bool, BrokenPromises::kKinds>> told_;
};

}  // namespace tactus::executive
