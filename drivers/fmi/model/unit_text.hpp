// SPDX-License-Identifier: Apache-2.0
#pragma once
/// Units of a description in the notation of rigs.
///
/// A unit whose SI factors are those of a unit that tactus knows gets its name; values then pass bit for bit. One that
/// tactus has no name for is converted to base units. A unit without SI factors is taken by its name, or is a unit of its
/// own.
///
/// Threads  @when setup
#include <string>
#include <string_view>

#include "drivers/fmi/description/description.hpp"

namespace tactus::drivers::fmi {

/// The unit of a variable in a rig. A value x of the unit is factor * x + offset there.
struct RigUnit {
  std::string text;
  double factor = 1;
  double offset = 0;
  bool converts() const { return factor != 1 || offset != 0; }
};

/// `relative`: the variable is a difference, so that zero points do not count.
RigUnit rig_unit(const Description& description, std::string_view name, bool relative);

}  // namespace tactus::drivers::fmi
