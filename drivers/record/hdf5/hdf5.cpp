// SPDX-License-Identifier: Apache-2.0
#include "drivers/record/hdf5/hdf5_sink.hpp"
#include "drivers/record/hdf5/hdf5_source.hpp"
#include "drivers/record/hdf5/shortened_sink.hpp"
#include "executive/driver/driver.hpp"
#include "executive/driver/driver_with_fields.hpp"

namespace tactus::drivers::record {
namespace {

struct Hdf5Settings {};

const config::Fields<Hdf5Settings>& hdf5_fields() {
  static const config::Fields<Hdf5Settings> fields{
      "A recording as HDF5, for h5py, MATLAB, netCDF and xarray: `<recording>.h5`. It has no keys of its "
      "own.",
      {}};
  return fields;
}

class Hdf5Format final : public executive::DriverWithFields<executive::RecordDriver, hdf5_fields> {
 public:
  std::unique_ptr<executive::RecordSink> make(const config::Node& settings, const std::string& path,
                                              config::Problems& problems) override {
    return load(settings, path, problems) ? shortened_hdf5_sink() : nullptr;
  }
  std::unique_ptr<executive::RecordSink> make_for_export() override { return hdf5_sink(false); }
  std::string file_name(const std::string& recording) const override { return recording + ".h5"; }
  executive::RecordedFile examine(const std::filesystem::path& file) const override {
    return examine_hdf5(file);
  }
  void mend(const executive::RecordedFile& file) const override { mend_hdf5(file); }
  std::unique_ptr<executive::RecordSource> read(const std::filesystem::path& file) const override {
    return read_hdf5(file);
  }
};

}  // namespace
}  // namespace tactus::drivers::record

TACTUS_DRIVER(tactus::executive::RecordDriver, "hdf5", tactus::drivers::record::Hdf5Format)
