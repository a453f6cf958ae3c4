// SPDX-License-Identifier: Apache-2.0
#include "rtsync/evidence/cpu_watch.hpp"

#include <unistd.h>

#include <algorithm>
#include <string_view>

#include "rtsync/host/host_file.hpp"
#include "rtsync/time/duration_text.hpp"

namespace tactus::rtsync {
namespace {

using Counts = std::map<std::string, std::int64_t>;

std::string folder_of(std::uint32_t cpu) { return "/sys/devices/system/cpu/cpu" + std::to_string(cpu) + "/"; }

/// The column of a CPU in a table such as /proc/interrupts: its counts by name, and what follows them.
Counts column_of(std::string_view table, std::uint32_t cpu, bool described) {
  Counts counts;
  const std::vector<std::string_view> lines = lines_of(table);
  if (lines.empty()) return counts;
  const std::vector<std::string_view> head = words_of(lines.front());
  const auto found = std::find(head.begin(), head.end(), "CPU" + std::to_string(cpu));
  if (found == head.end()) return counts;
  const std::size_t column = static_cast<std::size_t>(found - head.begin()) + 1;
  for (std::size_t i = 1; i < lines.size(); ++i) {
    const std::vector<std::string_view> words = words_of(lines[i]);
    if (words.size() <= column || !words.front().ends_with(':')) continue;
    const auto count = whole_number(words[column]);
    if (!count) continue;
    std::string name(words.front().substr(0, words.front().size() - 1));
    if (described && words.size() > head.size() + 1) name += " " + std::string(words.back());
    counts[name] = *count;
  }
  return counts;
}

/// ", softirq NET_RX 1200 times, ...": what grew most.
std::string growth(const Counts& before, const Counts& now, const std::string& what) {
  constexpr std::size_t kNamed = 2;
  std::vector<std::pair<std::int64_t, std::string>> grown;
  for (const auto& [name, count] : now) {
    const auto old = before.find(name);
    if (old != before.end() && count > old->second) grown.emplace_back(count - old->second, name);
  }
  std::sort(grown.rbegin(), grown.rend());
  grown.resize(std::min(grown.size(), kNamed));
  std::string text;
  for (const auto& [count, name] : grown)
    text += ", " + what + " " + name + " " + std::to_string(count) + (count == 1 ? " time" : " times");
  return text;
}

}  // namespace

void CpuWatch::watch(const CpuSet& cpus, const std::filesystem::path& root) {
  root_ = root;
  cpus_.clear();
  group_.reset();
  for (const int number : cpus.cpus()) {
    auto cpu = std::make_unique<Cpu>();
    cpu->number = static_cast<std::uint32_t>(number);
    cpus_.push_back(std::move(cpu));
  }
  look();
}

void CpuWatch::look() {
  for (const auto& cpu : cpus_) {
    look_at_frequency(*cpu);
    look_at_idle_states(*cpu);
    look_at_activity(*cpu);
  }
  if (!cpus_.empty()) look_at_group();  // else nothing is watched
}

/// Reads the frequency, unless a governor changes it: then it does not describe the moment of a frame.
void CpuWatch::look_at_frequency(Cpu& cpu) const {
  const std::string folder = folder_of(cpu.number) + "cpufreq/";
  const auto frequency = read_host_number(root_, folder + "scaling_cur_freq");
  const auto lowest = read_host_number(root_, folder + "scaling_min_freq");
  const auto highest = read_host_number(root_, folder + "scaling_max_freq");
  const bool fixed = read_host_file(root_, folder + "scaling_governor").text == "performance" ||
                     (lowest && highest && *lowest == *highest);
  if (!frequency || *frequency <= 0 || !fixed) {
    cpu.frequencies.clear();
    cpu.speed_permille.store(-1, std::memory_order_relaxed);
    return;
  }
  if (cpu.frequencies.size() == kMostSpeeds) cpu.frequencies.erase(cpu.frequencies.begin());
  cpu.frequencies.push_back(*frequency);
  std::vector<std::int64_t> sorted = cpu.frequencies;
  const auto middle = sorted.begin() + static_cast<std::ptrdiff_t>(sorted.size() / 2);
  std::nth_element(sorted.begin(), middle, sorted.end());
  const std::int64_t permille = *frequency * 1000 / *middle;
  cpu.speed_permille.store(static_cast<std::int32_t>(std::min<std::int64_t>(permille, 10'000)),
                           std::memory_order_relaxed);
}

void CpuWatch::look_at_idle_states(Cpu& cpu) const {
  constexpr std::size_t kMostStates = 16;
  constexpr int kLately = 2;
  std::int64_t longest = -1;
  for (std::size_t i = 0; i < kMostStates; ++i) {
    const std::string state = folder_of(cpu.number) + "cpuidle/state" + std::to_string(i) + "/";
    const auto latency_us = read_host_number(root_, state + "latency");
    const auto usage = read_host_number(root_, state + "usage");
    if (!latency_us || !usage) break;
    if (cpu.idle_states.size() <= i) cpu.idle_states.push_back({});
    IdleState& seen = cpu.idle_states[i];
    seen.used_ago = *usage != seen.usage ? 0 : std::min(seen.used_ago + 1, kLongAgo);
    seen.usage = *usage;
    if (seen.used_ago <= kLately) longest = std::max(longest, *latency_us * 1000);
  }
  cpu.idle_exit_ns.store(longest, std::memory_order_relaxed);
}

void CpuWatch::look_at_activity(Cpu& cpu) const {
  const std::int64_t steal =
      stolen_ticks(read_host_file(root_, "/proc/stat").text, static_cast<int>(cpu.number)).value_or(-1);
  Counts interrupts = column_of(read_host_file(root_, "/proc/interrupts").text, cpu.number, true);
  Counts softirqs = column_of(read_host_file(root_, "/proc/softirqs").text, cpu.number, false);
  std::string text;
  if (cpu.steal_ticks >= 0 && steal > cpu.steal_ticks) {
    const std::int64_t tick_ns = 1'000'000'000 / std::max(::sysconf(_SC_CLK_TCK), 1L);
    text = ", steal " + duration_text(Nanoseconds{(steal - cpu.steal_ticks) * tick_ns});
  }
  text += growth(cpu.softirqs, softirqs, "softirq") + growth(cpu.interrupts, interrupts, "irq");
  cpu.activity = text.empty() ? text : text.substr(2);
  cpu.steal_ticks = steal;
  cpu.interrupts = std::move(interrupts);
  cpu.softirqs = std::move(softirqs);
}

void CpuWatch::look_at_group() {
  const std::optional<GroupStops> now = read_group_stops(root_);
  group_stops_ =
      now && group_ ? GroupStops{now->times - group_->times, now->took - group_->took} : GroupStops{};
  group_ = now;
}

const CpuWatch::Cpu* CpuWatch::find(std::uint32_t cpu) const TACTUS_RT {
  for (const auto& one : cpus_)
    if (one->number == cpu) return one.get();
  return nullptr;
}

std::optional<double> CpuWatch::speed(std::uint32_t cpu) const TACTUS_RT {
  const Cpu* const found = find(cpu);
  const std::int32_t permille = found == nullptr ? -1 : found->speed_permille.load(std::memory_order_relaxed);
  return permille < 0 ? std::nullopt : std::optional(permille / 1000.0);
}

std::optional<Nanoseconds> CpuWatch::idle_exit(std::uint32_t cpu) const TACTUS_RT {
  const Cpu* const found = find(cpu);
  const std::int64_t longest = found == nullptr ? -1 : found->idle_exit_ns.load(std::memory_order_relaxed);
  return longest < 0 ? std::nullopt : std::optional(Nanoseconds{longest});
}

std::string CpuWatch::activity(std::uint32_t cpu) const {
  const Cpu* const found = find(cpu);
  return found == nullptr ? "" : found->activity;
}

}  // namespace tactus::rtsync
