// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <cstdint>
#include <vector>

#include "executive/driver/record_sink.hpp"
#include "rtsync/interface.hpp"

namespace tactus::executive {

/// Receiver of records, one after another.
///
/// Threads  the recorder's.
class RecordTaker : public rtsync::Interface {
 public:
  /// Takes a record, as RecordSink::write does. It must not throw. @when service
  virtual void take(const std::byte* record) = 0;
};

/// Filters between the ring of a recording and its file, and decides which records are written: so what is
/// left out costs a frame no more and no less than what is written.
class RecordFilter : public RecordTaker {
 public:
  /// Sets the receiver of the records after this one. @when setup
  void lead_to(RecordTaker& next) { next_ = &next; }
  /// The columns after it, of those before it.  @when setup
  virtual std::vector<RecordColumn> columns(std::vector<RecordColumn> before) { return before; }
  /// No more come. @when service
  virtual void end() {}

 protected:
  void pass(const std::byte* record) { next_->take(record); }

 private:
  RecordTaker* next_ = nullptr;
};

/// Simulated time of a record, in nanoseconds. @when service
std::int64_t record_time(const std::byte* record);

}  // namespace tactus::executive
