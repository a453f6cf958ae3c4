// SPDX-License-Identifier: Apache-2.0
#pragma once
/// A name in a client's list: what it stands for, and in which unit it is shown.
///
/// Threads  plain values; the rig they point into has to live.
#include <optional>
#include <string>
#include <string_view>

#include "config/unit.hpp"
#include "drivers/live/trick/call.hpp"
#include "drivers/live/trick/own_variable.hpp"
#include "executive/driver/live.hpp"

namespace tactus::drivers::trick {

struct Entry {
  enum class Kind { unknown, time, variable, own };

  std::string name;  ///< name as the client wrote it
  Kind kind = Kind::unknown;
  executive::LiveRef ref{};
  const executive::LiveVariable* of = nullptr;  ///< variable of the rig
  const OwnVariable* own = nullptr;    ///< variable of Kind::own: one that every simulation of Trick has
  std::string label{};                 ///< text in the braces; empty: no braces
  std::optional<config::Unit> unit{};  ///< unit to which values are converted; nothing: its own
};

inline constexpr std::size_t kLongestName = 1000;  ///< bytes

/// A variable by its name. Whatever is no "model.variable" or "model.array[2]" is not even looked for.
std::optional<executive::LiveRef> find(const executive::LiveRig& rig, std::string_view name,
                                       std::string& problem);
/// The entry of a name. The variables of a rig do not change, so a name that is unknown stays so.
Entry look_up(const executive::LiveRig& rig, std::string name);

/// A unit as a client of Trick writes it ("m/s2", "N*m", "xx", "--") that `own` can be converted to; nothing
/// when there is none. Where Trick and the rig read a symbol differently ("d"), the one that fits is meant.
std::optional<config::Unit> unit_for(const config::Unit& own, const std::string& text);
/// Sets the display unit. Why not, and then nothing is changed; empty: it is set.
std::string set_unit(Entry& entry, const std::string& text);

/// The bytes of `value` for a variable of one element; `unit` is what it is given in ("": the variable's
/// own). Nothing, and why, when they do not fit.
std::optional<std::vector<std::byte>> bytes_of(const executive::Variable& variable, const Value& value,
                                               const std::string& unit, std::string& problem);

}  // namespace tactus::drivers::trick
