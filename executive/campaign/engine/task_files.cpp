// SPDX-License-Identifier: Apache-2.0
#include "executive/campaign/engine/task_files.hpp"

#include <fcntl.h>

#include <cerrno>
#include <charconv>
#include <system_error>

#include "config/json.hpp"
#include "config/json_of.hpp"
#include "rtsync/host/folder_file.hpp"

namespace tactus::campaign {
namespace {

namespace fs = std::filesystem;

constexpr const char* kReports = ".cases";

fs::path task_file(const fs::path& array, std::int64_t task) {
  return array / (std::to_string(task) + ".task");
}

[[noreturn]] void fail(int error, const fs::path& file) {
  throw std::system_error(error, std::generic_category(), file.string());
}

}  // namespace

fs::path array_folder(const fs::path& campaign, int array) {
  return campaign / "engine" / std::to_string(array);
}

void write_task(const fs::path& array, std::int64_t task, const TaskWork& work) {
  Json cases = Json::array();
  for (const TaskCase& each : work.cases)
    cases.push_back(
        {{"number", each.number}, {"attempt", each.attempt}, {"line", each.line}, {"words", each.words}});
  const Json all{{"timeout_s", work.timeout_s},
                 {"kill_after_s", work.kill_after_s},
                 {"realtime", work.realtime},
                 {"cases", std::move(cases)}};
  const fs::path file = task_file(array, task);
  if (const int error = rtsync::replace_folder_file(file, all.dump() + "\n"); error != 0) fail(error, file);
}

TaskWork read_task(const fs::path& array, std::int64_t task) {
  const fs::path file = task_file(array, task);
  int error = 0;
  const std::string text = rtsync::read_folder_file(file, error);
  if (error != 0) fail(error, file);
  const Json all = config::json_of(text);
  try {
    TaskWork work{.timeout_s = all.at("timeout_s"),
                  .kill_after_s = all.at("kill_after_s"),
                  .realtime = all.at("realtime")};
    for (const Json& each : all.at("cases"))
      work.cases.push_back({each.at("number"), each.at("attempt"), each.at("line"),
                            each.at("words").get<std::vector<std::string>>()});
    return work;
  } catch (const Json::exception&) {
    throw std::runtime_error(file.string() +
                             " is not a file of a task; it was written by another version, or is torn");
  }
}

TaskReport::TaskReport(const fs::path& array, std::int64_t task, const std::string& instance,
                       std::string node)
    : file_(array / (std::to_string(task) + "." + instance + kReports)),
      node_(std::move(node)),
      out_(rtsync::open_folder_file(file_, O_WRONLY | O_CREAT | O_APPEND)) {
  if (out_.get() < 0) fail(errno, file_);
}

void TaskReport::write(const std::string& line) {
  // A line begins with a line break, so that one that was torn before does not spoil it.
  if (const int error = rtsync::append_whole(out_.get(), "\n" + line + "\n"); error != 0) fail(error, file_);
}

void TaskReport::begins(std::size_t place) { write(Json{{"begins", place}, {"node", node_}}.dump()); }

void TaskReport::ends(std::size_t place, const ProcessEnd& end) {
  write(Json{{"ends", place}, {"node", node_}, {"end", config::json_of(end_text(end))}}.dump());
}

std::vector<CaseReport> TaskReports::read(const fs::path& array) {
  std::vector<CaseReport> all;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(array, error)) {
    const std::string name = entry.path().filename().string();
    if (entry.path().extension() != kReports) continue;
    std::int64_t task = 0;
    const auto [end, problem] = std::from_chars(name.data(), name.data() + name.size(), task);
    if (problem != std::errc() || *end != '.') continue;
    std::uintmax_t& done = read_[entry.path().string()];
    std::error_code none;
    if (fs::file_size(entry.path(), none) <= done || none) continue;
    int failed = 0;
    const std::string text = rtsync::read_folder_file(entry.path(), failed);
    if (failed != 0 || text.size() <= done) continue;
    std::size_t at = static_cast<std::size_t>(done);
    for (std::size_t stop = text.find('\n', at); stop != std::string::npos; stop = text.find('\n', at)) {
      const Json line = config::json_of(std::string_view(text).substr(at, stop - at));
      at = stop + 1;
      if (!line.is_object()) continue;
      const bool ends = line.contains("ends");
      const char* const key = ends ? "ends" : "begins";
      if (!line.contains(key) || !line[key].is_number_unsigned()) continue;
      CaseReport report{.task = task, .place = line[key].get<std::size_t>()};
      if (line.contains("node") && line["node"].is_string()) report.node = line["node"].get<std::string>();
      if (ends && line.contains("end")) report.end = end_of(line["end"].dump());
      if (ends && !report.end) continue;
      all.push_back(std::move(report));
    }
    done = at;
  }
  return all;
}

}  // namespace tactus::campaign
