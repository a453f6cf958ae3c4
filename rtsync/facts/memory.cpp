// SPDX-License-Identifier: Apache-2.0
#include <cstddef>

#include "rtsync/facts/fact_probe.hpp"

namespace tactus::rtsync::probes {

Fact swap(const Host& host) {
  constexpr Subject kSubject{"swap", "no swap",
                             "memory that is not locked may have to be read back from a disk"};
  const std::string fix = "sudo swapoff -a";
  const FileText read = host.read("/proc/swaps");
  const auto lines = lines_of(read.text);
  if (lines.empty() || !lines.front().starts_with("Filename"))
    return unknown(kSubject, problem_of(read), fix);
  std::vector<std::string> devices;
  for (std::size_t i = 1; i < lines.size(); ++i) {
    if (const auto words = words_of(lines[i]); !words.empty()) devices.emplace_back(words.front());
  }
  return devices.empty() ? fact(kSubject, Grade::ok, "none")
                         : fact(kSubject, Grade::warn, joined(devices), fix);
}

Fact huge_pages(const Host& host) {
  constexpr Subject kSubject{"transparent huge pages", "'madvise' or 'never'",
                             "khugepaged moves memory and stalls the threads that use it"};
  const std::string file = "/sys/kernel/mm/transparent_hugepage/enabled";
  const std::string fix = "echo madvise | sudo tee " + file;
  const FileText read = host.read(file);
  if (read.absent() && host.built_without("CONFIG_TRANSPARENT_HUGEPAGE"))
    return fact(kSubject, Grade::ok, "not in this kernel");
  const auto mode = chosen(read.text, '[', ']');
  if (!mode) return unknown(kSubject, problem_of(read), fix);
  const bool still = *mode == "madvise" || *mode == "never";
  return fact(kSubject, still ? Grade::ok : Grade::warn, in_quotes(*mode), fix);
}

Fact compaction(const Host& host) {
  return should_be_zero(
      host,
      {"memory compaction", "vm.compact_unevictable_allowed is 0",
       "the kernel may move locked pages, and a frame faults on a page that is being moved"},
      "vm.compact_unevictable_allowed");
}

Fact numa_balancing(const Host& host) {
  constexpr Subject kSubject{"NUMA balancing", "kernel.numa_balancing is 0",
                             "the kernel unmaps pages to see which thread uses them, also those of a frame"};
  if (!host.exists("/proc/sys/kernel/numa_balancing") && host.built_without("CONFIG_NUMA_BALANCING"))
    return fact(kSubject, Grade::ok, "not in this kernel");
  return should_be_zero(host, kSubject, "kernel.numa_balancing");
}

}  // namespace tactus::rtsync::probes
