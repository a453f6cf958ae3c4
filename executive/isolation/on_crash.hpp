// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <string_view>

#include "rtsync/word_of.hpp"

namespace tactus::executive {

/// Consequence of an end of the process of an isolated model while frames run.
enum class OnCrash : std::uint8_t {
  abort,       ///< its job has failed: the rig ends, outputs safe
  safe_state,  ///< outputs are driven safe and the rig freezes; it ends when it is resumed
  freeze,      ///< the rig freezes; it ends when it is resumed
  replace      ///< the model's variables keep their last values, and its jobs are not called any more
};

/// "safe_state".
constexpr std::string_view name_of(OnCrash policy) {
  constexpr rtsync::Worded<OnCrash> kWords[] = {
      {OnCrash::abort, "abort"}, {OnCrash::safe_state, "safe_state"}, {OnCrash::freeze, "freeze"}};
  return rtsync::word_of(kWords, policy, "replace");
}

}  // namespace tactus::executive
