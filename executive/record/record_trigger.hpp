// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <tactus/model.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "executive/record/record_filter.hpp"
#include "rtsync/time/time.hpp"

namespace tactus::executive {

/// A condition on one value of a record.
struct RecordCondition {
  enum class Is { above, at_least, below, at_most, equal, other, changed };

  Is is = Is::above;
  long double limit = 0;  ///< limit for all but `changed`; holds each value of each type exactly
  tactus_type type = TACTUS_DOUBLE;
  std::size_t offset = 0;  ///< offset in the record

  /// NaN is equal to nothing: only `other` and `changed` can hold for it. `before`: the record before this
  /// one; nullptr: there is none, and nothing has changed. @when service
  bool holds(const std::byte* record, const std::byte* before) const;
};

/// Lets records pass around those for which a condition holds: from `before` earlier until `after` later. Each
/// that holds prolongs it. What may be asked for later waits in memory, as many records as `room` says.
///
/// After a reset, time goes back: what waits is of another course of events, and is left out.
class RecordTrigger final : public RecordFilter {
 public:
  /// `bytes`: of a whole record, with all that is sampled. @when setup
  RecordTrigger(RecordCondition condition, rtsync::Nanoseconds before, rtsync::Nanoseconds after,
                std::size_t bytes, std::size_t room);
  void take(const std::byte* record) override;

 private:
  std::byte* at(std::uint64_t index) { return waiting_.data() + index % room_ * bytes_; }
  void keep(const std::byte* record);

  RecordCondition condition_;
  std::int64_t before_, after_;
  std::size_t bytes_, room_;
  std::vector<std::byte> waiting_;
  std::uint64_t first_ = 0, end_ = 0;  // of those that wait
  std::vector<std::byte> last_;        // the record before
  bool any_ = false;
  bool open_ = false;  // records pass, until and at:
  std::int64_t until_ = 0;
};

}  // namespace tactus::executive
