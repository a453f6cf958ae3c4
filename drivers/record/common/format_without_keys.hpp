// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "executive/driver/driver.hpp"
#include "executive/driver/driver_with_fields.hpp"
#include "executive/driver/record_sink.hpp"

namespace tactus::drivers::record {

/// A format of recordings that has no keys of its own.
struct Format {
  const char* about;   ///< text of the reference page
  const char* ending;  ///< end of the names of its files: ".mcap"
  std::unique_ptr<executive::RecordSink> (*sink)();
  std::unique_ptr<executive::RecordSink> (*export_sink)();
  executive::RecordedFile (*examine)(const std::filesystem::path& file);
  void (*mend)(const executive::RecordedFile& file);
  std::unique_ptr<executive::RecordSource> (*read)(const std::filesystem::path& file);
};

struct NoKeys {};

template <const Format& format>
const config::Fields<NoKeys>& no_fields() {
  static const config::Fields<NoKeys> fields{format.about, {}};
  return fields;
}

/// Driver of such a format, for TACTUS_DRIVER.
template <const Format& format>
class FormatWithoutKeys final
    : public executive::DriverWithFields<executive::RecordDriver, no_fields<format>> {
 public:
  std::unique_ptr<executive::RecordSink> make(const config::Node& settings, const std::string& path,
                                              config::Problems& problems) override {
    return this->load(settings, path, problems) ? format.sink() : nullptr;
  }
  std::unique_ptr<executive::RecordSink> make_for_export() override { return format.export_sink(); }
  std::string file_name(const std::string& recording) const override { return recording + format.ending; }
  executive::RecordedFile examine(const std::filesystem::path& file) const override {
    return format.examine(file);
  }
  void mend(const executive::RecordedFile& file) const override { format.mend(file); }
  std::unique_ptr<executive::RecordSource> read(const std::filesystem::path& file) const override {
    return format.read(file);
  }
};

}  // namespace tactus::drivers::record
