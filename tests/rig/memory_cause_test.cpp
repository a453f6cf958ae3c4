// SPDX-License-Identifier: Apache-2.0
/// Memory that makes frames late is named, however it was mapped and on whichever thread; and a checkpoint is named for
/// the pages that fault because it is copied.
#include <chrono>
#include <fstream>
#include <string>

#include "rig_command.hpp"

namespace tactus::test::memory_cause_test {
namespace {

struct Mapped {
  const char* reason;
  const char* thread;  // kind of it; nothing: main
};
void PrintTo(const Mapped& mapped, std::ostream* out) { *out << mapped.reason << " " << mapped.thread; }

/// The kernel refuses to tell what it did to the rig's threads, or to lock memory.
bool is_refused(const Json& summary) {
  for (const Json& refused : summary["rt"]["refused"]) {
    const std::string what = refused["what"].get<std::string>();
    if (what.starts_with("the kernel's events") || what.starts_with("memory")) return true;
  }
  return false;
}

std::string text_of(const std::filesystem::path& file) {
  std::ifstream stream(file);
  return {std::istreambuf_iterator<char>(stream), {}};
}

class MemoryMappedInAnyWayNightly : public ::testing::TestWithParam<Mapped> {};

TEST_P(MemoryMappedInAnyWayNightly, IsNamedOnEachKindOfThread) {
  if (kSanitized) GTEST_SKIP() << "a sanitizer has a heap and an mmap of its own, which cannot be noted";
  const bool own_thread = *GetParam().thread != '\0';
  const std::string worker =
      own_thread ? std::string("threads: { workers: { w: { kind: ") + GetParam().thread + " } } }\n" : "";
  bool named = false;
  for (Tries tries; !named && tries.another();) {
    const TempDir dir;
    std::ofstream(dir / "rig.yaml")
        << "rig: late\nframe: { period: 2 ms }\nprivileges: prefer\nmemory: { lock: yes, heap: 8 MiB }\n"
           "realtime: { enabled: yes, on_overrun: skip }\n"
        << worker << "models:\n  m: { model: late, library: " TACTUS_LATE_REASON_LIBRARY
        << (own_thread ? ", thread: w" : "") << ", parameters: { lasts: 9, reason: " << GetParam().reason
        << " } }\n";
    const Finished done =
        run(tactus(Arguments{"run", "rig.yaml", "--frames", "500", "--out", "out"} + patient(), dir.path()));
    ASSERT_EQ(done.status, 0) << done;
    const Json summary = summary_of(dir / "out");
    if (is_refused(summary)) GTEST_SKIP() << summary["rt"]["refused"];
    const std::string log = text_of(dir / "out/log.txt");
    named = log.find("faulted: job m.step") != std::string::npos;
    EXPECT_EQ(log.find("computed: job m.step"), std::string::npos) << log;
  }
  EXPECT_TRUE(named) << "the machine left too little";
}

INSTANTIATE_TEST_SUITE_P(Each, MemoryMappedInAnyWayNightly,
                         ::testing::Values(Mapped{"memory", "asynchronous_must_finish, period: 8 ms"},
                                           Mapped{"protect", ""}, Mapped{"protect", "scheduled"},
                                           Mapped{"protect", "asynchronous_must_finish, period: 8 ms"},
                                           Mapped{"grow", ""}, Mapped{"segment", ""},
                                           Mapped{"segment", "asynchronous_must_finish, period: 8 ms"},
                                           Mapped{"stack", ""}, Mapped{"populate", ""},
                                           Mapped{"populate", "scheduled"},
                                           Mapped{"populate", "asynchronous_must_finish, period: 8 ms"}),
                         [](const auto& one) {
                           const std::string thread = one.param.thread;
                           return std::string(one.param.reason) + "_" +
                                  (thread.empty()          ? "main"
                                   : thread == "scheduled" ? thread
                                                           : "must_finish");
                         });

/// A hundred pages of the state are written in each frame.
TEST(CheckpointOf100MBNightly, IsNamedForTheFramesThatItMakesLate) {
  if (kSanitized) GTEST_SKIP() << "a sanitizer touches shadow memory that is not locked";
  const TempDir dir;
  std::ofstream(dir / "rig.yaml")
      << "rig: big\nframe: { period: 1 ms }\nprivileges: prefer\nmemory: { lock: yes }\n"
         "realtime: { enabled: yes, on_overrun: skip }\ncheckpoint: { every: 500 ms }\n"
         "models:\n  m: { model: big_state, library: " TACTUS_LATE_REASON_LIBRARY " }\n";
  const Finished done =
      run(tactus(Arguments{"run", "rig.yaml", "--frames", "5000", "--out", "out"} + patient(), dir.path()));
  ASSERT_EQ(done.status, 0) << done;
  const Json summary = summary_of(dir / "out");
  if (is_refused(summary)) GTEST_SKIP() << summary["rt"]["refused"];
  EXPECT_FALSE(summary["causes"].contains("faulted"))
      << summary["causes"].dump(2) << text_of(dir / "out/log.txt");
}

}  // namespace
}  // namespace tactus::test::memory_cause_test
