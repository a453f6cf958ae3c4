// SPDX-License-Identifier: Apache-2.0
#include "drivers/fmi/model/shared_unit.hpp"

#include <map>

namespace tactus::drivers::fmi {
namespace {

std::map<std::string, std::weak_ptr<SharedUnit>>& published() {
  static thread_local std::map<std::string, std::weak_ptr<SharedUnit>> all;
  return all;
}

}  // namespace

void SharedUnit::publish(const std::string& model, const std::shared_ptr<SharedUnit>& unit) {
  std::erase_if(published(), [](const auto& each) { return each.second.expired(); });
  published()[model] = unit;
}

std::shared_ptr<SharedUnit> SharedUnit::find(const std::string& model) {
  const auto found = published().find(model);
  return found == published().end() ? nullptr : found->second.lock();
}

}  // namespace tactus::drivers::fmi
