// SPDX-License-Identifier: Apache-2.0
#include "executive/campaign/file/search_settings.hpp"

#include <algorithm>

#include "config/quantity.hpp"
#include "config/text.hpp"
#include "executive/campaign/file/cases.hpp"

namespace tactus::campaign {

std::vector<SearchProblem> problems_of(const SearchSettings& search, const CampaignFile& file) {
  using In = SearchProblem::In;
  std::vector<SearchProblem> all;
  const Cases cases(file);
  const bool has_case = search.number >= 0 && search.number < cases.count();
  if (!has_case) all.push_back({In::number, "there are 0 .. " + std::to_string(cases.count() - 1)});
  if (has_case && cases.at(search.number).excluded)
    all.push_back({In::number, "'exclude' leaves this case out; choose another one"});
  if (search.kind != SearchSettings::Kind::bisect) return all;
  std::string why;
  const auto key = find_key(file.vary, search.key, why);
  if (!key) {
    all.push_back({In::key, why});
    return all;
  }
  const Vary& vary = file.vary[*key];
  if (!vary.list.empty() && vary.list.front().is_word) {
    all.push_back({In::key, config::show(vary.key) + " has words, and no border between numbers"});
    return all;
  }
  if (!search.within.empty()) {
    const auto range = config::to_unit(search.within, vary.unit.without_zero_point());
    if (!range)
      all.push_back({In::within, range.problem});
    else if (!(*range.value > 0))
      all.push_back({In::within, config::show(search.within) + " is not above zero"});
  }
  if (!has_case) return all;
  const Case one = cases.at(search.number);
  if (std::ranges::none_of(one.drawn, [&](const Drawn& each) { return each.key == vary.key; }))
    all.push_back({In::number, "case " + std::to_string(one.number) + " does not have " +
                                   config::show(vary.key) + "; choose another one"});
  return all;
}

}  // namespace tactus::campaign
