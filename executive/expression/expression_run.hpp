// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <vector>

#include "config/expression_program.hpp"
#include "executive/expression/expression_window.hpp"
#include "executive/expression/step_pair.hpp"
#include "rtsync/rt.hpp"

namespace tactus::executive {

/// Evaluates a program of expressions, once a tick. The inputs are written into cell() before that. Operations that often
/// follow each other are one step (step_pair.hpp).
///
/// Threads  one at a time.
/// RT       run(), cell(); the constructor allocates.
class ExpressionRun {
 public:
  explicit ExpressionRun(config::ExpressionProgram program);

  /// Forgets what was before: the next tick is the first one.                                     @when setup
  void begin_anew();
  void run() TACTUS_RT;  // @when rt

  config::Cell& cell(std::uint32_t number) TACTUS_RT { return cells_[number]; }
  const config::ExpressionProgram& program() const { return program_; }

 private:
  void add_step(const config::Instruction& instruction);
  void run_with_memory(const config::Instruction& at) TACTUS_RT;
  void run_over_all(const config::Instruction& at) TACTUS_RT;

  config::ExpressionProgram program_;
  std::vector<ExpressionStep> steps_;
  std::vector<config::Cell> cells_;
  std::vector<config::Cell> memory_;
  std::vector<ExpressionWindow> windows_;
  bool first_ = true;
};

/// True, false, or no value.
inline config::Cell truth_cell(bool holds) TACTUS_RT { return {.real = holds ? 1.0 : 0.0}; }

}  // namespace tactus::executive
