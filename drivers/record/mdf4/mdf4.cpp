// SPDX-License-Identifier: Apache-2.0
#include "drivers/record/common/format_without_keys.hpp"
#include "drivers/record/mdf4/mdf4_sink.hpp"
#include "drivers/record/mdf4/mdf4_source.hpp"

namespace tactus::drivers::record {

constexpr Format kMdf4{
    "A recording as MDF 4.10, for CANape, MDA and asammdf: `<recording>.mf4`. It has no keys of its own.",
    ".mf4",
    &mdf4_sink,
    &mdf4_sink,
    &examine_mdf4,
    &mend_mdf4,
    &read_mdf4};

}  // namespace tactus::drivers::record

TACTUS_DRIVER(tactus::executive::RecordDriver, "mdf4",
              tactus::drivers::record::FormatWithoutKeys<tactus::drivers::record::kMdf4>)
