// SPDX-License-Identifier: Apache-2.0
#include "rtsync/evidence/stamp_clock.hpp"

#include <sys/syscall.h>
#include <unistd.h>

#include <chrono>
#include <thread>

#include "rtsync/evidence/kernel_events.hpp"
#include "rtsync/host/host_file.hpp"
#include "rtsync/time/kernel_clock.hpp"

namespace tactus::rtsync {

Nanoseconds clock_shift(const std::filesystem::path& root) {
  const FileText offsets = read_host_file(root, "/proc/self/timens_offsets");
  for (const std::string_view line : lines_of(offsets.text)) {
    const std::vector<std::string_view> words = words_of(line);
    if (words.size() != 3 || words[0] != "monotonic") continue;
    const auto seconds = whole_number(words[1]);
    const auto rest = whole_number(words[2]);
    if (seconds && rest) return std::chrono::seconds{*seconds} + Nanoseconds{*rest};
  }
  return Nanoseconds{0};
}

std::optional<Nanoseconds> stamp_age() {
  EventRing ring;
  EventRates rates;
  if (ring.open_thread(static_cast<pid_t>(::syscall(SYS_gettid)), rates) != 0) return std::nullopt;
  std::optional<Nanoseconds> least;
  std::uint64_t at = ring.head();
  for (int i = 0; i < 3; ++i) {
    std::this_thread::sleep_for(std::chrono::microseconds{20});
    const std::uint64_t head = ring.head();  // before the clock: a record behind it may be newer than that
    const EvidenceTime now = monotonic_now();
    EventRecord record;
    std::optional<EvidenceTime> newest;
    while (at < head && ring.bytes().next(at, head, record)) newest = record.at;
    // It may have been interrupted for long between the record and the clock.
    if (newest && (!least || now - *newest < *least)) least = now - *newest;
  }
  return least;
}

}  // namespace tactus::rtsync
