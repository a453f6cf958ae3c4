// SPDX-License-Identifier: Apache-2.0
#include "drivers/silkit/api/metrics.hpp"

#include <pwd.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <array>
#include <filesystem>
#include <system_error>
#include <thread>

#include "drivers/silkit/api/json.hpp"
#include "rtsync/word_of.hpp"

namespace tactus::silkit {
namespace {

constexpr const char* kUnknown = "<unknown>";

std::string kind_text(MetricKind kind) {
  static constexpr rtsync::Worded<MetricKind> kWords[] = {{MetricKind::counter, "\"COUNTER\""},
                                                          {MetricKind::statistic, "\"STATISTIC\""},
                                                          {MetricKind::string_list, "\"STRING_LIST\""},
                                                          {MetricKind::attribute, "\"ATTRIBUTE\""}};
  return rtsync::word_of(kWords, kind, std::to_string(static_cast<std::uint32_t>(kind)).c_str());
}

std::string user_name() {
  std::array<char, 4096> memory{};
  passwd entry{};
  passwd* found = nullptr;
  const bool known = ::getpwuid_r(::getuid(), &entry, memory.data(), memory.size(), &found) == 0;
  return known && found != nullptr ? found->pw_name : kUnknown;
}

}  // namespace

std::string json_line(const std::string& participant, const Metric& metric) {
  const bool plain = metric.kind == MetricKind::attribute;
  return "{\"ts\":" + std::to_string(metric.time_ns) + ",\"pn\":" + json_text(participant) +
         ",\"mn\":" + json_text(metric.name) + ",\"mk\":" + kind_text(metric.kind) +
         ",\"mv\":" + (plain ? json_text(metric.value) : metric.value) + "}\n";
}

MetricsFiles::MetricsFiles(const std::vector<std::string>& names) {
  const std::string time = file_time();
  for (const std::string& name : names)
    files_.push_back(open_to_append("metrics", name + '_' + time + ".txt"));
}

void MetricsFiles::put(const std::string& participant, const MetricsUpdate& update) {
  std::string lines;
  for (const Metric& metric : update.metrics) lines += json_line(participant, metric);
  for (const auto& file : files_) {
    (void)std::fwrite(lines.data(), 1, lines.size(), file.get());
    (void)std::fflush(file.get());
  }
}

std::vector<std::pair<std::string, std::string>> environment_metrics() {
  utsname system{};
  const bool known = ::uname(&system) == 0;
  std::error_code error;
  const std::filesystem::path program = std::filesystem::read_symlink("/proc/self/exe", error);
  const std::int64_t page = ::sysconf(_SC_PAGESIZE);
  const std::int64_t pages = ::sysconf(_SC_PHYS_PAGES);
  const auto text = [known](const char* value) { return std::string(known ? value : kUnknown); };
  return {{"SilKit/System/OperatingSystem", text(system.sysname) + " " + text(system.release)},
          {"SilKit/System/Hostname", text(system.nodename)},
          {"SilKit/System/PageSize", std::to_string(page)},
          {"SilKit/System/ProcessorCount", std::to_string(std::thread::hardware_concurrency())},
          {"SilKit/System/ProcessorArchitecture", text(system.machine)},
          {"SilKit/System/PhysicalMemory", std::to_string(page * pages / (1024 * 1024)) + " MiB"},
          {"SilKit/Process/Executable", error ? kUnknown : program.string()},
          {"SilKit/Process/Username", user_name()}};
}

}  // namespace tactus::silkit
