// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "config/document.hpp"
#include "config/fields.hpp"
#include "config/number.hpp"
#include "executive/campaign/draw/method.hpp"
#include "executive/campaign/file/cpu_sets.hpp"
#include "executive/campaign/file/search_settings.hpp"
#include "executive/campaign/file/slurm_settings.hpp"
#include "executive/campaign/file/vary.hpp"

namespace tactus::campaign {

/// A column of the results: its name, and what is computed for each case.
struct Measure {
  std::string name;
  std::string text;  ///< "max(abs(motor.current))", "run late.p99"
  config::Origin origin{};

  /// The word of --set that has a run measure it.
  std::string assignment() const;
};

/// Settings of each case.
struct Each {
  config::Nanoseconds timeout = config::Nanoseconds::max();  ///< longest time on the wall clock; max(): none
  int retries = 0;                                           ///< repetitions of a case
  bool retry_failed = false;  ///< true: of one that failed, too; false: of one that the machine spoiled
};

/// Choice of the sets of values.
struct CasesSettings {
  Method method = Method::matrix;
  std::int64_t count = 0;  ///< sets of values; matrix and list have their own
  std::int64_t seed = 0;
  bool scramble = true;                    ///< sobol: Owen's scrambling by the seed
  std::vector<std::vector<Value>> sets{};  ///< list: the values of each set, in the order of `vary:`
  std::optional<double> until_sure{};      ///< confidence at which drawing ends early (monte_carlo)
  double half_width = 0.02;                ///< half the width of the interval at which drawing ends
  std::string sure_of{};                   ///< name of the expectation; empty: verdict of the case
  config::Origin sure_origin{};
  config::Origin origin{};
};

/// A file of a campaign, checked: `*.campaign.yaml` (docs/campaigns.md).
///
///     const CampaignFile file = CampaignFile::load("servo.campaign.yaml");
///     const Cases cases(file);
///
/// Paths of rigs and tests are taken from the folder of the file where they are there, else from the working directory.
///
/// Threads  immutable after load().
struct CampaignFile {
  std::string path;
  std::string name;  ///< `campaign:`
  std::string about;
  std::vector<std::string> rigs;   ///< paths that the working directory reaches; at least one
  std::vector<std::string> tests;  ///< paths too; may be empty
  std::vector<config::Origin> rig_origins, test_origins;
  bool realtime = false;
  CpuSetsSettings cpus{};
  std::vector<std::string> set;  ///< values that all cases have: "path=value"
  std::vector<config::Origin> set_origins;
  std::vector<Vary> vary;
  CasesSettings cases;
  int repeat = 1;
  std::vector<Exclusion> exclude;
  std::vector<Measure> measure;
  Each each;
  SearchSettings search{};  ///< search that is run instead of all cases
  SlurmSettings slurm{};    ///< choices of `--on slurm`

  /// applies[rig * tests + test][key]: that rig with that test has what the key changes; empty: all have all. A key of a
  /// fault that only one test has varies in that test alone.
  std::vector<std::vector<bool>> applies;

  /// Reads the file, and loads each rig with each test and with the ends of what varies: nothing is started.
  /// Throws config::ConfigError with all mistakes at once, each with its place.                @when setup
  static CampaignFile load(const std::string& path);
  /// The same without rigs and tests: mistakes go to `problems`.                               @when setup
  static CampaignFile read(const config::Document& document, const std::string& path,
                           config::Problems& problems);

  /// One checksum and one path for each file on which the cases depend: the campaign, rigs, tests and the libraries of
  /// models. Throws config::ConfigError where a rig cannot be loaded.                          @when service
  struct Source {
    std::string path;
    std::string sha256;
  };
  std::vector<Source> sources() const;
};

/// The JSON Schema of such a file, for editors.
std::string campaign_schema();
/// Its keys as a page of Markdown.
std::string campaign_reference();
/// Returns true if the document is a campaign, and not a rig.
bool is_campaign(const config::Document& document);

}  // namespace tactus::campaign
