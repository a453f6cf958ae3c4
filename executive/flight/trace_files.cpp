// SPDX-License-Identifier: Apache-2.0
#include "executive/flight/trace_files.hpp"

#include <algorithm>
#include <cstdlib>
#include <system_error>
#include <tuple>
#include <utility>

#include "config/json_of.hpp"
#include "rtsync/host/folder_file.hpp"
#include "rtsync/host/host_file.hpp"

namespace tactus::executive {

namespace fs = std::filesystem;

namespace {

constexpr const char* kTracePrefix = "trace-";
constexpr const char* kTraceSuffix = ".pftrace";

}  // namespace

std::string free_trace_name(const fs::path& folder, std::int64_t frame) {
  const std::string name = kTracePrefix + std::to_string(frame);
  std::error_code none;
  std::string found = name;
  for (int i = 2; fs::exists(folder / (found + kTraceSuffix), none); ++i)
    found = name + "-" + std::to_string(i);
  return found;
}

std::string text_of_trace(const std::string& file) {
  return fs::path(file).replace_extension(".txt").string();
}

std::string trace_title(std::int64_t frame, const std::string& rig, const std::string& why) {
  return "frame " + std::to_string(frame) + " of rig " + rig + ": " + why;
}

std::vector<TraceFile> traces_in(const fs::path& folder) {
  std::vector<std::pair<fs::file_time_type, TraceFile>> found;
  for (const fs::path& entry : rtsync::entries_of(folder)) {
    const std::string name = entry.filename().string();
    if (!name.starts_with(kTracePrefix) || !name.ends_with(kTraceSuffix)) continue;
    TraceFile trace{name, std::strtoll(name.c_str() + std::string(kTracePrefix).size(), nullptr, 10), ""};
    int error = 0;
    std::string title = rtsync::read_folder_file(folder / text_of_trace(name), error, 4096);
    title.resize(std::min(title.find('\n'), title.size()));
    if (const std::size_t colon = title.find(": "); colon != std::string::npos)
      trace.why = title.substr(colon + 2);
    std::error_code none;
    found.emplace_back(fs::last_write_time(entry, none), std::move(trace));
  }
  std::ranges::sort(found, {}, [](const auto& each) { return std::tie(each.first, each.second.file); });
  std::vector<TraceFile> traces;
  for (auto& each : found) traces.push_back(std::move(each.second));
  return traces;
}

std::optional<TraceFile> trace_with(const fs::path& folder, std::int64_t frame, std::int64_t before,
                                    std::int64_t after) {
  std::optional<TraceFile> found;
  for (TraceFile& trace : traces_in(folder)) {
    if (frame < trace.frame - before || frame > trace.frame + after) continue;
    if (!found || trace.frame == frame) found = std::move(trace);
    if (found->frame == frame) break;
  }
  return found;
}

config::Json traces_json(const std::vector<TraceFile>& traces) {
  config::Json all = config::Json::array();
  for (const TraceFile& trace : traces)
    all.push_back({{"file", trace.file}, {"frame", trace.frame}, {"why", trace.why}});
  return all;
}

void list_traces(const fs::path& folder) {
  const fs::path file = folder / "summary.json";
  int error = 0;
  config::Json summary = config::json_of(rtsync::read_folder_file(file, error));
  if (!summary.is_object()) return;
  summary["traces"] = traces_json(traces_in(folder));
  // Where it cannot be, the trace is there all the same.
  (void)rtsync::replace_folder_file(
      file, summary.dump(2, ' ', false, config::Json::error_handler_t::replace) + "\n");
}

}  // namespace tactus::executive
