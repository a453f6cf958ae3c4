// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>

#include "executive/campaign/case.hpp"

namespace tactus::campaign {

/// The cases of a campaign, each made from its number alone, so that a million of them take no memory.
///
/// Threads  any one.
class CaseSource {
 public:
  CaseSource() = default;
  CaseSource(const CaseSource&) = delete;
  CaseSource& operator=(const CaseSource&) = delete;
  virtual ~CaseSource() = default;
  virtual std::int64_t count() const = 0;
  /// Makes the case of that number, 0 .. count() - 1; the same each time.                       @when service
  virtual Case at(std::int64_t number) const = 0;
};

}  // namespace tactus::campaign
