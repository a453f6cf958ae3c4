// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <utility>

#include "executive/frame/frame_note.hpp"
#include "rtsync/rt.hpp"

namespace tactus::executive {

/// Divides the lateness of a frame among the causes of its parts, and of one part.
///
/// Threads  one.
/// RT       yes.
class FrameShares {
 public:
  /// A part of the frame that took that much longer than it should. It must outlive this.
  void add(const Finding& finding, rtsync::Nanoseconds excess) TACTUS_RT {
    const rtsync::Nanoseconds whole = std::max(finding.facts.excess(), rtsync::Nanoseconds{1});
    rtsync::Nanoseconds own = excess;
    for (const rtsync::CauseTime& one : finding.besides) {
      if (one.cause == rtsync::Cause::none) continue;
      const rtsync::Nanoseconds part = scaled(one.time, excess, whole);
      put({&finding, one.cause, one.time, part});
      own -= part;
    }
    put({&finding, finding.cause, finding.share, own});
    all_ += excess;
  }
  /// The part with the largest share of all.
  const Finding* largest() const TACTUS_RT { return shares_[0].of; }

  /// Fills in the other causes, as shares of the lateness.
  void put_beside(FrameNote& note, rtsync::Nanoseconds lateness) const TACTUS_RT {
    if (shares_[1].of == nullptr) return;
    const Share& second = shares_[1];
    note.beside = *second.of;
    if (second.cause != second.of->cause) {
      note.beside.is_beside = true;
      note.beside.cause = second.cause;
      note.beside.share = second.time;
      note.beside.besides = {};
      note.beside.root = {};
    }
    note.beside_share = scaled(second.part, lateness, all_);
    for (std::size_t i = 0; i < note.more.size(); ++i)
      if (const Share& one = shares_[2 + i]; one.of != nullptr)
        note.more[i] = {one.cause, scaled(one.part, lateness, all_)};
  }

 private:
  struct Share {
    const Finding* of = nullptr;
    rtsync::Cause cause = rtsync::Cause::none;
    rtsync::Nanoseconds time{0};  // of the part's excess
    rtsync::Nanoseconds part{0};  // of all excess
  };
  static rtsync::Nanoseconds scaled(rtsync::Nanoseconds time, rtsync::Nanoseconds to,
                                    rtsync::Nanoseconds of) TACTUS_RT {
    const double share =
        static_cast<double>(time.count()) / static_cast<double>(std::max<std::int64_t>(of.count(), 1));
    return rtsync::Nanoseconds{
        static_cast<std::int64_t>(std::min(share, 1.0) * static_cast<double>(to.count()))};
  }
  /// The largest first; of equal ones the one that came first.
  void put(Share share) TACTUS_RT {
    for (Share& place : shares_) {
      if (place.of != nullptr && place.part >= share.part) continue;
      std::swap(place, share);
      if (share.of == nullptr) return;
    }
  }

  std::array<Share, 6> shares_{};
  rtsync::Nanoseconds all_{0};
};

}  // namespace tactus::executive
