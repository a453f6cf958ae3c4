// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <memory>
#include <optional>

#include "executive/capability/flight/flight_part.hpp"
#include "executive/flight/flight_file.hpp"
#include "executive/frame/executive.hpp"
#include "rtsync/clock/clock.hpp"

namespace tactus::benchmark {

/// The recorder of a rig of 1 ms, as large as it is by default.
class Recorder {
 public:
  explicit Recorder(std::size_t jobs) : jobs_(jobs) {}
  ~Recorder() {
    if (file_) file_->remove();
  }
  void operator()(executive::Executive& executive) {
    using namespace tactus::executive;
    FlightPlan plan;
    plan.folder = "/";
    plan.rig = "measured";
    plan.threads = {{"main", (static_cast<double>(jobs_) + 10) * 1000 + 300}};
    plan.before_ns = 10'000'000'000;
    plan.after_ns = 1'000'000'000;
    plan.most_bytes = 64 << 20;
    file_ = FlightFile::make(plan, 0);
    ring_.emplace(file_->head(0), file_->cells(0));
    executive.jobs().record_in(0, *ring_);
    executive.add(part_.emplace(*ring_, file_->frame_now(), executive.accounts(),
                                executive.program().job_clock(), clock_, nullptr, FlightValues({})));
  }
  std::size_t bytes() const { return file_->bytes(); }

 private:
  const std::size_t jobs_;
  rtsync::MonotonicClock clock_;  // of its own: the stand counts how often the frames' is read
  std::unique_ptr<executive::FlightFile> file_;
  std::optional<executive::FlightRing> ring_;
  std::optional<executive::FlightPart> part_;
};

}  // namespace tactus::benchmark
