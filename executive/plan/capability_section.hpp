// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <string>
#include <vector>

#include "config/fields.hpp"
#include "executive/plan/capability_settings.hpp"
#include "executive/plan/rig_settings.hpp"

namespace tactus::executive {

struct Draft;

/// Keys of a capability in the rig file, and its hooks of the plan. A hook that it does not need is nullptr.
///
///     const CapabilitySection kLinkSection{&link_keys, &make_link, &check_link};
struct CapabilitySection {
  /// Rows of its keys, made by rig_key().                                                         @when setup
  std::vector<config::Field<RigSettings>> (*keys)() = nullptr;
  /// Adds its variables and its jobs to the draft. The models are there; loops and connections are not.  @when setup
  void (*declare)(Draft&) = nullptr;
  /// Checks and completes the plan: all jobs, connections and budgets are there.                   @when setup
  void (*plan)(Draft&) = nullptr;
};

/// Returns the sections of all capabilities, in the order of their list (executive/run/capabilities.cpp). @when setup
std::vector<const CapabilitySection*> capability_sections();

/// Returns a row of the table of a capability's settings, as a row of the rig file. The settings are
/// RigSettings::of<S>().                                                                           @when setup
template <class S>
config::Field<RigSettings> rig_key(config::Field<S> field) {
  const auto own = [offset = field.offset](void* all) -> void* {
    return reinterpret_cast<std::byte*>(&static_cast<CapabilitySettings*>(all)->of<S>()) + offset;
  };
  const auto read_only = [offset = field.offset](const void* all) -> const void* {
    return reinterpret_cast<const std::byte*>(&static_cast<const CapabilitySettings*>(all)->of<S>()) + offset;
  };
  config::Field<RigSettings> row{std::move(field)};
  row.offset = config::detail::offset_of<RigSettings>(&RigSettings::capabilities);
  row.value.read_at = [read = row.value.read_at, own](const config::Node& node,
                                                      const config::Context& context,
                                                      void* all) { return read(node, context, own(all)); };
  row.value.write_at = [write = row.value.write_at, read_only](const void* all) {
    return write(read_only(all));
  };
  if (row.value.absent_at)
    row.value.absent_at = [absent = row.value.absent_at, own](const config::SourceLocation& place,
                                                              const std::string& path,
                                                              void* all) { absent(place, path, own(all)); };
  return row;
}

/// Returns a row for a section whose struct is S as a whole.                                        @when setup
template <class S>
config::Field<S> whole_section(const std::string& key, const config::Fields<S>& fields,
                               const std::string& meaning) {
  return config::at<S>(
      key, [](const S& all) -> const S& { return all; }, fields, meaning);
}

}  // namespace tactus::executive
