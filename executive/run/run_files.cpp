// SPDX-License-Identifier: Apache-2.0
#include "executive/run/run_files.hpp"

#include <stdexcept>
#include <utility>

#include "executive/flight/trace_files.hpp"
#include "executive/run_base/machine_error.hpp"
#include "executive/run_base/witness_facts.hpp"
#include "rtsync/crash/witness_page.hpp"
#include "rtsync/host/folder_file.hpp"

namespace tactus::executive {

namespace {

constexpr std::chrono::seconds kUnfinishedEvery{5};
constexpr std::chrono::seconds kSecond{1};

/// A summary as it is in summary.json.
std::string summary_text(const Json& summary) {
  return summary.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace

void RunFiles::open(RunObserver& watcher) {
  const std::filesystem::path& folder = run_.options.folder;
  const rtsync::Doing doing("the run folder " + folder.string() + " was opened");
  try {
    lock_.emplace(folder);
    file_ = std::make_shared<SummaryFile>(folder);
    calls_ = std::make_unique<FolderCalls>(run_.cpus.small_helper("run-folder"));
    log_ = std::make_unique<RunLog>(folder / "log.txt", run_.rig.settings().log.max_size, calls_.get());
    run_.voice.emplace(*log_, watcher);
    tell_known();  // a kill in this moment has a summary, too
    const std::filesystem::path rig_file = folder / "rig.yaml";
    if (const int error = rtsync::replace_folder_file(rig_file, rig_fields().write(run_.rig.settings()));
        error != 0)
      throw std::runtime_error(rtsync::file_error(rig_file, error));
    write_unfinished();
    (void)calls_->make("room for summary.json was kept",
                       [file = file_, room = room_for_summary()] { file->keep_room(room); });
  } catch (const std::exception& error) {
    throw MachineError(std::string("cannot write into the run folder: ") + error.what());
  }
}

/// Twice what a summary of such a rig takes.
std::size_t RunFiles::room_for_summary() const {
  const Plan& plan = run_.rig.plan();
  return 8192 + 512 * plan.jobs.size() + 512 * plan.threads.size() + 256 * run_.rig.recordings().size();
}

std::uint64_t RunFiles::changes() const {
  std::uint64_t changes = 0;
  for (const auto& each : run_.capabilities) changes += each->changes();
  return changes;
}

void RunFiles::tell_known() {
  tell_witness([this] { return make_(Summary::known); }, *log_);
}

void RunFiles::write_begun() {
  tell_known();
  write_unfinished();
}

void RunFiles::write_unfinished() {
  written_ = std::chrono::steady_clock::now();
  changes_written_ = changes();
  if (!write_made_->load()) return;  // it hangs
  if (!write_error_->empty() && !std::exchange(write_failed_, true))
    log_->warn(*write_error_ + "; summary.json is not kept up to date");
  write_made_->store(false);
  (void)calls_->make("summary.json was written",
                     [file = file_, all = make_(Summary::running), folder = run_.options.folder,
                      error = write_error_, made = write_made_] {
                       Json whole = all;
                       whole["traces"] = traces_json(traces_in(folder));
                       *error = file->write(summary_text(whole));
                       made->store(true);
                     });
}

void RunFiles::poll() {
  report_hanging();
  const auto age = std::chrono::steady_clock::now() - written_;
  if (age >= kUnfinishedEvery || (age >= kSecond && changes() != changes_written_)) write_unfinished();
}

/// Says once that a call on the run folder does not return; the rig runs on meanwhile.
void RunFiles::report_hanging() {
  const bool hangs = calls_->hangs() >= kSecond;
  if (hangs == hangs_) return;
  hangs_ = hangs;
  run_.voice->say(hangs ? "the run folder " + run_.options.folder.string() +
                              " does not answer: a call has hung for a second while " + calls_->what() +
                              "; the rig continues, and its log waits in memory"
                        : "the run folder answers again");
}

/// False: a call on the run folder never returned.
bool RunFiles::await() {
  while (!stuck_ && !calls_->idle())
    stuck_ = !run_.waits_on(calls_->hangs(), {calls_->what()}, std::chrono::seconds(60));
  return !stuck_;
}

void RunFiles::write_last() {
  struct Found {
    std::string became;
    Json traces = Json::array();
    std::string error;
  };
  const auto found = std::make_shared<Found>();
  const std::filesystem::path& folder = run_.options.folder;
  (void)calls_->make("the run folder was examined", [found, file = file_, folder] {
    found->became = file->what_became_of_folder();
    found->traces = traces_json(traces_in(folder));
  });
  if (await()) {
    error_ = found->became;
    traces_ = found->traces;
  }
  Json all = make_(Summary::ended);
  if (!stuck_) {
    Json brief = make_(Summary::running);
    brief["traces"] = traces_;
    for (const char* const key : {"outcome", "reason", "exit_status", "recordings"}) brief[key] = all[key];
    (void)calls_->make("summary.json was written",
                       [found, file = file_, text = summary_text(all), shorter = summary_text(brief)] {
                         found->error = file->write_last(text, shorter);
                       });
    if (await() && found->error.empty() && error_.empty()) return;
  }
  if (stuck_)
    error_ = "the run folder " + folder.string() + " does not answer: a call on it did not return";
  else if (error_.empty())
    error_ = found->error;
  all["exit_status"] = 1;  // a script that looks for summary.json must not believe in success
  unwritten_ = all.dump(-1, ' ', false, Json::error_handler_t::replace);
  log_->last_word(error_ + "; the summary: " + unwritten_);
  log_->flush();
  tell_witness(
      [&] {
        Json told = all;
        told["@folder"] = folder.string();
        told["@ended"] = true;
        return told;
      },
      *log_);
}

}  // namespace tactus::executive
