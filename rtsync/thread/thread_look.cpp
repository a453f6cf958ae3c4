// SPDX-License-Identifier: Apache-2.0
#include "rtsync/thread/thread_look.hpp"

#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <optional>
#include <sstream>
#include <string>
#include <thread>

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
  std::istringstream fields(stat.substr(name_end + 1));
  Seen seen;
  fields >> seen.state;
  std::string skipped;
  for (int field = 4; field < 14; ++field) fields >> skipped;
  std::int64_t user = 0;
  std::int64_t kernel = 0;
  fields >> user >> kernel;
  const Nanoseconds tick = Nanoseconds{1s} / std::max(::sysconf(_SC_CLK_TCK), 1L);
  seen.in_user = user * tick;
  seen.in_kernel = kernel * tick;
  const std::string status = read_host_file("/", folder + "/status").text;
  const std::string key = "\nvoluntary_ctxt_switches:";
  if (const std::size_t at = status.find(key); at != std::string::npos)
    seen.blocks = std::strtoll(status.c_str() + at + key.size(), nullptr, 10);
  return seen;
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
