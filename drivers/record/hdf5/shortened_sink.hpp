// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <memory>

#include "executive/driver/record_sink.hpp"

namespace tactus::drivers::record {

/// The sink of a rig that runs: hdf5_sink(true), whose file is written anew when it is closed and much of it is room
/// for records that did not come. A kill meanwhile leaves the file as it was, and beside it one that ends in
/// `.shortened`.
std::unique_ptr<executive::RecordSink> shortened_hdf5_sink();

}  // namespace tactus::drivers::record
