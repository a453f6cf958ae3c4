// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "config/place.hpp"

namespace tactus::campaign {

struct CampaignFile;

/// A search among the cases of a campaign, instead of a run of all of them: `bisect:` or `minimise:` of the file, or an
/// option of the command.
struct SearchSettings {
  enum class Kind { none, bisect, minimise };
  Kind kind = Kind::none;
  std::string key{};        ///< bisect: the key of `vary:`
  std::string within{};     ///< bisect: the widest range at the end, with its unit; empty: a 256th
  std::int64_t number = 0;  ///< the case from which it starts
  config::Origin key_origin{}, within_origin{}, number_origin{};
};

/// A mistake in a search: which of its settings, and what to do about it.
struct SearchProblem {
  enum class In { key, within, number };
  In in;
  std::string text;
};

/// Looks for mistakes in a search; the file is checked otherwise.                              @when setup
std::vector<SearchProblem> problems_of(const SearchSettings& search, const CampaignFile& file);

}  // namespace tactus::campaign
