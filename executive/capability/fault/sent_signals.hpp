// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <cstdint>
#include <deque>
#include <vector>

#include "executive/capability/fault/fault_place.hpp"
#include "executive/driver/link.hpp"
#include "executive/model/model_overlay.hpp"
#include "executive/state/state_image.hpp"

namespace tactus::executive {

/// Values that the link sends, as faults disturb them: copies of what it publishes, so that the rig keeps its own.
///
///     end of a frame: variable ─► copy, changed ─► the link takes it
///
/// Threads  constructor, add(), pieces(): setup. The rest: the frames' main thread.
/// RT       the rest.
class SentSignals {
 public:
  /// The link has been told where it reads its variables. `link` outlives this.                     @when setup
  explicit SentSignals(LinkFrames& link) : link_(link) {}
  SentSignals(const SentSignals&) = delete;
  SentSignals& operator=(const SentSignals&) = delete;

  /// Lets the link send a variable from a copy; returns the elements of `part`, which is the variable or an element of
  /// it, in that.                                                                                   @when setup
  VariableRef add(const SentVariable& at, const VariableRef& part);
  ModelOverlay& overlay() { return overlay_; }
  /// State of the copies.                                                                            @when setup
  std::vector<Piece> pieces();

  /// Takes the rig's values, and changes them.
  void refresh() TACTUS_RT;
  /// The state has been loaded.
  void loaded() TACTUS_RT { overlay_.loaded(); }

 private:
  struct Copy {
    SentVariable at{};
    const void* from = nullptr;
    std::vector<std::uint64_t> bytes{};
    std::size_t size = 0;
    Variable variable{};
  };

  LinkFrames& link_;
  OverlayChanges changes_;
  ModelOverlay overlay_{0, changes_};
  std::deque<Copy> copies_;
};

}  // namespace tactus::executive
