// SPDX-License-Identifier: Apache-2.0
#include "executive/run_base/folder_calls.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <functional>
#include <memory>
#include <thread>

#include "executive/run_base/run_log.hpp"
#include "tests/support/process.hpp"
#include "tests/support/temp_dir.hpp"

namespace tactus::executive::folder_calls_test {
namespace {

using namespace std::chrono_literals;
using Answer = FolderCalls::Answer;

rtsync::ThreadSettings helper() {
  return {"run-folder", rtsync::allowed_cpus(), rtsync::SchedPolicy::other, 0, 0, false};
}

/// A call that does not return until it is let go.
struct Held {
  std::shared_ptr<std::atomic<bool>> held = std::make_shared<std::atomic<bool>>(true);
  std::function<void()> call() const {
    return [held = held] { held->wait(true); };
  }
  void let_go() const {
    held->store(false);
    held->notify_all();
  }
  ~Held() { let_go(); }
};

/// False at the time limit.
bool becomes(const std::function<bool()>& so) {
  const auto until = std::chrono::steady_clock::now() + tactus::test::kTimeout;
  while (!so() && std::chrono::steady_clock::now() < until) std::this_thread::sleep_for(1ms);
  return so();
}
/// Until all calls have returned.
bool becomes_idle(const FolderCalls& calls) {
  return becomes([&] { return calls.idle(); });
}

TEST(FolderCalls, AreMadeInOrderWhetherOneHangsOrNot) {
  FolderCalls calls(helper());
  const auto text = std::make_shared<std::string>();
  const auto add = [&](char c) { return calls.make("a letter was added", [text, c] { *text += c; }); };
  (void)add('a');
  ASSERT_TRUE(becomes_idle(calls));
  const Held held;
  EXPECT_EQ(calls.make("a server was asked", held.call()), Answer::waits);
  EXPECT_EQ(calls.what(), "a server was asked");
  EXPECT_EQ(add('b'), Answer::waits);
  EXPECT_TRUE(becomes([&] { return calls.hangs() >= FolderCalls::kMoment; }));
  held.let_go();
  ASSERT_TRUE(becomes_idle(calls));
  (void)add('c');
  ASSERT_TRUE(becomes_idle(calls));
  EXPECT_EQ(*text, "abc");
  EXPECT_EQ(calls.what(), "");
  EXPECT_EQ(calls.hangs(), 0ns);
}

TEST(FolderCalls, NoMoreWaitThanThereIsRoomFor) {
  FolderCalls calls(helper());
  const Held held;
  EXPECT_EQ(calls.make("a server was asked", held.call()), Answer::waits);
  for (std::size_t i = 1; i < FolderCalls::kMostWaiting; ++i)
    ASSERT_EQ(calls.make("another", [] {}), Answer::waits) << i;
  EXPECT_EQ(calls.make("one too many", [] {}), Answer::refused);
}

TEST(FolderCalls, OneThatNeverReturnsIsLeftBehind) {
  const Held held;  // lets go when the calls are gone
  FolderCalls calls(helper());
  EXPECT_EQ(calls.make("a server was asked", held.call()), Answer::waits);
}

TEST(FolderCalls, ALogLineWaitsForTheFolderAndStopsNobody) {
  const tactus::test::TempDir dir;
  FolderCalls calls(helper());
  RunLog log(dir / "log.txt", 1'000'000, &calls);
  log.info("before");
  const Held held;
  (void)calls.make("a server was asked", held.call());
  for (int i = 0; i < 1000; ++i) log.warn("meanwhile");  // a second for each would be noticed
  held.let_go();
  ASSERT_TRUE(becomes_idle(calls));
  log.last_word("after");
  ASSERT_TRUE(becomes_idle(calls));
  const std::string text = tactus::test::read_file(dir / "log.txt");
  EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 1002);
  EXPECT_LT(text.find("before"), text.find("meanwhile"));
  EXPECT_TRUE(text.ends_with("after\n"));
}

}  // namespace
}  // namespace tactus::executive::folder_calls_test
