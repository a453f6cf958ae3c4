// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <filesystem>
#include <optional>
#include <string>

namespace tactus::rtsync {

/// When the kernel lets go of a CPU that a real-time thread is to have.
struct PreemptionModel {
  std::string name;    ///< "PREEMPT_RT"; as `preempt=` has it: "full", "lazy", "voluntary", "none"
  std::string source;  ///< what says so: a file, or a boot parameter
  bool is_realtime() const { return name == "PREEMPT_RT"; }
  /// At once, also from an ordinary thread in a system call: such a thread keeps no real-time one from its CPU.
  bool lets_go() const { return name != "none" && name != "voluntary"; }
};

/// Nothing: neither its files nor its configuration say so. @when setup
std::optional<PreemptionModel> read_preemption_model(const std::filesystem::path& root = "/");

}  // namespace tactus::rtsync
