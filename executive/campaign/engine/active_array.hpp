// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "executive/campaign/engine/engine.hpp"

namespace tactus::campaign {

/// A case in an array.
struct ArraySlot {
  std::int64_t number = 0;
  int attempt = 0;
  bool begun = false, done = false;
};

/// A task of an array: its cases are neighbours among the slots.
struct ArrayTask {
  std::size_t first = 0, count = 0;  ///< slots
  std::size_t left = 0;              ///< cases without an end
  bool queued = true, running = false;
  bool reported = false;       ///< it has told of a case
  double gone_at = -1;         ///< time at which it was first missing in the queue; below 0: it is there
  std::optional<TaskEnd> end;  ///< the last that the engine said of it
  std::string node;
};

/// An array whose end is not known.
struct ActiveArray {
  ArrayJob job;
  std::string id{};    ///< the engine's id; empty: not submitted
  bool tried = false;  ///< it may have been submitted without an answer
  double next_try = 0;
  std::vector<ArraySlot> slots{};
  std::vector<ArrayTask> tasks{};
  std::size_t left = 0;
  bool cancelled = false;
  bool inherited = false;  ///< another runner submitted it, and may have said why its tasks ended

  /// Adds a slot; its task is the last one, or the next.
  void add(std::int64_t task, const ArraySlot& slot) {
    while (tasks.size() <= static_cast<std::size_t>(task)) {
      tasks.emplace_back();
      tasks.back().first = slots.size();
    }
    ArrayTask& of = tasks[static_cast<std::size_t>(task)];
    ++of.count;
    if (!slot.done) {
      ++of.left;
      ++left;
    }
    slots.push_back(slot);
  }
  /// A case has its end.
  void close(ArrayTask& task, ArraySlot& slot) {
    slot.done = true;
    --task.left;
    --left;
  }
  std::int64_t queued() const {
    std::int64_t number = 0;
    for (const ArrayTask& each : tasks) number += each.queued ? 1 : 0;
    return number;
  }
};

}  // namespace tactus::campaign
