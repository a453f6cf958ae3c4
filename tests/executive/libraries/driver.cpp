// SPDX-License-Identifier: Apache-2.0
// Drivers that are not what their file says: one library per value of DRIVER.
#include "executive/driver/driver.hpp"

#include "executive/driver/record_sink.hpp"

using tactus::executive::Driver;
using tactus::executive::DriverEntry;
using tactus::executive::RecordDriver;

namespace {

[[maybe_unused]] Driver* make() { return nullptr; }

struct NoFormat final : RecordDriver {
  std::unique_ptr<tactus::executive::RecordSink> make(const tactus::config::Node&, const std::string&,
                                                      tactus::config::Problems&) override {
    return nullptr;
  }
  std::string file_name(const std::string& recording) const override { return recording; }
  tactus::executive::RecordedFile examine(const std::filesystem::path&) const override { return {}; }
  std::unique_ptr<tactus::executive::RecordSource> read(const std::filesystem::path&) const override {
    return nullptr;
  }
};

}  // namespace

#if DRIVER == 0
extern "C" TACTUS_EXPORT const DriverEntry* tactus_driver() {
  static constexpr DriverEntry kEntry{"tactus driver 0, C++ ABI 1", "record", "oldbuild", &make};
  return &kEntry;
}
#elif DRIVER == 1
TACTUS_DRIVER(RecordDriver, "csv", NoFormat)
#elif DRIVER == 2
struct OtherKind : Driver {
  static constexpr const char* kKind = "gpio";
};
TACTUS_DRIVER(OtherKind, "otherkind", OtherKind)
#elif DRIVER == 3
TACTUS_DRIVER(RecordDriver, "fine", NoFormat)
#elif DRIVER == 4
extern "C" TACTUS_EXPORT const DriverEntry* tactus_driver() { return nullptr; }
#endif
