// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>

#include "drivers/fmi/archive/archive.hpp"

namespace tactus::drivers::fmi {

/// Explains why a file of an archive is no shared library that this machine can load, by its head: "is no shared library
/// (ELF)". Empty: it looks like one. Throws ArchiveError. @when setup
std::string library_problem(const Archive& archive, const std::string& file);

}  // namespace tactus::drivers::fmi
