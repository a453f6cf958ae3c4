// SPDX-License-Identifier: Apache-2.0
#include "executive/campaign/file/vary.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>

#include "config/number.hpp"
#include "config/quantity.hpp"
#include "config/text.hpp"
#include "rtsync/host/plain_text.hpp"

namespace tactus::campaign {
namespace {

/// The number as ten digits say it: the same on each machine, whatever its mathematical library rounds, and readable.
double readable(double value) { return std::strtod(rtsync::format_text("%.10g", value).c_str(), nullptr); }

}  // namespace

Value Vary::value_of(double number) const {
  double value = number;
  if (round > 0) {
    value = std::round(value / round) * round;
    if (value > distribution.most()) value = std::floor(distribution.most() / round) * round;
    if (value < distribution.least()) value = std::ceil(distribution.least() / round) * round;
  }
  value = std::clamp(readable(value), distribution.least(), distribution.most());
  if (value == 0) value = 0;  // -0 is 0
  return {config::print_quantity(value, unit), value, false};
}

Value Vary::at(double share) const {
  const double drawn = distribution.quantile(share);
  return list.empty() ? value_of(drawn) : list[static_cast<std::size_t>(drawn)];
}

std::vector<Value> Vary::ends() const {
  if (!list.empty()) return list;
  return {value_of(distribution.lowest()), value_of(distribution.quantile(0.3719)),
          value_of(distribution.highest())};
}

bool names(const std::string& key, const std::string& name) {
  return key == name ||
         (key.size() > name.size() && key.ends_with(name) && key[key.size() - name.size() - 1] == '.');
}

std::optional<std::size_t> find_key(const std::vector<Vary>& vary, const std::string& name,
                                    std::string& why) {
  std::optional<std::size_t> found;
  std::vector<std::string> known;
  for (std::size_t i = 0; i < vary.size(); ++i) {
    known.push_back(vary[i].key);
    if (vary[i].key == name) return i;
    if (!names(vary[i].key, name)) continue;
    if (found) {
      why = config::show(name) + " could be " + config::show(vary[*found].key) + " or " +
            config::show(vary[i].key) + "; write the whole key";
      return std::nullopt;
    }
    found = i;
  }
  if (!found) {
    for (const Vary& each : vary)
      if (const std::size_t dot = each.key.rfind('.'); dot != std::string::npos)
        known.push_back(each.key.substr(dot + 1));
    why = config::show(name) + " does not vary; " + config::hint(name, known);
  }
  return found;
}

}  // namespace tactus::campaign
