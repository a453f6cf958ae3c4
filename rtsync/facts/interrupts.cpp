// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <utility>

#include "rtsync/facts/fact_probe.hpp"
#include "rtsync/host/provision.hpp"
#include "rtsync/joined.hpp"

namespace tactus::rtsync::probes {

FileText delivery_of(const Host& host, const std::string& number) {
  FileText effective = host.read("/proc/irq/" + number + "/effective_affinity_list");
  if (effective.readable() && !effective.text.empty()) return effective;
  return host.read("/proc/irq/" + number + "/smp_affinity_list");
}

namespace {

/// Count of an interrupt on the rig's CPUs, and its last word in the table: the device that uses it.
struct Interrupt {
  std::uint64_t count = 0;
  std::string name;
};

/// The CPU of each column of /proc/interrupts; nothing when the first line is no head of such a table.
std::optional<std::vector<int>> columns_of(std::string_view head) {
  std::vector<int> columns;
  for (const std::string_view word : words_of(head)) {
    const auto cpu = word.starts_with("CPU") ? whole_number(word.substr(3)) : std::nullopt;
    if (!cpu || *cpu < 0 || *cpu >= CpuSet::kLimit) return std::nullopt;
    columns.push_back(static_cast<int>(*cpu));
  }
  return columns;
}

/// Adds the counts of one line; its first word is the number of the interrupt.
void add_counts(const CpuSet& cpus, const std::vector<int>& columns,
                const std::vector<std::string_view>& words, Interrupt& interrupt) {
  for (std::size_t c = 0; c < columns.size() && c + 1 < words.size(); ++c) {
    const auto count = whole_number(words[c + 1]);
    if (count && *count > 0 && cpus.contains(columns[c]))
      interrupt.count += static_cast<std::uint64_t>(*count);
  }
  if (words.size() > columns.size() + 1) interrupt.name = std::string{words.back()};
}

/// /proc/interrupts by number, counting what came on these CPUs.
std::map<std::string, Interrupt> interrupts_on(const CpuSet& cpus, const std::string& table) {
  std::map<std::string, Interrupt> found;
  const auto lines = lines_of(table);
  const auto columns = lines.empty() ? std::nullopt : columns_of(lines.front());
  if (!columns) return found;
  for (std::size_t i = 1; i < lines.size(); ++i) {
    const auto words = words_of(lines[i]);
    if (words.empty() || !words.front().ends_with(':')) continue;
    const std::string_view number = words.front().substr(0, words.front().size() - 1);
    add_counts(cpus, *columns, words, found[std::string{number}]);
  }
  return found;
}

/// "24 eth0 (7 times)" for each of these numbers.
std::vector<std::string> described(const std::vector<std::string>& numbers,
                                   const std::map<std::string, Interrupt>& counted) {
  std::vector<std::string> texts;
  for (const std::string& number : numbers) {
    std::string text = number;
    if (const auto entry = counted.find(number); entry != counted.end()) {
      if (!entry->second.name.empty()) text += " " + entry->second.name;
      text += " (" + std::to_string(entry->second.count) + " times)";
    }
    texts.push_back(text);
  }
  return texts;
}

/// The names that are numbers, 4 before 24.
std::vector<std::string> numbers_among(std::vector<std::string> names) {
  std::erase_if(names, [](const std::string& name) { return !whole_number(name); });
  std::ranges::sort(names, [](const std::string& a, const std::string& b) {
    return std::pair{a.size(), a} < std::pair{b.size(), b};
  });
  return names;
}

/// Destinations of the interrupts.
struct Deliveries {
  std::vector<std::string> here;  // their numbers
  int known = 0;
  std::string problem;  // of the first that is not known
};

Deliveries deliveries_of(const Host& host, const std::vector<std::string>& numbers) {
  Deliveries all;
  for (const std::string& number : numbers) {
    const FileText delivery = delivery_of(host, number);
    if (const auto cpus = cpus_in(delivery)) {
      ++all.known;
      if (cpus->intersects(host.rt)) all.here.push_back(number);
    } else if (all.problem.empty()) {
      all.problem = problem_of(delivery);
    }
  }
  return all;
}

std::string move_fix(const std::vector<std::string>& numbers, const CpuSet& rest) {
  if (rest.empty()) return "leave a CPU to the interrupts: give the rig fewer";
  std::string list = rtsync::joined(numbers, " ");
  return "for i in " + list + "; do echo " + rest.text() +
         " | sudo tee /proc/irq/$i/smp_affinity_list; done; for those to come: " +
         boot_fix("irqaffinity=" + rest.text());
}

}  // namespace

Fact interrupts(const Host& host) {
  constexpr Subject kSubject{"interrupts", "no device interrupt is delivered to the rig's CPUs",
                             "each one takes microseconds of a frame, at an unpredictable moment"};
  const std::string look = "cat /proc/interrupts";
  const FolderNames folder = host.list("/proc/irq");
  if (!folder.problem.empty()) return unknown(kSubject, folder.problem, look);
  if (host.rt.empty()) return unknown(kSubject, kNoCpu, look);
  const auto [here, known, problem] = deliveries_of(host, numbers_among(folder.names));
  if (!here.empty()) {
    const auto counted = interrupts_on(host.rt, host.read("/proc/interrupts").text);
    return fact(
        kSubject, Grade::warn,
        std::to_string(here.size()) + " on CPUs " + host.rt.text() + ": " + joined(described(here, counted)),
        move_fix(here, host.rest()));
  }
  if (!problem.empty() || known == 0)
    return unknown(kSubject, text_or(problem, "/proc/irq lists no interrupt"), look);
  return fact(kSubject, Grade::ok, "none of " + std::to_string(known));
}

Fact irq_balancer(const Host& host) {
  constexpr Subject kSubject{"irqbalance", "not running",
                             "it moves interrupts back onto the rig's CPUs every ten seconds"};
  const FolderNames folder = host.list("/proc");
  if (!folder.problem.empty()) return unknown(kSubject, folder.problem, "pgrep irqbalance");
  bool kernel_threads = false;
  for (const std::string& name : folder.names) {
    if (!whole_number(name)) continue;
    const std::string comm = host.read("/proc/" + name + "/comm").text;
    if (comm == "irqbalance")
      return fact(kSubject, Grade::warn, "running as process " + name,
                  "sudo systemctl disable --now irqbalance");
    kernel_threads |= comm == "kthreadd";
  }
  // Who does not see the kernel's threads looks out of a container, and sees no daemon of the host either.
  if (!kernel_threads)
    return unknown(kSubject, "the host's processes are not visible from here",
                   "pgrep irqbalance, on the host");
  return fact(kSubject, Grade::ok, "not running");
}

}  // namespace tactus::rtsync::probes
