// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <set>

#include "drivers/silkit/core/outside.hpp"
#include "drivers/silkit/wire/messages.hpp"

namespace tactus::silkit {

/// Waits until every participant has answered a call: then all that they had sent before is here, and all
/// that was sent to them has been dealt with. A newer one takes the place of one that is still waited for.
///
/// Threads  one at a time.
class Barrier {
 public:
  /// Begins anew; `peers`: participants to call.
  Uuid begin(std::set<PeerId> peers);
  void answered(PeerId peer, const Uuid& uuid);
  /// Counts as an answer.
  void left(PeerId peer) { waiting_.erase(peer); }
  /// All have answered the call that was begun last.
  bool done() const { return waiting_.empty(); }

 private:
  Uuid uuid_;
  std::set<PeerId> waiting_;
};

}  // namespace tactus::silkit
