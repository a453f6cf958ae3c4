// SPDX-License-Identifier: Apache-2.0
#include "rtsync/evidence/tracepoint.hpp"

#include <gtest/gtest.h>

#include "tests/rtsync/support/fake_root.hpp"

namespace tactus::rtsync::tracepoint_test {
namespace {

void write(FakeRoot& root, const std::string& name, int id, const std::string& field, int offset) {
  const std::string folder = "/sys/kernel/tracing/events/irq/" + name + "/";
  root.write(folder + "id", std::to_string(id) + "\n");
  root.write(folder + "format", "name: " + name +
                                    "\nformat:\n\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n"
                                    "\n\tfield:int " +
                                    field + ";\toffset:" + std::to_string(offset) +
                                    ";\tsize:4;\tsigned:1;\n");
}

void write_all(FakeRoot& root) {
  write(root, "irq_handler_entry", 225, "irq", 12);
  write(root, "irq_handler_exit", 224, "irq", 12);
  write(root, "softirq_entry", 223, "vec", 8);
  write(root, "softirq_exit", 222, "vec", 8);
}

TEST(Tracepoints, AreFoundWithWhereTheirNumbersStand) {
  FakeRoot root;
  write_all(root);
  const TracepointSearch found = find_interrupt_tracepoints(root.path());
  ASSERT_TRUE(found.tracepoints);
  EXPECT_EQ(found.tracepoints->irq_begin.id, 225U);
  EXPECT_EQ(found.tracepoints->irq_end.id, 224U);
  EXPECT_EQ(found.tracepoints->irq_begin.number_offset, 12U);
  ASSERT_TRUE(found.tracepoints->softirq_begin && found.tracepoints->softirq_end);
  EXPECT_EQ(found.tracepoints->softirq_begin->id, 223U);
  EXPECT_EQ(found.tracepoints->softirq_begin->number_offset, 8U);
}

TEST(Tracepoints, OfSoftirqsAreLeftOutWhereThoseAreThreads) {
  FakeRoot root;
  write_all(root);
  root.write("/sys/kernel/realtime", "1\n");
  const TracepointSearch found = find_interrupt_tracepoints(root.path());
  ASSERT_TRUE(found.tracepoints);
  EXPECT_FALSE(found.tracepoints->softirq_begin || found.tracepoints->softirq_end);
}

TEST(Tracepoints, SayHowToMountWhatIsNotThere) {
  const FakeRoot root;
  const TracepointSearch found = find_interrupt_tracepoints(root.path());
  EXPECT_FALSE(found.tracepoints);
  EXPECT_NE(found.refusal.cause.find("irq_handler_entry"), std::string::npos) << found.refusal.cause;
  EXPECT_EQ(found.refusal.cure, "sudo mount -t tracefs nodev /sys/kernel/tracing");
}

TEST(Tracepoints, WithoutANumberAreNotUsed) {
  FakeRoot root;
  write_all(root);
  write(root, "irq_handler_entry", 225, "number", 8);
  EXPECT_FALSE(find_interrupt_tracepoints(root.path()).tracepoints);
}

}  // namespace
}  // namespace tactus::rtsync::tracepoint_test
