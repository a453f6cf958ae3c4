// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>

#include "executive/driver/driver.hpp"

namespace tactus::executive {

/// A check of files that are not rigs: a driver of kind "check", named by the ending of their names. `tactus check x.dbc`
/// asks the one named "dbc".
///
/// Threads  the process's first one.
class FileCheck : public Driver {
 public:
  static constexpr const char* kKind = "check";

  struct Question {
    std::string file;
    std::string bit_rate;       ///< text of the option; empty: not given
    std::string data_bit_rate;  ///< text of the option; empty: not given
  };
  struct Answer {
    std::string text;      ///< text for stdout
    std::string mistakes;  ///< text for stderr; empty: none
    bool is_good = true;   ///< false: exit status 2
    bool fits = true;      ///< false: exit status 1
  };

  /// Reads the file, and says what is in it. Throws CommandError (command_driver.hpp). @when setup
  virtual Answer check(const Question& question) = 0;
};

}  // namespace tactus::executive
