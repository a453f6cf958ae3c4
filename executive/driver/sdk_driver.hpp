// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <tactus/driver.h>

#include <memory>
#include <string>

#include "executive/driver/driver.hpp"

namespace tactus::executive {

/// A driver that was built against the installed headers (tactus/driver.h), seen as one of this build. Whatever its
/// functions do but crash becomes an exception with a sentence: failures, exceptions, results that make no sense.
///
/// Throws LibraryError with what is wrong with the entry: another ABI, wrong sizes, functions that are missing, keys
/// that make no sense. `file` is for messages. The entry must outlive the driver. @when setup
std::unique_ptr<Driver> make_sdk_driver(const tactus_driver& entry, const std::string& file);

/// Copies what this tactus knows of an entry whose ABI is ours, with kind and name. Throws LibraryError otherwise.
tactus_driver known_driver(const tactus_driver* entry, const std::string& file);

}  // namespace tactus::executive
