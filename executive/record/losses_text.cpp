// SPDX-License-Identifier: Apache-2.0
#include "executive/record/losses_text.hpp"

#include <cerrno>
#include <system_error>

namespace tactus::executive {

std::string losses_text(std::int64_t lost, std::int64_t of, const std::string& error) {
  const bool full = error.find(std::generic_category().message(ENOSPC)) != std::string::npos;
  const std::string why = error.empty() ? "the disk could not follow"
                          : full        ? "no space left on device"
                                        : error;
  if (of == 0) return "none of its records was kept: " + why;
  return std::to_string(lost) + " of " + std::to_string(of) + " records lost: " + why;
}

}  // namespace tactus::executive
