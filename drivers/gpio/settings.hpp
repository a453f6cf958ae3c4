// SPDX-License-Identifier: Apache-2.0
#pragma once
/// Common part of the GPIO drivers' sections of a rig file.
///
/// Threads  pure functions of setup time.                                                @when setup
#include <string>
#include <vector>

#include "config/fields.hpp"
#include "drivers/gpio/gpio.hpp"
#include "drivers/gpio/signal.hpp"
#include "drivers/gpio/words.hpp"

namespace tactus::drivers::gpio {

config::Choices<Drive> drive_words();
config::TextRule chip_rule();
config::TextRule line_rule();

/// `lines: { door: 4, address: [5, 6] }` with each entry written out: { line: 4 }, { lines: [5, 6] }.
config::Node written_out(const config::Node& settings);

/// Lines for which one variable stands.
struct NamedLines {
  config::Located<std::string> name{};
  config::Origin origin{};
  std::optional<config::Located<std::string>> line{};
  std::vector<config::Located<std::string>> lines{};
  bool active_low = false;

  /// The one, or the many.
  std::vector<config::Located<std::string>> all() const;
  LineGroup group() const;
};

/// Adds what no table can say: a name that is not a variable's, neither or both of `line` and `lines`, a line
/// twice, more lines than one request holds.
void check_lines(const std::vector<const NamedLines*>& lines, const config::Origin& origin,
                 config::Problems& problems);

}  // namespace tactus::drivers::gpio
