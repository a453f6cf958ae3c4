// SPDX-License-Identifier: Apache-2.0
#pragma once
/// A WriteTracker that is told of each write by who writes.
#include <mutex>
#include <set>
#include <vector>

#include "rtsync/host/write_tracker.hpp"
#include "tests/executive/support/test_namespaces.hpp"

namespace tactus::executive::test {

class MarkedMemory final : public rtsync::WriteTracker {
 public:
  /// Writes, and notes it. Threads: any.
  template <class T>
  void write(T& to, T value) {
    const std::lock_guard lock(mutex_);
    std::byte* const at = reinterpret_cast<std::byte*>(&to);
    if (watched_.erase(at - reinterpret_cast<std::uintptr_t>(at) % rtsync::page_bytes()) > 0) ++faults;
    to = value;
  }

  void watch(rtsync::Pages pages) override {
    const std::lock_guard lock(mutex_);
    if (broken) throw std::runtime_error("no memory is watched");
    for (std::byte* at = pages.begin; at != pages.end; at += rtsync::page_bytes()) watched_.insert(at);
  }
  void written(rtsync::Pages& pages, bool again, std::size_t most,
               std::vector<rtsync::Pages>& found) override {
    const std::lock_guard lock(mutex_);
    found.clear();
    for (; pages.begin != pages.end && found.size() < most; pages.begin += rtsync::page_bytes()) {
      if (watched_.count(pages.begin) > 0) continue;
      found.push_back({pages.begin, pages.begin + rtsync::page_bytes()});
      if (again) watched_.insert(pages.begin);
    }
  }
  void release(rtsync::Pages pages) override {
    const std::lock_guard lock(mutex_);
    for (std::byte* at = pages.begin; at != pages.end; at += rtsync::page_bytes()) watched_.erase(at);
  }
  std::chrono::nanoseconds fault_cost() const override { return cost; }
  std::size_t watched() const {
    const std::lock_guard lock(mutex_);
    return watched_.size();
  }

  std::chrono::nanoseconds cost{1000};
  std::int64_t faults = 0;  ///< the first writes to watched pages
  bool broken = false;

 private:
  mutable std::mutex mutex_;
  std::set<std::byte*> watched_;
};

}  // namespace tactus::executive::test
