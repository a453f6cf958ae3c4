// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "executive/campaign/case.hpp"
#include "executive/campaign/file/cpu_sets.hpp"
#include "executive/campaign/statistics/sure_draws.hpp"
#include "executive/campaign/store/outcome.hpp"
#include "executive/campaign/store/store.hpp"
#include "rtsync/host/file_system.hpp"
#include "rtsync/interface.hpp"

namespace tactus::campaign {

/// The work of a runner.
struct CampaignWork {
  std::string name;  ///< name of the campaign
  std::string file;  ///< path of its file
  std::vector<SourceRow>
      sources;  ///< files of which the cases are made, as they are now: campaign, rig, test, library
  bool realtime = false;
  double timeout_s = 0;       ///< time limit of a case; 0: none
  int retries = 0;            ///< repetitions of a case that the machine spoiled
  bool retry_failed = false;  ///< repeats one that failed, too
};

/// The choices of a runner.
struct RunChoices {
  std::filesystem::path folder;   ///< folder of the campaign, absolute
  std::filesystem::path program;  ///< `tactus`
  int jobs = 1;                   ///< cases at a time, without real time
  std::string bench = "bench";    ///< name of the lock of real-time cases
  std::vector<CpuPlace>
      places{};  ///< CPUs of real-time cases, one case each; empty: one at a time, on any CPU
  /// CPUs of cases without real time: each case runs on one, that with the fewest others. Empty: where it likes.
  std::vector<rtsync::CpuSet> pins{};
  /// Finds `places` instead, once what a killed runner left has ended: until then it may have CPUs. Empty: they are given.
  std::function<std::vector<CpuPlace>()> find_places{};
  bool accept_changes = false;
  bool retry_failed = false;
  std::optional<std::uint64_t> shuffle{};
  std::int64_t stop_after = 0;              ///< 0: none
  std::function<bool(const Case&)> only{};  ///< empty: all
  SureDraws* sure =
      nullptr;  ///< counts draws, and no case is started once it has enough; nullptr: all are run
  std::vector<std::string> page{};  ///< words of a command that writes the page; empty: none does
  std::function<rtsync::FileSystem(const std::filesystem::path&)> file_system =
      rtsync::file_system_of;  ///< says what `folder` lies on
  double kill_after_s = 5;     ///< time from SIGTERM to SIGKILL, at a time limit and of orphans in real time
};

/// The progress of a campaign.
struct Progress {
  std::int64_t cases = 0;    ///< all, without those that are known to be left out
  std::int64_t running = 0;  ///< now
  std::int64_t ended = 0;    ///< cases that this runner ended
  Counts counts;             ///< all that have a result
  double seconds = 0;        ///< time since this runner began
  double rate = 0;           ///< cases a second, of the last minute
  double left_s = -1;        ///< estimate; below 0: not known yet
  std::int64_t spoiled = 0;  ///< attempts that are repeated
};

/// Hears what the runner does.
///
/// Threads  that of the runner.
class RunListener : public rtsync::Interface {
 public:
  virtual void ended(std::int64_t number, int attempt, const Outcome& outcome, const std::string& folder,
                     bool again) = 0;
  virtual void progress(const Progress& now) = 0;
  virtual void says(const std::string& sentence) = 0;
};

/// Thrown where a campaign cannot run; what() says what to do about it.
class CampaignError : public std::runtime_error {
 public:
  enum class Kind { input, machine, broken_off };
  CampaignError(Kind kind, const std::string& what) : runtime_error(what), kind_(kind) {}
  Kind kind() const { return kind_; }

 private:
  Kind kind_;
};

/// The end of a runner.
struct RunSummary {
  Progress progress;
  bool asked_to_end = false;  ///< true: a signal asked it to end
  std::int64_t left = 0;      ///< cases without a result
};

/// A run of a campaign as the parts of its runner see it. All of it outlives them.
struct CampaignRun {
  const CampaignWork& work;
  const CaseSource& cases;
  const RunChoices& choices;
  RunListener& listener;
};

/// Runs the cases of a campaign that have no result yet, each as a process, and stores what becomes of them.
///
/// **Nothing is done twice, nothing left out.** An attempt is claimed in the database before its process starts, and its
/// folder gets its final name once the process has ended. Cases get SIGTERM when their runner ends. The next one waits for
/// what is left of their processes, in real time until outputs are safe, and ends it. An attempt without an end is then
/// taken in if its folder is whole; else the folder is removed, and the case is open again.
///
/// **Signals** The first SIGINT, SIGTERM or SIGHUP: no case is started any more. The second: those that run are ended, and
/// have no result.
///
/// Threads  one. It becomes the parent of orphans of this process, and waits for all children of it.
RunSummary run_campaign(const CampaignWork& work, const CaseSource& cases, const RunChoices& choices,
                        RunListener& listener);

/// Default folder of a campaign: runs/<its file's name without .yaml>.
std::filesystem::path default_folder(const std::filesystem::path& file);

}  // namespace tactus::campaign
