// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <tactus/model.h>

#include <cstddef>
#include <cstdint>
#include <vector>

#include "config/expression_program.hpp"
#include "executive/expression/expression_run.hpp"
#include "executive/record/record_filter.hpp"
#include "rtsync/time/time.hpp"

namespace tactus::executive {

/// A condition on values of a record: an expression whose result is a truth.
struct RecordCondition {
  /// A value of the record that the expression reads.
  struct Input {
    tactus_type type = TACTUS_DOUBLE;
    std::size_t offset = 0;  ///< offset in the record
    std::uint32_t cell = 0;
  };

  config::ExpressionProgram program{};
  std::vector<Input> inputs{};
  std::uint32_t result = 0;
};

/// Lets records pass around those for which a condition holds: from `before` earlier until `after` later. Each
/// that holds prolongs it. What may be asked for later waits in memory, as many records as `room` says.
///
/// After a reset, time goes back: what waits is of another course of events, and is left out; edges and windows of the
/// condition begin anew.
class RecordTrigger final : public RecordFilter {
 public:
  /// `bytes`: of a whole record, with all that is sampled. @when setup
  RecordTrigger(RecordCondition condition, rtsync::Nanoseconds before, rtsync::Nanoseconds after,
                std::size_t bytes, std::size_t room);
  void take(const std::byte* record) override;

 private:
  std::byte* at(std::uint64_t index) { return waiting_.data() + index % room_ * bytes_; }
  void keep(const std::byte* record);
  /// Takes one more record. No value: it does not hold.
  bool holds(const std::byte* record);

  std::vector<RecordCondition::Input> inputs_;
  std::uint32_t result_;
  ExpressionRun expression_;
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
