// The loop of an I/O thread: it does what comes, and sleeps while nothing does.
#include "drivers/silkit/net/io_loop.hpp"

#include <gtest/gtest.h>

#include <asio/executor_work_guard.hpp>
#include <asio/post.hpp>
#include <asio/steady_timer.hpp>
#include <functional>
#include <thread>

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

}  // namespace
}  // namespace tactus::silkit::io_loop_test
