// SPDX-License-Identifier: Apache-2.0
#include "executive/expression/variable_inputs.hpp"

#include <algorithm>
#include <type_traits>

#include "executive/model/with_type.hpp"

namespace tactus::executive {

using config::Cell;
using config::CellType;

CellType cell_type(tactus_type type) {
  if (type == TACTUS_BOOL) return CellType::truth;
  return is_real(type) ? CellType::real : CellType::whole;
}

Cell load_other_cell(tactus_type type, const void* data) TACTUS_RT {
  return with_type(type, [data](auto zero) -> Cell {
    using T = decltype(zero);
    const T value = load_element<T>(data);
    if constexpr (std::is_same_v<T, bool>)
      return truth_cell(value);
    else if constexpr (std::is_floating_point_v<T>)
      return {.real = static_cast<double>(value)};
    else
      return {.whole = static_cast<config::Wide>(value)};
  });
}

std::optional<config::ExpressionNames::Found> VariableNames::find(const std::string& name,
                                                                  std::string& why) const {
  const auto ref = look_up_(name, why);
  if (!ref) {
    if (!why.empty() && name.find('-') != std::string::npos) why += "; write blanks around a minus sign";
    return std::nullopt;
  }
  const Variable& variable = *ref->variable;
  if (ref->elements != 1) {
    why = "'" + name + "' is " + describe(*ref) + "; name one of its elements, as " + name + "[0]";
    return std::nullopt;
  }
  Found found{.type = cell_type(variable.type), .unit = variable.unit};
  const auto same = [&](const VariableRef& each) {
    return each.variable == ref->variable && each.first == ref->first;
  };
  const auto known = std::ranges::find_if(variables_, same);
  found.key = static_cast<std::uint32_t>(known - variables_.begin());
  if (known == variables_.end()) variables_.push_back(*ref);
  if (!variable.labels.empty()) {
    config::ExpressionLabels& labels = labels_.emplace_back();
    for (const VariableLabel& label : variable.labels)
      labels.emplace_back(label.name, variable.type == TACTUS_UINT64
                                          ? static_cast<config::Wide>(static_cast<std::uint64_t>(label.value))
                                          : static_cast<config::Wide>(label.value));
    found.labels = &labels;
  }
  return found;
}

}  // namespace tactus::executive
