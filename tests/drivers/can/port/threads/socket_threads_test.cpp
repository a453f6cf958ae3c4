// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>
#include <pthread.h>
#include <sched.h>
#include <time.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <deque>
#include <filesystem>
#include <fstream>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <thread>
#include <utility>

#include "drivers/can/port/socket_port.hpp"

namespace tactus::drivers::can::socket_threads_test {
namespace {

/// A bus with a partner that acknowledges: what is sent comes back as an echo, and as a frame of another id.
struct LoopSocket final : CanSocket {
  int send(const CanFrame& frame) noexcept override {
    const std::scoped_lock lock(mutex);
    SocketEvent event;
    event.kind = SocketEvent::Kind::echo;
    event.stamp = now();
    event.frame = frame;
    incoming.push_back(event);
    event.kind = SocketEvent::Kind::frame;
    event.frame.id += 0x100;
    incoming.push_back(event);
    return 0;
  }
  void receive(SocketEvent& event, std::int64_t) noexcept override {
    receivers_class = ::sched_getscheduler(0);
    {
      const std::scoped_lock lock(mutex);
      event.kind = SocketEvent::Kind::nothing;
      if (!incoming.empty()) {
        event = incoming.front();
        incoming.pop_front();
        return;
      }
    }
    std::this_thread::sleep_for(std::chrono::microseconds(200));
  }
  std::uint32_t dropped() const noexcept override { return 0; }
  std::int64_t now() noexcept override {
    timespec time{};
    (void)::clock_gettime(CLOCK_MONOTONIC, &time);
    return time.tv_sec * 1'000'000'000LL + time.tv_nsec;
  }
  void sleep_until(std::int64_t time) noexcept override {
    senders_class = ::sched_getscheduler(0);
    const timespec until{time / 1'000'000'000, time % 1'000'000'000};
    (void)::clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, nullptr);
  }
  std::atomic<int> senders_class{-1}, receivers_class{-1};
  std::mutex mutex;
  std::deque<SocketEvent> incoming;
};

TEST(SocketThreads, EachFrameIsSentOnceAndComesBack) {
  constexpr std::uint32_t kFrames = 300;
  SocketPort port(std::make_unique<LoopSocket>(), {.queue = 64});
  std::uint32_t handed = 0, taken = 0, echoes = 0, received = 0;
  std::int64_t earliest = 1;
  for (int frame = 0; frame < 20'000 && (taken < kFrames || echoes < kFrames || received < kFrames);
       ++frame) {
    port.begin(0, 1'000'000);
    PortEvent event;
    while (port.receive(event, false)) {
      if (event.kind == PortEvent::Kind::taken) {
        EXPECT_EQ(event.tag, taken++) << "in their order";
        earliest = std::min(earliest, event.stamp - event.planned);
      }
      if (event.kind == PortEvent::Kind::echo) EXPECT_EQ(event.frame.id, echoes++);
      if (event.kind == PortEvent::Kind::received) EXPECT_EQ(event.frame.id, 0x100 + received++);
    }
    for (int i = 0; i < 2 && handed < kFrames; ++i) {
      CanFrame sent;
      sent.id = handed;
      if (!port.send(sent, handed, 100'000)) break;
      ++handed;
    }
    port.handed();
    std::this_thread::sleep_for(std::chrono::microseconds(500));
  }
  EXPECT_EQ(taken, kFrames);
  EXPECT_EQ(echoes, kFrames);
  EXPECT_EQ(received, kFrames);
  EXPECT_GE(earliest, 0) << "none is sent before its time";
}

TEST(SocketThreads, TakeTheClassOfTheFramesThread) {
  auto socket = std::make_unique<LoopSocket>();
  const LoopSocket& seen = *socket;
  SocketPort port(std::move(socket), {.queue = 4});
  std::thread frames([&] {
    const sched_param none{};
    EXPECT_EQ(::sched_setscheduler(0, SCHED_BATCH, &none), 0);
    port.begin(0, 1'000'000);
    for (int i = 0; i < 20'000 && (seen.senders_class != SCHED_BATCH || seen.receivers_class != SCHED_BATCH);
         ++i)
      std::this_thread::sleep_for(std::chrono::microseconds(500));
  });
  frames.join();
  EXPECT_EQ(seen.senders_class, SCHED_BATCH);
  EXPECT_EQ(seen.receivers_class, SCHED_BATCH);
}

TEST(SocketThreads, ShowTheRigThatTheThreadShowsWhichMadeThem) {
  std::set<std::string> names;
  std::thread maker([&] {
    (void)::pthread_setname_np(::pthread_self(), "tactus@servo");
    const SocketPort port(std::make_unique<LoopSocket>(), SocketPortSettings{});
    for (const auto& task : std::filesystem::directory_iterator("/proc/self/task")) {
      std::string name;
      std::getline(std::ifstream(task.path() / "comm"), name);
      names.insert(name);
    }
  });
  maker.join();
  EXPECT_TRUE(names.contains("can-send@servo"));
  EXPECT_TRUE(names.contains("can-receive@ser")) << "15 bytes";
}

TEST(SocketThreads, EndsWithFramesThatWait) {
  SocketPort port(std::make_unique<LoopSocket>(), {.queue = 64});
  port.begin(0, 1'000'000);
  CanFrame late;
  EXPECT_TRUE(port.send(late, 0, 3'600'000'000'000));
}

}  // namespace
}  // namespace tactus::drivers::can::socket_threads_test
