// SPDX-License-Identifier: Apache-2.0
#include "executive/campaign/engine/slurm_text.hpp"

#include <algorithm>
#include <cmath>

#include "config/text.hpp"
#include "rtsync/text.hpp"

namespace tactus::campaign::slurm {
namespace {

using config::trimmed;
using rtsync::parts_of;

}  // namespace

std::map<std::string, std::string> config_of(std::string_view text) {
  std::map<std::string, std::string> all;
  for (const std::string_view line : parts_of(text, '\n')) {
    const std::size_t sign = line.find(" = ");
    if (sign == std::string_view::npos) continue;
    all.emplace(trimmed(line.substr(0, sign)), trimmed(line.substr(sign + 3)));
  }
  return all;
}

std::map<std::string, std::string> words_of(std::string_view line) {
  std::map<std::string, std::string> all;
  for (const std::string_view word : parts_of(line, ' ')) {
    const std::size_t sign = word.find('=');
    if (sign != std::string_view::npos && sign > 0)
      all.emplace(trimmed(word.substr(0, sign)), trimmed(word.substr(sign + 1)));
  }
  return all;
}

std::vector<std::pair<std::int64_t, std::int64_t>> tasks_of(std::string_view text) {
  std::vector<std::pair<std::int64_t, std::int64_t>> all;
  for (const std::string_view part : parts_of(text.substr(0, text.find('%')), ',')) {
    std::string_view range = part;
    std::int64_t step = 1;
    if (const std::size_t colon = range.find(':'); colon != std::string_view::npos) {
      const auto given = rtsync::read_number<std::int64_t>(range.substr(colon + 1));
      if (!given || *given < 1) return {};
      step = *given;
      range = range.substr(0, colon);
    }
    const std::size_t dash = range.find('-');
    const auto first = rtsync::read_number<std::int64_t>(range.substr(0, dash));
    const auto last =
        dash == std::string_view::npos ? first : rtsync::read_number<std::int64_t>(range.substr(dash + 1));
    if (!first || !last || *last < *first) return {};
    if (step == 1) {
      all.emplace_back(*first, *last);
    } else {
      for (std::int64_t one = *first; one <= *last; one += step) all.emplace_back(one, one);
    }
  }
  return all;
}

double seconds_of(std::string_view text) {
  double days = 0;
  if (const std::size_t dash = text.find('-'); dash != std::string_view::npos) {
    days = static_cast<double>(rtsync::read_number<std::int64_t>(text.substr(0, dash)).value_or(0));
    text = text.substr(dash + 1);
  }
  const std::vector<std::string_view> parts = parts_of(text, ':');
  double value = 0;
  for (const std::string_view part : parts) {
    const auto number = rtsync::read_number<std::int64_t>(part);
    if (!number) return 0;
    value = value * 60 + static_cast<double>(*number);
  }
  if (parts.size() == 1) value *= days > 0 ? 3600 : 60;
  if (parts.size() == 2 && days > 0) value *= 60;
  return days * 86400 + value;
}

std::string time_text(double seconds) {
  const auto minutes = static_cast<std::int64_t>(std::ceil(std::max(seconds, 1.0) / 60));
  const auto two = [](std::int64_t number) { return (number < 10 ? "0" : "") + std::to_string(number); };
  return std::to_string(minutes / 1440) + "-" + two(minutes / 60 % 24) + ":" + two(minutes % 60) + ":00";
}

std::vector<QueuedTasks> queue_of(std::string_view text) {
  std::vector<QueuedTasks> all;
  for (const std::string_view line : parts_of(text, '\n')) {
    const std::vector<std::string_view> cells = parts_of(trimmed(line), '|');
    if (cells.size() < 5) continue;
    for (const auto& [first, last] : tasks_of(cells[1]))
      all.push_back({std::string(cells[0]), first, last, cells[2] != "PENDING", std::string(cells[3]),
                     std::string(cells[4])});
  }
  return all;
}

std::optional<TaskEnd> end_of_task(std::string_view line) {
  const auto words = words_of(line);
  const auto of = [&](const char* key) {
    const auto at = words.find(key);
    return at == words.end() ? std::string_view() : std::string_view(at->second);
  };
  const auto task = rtsync::read_number<std::int64_t>(of("ArrayTaskId"));
  if (!task || of("ArrayJobId").empty()) return std::nullopt;
  TaskEnd end{.job = std::string(of("ArrayJobId")), .task = *task, .state = std::string(of("JobState"))};
  const std::vector<std::string_view> code = parts_of(of("ExitCode"), ':');
  end.status = static_cast<int>(rtsync::read_number<std::int64_t>(code[0]).value_or(0));
  if (code.size() > 1) end.signal = static_cast<int>(rtsync::read_number<std::int64_t>(code[1]).value_or(0));
  if (of("NodeList") != "(null)") end.node = of("NodeList");
  return end;
}

std::string job_of(std::string_view text) {
  for (const std::string_view line : parts_of(text, '\n')) {
    const std::string_view id = trimmed(line).substr(0, trimmed(line).find(';'));
    if (rtsync::read_number<std::int64_t>(id)) return std::string(id);
  }
  return "";
}

std::int64_t gres_of(std::string_view text, std::string_view name) {
  std::int64_t sum = 0;
  for (const std::string_view part : parts_of(text, ',')) {
    const std::string_view plain = part.substr(0, part.find('('));
    const std::vector<std::string_view> words = parts_of(plain, ':');
    if (trimmed(words.front()) != name) continue;
    sum += words.size() == 1 ? 1 : rtsync::read_number<std::int64_t>(words.back()).value_or(1);
  }
  return sum;
}

}  // namespace tactus::campaign::slurm
