// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <string_view>
#include <vector>

#include "executive/frame/lane.hpp"
#include "executive/plan/plan.hpp"

namespace tactus::executive {

/// The jobs of a plan by their names.
///
/// Threads  immutable after construction: any.
/// RT       everything but the constructor.
class JobNames {
 public:
  /// `jobs` must outlive it, and stay as they are. @when setup
  explicit JobNames(const std::vector<PlannedJob>& jobs) : jobs_(jobs) {
    for (std::uint32_t i = 0; i < jobs.size(); ++i) by_name_.push_back(i);
    std::ranges::stable_sort(by_name_, [this](auto a, auto b) { return jobs_[a].name < jobs_[b].name; });
  }
  /// Index into Plan::jobs; kNoPlanJob when there is none.
  std::uint32_t find(std::string_view job) const TACTUS_RT {
    const auto found = std::ranges::lower_bound(
        by_name_, job, {}, [this](auto index) { return std::string_view(jobs_[index].name); });
    return found != by_name_.end() && jobs_[*found].name == job ? *found : kNoPlanJob;
  }
  /// The same of "model.job", in two parts.
  std::uint32_t find(std::string_view model, std::string_view job) const TACTUS_RT {
    std::array<char, 512> name;
    if (model.size() + 1 + job.size() > name.size()) return kNoPlanJob;
    std::memcpy(name.data(), model.data(), model.size());
    name[model.size()] = '.';
    std::memcpy(name.data() + model.size() + 1, job.data(), job.size());
    return find(std::string_view(name.data(), model.size() + 1 + job.size()));
  }

 private:
  const std::vector<PlannedJob>& jobs_;
  std::vector<std::uint32_t> by_name_;
};

}  // namespace tactus::executive
