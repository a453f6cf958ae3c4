// SPDX-License-Identifier: Apache-2.0
#include "executive/admission/measured_run.hpp"

#include <optional>
#include <stdexcept>

#include "config/json_of.hpp"
#include "rtsync/host/folder_file.hpp"

namespace tactus::executive {
namespace {

// No call is as long; what is longer is not a time of a job.
constexpr std::int64_t kLongest = 3'600'000'000'000;

[[noreturn]] void refuse(const std::string& name, const std::string& why) {
  throw std::runtime_error(name + ": " + why);
}

const Json* find(const Json& object, const char* key) {
  if (!object.is_object()) return nullptr;
  const auto found = object.find(key);
  return found == object.end() ? nullptr : &*found;
}

std::optional<std::int64_t> number(const Json& object, const char* key) {
  const Json* const value = find(object, key);
  if (value == nullptr || !value->is_number_integer()) return std::nullopt;
  if (value->is_number_unsigned() && value->get<std::uint64_t>() > INT64_MAX) return std::nullopt;
  const auto found = value->get<std::int64_t>();
  return found < 0 ? std::nullopt : std::optional(found);
}

void add_job(MeasuredRun& run, const Json& entry) {
  const auto damaged = [&run](const std::string& what) {
    refuse(run.name, "summary.json is damaged: " + what + "; make another run");
  };
  const Json* const name = find(entry, "name");
  if (name == nullptr || !name->is_string()) damaged("a job without a name");
  const Json* const times = find(entry, "time_ns");
  if (times == nullptr) return;  // job_times: no
  const auto job = name->get<std::string>();
  const auto calls = number(entry, "calls");
  const auto p99 = number(*times, "p99");
  const auto max = number(*times, "max");
  if (!calls || !p99 || !max || *p99 > *max || *max > kLongest)
    damaged("job '" + job + "' has no times that can be right");
  if (*calls == 0) return;
  const std::int64_t p99_99 = number(*times, "p99_99").value_or(*max);
  if (p99_99 < *p99 || p99_99 > *max) damaged("job '" + job + "' has no times that can be right");
  run.jobs[job] = {*calls, Nanoseconds{*p99}, Nanoseconds{p99_99}, Nanoseconds{*max}};
}

}  // namespace

const MeasuredJob* MeasuredRun::find(const std::string& job) const {
  const auto found = jobs.find(job);
  return found == jobs.end() ? nullptr : &found->second;
}

MeasuredRun MeasuredRun::of_folder(const std::filesystem::path& folder, const std::string& rig) {
  const std::filesystem::path file = folder / "summary.json";
  int error = 0;
  const std::string text = rtsync::read_folder_file(file, error);
  if (error != 0)
    refuse(folder.string(), "has no summary.json that can be read; name the folder of a run that ended");
  const Json summary = config::json_of(text);
  if (summary.is_discarded())
    refuse(folder.string(), "summary.json is damaged: it is not JSON; make another run");
  return of_summary(summary, folder.string(), rig);
}

MeasuredRun MeasuredRun::of_summary(const Json& summary, const std::string& name, const std::string& rig) {
  MeasuredRun run{name, {}};
  const Json* const ran = ::tactus::executive::find(summary, "rig");
  if (ran == nullptr || !ran->is_string())
    refuse(name, "summary.json is damaged: it does not name its rig; make another run");
  if (ran->get<std::string>() != rig)
    refuse(name, "is a run of rig '" + ran->get<std::string>() + "', not of '" + rig + "'");
  const Json* const jobs = ::tactus::executive::find(summary, "jobs");
  if (jobs == nullptr || !jobs->is_array())
    refuse(name, "summary.json has no times of jobs: the run did not end by itself; make another run");
  for (const Json& entry : *jobs) add_job(run, entry);
  if (const Json* const rt = ::tactus::executive::find(summary, "rt"))
    if (const Json* const realtime = ::tactus::executive::find(*rt, "realtime"))
      run.realtime = !realtime->is_boolean() || realtime->get<bool>();
  if (run.jobs.empty())
    refuse(name, "summary.json has no times of jobs; make a run with frames and with job_times: yes");
  return run;
}

}  // namespace tactus::executive
