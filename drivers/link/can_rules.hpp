// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <bitset>
#include <cstdint>
#include <string>
#include <vector>

#include "rtsync/rt.hpp"

namespace tactus::drivers::link {

constexpr std::uint32_t kMostStandardId = 0x7FF;
constexpr std::uint32_t kMostExtendedId = 0x1FFF'FFFF;

/// Identifiers from `first` to `last`, of 11 bits, or of 29 bits.
struct CanIds {
  std::uint32_t first = 0;
  std::uint32_t last = 0;
  bool extended = false;
};

/// Reads "0x100", "291", "0x100-0x1FF", "0x123x" (29 bits, as all above 0x7FF are, and
/// the last of a range whose first one is). `text` begins with a digit. Returns
/// why it cannot be read; empty: it can. @when setup
std::string read_can_ids(const std::string& text, CanIds& to);

/// The identifiers that go one way.
///
/// Threads  immutable after setup.
/// RT       let().
class CanRules {
 public:
  /// Lets all go that are not refused. @when setup
  void let_all();
  /// Lets these go. @when setup
  void let(const CanIds& ids);
  /// Refuses all, whatever lets them go. @when setup
  void refuse_all();
  /// Refuses these, whatever lets them go. @when setup
  void refuse(const CanIds& ids);

  /// Returns true if frames with this identifier go. @when rt
  bool let(std::uint32_t id, bool extended) const TACTUS_RT {
    if (!extended) return id <= kMostStandardId && (all_ || standard_[id]) && !refused_[id];
    return (all_ || has(extended_, id)) && !has(extended_refused_, id);
  }

 private:
  using Standard = std::bitset<kMostStandardId + 1>;
  static bool has(const std::vector<CanIds>& sorted, std::uint32_t id) TACTUS_RT;
  static void add(const CanIds& ids, Standard& standard, std::vector<CanIds>& extended);

  bool all_ = false;
  Standard standard_, refused_;
  std::vector<CanIds> extended_, extended_refused_;  // sorted, apart from each other
};

}  // namespace tactus::drivers::link
