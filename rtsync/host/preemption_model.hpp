// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <filesystem>
#include <optional>
#include <string>

namespace tactus::rtsync {

/// Time at which the kernel releases a CPU for a real-time thread.
struct PreemptionModel {
  std::string name;    ///< "PREEMPT_RT"; as `preempt=` has it: "full", "lazy", "voluntary", "none"
  std::string source;  ///< source of the name: a file, or a boot parameter
  bool is_realtime() const { return name == "PREEMPT_RT"; }
  /// Returns true if it releases the CPU at once, also from an ordinary thread in a system call: such a
  /// thread keeps no real-time one from its CPU.
  bool lets_go() const { return name != "none" && name != "voluntary"; }
};

/// Nothing: neither its files nor its configuration say so. @when setup
std::optional<PreemptionModel> read_preemption_model(const std::filesystem::path& root = "/");

}  // namespace tactus::rtsync
