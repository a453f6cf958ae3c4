// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace tactus::test {

/// Of death tests whose children may start threads. A machine cannot start a program that was built for another one,
/// as "threadsafe" does; under an emulator the child is a copy.
#ifdef TACTUS_EMULATED
constexpr const char* kDeathTestStyle = "fast";
#else
constexpr const char* kDeathTestStyle = "threadsafe";
#endif

}  // namespace tactus::test
