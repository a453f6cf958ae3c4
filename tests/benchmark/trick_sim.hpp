// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <cstdint>
#include <string>

#include "tests/benchmark/process.hpp"
#include "tests/support/temp_dir.hpp"

namespace tactus::benchmark {

/// The simulation of tests/benchmark/trick_sim, built by the trick-CP of a built NASA Trick, whose folder the environment
/// variable TACTUS_TRICK_HOME names. It lives in a folder that is deleted with it.
///
///     if (TrickSim::home().empty()) ...   // not tried
///     const TrickSim trick;               // takes a minute
///     trick.frame_ns("text", 100, 5000);
class TrickSim {
 public:
  /// TACTUS_TRICK_HOME; empty: there is none.
  static std::string home();
  /// What an answer says where there is none.
  static constexpr const char* kNotTried = "not tried: TACTUS_TRICK_HOME names no built Trick";

  /// Builds it. Throws std::runtime_error with the end of what trick-CP said.
  TrickSim();
  /// Returns the CPU time of a frame, in ns, of a motor and that many events whose condition never holds. `kind`: text (of
  /// the input file, evaluated by Python), variable (a bool of the model), job (a function of the model).
  double frame_ns(const std::string& kind, int events, int frames) const;
  /// Returns the CPU time of a frame, in ns, of that many jobs of a model that does nothing (empty) or has nine outputs
  /// (nine), with Trick's defaults.
  double jobs_frame_ns(const std::string& model, std::size_t jobs, std::int64_t frames) const;
  /// Runs cases of 10 ms by Trick's Monte Carlo; its slaves are processes of their own, whose CPU time is not counted.
  ProcessCost run_cases(int cases, int slaves) const;
  /// Runs one case alone, as a process that reads the input file and ends after 10 ms.
  ProcessCost run_alone() const;
  /// The version of Trick.
  std::string version() const;

 private:
  double frame_of(const std::string& environment, const std::string& input, std::int64_t frames) const;
  ProcessCost run(const std::string& environment, const std::string& input, const std::string& log) const;

  test::TempDir dir_;
};

}  // namespace tactus::benchmark
