// SPDX-License-Identifier: Apache-2.0
// The checksum of a made-up car maker.
#include <stdint.h>

uint64_t sum_of_all(const uint8_t* data, uint32_t length, uint32_t id, uint32_t counter);

uint64_t sum_of_all(const uint8_t* data, uint32_t length, uint32_t id, uint32_t counter) {
  uint64_t sum = id + counter;
  for (uint32_t i = 0; i < length; ++i) sum += data[i];
  return sum & 0xFFU;
}
