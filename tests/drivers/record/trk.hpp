// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <filesystem>
#include <memory>

#include "drivers/record/trk/trk_format.hpp"
#include "executive/driver/record_sink.hpp"
#include "executive/driver/sdk_driver.hpp"

namespace tactus::test {

/// The format of Trick as the executive sees it: behind the C ABI of drivers.
inline executive::RecordDriver& trk_driver() {
  static const std::unique_ptr<executive::Driver> driver =
      executive::make_sdk_driver(*drivers::record::trk_entry(), "libtactus-record-trk.so");
  return static_cast<executive::RecordDriver&>(*driver);
}
inline std::unique_ptr<executive::RecordSink> trk_sink() {
  config::Problems problems;
  return trk_driver().make(config::Node::map({}), "record.tape", problems);
}
inline std::unique_ptr<executive::RecordSource> read_trk(const std::filesystem::path& file) {
  return trk_driver().read(file);
}
inline executive::RecordedFile examine_trk(const std::filesystem::path& file) {
  return trk_driver().examine(file);
}

}  // namespace tactus::test
