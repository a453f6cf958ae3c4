// SPDX-License-Identifier: Apache-2.0
/// Models that are made late, and say when each of their calls began: by their own deed in every nth call, or by what is
/// done to their thread from outside.
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <spawn.h>
#include <sys/file.h>
#include <sys/ipc.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/select.h>
#include <sys/shm.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <mutex>
#include <string>
#include <tactus/model.hpp>
#include <thread>

extern char** environ;

namespace {

using namespace std::chrono_literals;
using Clock = std::chrono::steady_clock;

std::int64_t ns_of(Clock::time_point time) {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(time.time_since_epoch()).count();
}

enum class Deed : std::int32_t {
  nothing,
  compute,
  kernel,
  zeros,
  sleep,
  condition,
  select,
  pipe,
  lock_file,
  spawn,
  heap,
  memory,
  protect,
  grow,
  segment,
  stack,
  populate,
  remap,
  discard
};

/// Another thread of the model: writes into a pipe, or gives the lock of a file back, at a time that it is told.
class Helper {
 public:
  Helper() {
    (void)::pipe2(pipe_.data(), O_CLOEXEC);
    std::string name = "/tmp/tactus-victim-XXXXXX";
    held_ = ::mkostemp(name.data(), O_CLOEXEC);
    wanted_ = ::open(name.c_str(), O_RDWR | O_CLOEXEC);
    (void)::unlink(name.c_str());
    thread_ = std::thread([this] { run(); });
  }
  ~Helper() {
    ends_ = true;
    thread_.join();
    for (const int file : {pipe_[0], pipe_[1], held_, wanted_}) (void)::close(file);
  }
  Helper(const Helper&) = delete;
  Helper& operator=(const Helper&) = delete;

  void read_pipe(Clock::time_point until) {
    char byte = 0;
    writes_at_ = ns_of(until);
    (void)!::read(pipe_[0], &byte, 1);
  }
  /// Waits for a lock that is held before.
  void lock_file(Clock::time_point until) {
    gives_back_at_ = ns_of(until);
    if (::flock(wanted_, LOCK_EX) == 0) (void)::flock(wanted_, LOCK_UN);
  }

 private:
  /// Polls, so that a job wakes no thread.
  void run() {
    (void)::flock(held_, LOCK_EX);
    while (!ends_) {
      std::this_thread::sleep_for(500us);
      const std::int64_t now = ns_of(Clock::now());
      if (writes_at_ != 0 && now >= writes_at_) {
        writes_at_ = 0;
        (void)!::write(pipe_[1], "x", 1);
      }
      if (gives_back_at_ != 0 && now >= gives_back_at_) {
        gives_back_at_ = 0;
        (void)::flock(held_, LOCK_UN);
        std::this_thread::sleep_for(5ms);
        (void)::flock(held_, LOCK_EX);
      }
    }
  }
  std::array<int, 2> pipe_{-1, -1};
  int held_ = -1;
  int wanted_ = -1;
  std::atomic<std::int64_t> writes_at_{0};
  std::atomic<std::int64_t> gives_back_at_{0};
  std::atomic<bool> ends_{false};
  std::thread thread_;
};

class Victim : public tactus::Model {
 public:
  void declare(tactus::Declare& d) override {
    d.parameter("deed", deed_, "", "what it does in every nth call",
                {{"nothing", Deed::nothing},
                 {"compute", Deed::compute},
                 {"kernel", Deed::kernel},
                 {"zeros", Deed::zeros},
                 {"sleep", Deed::sleep},
                 {"condition", Deed::condition},
                 {"select", Deed::select},
                 {"pipe", Deed::pipe},
                 {"lock_file", Deed::lock_file},
                 {"spawn", Deed::spawn},
                 {"heap", Deed::heap},
                 {"memory", Deed::memory},
                 {"protect", Deed::protect},
                 {"grow", Deed::grow},
                 {"segment", Deed::segment},
                 {"stack", Deed::stack},
                 {"populate", Deed::populate},
                 {"remap", Deed::remap},
                 {"discard", Deed::discard}});
    d.parameter("every", every_, "", "calls");
    d.parameter("time", time_us_, "", "how long the deed lasts, in microseconds");
    d.parameter("work", work_us_, "", "what each call computes, in microseconds");
    d.parameter("sleep", sleep_us_, "", "how long each call sleeps, in microseconds");
    d.parameter("after_late", after_late_us_, "",
                "what a call computes that begins late by three times that, in microseconds; 0: nothing");
    d.parameter("period", period_us_, "", "of its calls, in microseconds");
    d.output("now", now_, "1", "begin of the call on CLOCK_MONOTONIC, in nanoseconds");
    d.output("began", began_, "1", "begin of the last deed, likewise");
    d.output("ended", ended_, "1", "end of the last deed, likewise");
    d.output("gap", gap_, "1",
             "longest time between two looks at the clock in the last deed, in nanoseconds");
    d.job<&Victim::prepare>("prepare", tactus::JobClass::initialization);
    d.job<&Victim::step>("step", tactus::JobClass::scheduled);
  }

  void prepare(const tactus::Call&) {
    if (deed_ == Deed::pipe || deed_ == Deed::lock_file) helper_ = std::make_unique<Helper>();
    // The fastest of some: a machine that stops meanwhile makes others slower.
    double best = 1e9;
    for (int i = 0; i < 20; ++i) {
      const Clock::time_point begin = Clock::now();
      turn(kTurns);
      best = std::min(best, std::chrono::duration<double, std::micro>(Clock::now() - begin).count());
    }
    turns_ = static_cast<std::int64_t>(kTurns * work_us_ / best);
  }

  void step(const tactus::Call& call) {
    const Clock::time_point now = Clock::now();
    const std::int64_t before = now_;
    now_ = ns_of(now);
    turn(turns_);
    if (sleep_us_ > 0) std::this_thread::sleep_for(std::chrono::microseconds{sleep_us_});
    if (after_late_us_ > 0 && before > 0 && now_ - before > (period_us_ + 3 * after_late_us_) * 1000)
      compute(now + std::chrono::microseconds{after_late_us_});
    // A thread with a period of its own makes several calls with the number of one period.
    if (deed_ == Deed::nothing || call.frame == last_ || call.frame < 2 * every_ || call.frame % every_ != 0)
      return;
    last_ = call.frame;
    gap_ = 0;
    looked_ = Clock::now();
    began_ = ns_of(looked_);
    act(looked_ + std::chrono::microseconds{time_us_});
    ended_ = ns_of(Clock::now());
  }

 private:
  /// Computes without a look at the clock: it takes longer by whatever interrupts it.
  void turn(std::int64_t turns) {
    for (std::int64_t i = 0; i < turns; ++i) sum_ = sum_ * 6364136223846793005U + 1442695040888963407U;
  }
  bool goes_on(Clock::time_point end) {
    const Clock::time_point now = Clock::now();
    gap_ = std::max<std::int64_t>(gap_, std::chrono::nanoseconds{now - looked_}.count());
    looked_ = now;
    return now < end;
  }
  void compute(Clock::time_point end) {
    while (Clock::now() < end) {
    }
  }

  void act(Clock::time_point end) {
    switch (deed_) {
      case Deed::nothing:
        break;
      case Deed::compute:
        while (goes_on(end)) {
        }
        break;
      case Deed::kernel:
        while (goes_on(end)) (void)!::getrandom(bytes_.data(), 16384, 0);
        break;
      case Deed::zeros:
        while (goes_on(end)) (void)!::pread(zeros_, bytes_.data(), bytes_.size(), 0);
        break;
      case Deed::sleep:
        std::this_thread::sleep_until(end);
        break;
      case Deed::condition: {
        std::unique_lock lock(mutex_);
        (void)condition_.wait_until(lock, end, [] { return false; });
        break;
      }
      case Deed::select: {
        timeval left{0, time_us_};
        (void)::select(0, nullptr, nullptr, nullptr, &left);
        break;
      }
      case Deed::pipe:
        helper_->read_pipe(end);
        break;
      case Deed::lock_file:
        helper_->lock_file(end);
        break;
      case Deed::spawn:
        run_program();
        break;
      case Deed::heap:
        while (goes_on(end))
          for (int i = 0; i < 100; ++i) {
            block_ = std::malloc(std::size_t{8} << 20);
            std::free(block_);
          }
        break;
      default:
        while (goes_on(end)) use_memory();
        break;
    }
  }
  void use_memory() {
    switch (deed_) {
      case Deed::memory:
        with_memory(PROT_READ | PROT_WRITE, 0, touch);
        break;
      case Deed::protect:
        with_memory(PROT_NONE, 0, [](void* memory) {
          if (::mprotect(memory, kPiece, PROT_READ | PROT_WRITE) == 0) touch(memory);
        });
        break;
      case Deed::grow:
        if (void* const memory = ::sbrk(kPiece); memory != reinterpret_cast<void*>(-1)) touch(memory);
        (void)::sbrk(-static_cast<std::intptr_t>(kPiece));
        break;
      case Deed::segment: {
        const int segment = ::shmget(IPC_PRIVATE, kPiece, IPC_CREAT | 0600);
        void* const memory = segment < 0 ? nullptr : ::shmat(segment, nullptr, 0);
        if (memory != nullptr && memory != reinterpret_cast<void*>(-1)) {
          touch(memory);
          (void)::shmdt(memory);
        }
        if (segment >= 0) (void)::shmctl(segment, IPC_RMID, nullptr);
        break;
      }
      case Deed::stack:
        start_thread();
        break;
      case Deed::populate:
        with_memory(PROT_READ | PROT_WRITE, MAP_POPULATE, [](void*) {});
        break;
      case Deed::remap: {
        void* memory = ::mmap(nullptr, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        if (memory == MAP_FAILED) break;
        if (void* const larger = ::mremap(memory, 4096, kPiece, MREMAP_MAYMOVE); larger != MAP_FAILED) {
          touch(larger);
          (void)::munmap(larger, kPiece);
        }
        break;
      }
      case Deed::discard:
        if (kept_ == nullptr) break;
        (void)::munlock(kept_, kPiece);
        (void)::madvise(kept_, kPiece, MADV_DONTNEED);
        touch(kept_);
        break;
      default:
        break;
    }
  }
  static constexpr std::size_t kPiece = std::size_t{4} << 20;
  template <class Use>
  static void with_memory(int protection, int flags, Use use) {
    void* const memory = ::mmap(nullptr, kPiece, protection, MAP_PRIVATE | MAP_ANONYMOUS | flags, -1, 0);
    if (memory == MAP_FAILED) return;
    use(memory);
    (void)::munmap(memory, kPiece);
  }
  static void touch(void* memory) {
    for (std::size_t at = 0; at < kPiece; at += 4096) static_cast<volatile char*>(memory)[at] = 1;
  }
  static void* map_kept() {
    void* const memory = ::mmap(nullptr, kPiece, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) return nullptr;
    (void)::madvise(memory, kPiece, MADV_NOHUGEPAGE);
    return memory;
  }
  /// Its stack is too large for the C library to keep it for the next one.
  static void start_thread() {
    pthread_attr_t attributes;
    pthread_t thread;
    (void)::pthread_attr_init(&attributes);
    (void)::pthread_attr_setstacksize(&attributes, std::size_t{48} << 20);
    const auto nothing = [](void*) -> void* { return nullptr; };
    if (::pthread_create(&thread, &attributes, nothing, nullptr) == 0) (void)::pthread_detach(thread);
    (void)::pthread_attr_destroy(&attributes);
  }
  void run_program() const {
    std::string program = "sleep";
    std::string time = std::to_string(time_us_ / 1000000.0);
    const std::array<char*, 3> words{program.data(), time.data(), nullptr};
    pid_t child = 0;
    if (::posix_spawnp(&child, "sleep", nullptr, nullptr, words.data(), environ) == 0)
      (void)::waitpid(child, nullptr, 0);
  }

  static constexpr std::int64_t kTurns = 20000;
  Deed deed_ = Deed::nothing;
  std::int32_t every_ = 25, time_us_ = 8000, work_us_ = 0, sleep_us_ = 0, after_late_us_ = 0,
               period_us_ = 2000;
  std::int64_t now_ = 0, began_ = 0, ended_ = 0, gap_ = 0;
  std::int64_t turns_ = 0, last_ = -1;
  volatile std::uint64_t sum_ = 1;
  Clock::time_point looked_{};
  std::unique_ptr<Helper> helper_;
  std::mutex mutex_;
  std::condition_variable condition_;
  int zeros_ = ::open("/dev/zero", O_RDONLY | O_CLOEXEC);
  std::array<char, 262144> bytes_{};
  void* kept_ = map_kept();
  void* volatile block_ = nullptr;  // so that no compiler leaves it out
};

}  // namespace

TACTUS_MODEL("victim", Victim, "is made late")
