// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "executive/driver/live.hpp"

namespace tactus::drivers::live_http {

/// Values after every frame, with a memory of the last seconds: what a client has lost with its connection
/// can be read again.
///
///     rig's ring ──► memory ──front(), release()──► client
///                      ▲ rewind()
///
/// Threads  one at a time.
class KeptFrames final : public executive::LiveFrames {
 public:
  static constexpr std::int64_t kKeptNs = 20'000'000'000;
  static constexpr std::size_t kMostBytes = std::size_t{8} << 20;
  static constexpr std::size_t kLeastRows = 256;

  /// `row_bytes`: of the values of a row. `frame_ns`: of a frame; the memory has room for 20 s, at most 8 MiB.
  KeptFrames(std::unique_ptr<executive::LiveFrames> from, std::size_t row_bytes, std::int64_t frame_ns);

  std::optional<Row> front() override;
  void release() override { ++next_; }

  /// Takes over what has come, also while no client reads: the rig's ring stays free.
  void take_all();
  /// The row that front() gives next is the one after `frame - 1`, where that is still kept: then that one.
  /// Else it is `frame` or the first kept one after it, and nothing is returned. Of a frame that was run
  /// twice the latest counts.
  std::optional<Row> rewind(std::int64_t frame);
  /// Gives those of the `most` rows before the next one that follow each other without a gap, the oldest first.
  void each_before(std::int64_t most, const std::function<void(const Row&)>& take) const;
  /// Skips all: the next frame is the one that the rig gives from now on.
  void skip_all();

 private:
  bool take_one();
  Row at(std::uint64_t place) const;

  std::unique_ptr<executive::LiveFrames> from_;
  const std::size_t row_bytes_;
  const std::size_t most_;
  std::vector<std::byte> rows_{};  // a mark and values each; the oldest is overwritten
  std::uint64_t begin_ = 0;        // places count up for ever
  std::uint64_t end_ = 0;
  std::uint64_t next_ = 0;
};

}  // namespace tactus::drivers::live_http
