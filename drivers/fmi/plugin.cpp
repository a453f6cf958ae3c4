// SPDX-License-Identifier: Apache-2.0
#include "drivers/fmi/model/fmi_model.hpp"

TACTUS_DRIVER_ENTRY(tactus::drivers::fmi::fmi_entry())
