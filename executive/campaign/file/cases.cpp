// SPDX-License-Identifier: Apache-2.0
#include "executive/campaign/file/cases.hpp"

#include <algorithm>
#include <stdexcept>
#include <string>
#include <utility>

namespace tactus::campaign {
namespace {

std::int64_t draws_of(const CampaignFile& file) {
  switch (file.cases.method) {
    case Method::matrix: {
      std::int64_t product = 1;
      for (const Vary& vary : file.vary) product *= static_cast<std::int64_t>(vary.list.size());
      return product;
    }
    case Method::list:
      return static_cast<std::int64_t>(file.cases.sets.size());
    default:
      return file.cases.count;
  }
}

}  // namespace

Cases::Cases(CampaignFile file) : file_(std::move(file)), draws_(draws_of(file_)) {
  const auto seed = static_cast<std::uint64_t>(file_.cases.seed);
  const auto keys = static_cast<std::uint32_t>(std::max<std::size_t>(file_.vary.size(), 1));
  if (file_.cases.method == Method::monte_carlo) independent_.emplace(seed);
  if (file_.cases.method == Method::latin_hypercube) hypercube_.emplace(seed, draws_);
  if (file_.cases.method == Method::sobol) sobol_.emplace(seed, keys, file_.cases.scramble);
  count_ = draws_ * file_.repeat * static_cast<std::int64_t>(file_.rigs.size()) *
           static_cast<std::int64_t>(std::max<std::size_t>(file_.tests.size(), 1));
}

std::vector<Value> Cases::values_of(std::int64_t draw) const {
  if (file_.cases.method == Method::list) return file_.cases.sets[static_cast<std::size_t>(draw)];
  std::vector<Value> values(file_.vary.size());
  std::int64_t rest = draw;
  for (std::size_t at = values.size(); at > 0; --at) {  // of a matrix the last key changes first
    const std::size_t key = at - 1;
    const Vary& vary = file_.vary[key];
    const auto variable = static_cast<std::uint32_t>(key);
    if (file_.cases.method == Method::matrix) {
      const auto size = static_cast<std::int64_t>(vary.list.size());
      values[key] = vary.list[static_cast<std::size_t>(rest % size)];
      rest /= size;
    } else {
      values[key] = vary.at(independent_ ? independent_->share(draw, variable)
                            : hypercube_ ? hypercube_->share(draw, variable)
                                         : sobol_->share(draw, variable));
    }
  }
  return values;
}

Case Cases::at(std::int64_t number) const {
  if (number < 0 || number >= count_)
    throw std::out_of_range("there is no case " + std::to_string(number) + "; there are 0 .. " +
                            std::to_string(count_ - 1));
  const auto tests = static_cast<std::int64_t>(std::max<std::size_t>(file_.tests.size(), 1));
  const auto rigs = static_cast<std::int64_t>(file_.rigs.size());
  const auto test = static_cast<std::size_t>(number % tests);
  const auto rig = static_cast<std::size_t>(number / tests % rigs);
  Case one{.number = number,
           .draw = number / tests / rigs / file_.repeat,
           .repetition = static_cast<int>(number / tests / rigs % file_.repeat),
           .rig = file_.rigs[rig]};
  if (!file_.tests.empty()) {
    one.test = file_.tests[test];
    one.arguments = {"--test", one.test};
  }
  for (const std::string& each : file_.set) one.arguments.insert(one.arguments.end(), {"--set", each});
  for (const Measure& each : file_.measure)
    one.arguments.insert(one.arguments.end(), {"--set", each.assignment()});
  const std::vector<Value> values = values_of(one.draw);
  const std::size_t row = rig * static_cast<std::size_t>(tests) + test;
  std::vector<const Value*> present(values.size(), nullptr);
  for (std::size_t key = 0; key < values.size(); ++key) {
    if (row < file_.applies.size() && !file_.applies[row][key]) continue;
    const Vary& vary = file_.vary[key];
    const Value& value = values[key];
    present[key] = &value;
    one.arguments.insert(one.arguments.end(), {"--set", vary.key + "=" + value.text});
    one.drawn.push_back(
        {vary.key, value.text, value.number, value.is_word ? "" : vary.unit_text, value.is_word});
  }
  if (!file_.realtime) one.arguments.emplace_back("--no-realtime");
  one.excluded = std::ranges::any_of(file_.exclude,
                                     [&](const Exclusion& each) { return each.holds(file_.vary, present); });
  return one;
}

}  // namespace tactus::campaign
