// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>

#include "executive/flight/flight_record.hpp"
#include "executive/flight/flight_ring.hpp"

namespace tactus::executive {

/// Reads the records of a ring, oldest first, while it may be written. What is overwritten before it is read is
/// skipped, and counted.
///
/// Threads  any one, of any process. @when service
class FlightRingReader {
 public:
  /// `first`: what was written before is left out.
  FlightRingReader(const FlightRingHead& head, const FlightCell* cells, std::uint64_t first = 0);

  /// The next one, up to those that were whole when the reader was made; nothing: there is no more.
  std::optional<FlightRecord> next();
  /// Number of records before the one that next() returned last.
  std::uint64_t index() const { return next_ - 1; }
  /// Overwritten since the reader was made.
  std::uint64_t lost() const { return lost_; }

 private:
  bool fill();

  const FlightRingHead& head_;
  const FlightCell* const cells_;
  std::uint64_t end_;
  std::uint64_t next_;
  std::uint64_t lost_ = 0;
  std::array<FlightRecord, 1024> chunk_{};
  std::size_t chunk_at_ = 0;
  std::size_t chunk_size_ = 0;
};

/// The same, newest first.
///
/// Threads  any one, of any process. @when service
class FlightRingBackReader {
 public:
  FlightRingBackReader(const FlightRingHead& head, const FlightCell* cells);

  /// The one before, from the newest that was whole when the reader was made; nothing: older ones are overwritten.
  std::optional<FlightRecord> next();
  /// Number of records before the one that next() returned last.
  std::uint64_t index() const { return next_; }

 private:
  bool fill();

  const FlightRingHead& head_;
  const FlightCell* const cells_;
  std::uint64_t next_;  // behind the one to come
  std::array<FlightRecord, 256> chunk_{};
  std::size_t chunk_size_ = 0;  // of those to come
};

}  // namespace tactus::executive
