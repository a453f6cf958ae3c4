// SPDX-License-Identifier: Apache-2.0
#include "executive/state/checkpoint_writer.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <optional>
#include <thread>

#include "rtsync/host/heap_watch.hpp"
#include "tests/support/sanitized.hpp"
#include "tests/support/temp_dir.hpp"

namespace tactus::executive::checkpoint_writer_test {
namespace {

namespace fs = std::filesystem;
using namespace std::chrono_literals;
using tactus::test::TempDir;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;
using Request = CheckpointWriter::Request;

constexpr rtsync::Period kFrame{1'000'000, 1};

rtsync::ThreadSettings helper() { return {"checkpoint", {}, rtsync::SchedPolicy::other, 0, 0, false}; }

struct Rig {
  explicit Rig(std::size_t many = 1000) : values(many) {}
  std::vector<double> values;
  std::int64_t frame = 0;
  StateImage image{{own_piece("m.x", std::span(values)), own_piece("@frame", frame)}};
  CheckpointWriter writer{"pendulum", kFrame, "0.1.0"};

  void start() {
    writer.reserve(image);
    writer.start(helper());
  }
  /// Frame k, at whose end a checkpoint is taken if one is due.
  bool run(std::int64_t k) {
    frame = k;
    std::fill(values.begin(), values.end(), static_cast<double>(k));
    return writer.due() && writer.take(k, (k + 1) * 1'000'000);
  }
  /// The next result; tests wait for it however long the disk takes.
  CheckpointResult result() {
    while (true) {
      for (CheckpointResult& each : writer.poll()) waiting.push_back(std::move(each));
      if (!waiting.empty()) {
        CheckpointResult first = std::move(waiting.front());
        waiting.erase(waiting.begin());
        return first;
      }
      std::this_thread::sleep_for(1ms);
    }
  }
  std::vector<CheckpointResult> waiting;
};

TEST(CheckpointWriter, WritesWhatTheFrameSaw) {
  const TempDir folder;
  Rig rig;
  rig.start();
  EXPECT_FALSE(rig.writer.provisions().empty());
  EXPECT_FALSE(rig.run(6)) << "nobody asked";
  EXPECT_EQ(rig.writer.request((folder / "a").string()), Request::accepted);
  EXPECT_TRUE(rig.run(7));
  std::fill(rig.values.begin(), rig.values.end(), -1.0);  // the frames go on
  const CheckpointResult done = rig.result();
  EXPECT_EQ(done.error, "");
  EXPECT_EQ(done.path, (folder / "a").string());
  EXPECT_EQ(done.frame, 7);
  EXPECT_EQ(done.sim_time_ns, 8'000'000);
  EXPECT_EQ(done.bytes, fs::file_size(folder / "a"));
  EXPECT_GT(done.took, 0ns);
  const Checkpoint found = read_checkpoint(folder / "a");
  EXPECT_EQ(found.head.rig, "pendulum");
  EXPECT_EQ(found.head.frame, 7);
  EXPECT_EQ(found.head.sim_time_ns, 8'000'000);
  EXPECT_EQ(found.head.version, "0.1.0");
  EXPECT_THAT(found.head.created, EndsWith("Z"));
  EXPECT_THAT(mismatches(found, rig.image, kFrame), IsEmpty());
  rig.image.copy_from(image_for(found, rig.image).data());
  EXPECT_EQ(rig.values, std::vector<double>(1000, 7.0));
  EXPECT_EQ(rig.frame, 7);
  rig.writer.stop();
  EXPECT_THAT(rig.writer.poll(), IsEmpty());
}

TEST(CheckpointWriter, OneIsWrittenOneWaitsAThirdIsTold) {
  const TempDir folder;
  Rig rig(200'000);
  rig.start();
  int accepted = 0;
  int busy = 0;
  int taken = 0;
  int not_due = 0;
  for (std::int64_t k = 0; taken < 20; ++k) {
    const Request asked = rig.writer.request((folder / std::to_string(accepted)).string());
    if (asked == Request::accepted) ++accepted;
    if (asked == Request::busy) ++busy;
    rig.run(k) ? ++taken : ++not_due;
  }
  EXPECT_GE(accepted, 20);
  EXPECT_LE(accepted, 21);
  EXPECT_GT(busy, 0);
  EXPECT_GT(not_due, 0);
  rig.writer.stop();
  const std::vector<CheckpointResult> results = rig.writer.poll();
  ASSERT_EQ(results.size(), static_cast<std::size_t>(accepted));
  for (int i = 0; i < 20; ++i) {
    const CheckpointResult& done = results[static_cast<std::size_t>(i)];
    EXPECT_EQ(done.error, "");
    EXPECT_EQ(done.path, (folder / std::to_string(i)).string());
    EXPECT_EQ(read_checkpoint(done.path).head.frame, done.frame);
  }
}

TEST(CheckpointWriter, NeverMixesTwoFrames) {
  const TempDir folder;
  Rig rig(50'000);
  rig.start();
  std::int64_t k = 0;
  for (int turn = 0; turn < 30; ++turn) {
    while (rig.writer.request((folder / "a").string()) != Request::accepted || !rig.run(k)) ++k;
    const CheckpointResult done = [&] {  // the frames do not wait for it
      while (true) {
        (void)rig.run(++k);
        const auto results = rig.writer.poll();
        if (!results.empty()) return results[0];
      }
    }();
    ASSERT_EQ(done.error, "");
    const std::vector<std::byte> block = image_for(read_checkpoint(folder / "a"), rig.image);
    std::vector<double> values(rig.values.size());
    std::memcpy(values.data(), &block[rig.image.offset(0)], values.size() * sizeof(double));
    ASSERT_TRUE(std::all_of(values.begin(), values.end(),
                            [&](double value) { return value == static_cast<double>(done.frame); }));
  }
}

TEST(CheckpointWriter, SaysWhyThereIsNoFile) {
  const TempDir folder;
  Rig rig;
  rig.start();
  EXPECT_EQ(rig.writer.request((folder / "no/a").string()), Request::accepted);
  EXPECT_TRUE(rig.run(3));
  const CheckpointResult failed = rig.result();
  EXPECT_THAT(failed.error, EndsWith("no/a.partial: No such file or directory"));
  EXPECT_EQ(failed.frame, 3);
  EXPECT_EQ(failed.bytes, 0U);
  EXPECT_EQ(rig.writer.request((folder / "a").string()), Request::accepted) << "and the next one is written";
  while (!rig.run(4)) std::this_thread::sleep_for(1ms);
  EXPECT_EQ(rig.result().error, "");
}

/// No signal: threads of tactus block SIGXFSZ.
TEST(CheckpointWriter, AFullDiskEndsTheCheckpointNotTheRig) {
  const TempDir folder;
  Rig rig(100'000);
  rig.start();
  rlimit limit{};
  ASSERT_EQ(::getrlimit(RLIMIT_FSIZE, &limit), 0);
  const rlimit small{10'000, limit.rlim_max};
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &small), 0);
  EXPECT_EQ(rig.writer.request((folder / "a").string()), Request::accepted);
  EXPECT_TRUE(rig.run(3));
  const CheckpointResult failed = rig.result();
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &limit), 0);
  EXPECT_THAT(failed.error, EndsWith("/a: File too large"));
  EXPECT_TRUE(fs::is_empty(folder.path()));
}

TEST(CheckpointWriter, StopFinishesWhatWasTakenAndNamesWhatWasNot) {
  const TempDir folder;
  Rig rig;
  rig.start();
  EXPECT_EQ(rig.writer.request((folder / "taken").string()), Request::accepted);
  EXPECT_TRUE(rig.run(5));
  EXPECT_EQ(rig.writer.request((folder / "late").string()), Request::accepted);
  rig.writer.stop();
  const auto results = rig.writer.poll();
  ASSERT_THAT(results, SizeIs(2));
  EXPECT_EQ(results[0].error, "");
  EXPECT_EQ(read_checkpoint(folder / "taken").head.frame, 5);
  EXPECT_EQ(results[1].path, (folder / "late").string());
  EXPECT_EQ(results[1].error, "the rig ended before the end of a frame could take it");
  EXPECT_EQ(results[1].frame, -1);
  EXPECT_FALSE(fs::exists(folder / "late"));
  EXPECT_EQ(rig.writer.request((folder / "never").string()), Request::closed);
  EXPECT_FALSE(rig.run(6));
  rig.writer.stop();  // again: nothing
  EXPECT_THAT(rig.writer.poll(), IsEmpty());
}

TEST(CheckpointWriter, WithoutReserveHasNeitherBufferNorThread) {
  Rig rig;
  rig.writer.start(helper());
  EXPECT_TRUE(rig.writer.provisions().empty());
  EXPECT_EQ(rig.writer.tid(), 0);
  EXPECT_EQ(rig.writer.request("a"), Request::closed);
  EXPECT_FALSE(rig.run(1));
  rig.writer.stop();
}

TEST(CheckpointWriter, ReservesOnceAndRefusesPathsItCannotKeep) {
  Rig rig;
  rig.start();
  EXPECT_THROW(rig.writer.reserve(rig.image), std::logic_error);
  EXPECT_EQ(rig.writer.request(""), Request::too_long);
  EXPECT_EQ(rig.writer.request(std::string(CheckpointWriter::kLongestPath + 1, 'x')), Request::too_long);
  EXPECT_EQ(rig.writer.request(std::string(CheckpointWriter::kLongestPath, 'x')), Request::accepted);
  EXPECT_TRUE(rig.run(1));
  EXPECT_THAT(rig.result().error, HasSubstr("File name too long"));
}

TEST(CheckpointWriter, TakesRequestsOfManyThreadsWhileTheFramesRun) {
  const TempDir folder;
  Rig rig(100);
  rig.start();
  std::atomic<int> accepted{0};
  std::atomic<bool> ended{false};
  std::vector<std::thread> askers;
  for (int t = 0; t < 3; ++t)
    askers.emplace_back([&, t] {
      const std::string path = (folder / ("a" + std::to_string(t))).string();
      while (!ended.load()) {
        if (rig.writer.request(path) == Request::accepted) ++accepted;
        std::this_thread::sleep_for(1ms);
      }
    });
  int taken = 0;
  for (std::int64_t k = 0; taken < 30; ++k) {
    if (rig.run(k)) ++taken;
    std::this_thread::yield();
  }
  rig.writer.stop();
  ended.store(true);
  for (std::thread& asker : askers) asker.join();
  const auto results = rig.writer.poll();
  EXPECT_THAT(results, SizeIs(static_cast<std::size_t>(accepted.load())));
  for (const CheckpointResult& done : results) {
    if (done.frame >= 0) {
      EXPECT_EQ(done.error, "");
    }
  }
}

TEST(CheckpointWriterRt, NeverTouchesTheHeap) {
  const TempDir folder;
  const std::string path = (folder / "a").string();
  Rig rig(10'000);
  rig.start();
  int taken = 0;
  const rtsync::HeapWatch heap;
  for (std::int64_t k = 0; taken < 5; ++k) {
    (void)rig.writer.request(path);  // the frame's side may ask as well
    if (rig.run(k)) ++taken;
  }
  EXPECT_EQ(heap.calls(), 0U);
}

/// The kernel kills a thread in strict mode at its first system call but read, write and exit.
TEST(CheckpointWriterRt, NeverAsksTheKernel) {
  if (tactus::test::kSanitized) GTEST_SKIP() << "a sanitizer's own locks ask the kernel on a busy machine";
  const TempDir folder;
  const pid_t child = ::fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    const std::string path = (folder / "a").string();
    auto* const rig = new Rig(10'000);  // never destroyed: its thread ends with the process
    rig->start();
    auto* const ended = new std::atomic<int>{-1};
    std::thread([ended] {
      for (int i = 0; i < 60'000 && ended->load() < 0; ++i) std::this_thread::sleep_for(1ms);
      ::_exit(ended->load() < 0 ? 99 : ended->load());
    }).detach();
    (void)::usleep(20'000);
    if (::prctl(PR_SET_SECCOMP, SECCOMP_MODE_STRICT) != 0) ::_exit(77);
    int taken = 0;
    for (std::int64_t k = 0; taken < 3; ++k) {
      (void)rig->writer.request(path);
      if (rig->run(k)) ++taken;
    }
    ended->store(taken == 3 ? 0 : 1);
    ::syscall(SYS_exit, 0);  // the thread alone
  }
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  if (WIFEXITED(status) && WEXITSTATUS(status) == 77) GTEST_SKIP() << "no strict mode on this machine";
  EXPECT_TRUE(WIFEXITED(status));
  EXPECT_EQ(WEXITSTATUS(status), 0) << "99: a system call was made in the frame";
}

}  // namespace
}  // namespace tactus::executive::checkpoint_writer_test
