// SPDX-License-Identifier: Apache-2.0
#include "drivers/can/model/can_model.hpp"

TACTUS_DRIVER_ENTRY(tactus::drivers::can::can_entry())
