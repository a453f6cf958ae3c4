// SPDX-License-Identifier: Apache-2.0
/// `tactus check x.fmu --measure`: runs a unit as a rig would, without one.
#include <algorithm>
#include <chrono>
#include <cstddef>
#include <exception>
#include <filesystem>
#include <string>
#include <vector>

#include "drivers/fmi/model/fmi_model.hpp"
#include "drivers/fmi/text.hpp"

namespace tactus::drivers::fmi {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::size_t kMostCalls = 20'000;
constexpr std::chrono::milliseconds kLongestRun{1000};  // for one job
constexpr double kUsualStep = 0.001;                    // s, of a description that names none

/// Returns a host that grants what a model asks of a rig, and keeps the reason of a failure.
tactus_host lone_host(std::string& failure) {
  tactus_host host{};
  host.size = sizeof host;
  host.abi_version = TACTUS_ABI_VERSION;
  host.context = &failure;
  host.instance = "measured";
  host.declare_variable = [](void*, const tactus_variable*) { return 0; };
  host.declare_job = [](void*, const tactus_job*) { return 0; };
  host.fail = [](void* context, const char* text) { *static_cast<std::string*>(context) = text; };
  host.set_realtime = [](void*, int) {};
  host.enable_job = [](void*, const char*, int) { return 0; };
  host.declare_integrated = [](void*, const char*, const char*) { return 0; };
  host.declare_range = [](void*, const char*, double, double) { return 0; };
  host.cannot_restart = [](void*, const char*) { return 0; };
  host.call_at = [](void*, const char*, std::int64_t) { return 0; };
  host.declare_fixed = [](void*, const char*, const char*) { return 0; };
  host.command = [](void*, tactus_command, std::int64_t) { return 0; };
  return host;
}

std::string time_text(double ns) {
  if (ns < 1e3) return Line("%.0f ns", ns).str();
  if (ns < 1e6) return Line("%.3g us", ns / 1e3).str();
  return Line("%.4g ms", ns / 1e6).str();
}

/// Calls `call(k)` until it says that it is over. Returns the times in nanoseconds, sorted.
template <class Call>
std::vector<double> times_of_calls(Call call) {
  std::vector<double> times;
  times.reserve(kMostCalls);
  const auto begin = Clock::now();
  for (std::size_t k = 0; k < kMostCalls; ++k) {
    const auto before = Clock::now();
    const bool goes_on = call(k);
    const auto after = Clock::now();
    if (!goes_on) break;
    times.push_back(std::chrono::duration<double, std::nano>(after - before).count());
    if (after - begin > kLongestRun) break;
  }
  std::ranges::sort(times);
  return times;
}

void print_times(const Examination& to, const std::string& job, double cycle,
                 const std::vector<double>& times) {
  if (times.empty()) return to.line("  " + job + ": not measured");
  const auto at = [&](double share) {
    return times[static_cast<std::size_t>(share * static_cast<double>(times.size() - 1))];
  };
  to.line(Line("  %-14s %zu calls of %s: median %s, 99 %% within %s, longest %s; %.3g %% of the time",
               job.c_str(), times.size(), time_text(cycle * 1e9).c_str(), time_text(at(0.5)).c_str(),
               time_text(at(0.99)).c_str(), time_text(times.back()).c_str(), at(0.5) / (cycle * 1e7))
              .str());
}

}  // namespace

void FmiModel::measure_jobs(const Examination& to, const std::string& failure) {
  const auto failed = [&] { to.finding("it was not measured to its end: " + failure); };
  if (execution_ == Execution::co_simulation) {
    const double step = interface().fixed_step.value_or(description_.experiment.step.value_or(kUsualStep));
    if (!(step > 0)) return;
    bool good = true;
    const auto call = [&](std::size_t k) {
      const auto now = static_cast<std::int64_t>(static_cast<double>(k) * step * 1e9);
      good = this->step({now, static_cast<std::int64_t>(k), step}) == 0;
      return good && status_ == kRuns;
    };
    if (!call(0)) return failed();  // the outputs of initialization
    print_times(to, "step", step, times_of_calls([&](std::size_t k) { return call(k + 1); }));
    if (!good) failed();
    return;
  }
  std::int64_t begin = 0;  // of what is measured now: time never goes back for the unit
  for (std::size_t i = 0; i < partitions_.size(); ++i) {
    Partition& partition = partitions_[i];
    if (partition.kind != ClockKind::periodic) {
      to.line("  " + partition.job + ": not measured, as its clock is not periodic");
      continue;
    }
    const double cycle = partition.cycle.seconds();
    bool good = true;
    const std::vector<double> times = times_of_calls([&](std::size_t k) {
      const auto now =
          begin + partition.shift_ns + static_cast<std::int64_t>(static_cast<double>(k) * cycle * 1e9);
      good = activate(i, {now, static_cast<std::int64_t>(k), cycle}) == 0;
      return good && status_ == kRuns;
    });
    print_times(to, partition.job, cycle, times);
    if (!good) return failed();
    begin +=
        partition.shift_ns + static_cast<std::int64_t>(static_cast<double>(times.size() + 1) * cycle * 1e9);
  }
}

void FmiModel::measure(const std::string& file, const Examination& to) {
  std::string failure;
  const tactus_host host = lone_host(failure);
  FmiModel model;
  model.unit_file_ = std::filesystem::absolute(file).string();
  tactus_settings settings{};
  settings.size = sizeof settings;
  settings.context = &failure;
  settings.problem = [](void* context, const char*, const char* text) {
    *static_cast<std::string*>(context) = text;
  };
  to.line("");
  to.line("measured on this machine: set, step and get, not in real time");
  try {
    model.check(Problems(settings));
    if (!failure.empty()) return to.finding("it was not measured: " + failure);
    model.use(host);
    if (tactus::detail::declare_model(&host, static_cast<Model*>(&model)) != 0)
      return to.finding("it was not measured: " + failure);
    model.load();
    if (model.initialize() != 0) return to.finding("it was not measured: " + failure);
    model.measure_jobs(to, failure);
    (void)model.end();
  } catch (const std::exception& error) {
    to.finding(std::string("it was not measured: the unit ") + error.what());
  }
}

}  // namespace tactus::drivers::fmi
