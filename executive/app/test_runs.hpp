// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <filesystem>
#include <string>
#include <vector>

namespace tactus::app {

/// The choices of `tactus test RIG FILES...`.
struct TestRuns {
  std::string rig;
  std::vector<std::string> files;    ///< those of the tests
  std::string only;                  ///< text that the path of a file holds; empty: any
  bool until_failure = false;        ///< ends at the first that is not good
  std::string out;                   ///< folder of the run folders; empty: runs/<rig>-tests-<start time>
  std::filesystem::path junit;       ///< one file for all; empty: none
  std::vector<std::string> set;      ///< changes of the rig file, also in `passed`
  std::vector<std::string> passed;   ///< options that each `tactus run` gets
  bool allows_inconclusive = false;  ///< `--allow` of `passed` has it
  bool json = false;                 ///< prints one JSON object for each test instead of the table
};

/// The files of tests that `only` chooses. Throws CommandError that names all which are no files, or if none is left.
std::vector<std::string> chosen_tests(const TestRuns& asked);

/// Runs each test as a `tactus run RIG --test FILE` of its own, one after the other, and prints a table of verdicts.
/// Returns the exit status: the first of a run that failed as such, else 4, 5 or 0.
/// Throws CommandError where nothing can be run.                                             @when service
int run_tests(const TestRuns& asked);

}  // namespace tactus::app
