// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <stdexcept>
#include <utility>

#include "executive/driver/record_sink.hpp"

namespace tactus::drivers::record {

/// Puts the records that wait into the file, after which none waits. Throws RecordsLost, with their number, when that
/// fails. `put` writes them; `clear` forgets them. @when service
template <class Put, class Clear>
void put_waiting(std::uint64_t& waiting, const Put& put, const Clear& clear) {
  if (waiting == 0) return;
  try {
    put();
  } catch (const std::runtime_error& error) {
    const std::uint64_t lost = std::exchange(waiting, 0);
    clear();
    throw executive::RecordsLost(error.what(), lost);
  }
  waiting = 0;
  clear();
}

}  // namespace tactus::drivers::record
