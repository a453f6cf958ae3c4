// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

#include "executive/flight/flight_reader.hpp"

namespace tactus::executive {

/// Around which frame a trace is written, and why.
struct TraceRequest {
  std::filesystem::path folder;
  std::string why;
  std::optional<std::uint64_t> index{};  ///< FlownFrame::index; nothing: the last frame
  /// Reason why activities under way belong to the trace, as "the process died"; empty: they continue.
  std::string ended{};
  std::string reason{};  ///< text after `why` in its title
};

/// Result of a trace: the file that was written, or why none was. Neither: there is no such frame.
struct TraceResult {
  std::string file;  ///< its name in the folder
  std::string failure;
  std::string remark{};  ///< remark on what is missing there
};

/// Writes RUN_DIR/trace-<frame>.pftrace and trace-<frame>.txt, or neither.                   @when service
TraceResult write_trace(const FlightView& flight, const TraceRequest& request);

/// Writes the events between two times of CLOCK_MONOTONIC as the bytes of a .pftrace. Throws
/// std::runtime_error. @when service
std::string trace_between(const FlightView& flight, std::int64_t from_ns, std::int64_t until_ns);

/// The same as text: the frames around that one, and the jobs of the nearest. `file`: made anew. Why it could
/// not; empty: it did.                                                                      @when service
std::string write_text_trace(const FlightView& flight, const FlownFrame& frame, const TraceRequest& request,
                             const std::filesystem::path& file);

/// The job, or what the thread waits for.
std::string name_of_span(const FlightPlan& plan, const FlownJob& job);
/// "work", "late wake" ...; of none: "".
const char* text_of(rtsync::OverrunCause cause);
const char* text_of(FlightEvent event);
/// Detail of an event: "pause", "locked", or a number.
std::string text_of(FlightEvent event, std::uint32_t id);
const char* text_of(rtsync::LatePart part);
struct FigureName {
  const char* name;
  bool is_time;  ///< true: a time in ns, else a number
};
FigureName name_of(FlightFigure figure);

}  // namespace tactus::executive
