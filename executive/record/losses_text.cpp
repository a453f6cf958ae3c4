// SPDX-License-Identifier: Apache-2.0
#include "executive/record/losses_text.hpp"

#include <cerrno>
#include <system_error>

namespace tactus::executive {

std::string losses_text(std::int64_t lost, std::int64_t of, const std::string& error) {
  const bool full = error.find(std::generic_category().message(ENOSPC)) != std::string::npos;
  return std::to_string(lost) + " of " + std::to_string(of) + " records lost: " +
         (error.empty() ? "the disk could not follow"
          : full        ? "no space left on device"
                        : error);
}

}  // namespace tactus::executive
