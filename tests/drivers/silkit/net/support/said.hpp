// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <chrono>
#include <functional>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "drivers/silkit/core/outside.hpp"

namespace tactus::silkit::test {

/// Whether `ready` comes true within 40 s.
inline bool eventually(const std::function<bool()>& ready) {
  const auto until = std::chrono::steady_clock::now() + std::chrono::seconds(120);
  while (!ready()) {
    if (std::chrono::steady_clock::now() > until) return false;
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
  }
  return true;
}

/// Keeps what was said. Threads: any.
class Said final : public LogSink {
 public:
  void say(Level level, const std::string& text) override {
    const std::lock_guard lock(mutex_);
    if (level >= Level::warn) warnings_.push_back(text);
  }
  /// How many warnings, or worse, hold this.
  std::size_t warnings_with(const std::string& part) const {
    const std::lock_guard lock(mutex_);
    std::size_t count = 0;
    for (const std::string& text : warnings_) count += text.find(part) != std::string::npos ? 1U : 0U;
    return count;
  }
  std::string warnings() const {
    const std::lock_guard lock(mutex_);
    std::string all;
    for (const std::string& text : warnings_) all += text + "\n";
    return all;
  }

 private:
  mutable std::mutex mutex_;
  std::vector<std::string> warnings_;
};

}  // namespace tactus::silkit::test
