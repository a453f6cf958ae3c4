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

#include "config/document.hpp"
#include "config/json.hpp"
#include "config/number.hpp"
#include "config/text.hpp"
#include "executive/app/commands.hpp"
#include "executive/driver/driver_library.hpp"
#include "executive/driver/record_sink.hpp"
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
    if (!outcome.empty() && outcome != "completed" && outcome != "stopped")
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
    bool own_log = settings.frame_log;
    bool own_link = settings.link.present;
    for (const executive::RecordingSettings& each : settings.record) {
      recording(each.name, each.driver.value, true, settings);
      own_log = own_log && each.name != "frames";
      own_link = own_link && each.name != "link";
    }
    if (own_log) recording("frames", "csv", false, settings);
    if (own_link) recording("link", "csv", false, settings);
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

  void recording(const std::string& name, const std::string& driver, bool expected,
                 const executive::RigSettings& settings) {
    const auto written = marks_.of(name);
    std::vector<RecordedFile> files;
    try {
      const executive::DriverLibrary library("record", driver);
      files = library.make<executive::RecordDriver>()->examine(folder_, name);
    } catch (const std::exception& error) {
      return line(name, "damaged", error.what());
    }
    if (files.empty() && written)
      line(name, "damaged", "its file is gone; the rig wrote " + counted(*written, "record"));
    else if (files.empty() && expected)
      line(name, "missing", "the rig ended before it made the file");
    for (const RecordedFile& file : files) {
      std::string what = counted(file.records, "record");
      if (file.last_ns) what += ", to " + rtsync::sim_time_text(*file.last_ns);
      std::string damage = file.damage;
      if (written && *written != file.records && damage.empty())
        damage = "the rig wrote " + counted(*written, "record");
      const std::string end =
          written ? "ended in order"
                  : "no end mark: up to " + config::print_duration(settings.flush_every) + " may be missing";
      report(file.path, file.bytes, file.whole, what, damage, end);
    }
  }

  template <class IsWhole>
  void lines(const char* name, IsWhole is_whole) {
    const fs::path file = folder_ / name;
    if (!fs::exists(file)) return;
    try {
      const executive::WholeLines found = executive::examine_lines(file, is_whole);
      report(file, found.bytes, found.whole, counted(found.lines, "line"),
             found.damaged == 0 ? "" : "line " + std::to_string(found.first_bad) + " is not whole", "");
    } catch (const std::exception& error) {
      line(name, "damaged", error.what());
    }
  }

  /// A file that is whole up to `whole` bytes.
  void report(const fs::path& file, std::uint64_t bytes, std::uint64_t whole, const std::string& what,
              const std::string& damage, const std::string& end) {
    const std::string name = file.lexically_relative(folder_).string();
    const std::string torn = counted(bytes - whole, "byte") + " of a torn end";
    if (bytes == 0) {
      line(name, "empty", "the rig ended before anything was written");
    } else if (whole == 0 || whole == bytes) {
      line(name, damage.empty() ? "whole" : "damaged",
           what + (damage.empty() ? (end.empty() ? "" : "; " + end) : "; " + damage));
    } else if (only_look_) {
      line(name, "torn", what + ", then " + torn + (damage.empty() ? "" : "; " + damage));
    } else {
      std::error_code error;
      fs::resize_file(file, whole, error);
      if (error)
        line(name, "torn", what + ", then " + torn + " that cannot be cut: " + error.message());
      else
        line(name, damage.empty() ? "cut" : "damaged",
             what + "; " + torn + (bytes - whole == 1 ? " was cut off" : " were cut off") +
                 (damage.empty() ? "" : "; " + damage));
    }
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
    const fs::path file = fs::path(folder_) / "rig.yaml";
    if (!fs::exists(file))
      throw CommandError(kWrongInput, folder_ + " is not a run folder: it holds no rig.yaml; give one that " +
                                          "`tactus run` made, as runs/<rig>-<start time>");
    const executive::FolderLock lock(folder_);
    if (lock.taken_by_another() && !only_look_)
      throw CommandError(kWrongInput, "a rig still writes into " + folder_ +
                                          ": stop it first, or look with --dry-run; nothing was changed");
    if (lock.taken_by_another())
      std::printf("a rig still writes into %s: this is how it stands now\n", folder_.c_str());
    config::Problems unknown;  // of a rig file of another tactus: what is known is enough
    const executive::RigSettings settings =
        executive::rig_fields().load(config::Document::from_file(file.string()), unknown);
    return Recovery(folder_, only_look_).run(settings) ? kOk : kEndedEarly;
  }

 private:
  std::string folder_;
  bool only_look_ = false;
};

}  // namespace

std::unique_ptr<CommandDriver> recover_command() { return std::make_unique<RecoverCommand>(); }

}  // namespace tactus::app
