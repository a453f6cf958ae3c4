// SPDX-License-Identifier: Apache-2.0
#include "drivers/record/mdf4/mdf4_sink.hpp"
#include "drivers/record/mdf4/mdf4_source.hpp"
#include "executive/driver/driver.hpp"
#include "executive/driver/driver_with_fields.hpp"

namespace tactus::drivers::record {
namespace {

struct Mdf4Settings {};

const config::Fields<Mdf4Settings>& mdf4_fields() {
  static const config::Fields<Mdf4Settings> fields{
      "A recording as MDF 4.10, for CANape, MDA and asammdf: `<recording>.mf4`. It has no keys of its own.",
      {}};
  return fields;
}

class Mdf4Format final : public executive::DriverWithFields<executive::RecordDriver, mdf4_fields> {
 public:
  std::unique_ptr<executive::RecordSink> make(const config::Node& settings, const std::string& path,
                                              config::Problems& problems) override {
    return load(settings, path, problems) ? mdf4_sink() : nullptr;
  }
  std::string file_name(const std::string& recording) const override { return recording + ".mf4"; }
  executive::RecordedFile examine(const std::filesystem::path& file) const override {
    return examine_mdf4(file);
  }
  void mend(const executive::RecordedFile& file) const override { mend_mdf4(file); }
  std::unique_ptr<executive::RecordSource> read(const std::filesystem::path& file) const override {
    return read_mdf4(file);
  }
};

}  // namespace
}  // namespace tactus::drivers::record

TACTUS_DRIVER(tactus::executive::RecordDriver, "mdf4", tactus::drivers::record::Mdf4Format)
