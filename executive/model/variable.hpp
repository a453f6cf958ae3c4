// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <tactus/model.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "config/unit.hpp"

namespace tactus::executive {

struct VariableLabel {
  std::string name;
  std::int64_t value;
};

/// A variable of a model as the executive knows it. The memory belongs to the model.
struct Variable {
  std::string name;  ///< "motor.speed"
  tactus_role role = TACTUS_STATE;
  tactus_type type = TACTUS_DOUBLE;
  std::uint32_t count = 0;    ///< 0: a scalar; else the elements of an array
  std::uint32_t columns = 0;  ///< number of columns of an array of two dimensions, row by row; 0: of another
  void* data = nullptr;
  std::string unit_text;
  config::Unit unit;
  std::string about;
  std::vector<VariableLabel> labels;
  bool recorded_as_word = false;    ///< marks an int32 with labels that is recorded as a word
  std::optional<double> low, high;  ///< outside of them the guard ends the rig
  std::string fixed;                ///< reason why it cannot be set while the rig runs; empty: it can

  /// Returns true if a value from outside would change nothing, even one that is forced.
  bool is_constant() const { return !fixed.empty() && role == TACTUS_PARAMETER; }

  std::size_t elements() const { return count == 0 ? 1 : count; }
};

/// An element as it is written after the name: "[5]", "[1][2]"; empty of a scalar.
std::string index_text(const Variable& variable, std::size_t element);

class ModelInstance;

/// One element of a variable, a whole scalar, or a whole array: "motor.speed", "axis.force[2]".
struct VariableRef {
  const Variable* variable = nullptr;
  std::uint32_t first = 0;
  std::uint32_t elements = 1;
  bool indexed = false;                  ///< it was written with an index
  const ModelInstance* model = nullptr;  ///< owner of the variable; nullptr: the executive's own (rt.*)

  void* data() const;
  std::string name() const;  ///< name as it was written: with its index if one was given
  /// They have an element in common.
  bool overlaps(const VariableRef& other) const {
    return variable == other.variable && first < other.first + other.elements &&
           other.first < first + elements;
  }
};

std::size_t size_of(tactus_type type);
/// Returns true for the types of numbers with a fraction.                                          @when any
constexpr bool is_real(tactus_type type) noexcept { return type == TACTUS_FLOAT || type == TACTUS_DOUBLE; }
std::string_view name_of(tactus_type type);  ///< "double", "int32", ...
std::string_view name_of(tactus_role role);

/// "double[3] [N m]": type, size and unit for messages.
std::string describe(const VariableRef& ref);

/// Explains why the value of one element may not be given from outside: "-1 is outside 0 .. 5 Ohm (its
/// declared range)"; empty: it may, as far as its range goes. @when service
std::string range_problem(const Variable& variable, const void* data);

/// Reads one element as text that reads back to the same bits. @when service
std::string format_value(tactus_type type, const void* data);
/// Appends instead; for recordings, which write millions of them.
void append_value(std::string& to, tactus_type type, const void* data);

}  // namespace tactus::executive
