// SPDX-License-Identifier: Apache-2.0
#include "drivers/live/http/driver.hpp"
#include "executive/driver/driver.hpp"

TACTUS_DRIVER(tactus::executive::LiveDriver, "http", tactus::drivers::live_http::HttpDriver)
