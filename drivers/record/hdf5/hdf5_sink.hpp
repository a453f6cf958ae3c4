// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <memory>

#include "executive/driver/record_sink.hpp"

namespace tactus::drivers::record {

/// The group of a recording holds `time` and a dataset for each column; this one, at the root, says all of the
/// recording, as columns_json.hpp has it.
inline constexpr const char* kHdf5Head = "tactus_head";
inline constexpr const char* kHdf5Time = "time";

/// A recording as HDF5, `<recording>.h5`: a group with a dataset for each column, its unit as attribute `units`,
/// and `time` in nanoseconds; as CF and netCDF-4 want it.
///
/// While a rig runs (`live`), the file is of the kind that one writes and others read meanwhile (SWMR), without
/// compression: what was flushed survives a kill. Otherwise it is compressed, and of the oldest version of the format, which
/// every reader knows.
std::unique_ptr<executive::RecordSink> hdf5_sink(bool live);
/// Sink for a file of that many records, which holds little beside them: neither compressed nor one that grows.
std::unique_ptr<executive::RecordSink> hdf5_sink_for(std::uint64_t records);

}  // namespace tactus::drivers::record
