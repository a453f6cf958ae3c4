// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>

#include "tests/rtsync/support/fake_root.hpp"

namespace tactus::rtsync {

inline void write_tracepoint(FakeRoot& root, const std::string& name, int id, const std::string& field,
                             int offset, const std::string& group = "irq") {
  const std::string folder = "/sys/kernel/tracing/events/" + group + "/" + name + "/";
  const auto line = [](const std::string& type_and_name, int at, int size) {
    return "\tfield:" + type_and_name + ";\toffset:" + std::to_string(at) +
           ";\tsize:" + std::to_string(size) + ";\tsigned:1;\n";
  };
  root.write(folder + "id", std::to_string(id) + "\n");
  root.write(folder + "format", "name: " + name + "\nID: " + std::to_string(id) + "\nformat:\n" +
                                    line("unsigned short common_type", 0, 2) + line("int common_pid", 4, 4) +
                                    "\n" + line("int " + field, offset, 4) + "\nprint fmt: \"" + field +
                                    "=%d\", REC->" + field + "\n");
}

/// Those of interrupts, as tracefs shows them.
inline void write_tracepoints(FakeRoot& root) {
  write_tracepoint(root, "irq_handler_entry", 225, "irq", 12);
  write_tracepoint(root, "irq_handler_exit", 224, "irq", 12);
  write_tracepoint(root, "softirq_entry", 223, "vec", 8);
  write_tracepoint(root, "softirq_exit", 222, "vec", 8);
}

}  // namespace tactus::rtsync
