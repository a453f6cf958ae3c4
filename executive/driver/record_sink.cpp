// SPDX-License-Identifier: Apache-2.0
#include "executive/driver/record_sink.hpp"

namespace tactus::executive {

std::size_t record_bytes(const RecordingHead& head) {
  std::size_t bytes = sizeof(std::int64_t);
  for (const RecordColumn& column : head.columns) bytes += size_of(column.type);
  return bytes;
}

}  // namespace tactus::executive
