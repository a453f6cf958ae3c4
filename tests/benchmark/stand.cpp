// SPDX-License-Identifier: Apache-2.0
#include "tests/benchmark/stand.hpp"

#include <algorithm>
#include <numeric>
#include <stdexcept>
#include <string>
#include <utility>

#include "tests/benchmark/benchmark.hpp"

namespace tactus::benchmark {

using rtsync::Period;

int count_up(void* self, const tactus_call* /*call*/) {
  ++static_cast<Counter*>(self)->runs;
  return 0;
}

void Jobs::add(std::int64_t cycle_frames, std::int64_t first_frame) {
  add(&count_up, &counters_.emplace_back());
  planned_.back().cycle = Period{cycle_frames * kFrameNs, 1};
  planned_.back().first = Period{first_frame * kFrameNs, 1};
}

void Jobs::add(tactus_job_function run, void* self) {
  executive::PlannedJob job;
  job.name = "job" + std::to_string(planned_.size());
  job.run = run;
  job.self = self;
  job.cycle = Period{kFrameNs, 1};
  planned_.push_back(std::move(job));
}

executive::Plan Jobs::plan(bool job_times) const {
  executive::Plan plan;
  plan.frame = Period{kFrameNs, 1};
  plan.jobs = planned_;
  plan.job_times = job_times;
  return plan;
}

std::int64_t Jobs::runs() const {
  return std::accumulate(counters_.begin(), counters_.end(), std::int64_t{0},
                         [](std::int64_t sum, const Counter& counter) { return sum + counter.runs; });
}

Stand::Stand(executive::Plan plan, const std::function<void(executive::Executive&)>& prepare)
    : sync_({}, plan.frame, clock_, sleeper_),
      executive_(std::move(plan), sync_, sleeper_, plain_clock_, variables_) {
  if (prepare) prepare(executive_);
  executive_.run_initialization();
  thread_ = std::thread([this] { (void)executive_.run(INT64_MAX); });
  done_.acquire();  // it stands at the start
  count_reads_per_frame();
}

void Stand::count_reads_per_frame() {
  constexpr std::int64_t kReads = 60;  // divisible by whatever it may be
  // A read may come before or after the frame is put on record: one frame more or less does not matter.
  go(kReads / 2, kReads / 2, nullptr);
  const std::int64_t first = executive_.latest().frames;
  reads_per_frame_ = first > 0 ? (kReads + first / 2) / first : 1;
  go(kReads / reads_per_frame_ - 1, 1, nullptr);
  if (kReads % reads_per_frame_ != 0 || executive_.latest().frames - first != kReads / reads_per_frame_)
    throw std::logic_error("the executive does not read the clock equally often in every frame");
}

Stand::~Stand() {
  ending_ = true;
  executive_.request_stop("measured");
  go_.release();
  thread_.join();
}

void Stand::hand_over() TACTUS_RT {
  const std::int64_t now = now_ns();
  clock_.reads += asked_;
  if (part_ == Part::warming) {
    part_ = Part::measuring;
    begin_ns_ = now;
    if (ends_ns_ != nullptr) ends_ns_->push_back(now);
    clock_.left = asked_ = (ends_ns_ != nullptr ? 1 : measured_) * reads_per_frame_;
    return;
  }
  if (part_ == Part::measuring && ends_ns_ != nullptr) {
    ends_ns_->push_back(now);
    clock_.left = asked_;
    if (--measured_ > 0) return;
  }
  end_ns_ = now;
  part_ = Part::idle;
  done_.release();
  go_.acquire();
  if (ending_) clock_.left = INT64_MAX;
}

void Stand::go(std::int64_t warm, std::int64_t measured, std::vector<std::int64_t>* ends_ns) {
  ends_ns_ = ends_ns;
  measured_ = measured;
  part_ = Part::warming;
  clock_.left = asked_ = std::max<std::int64_t>(1, warm) * reads_per_frame_;
  go_.release();
  done_.acquire();
}

double Stand::frames(std::int64_t warm, std::int64_t measured) {
  go(warm, measured, nullptr);
  return static_cast<double>(end_ns_ - begin_ns_);
}

void Stand::frames(std::int64_t warm, std::vector<std::int64_t>& ends_ns) {
  const auto measured = static_cast<std::int64_t>(ends_ns.size()) - 1;
  ends_ns.clear();  // keeps its memory
  go(warm, measured, &ends_ns);
}

}  // namespace tactus::benchmark
