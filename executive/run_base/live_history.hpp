// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <optional>

#include "config/json.hpp"
#include "executive/driver/live_knowledge.hpp"

namespace tactus::executive {

/// The newest entries of a list that clients read. It is bounded in entries and in bytes.
///
/// Threads  any, but a frame's.
class LiveHistory {
 public:
  LiveHistory() = default;
  LiveHistory(std::size_t most_entries, std::size_t most_bytes)
      : most_entries_(most_entries), most_bytes_(most_bytes) {}

  /// Adds an entry, and numbers it (`n`). With an `id`, it takes the place of the one that had it.
  void add(config::Json entry, std::optional<std::int64_t> id = {});
  /// Leaves out entries: only their number is reported.
  void leave_out(std::int64_t entries);

  LiveEntries after(std::int64_t number, std::size_t most) const;
  std::int64_t last() const { return last_.load(std::memory_order_acquire); }

 private:
  struct Entry {
    std::int64_t number;
    std::optional<std::int64_t> id;
    std::size_t bytes;
    std::shared_ptr<const config::Json> json;
  };

  const std::size_t most_entries_ = 1000;
  const std::size_t most_bytes_ = std::size_t{1} << 20;
  mutable std::mutex mutex_;
  std::deque<Entry> entries_;
  std::size_t bytes_ = 0;
  std::int64_t left_out_ = 0;
  std::atomic<std::int64_t> last_{0};
};

}  // namespace tactus::executive
