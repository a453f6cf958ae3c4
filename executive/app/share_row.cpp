// SPDX-License-Identifier: Apache-2.0
#include "executive/app/share_row.hpp"

#include <sys/utsname.h>

#include <algorithm>
#include <cstdint>
#include <fstream>
#include <functional>
#include <string_view>
#include <vector>

#include "config/number.hpp"
#include "executive/app/own_folder.hpp"
#include "executive/app/run_rig.hpp"
#include "executive/app/terminal_text.hpp"
#include "executive/report/json_facts.hpp"
#include "rtsync/host/host_file.hpp"
#include "rtsync/host/preemption_model.hpp"
#include "rtsync/time/duration_text.hpp"

namespace tactus::app {
namespace {

namespace fs = std::filesystem;

/// The value of the first line "KEY : value" of /proc/cpuinfo; empty: there is none.
std::string cpuinfo_value(std::string_view text, std::string_view key) {
  for (const std::string_view line : rtsync::lines_of(text)) {
    const std::size_t colon = line.find(':');
    if (colon != std::string_view::npos && rtsync::trimmed(line.substr(0, colon)) == key)
      return std::string(rtsync::trimmed(line.substr(colon + 1)));
  }
  return "";
}

/// Returns the text as a cell of the table: in one line, without a bar.
std::string cell(std::string text) {
  std::erase(text, '|');
  std::ranges::replace(text, '\n', ' ');
  return text;
}

std::string time_of(const Json& summary, const char* key) {
  const auto time = report::integer_fact(summary, key);
  return time ? rtsync::duration_text(*time) : "-";
}

/// "SCHED_FIFO 80, memory locked".
std::string rights_of(const Json& summary) {
  std::string text = report::text_fact(summary, "rt.policy");
  if (const auto priority = report::integer_fact(summary, "rt.priority"); priority && *priority > 0)
    text += " " + std::to_string(*priority);
  const Json* const locked = report::find_fact(summary, "rt.memory_locked");
  if (locked != nullptr && locked->is_boolean())
    text += locked->get<bool>() ? ", memory locked" : ", memory not locked";
  return text;
}

/// "preempted 62 % (worst 4.10 ms), unknown 38 % (worst 1.20 ms)": shares of the time that frames were late.
std::string causes_of(const Json& summary) {
  struct Cause {
    std::string name;
    std::int64_t sum, worst;
  };
  std::vector<Cause> causes;
  std::int64_t all = 0;
  for (const auto& [name, cause] : report::list_fact(summary, "causes").items()) {
    const std::int64_t sum = report::integer_fact(cause, "sum_ns").value_or(0);
    if (sum <= 0) continue;
    causes.push_back({name, sum, report::integer_fact(cause, "worst_ns").value_or(0)});
    all += sum;
  }
  std::ranges::stable_sort(causes, std::greater{}, &Cause::sum);
  std::string text;
  for (const Cause& each : causes) {
    const auto percent = (each.sum * 100 + all / 2) / all;
    text += (text.empty() ? "" : ", ") + each.name + " " + (percent == 0 ? "< 1" : std::to_string(percent)) +
            " % (worst " + rtsync::duration_text(each.worst) + ")";
  }
  return text.empty() ? "no frame was late" : text;
}

}  // namespace

SharedMachine read_shared_machine(const fs::path& root) {
  SharedMachine machine;
  const std::string cpuinfo = rtsync::read_host_file(root, "/proc/cpuinfo").text;
  machine.processor = cpuinfo_value(cpuinfo, "model name");
  utsname names{};
  (void)::uname(&names);
  if (machine.processor.empty()) machine.processor = names.machine;
  std::size_t cpus = 0;
  for (const std::string_view line : rtsync::lines_of(cpuinfo))
    cpus += line.starts_with("processor") ? 1U : 0U;
  machine.processor += ", " + std::to_string(cpus) + (cpus == 1 ? " CPU" : " CPUs");
  if ((" " + cpuinfo_value(cpuinfo, "flags") + " ").find(" hypervisor ") != std::string::npos)
    machine.processor += ", virtual";
  // What follows the number in the kernel's name is chosen by whoever built it.
  std::string release = rtsync::read_host_file(root, "/proc/sys/kernel/osrelease").text;
  release.resize(std::min(release.find_first_not_of("0123456789."), release.size()));
  machine.kernel = release;
  if (const auto model = rtsync::read_preemption_model(root))
    machine.kernel += (model->is_realtime() ? " " : ", preemption ") + model->name;
  return machine;
}

std::string share_head() {
  return "| processor | kernel | ran for | thread of the frames | late p50 | p99.9 | max | overruns | "
         "lateness by cause |\n"
         "|---|---|---|---|---|---|---|---|---|\n";
}

std::string share_row(const SharedMachine& machine, const Json& summary) {
  const std::int64_t frames = report::integer_fact(summary, "frames.run").value_or(0);
  const std::int64_t period = report::integer_fact(summary, "period_ns").value_or(0);
  const std::string cells[] = {
      machine.processor,
      machine.kernel,
      rtsync::duration_text(frames * period) + " at " + rtsync::duration_text(period) + " a frame",
      rights_of(summary),
      time_of(summary, "late_ns.p50"),
      time_of(summary, "late_ns.p99_9"),
      time_of(summary, "late_ns.max"),
      std::to_string(report::integer_fact(summary, "frames.overruns").value_or(0)) + " of " +
          std::to_string(frames),
      causes_of(summary)};
  std::string row = "|";
  for (const std::string& each : cells) row += " " + cell(each) + " |";
  return row + "\n";
}

int share_machine(rtsync::Nanoseconds time) {
  const OwnFolder folder("tactus-share");
  RunRequest request{.file = (folder.path() / "rig.yaml").string(), .quiet = true, .witness = false};
  request.choices.out = (folder.path() / "run").string();
  request.choices.spelling = "--";
  std::ofstream(request.file) << "rig: share\nframe: { period: 1 ms }\nuntil: "
                              << config::print_duration(time)
                              << "\nrealtime: { enabled: yes }\nflight_recorder: { enabled: no }\n";
  print_error("tactus: a rig without models runs for %s; Ctrl-C ends it earlier\n",
              rtsync::duration_text(time).c_str());
  return run_rig(request,
                 [](const executive::Rig&, const executive::RigRun& run, const executive::RunFolder&) {
                   put("%s%s", share_head().c_str(), share_row(read_shared_machine(), run.summary()).c_str());
                   (void)std::fflush(stdout);
                   return run.exit_status();
                 });
}

}  // namespace tactus::app
