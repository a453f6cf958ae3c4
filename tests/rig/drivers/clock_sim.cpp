// SPDX-License-Identifier: Apache-2.0
/// A clock driver for tests: edges on a grid of CLOCK_MONOTONIC, with faults at chosen edges. Made where
/// there is no GPIO; the whole program then runs as with a real line.
#include <time.h>

#include <cerrno>
#include <vector>

#include "config/fields.hpp"
#include "executive/driver/clock_driver.hpp"
#include "executive/driver/device_error.hpp"
#include "executive/driver/driver.hpp"
#include "executive/driver/driver_with_fields.hpp"
#include "rtsync/clock/clock.hpp"

namespace tactus::test {
namespace {

using namespace std::chrono_literals;
using rtsync::EdgeRead;
using rtsync::EdgeStatus;
using rtsync::MonotonicTime;
using rtsync::Nanoseconds;
using rtsync::TimePoint;

struct Settings {
  Nanoseconds period{1'000'000};
  bool missing = false;            ///< the line is not there
  std::int64_t first_gap = -1;     ///< from this edge on ...
  std::int64_t gap = 0;            ///< ... so many do not come
  std::int64_t gap_every = 0;      ///< and again after so many edges; 0: once
  std::int64_t late_every = 0;     ///< of so many edges one comes late; 0: none
  Nanoseconds late{0};             ///< by that
  std::int64_t double_every = 0;   ///< 0: never
  std::int64_t gone_at = -1;       ///< the line is removed at this edge
  std::int64_t silent_after = -1;  ///< no edge from this one on
};

const config::Fields<Settings>& fields() {
  using S = Settings;
  static const config::Fields<S> fields{
      "Edges for tests.",
      {
          config::optional("period", &S::period, config::range(1us, 10s), "time between two edges"),
          config::optional("missing", &S::missing, "the line is not there"),
          config::optional("first_gap", &S::first_gap, config::range(-1, 1'000'000'000), "from this edge on"),
          config::optional("gap", &S::gap, config::range(0, 1'000'000'000), "so many do not come"),
          config::optional("gap_every", &S::gap_every, config::range(0, 1'000'000), "and again after"),
          config::optional("late_every", &S::late_every, config::range(0, 1'000'000),
                           "one of so many is late"),
          config::optional("late", &S::late, config::range(0us, 10s), "by that"),
          config::optional("double_every", &S::double_every, config::range(0, 1'000'000), "doubled edges"),
          config::optional("gone_at", &S::gone_at, config::range(-1, 1'000'000'000), "the line is removed"),
          config::optional("silent_after", &S::silent_after, config::range(-1, 1'000'000'000),
                           "no edge more"),
      }};
  return fields;
}

class SimLine final : public rtsync::EdgeSource {
 public:
  explicit SimLine(const Settings& settings) : settings_(settings) {}

  EdgeRead wait(TimePoint<MonotonicTime> deadline,
                std::span<TimePoint<MonotonicTime>> edges) TACTUS_RT override {
    EdgeRead read;
    if (!begun_) {  // the first edge comes when somebody looks, however long the start took
      begun_ = true;
      first_ = rtsync::monotonic_now() + settings_.period;
    }
    for (;;) {
      const TimePoint<MonotonicTime> now = rtsync::monotonic_now();
      while (read.count < edges.size() && arrives() <= now) {
        if (settings_.gone_at >= 0 && number_ >= settings_.gone_at)
          return {EdgeStatus::gone, 0, false, ENODEV};
        if (comes(number_)) {
          edges[read.count++] = arrives();
          const bool doubled = settings_.double_every > 0 && number_ % settings_.double_every == 0;
          if (doubled && read.count < edges.size()) edges[read.count++] = arrives() + Nanoseconds{1000};
        }
        ++number_;
      }
      if (read.count > 0) {
        read.status = EdgeStatus::edges;
        return read;
      }
      if (now >= deadline) return read;
      const std::int64_t until = std::min(arrives(), deadline).time_since_epoch().count();
      const timespec time{until / 1'000'000'000, until % 1'000'000'000};
      (void)::clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &time, nullptr);
    }
  }
  std::string what() const override { return "sim line"; }

 private:
  TimePoint<MonotonicTime> next() const TACTUS_RT { return first_ + settings_.period * number_; }
  TimePoint<MonotonicTime> arrives() const TACTUS_RT {
    const bool late = settings_.late_every > 0 && number_ > 0 && number_ % settings_.late_every == 0;
    return late ? next() + settings_.late : next();
  }
  bool comes(std::int64_t n) const TACTUS_RT {
    std::int64_t since = n - settings_.first_gap;
    if (settings_.gap_every > 0 && since >= 0) since %= settings_.gap_every;
    const bool in_gap = settings_.first_gap >= 0 && since >= 0 && since < settings_.gap;
    return !in_gap && (settings_.silent_after < 0 || n < settings_.silent_after);
  }

  const Settings settings_;
  bool begun_ = false;
  TimePoint<MonotonicTime> first_{};
  std::int64_t number_ = 0;
};

class SimClockDriver final : public executive::DriverWithFields<executive::ClockDriver, fields> {
 public:
  void read(const config::Node& settings, const std::string& path, config::Problems& problems) override {
    settings_ = fields().load(settings, path, problems);
  }
  config::Node resolved() const override { return fields().to_node(settings_); }
  std::unique_ptr<rtsync::EdgeSource> open(const executive::OpenRequest& request) override {
    if (settings_.missing)
      throw executive::DeviceError("there is no such line for rig " + request.rig + "; plug it in");
    return std::make_unique<SimLine>(settings_);
  }
  std::vector<rtsync::Fact> facts(const executive::EdgeWatch&) override { return {}; }

 private:
  Settings settings_;
};

}  // namespace
}  // namespace tactus::test

TACTUS_DRIVER(tactus::executive::ClockDriver, "sim", tactus::test::SimClockDriver)
