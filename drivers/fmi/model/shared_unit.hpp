// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <atomic>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "drivers/fmi/model/unpacked.hpp"
#include "drivers/fmi/unit/preemption.hpp"
#include "drivers/fmi/unit/unit.hpp"

namespace tactus::drivers::fmi {

class FmiModel;

/// An instance of a unit, which belongs to one model; models that are parts of that (`part_of`) have some of its
/// partitions as their jobs.
///
/// Threads  setup, but for `preemption` and `failed`.
struct SharedUnit {
  std::string token;  ///< token of its description
  std::optional<UnpackedFolder> unpacked{};
  std::unique_ptr<Unit> unit{};
  Preemption preemption{};
  std::vector<FmiModel*> models{};  ///< the one that it belongs to, and its parts
  std::atomic<const char*> failed{
      nullptr};                           ///< clock of the partition that failed first; of a job, so it stays
  bool initializing = false;              ///< its initialization runs, and no other job of its models
  std::vector<std::string> all_clocks{};  ///< input clocks of the unit
  std::set<std::string> clocks{};         ///< clocks whose partitions one of them has

  /// Shows it to parts that are declared later on this thread, which is the one that makes the rig.
  static void publish(const std::string& model, const std::shared_ptr<SharedUnit>& unit);
  /// Returns that of a model; nullptr: there is none in this process.
  static std::shared_ptr<SharedUnit> find(const std::string& model);
};

}  // namespace tactus::drivers::fmi
