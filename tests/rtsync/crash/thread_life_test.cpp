// SPDX-License-Identifier: Apache-2.0
#include "rtsync/crash/thread_life.hpp"

#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/wait.h>

#include <atomic>
#include <csignal>
#include <new>
#include <thread>

namespace tactus::rtsync::thread_life_test {
namespace {

/// What both processes see.
struct Shared {
  ThreadLife life;
  std::atomic<int> step{0};

  void await(int wanted) const {
    while (step.load() < wanted) (void)::usleep(1000);
  }
};

class ThreadLifeTest : public testing::Test {
 protected:
  ThreadLifeTest()
      : memory_(::mmap(nullptr, sizeof(Shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0)),
        shared_(*::new (memory_) Shared) {}
  ~ThreadLifeTest() override {
    if (child_ > 0) {
      (void)::kill(child_, SIGKILL);
      (void)::waitpid(child_, nullptr, 0);
    }
    (void)::munmap(memory_, sizeof(Shared));
  }

  /// Runs this in a child, which then waits for its end.
  template <class Work>
  void in_child(const Work& work) {
    child_ = ::fork();
    if (child_ != 0) return;
    work();
    for (;;) (void)::pause();
  }

  void* memory_;
  Shared& shared_;
  pid_t child_ = -1;
};

TEST_F(ThreadLifeTest, TellsOfAThreadThatDiesWhileItsProcessIsStillThere) {
  in_child([&] {
    std::thread([&] {
      shared_.life.hold();
      shared_.step = 1;
      shared_.await(2);
      (void)::syscall(SYS_exit, 0);  // as the kernel ends one thread after the other
    }).detach();
  });
  shared_.await(1);
  std::atomic<bool> heard{false};
  std::thread waiter([&] { heard = shared_.life.await_death(); });
  (void)::usleep(20'000);
  EXPECT_FALSE(heard.load()) << "while the thread lives";
  shared_.step = 2;
  waiter.join();
  EXPECT_TRUE(heard.load());
  EXPECT_EQ(::waitpid(child_, nullptr, WNOHANG), 0) << "its process is there";
}

TEST_F(ThreadLifeTest, TellsOfAProcessThatIsKilledAlsoToOneThatWaitedBeforeTheFirstHold) {
  std::atomic<bool> heard{false};
  std::thread waiter([&] { heard = shared_.life.await_death(); });
  in_child([&] {
    shared_.life.hold();
    shared_.step = 1;
  });
  shared_.await(1);
  (void)::kill(child_, SIGKILL);
  waiter.join();
  EXPECT_TRUE(heard.load());
}

TEST_F(ThreadLifeTest, AThreadThatReleasedItEndsUnheardAndTheNextOneIsWatched) {
  in_child([&] {
    std::thread([&] {
      shared_.life.hold();
      shared_.life.hold();  // as each output of a rig does
      shared_.life.release();
      shared_.life.release();
    }).join();
    shared_.step = 1;
    shared_.await(2);
    shared_.life.hold();
    shared_.step = 3;
  });
  shared_.await(1);
  std::atomic<bool> heard{false};
  std::thread waiter([&] { heard = shared_.life.await_death(); });
  (void)::usleep(20'000);
  EXPECT_FALSE(heard.load());
  shared_.step = 2;
  shared_.await(3);
  EXPECT_FALSE(heard.load());
  (void)::kill(child_, SIGKILL);
  waiter.join();
  EXPECT_TRUE(heard.load());
}

TEST_F(ThreadLifeTest, IsWaitedForInMemoryThatTheOtherProcessCannotWrite) {
  constexpr std::size_t kBytes = 4096;
  const int file = ::memfd_create("life", MFD_CLOEXEC);
  ASSERT_EQ(::ftruncate(file, kBytes), 0);
  void* const written = ::mmap(nullptr, kBytes, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  void* const read = ::mmap(nullptr, kBytes, PROT_READ, MAP_SHARED, file, 0);
  ASSERT_NE(written, MAP_FAILED);
  ASSERT_NE(read, MAP_FAILED);
  auto& life = *::new (written) ThreadLife;
  std::atomic<bool> heard{false};
  std::thread waiter([&] { heard = static_cast<const ThreadLife*>(read)->await_death(); });
  in_child([&] {
    life.hold();
    life.release();
    life.hold();
    shared_.step = 1;
  });
  shared_.await(1);
  (void)::usleep(20'000);
  EXPECT_FALSE(heard.load()) << "while it lives";
  (void)::kill(child_, SIGKILL);
  waiter.join();
  EXPECT_TRUE(heard.load());
  (void)::munmap(written, kBytes);
  (void)::munmap(read, kBytes);
  (void)::close(file);
}

}  // namespace
}  // namespace tactus::rtsync::thread_life_test
