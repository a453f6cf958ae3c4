// SPDX-License-Identifier: Apache-2.0
#pragma once
/// Edges of which nothing is real: a stream with everything that may be wrong with one, a line that buffers
/// them as the kernel does, and a time that stands still unless somebody waits.
#include <algorithm>
#include <array>
#include <cerrno>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <optional>
#include <random>
#include <span>
#include <string>

#include "rtsync/clock/edge_clock.hpp"
#include "rtsync/clock/edge_source.hpp"
#include "rtsync/wait/edge_sleeper.hpp"
#include "rtsync/wait/sleeper.hpp"

namespace tactus::rtsync {

using Mono = TimePoint<MonotonicTime>;

/// CLOCK_MONOTONIC of the test, which moves it. One per thread, since EdgeClock reads it through a function.
struct SimKernel {
  static constexpr Mono kStart{Nanoseconds{1'000'000'000'123}};
  static inline thread_local Mono now = kStart;
  static Mono read() { return now; }
  static void pass_to(Mono t) { now = std::max(now, t); }
  static void pass(Nanoseconds by) { now += by; }
};

/// What a stream of edges is like. Shares are per edge, 0 .. 1.
struct EdgeStream {
  Period period{1'000'000, 1};
  double slower = 0;      ///< the true period is (1 + slower) times the nominal one
  Nanoseconds jitter{0};  ///< each stamp is off by up to this, either way, uniformly
  double dropped = 0;     ///< share that does not come
  double doubled = 0;     ///< share that comes twice, within 1 % of a period
  double glitches = 0;    ///< share that is followed by a glitch, 12 .. 40 % of a period later
  unsigned seed = 1;
};

/// Makes the time stamps of a stream, in order. The k-th edge is ideally at start + k * true period (+
/// jumps).
///
/// RT  next(): so that a test may count the heap calls of what it feeds.
class SimEdges {
 public:
  explicit SimEdges(const EdgeStream& stream, Mono start = SimKernel::kStart)
      : stream_(stream), start_(start), random_(stream.seed) {}

  /// The next stamp; it stays the next one until pop().
  Mono next() {
    while (count_ == 0 || (count_ < 4 && queue_[0] >= ideal(index_) - stream_.jitter)) make();
    return queue_[0];
  }
  void pop() {
    std::copy(queue_.begin() + 1, queue_.begin() + static_cast<std::ptrdiff_t>(count_), queue_.begin());
    --count_;
    ++fed_;
  }
  Mono take() {
    const Mono stamp = next();
    pop();
    return stamp;
  }

  /// All edges from the next one on are later by so much (earlier, if negative).
  void jump(Nanoseconds by) { jump_ += by; }
  /// The next so many edges do not come.
  void gap(std::int64_t edges) { gap_ = edges; }
  /// The next edge alone is off by so much.
  void disturb(Nanoseconds by) { disturbance_ = by; }
  /// A glitch so long after the next edge.
  void glitch(Nanoseconds after) { extra_ = after; }
  /// From the next edge on, the true period is (1 + slower) times the nominal one.
  void set_slower(double slower) {
    start_ = ideal(index_) - jump_;
    origin_ = index_;
    stream_.slower = slower;
  }

  Mono ideal(std::int64_t k) const {
    const Nanoseconds nominal = stream_.period.times(k - origin_);
    const double drift = static_cast<double>(nominal.count()) * stream_.slower;
    return start_ + nominal + Nanoseconds{std::llround(drift)} + jump_;
  }
  std::int64_t made() const { return index_; }  ///< edges made or left out, without glitches and doubles
  std::int64_t left_out() const { return left_out_; }
  std::int64_t extras() const { return extras_; }  ///< glitches and doubles
  std::int64_t fed() const { return fed_; }        ///< stamps taken

 private:
  double uniform(double from, double to) { return std::uniform_real_distribution<double>{from, to}(random_); }
  Nanoseconds part(double from, double to) {
    return Nanoseconds{std::llround(uniform(from, to) * stream_.period.seconds() * 1e9)};
  }
  void put(Mono stamp) {
    std::size_t i = count_++;
    for (; i > 0 && queue_[i - 1] > stamp; --i) queue_[i] = queue_[i - 1];
    queue_[i] = stamp;
  }
  void make() {
    Mono stamp = ideal(index_++) + disturbance_;
    disturbance_ = Nanoseconds{0};
    if (stream_.jitter > Nanoseconds{0})
      stamp += Nanoseconds{std::llround(uniform(-1, 1) * static_cast<double>(stream_.jitter.count()))};
    if (gap_ > 0 || (stream_.dropped > 0 && uniform(0, 1) < stream_.dropped)) {
      gap_ = std::max<std::int64_t>(0, gap_ - 1);
      ++left_out_;
      return;
    }
    put(stamp);
    if (extra_ > Nanoseconds{0}) put(stamp + extra_), ++extras_;
    extra_ = Nanoseconds{0};
    if (stream_.doubled > 0 && uniform(0, 1) < stream_.doubled) put(stamp + part(0, 0.01)), ++extras_;
    if (stream_.glitches > 0 && uniform(0, 1) < stream_.glitches) put(stamp + part(0.12, 0.4)), ++extras_;
  }

  EdgeStream stream_;
  Mono start_;
  std::mt19937 random_;
  std::int64_t origin_ = 0;
  std::int64_t index_ = 0;
  Nanoseconds jump_{0};
  Nanoseconds disturbance_{0};
  Nanoseconds extra_{0};
  std::int64_t gap_ = 0;
  std::int64_t left_out_ = 0;
  std::int64_t extras_ = 0;
  std::int64_t fed_ = 0;
  std::array<Mono, 8> queue_{};
  std::size_t count_ = 0;
};

/// A line on simulated time: its edges go through a buffer as small as the kernel's, and waiting moves the
/// time.
class SimEdgeSource final : public EdgeSource {
 public:
  static constexpr std::size_t kKernelBuffer = 16;

  explicit SimEdgeSource(const EdgeStream& stream, Mono start = SimKernel::kStart) : edges{stream, start} {}

  EdgeRead wait(Mono deadline, std::span<Mono> into) TACTUS_RT override {
    const EdgeRead read = read_line(deadline, into);
    if (stall_after-- == 0) SimKernel::pass(stall);
    return read;
  }
  std::string what() const override { return "simchip line 3, rising"; }

  SimEdges edges;
  Nanoseconds latency{3'000};     ///< from an edge to the thread that waits for it
  Nanoseconds stall{0};           ///< the reader stands still so long ...
  std::int64_t stall_after = -1;  ///< ... after so many readings more
  bool gone = false;
  bool silent = false;
  bool oscillates = false;
  std::int64_t lost = 0;
  std::int64_t reads = 0;
  Sleeper* interrupts = nullptr;  ///< is interrupted by a wait that ends at or after ...
  Mono interrupts_at{};           ///< ... this

 private:
  EdgeRead read_line(Mono deadline, std::span<Mono> into) TACTUS_RT {
    ++reads;
    if (gone) return {EdgeStatus::gone, 0, false, ENODEV};
    if (oscillates) {  // faster than anybody reads: the buffer is always full
      for (Mono& stamp : into) stamp = SimKernel::now += Nanoseconds{100};
      return {EdgeStatus::edges, into.size(), false, 0};
    }
    if (!silent && count_ == 0 && edges.next() > SimKernel::now && edges.next() <= deadline)
      SimKernel::pass_to(edges.next() + latency);
    EdgeRead read;
    while (!silent && edges.next() <= SimKernel::now) {
      const Mono stamp = edges.take();
      if (count_ == kKernelBuffer) {
        read.overflowed = true;
        ++lost;
      } else {
        buffer_[count_++] = stamp;
      }
    }
    if (count_ == 0) {
      SimKernel::pass_to(deadline);
      if (interrupts != nullptr && SimKernel::now >= interrupts_at) interrupts->interrupt();
      return read;
    }
    read.status = EdgeStatus::edges;
    read.count = std::min(count_, into.size());
    std::copy_n(buffer_.begin(), read.count, into.begin());
    std::copy(buffer_.begin() + static_cast<std::ptrdiff_t>(read.count),
              buffer_.begin() + static_cast<std::ptrdiff_t>(count_), buffer_.begin());
    count_ -= read.count;
    return read;
  }

  std::array<Mono, kKernelBuffer> buffer_{};
  std::size_t count_ = 0;
};

/// A sleeper that moves the simulated kernel's time to the slot.
class SimKernelSleeper final : public Sleeper {
 public:
  using Sleeper::Sleeper;
  void prepare(Period) override { ++prepared; }
  WaitResult wait_until(TimePoint<RigTime> slot) TACTUS_RT override {
    ++waits;
    if (interrupted()) return {WaitStatus::interrupted, clock_.now()};
    if (broken) return {WaitStatus::source_lost, clock_.now()};
    SimKernel::pass_to(clock_.to_monotonic(slot) + latency);
    return {WaitStatus::reached, clock_.now()};
  }
  WaitResult rest_until(TimePoint<RigTime> slot) TACTUS_RT override {
    ++rests;
    --waits;
    return wait_until(slot);
  }
  const char* name() const TACTUS_RT override { return "sim"; }
  std::string remark() const override { return "simulated"; }
  double share_spun(Period) const override { return 0.25; }

  Nanoseconds latency{2'000};
  bool broken = false;
  std::int64_t waits = 0;
  std::int64_t rests = 0;
  std::int64_t prepared = 0;
};

/// A clock, its line and its sleepers, on simulated time.
struct SimEdgeRig {
  explicit SimEdgeRig(const EdgeClockSettings& settings = {}, const EdgeStream& stream = {})
      : source(of(settings, stream), start() + Nanoseconds{400'000}),
        clock(settings, status, &SimKernel::read) {}

  WaitStatus begin() {
    sleeper.prepare(clock.settings().frame);
    WaitStatus begun = WaitStatus::not_yet;
    while (begun == WaitStatus::not_yet) begun = sleeper.begin().status;
    slot = clock.frame_start(clock.now());
    return begun;
  }
  /// Works for so long, then waits for the next slot.
  WaitResult frame(Nanoseconds work = Nanoseconds{100'000}) {
    SimKernel::pass(work);
    const WaitResult result = sleeper.wait_until(slot);
    waited_for = slot;
    slot += clock.settings().frame.floor();
    return result;
  }

  EdgeClockStatus status;
  SimEdgeSource source;
  EdgeClock clock;
  SimKernelSleeper inner{clock};
  EdgeSleeper sleeper{clock, source, inner};
  TimePoint<RigTime> slot{};
  TimePoint<RigTime> waited_for{};

 private:
  static EdgeStream of(const EdgeClockSettings& settings, EdgeStream stream) {
    stream.period = settings.edge_period();
    return stream;
  }
  static Mono start() { return SimKernel::now = SimKernel::kStart; }
};

/// TACTUS_TEST_SEED, to see a random failure again.
inline std::optional<unsigned> given_seed() {
  const char* given = std::getenv("TACTUS_TEST_SEED");  // NOLINT(concurrency-mt-unsafe): nobody sets it
  if (given == nullptr) return std::nullopt;
  return static_cast<unsigned>(std::strtoul(given, nullptr, 10));
}
/// Another one each time: for what must hold whatever the edges do.
inline unsigned any_seed() { return given_seed().value_or(std::random_device{}()); }
/// The same each time: for what holds but for one stream in a million.
inline unsigned same_seed() { return given_seed().value_or(20'000); }

}  // namespace tactus::rtsync
