// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "config/json.hpp"

namespace tactus::executive {

/// A trace in a run folder: `file`, and beside it the same as text.
struct TraceFile {
  std::string file;  ///< its name
  std::int64_t frame = 0;
  std::string why;
};

/// Name for a trace of the frame: "trace-<frame>.pftrace", with "-2" and so on if there is one already:
/// without its ending. @when service
std::string free_trace_name(const std::filesystem::path& folder, std::int64_t frame);
/// The text form of a trace.
std::string text_of_trace(const std::string& file);
/// The first line of the text form.
std::string trace_title(std::int64_t frame, const std::string& rig, const std::string& why);
/// Those of a run folder, oldest first.                                                       @when service
std::vector<TraceFile> traces_in(const std::filesystem::path& folder);
/// Returns that of the run folder that is about the frame; else one whose frames, `before` to `after` it, have it.
/// @when service
std::optional<TraceFile> trace_with(const std::filesystem::path& folder, std::int64_t frame,
                                    std::int64_t before, std::int64_t after);
/// Returns the traces as summary.json lists them.
config::Json traces_json(const std::vector<TraceFile>& traces);
/// Lists those of a run folder in its summary.json, for a rig that cannot any more. Where there is none, or it
/// cannot be written, all stays as it was.                                                  @when service
void list_traces(const std::filesystem::path& folder);

}  // namespace tactus::executive
