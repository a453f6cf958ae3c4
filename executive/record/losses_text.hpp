// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <string>

namespace tactus::executive {

/// Returns "7467 of 10000 records lost: no space left on device". `error`: why the file could not be written; empty:
/// the ring was full. @when service
std::string losses_text(std::int64_t lost, std::int64_t of, const std::string& error);

}  // namespace tactus::executive
