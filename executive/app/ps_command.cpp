// SPDX-License-Identifier: Apache-2.0
#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <optional>
#include <string>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#include "config/json.hpp"
#include "config/json_of.hpp"
#include "executive/app/commands.hpp"
#include "executive/app/noticed_signals.hpp"
#include "executive/app/terminal_text.hpp"
#include "executive/client/http_stream.hpp"
#include "executive/client/running_rigs.hpp"
#include "executive/flight/flight_collector.hpp"
#include "executive/record/folder_lock.hpp"
#include "executive/report/json_facts.hpp"
#include "executive/report/missing_summary.hpp"
#include "rtsync/thread/thread_list.hpp"
#include "rtsync/time/duration_text.hpp"

namespace tactus::app {
namespace {

namespace fs = std::filesystem;

struct ShownRig {
  client::RunningRig rig;
  std::string port;   ///< empty: it has none
  std::string state;  ///< state, or the reason why it is not known
  std::optional<std::int64_t> frame{}, sim_time_ns{};
  std::optional<std::int64_t> period_ns{};
  std::string cpu{}, priority{};  ///< CPUs and scheduling of the thread of the frames: "3", "FIFO 80"
  std::optional<std::int64_t>
      overruns{};                ///< overruns up to now; without a control port, of the last summary.json
  std::optional<double> load{};  ///< share of the period that 99 % of the frames worked at most
};

/// `work_ns`: what 99 % of the frames worked at most.
void set_load(ShownRig& shown, std::optional<std::int64_t> work_ns) {
  if (work_ns && *work_ns > 0 && shown.period_ns.value_or(0) > 0)
    shown.load = static_cast<double>(*work_ns) / static_cast<double>(*shown.period_ns);
}

/// Adds what the kernel has for the thread of the frames, and what summary.json says.
void add_threads_and_counts(ShownRig& shown) {
  for (const rtsync::ThreadFacts& thread : rtsync::threads_of(shown.rig.process)) {
    if (thread.name != "main" && !thread.name.starts_with("main@")) continue;
    shown.cpu = thread.cpus.text();
    const std::size_t prefix = thread.policy_name.starts_with("SCHED_") ? 6 : 0;
    shown.priority = thread.policy_name.substr(prefix) +
                     (thread.priority > 0 ? " " + std::to_string(thread.priority) : "");
  }
  std::string problem;
  const Json summary = report::read_json(shown.rig.folder / "summary.json", problem);
  shown.overruns = report::integer_fact(summary, "frames.overruns");
  shown.period_ns = report::integer_fact(summary, "period_ns");
  set_load(shown, report::integer_fact(summary, "work_ns.p99"));
}

/// Asks the rig for what summary.json has of some seconds ago.
void ask_for_counts(ShownRig& shown, const client::PortAddress& port) {
  std::string body;
  if (client::get(port, "/v1/timing", client::read_token(""), body) != 200) return;
  const Json timing = config::json_of(body);
  if (const auto overruns = report::integer_fact(timing, "totals.overruns")) shown.overruns = overruns;
  set_load(shown, report::integer_fact(timing, "work.p99_ns"));
}

ShownRig look_at(client::RunningRig rig) {
  ShownRig shown{std::move(rig), "", "-"};
  add_threads_and_counts(shown);
  try {
    const std::optional<client::PortAddress> port = client::port_of_run(shown.rig.folder);
    if (!port) return shown;
    shown.port = port->text();
    std::string body;
    const int status = client::get(*port, "/v1/state", client::read_token(""), body);
    const Json state = config::json_of(body);
    if (status == 401) shown.state = "(token)";
    if (status != 200 || !state.is_object()) return shown;
    shown.state = state.value("state", std::string("-"));
    if (const std::int64_t frame = state.value("frame", std::int64_t{-1}); frame >= 0) shown.frame = frame;
    shown.sim_time_ns = report::integer_fact(state, "sim_time_ns");
    ask_for_counts(shown, *port);
  } catch (const client::NoRigError&) {  // it ends just now
  }
  return shown;
}

class PsCommand final : public CommandDriver {
 public:
  void declare(CLI::App& app) override {
    app.description("list the rigs that run on this machine");
    app.add_flag("--json", json_, "print one JSON object a line");
    app.add_flag("-w,--watch", watch_, "show them again every second, until Ctrl-C");
  }

  bool is_for_its_output() const override { return true; }
  int run() override {
    if (!watch_) return list(true);
    const NoticedSignals signals;
    while (!NoticedSignals::came()) {
      if (columns_of(stdout) > 0) put("%s", "\x1b[H\x1b[2J");
      (void)list(false);
      (void)std::fflush(stdout);
      for (int i = 0; i < 10 && !NoticedSignals::came(); ++i)
        std::this_thread::sleep_for(std::chrono::milliseconds(100));
    }
    return kOk;
  }

 private:
  /// `leftovers`: also what killed rigs left.
  int list(bool leftovers) {
    std::size_t unseen = 0;
    const auto rigs = client::running_rigs(unseen);
    const std::size_t columns = columns_of(stdout);
    narrow_ = columns > 0 && columns < 80;  // two lines a rig
    if (!json_ && !rigs.empty() && narrow_) put("%-16s %8s  %-9s %12s\n", "rig", "process", "state", "frame");
    if (!json_ && !rigs.empty() && !narrow_)
      put("%-16s %8s  %-12s %12s %12s  %-5s %-8s %9s %6s  %s\n", "rig", "process", "state", "frame", "t",
          "CPU", "priority", "overruns", "load", "run folder");
    std::vector<ShownRig> shown;
    for (const client::RunningRig& each : rigs) {
      shown.push_back(look_at(each));
      json_ ? print_json(shown.back()) : print_row(shown.back());
    }
    if (!json_ && rigs.empty()) put("no rig runs on this machine\n");
    for (const ShownRig& each : shown)
      if (std::error_code error; !fs::exists(each.rig.folder / "summary.json", error))
        print_error("tactus: rig %s, process %d: there is no summary.json in %s: %s\n", each.rig.rig.c_str(),
                    static_cast<int>(each.rig.process), each.rig.folder.c_str(),
                    report::why_no_summary(each.rig.folder, true).c_str());
    if (leftovers) tell_what_is_left();
    if (unseen > 0)
      print_error("tactus: %zu %s of other users cannot be looked at; sudo tactus ps shows all\n", unseen,
                  unseen == 1 ? "process" : "processes");
    return kOk;
  }

  static std::string load_text(const ShownRig& shown) {
    return shown.load ? std::to_string(static_cast<int>(*shown.load * 100 + 0.5)) + " %" : "-";
  }
  static std::string overruns_text(const ShownRig& shown) {
    return shown.overruns ? std::to_string(*shown.overruns) : "-";
  }

  /// Reports what killed rigs left, on stderr, and removes the memory of flight recorders that is of no use.
  static void tell_what_is_left() {
    (void)executive::remove_useless_flights();
    for (const fs::path& folder : executive::folders_of_left_flights())
      print_error(
          "tactus: the rig of %s was killed, and its last frames are in /dev/shm: `tactus trace %s` writes "
          "them\n",
          folder.c_str(), folder.c_str());
    std::vector<fs::path> folders;
    std::error_code error;
    for (const fs::directory_entry& entry : fs::directory_iterator("runs", error))
      if (entry.is_directory(error)) folders.push_back(entry.path());
    std::ranges::sort(folders);
    for (const fs::path& folder : folders) {
      const bool begun = report::is_barely_begun(folder);
      if ((!begun && !fs::exists(folder / "rig.yaml", error)) || fs::exists(folder / "summary.json", error) ||
          executive::FolderLock(folder).taken_by_another())
        continue;
      print_error("tactus: the end of %s is not known: there is no summary.json: %s\n", folder.c_str(),
                  report::why_no_summary(folder, false).c_str());
    }
  }

  void print_row(const ShownRig& shown) const {
    const auto known = [](const std::string& text) { return text.empty() ? "-" : text; };
    const std::string frame = shown.frame ? std::to_string(*shown.frame) : "-";
    const std::string time = shown.sim_time_ns ? rtsync::sim_time_text(*shown.sim_time_ns) : "-";
    const std::string cpu = known(shown.cpu), priority = known(shown.priority);
    const char* const end = shown.port.empty() ? " (no control port)" : "";
    if (narrow_) {
      put("%-16.16s %8d  %-9.9s %12s\n", shown.rig.rig.c_str(), static_cast<int>(shown.rig.process),
          shown.state.c_str(), frame.c_str());
      return print("  t %s, CPU %s, %s, overruns %s, load %s, %s%s\n", time.c_str(), cpu.c_str(),
                   priority.c_str(), overruns_text(shown).c_str(), load_text(shown).c_str(),
                   shown.rig.folder.c_str(), end);
    }
    put("%-16s %8d  %-12s %12s %12s  %-5s %-8s %9s %6s  %s%s\n", shown.rig.rig.c_str(),
        static_cast<int>(shown.rig.process), shown.state.c_str(), frame.c_str(), time.c_str(), cpu.c_str(),
        priority.c_str(), overruns_text(shown).c_str(), load_text(shown).c_str(), shown.rig.folder.c_str(),
        end);
  }
  static void print_json(const ShownRig& shown) {
    const Json row = {{"rig", shown.rig.rig},
                      {"process", shown.rig.process},
                      {"folder", shown.rig.folder.string()},
                      {"port", shown.port.empty() ? Json(nullptr) : Json(shown.port)},
                      {"state", shown.state == "-" ? Json(nullptr) : Json(shown.state)},
                      {"frame", shown.frame ? Json(*shown.frame) : Json(nullptr)},
                      {"sim_time_ns", shown.sim_time_ns ? Json(*shown.sim_time_ns) : Json(nullptr)},
                      {"cpus", shown.cpu.empty() ? Json(nullptr) : Json(shown.cpu)},
                      {"priority", shown.priority.empty() ? Json(nullptr) : Json(shown.priority)},
                      {"overruns", shown.overruns ? Json(*shown.overruns) : Json(nullptr)},
                      {"load", shown.load ? Json(*shown.load) : Json(nullptr)}};
    put("%s\n", row.dump(-1, ' ', true, Json::error_handler_t::replace).c_str());
  }

  bool json_ = false;
  bool watch_ = false;
  bool narrow_ = false;
};

}  // namespace

std::unique_ptr<CommandDriver> ps_command() { return std::make_unique<PsCommand>(); }

}  // namespace tactus::app
