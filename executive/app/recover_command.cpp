// SPDX-License-Identifier: Apache-2.0
#include <CLI/CLI.hpp>
#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

#include "config/json.hpp"
#include "config/json_of.hpp"
#include "config/number.hpp"
#include "config/text.hpp"
#include "executive/app/commands.hpp"
#include "executive/app/run_folder.hpp"
#include "executive/app/terminal_text.hpp"
#include "executive/capability/checkpoint/settings.hpp"
#include "executive/capability/record/settings.hpp"
#include "executive/driver/driver_library.hpp"
#include "executive/driver/record_sink.hpp"
#include "executive/flight/flight_collector.hpp"
#include "executive/frame/outcome.hpp"
#include "executive/plan/rig_settings.hpp"
#include "executive/record/folder_lock.hpp"
#include "executive/record/whole_lines.hpp"
#include "executive/report/json_facts.hpp"
#include "executive/report/missing_summary.hpp"
#include "executive/state/checkpoint_file.hpp"
#include "rtsync/host/folder_file.hpp"
#include "rtsync/host/opened_path.hpp"
#include "rtsync/text.hpp"
#include "rtsync/time/duration_text.hpp"

namespace tactus::app {
namespace {

namespace fs = std::filesystem;
using executive::RecordedFile;

/// End marks of the recordings in summary.json.
struct EndMarks {
  explicit EndMarks(const fs::path& folder) {
    int error = 0;
    const std::string text = rtsync::read_folder_file(folder / "summary.json", error);
    present = error != ENOENT;
    const Json json = config::json_of(text);
    if (error != 0) problem = rtsync::file_error("it", error);
    for (const Json& each : report::list_fact(json, "recordings")) {
      const std::string name = report::text_fact(each, "name");
      if (report::true_fact(each, "ended"))
        written[name] = static_cast<std::uint64_t>(report::integer_fact(each, "written").value_or(0));
      if (!report::text_fact(each, "error").empty() || report::integer_fact(each, "lost").value_or(0) > 0)
        lost[name] = report::losses_of(each);
    }
    readable = json.is_object();
    has_run = report::integer_fact(json, "frames.run").value_or(0) > 0;
    const std::string outcome = report::text_fact(json, "outcome");
    end_known = !outcome.empty() && outcome != executive::kUnfinished;
    if (outcome == executive::kUnfinished)
      bad_end =
          "the end is not known: the rig was killed together with its witness (or had none), or could not "
          "write its end; after " +
          frames_of(json) + " it still ran";
    else if (!outcome.empty() && outcome != "completed" && outcome != "stopped")
      bad_end = outcome + ": " + report::text_fact(json, "reason");
    else if (!lost.empty())
      bad_end = outcome + ", but records were lost";
  }
  /// Amount that a recording lost because its file could not be written, or not as fast as it came; empty: nothing.
  std::string lost_of(const std::string& recording) const {
    const auto found = lost.find(recording);
    return found == lost.end() ? "" : found->second;
  }
  /// Number of records in the file when it was closed in order; nothing: it was not.
  std::optional<std::uint64_t> of(const std::string& recording) const {
    const auto found = written.find(recording);
    return found == written.end() ? std::nullopt : std::optional(found->second);
  }

  static std::string frames_of(const Json& json) {
    const Json frames = json.value("frames", Json::object());
    return (frames.is_object() ? frames.value("run", Json(0)) : Json(0)).dump() + " frames";
  }

  bool present = false;
  bool readable = false;
  std::string problem = "it is not JSON";  ///< reason why it is not readable
  std::string bad_end;                     ///< the outcome and its reason; empty: it ended as planned
  bool end_known = false;                  ///< the rig or its witness wrote how it ended
  bool has_run = false;                    ///< frames have run, and so the files of all recordings were made
  std::map<std::string, std::uint64_t> written;
  std::map<std::string, std::string> lost;
};

/// Returns true if the file is there, or a link; the code that opens a link reports it.
bool is_there(const fs::path& file) {
  std::error_code error;
  return fs::symlink_status(file, error).type() != fs::file_type::not_found;
}

/// One run folder: says how far each file is whole, and cuts torn ends unless it only looks.
class Recovery {
 public:
  /// `still_written`: by a rig that runs. `ending`: the process of a killed rig that has not ended yet; 0: none.
  Recovery(fs::path folder, bool only_look, bool still_written, pid_t ending)
      : folder_(std::move(folder)),
        only_look_(only_look),
        still_written_(still_written),
        ending_(ending),
        marks_(folder_) {}

  /// False: a file is not whole.
  bool run(const executive::RigSettings& settings) {
    if (!marks_.present)
      put("%s: the end is not known: there is no summary.json: %s\n", folder_.c_str(),
          config::one_line(report::why_no_summary(folder_, still_written_)).c_str());
    else if (still_written_ && !marks_.end_known)
      put("%s: has not ended yet\n", folder_.c_str());
    else if (!marks_.bad_end.empty())
      put("%s: %s\n", folder_.c_str(), config::one_line(marks_.bad_end).c_str());
    else
      put("%s: ended in order\n", folder_.c_str());
    if (marks_.present && !marks_.readable) line("summary.json", "damaged", marks_.problem);
    for (const RunRecording& each : recordings_of(settings)) recording(each, settings);
    if (!still_written_) unended_recordings();
    lines("log.txt", [](std::string_view) { return true; });
    lines("journal.jsonl",
          [](std::string_view text) { return text.starts_with('{') && text.ends_with('}'); });
    checkpoints(folder_ / settings.of<executive::CheckpointSection>().folder);
    last_frames();
    if (!marks_.present && !still_written_) good_ = false;
    std::error_code none;  // the room for a last summary that was never written
    if (!only_look_) fs::remove(folder_ / "summary.json.part", none);
    return good_;
  }

 private:
  void line(const std::string& name, const char* state, const std::string& what) {
    const std::string_view word = state;
    if (word == "damaged" || word == "torn") good_ = false;
    put("  %-24s %-8s %s\n", name.c_str(), state, what.c_str());
  }

  void recording(const RunRecording& each, const executive::RigSettings& settings) {
    const auto written = marks_.of(each.name);
    std::optional<executive::DriverLibrary> library;
    try {
      library.emplace("record", each.driver);
    } catch (const std::exception& error) {
      good_ = false;  // nothing is known of it
      return line(each.name, "unread", error.what() + std::string("; its file was left as it is"));
    }
    try {
      const auto format = library->make<executive::RecordDriver>();
      const fs::path path = folder_ / format->file_name(each.name);
      if (is_there(path)) return recorded(format->examine(path), *format, each.name, settings);
    } catch (const std::exception& error) {
      return line(each.name, "damaged", error.what());
    }
    const std::string lost = marks_.lost_of(each.name);
    if (written)
      line(each.name, "damaged", "its file is gone; the rig wrote " + rtsync::counted(*written, "record"));
    else if (!lost.empty())
      line(each.name, "damaged", "its file is gone; " + lost);
    else if (each.expected && marks_.has_run)
      line(each.name, "damaged", "its file is gone; the rig made it before its first frame");
    else if (each.expected)
      line(each.name, "missing", "the rig ended before it made the file");
  }

  void recorded(const RecordedFile& file, const executive::RecordDriver& format, const std::string& name,
                const executive::RigSettings& settings) {
    const auto written = marks_.of(name);
    std::string what = rtsync::counted(file.records, "record");
    if (file.last_ns) what += ", to " + rtsync::sim_time_text(*file.last_ns);
    std::string damage = file.damage;
    if (written && *written != file.records && damage.empty())
      damage = "the rig wrote " + rtsync::counted(*written, "record");
    std::string end = written ? "ended in order"
                      : marks_.end_known
                          ? "no end mark: up to " +
                                config::print_duration(settings.of<executive::RecordSettings>().flush_every) +
                                " may be missing"
                          : "no end mark: what followed it is not known";
    if (const std::string lost = marks_.lost_of(name); !lost.empty()) {
      good_ = false;
      what += "; " + lost;
      end.clear();
    }
    report(file, what, damage, end, [&] { format.mend(file); });
  }

  template <class IsWhole>
  void lines(const char* name, IsWhole is_whole) {
    const fs::path file = folder_ / name;
    try {
      if (!is_there(file)) return;
      const executive::WholeLines found = executive::examine_lines(file, is_whole);
      RecordedFile lines{.path = file, .bytes = found.bytes, .whole = found.whole};
      report(lines, rtsync::counted(found.lines, "line"),
             found.damaged == 0 ? "" : "line " + std::to_string(found.first_bad) + " is not whole", "",
             [&lines] {
               if (const int error = rtsync::cut_folder_file(lines.path, lines.whole); error != 0)
                 throw std::runtime_error(rtsync::file_error(lines.path, error));
             });
    } catch (const std::exception& error) {
      line(name, "damaged", error.what());
    }
  }

  /// Says how far a file is whole, and has its end mended. A damaged one is left as it is: what looks like a torn
  /// end may be all that follows the damage.
  template <class Mend>
  void report(const RecordedFile& file, const std::string& what, const std::string& damage,
              const std::string& end, Mend mend) {
    const std::string name = file.path.lexically_relative(folder_).string();
    const std::uint64_t torn = file.bytes - file.whole;
    const bool cut = file.whole > 0 && torn > 0;
    const bool unended = file.whole > 0 && !file.unended.empty();
    if (!damage.empty())
      return line(name, "damaged",
                  what + (cut ? ", then " + rtsync::counted(torn, "byte") + " that are not whole" : "") +
                      "; " + damage);
    if (file.bytes == 0) return line(name, "empty", "the rig ended before anything was written");
    if (!cut && !unended) return line(name, "whole", what + (end.empty() ? "" : "; " + end));
    const std::string bytes = rtsync::counted(torn, "byte") + " of a torn end";
    if (only_look_)
      return line(name, "torn",
                  what + (cut ? ", then " + bytes : "") +
                      (unended ? (cut ? "; " : ", but ") + std::string("without ") + file.unended : ""));
    try {
      mend();
    } catch (const std::exception& error) {
      return line(name, "torn",
                  what + (cut ? ", then " + bytes : "") + " that cannot be repaired: " + error.what());
    }
    line(name, unended ? "mended" : "cut",
         what + (cut ? "; " + bytes + (torn == 1 ? " was cut off" : " were cut off") : "") +
             (unended ? "; " + file.unended +
                            (file.unended.find(" and ") == std::string::npos ? " was" : " were") + " written"
                      : ""));
  }

  /// The files of a folder, by name; none if it is not there.
  static std::vector<fs::path> files_in(const fs::path& folder) {
    std::vector<fs::path> files;
    std::error_code none;
    for (const fs::directory_entry& entry : fs::directory_iterator(folder, none))
      files.push_back(entry.path());
    std::ranges::sort(files);
    return files;
  }

  /// Names the files that a format writes under another name until they are whole.
  void unended_recordings() {
    for (const fs::path& file : files_in(folder_))
      if (file.extension() == ".shortened" || file.extension() == ".mended" ||
          (file.extension() == ".partial" && file.stem().extension() != ".tck"))
        line(file.filename().string(), "unended", "was not written to its end; delete it");
  }

  void checkpoints(const fs::path& folder) {
    for (const fs::path& file : files_in(folder)) {
      const std::string name = file.lexically_relative(folder_).string();
      if (file.extension() == ".partial") {
        line(name, "unended", "the rig ended while it wrote this checkpoint; delete it");
      } else if (file.extension() == ".tck") {
        try {
          const auto head = executive::read_run_checkpoint(file).head;
          line(name, "whole", "after frame " + std::to_string(head.frame));
        } catch (const std::exception& error) {
          line(name, "damaged", error.what());
        }
      }
    }
  }

  /// Makes a trace of what the flight recorder of a killed rig still holds.
  void last_frames() {
    if (only_look_) {
      if (ending_ > 0) line("the last frames", "torn", executive::not_ended_text(ending_));
      for (const fs::path& each : executive::folders_of_left_flights())
        if (std::error_code error; fs::equivalent(each, folder_, error) && !error)
          line("the last frames", "torn", "are still in /dev/shm; `tactus trace` writes them");
      return;
    }
    for (const executive::CollectedFlight& each : executive::collect_flights_of(folder_)) {
      if (!each.failure.empty()) {
        good_ = false;
        line("the last frames", "torn", each.failure);
      } else if (!each.file.empty()) {
        line(each.file, "mended", "was written: the last frames, which were still in /dev/shm");
      }
    }
    (void)executive::remove_useless_flights();
  }

  fs::path folder_;
  bool only_look_;
  bool still_written_;
  pid_t ending_;
  EndMarks marks_;
  bool good_ = true;
};

/// Says of a folder without rig.yaml what a kill in the first moment left.
int tell_barely_begun(const std::string& folder) {
  put("%s: the rig was killed before it wrote rig.yaml: nothing of it was started\n", folder.c_str());
  return kEndedEarly;
}

class RecoverCommand final : public CommandDriver {
 public:
  void declare(CLI::App& app) override {
    app.description("report how much of each file of a run folder is whole, and cut torn ends off");
    app.add_option("RUN_DIR", folder_, "the run folder")->required();
    app.add_flag("--dry-run", only_look_, "report only, and change nothing");
  }

  int run() override {
    const pid_t ending = wait_for_killed_rig(folder_);
    const executive::FolderLock lock(folder_);
    if (lock.taken_by_another() && ending > 0)
      throw CommandError(kEndedEarly, folder_ + ": " + executive::not_ended_text(ending));
    if (!lock.taken_by_another() && report::is_barely_begun(folder_)) return tell_barely_begun(folder_);
    const executive::RigSettings settings = settings_of_run(folder_);
    if (lock.taken_by_another() && !only_look_)
      throw CommandError(kWrongInput, "a rig still writes into " + folder_ +
                                          ": stop it first, or look with --dry-run; nothing was changed");
    if (lock.taken_by_another())
      put("a rig still writes into %s: this is its present state\n", folder_.c_str());
    return Recovery(folder_, only_look_, lock.taken_by_another(), ending).run(settings) ? kOk : kEndedEarly;
  }

 private:
  std::string folder_;
  bool only_look_ = false;
};

}  // namespace

std::unique_ptr<CommandDriver> recover_command() { return std::make_unique<RecoverCommand>(); }

}  // namespace tactus::app
