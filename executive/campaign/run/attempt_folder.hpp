// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <filesystem>
#include <string>

#include "executive/campaign/store/outcome.hpp"

namespace tactus::campaign {

/// The folder of one attempt of a case. While its process runs it is `cases/0/12-1.running`, afterwards `cases/0/12-1`:
/// what has no `.running` is whole, whatever became of the runner.
///
///     command.txt   the command line, to be run alone
///     output.txt    what the process printed
///     run/          its run folder
///     end.json      how the process ended
class AttemptFolder {
 public:
  /// `instance`: of several processes that may run the attempt, as when a cluster starts it again, each has a name of its
  /// own while it runs; the first that ends has the folder.
  AttemptFolder(const std::filesystem::path& campaign, std::int64_t number, int attempt,
                const std::string& instance = "");

  std::filesystem::path run() const { return running_ / "run"; }
  std::filesystem::path output() const { return running_ / "output.txt"; }
  const std::filesystem::path& ended() const { return ended_; }
  /// Path of the ended folder from the folder of the campaign.
  const std::string& name() const { return name_; }

  /// Makes it, empty, with its command line. Throws std::system_error.
  void make(const std::string& line) const;
  /// Writes how the process ended, and takes `.running` from its name. Throws std::system_error; the folder is then as it
  /// was, and a later runner does this again. Returns false: another instance has ended before, and this one is removed.
  bool finish(const ProcessEnd& end) const;

  enum class Left {
    nothing,  ///< it is not there
    whole,    ///< its process had ended
    torn,     ///< its process was killed with its runner
  };
  /// Looks at what is there. One that is whole but for its name gets that.
  Left look() const;
  /// Returns true if its process was started.
  bool began() const;
  std::string line() const;
  ProcessEnd end() const;
  /// Removes it, whichever name it has.
  void remove() const;
  /// Removes it if it has not ended.
  void remove_running() const;

 private:
  std::string name_;
  std::filesystem::path ended_, running_;
};

}  // namespace tactus::campaign
