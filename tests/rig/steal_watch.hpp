// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <chrono>
#include <cstdint>
#include <fstream>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace tactus::test {

/// Of CLOCK_MONOTONIC.
inline std::int64_t now_ns() {
  const auto since = std::chrono::steady_clock::now().time_since_epoch();
  return std::chrono::duration_cast<std::chrono::nanoseconds>(since).count();
}

/// When the hypervisor took CPU time, to 10 ms and the distance of two looks.
class StealWatch {
 public:
  StealWatch()
      : thread_([this](const std::stop_token& stop) {
          std::int64_t last = steal();
          std::int64_t looked = now_ns();
          while (!stop.stop_requested()) {
            std::this_thread::sleep_for(std::chrono::milliseconds{5});
            const std::int64_t steal_now = steal();
            const std::int64_t time = now_ns();
            if (steal_now != last) stolen_.push_back({looked, time});
            last = steal_now;
            looked = time;
          }
        }) {}
  void stop() {
    thread_.request_stop();
    thread_.join();
  }
  /// After stop(). A tick may be counted before or after what it is about.
  bool was_stolen(std::int64_t from, std::int64_t to) const {
    constexpr std::int64_t kTick = 20'000'000;
    return std::any_of(stolen_.begin(), stolen_.end(), [&](const auto& one) {
      return one.second >= from - kTick && one.first <= to + kTick;
    });
  }

 private:
  static std::int64_t steal() {
    std::ifstream file("/proc/stat");
    std::string word;
    std::int64_t value = 0;
    file >> word;
    for (int i = 0; i < 8; ++i) file >> value;
    return value;
  }
  std::vector<std::pair<std::int64_t, std::int64_t>> stolen_;
  std::jthread thread_;
};

}  // namespace tactus::test
