// SPDX-License-Identifier: Apache-2.0
#include "rtsync/facts/fact_probe.hpp"

#include <algorithm>
#include <cstddef>
#include <system_error>
#include <utility>

namespace tactus::rtsync::probes {

bool Host::exists(std::string_view file) const {
  std::error_code ignored;
  return std::filesystem::exists(path(file), ignored);
}

FolderNames Host::list(const std::string& folder) const {
  constexpr std::size_t kMost = 100'000;  // nothing here may take for ever
  std::vector<std::string> names;
  std::error_code error;
  std::filesystem::directory_iterator entry{path(folder), error};
  while (!error && entry != std::filesystem::directory_iterator{} && names.size() < kMost) {
    names.push_back(entry->path().filename().string());
    entry.increment(error);
  }
  if (error) return {{}, folder + " could not be read: " + error.message()};
  std::ranges::sort(names);
  return {std::move(names), {}};
}

Fact fact(const Subject& subject, Grade grade, std::string found, std::string fix) {
  return {.name = subject.name,
          .grade = grade,
          .found = std::move(found),
          .needed = subject.needed,
          .why = subject.why,
          .fix = grade == Grade::ok ? std::string{} : std::move(fix)};
}

Fact unknown(const Subject& subject, const std::string& problem, std::string fix) {
  return fact(subject, Grade::warn, "unknown: " + problem, std::move(fix));
}

Fact should_be_zero(const Host& host, const Subject& subject, const std::string& sysctl) {
  std::string file = sysctl;
  std::ranges::replace(file, '.', '/');
  const FileText read = host.read("/proc/sys/" + file);
  const std::string fix = sysctl_fix(sysctl, "0");
  const auto value = whole_number(read.text);
  if (!value) return unknown(subject, problem_of(read), fix);
  return fact(subject, *value == 0 ? Grade::ok : Grade::warn, sysctl + " is " + std::to_string(*value), fix);
}

std::string problem_of(const FileText& read) {
  return read.readable() ? read.file + " says " + in_quotes(read.text) : read.why();
}

std::string text_or(const std::string& text, const std::string& otherwise) {
  return text.empty() ? otherwise : text;
}

std::string joined(const std::vector<std::string>& pieces) {
  constexpr std::size_t kMost = 8;
  std::string text;
  for (std::size_t i = 0; i < pieces.size() && i < kMost; ++i) text += (i == 0 ? "" : ", ") + pieces[i];
  if (pieces.size() > kMost) text += " and " + std::to_string(pieces.size() - kMost) + " more";
  return text;
}

std::string in_quotes(std::string_view text) {
  constexpr std::size_t kMost = 80;
  std::string shown;
  for (const char c : text.substr(0, kMost))
    shown += static_cast<unsigned char>(c) < 0x20 || c == 0x7f ? ' ' : c;
  return "'" + shown + (text.size() > kMost ? "...'" : "'");
}

std::optional<CpuSet> cpus_in(const FileText& read) {
  return read.readable() ? CpuSet::try_parse(read.text) : std::nullopt;
}

std::string cpu_file(const std::string& file) { return std::string{kCpuFolder} + "/" + file; }

std::string cpu_file(int cpu, const std::string& file) {
  return cpu_file("cpu" + std::to_string(cpu) + "/" + file);
}

std::string write_per_cpu(const CpuSet& cpus, const std::string& value, const std::string& file) {
  std::string list;
  for (const int cpu : cpus.cpus()) list += (list.empty() ? "" : " ") + std::to_string(cpu);
  return "for c in " + list + "; do echo " + value + " | sudo tee " + cpu_file("cpu$c/" + file) + "; done";
}

std::string sysctl_fix(const std::string& name, const std::string& value) {
  return "sudo sysctl -w " + name + "=" + value + "; to keep it: echo '" + name + " = " + value +
         "' | sudo tee -a /etc/sysctl.d/60-tactus.conf";
}

}  // namespace tactus::rtsync::probes
