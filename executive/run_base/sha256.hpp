// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <filesystem>
#include <string>
#include <string_view>

namespace tactus::executive {

/// Returns the SHA-256 checksum (FIPS 180-4) of bytes, as 64 hexadecimal digits, as sha256sum prints it.  @when service
std::string sha256(std::string_view bytes);
/// The same of a file; empty: it cannot be read.                                                 @when service
std::string sha256_of_file(const std::filesystem::path& file);

}  // namespace tactus::executive
