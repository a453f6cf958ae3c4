// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "config/expression_builder.hpp"
#include "executive/capability/judge/monitor.hpp"
#include "executive/capability/judge/reference.hpp"
#include "executive/capability/judge/sequence.hpp"
#include "executive/capability/judge/settings.hpp"
#include "executive/capability/judge/tube_values.hpp"
#include "executive/expression/variable_inputs.hpp"
#include "executive/run_base/run_figures.hpp"

namespace tactus::executive {

/// A recording that may be shifted as a whole, by whole frames.
struct CompiledShift {
  std::uint32_t value = 0, tolerance = 0;  ///< cells, in one unit
  double factor = 1, offset = 0;           ///< conversion of the recording into that unit
  double margin_factor = 1;                ///< conversion of a distance into the unit of the margin
  ReferenceValues reference{};
  std::int64_t frames = 0;  ///< most frames to both sides
};

/// A tube around a recording of whole numbers: x has to be near one of its values.
struct CompiledTube {
  std::uint32_t value = 0, tolerance = 0;  ///< cells, in one unit
  double margin_factor = 1;                ///< conversion of a distance into the unit of the margin
  TubeValues near{};                       ///< values in the unit of the cells
};

/// An expectation as frames judge it: cells of the test's program.
struct CompiledExpectation {
  ExpectSettings settings{};
  std::string text{};  ///< "after loaded, within 100 ms: ..."
  Monitor::Choices monitor{};
  rtsync::Nanoseconds limit{0};     ///< a frame is late by more than a tenth of it; 0: there is none
  std::int64_t frames_of_duty = 0;  ///< frames after the first one of a `within`
  std::uint32_t holds = 0;
  std::optional<std::uint32_t> opens{}, closes{}, margin{};
  std::optional<std::int64_t> opens_in{}, closes_in{};  ///< frames of simulated time
  bool opens_first = false;                             ///< it opens in the first frame
  std::optional<CompiledShift> shift{};
  std::optional<CompiledTube> tube{};
  std::optional<RunCondition> run{};  ///< judged at the end of the run instead
  ChartUnits units{};                 ///< the first is that of the margin
  std::string no_margin{};            ///< reason why there is none
};

/// A quantity that is measured over the run.
struct CompiledMeasure {
  std::string name{};
  std::string unit{};
  std::uint32_t cell = 0;             ///< its value after the last frame
  std::optional<RunCondition> run{};  ///< a figure of the run instead
};

/// A value that a test reads: a variable, or a recording.
struct TestInput {
  VariableRef variable{};
  ReferenceValues reference{};  ///< nullptr: the variable
};

/// Events, a sequence and expectations of a test as one program.
struct CompiledTest {
  config::ExpressionProgram program{};
  std::vector<TestInput> inputs{};  ///< inputs in the order of program.inputs
  std::vector<CompiledExpectation> expectations{};
  std::vector<VariableRef> variables{};             ///< all that it names
  std::vector<std::filesystem::path> recordings{};  ///< files that it compares with
  std::vector<std::uint32_t> events{};              ///< cells, in the order of ActionPlan::events
  CompiledSequence sequence{};
  std::vector<CompiledMeasure> measures{};

  /// Something of it happens in frames.
  bool needs_frames() const { return expects() || !events.empty() || !measures.empty(); }
  /// It has verdicts.
  bool expects() const { return !expectations.empty() || !sequence.steps.empty(); }
};

/// The test of a rig as its plan has it, once that is made. It is no setting: nothing compares it.
struct PlannedTest {
  std::shared_ptr<const CompiledTest> test{};
  bool operator==(const PlannedTest&) const { return true; }
};

/// Compiles a test for this number of frames of that period. Its mistakes are added to `problems`, its actions to the plan of `actions`.
/// `base`: folder of recordings that are named outside of a file.                               @when setup
CompiledTest compile_test(const TestSettings& settings, const VariableNames::LookUp& look_up,
                          rtsync::Period frame, std::int64_t frames, const std::filesystem::path& base,
                          ActionParser& actions, config::Problems& problems);

}  // namespace tactus::executive
