// SPDX-License-Identifier: Apache-2.0
/// A model that is late on purpose in every 25th call: for one of the reasons that the rig file names, chosen by a
/// seed, and where asked for a shorter time for another one before it.
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <mutex>
#include <random>
#include <tactus/model.hpp>
#include <thread>

#include "hog_page.hpp"

namespace {

using namespace std::chrono_literals;
using Clock = std::chrono::steady_clock;
using Time = std::chrono::nanoseconds;

class Injector : public tactus::Model {
 public:
  static constexpr std::int64_t kEvery = 25;
  enum Kind : std::uint32_t {
    compute,
    sleep,
    lock,
    poll,
    fsync,
    heap,
    memory,
    disk_pages,
    preempt,
    migrate,
    kinds
  };

  Injector() {
    (void)::pipe2(pipe_.data(), O_CLOEXEC);
    owner_ = std::thread([this] {  // holds the lock, and another thread waits for it
      const std::lock_guard held(lock_);
      holds_ = true;
      while (!ends_) std::this_thread::sleep_for(5ms);
    });
    while (!holds_) std::this_thread::sleep_for(1ms);
  }
  ~Injector() override {
    ends_ = true;
    owner_.join();
    for (const int file : pipe_) (void)::close(file);
    if (file_ >= 0) (void)::close(file_);
  }
  Injector(const Injector&) = delete;
  Injector& operator=(const Injector&) = delete;

  void declare(tactus::Declare& d) override {
    d.parameter("kinds", wanted_, "", "one bit for each kind that may be chosen");
    d.parameter("pairs", pairs_, "", "1: a shorter one of another kind before it, now and then");
    d.parameter("seed", seed_, "", "of what is chosen");
    d.parameter("time", time_us_, "", "how long, in microseconds");
    d.output("injected", injected_, "1", "the kind, from 1 on; 0: none");
    d.output("second", second_, "1", "that before it, likewise");
    d.output("began", began_, "1", "on CLOCK_MONOTONIC, in nanoseconds");
    d.output("took", took_, "1", "the call, in nanoseconds");
    d.output("longest", longest_, "1",
             "between two looks at the clock of a kind that looks at it all the time");
    d.output("stood", stood_, "1",
             "the CPU while the job computed, in nanoseconds: looks that were far apart");
    d.job<&Injector::prepare>("prepare", tactus::JobClass::initialization);
    d.job<&Injector::step>("step", tactus::JobClass::scheduled);
  }

  void prepare(const tactus::Call&) {
    random_.seed(static_cast<std::uint64_t>(seed_));
    const auto has = [&](Kind kind) { return (static_cast<std::uint32_t>(wanted_) >> kind & 1U) != 0; };
    if (has(preempt) || has(migrate)) find_hogs();
    if (has(disk_pages)) make_file();
  }

  void step(const tactus::Call& call) {
    injected_ = second_ = 0;
    longest_ = stood_ = 0;
    if (call.frame < 2 * kEvery || call.frame % kEvery != 0) return;
    began_ = std::chrono::duration_cast<Time>(Clock::now().time_since_epoch()).count();
    const Kind first = choose();
    const Kind second = choose();
    const Time time{std::int64_t{time_us_} * 1000};
    // Memory that a job touches after calls of the heap counts as the heap's.
    const bool alike = second == first || (first == memory && second == heap);
    if (pairs_ != 0 && random_() % 2 == 0 && !alike && second != migrate) {
      inject(second, time / 4);
      second_ = static_cast<std::int32_t>(second) + 1;
    }
    inject(first, time);
    // Whether it is moved to the CPU that is free first is the kernel's choice.
    took_ = std::chrono::duration_cast<Time>(Clock::now().time_since_epoch()).count() - began_;
    injected_ = static_cast<std::int32_t>(first == migrate && !moved_ ? preempt : first) + 1;
  }

 private:
  Kind choose() {
    for (;;)
      if (const auto kind = static_cast<std::uint32_t>(random_() % kinds);
          (static_cast<std::uint32_t>(wanted_) >> kind & 1U) != 0)
        return static_cast<Kind>(kind);
  }

  void inject(Kind kind, Time time) {
    looked_ = Clock::now();
    const Clock::time_point end = looked_ + time;
    switch (kind) {
      case compute:
        while (goes_on(end))
          if (gap_ > kFar) stood_ += gap_.count();
        break;
      case sleep:
        std::this_thread::sleep_until(end);
        break;
      case lock:
        if (lock_.try_lock_until(end)) lock_.unlock();
        break;
      case poll: {
        pollfd one{pipe_[0], POLLIN, 0};
        (void)::poll(&one, 1, static_cast<int>(time / 1ms));
        break;
      }
      case fsync:
        while (Clock::now() < end) write_through();
        break;
      case heap:
        while (goes_on(end))
          for (int i = 0; i < 100; ++i) {
            block_ = std::malloc(std::size_t{8} << 20);
            std::free(block_);
          }
        break;
      case memory:
        while (goes_on(end)) touch_fresh_memory(std::size_t{8} << 20);
        break;
      case disk_pages:
        read_pages(end);
        break;
      case preempt:
        take_cpu(::sched_getcpu(), time);
        break;
      case migrate: {
        const int here = ::sched_getcpu();
        take_cpu(1 - here, time);
        take_cpu(here, time * 2);
        moved_ = ::sched_getcpu() != here;
        break;
      }
      case kinds:
        break;
    }
  }
  /// Notes how long it took from one look to the next: what is long is the machine's.
  bool goes_on(Clock::time_point end) {
    const Clock::time_point now = Clock::now();
    gap_ = now - looked_;
    longest_ = std::max<std::int64_t>(longest_, gap_.count());
    looked_ = now;
    return now < end;
  }
  void find_hogs() {
    const int file = ::open(tactus::test::HogPage::kFile, O_RDWR | O_CLOEXEC);
    if (file < 0) return;
    void* const page =
        ::mmap(nullptr, sizeof(tactus::test::HogPage), PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    (void)::close(file);
    if (page != MAP_FAILED) hogs_ = static_cast<tactus::test::HogPage*>(page);
  }
  /// Returns when a hog has it, unless it queues, and on that CPU when it has given it back.
  void take_cpu(int cpu, Time time) {
    if (hogs_ == nullptr || cpu < 0 || cpu > 1) return;
    tactus::test::HogPage::Hog& hog = hogs_->hogs[static_cast<std::size_t>(cpu)];
    hog.time_ns = time.count();
    hog.has_it = false;
    (void)::sem_post(&hog.wanted);
    if (hogs_->queues) return;
    for (const auto end = Clock::now() + 2ms; !hog.has_it && Clock::now() < end;) {
    }
  }
  static void touch_fresh_memory(std::size_t bytes) {
    void* const fresh = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (fresh == MAP_FAILED) return;
    (void)::madvise(fresh, bytes, MADV_NOHUGEPAGE);
    for (std::size_t at = 0; at < bytes; at += 4096) static_cast<volatile char*>(fresh)[at] = 1;
    (void)::munmap(fresh, bytes);
  }
  static void write_through() {
    const int file = ::open("written", O_CREAT | O_WRONLY | O_CLOEXEC, 0600);
    if (file < 0) return;
    (void)!::write(file, "x", 1);
    (void)::fsync(file);
    (void)::close(file);
  }
  void make_file() {
    file_ = ::open("pages", O_CREAT | O_RDWR | O_TRUNC | O_CLOEXEC, 0600);
    const std::array<char, 65536> bytes{};
    for (std::size_t at = 0; at < kFile; at += bytes.size())
      (void)!::write(file_, bytes.data(), bytes.size());
    (void)::fsync(file_);
    void* const mapped = ::mmap(nullptr, kFile, PROT_READ, MAP_SHARED, file_, 0);
    if (mapped == MAP_FAILED) return;
    (void)::madvise(mapped, kFile, MADV_RANDOM);
    pages_ = static_cast<volatile char*>(mapped);
  }
  void read_pages(Clock::time_point end) {
    if (pages_ == nullptr) return;
    while (Clock::now() < end) {
      (void)::madvise(const_cast<char*>(pages_), kFile, MADV_DONTNEED);
      (void)::posix_fadvise(file_, 0, 0, POSIX_FADV_DONTNEED);
      for (std::size_t at = 0; at < kFile && Clock::now() < end; at += 4096) (void)pages_[at];
    }
  }

  static constexpr std::size_t kFile = std::size_t{2} << 20;
  std::int32_t wanted_ = 0;
  std::int32_t pairs_ = 0;
  std::int32_t seed_ = 0;
  std::int32_t time_us_ = 8000;
  std::int32_t injected_ = 0;
  std::int32_t second_ = 0;
  std::int64_t began_ = 0;
  std::int64_t took_ = 0;
  static constexpr Time kFar{50'000};
  Time gap_{0};
  std::int64_t longest_ = 0;
  std::int64_t stood_ = 0;
  Clock::time_point looked_{};
  bool moved_ = false;
  std::mt19937_64 random_;
  tactus::test::HogPage* hogs_ = nullptr;
  std::timed_mutex lock_;
  std::atomic<bool> holds_{false};
  std::atomic<bool> ends_{false};
  std::thread owner_;
  std::array<int, 2> pipe_{-1, -1};
  int file_ = -1;
  volatile char* pages_ = nullptr;
  void* volatile block_ = nullptr;  // so that no compiler leaves it out
};

}  // namespace

TACTUS_MODEL("injector", Injector, "is late on purpose")
