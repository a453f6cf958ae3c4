// SPDX-License-Identifier: Apache-2.0
#include "drivers/record/trk/trk_format.hpp"

TACTUS_DRIVER_ENTRY(tactus::drivers::record::trk_entry())
