// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <memory>

#include "executive/driver/record_sink.hpp"

namespace tactus::drivers::record {

/// The name of the metadata record that says all of a recording, as columns_json.hpp has it.
inline constexpr const char* kMcapMetadata = "tactus";

/// A recording as MCAP, for Foxglove and PlotJuggler: one channel, "/<recording>", of protobuf messages
/// (message.hpp), one for each record, at the date of its simulated time. A unit is in the metadata of the
/// channel, "unit.<column>".
///
/// A flush writes a chunk with the index of its messages; the summary comes at the end. A killed rig leaves
/// whole chunks without it: readers of streams read them, and `tactus recover` adds the summary.
std::unique_ptr<executive::RecordSink> mcap_sink();

}  // namespace tactus::drivers::record
