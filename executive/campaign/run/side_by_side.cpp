// SPDX-License-Identifier: Apache-2.0
#include "executive/campaign/run/side_by_side.hpp"

#include <signal.h>
#include <sys/wait.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <map>
#include <system_error>
#include <thread>

namespace tactus::campaign {
namespace {

using PlacesOf = std::map<pid_t, std::size_t>;

void end_all(const PlacesOf& running, double kill_after_s) {
  using EndClock = std::chrono::steady_clock;
  for (const auto& [process, place] : running) (void)::kill(process, SIGTERM);
  const EndClock::time_point until = EndClock::now() + std::chrono::duration_cast<EndClock::duration>(
                                                           std::chrono::duration<double>(kill_after_s));
  for (const auto& [process, place] : running) {
    const auto has_ended = [child = process] {
      const pid_t ended = ::waitpid(child, nullptr, WNOHANG);
      return ended == child || (ended < 0 && errno != EINTR);
    };
    bool ended = has_ended();
    while (!ended && EndClock::now() < until) {
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
      ended = has_ended();
    }
    if (ended) continue;
    (void)::kill(process, SIGKILL);
    while (::waitpid(process, nullptr, 0) < 0 && errno == EINTR) {
    }
  }
}

}  // namespace

std::vector<int> run_side_by_side(std::size_t count, std::size_t at_a_time,
                                  const std::function<pid_t(std::size_t)>& start, double kill_after_s) {
  std::vector<int> statuses(count, 0);
  PlacesOf running;
  const auto wait = [&] {
    int ended = 0;
    pid_t process = 0;
    while ((process = ::waitpid(-1, &ended, 0)) < 0)
      if (errno != EINTR) throw std::system_error(errno, std::generic_category(), "a case was lost");
    if (const auto at = running.find(process); at != running.end()) {
      statuses[at->second] = WIFEXITED(ended) ? WEXITSTATUS(ended) : 128 + WTERMSIG(ended);
      running.erase(at);
    }
  };
  try {
    for (std::size_t i = 0; i < count; ++i) {
      while (running.size() >= std::max<std::size_t>(at_a_time, 1)) wait();
      running.emplace(start(i), i);
    }
    while (!running.empty()) wait();
  } catch (...) {
    end_all(running, kill_after_s);
    throw;
  }
  return statuses;
}

}  // namespace tactus::campaign
