// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "drivers/record/common/row.hpp"
#include "drivers/record/trk/trk_sink.hpp"
#include "drivers/record/trk/trk_source.hpp"
#include "executive/driver/driver.hpp"
#include "executive/driver/driver_with_fields.hpp"

namespace tactus::drivers::record {
namespace {

struct TrkSettings {};

const config::Fields<TrkSettings>& trk_fields() {
  static const config::Fields<TrkSettings> fields{
      "A recording as Trick's binary file, for trick-dp, trick-qp and koviz: `log_<recording>.trk`. It has "
      "no keys "
      "of its own.",
      {}};
  return fields;
}

class TrkFormat final : public executive::DriverWithFields<executive::RecordDriver, trk_fields> {
 public:
  std::unique_ptr<executive::RecordSink> make(const config::Node& settings, const std::string& path,
                                              config::Problems& problems) override {
    return load(settings, path, problems) ? trk_sink() : nullptr;
  }
  std::string file_name(const std::string& recording) const override { return "log_" + recording + ".trk"; }
  executive::RecordedFile examine(const std::filesystem::path& file) const override {
    return examine_trk(file);
  }
  std::unique_ptr<executive::RecordSource> read(const std::filesystem::path& file) const override {
    return read_trk(file);
  }
  std::vector<std::string> omits(const executive::RecordingHead& head) const override {
    std::vector<std::string> all;
    const auto count = [&](auto has, const std::string& what) {
      const auto columns =
          static_cast<std::size_t>(std::count_if(head.columns.begin(), head.columns.end(), has));
      if (columns > 0) all.push_back(what + " of " + counted(columns, "column"));
    };
    count([](const auto& column) { return !column.about.empty(); }, "the descriptions");
    count([](const auto& column) { return !column.labels.empty(); }, "the names of values");
    if (head.epoch_ns != 0) all.emplace_back("the date of simulated time 0");
    return all;
  }
};

}  // namespace
}  // namespace tactus::drivers::record

TACTUS_DRIVER(tactus::executive::RecordDriver, "trk", tactus::drivers::record::TrkFormat)
