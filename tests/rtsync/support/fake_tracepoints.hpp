// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>

#include "tests/rtsync/support/fake_root.hpp"

namespace tactus::rtsync {

inline void write_tracepoint(FakeRoot& root, const std::string& name, int id, const std::string& field,
                             int offset) {
  const std::string folder = "/sys/kernel/tracing/events/irq/" + name + "/";
  root.write(folder + "id", std::to_string(id) + "\n");
  root.write(folder + "format", "name: " + name +
                                    "\nformat:\n\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n"
                                    "\n\tfield:int " +
                                    field + ";\toffset:" + std::to_string(offset) +
                                    ";\tsize:4;\tsigned:1;\n");
}

/// Those of interrupts, as tracefs shows them.
inline void write_tracepoints(FakeRoot& root) {
  write_tracepoint(root, "irq_handler_entry", 225, "irq", 12);
  write_tracepoint(root, "irq_handler_exit", 224, "irq", 12);
  write_tracepoint(root, "softirq_entry", 223, "vec", 8);
  write_tracepoint(root, "softirq_exit", 222, "vec", 8);
}

}  // namespace tactus::rtsync
