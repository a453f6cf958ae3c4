// SPDX-License-Identifier: Apache-2.0
/// A model whose job takes 3 ms, or as long as it is told, in every 50th call, for the reason that the rig file names.
#include <fcntl.h>
#include <pthread.h>
#include <sys/ipc.h>
#include <sys/mman.h>
#include <sys/shm.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <tactus/model.hpp>
#include <thread>

namespace {

using namespace std::chrono_literals;
using Clock = std::chrono::steady_clock;

enum class Reason : std::int32_t {
  nothing,
  spin,
  sleep,
  heap,
  memory,
  disk,
  allocate,
  page,
  calls,
  large,
  protect,
  grow,
  segment,
  stack,
  populate
};

class LateReason : public tactus::Model {
 public:
  void declare(tactus::Declare& d) override {
    d.parameter("reason", reason_, "", "what it does",
                {{"nothing", Reason::nothing},
                 {"spin", Reason::spin},
                 {"sleep", Reason::sleep},
                 {"heap", Reason::heap},
                 {"memory", Reason::memory},
                 {"disk", Reason::disk},
                 {"allocate", Reason::allocate},
                 {"page", Reason::page},
                 {"calls", Reason::calls},
                 {"large", Reason::large},
                 {"protect", Reason::protect},
                 {"grow", Reason::grow},
                 {"segment", Reason::segment},
                 {"stack", Reason::stack},
                 {"populate", Reason::populate}});
    d.parameter("every", every_, "", "calls");
    d.parameter("lasts", lasts_ms_, "", "how long, in milliseconds");
    d.output("injected", injected_, "1", "1: the last call was late on purpose");
    d.job<&LateReason::step>("step", tactus::JobClass::scheduled);
  }

  void step(const tactus::Call& call) {
    injected_ = call.frame >= every_ && call.frame % every_ == 0 ? 1 : 0;
    if (injected_ == 0) return;
    const Clock::time_point end = Clock::now() + lasts_ms_ * 1ms;
    switch (reason_) {
      case Reason::nothing:
        break;
      case Reason::spin:
        while (Clock::now() < end) {
        }
        break;
      case Reason::sleep:
        std::this_thread::sleep_until(end);
        break;
      case Reason::heap:
        while (Clock::now() < end)
          for (int i = 0; i < 100; ++i) allocate(std::size_t{8} << 20);
        break;
      case Reason::memory:
        while (Clock::now() < end) touch_fresh_memory(std::size_t{16} << 20);
        break;
      case Reason::disk:
        while (Clock::now() < end) write_through();
        break;
      case Reason::allocate:
        allocate(100);
        break;
      case Reason::calls:
        for (int i = 0; i < 1000; ++i) allocate(100);
        break;
      case Reason::large:  // memory that was used before is cleared
        block_ = std::calloc(1, std::size_t{32} << 20);
        fill(block_, std::size_t{32} << 20);
        std::free(block_);
        break;
      case Reason::page:
        touch_next_page();
        break;
      case Reason::protect:
        while (Clock::now() < end) use_reserved_memory();
        break;
      case Reason::grow:
        while (Clock::now() < end) {
          (void)::sbrk(kPiece);
          (void)::sbrk(-static_cast<std::intptr_t>(kPiece));
        }
        break;
      case Reason::segment:
        while (Clock::now() < end) attach_segment();
        break;
      case Reason::stack:
        while (Clock::now() < end) start_thread();
        break;
      case Reason::populate:
        while (Clock::now() < end) map_without_the_library();
        break;
    }
  }

 private:
  void allocate(std::size_t bytes) {
    block_ = std::malloc(bytes);
    std::free(block_);
  }
  static void touch_fresh_memory(std::size_t bytes) {
    void* const memory = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) return;
    for (std::size_t at = 0; at < bytes; at += 4096) static_cast<volatile char*>(memory)[at] = 1;
    (void)::munmap(memory, bytes);
  }
  static constexpr std::size_t kPiece = std::size_t{4} << 20;
  static void use_reserved_memory() {
    void* const memory = ::mmap(nullptr, kPiece, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) return;
    (void)::mprotect(memory, kPiece, PROT_READ | PROT_WRITE);
    (void)::munmap(memory, kPiece);
  }
  static void attach_segment() {
    const int segment = ::shmget(IPC_PRIVATE, kPiece, IPC_CREAT | 0600);
    void* const memory = segment < 0 ? nullptr : ::shmat(segment, nullptr, 0);
    if (memory != nullptr) (void)::shmdt(memory);
    if (segment >= 0) (void)::shmctl(segment, IPC_RMID, nullptr);
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
  static void map_without_the_library() {
    const long memory = ::syscall(SYS_mmap, nullptr, kPiece, PROT_READ | PROT_WRITE,
                                  MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0L);
    if (memory > 0) (void)::syscall(SYS_munmap, memory, kPiece);
  }
  static void fill(void* memory, std::size_t bytes) {
    for (std::size_t at = 0; memory != nullptr && at < bytes; at += 4096)
      static_cast<volatile char*>(memory)[at] = 1;
  }
  /// Of memory that is mapped before the first frame.
  void touch_next_page() {
    if (fresh_ == nullptr || next_ >= kFresh) return;
    fresh_[next_] = 1;
    next_ += 4096;
  }
  static volatile char* map_fresh() {
    void* const memory = ::mmap(nullptr, kFresh, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) return nullptr;
    (void)::madvise(memory, kFresh, MADV_NOHUGEPAGE);
    return static_cast<volatile char*>(memory);
  }
  static void write_through() {
    const int file = ::open("written", O_CREAT | O_WRONLY | O_TRUNC | O_CLOEXEC, 0600);
    if (file < 0) return;
    const std::array<char, 65536> bytes{};
    (void)!::write(file, bytes.data(), bytes.size());
    (void)::fsync(file);
    (void)::close(file);
  }

  Reason reason_ = Reason::nothing;
  std::int32_t every_ = 50;
  std::int32_t lasts_ms_ = 3;
  std::int32_t injected_ = 0;
  static constexpr std::size_t kFresh = std::size_t{1} << 20;
  volatile char* fresh_ = map_fresh();
  std::size_t next_ = 0;
  void* volatile block_ = nullptr;  // so that no compiler leaves it out
};

/// Its derivative computes for 3 ms once in every so many frames.
class LateInLoop : public tactus::Model {
 public:
  void declare(tactus::Declare& d) override {
    d.parameter("every", every_, "", "frames");
    d.state("x", x_, "1", "what is integrated");
    d.output("rate", rate_, "1", "its derivative");
    d.integrated(x_, rate_);
    d.job<&LateInLoop::derivative>("derivative", tactus::JobClass::derivative);
  }
  void derivative(const tactus::Call& call) {
    if (call.frame == last_ || call.frame < every_ || call.frame % every_ != 0) return;
    last_ = call.frame;
    const Clock::time_point end = Clock::now() + 3ms;
    while (Clock::now() < end) {
    }
  }

 private:
  std::int32_t every_ = 50;
  double x_ = 0, rate_ = 1;
  std::int64_t last_ = -1;
};

/// Its state has 100 MB, which change a little in every frame.
class BigState : public tactus::Model {
 public:
  void declare(tactus::Declare& d) override {
    d.state("grid", *grid_, "", "100 MB");
    d.job<&BigState::step>("step", tactus::JobClass::scheduled);
  }
  void step(const tactus::Call& call) {
    constexpr std::size_t kWrites = 100;
    for (std::size_t i = 0; i < kWrites; ++i)
      (*grid_)[(static_cast<std::size_t>(call.frame) * 7919 + i * 4096) % kDoubles] += 1;
  }

 private:
  static constexpr std::size_t kDoubles = 12'500'000;
  std::unique_ptr<std::array<double, kDoubles>> grid_ = std::make_unique<std::array<double, kDoubles>>();
};

}  // namespace

TACTUS_MODEL("late", LateReason, "is late for one reason")
TACTUS_MODEL("big_state", BigState, "has much to remember")
TACTUS_MODEL("late_in_loop", LateInLoop, "is late while it is integrated")
