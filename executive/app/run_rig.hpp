// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <functional>
#include <string>

#include "executive/plan/rig.hpp"
#include "executive/run/rig_run.hpp"
#include "executive/run/run_setup.hpp"

namespace tactus::app {

/// A run as the command line asks for it.
struct RunRequest {
  std::string file;
  executive::RunOverrides choices{};
  bool quiet = false;
  bool witness = true;        ///< the process that was started becomes the rig's witness
  bool report = false;        ///< a report of the run at its end
  std::string report_file{};  ///< file of the report; empty: report.html in the run folder
};

using AfterRun =
    std::function<int(const executive::Rig&, const executive::RigRun&, const executive::RunFolder&)>;
/// Runs a rig, with its status on the screen, and returns the exit status; `after` is asked for it, unless a job never
/// returned. With a witness only the rig's process returns.
int run_rig(const RunRequest& request, const AfterRun& after = {});

/// Explains why the text is not a number within the limits; empty: it is one.
std::string wrong_number(const std::string& text, double least, double most);
/// Explains why the text is not a number of frames; empty: it is one. CLI11 cuts one that is too large to the
/// largest.
std::string wrong_frames(const std::string& text);

}  // namespace tactus::app
