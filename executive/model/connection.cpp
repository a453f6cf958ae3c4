// SPDX-License-Identifier: Apache-2.0
#include "executive/model/connection.hpp"

#include <algorithm>
#include <cstring>
#include <functional>
#include <limits>
#include <locale>
#include <map>
#include <set>
#include <sstream>
#include <type_traits>

#include "executive/model/model_instance.hpp"
#include "executive/model/with_type.hpp"

namespace tactus::executive {
namespace {

/// Returns true if every value of one type has an equal in the other.
bool is_lossless(tactus_type from, tactus_type to) {
  if (from == to) return true;
  if (from == TACTUS_BOOL || to == TACTUS_BOOL) return false;
  return with_type(from, [to](auto from_zero) {
    return with_type(to, [](auto to_zero) {
      using From = std::numeric_limits<StoredAs<decltype(from_zero)>>;
      using To = std::numeric_limits<StoredAs<decltype(to_zero)>>;
      if (!From::is_integer && To::is_integer) return false;
      if (From::is_signed && !To::is_signed) return false;
      return From::digits <= To::digits;
    });
  });
}

bool same_labels(const Variable& a, const Variable& b) {
  if (a.labels.size() != b.labels.size()) return false;
  for (std::size_t i = 0; i < a.labels.size(); ++i)
    if (a.labels[i].name != b.labels[i].name || a.labels[i].value != b.labels[i].value) return false;
  return true;
}

std::string quoted_unit(const Variable& variable) {
  return variable.unit_text.empty() ? "no unit" : "'" + variable.unit_text + "'";
}

/// "scale: 57.29577951308232" for units of one dimension, with the offset if one is needed.
std::string mend_units(const Variable& from, const Variable& to) {
  if (!config::compatible(from.unit, to.unit))
    return "; they measure different things: connect another variable";
  const double zero = config::convert(0.0, from.unit, to.unit);
  const double one = config::convert(1.0, from.unit, to.unit);
  std::ostringstream text;
  text.imbue(std::locale::classic());  // a model may have chosen another one for the process
  text.precision(std::numeric_limits<double>::max_digits10);
  text << "; if that is meant, add scale: " << (one - zero);
  if (zero != 0) text << ", offset: " << zero;
  return text.str();
}

}  // namespace

std::optional<std::string> validate(const Connection& connection) {
  const Variable& from = *connection.from.variable;
  const Variable& to = *connection.to.variable;
  const bool converted = connection.scale.has_value() || connection.offset.has_value();
  if (from.role != TACTUS_OUTPUT && from.role != TACTUS_STATE)
    return "'" + from.name + "' is " + (from.role == TACTUS_INPUT ? "an input" : "a parameter") +
           "; a connection starts at an output or a state";
  if (to.role != TACTUS_INPUT)
    return "'" + to.name + "' is " + (to.role == TACTUS_OUTPUT ? "an " : "a ") +
           std::string(name_of(to.role)) + "; a connection ends at an input";
  if (connection.from.elements != connection.to.elements)
    return "'" + connection.from.name() + "' is " + describe(connection.from) + ", '" + connection.to.name() +
           "' is " + describe(connection.to) + ": the sizes differ; connect single elements with [i]";
  if (converted && (!is_real(to.type) || from.type == TACTUS_BOOL))
    return "scale and offset need numbers on both ends and a float or double at '" + to.name +
           "', which is " + std::string(name_of(to.type));
  if (!converted && !is_lossless(from.type, to.type))
    return "'" + from.name + "' is " + std::string(name_of(from.type)) + ", '" + to.name + "' is " +
           std::string(name_of(to.type)) + ", which cannot hold all its values; change the type of one";
  if (!converted && !config::same(from.unit, to.unit))
    return "'" + from.name + "' is in " + quoted_unit(from) + ", '" + to.name + "' is in " + quoted_unit(to) +
           mend_units(from, to);
  if (!converted && !from.labels.empty() && !to.labels.empty() && !same_labels(from, to))
    return "'" + from.name + "' and '" + to.name + "' are enumerations with different names or values";
  return std::nullopt;
}

std::string feeder_of(const VariableRef& ref, const std::vector<Connection>& connections,
                      const std::vector<VariableRef>& linked) {
  for (const Connection& connection : connections)
    if (connection.to.overlaps(ref)) return "'" + connection.from.name() + "'";
  const bool is_linked =
      std::ranges::any_of(linked, [&ref](const VariableRef& input) { return input.overlaps(ref); });
  return is_linked ? "the link" : "";
}

std::vector<DirectLoop> find_direct_loops(const std::vector<Connection>& connections) {
  // Depth first over the models; each connection back into the path that led here closes a loop.
  std::map<const ModelInstance*, std::vector<const Connection*>> by_model;
  for (const Connection& connection : connections)
    if (!connection.delayed && connection.from.model != nullptr)
      by_model[connection.from.model].push_back(&connection);
  std::vector<DirectLoop> loops;
  std::set<const ModelInstance*> done;
  std::vector<const ModelInstance*> path;
  const std::function<void(const ModelInstance*)> visit = [&](const ModelInstance* model) {
    path.push_back(model);
    for (const Connection* connection : by_model[model]) {
      const ModelInstance* const next = connection->to.model;
      if (done.contains(next)) continue;
      const auto start = std::ranges::find(path, next);
      if (start == path.end()) {
        visit(next);
        continue;
      }
      DirectLoop& loop = loops.emplace_back(DirectLoop{"", connection});
      for (auto at = start; at != path.end(); ++at) loop.path += (*at)->name() + " -> ";
      loop.path += next->name();
    }
    path.pop_back();
    done.insert(model);
  };
  for (const Connection& connection : connections)
    if (connection.from.model != nullptr && !done.contains(connection.from.model))
      visit(connection.from.model);
  return loops;
}

template <class From, class To>
void CopyList::convert(const Copy& copy) noexcept {
  const auto* from = static_cast<const From*>(copy.from);
  auto* to = static_cast<To*>(copy.to);
  for (std::uint32_t i = 0; i < copy.elements; ++i) {
    if constexpr (std::is_floating_point_v<To>) {
      // A plain conversion must not go through the sum: it would turn -0.0 into 0.0.
      to[i] = copy.plain ? static_cast<To>(from[i])
                         : static_cast<To>(static_cast<double>(from[i]) * copy.scale + copy.offset);
    } else {
      to[i] = static_cast<To>(from[i]);
    }
  }
}

void CopyList::move_word(const Copy& copy) noexcept { std::memcpy(copy.to, copy.from, 8); }

// memmove: an array may be connected to itself, shifted.
void CopyList::move_bytes(const Copy& copy) noexcept { std::memmove(copy.to, copy.from, copy.bytes); }

void CopyList::add(const Connection& connection, const void* source) {
  const tactus_type from = connection.from.variable->type;
  const tactus_type to = connection.to.variable->type;
  Copy copy{nullptr,
            source != nullptr ? source : connection.from.data(),
            connection.to.data(),
            connection.from.elements,
            static_cast<std::uint32_t>(connection.from.elements * size_of(from)),
            connection.scale.value_or(1),
            connection.offset.value_or(0),
            !connection.scale && !connection.offset};
  if (from == to && copy.plain) {
    copy.copy = copy.bytes == 8 ? &move_word : &move_bytes;
  } else {
    copy.copy = with_type(from, [to](auto from_zero) {
      return with_type(to, [](auto to_zero) {
        return &convert<StoredAs<decltype(from_zero)>, StoredAs<decltype(to_zero)>>;
      });
    });
  }
  copies_.push_back(copy);
}

std::optional<std::vector<WordCopy>> CopyList::words() const {
  std::vector<WordCopy> words;
  for (const Copy& copy : copies_) {
    if (copy.copy != &move_word) return std::nullopt;
    words.push_back({copy.from, copy.to});
  }
  return words;
}

int CopyList::run(void* self, const tactus_call* /*call*/) {
  for (const Copy& copy : static_cast<CopyList*>(self)->copies_) copy.copy(copy);
  return 0;
}

}  // namespace tactus::executive
