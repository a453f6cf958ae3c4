// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <array>
#include <cstddef>
#include <cstdint>

#include "rtsync/evidence/cause.hpp"
#include "rtsync/rt.hpp"
#include "rtsync/time/time.hpp"

namespace tactus::executive {

/// A part of the lateness of a frame, and its cause.
struct CauseShare {
  rtsync::Cause cause = rtsync::Cause::none;
  rtsync::Nanoseconds time{0};
};

/// Divides the lateness of frames among causes. What a frame is late by catching up is charged to the causes of the
/// frame that began it; where a later one added most of it, to both.
///
/// Threads  one.
/// RT       yes.
class CauseShares {
 public:
  /// The share of the named cause, and of the one beside it: of each, what the frame itself had, and what it took over.
  using Charged = std::array<CauseShare, 4>;

  /// Charges a frame whose `cause` had what `beside` left of its `lateness`. Frames come in their order.
  Charged charge(rtsync::Cause cause, rtsync::Nanoseconds lateness, const CauseShare& beside) TACTUS_RT {
    const std::array<CauseShare, 2> own{CauseShare{cause, lateness - beside.time}, beside};
    Charged charged{};
    for (std::size_t i = 0; i < own.size(); ++i) {
      charged[2 * i] = own[i];
      if (own[i].cause != rtsync::Cause::catching_up || began_[0].cause == rtsync::Cause::none) continue;
      const rtsync::Nanoseconds whole = began_[0].time + began_[1].time;
      const double share = whole.count() == 0 ? 0
                                              : static_cast<double>(began_[1].time.count()) /
                                                    static_cast<double>(whole.count());
      const rtsync::Nanoseconds second{
          static_cast<std::int64_t>(share * static_cast<double>(own[i].time.count()))};
      charged[2 * i] = {began_[0].cause, own[i].time - second};
      charged[2 * i + 1] = {began_[1].cause, second};
    }
    // A frame that adds to the delay that it catches up: those after it are late by both.
    if (cause != rtsync::Cause::catching_up) began_ = {own[0], CauseShare{charged[2].cause, own[1].time}};
    return charged;
  }
  /// Forgets what began the delay: another frame did, and its cause is not known.
  void forget() TACTUS_RT { began_ = {}; }

 private:
  std::array<CauseShare, 2> began_{};  // of the delay that is caught up
};

}  // namespace tactus::executive
