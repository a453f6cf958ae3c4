// SPDX-License-Identifier: Apache-2.0
#pragma once
/// A database of a bus for benchmarks: 63 messages of 8 bytes with 8 signals each, both byte orders, signed and unsigned.
#include <array>
#include <cstddef>
#include <random>
#include <string>

namespace tactus::benchmark {

inline constexpr unsigned kCanMessages = 63;
inline constexpr unsigned kCanSignals = 8;  ///< of a message

/// Text of the database: messages In0, In1 ... of node PEER with the identifiers from 0x100, and Out0 ... of node RIG with
/// those from 0x200, each with a cycle of 1 ms.
inline std::string can_database() {
  std::mt19937 random(500);
  std::string text = "VERSION \"\"\nBU_: RIG PEER\n";
  for (const bool out : {false, true})
    for (unsigned m = 0; m < kCanMessages; ++m) {
      text += "BO_ " + std::to_string((out ? 0x200 : 0x100) + m) + (out ? " Out" : " In") +
              std::to_string(m) + ": 8 " + (out ? "RIG" : "PEER") + "\n";
      const bool big = m % 2 == 1;
      unsigned begin = 0;
      for (unsigned s = 0; s < kCanSignals; ++s) {
        const unsigned length = 4 + static_cast<unsigned>(random() % 5);  // 8 of them are 64 bits at most
        const unsigned start = big ? begin / 8 * 8 + 7 - begin % 8 : begin;
        text += " SG_ S" + std::to_string(s) + " : " + std::to_string(start) + "|" + std::to_string(length) +
                (big ? "@0" : "@1") + (s % 2 == 0 ? "+" : "-") + " (0.25,-3) [0|0] \"\" RIG\n";
        begin += length;
      }
    }
  text += "BA_DEF_ BO_ \"GenMsgCycleTime\" INT 0 10000;\nBA_DEF_DEF_ \"GenMsgCycleTime\" 1;\n";
  for (const unsigned base : {0x100U, 0x200U})
    for (unsigned m = 0; m < kCanMessages; ++m)
      text += "BA_ \"GenMsgCycleTime\" BO_ " + std::to_string(base + m) + " 1;\n";
  return text;
}

}  // namespace tactus::benchmark
