// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "config/expression_builder.hpp"
#include "executive/capability/judge/monitor.hpp"
#include "executive/capability/judge/settings.hpp"
#include "executive/expression/variable_inputs.hpp"

namespace tactus::executive {

/// An expectation as frames judge it: cells of the test's program.
struct CompiledExpectation {
  ExpectSettings settings{};
  std::string text{};  ///< "after loaded, within 100 ms: ..."
  Monitor::Kind kind = Monitor::Kind::always;
  std::int64_t ticks = 0;
  std::uint32_t holds = 0;
  std::optional<std::uint32_t> opens{}, closes{}, margin{};
  std::string unit{};  ///< unit of the margin
};

/// Events and expectations of a test as one program.
struct CompiledTest {
  config::ExpressionProgram program{};
  std::vector<VariableRef> inputs{};  ///< variables in the order of program.inputs
  std::vector<CompiledExpectation> expectations{};
};

/// The test of a rig as its plan has it, once that is made. It is no setting: nothing compares it.
struct PlannedTest {
  std::shared_ptr<const CompiledTest> test{};
  bool operator==(const PlannedTest&) const { return true; }
};

/// Compiles a test for frames of that period. Its mistakes are added to `problems`.             @when setup
CompiledTest compile_test(const TestSettings& settings, const VariableNames::LookUp& look_up,
                          rtsync::Period frame, config::Problems& problems);

}  // namespace tactus::executive
