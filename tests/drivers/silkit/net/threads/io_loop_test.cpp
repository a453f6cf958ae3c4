// SPDX-License-Identifier: Apache-2.0
// The loop of an I/O thread: it does what comes, and sleeps while nothing does.
#include "drivers/silkit/net/io_loop.hpp"

#include <gtest/gtest.h>

#include <asio/executor_work_guard.hpp>
#include <asio/post.hpp>
#include <asio/steady_timer.hpp>
#include <atomic>
#include <functional>
#include <thread>

#include "drivers/silkit/net/coalesced_post.hpp"

namespace tactus::silkit::io_loop_test {
namespace {

using namespace std::chrono_literals;

TEST(IoLoop, DoesWhatIsPostedUntilItIsStopped) {
  asio::io_context io;
  const auto work = asio::make_work_guard(io);
  int done = 0;
  std::thread other([&] {
    for (int n = 1; n <= 1000; ++n)
      asio::post(io, [&, n] {
        EXPECT_EQ(++done, n);
        if (n == 1000) io.stop();
      });
  });
  (void)run_io_loop(io);
  other.join();
  EXPECT_EQ(done, 1000);
}

TEST(IoLoop, SleepsWhereNothingCame) {
  asio::io_context io;
  const auto work = asio::make_work_guard(io);
  asio::steady_timer timer(io);
  int left = 300;
  std::function<void()> again = [&] {
    if (--left == 0) return io.stop();
    timer.expires_after(1ms);  // far longer than it looks
    timer.async_wait([&](const asio::error_code&) { again(); });
  };
  again();
  const IoLoopCounts counts = run_io_loop(io);
  EXPECT_GT(counts.sleeps, 150) << "it slept for a timer";
  EXPECT_LT(counts.spins_in_vain, counts.sleeps / 2) << "it learnt that looking is in vain";
}

TEST(IoLoop, EndsWhenItIsStoppedWhileItLooks) {
  asio::io_context io;
  const auto work = asio::make_work_guard(io);
  asio::post(io, [&] { io.stop(); });
  const IoLoopCounts counts = run_io_loop(io);
  EXPECT_EQ(counts.sleeps, 0);
}

/// Has as many things to do as others say, and a post for when it sleeps.
class Counted final : public IoSource {
 public:
  void add() { post_.post(); }
  int done() const { return done_; }
  static constexpr int kAll = 5000;

  bool look() override { return post_.take(); }
  bool is_likely() const override { return true; }
  bool fall_asleep() override { return post_.fall_asleep(); }
  void wake_up() override { post_.wake_up(); }

 private:
  std::atomic<int> done_{0};
  CoalescedPost post_{io, [this] {
                        if (++done_ == kAll) io.stop();
                      }};

 public:
  asio::io_context io;  // the post outlives it
};

TEST(IoLoop, MissesNothingOfASourceWhetherItSleepsOrLooks) {
  Counted source;
  const auto work = asio::make_work_guard(source.io);
  std::thread other([&] {
    for (int n = 0; n < Counted::kAll; ++n) {
      source.add();
      while (source.done() <= n) {
        if (n % 50 == 0) std::this_thread::sleep_for(100us);  // it falls asleep
      }
    }
  });
  (void)run_io_loop(source.io, &source);
  other.join();
  EXPECT_EQ(source.done(), Counted::kAll);
}

TEST(IoLoop, LooksAtItsSourceAlsoWhereANudgeHasNoEnd) {
  struct Restless final : IoSource {
    bool look() override {
      (void)post.take();
      if (++looks == 1000) io.stop();
      return true;
    }
    bool is_likely() const override { return true; }
    bool fall_asleep() override { return post.fall_asleep(); }
    void wake_up() override { post.wake_up(); }
    int looks = 0;
    CoalescedPost post{io, [this] { post.post(); }};
    asio::io_context io;
  } source;
  const auto work = asio::make_work_guard(source.io);
  source.post.post();  // nobody has looked yet: it goes through the io_context
  (void)run_io_loop(source.io, &source);
  EXPECT_EQ(source.looks, 1000);
}

TEST(IoLoop, LooksAtTheRestAlsoWhereASourceHasNoEnd) {
  asio::io_context io;
  const auto work = asio::make_work_guard(io);
  struct Endless final : IoSource {
    bool look() override { return true; }
    bool is_likely() const override { return true; }
    bool fall_asleep() override { return false; }
    void wake_up() override {}
  } source;
  asio::steady_timer timer(io, 1ms);
  timer.async_wait([&](const asio::error_code&) { io.stop(); });
  (void)run_io_loop(io, &source);
  SUCCEED();
}

}  // namespace
}  // namespace tactus::silkit::io_loop_test
