// SPDX-License-Identifier: Apache-2.0
#include "drivers/record/mcap/mcap_sink.hpp"
#include "drivers/record/mcap/mcap_source.hpp"
#include "executive/driver/driver.hpp"
#include "executive/driver/driver_with_fields.hpp"

namespace tactus::drivers::record {
namespace {

struct McapSettings {};

const config::Fields<McapSettings>& mcap_fields() {
  static const config::Fields<McapSettings> fields{
      "A recording as MCAP, for Foxglove and PlotJuggler: `<recording>.mcap`. It has no keys of its own.",
      {}};
  return fields;
}

class McapFormat final : public executive::DriverWithFields<executive::RecordDriver, mcap_fields> {
 public:
  std::unique_ptr<executive::RecordSink> make(const config::Node& settings, const std::string& path,
                                              config::Problems& problems) override {
    return load(settings, path, problems) ? mcap_sink() : nullptr;
  }
  std::string file_name(const std::string& recording) const override { return recording + ".mcap"; }
  executive::RecordedFile examine(const std::filesystem::path& file) const override {
    return examine_mcap(file);
  }
  void mend(const executive::RecordedFile& file) const override { mend_mcap(file); }
  std::unique_ptr<executive::RecordSource> read(const std::filesystem::path& file) const override {
    return read_mcap(file);
  }
};

}  // namespace
}  // namespace tactus::drivers::record

TACTUS_DRIVER(tactus::executive::RecordDriver, "mcap", tactus::drivers::record::McapFormat)
