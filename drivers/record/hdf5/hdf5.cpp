// SPDX-License-Identifier: Apache-2.0
#include "drivers/record/common/format_without_keys.hpp"
#include "drivers/record/hdf5/hdf5_sink.hpp"
#include "drivers/record/hdf5/hdf5_source.hpp"
#include "drivers/record/hdf5/shortened_sink.hpp"

namespace tactus::drivers::record {

constexpr Format kHdf5{
    "A recording as HDF5, for h5py, MATLAB, netCDF and xarray: `<recording>.h5`. It has no keys of its own.",
    ".h5",
    &shortened_hdf5_sink,
    [] { return hdf5_sink(false); },
    &examine_hdf5,
    &mend_hdf5,
    &read_hdf5};

}  // namespace tactus::drivers::record

TACTUS_DRIVER(tactus::executive::RecordDriver, "hdf5",
              tactus::drivers::record::FormatWithoutKeys<tactus::drivers::record::kHdf5>)
