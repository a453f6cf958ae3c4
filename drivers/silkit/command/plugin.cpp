// SPDX-License-Identifier: Apache-2.0
// The library of one command, of which TACTUS_COMMAND is the name.
#include "drivers/silkit/command/commands.hpp"

#define TACTUS_JOINED(a, b) a##b
#define TACTUS_MAKE(name) TACTUS_JOINED(make_, name)

extern "C" TACTUS_EXPORT const tactus::executive::DriverEntry* tactus_driver() {
  static constexpr tactus::executive::DriverEntry kEntry{
      TACTUS_DRIVER_BUILD, tactus::executive::CommandDriver::kKind, TACTUS_TEXT(TACTUS_COMMAND),
      &tactus::silkit::command::TACTUS_MAKE(TACTUS_COMMAND)};
  return &kEntry;
}
