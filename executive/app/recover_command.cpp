// SPDX-License-Identifier: Apache-2.0
#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

#include "config/json.hpp"
#include "config/number.hpp"
#include "config/text.hpp"
#include "executive/app/commands.hpp"
#include "executive/app/run_folder.hpp"
#include "executive/driver/driver_library.hpp"
#include "executive/driver/record_sink.hpp"
#include "executive/frame/outcome.hpp"
#include "executive/plan/rig_settings.hpp"
#include "executive/record/folder_lock.hpp"
#include "executive/record/whole_lines.hpp"
#include "executive/state/checkpoint_file.hpp"
#include "rtsync/time/duration_text.hpp"

namespace tactus::app {
namespace {

namespace fs = std::filesystem;
using config::Json;
using executive::RecordedFile;

/// What summary.json says of the recordings: their end mark.
class EndMarks {
 public:
  explicit EndMarks(const fs::path& folder) {
    std::ifstream in(folder / "summary.json");
    present_ = in.is_open();
    const Json json = Json::parse(in, nullptr, false);
    if (json.is_object() && json.contains("recordings") && json["recordings"].is_array())
      for (const Json& each : json["recordings"])
        if (each.is_object() && each.value("ended", false))
          written_[each.value("name", "")] = each.value("written", std::uint64_t{0});
    readable_ = json.is_object();
    const std::string outcome = readable_ ? json.value("outcome", std::string()) : std::string();
    if (outcome == executive::kUnfinished)
      bad_end_ =
          "killed together with its witness (or it had none); after " + frames_of(json) + " it still ran";
    else if (!outcome.empty() && outcome != "completed" && outcome != "stopped")
      bad_end_ = outcome + ": " + json.value("reason", std::string());
  }
  bool present() const { return present_; }
  bool readable() const { return readable_; }
  /// The outcome and its reason; empty: as somebody wanted it.
  const std::string& bad_end() const { return bad_end_; }
  /// How many records the file had when it was closed in order; nothing: it was not.
  std::optional<std::uint64_t> of(const std::string& recording) const {
    const auto found = written_.find(recording);
    return found == written_.end() ? std::nullopt : std::optional(found->second);
  }

 private:
  static std::string frames_of(const Json& json) {
    const Json frames = json.value("frames", Json::object());
    return (frames.is_object() ? frames.value("run", Json(0)) : Json(0)).dump() + " frames";
  }

  bool present_ = false;
  bool readable_ = false;
  std::string bad_end_;
  std::map<std::string, std::uint64_t> written_;
};

std::string counted(std::uint64_t count, const std::string& what) {
  return std::to_string(count) + " " + what + (count == 1 ? "" : "s");
}

/// One run folder: says how far each file is whole, and cuts torn ends unless it only looks.
class Recovery {
 public:
  Recovery(fs::path folder, bool only_look)
      : folder_(std::move(folder)), only_look_(only_look), marks_(folder_) {}

  /// False: a file is not whole.
  bool run(const executive::RigSettings& settings) {
    if (!marks_.present())
      std::printf("%s: killed before its end (there is no summary.json)\n", folder_.c_str());
    else if (!marks_.bad_end().empty())
      std::printf("%s: %s\n", folder_.c_str(), config::one_line(marks_.bad_end()).c_str());
    else
      std::printf("%s: ended in order\n", folder_.c_str());
    if (marks_.present() && !marks_.readable()) line("summary.json", "damaged", "it is not JSON");
    for (const RunRecording& each : recordings_of(settings)) recording(each, settings);
    lines("log.txt", [](std::string_view) { return true; });
    lines("journal.jsonl",
          [](std::string_view text) { return text.starts_with('{') && text.ends_with('}'); });
    checkpoints(folder_ / settings.checkpoint.folder);
    return good_;
  }

 private:
  void line(const std::string& name, const char* state, const std::string& what) {
    const std::string_view word = state;
    if (word == "damaged" || word == "torn") good_ = false;
    std::printf("  %-24s %-8s %s\n", name.c_str(), state, what.c_str());
  }

  void recording(const RunRecording& each, const executive::RigSettings& settings) {
    const auto written = marks_.of(each.name);
    try {
      const executive::DriverLibrary library("record", each.driver);
      const auto format = library.make<executive::RecordDriver>();
      const fs::path path = folder_ / format->file_name(each.name);
      if (fs::exists(path)) return recorded(format->examine(path), *format, written, settings);
    } catch (const std::exception& error) {
      return line(each.name, "damaged", error.what());
    }
    if (written)
      line(each.name, "damaged", "its file is gone; the rig wrote " + counted(*written, "record"));
    else if (each.expected)
      line(each.name, "missing", "the rig ended before it made the file");
  }

  void recorded(const RecordedFile& file, const executive::RecordDriver& format,
                const std::optional<std::uint64_t>& written, const executive::RigSettings& settings) {
    std::string what = counted(file.records, "record");
    if (file.last_ns) what += ", to " + rtsync::sim_time_text(*file.last_ns);
    std::string damage = file.damage;
    if (written && *written != file.records && damage.empty())
      damage = "the rig wrote " + counted(*written, "record");
    const std::string end =
        written ? "ended in order"
                : "no end mark: up to " + config::print_duration(settings.flush_every) + " may be missing";
    report(file, what, damage, end, [&] { format.mend(file); });
  }

  template <class IsWhole>
  void lines(const char* name, IsWhole is_whole) {
    const fs::path file = folder_ / name;
    if (!fs::exists(file)) return;
    try {
      const executive::WholeLines found = executive::examine_lines(file, is_whole);
      RecordedFile lines;
      lines.path = file;
      lines.bytes = found.bytes;
      lines.whole = found.whole;
      report(lines, counted(found.lines, "line"),
             found.damaged == 0 ? "" : "line " + std::to_string(found.first_bad) + " is not whole", "",
             [&lines] { fs::resize_file(lines.path, lines.whole); });
    } catch (const std::exception& error) {
      line(name, "damaged", error.what());
    }
  }

  /// Says how far a file is whole, and has its end mended.
  template <class Mend>
  void report(const RecordedFile& file, const std::string& what, const std::string& damage,
              const std::string& end, Mend mend) {
    const std::string name = file.path.lexically_relative(folder_).string();
    const std::string more = damage.empty() ? "" : "; " + damage;
    const std::uint64_t torn = file.bytes - file.whole;
    const bool cut = file.whole > 0 && torn > 0;
    const bool unended = file.whole > 0 && !file.unended.empty();
    if (file.bytes == 0) return line(name, "empty", "the rig ended before anything was written");
    if (!cut && !unended)
      return line(name, damage.empty() ? "whole" : "damaged",
                  what + (damage.empty() ? (end.empty() ? "" : "; " + end) : more));
    const std::string bytes = counted(torn, "byte") + " of a torn end";
    if (only_look_)
      return line(name, "torn",
                  what + (cut ? ", then " + bytes : "") +
                      (unended ? (cut ? "; " : ", but ") + std::string("without ") + file.unended : "") +
                      more);
    try {
      mend();
    } catch (const std::exception& error) {
      return line(name, "torn",
                  what + (cut ? ", then " + bytes : "") + " that cannot be mended: " + error.what());
    }
    line(name, damage.empty() ? (unended ? "mended" : "cut") : "damaged",
         what + (cut ? "; " + bytes + (torn == 1 ? " was cut off" : " were cut off") : "") +
             (unended ? "; " + file.unended + " was written" : "") + more);
  }

  void checkpoints(const fs::path& folder) {
    std::vector<fs::path> files;
    std::error_code none;  // no folder: no checkpoint
    for (const fs::directory_entry& entry : fs::directory_iterator(folder, none))
      files.push_back(entry.path());
    std::sort(files.begin(), files.end());
    for (const fs::path& file : files) {
      const std::string name = file.lexically_relative(folder_).string();
      if (file.extension() == ".partial") {
        line(name, "unended", "the rig ended while it wrote this checkpoint; delete it");
      } else if (file.extension() == ".tck") {
        try {
          const auto head = executive::read_checkpoint(file).head;
          line(name, "whole", "after frame " + std::to_string(head.frame));
        } catch (const std::exception& error) {
          line(name, "damaged", error.what());
        }
      }
    }
  }

  fs::path folder_;
  bool only_look_;
  EndMarks marks_;
  bool good_ = true;
};

class RecoverCommand final : public CommandDriver {
 public:
  void declare(CLI::App& app) override {
    app.description("say how far each file of a run folder is whole, and cut torn ends off");
    app.add_option("RUN_DIR", folder_, "the run folder")->required();
    app.add_flag("--dry-run", only_look_, "only say it; change nothing");
  }

  int run() override {
    const executive::RigSettings settings = settings_of_run(folder_);
    const executive::FolderLock lock(folder_);
    if (lock.taken_by_another() && !only_look_)
      throw CommandError(kWrongInput, "a rig still writes into " + folder_ +
                                          ": stop it first, or look with --dry-run; nothing was changed");
    if (lock.taken_by_another())
      std::printf("a rig still writes into %s: this is how it stands now\n", folder_.c_str());
    return Recovery(folder_, only_look_).run(settings) ? kOk : kEndedEarly;
  }

 private:
  std::string folder_;
  bool only_look_ = false;
};

}  // namespace

std::unique_ptr<CommandDriver> recover_command() { return std::make_unique<RecoverCommand>(); }

}  // namespace tactus::app
