// SPDX-License-Identifier: Apache-2.0
#include "executive/report/run_files.hpp"

#include <algorithm>
#include <charconv>
#include <deque>
#include <exception>
#include <optional>
#include <stdexcept>
#include <system_error>

#include "config/document.hpp"
#include "config/json_of.hpp"
#include "executive/record/folder_lock.hpp"
#include "executive/record/line_reader.hpp"
#include "executive/report/frame_log.hpp"
#include "executive/report/json_facts.hpp"
#include "executive/report/missing_summary.hpp"

namespace tactus::report {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMostSettings = 20'000;
constexpr std::size_t kMostWhy = 5'000;

void flatten(const config::Node& node, const std::string& path, std::vector<Setting>& to) {
  if (to.size() >= kMostSettings) return;
  if (node.is_map() && !node.entries().empty()) {
    for (const config::Node::Entry& entry : node.entries())
      flatten(entry.value, path.empty() ? entry.key : path + "." + entry.key, to);
  } else if (node.is_list() &&
             std::ranges::any_of(node.items(), [](const auto& item) { return !item.is_scalar(); })) {
    for (std::size_t i = 0; i < node.items().size(); ++i)
      flatten(node.items()[i], path + "[" + std::to_string(i) + "]", to);
  } else {
    to.emplace_back(path, config::to_flow(node));
  }
}

/// The number after the words; nothing: they are not there.
std::optional<std::int64_t> number_behind(std::string_view line, std::string_view words) {
  const std::size_t at = line.find(words);
  if (at == std::string_view::npos) return std::nullopt;
  const std::string_view rest = line.substr(at + words.size());
  std::int64_t number = 0;
  const auto [end, error] = std::from_chars(rest.data(), rest.data() + rest.size(), number);
  return error == std::errc() ? std::optional(number) : std::nullopt;
}

/// The part of a line about late frames that begins with a cause: "blocked: job ...".
std::string_view cause_in(std::string_view line) {
  for (std::size_t at = line.find("; "); at != std::string_view::npos; at = line.find("; ", at + 2)) {
    const std::string_view part = line.substr(at + 2);
    const std::size_t colon = part.find(": ");
    if (colon == std::string_view::npos) continue;
    if (const auto cause = cause_named(part.substr(0, colon)); !cause || *cause == rtsync::Cause::none)
      continue;
    return part.substr(0, part.find("; causes:"));
  }
  return {};
}

/// Keeps a line, or counts it as damaged.
void keep_line(std::string_view text, std::vector<RunJournal::Line>& to, RunJournal& journal) {
  const Json json = config::json_of(text);
  if (!json.is_object()) return void(++journal.damaged);
  const auto part = [&json](const char* key) { return shown_fact(json, key); };
  to.push_back({part("frame"), part("what"), part("variable"), part("value"), part("time"), part("who"),
                part("problem")});
}

/// Keeps what charts have marks of.
void note_happened(std::string_view text, RunJournal& journal) {
  static constexpr std::string_view kKinds[] = {"event",       "step",         "fault on", "fault off",
                                                "stimulus on", "stimulus off", "reset",    "load"};
  const auto names = [text](std::string_view kind) {
    return text.find("\"" + std::string(kind) + "\"") != std::string_view::npos;
  };
  if (std::ranges::none_of(kKinds, names)) return;  // most are not parsed
  const Json json = config::json_of(text);
  if (!json.is_object()) return;
  const std::string what = text_fact(json, "what");
  if (std::ranges::find(kKinds, what) == std::end(kKinds)) return;
  if (what == "reset" || what == "load") journal.went_back = true;
  const auto frame = integer_fact(json, "frame");
  if (!frame || text_fact(json, "name").empty() || journal.happened.size() >= RunJournal::kMostHappened)
    return;
  journal.happened.push_back({*frame, what, text_fact(json, "name")});
}

}  // namespace

std::string setting_in(const std::vector<Setting>& settings, const std::string& path) {
  const auto found = std::ranges::find(settings, path, &Setting::first);
  return found == settings.end() ? "" : found->second;
}

RunLogText read_log(const fs::path& file) {
  RunLogText log;
  executive::LineReader lines(file);
  for (std::string_view line; lines.next(line);) {
    constexpr std::size_t kTimeWidth = 23;  // 2026-11-21 13:12:03.123
    if (line.size() < kTimeWidth + 9) continue;
    if (log.began.empty()) log.began = line.substr(0, 19);
    const std::string_view level = line.substr(kTimeWidth + 1, 7);
    const std::string_view text = line.substr(kTimeWidth + 9);
    if (level.starts_with("warn")) {
      if (log.warnings.size() < RunLogText::kMostWarnings)
        log.warnings.emplace_back(text);
      else
        ++log.warnings_left_out;
    }
    std::optional<std::int64_t> frame;
    for (const char* const words :
         {"worst in frame ", "after the slot of frame ", "; frame "})  // those of older runs first
      if (!frame) frame = number_behind(text, words);
    if (!frame || log.why.size() >= kMostWhy) continue;
    if (const std::string_view why = cause_in(text); !why.empty()) log.why.emplace(*frame, why);
  }
  return log;
}

RunJournal read_journal(const fs::path& file) {
  RunJournal journal;
  std::deque<std::string> last;
  executive::LineReader lines(file);
  for (std::string_view line; lines.next(line);) {
    ++journal.lines;
    note_happened(line, journal);
    if (journal.first.size() < RunJournal::kMostLines) {
      keep_line(line, journal.first, journal);
      continue;
    }
    last.emplace_back(line);
    if (last.size() > RunJournal::kMostLines) last.pop_front();
  }
  for (const std::string& line : last) keep_line(line, journal.last, journal);
  return journal;
}

RunFiles read_run_files(const fs::path& folder, bool ended) {
  RunFiles run{.folder = folder};
  std::error_code error;
  const auto there = [&](const char* name) { return fs::exists(folder / name, error); };
  if (!fs::is_directory(folder, error))
    throw std::runtime_error(folder.string() +
                             " is not a folder; give one that `tactus run` made, as "
                             "runs/<rig>-<start time>");
  if (is_barely_begun(folder))
    throw std::runtime_error(
        folder.string() + (executive::FolderLock(folder).taken_by_another()
                               ? ": its rig is just being set up, and has no rig.yaml yet"
                               : ": the rig was killed before it wrote rig.yaml: nothing of it was started"));
  if (!there("rig.yaml") && error)
    throw std::runtime_error(folder.string() + " cannot be read: " + error.message());
  if (!there("rig.yaml") && !there("summary.json") && !there("frames.csv"))
    throw std::runtime_error(folder.string() +
                             " is not a run folder: it holds no rig.yaml, summary.json or frames.csv; give "
                             "one that `tactus run` made, as runs/<rig>-<start time>");
  if (!ended) run.still_runs = executive::FolderLock(folder).taken_by_another();

  std::string problem;
  run.summary = read_json(folder / "summary.json", problem);
  if (!problem.empty()) run.problems.push_back(problem);
  const auto attempt = [&](const char* name, const auto& read) {
    if (!there(name)) return;
    try {
      read(folder / name);
    } catch (const std::exception& failed) {
      const std::string why = failed.what();
      run.problems.push_back(why.find(name) == std::string::npos ? std::string(name) + ": " + why : why);
    }
  };
  attempt("rig.yaml", [&](const fs::path& file) {
    flatten(config::Document::from_file(file.string()).root(), "", run.settings);
  });
  attempt("log.txt", [&](const fs::path& file) { run.log = read_log(file); });
  attempt("journal.jsonl", [&](const fs::path& file) { run.journal = read_journal(file); });
  run.traces = executive::traces_in(folder);
  return run;
}

}  // namespace tactus::report
