// SPDX-License-Identifier: Apache-2.0
#include "rtsync/evidence/tracepoint.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <string>

#include "tests/rtsync/support/fake_tracepoints.hpp"

namespace tactus::rtsync::tracepoint_test {
namespace {

TEST(Tracepoints, AreFoundWithWhereTheirNumbersStand) {
  FakeRoot root;
  write_tracepoints(root);
  const TracepointSearch found = find_interrupt_tracepoints(root.path());
  ASSERT_TRUE(found.tracepoints);
  EXPECT_EQ(found.tracepoints->irq_begin.id, 225U);
  EXPECT_EQ(found.tracepoints->irq_end.id, 224U);
  EXPECT_EQ(found.tracepoints->irq_begin.number_offset, 12U);
  ASSERT_TRUE(found.tracepoints->softirq_begin && found.tracepoints->softirq_end);
  EXPECT_EQ(found.tracepoints->softirq_begin->id, 223U);
  EXPECT_EQ(found.tracepoints->softirq_begin->number_offset, 8U);
}

TEST(Tracepoints, OfInterruptsBetweenCpusAreTakenWhereThereAreSome) {
  FakeRoot root;
  write_tracepoints(root);
  ASSERT_TRUE(find_interrupt_tracepoints(root.path()).tracepoints);
  EXPECT_TRUE(find_interrupt_tracepoints(root.path()).tracepoints->vectors.empty());
  write_tracepoint(root, "reschedule_entry", 301, "vector", 8, "irq_vectors");
  write_tracepoint(root, "reschedule_exit", 300, "vector", 8, "irq_vectors");
  write_tracepoint(root, "call_function_entry", 303, "vector", 8, "irq_vectors");  // its end is missing
  const TracepointSearch found = find_interrupt_tracepoints(root.path());
  ASSERT_EQ(found.tracepoints->vectors.size(), 1U);
  EXPECT_STREQ(name_of_vector(found.tracepoints->vectors[0].vector), "reschedule");
  EXPECT_EQ(found.tracepoints->vectors[0].begin.id, 301U);
  EXPECT_EQ(found.tracepoints->vectors[0].end.id, 300U);
}

TEST(Tracepoints, OfSoftirqsAreLeftOutWhereThoseAreThreads) {
  FakeRoot root;
  write_tracepoints(root);
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
  EXPECT_NE(
      found.refusal.fix.find("sudo mount -t tracefs -o mode=750,gid=realtime nodev /sys/kernel/tracing"),
      std::string::npos)
      << found.refusal.fix;
}

/// As write_tracepoint() does it, with the fields of Linux 6.18.
void write_switch_tracepoint(FakeRoot& root) {
  std::string format = "name: sched_switch\nID: 372\nformat:\n";
  int at = 8;
  const auto field = [&](const std::string& text, int size) {
    format += "\tfield:" + text + ";\toffset:" + std::to_string(at) + ";\tsize:" + std::to_string(size) +
              ";\tsigned:1;\n";
    at += size;
  };
  field("char prev_comm[16]", 16);
  field("pid_t prev_pid", 4);
  field("int prev_prio", 4);
  field("long prev_state", 8);
  field("char next_comm[16]", 16);
  field("pid_t next_pid", 4);
  field("int next_prio", 4);
  root.write("/sys/kernel/tracing/events/sched/sched_switch/format",
             format + "\nprint fmt: \"%d\", REC->prev_pid\n");
}

TEST(Tracepoints, OfSwitchesAreNotUsedWhereThreadsHaveOtherNumbers) {
  FakeRoot root;
  write_switch_tracepoint(root);
  EXPECT_FALSE(find_switch_tracepoint(root.path())) << "nothing says which namespace it is";
  const std::filesystem::path space = std::filesystem::path(root.path()) / "proc/self/ns";
  std::filesystem::create_directories(space);
  std::filesystem::create_symlink("pid:[4026532222]", space / "pid");
  EXPECT_FALSE(find_switch_tracepoint(root.path()));
  std::filesystem::remove(space / "pid");
  std::filesystem::create_symlink("pid:[4026531836]", space / "pid");
  const auto found = find_switch_tracepoint(root.path());
  ASSERT_TRUE(found);
  EXPECT_EQ(found->id, 372U);
  EXPECT_EQ(found->name, 8U);
  EXPECT_EQ(found->thread, 24U);
  EXPECT_EQ(found->priority, 28U);
  EXPECT_EQ(found->state, 32U);
  EXPECT_EQ(found->next_name, 40U);
  EXPECT_EQ(found->next, 56U);
  EXPECT_EQ(found->next_priority, 60U);
}

TEST(Tracepoints, WithoutANumberAreNotUsed) {
  FakeRoot root;
  write_tracepoints(root);
  write_tracepoint(root, "irq_handler_entry", 225, "number", 8);
  EXPECT_FALSE(find_interrupt_tracepoints(root.path()).tracepoints);
}

TEST(Tracepoints, OfAFormatThatIsNoneAreNotUsed) {
  for (const char* const format :
       {"", "name: irq_handler_entry\n", "name: irq_handler_entry\nID: x\nformat:\n",
        "name: irq_handler_entry\nID: 225\nformat:\n\tfield:int irq;\toff"}) {
    FakeRoot root;
    write_tracepoints(root);
    root.write("/sys/kernel/tracing/events/irq/irq_handler_entry/format", format);
    EXPECT_FALSE(find_interrupt_tracepoints(root.path()).tracepoints) << format;
  }
}

}  // namespace
}  // namespace tactus::rtsync::tracepoint_test
