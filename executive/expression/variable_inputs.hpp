// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <tactus/model.h>

#include <cstdint>
#include <cstring>
#include <deque>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "config/expression_builder.hpp"
#include "executive/expression/expression_run.hpp"
#include "executive/model/variable.hpp"

namespace tactus::executive {

/// Gives the names of expressions their meaning in a rig: its variables, one element of each.
///
/// Threads  one thread at setup.
class VariableNames final : public config::ExpressionNames {
 public:
  /// Finds a variable; else nothing and why, empty where that was said before.
  using LookUp = std::function<std::optional<VariableRef>(const std::string& name, std::string& why)>;

  explicit VariableNames(LookUp look_up) : look_up_(std::move(look_up)) {}

  std::optional<Found> find(const std::string& name, std::string& why) const override;
  /// Variables in the order of ProgramInput::key.
  const std::vector<VariableRef>& variables() const { return variables_; }

 private:
  LookUp look_up_;
  mutable std::vector<VariableRef> variables_;
  mutable std::deque<config::ExpressionLabels> labels_;
};

/// One element of a variable as a value of expressions.                                              @when rt
config::Cell load_other_cell(tactus_type type, const void* data) TACTUS_RT;  // of any type
inline config::Cell load_cell(tactus_type type, const void* data) TACTUS_RT {
  if (type != TACTUS_DOUBLE) return load_other_cell(type, data);
  config::Cell cell;
  std::memcpy(&cell.real, data, sizeof cell.real);
  return cell;
}
/// Variables that a program reads, sorted by their types once: doubles are one loop.
///
/// Threads  look: whose the program is.
/// RT       look().
class VariableSources {
 public:
  /// Adds an element that is read into a cell.                                                      @when setup
  void add(tactus_type type, const void* data, std::uint32_t cell) {
    (type == TACTUS_DOUBLE ? doubles_ : others_).push_back({data, cell, type});
  }
  /// Reads all of them.
  void look(ExpressionRun& run) const TACTUS_RT {
    for (const Source& source : doubles_)
      std::memcpy(&run.cell(source.cell).real, source.data, sizeof(double));
    for (const Source& source : others_) run.cell(source.cell) = load_other_cell(source.type, source.data);
  }

 private:
  struct Source {
    const void* data;
    std::uint32_t cell;
    tactus_type type;
  };
  std::vector<Source> doubles_, others_;
};
/// The type that its value has in expressions.
config::CellType cell_type(tactus_type type);

}  // namespace tactus::executive
