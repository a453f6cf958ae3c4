// SPDX-License-Identifier: Apache-2.0
#include "drivers/record/common/format_without_keys.hpp"
#include "drivers/record/mcap/mcap_sink.hpp"
#include "drivers/record/mcap/mcap_source.hpp"

namespace tactus::drivers::record {

constexpr Format kMcap{
    "A recording as MCAP, for Foxglove and PlotJuggler: `<recording>.mcap`. It has no keys of its own.",
    ".mcap",
    &mcap_sink,
    &mcap_sink,
    &examine_mcap,
    &mend_mcap,
    &read_mcap};

}  // namespace tactus::drivers::record

TACTUS_DRIVER(tactus::executive::RecordDriver, "mcap",
              tactus::drivers::record::FormatWithoutKeys<tactus::drivers::record::kMcap>)
