// A clock of frames. This one is a timer of the kernel. Put your own device in its place: what it must do is to wait for
// an edge, and to say when the edge came.
#include <poll.h>
#include <sys/timerfd.h>
#include <tactus/clock_driver.hpp>
#include <time.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <string>

namespace {

using namespace std::chrono_literals;

std::int64_t now_ns() {
  timespec now{};
  (void)::clock_gettime(CLOCK_MONOTONIC, &now);
  return std::int64_t{now.tv_sec} * 1'000'000'000 + now.tv_nsec;
}

timespec time_of_ns(std::int64_t ns) { return {ns / 1'000'000'000, ns % 1'000'000'000}; }

class @CLASS@ final : public tactus::ClockDriver {
 public:
  ~@CLASS@() override {
    if (fd_ >= 0) (void)::close(fd_);
  }

  void keys(tactus::Keys& k) override { k.time("every", every_, {10us, 10s}, "time between two edges"); }

  void open(const tactus::OpenRequest&) override {
    fd_ = ::timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK);
    next_ns_ = now_ns() + every_.count();
    const itimerspec times{time_of_ns(every_.count()), time_of_ns(next_ns_)};
    if (fd_ < 0 || ::timerfd_settime(fd_, TFD_TIMER_ABSTIME, &times, nullptr) != 0)
      throw std::runtime_error(std::string("no timer: ") + std::strerror(errno));
  }

  /// On the thread of the frames: no memory from the heap, no lock; system calls to wait and to read alone.
  tactus::Edges wait(std::int64_t deadline_ns, std::span<std::int64_t> stamps) noexcept override {
    for (;;) {
      const std::int64_t left = std::max<std::int64_t>(deadline_ns - now_ns(), 0);
      const timespec time = time_of_ns(left);
      pollfd polled{fd_, POLLIN, 0};
      const int ready = ::ppoll(&polled, 1, &time, nullptr);
      if (ready < 0 && errno == EINTR) continue;  // a signal does not end the wait
      if (ready < 0) return {TACTUS_CLOCK_GONE, 0, false, errno};
      std::uint64_t edges = 0;
      if (ready == 0) return {};
      if (::read(fd_, &edges, sizeof edges) != sizeof edges) {
        if (errno == EINTR || errno == EAGAIN) continue;
        return {TACTUS_CLOCK_GONE, 0, false, errno};
      }
      tactus::Edges got{TACTUS_EDGES, 0, edges > stamps.size(), 0};
      for (; edges > 0; --edges, next_ns_ += every_.count())
        if (got.count < stamps.size()) stamps[got.count++] = next_ns_;
      return got;
    }
  }

  std::string what() const override { return "a timer of the kernel"; }

 private:
  std::chrono::nanoseconds every_{1ms};
  int fd_ = -1;
  std::int64_t next_ns_ = 0;
};

}  // namespace

TACTUS_CLOCK_DRIVER("@NAME@", @CLASS@, "A timer of the kernel clocks the frames.")
