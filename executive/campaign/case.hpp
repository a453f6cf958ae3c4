// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "rtsync/interface.hpp"

namespace tactus::campaign {

/// The value that a case has of one key of `vary:`.
struct Drawn {
  std::string key;   ///< path in the rig file: "models.motor.parameters.inertia"
  std::string text;  ///< value as it is set: "123.4 g cm^2", "fifo"
  double value = 0;  ///< number in `unit`; of a word its place in the list, from 0
  std::string unit;  ///< the same for all cases of a campaign; empty: a pure number or a word
  bool is_word = false;
};

/// One run of a campaign, which anyone can repeat alone.
struct Case {
  std::int64_t number = 0;  ///< 0 .. Cases::count() - 1; the same for the same file
  std::int64_t draw =
      0;  ///< number of the set of values; cases with the same one differ in rig, test, repetition
  int repetition = 0;     ///< 0 .. repeat - 1
  bool excluded = false;  ///< `exclude:` leaves it out: it has a number, and is not run
  std::string rig;        ///< path from the working directory
  std::string test{};     ///< path of the test; empty: the rig is run without one
  std::vector<std::string>
      arguments{};             ///< words after `tactus run RIG`: --test FILE --set a=b --no-realtime
  std::vector<Drawn> drawn{};  ///< values in the order of `vary:`, without keys that the test does not have
};

/// "tactus run RIG --test FILE --set 'a=1 V'": one line for a shell.
std::string command_line(const Case& one);
/// The text as one word of a POSIX shell, in quotes where it needs them.
std::string shell_word(const std::string& text);

/// The cases of a campaign, each made from its number alone, so that a million of them take no memory.
///
/// Threads  any one.
class CaseSource : public rtsync::Interface {
 public:
  virtual std::int64_t count() const = 0;
  /// Makes the case of that number, 0 .. count() - 1; the same each time.                       @when service
  virtual Case at(std::int64_t number) const = 0;
};

}  // namespace tactus::campaign
