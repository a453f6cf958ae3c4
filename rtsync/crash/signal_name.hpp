// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string.h>

#include <csignal>
#include <string>

namespace tactus::rtsync {

/// "SIGSEGV", "SIGRTMIN+3". @when any
inline std::string signal_name(int signal) {
  if (const char* const name = ::sigabbrev_np(signal)) return std::string("SIG") + name;
  return signal >= SIGRTMIN ? "SIGRTMIN+" + std::to_string(signal - SIGRTMIN)
                            : "signal " + std::to_string(signal);
}

}  // namespace tactus::rtsync
