// SPDX-License-Identifier: Apache-2.0
#include "rtsync/thread/thread_look.hpp"

#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "rtsync/host/host_file.hpp"

namespace tactus::rtsync {
namespace {

using namespace std::chrono_literals;

struct Seen {
  char state = '?';
  Nanoseconds in_user{0}, in_kernel{0};
  std::int64_t blocks = 0;
};

/// Nothing: it has ended.
std::optional<Seen> see(pid_t tid) {
  const std::string folder = "/proc/self/task/" + std::to_string(tid);
  const std::string stat = read_host_file("/", folder + "/stat").text;
  const std::size_t name_end = stat.rfind(')');  // a name may have one, too
  if (name_end == std::string::npos) return std::nullopt;
  const std::vector<std::string_view> words = words_of(std::string_view(stat).substr(name_end + 1));
  if (words.size() < 13) return std::nullopt;
  const Nanoseconds tick = Nanoseconds{1s} / std::max(::sysconf(_SC_CLK_TCK), 1L);
  const std::string status = read_host_file("/", folder + "/status").text;
  return Seen{words[0].front(), whole_number(words[11]).value_or(0) * tick,
              whole_number(words[12]).value_or(0) * tick,
              number_behind(status, "\nvoluntary_ctxt_switches:\t").value_or(0)};
}

/// -1: it runs, or the kernel does not say.
std::int32_t call_of(pid_t tid) {
  const std::string text = read_host_file("/", "/proc/self/task/" + std::to_string(tid) + "/syscall").text;
  const std::size_t end = text.find(' ');
  return end == std::string::npos ? -1
                                  : static_cast<std::int32_t>(whole_number(text.substr(0, end)).value_or(-1));
}

}  // namespace

ThreadLook look_at_thread(pid_t tid) {
  constexpr Nanoseconds kEvery = 10ms;
  constexpr Nanoseconds kEnough = 50ms;  // of CPU time
  constexpr int kSleeps = 10, kMostLooks = 100;
  constexpr int kMostLooksOfOneThatWaits =
      1000;  // for a CPU: others have it, and what it does shows only there
  ThreadLook look;
  const std::optional<Seen> first = see(tid);
  if (!first) return look;
  const auto most_looks = [&look] {
    return look.ready > look.asleep ? kMostLooksOfOneThatWaits : kMostLooks;
  };
  for (int i = 0; i < most_looks() && look.asleep < kSleeps && look.in_user + look.in_kernel < kEnough; ++i) {
    std::this_thread::sleep_for(kEvery);
    const std::optional<Seen> now = see(tid);
    if (!now) return {};
    const bool asleep = now->state == 'S' || now->state == 'D';
    look.asleep += asleep ? 1 : 0;
    look.ready += now->state == 'R' ? 1 : 0;
    look.in_user = now->in_user - first->in_user;
    look.in_kernel = now->in_kernel - first->in_kernel;
    look.slept = look.asleep * kEvery;
    if (asleep) look.call = call_of(tid);
    look.blocks = static_cast<std::uint32_t>(now->blocks - first->blocks) + (first->state == 'R' ? 0 : 1);
  }
  return look;
}

}  // namespace tactus::rtsync
