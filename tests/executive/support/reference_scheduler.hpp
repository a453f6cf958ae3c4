// SPDX-License-Identifier: Apache-2.0
#pragma once
/// What Schedule must do, written so that it can be checked by reading: slow, exact, no cleverness.
///
/// A job is called at first + n * cycle for n = 0, 1, 2, ... as long as that is not after its stop. Time is
/// walked from call to call as an exact fraction; at each instant all due jobs are collected and sorted by
/// (class, phase, declaration). A job that is off keeps its times but is not called.
#include <algorithm>
#include <cstdint>
#include <optional>
#include <ostream>
#include <tuple>
#include <vector>

#include "executive/plan/schedule.hpp"
#include "rtsync/time/period.hpp"
#include "tests/executive/support/test_namespaces.hpp"

namespace tactus::executive::test {

/// num / den nanoseconds.
struct Fraction {
  rtsync::Wide num = 0;
  rtsync::Wide den = 1;

  explicit Fraction(const rtsync::Period& period) : num(period.num()), den(period.den()) {}
  Fraction(rtsync::Wide n, rtsync::Wide d) : num(n), den(d) {}

  friend Fraction operator+(const Fraction& a, const Fraction& b) {
    return {a.num * b.den + b.num * a.den, a.den * b.den};
  }
  friend Fraction operator*(std::int64_t n, const Fraction& a) { return {n * a.num, a.den}; }
  friend bool operator==(const Fraction& a, const Fraction& b) { return a.num * b.den == b.num * a.den; }
  friend bool operator<(const Fraction& a, const Fraction& b) { return a.num * b.den < b.num * a.den; }
  std::int64_t whole() const { return static_cast<std::int64_t>(num / den); }
};

/// One thing that happened: a job was called, or a part of an instant began (job = kSimulator, kController).
struct Happening {
  static constexpr int kSimulator = -1;
  static constexpr int kController = -2;

  int job = 0;
  std::int64_t frame = 0;    // of a call
  std::int64_t time_ns = 0;  // of a call
  double dt = 0;             // of a call

  friend bool operator==(const Happening&, const Happening&) = default;
  friend std::ostream& operator<<(std::ostream& out, const Happening& h) {
    if (h.job == kSimulator) return out << "simulator";
    if (h.job == kController) return out << "controller";
    return out << "job " << h.job << " frame " << h.frame << " at " << h.time_ns << " ns dt " << h.dt;
  }
};

class ReferenceScheduler {
 public:
  ReferenceScheduler(std::vector<ScheduledJob> jobs, rtsync::Period frame)
      : jobs_(std::move(jobs)), frame_(frame), calls_(jobs_.size(), 0) {}

  void enable(std::size_t job, bool on) { jobs_[job].enabled = on; }

  /// All that happens in frame k; the frames come in order.
  std::vector<Happening> frame(std::int64_t k) {
    const Fraction end = (k + 1) * frame_;
    std::vector<Happening> happenings;
    while (const std::optional<Fraction> now = earliest()) {
      if (!(*now < end)) break;
      instant(k, *now, happenings);
    }
    if (happenings.empty()) happenings = {{Happening::kSimulator}, {Happening::kController}};
    return happenings;
  }

 private:
  /// When a job is called next; nothing when that would be after its stop.
  std::optional<Fraction> next(std::size_t job) const {
    const ScheduledJob& j = jobs_[job];
    const Fraction time = Fraction(j.first) + calls_[job] * Fraction(j.cycle);
    if (j.stop && Fraction(*j.stop) < time) return std::nullopt;
    return time;
  }

  std::optional<Fraction> earliest() const {
    std::optional<Fraction> found;
    for (std::size_t job = 0; job < jobs_.size(); ++job) {
      const std::optional<Fraction> time = next(job);
      if (time && (!found || *time < *found)) found = time;
    }
    return found;
  }

  void instant(std::int64_t k, const Fraction& now, std::vector<Happening>& happenings) {
    std::vector<std::size_t> due;
    for (std::size_t job = 0; job < jobs_.size(); ++job)
      if (const auto time = next(job); time && *time == now) due.push_back(job);
    std::sort(due.begin(), due.end(), [this](std::size_t a, std::size_t b) {
      const auto key = [this](std::size_t i) {
        return std::tuple(jobs_[i].job_class, jobs_[i].phase, jobs_[i].declaration);
      };
      return key(a) < key(b);
    });
    for (const bool controller : {false, true}) {
      happenings.push_back({controller ? Happening::kController : Happening::kSimulator});
      for (const std::size_t job : due)
        if (jobs_[job].controller == controller && jobs_[job].enabled)
          happenings.push_back({static_cast<int>(job), k, now.whole(), jobs_[job].cycle.seconds()});
    }
    for (const std::size_t job : due) ++calls_[job];
  }

  std::vector<ScheduledJob> jobs_;
  Fraction frame_;
  std::vector<std::int64_t> calls_;
};

}  // namespace tactus::executive::test
