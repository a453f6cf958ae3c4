// SPDX-License-Identifier: Apache-2.0
#include <CLI/CLI.hpp>
#include <filesystem>
#include <stdexcept>
#include <string>

#include "executive/app/commands.hpp"
#include "executive/app/run_folder.hpp"
#include "executive/app/terminal_text.hpp"
#include "executive/flight/flight_collector.hpp"
#include "executive/flight/flight_trace.hpp"
#include "executive/flight/trace_files.hpp"
#include "executive/record/folder_lock.hpp"

namespace tactus::app {
namespace {

namespace fs = std::filesystem;

/// Writes the latest frames of a running rig, the last ones of a rig that was killed, or else the traces that
/// were written before.
class TraceCommand final : public CommandDriver {
 public:
  void declare(CLI::App& app) override {
    app.description("write the flight recorder of a running rig to a file, or list the traces of a run");
    app.add_option("RUN_DIR", folder_, "the run folder")->required();
  }

  bool is_for_its_output() const override { return true; }
  int run() override {
    std::error_code error;
    const fs::path folder = fs::canonical(folder_, error);
    if (error) throw CommandError(kWrongInput, folder_ + ": " + error.message());
    if (const pid_t ending = wait_for_killed_rig(folder); ending > 0)
      throw CommandError(kEndedEarly, folder_ + ": " + executive::not_ended_text(ending));
    for (const fs::path& memory : executive::FlightFile::all()) take(memory, folder);
    if (!failure_.empty()) throw CommandError(kEndedEarly, failure_);
    const std::vector<executive::TraceFile> traces = executive::traces_in(folder);
    for (const executive::TraceFile& trace : traces)
      put("%s  frame %lld  %s\n", (folder_ / fs::path(trace.file)).c_str(),
          static_cast<long long>(trace.frame), trace.why.c_str());
    if (!traces.empty()) return kOk;
    expect_run_folder(folder_);
    const bool runs = executive::FolderLock(folder).taken_by_another();
    put("%s: no trace: %s\n", folder_.c_str(),
        runs ? "the rig runs, and no frame of it has ended yet, or it has no flight recorder, or another "
               "user runs it"
             : "the run ended in order and no frame overran, or it had no flight recorder");
    return kEndedEarly;
  }

 private:
  void take(const fs::path& memory, const fs::path& folder) {
    try {
      const auto file = executive::FlightFile::open(memory);
      std::error_code error;
      if (fs::canonical(file->plan().folder, error) != folder || error) return;
      if (!file->in_use()) {
        for (const executive::CollectedFlight& each : executive::collect_flight(memory, "killed"))
          failure_ = each.failure;
        return;
      }
      if (!file->is_running()) {  // killed since
        failure_ = executive::not_ended_text(file->pid());
        return;
      }
      const executive::TraceResult result =
          executive::write_trace(executive::FlightView(*file), {folder, "asked for", {}});
      failure_ = result.failure;
    } catch (const std::runtime_error&) {  // of another tactus, or one that has just ended
    }
  }

  std::string folder_;
  std::string failure_;
};

}  // namespace

std::unique_ptr<CommandDriver> trace_command() { return std::make_unique<TraceCommand>(); }

}  // namespace tactus::app
