// SPDX-License-Identifier: Apache-2.0
#include "executive/app/witness_report.hpp"

#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <exception>
#include <filesystem>
#include <future>
#include <optional>
#include <string>
#include <system_error>
#include <thread>
#include <utility>

#include "config/json.hpp"
#include "config/text.hpp"
#include "executive/app/run_folder.hpp"
#include "executive/app/terminal_text.hpp"
#include "executive/capability/library/run_libraries.hpp"
#include "executive/flight/flight_collector.hpp"
#include "executive/flight/trace_files.hpp"
#include "executive/frame/outcome.hpp"
#include "executive/run_base/witness_facts.hpp"
#include "rtsync/crash/signal_name.hpp"
#include "rtsync/host/folder_file.hpp"
#include "rtsync/joined.hpp"
#include "rtsync/text.hpp"

namespace tactus::app {
namespace {

namespace fs = std::filesystem;
using rtsync::WitnessPage;

constexpr const char* kSummary = "summary.json";
constexpr const char* kEnded = "@ended";  // the facts are the whole last summary

/// A summary without what is meant for the witness; `indent`: -1 for one line.
std::string text_of(Json all, int indent) {
  for (const char* const key : {"@folder", "@jobs", kEnded}) all.erase(key);
  return all.dump(indent, ' ', false, Json::error_handler_t::replace);
}

/// Empty, or why it could not.
std::string write_summary(const fs::path& folder, const Json& all) {
  const int error = rtsync::replace_folder_file(folder / kSummary, text_of(all, 2) + "\n");
  return error == 0 ? "" : rtsync::file_error(folder / kSummary, error);
}

/// Adds what the rig had done: `latest`: what it wrote to its summary while it ran.
void add_progress(Json& all, const Json& latest, const WitnessPage& page) {
  for (const char* const key : {"causes", "promises_broken", "recordings"})
    if (latest.contains(key)) all[key] = latest[key];
  all["frames"]["run"] = page.frames_run.load();
  all["frames"]["overruns"] = page.overruns.load();
  all["frames"]["lost"] = page.lost.load();
  all["frames"]["late_wakes"] = page.late_wakes.load();
  all["sim_time_ns"] = page.sim_time_ns.load();
}

/// One death, of which there is to be said and written.
class Death {
 public:
  /// `reads`: the run folder, which may hang.
  Death(const WitnessPage& page, int status, bool reads)
      : page_(page), facts_(executive::told_facts(page)), call_(page.call_text()) {
    if (WIFSIGNALED(status)) {
      signal_ = rtsync::signal_name(WTERMSIG(status));
      exit_status_ = 128 + WTERMSIG(status);
      killed_ = WTERMSIG(status) == SIGKILL;
      how_ = (killed_ ? "killed by " : "ended by ") + signal_;
    } else if (page_.given_up.load() != WitnessPage::GivenUp::no) {
      how_ = rtsync::text_of(page_.given_up.load());
    } else if (!call_.empty()) {
      how_ = "a model or a library called " + call_;
    } else {
      exit_status_ = WEXITSTATUS(status) == 0 ? 1 : WEXITSTATUS(status);
      how_ = "the process was ended with status " + std::to_string(WEXITSTATUS(status)) +
             " by something other than tactus";
    }
    if (const int thread = page_.crashed_thread.load(); thread != 0 && !killed_) {
      foreign_ = {{"id", thread},
                  {"name", rtsync::text_in(page_.crashed_origin.name)},
                  {"library", rtsync::text_in(page_.crashed_origin.library)}};
      rtsync::RawLine line;
      line << " in ";
      rtsync::write(line, page_.crashed_origin, thread);
      how_ += std::string(line.text()) + ",";
    }
    if (!killed_) overwritten_ = page_.files.find_overwritten();
    folder_ = facts_.value("@folder", std::string());
    if (reads) before_ = json_in(fs::path(folder_) / kSummary);
    if (facts_.contains(kEnded)) before_ = facts_;  // its end could not be written
    const bool ended = before_.contains("outcome") && before_["outcome"].is_string() &&
                       before_["outcome"] != executive::kUnfinished;
    if (before_.is_object() && !ended) latest_ = std::exchange(before_, nullptr);
    if (!ended) before_ = nullptr;
    name_jobs();
    where_ = where();
  }

  void say() const {
    std::string rest = folder_;
    if (folder_.empty()) rest = "nothing was started";
    if (!trace_.empty()) rest += "; the last frames: " + trace_ + ", " + executive::text_of_trace(trace_);
    const std::string doing = page_.doing_text();
    if (folder_.empty() && (doing.starts_with("library '") || doing.starts_with("model '")))
      rest +=
          "; build that library or model again, or use a debugger: gdb --args tactus run ... --no-witness";
    print_error("tactus: %s; %s\n", config::one_line(reason()).c_str(), rest.c_str());
    std::fflush(stderr);
  }

  /// The summary on stderr, where no file has it.
  void show() const {
    if (folder_.empty()) return;
    const Json all = summary(false);
    print_error("tactus: the summary:\n%s\n", text_of(all, -1).c_str());
  }

  /// Writes a trace of what the flight recorder holds. Returns nothing, or the reason of the failure.
  std::string write_trace() {
    std::string failed;
    const std::string why = killed_        ? "killed"
                            : overwritten_ ? "crashed: " + rtsync::text_of(*overwritten_)
                                           : "crashed";
    for (const executive::CollectedFlight& each : executive::collect_witnessed_flights(why)) {
      trace_ = each.file;
      if (!each.failure.empty())
        failed = "the flight recorder's trace was not written: " + each.failure +
                 "; when that is fixed, `tactus trace " + folder_ + "` writes it";
    }
    return failed;
  }

  /// Empty, or why it could not.
  std::string write() const {
    std::error_code error;
    const fs::path folder(folder_);
    if (folder_.empty() || !fs::is_directory(folder, error)) return "";
    return write_summary(folder, summary(true));
  }

 private:
  void name_jobs() {
    const Json names = facts_.value("@jobs", Json::array());
    std::vector<std::uint32_t> running = executive::witnessed_running_jobs();
    for (const rtsync::RunningJob& each : page_.running) running.push_back(each.job.load());
    for (const std::uint32_t job : running)
      if (job < names.size() && std::ranges::find(jobs_, names[job]) == jobs_.end())
        jobs_.push_back(names[job]);
  }

  std::string where() const {
    if (const std::string doing = page_.doing_text(); !doing.empty())
      return std::string(ended() ? " after the rig's end" : "") + " while " + doing;
    if (ended()) return " after the rig's end";
    if (facts_.empty()) return " while the rig was set up";
    const std::string text = " after " + rtsync::counted(page_.frames_run.load(), "frame");
    // What others ran then is not to blame.
    if (jobs_.empty() || !foreign_.is_null() || overwritten_) return text;
    const auto quoted = [](const Json& job) { return "'" + job.get<std::string>() + "'"; };
    return text + (jobs_.size() > 1 ? ", while jobs " : ", while job ") +
           rtsync::joined(jobs_, ", ", quoted) + " ran";
  }

  bool ended() const { return before_.is_object(); }
  std::string reason() const {
    const std::string before = ended() ? before_["outcome"].get<std::string>() : "";
    return how_ + where_ + (overwritten_ ? "; " + rtsync::text_of(*overwritten_) : "") +
           (before.empty() ? "" : "; before that: " + before);
  }

  Json summary(bool reads) const {
    Json all = ended() ? before_ : facts_;
    if (reads) all["traces"] = executive::traces_json(executive::traces_in(folder_));
    const bool given_up = page_.given_up.load() != WitnessPage::GivenUp::no;
    all["outcome"] = killed_ ? "killed" : given_up ? "aborted" : "crashed";
    all["reason"] = reason();
    all["exit_status"] = exit_status_;
    all["died"] = {{"signal", signal_.empty() ? Json(nullptr) : Json(signal_)},
                   {"call", call_.empty() ? Json(nullptr) : Json(call_)},
                   {"thread", foreign_},
                   {"jobs", jobs_},
                   {"library", overwritten_ ? Json(overwritten_->path) : Json(nullptr)},
                   {"doing", page_.doing_text()}};
    all["libraries_changed"] = executive::changed_libraries(page_.files);
    if (ended()) return all;
    add_progress(all, latest_, page_);
    all["died"]["frame"] = page_.frames.load();
    const bool paced = all["rt"].value("realtime", false);
    const auto time = [&](std::int64_t ns) { return paced ? Json(ns) : Json(nullptr); };
    all["died"]["late_ns"] = time(page_.late_ns.load());
    all["died"]["work_ns"] = time(page_.work_ns.load());
    all["died"]["slack_ns"] = time(page_.slack_ns.load());
    return all;
  }

  const WitnessPage& page_;
  const Json facts_;
  const std::string call_;
  Json before_;                   // the rig's own summary.json, if it came so far
  Json latest_ = Json::object();  // else what it wrote there while it ran
  Json jobs_ = Json::array();
  std::optional<rtsync::FileChange> overwritten_;  // a library: what ran is not to blame
  Json foreign_;  // the thread that crashed, if it runs none of the rig's jobs
  std::string how_;
  std::string where_;
  std::string signal_;
  std::string folder_;
  std::string trace_;
  int exit_status_ = 1;
  bool killed_ = false;
};

/// Makes a call that may never return on a thread of its own, which is then left to itself. Says after three seconds
/// that it waits. False: it has not returned within a minute, as long as the rig itself would wait, or before it was asked to end.
bool returns(const std::function<void()>& call, const std::function<bool()>& is_asked_to_end) {
  using namespace std::chrono_literals;
  constexpr auto kSaid = 3s, kLongest = 60s;
  std::packaged_task<void()> task(call);
  const std::future<void> done = task.get_future();
  try {
    std::thread(std::move(task)).detach();
  } catch (const std::system_error&) {  // no room for a thread
    call();
    return true;
  }
  if (done.wait_for(kSaid) == std::future_status::ready) return true;
  (void)is_asked_to_end();  // what was meant for the rig
  print_error(
      "tactus: waiting for the run folder, which has not answered for 3 s; Ctrl-C ends this, and then the "
      "summary stands here\n");
  std::fflush(stderr);
  for (const auto until = std::chrono::steady_clock::now() + kLongest - kSaid;
       std::chrono::steady_clock::now() < until && !is_asked_to_end();)
    if (done.wait_for(50ms) == std::future_status::ready) return true;
  return false;
}

/// Returns true if the summary in a run folder says that the run is not over.
bool is_unfinished(const fs::path& folder) {
  int error = 0;
  const std::string text = rtsync::read_folder_file(folder / kSummary, error);
  return text.find("\"outcome\": \"" + std::string(executive::kUnfinished) + "\"") != std::string::npos;
}

/// Says of a rig that ended by itself what it could not: it had no memory, or may write no file any more (ulimit).
void end_unfinished(const WitnessPage& page, Json all) {
  const fs::path folder = all.value("@folder", std::string());
  if (folder.empty() || !is_unfinished(folder)) return;
  add_progress(all, json_in(folder / kSummary), page);
  all["traces"] = executive::traces_json(executive::traces_in(folder));
  all["outcome"] = executive::name_of(executive::Outcome::failed);
  all["exit_status"] = page.status.load();
  all["reason"] =
      "the rig ended with status " + std::to_string(page.status.load()) + " after " +
      rtsync::counted(page.frames_run.load(), "frame") +
      ", and its summary was not written; it may have had no memory left, or could not write files";
  print_error("tactus: %s; %s\n", all["reason"].get<std::string>().c_str(), folder.c_str());
  if (const std::string failed = write_summary(folder, all); !failed.empty())
    print_error("tactus: %s; the summary:\n%s\n", failed.c_str(), text_of(all, -1).c_str());
}

void mend(const WitnessPage& page) noexcept try {
  const Json facts = executive::told_facts(page);
  if (!facts.contains(kEnded)) return end_unfinished(page, facts);
  // Where this fails too, the rig's own line on stderr has it.
  (void)write_summary(facts.value("@folder", std::string()), facts);
} catch (const std::exception&) {  // what the rig left in memory is nonsense
}

void say_nonsense(int status, const std::exception& error) {
  print_error("tactus: the rig's process ended with %s %d; no more is known of it: %s\n",
              WIFSIGNALED(status) ? "signal" : "status",
              WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status), error.what());
}

void report(const WitnessPage& page, int status) noexcept try {
  Death death(page, status, true);
  std::string failed;
  std::string no_trace;
  try {
    no_trace = death.write_trace();
  } catch (const std::exception& error) {
    no_trace = std::string("the flight recorder's trace was not written: ") + error.what();
  }
  try {
    failed = death.write();
  } catch (const std::exception& error) {
    failed = std::string("summary.json cannot be written: ") + error.what();
  }
  death.say();
  for (const std::string& text : {no_trace, failed})
    if (!text.empty()) print_error("tactus: %s\n", text.c_str());
  if (!failed.empty()) death.show();
} catch (const std::exception& error) {  // what the rig left in memory is nonsense
  say_nonsense(status, error);
}

}  // namespace

void mend_summary(const WitnessPage& page, const std::function<bool()>& is_asked_to_end) noexcept {
  (void)returns([&page] { mend(page); }, is_asked_to_end);
}

void report_death(const WitnessPage& page, int status, const std::function<bool()>& is_asked_to_end) noexcept
    try {
  if (returns([&page, status] { report(page, status); }, is_asked_to_end)) return;
  const Death death(page, status, false);
  death.say();
  print_error("tactus: the run folder does not answer: nothing was written there\n");
  death.show();
} catch (const std::exception& error) {
  say_nonsense(status, error);
}

}  // namespace tactus::app
