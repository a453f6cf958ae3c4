// SPDX-License-Identifier: Apache-2.0
#pragma once
/// The keys of a campaign file as they are written; campaign_file.cpp makes values of them.
///
/// Threads  plain values; tables are immutable.                                               @when setup
#include <cstdint>
#include <string>
#include <vector>

#include "config/fields.hpp"
#include "executive/campaign/file/slurm_settings.hpp"

namespace tactus::campaign {

/// One entry of `vary:`. A node that is null is not there.
struct VarySettings {
  bool misread = false;  ///< a problem of it is said: nothing follows from what is missing
  config::Located<std::string> name{};
  config::Origin origin{};
  config::Node list{}, uniform{}, log_uniform{}, normal{}, lognormal{}, triangular{}, discrete{}, within{},
      round{};
};

struct CasesKeys {
  bool misread = false;  ///< a problem of it is said: nothing follows from what is missing
  config::Origin origin{};
  bool matrix = false;
  std::int64_t latin_hypercube = 0, sobol = 0, monte_carlo = 0;
  config::Node list{};
  std::int64_t seed = 0;
  bool scramble = true;
  config::Located<std::string> until_sure{};
};

/// `bisect:` and `minimise:`; a place that is empty: it is not there.
struct SearchKeys {
  config::Origin origin{};
  bool given = false;
  config::Located<std::string> key{}, within{};
  config::Located<std::int64_t> number{};
};

struct EachKeys {
  config::Nanoseconds timeout = config::Nanoseconds::max();
  config::Located<std::string> retry{};
};

struct CampaignKeys {
  config::Origin origin{};
  std::string campaign, about;
  config::Node rig{}, test{};  ///< one or a list
  config::Node rigs{}, tests{};
  bool realtime = false;
  config::Node cpus{};
  config::Node set{};
  std::vector<VarySettings> vary{};
  CasesKeys cases{};
  std::int64_t repeat = 1;
  config::Node exclude{}, measure{};
  EachKeys each{};
  SearchKeys bisect{}, minimise{};
  SlurmSettings slurm{};
};

const config::Fields<VarySettings>& vary_fields();
const config::Fields<CampaignKeys>& campaign_fields();

}  // namespace tactus::campaign
