// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <signal.h>

#include <filesystem>
#include <string>
#include <vector>

#include "rtsync/interface.hpp"

namespace tactus::campaign::slurm {

/// The path of a program in PATH; empty: there is none.
std::filesystem::path program_of(const std::string& name);

/// The answer of a program.
struct Answer {
  int status = 0;      ///< exit status; 128 and the signal that ended it
  std::string text{};  ///< its output, errors too
};

/// Runs Slurm's programs: sbatch, squeue, scancel, scontrol, sinfo.
///
/// Threads  that of the runner.
class Commands : public rtsync::Interface {
 public:
  /// Runs one to its end. Throws CampaignError if there is no such program in PATH.              @when service
  virtual Answer run(const std::vector<std::string>& words) = 0;
  /// Returns true if there is such a program.
  virtual bool has(const std::string& name) = 0;
};

/// Starts them in groups of their own, which no Ctrl-C tells. Those of a runner that was killed are found by their mark.
class HostCommands final : public Commands {
 public:
  /// `folder`: of the campaign; what they print lies there.
  explicit HostCommands(std::filesystem::path folder);
  ~HostCommands() override;
  Answer run(const std::vector<std::string>& words) override;
  bool has(const std::string& name) override { return !program_of(name).empty(); }

 private:
  std::filesystem::path folder_;
  sigset_t none_{};
};

}  // namespace tactus::campaign::slurm
