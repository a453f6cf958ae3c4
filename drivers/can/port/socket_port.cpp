// SPDX-License-Identifier: Apache-2.0
#include "drivers/can/port/socket_port.hpp"

#include <pthread.h>
#include <sched.h>
#include <time.h>

#include <algorithm>
#include <cerrno>
#include <functional>
#include <utility>

#include "drivers/can/port/thread_name.hpp"

namespace tactus::drivers::can {
namespace {

constexpr std::int64_t kLongestWait = 100'000'000;  // so that the end is seen
constexpr std::int64_t kShortestWait = 20'000;
constexpr std::int64_t kUntilRetry =
    1'000'000;  // a full queue of 12 frames has room again, also in long frames of the rig
constexpr std::int64_t kDefaultPeriod = 1'000'000;  // before the first frame
constexpr std::int64_t kSlower = 256;               // share of a late begin by which the slot follows
constexpr std::int64_t kAwaitedSlots = 10;  // after this number of periods a frame is not looked for any more
constexpr timespec kBetweenLooks{0, 50'000};
constexpr std::int64_t kKernelLate = 250'000;  // by which the kernel sends later than it was told
constexpr int kMostLooks = 40;                 // 2 ms

/// The kernel's number of this thread, without a system call: the clock of its CPU time has it. Unlike a pthread_t it may be
/// asked about when the thread has ended.
pid_t this_thread() TACTUS_RT {
  clockid_t clock = 0;
  if (::pthread_getcpuclockid(::pthread_self(), &clock) != 0) return 0;
  return static_cast<pid_t>(~(clock >> 3));
}

}  // namespace

SocketPort::SocketPort(std::unique_ptr<CanSocket> socket, const SocketPortSettings& settings,
                       bool with_threads)
    : socket_(std::move(socket)),
      settings_(settings),
      lead_(socket_->send_lead()),
      out_(settings.queue),
      from_sender_(kEvents),
      from_receiver_(kEvents) {
  waiting_.reserve(settings.queue);
  if (!with_threads) return;
  try {
    receiver_ = std::thread([this] { run_receiver(); });
    sender_ = std::thread([this] { run_sender(); });
  } catch (...) {
    stop();
    throw;
  }
  name_thread(receiver_, "can-receive");
  name_thread(sender_, "can-send");
}

SocketPort::~SocketPort() { stop(); }

void SocketPort::stop() noexcept {
  stopped_.store(true, std::memory_order_relaxed);
  if (sender_.joinable()) sender_.join();
  if (receiver_.joinable()) receiver_.join();
}

void SocketPort::begin(std::int64_t, std::int64_t period) TACTUS_RT {
  if (frames_thread_.load(std::memory_order_relaxed) == 0)
    frames_thread_.store(this_thread(), std::memory_order_relaxed);
  const std::int64_t now = socket_->now();
  const std::int64_t expected = slot_.load(std::memory_order_relaxed) + period;
  // An early begin is the slot; a late one is late by what a wake-up takes, or by a lost slot.
  const bool is_near = now >= expected && now - expected < period;
  slot_.store(is_near ? expected + (now - expected) / kSlower : now, std::memory_order_relaxed);
  period_.store(period, std::memory_order_release);
}

bool SocketPort::receive(PortEvent& event, bool delayed) TACTUS_RT {
  if (lost_.load(std::memory_order_relaxed) > 0) {
    event = {.kind = PortEvent::Kind::lost, .count = lost_.exchange(0, std::memory_order_relaxed)};
    return true;
  }
  if (refused_.load(std::memory_order_relaxed) != 0) {
    event = {.kind = PortEvent::Kind::not_realtime, .error = refused_.exchange(0, std::memory_order_relaxed)};
    return true;
  }
  if (from_sender_.take(event)) return true;
  const PortEvent* const oldest = from_receiver_.front();
  if (oldest == nullptr || (delayed && oldest->stamp > slot_.load(std::memory_order_relaxed))) return false;
  event = *oldest;
  from_receiver_.pop();
  return true;
}

bool SocketPort::send(const CanFrame& frame, std::uint32_t tag, std::int64_t offset) TACTUS_RT {
  if (closed_.load(std::memory_order_relaxed) || unsent_.load(std::memory_order_relaxed) >= settings_.queue)
    return false;
  unsent_.fetch_add(1, std::memory_order_relaxed);  // before the sender can take it
  if (out_.put({frame, tag, slot_.load(std::memory_order_relaxed) + offset,
                generation_.load(std::memory_order_relaxed), false}))
    return true;
  unsent_.fetch_sub(1, std::memory_order_relaxed);
  return false;
}

void SocketPort::handed() TACTUS_RT {
  handed_.store(slot_.load(std::memory_order_relaxed), std::memory_order_release);
}

int SocketPort::send_at_once(const CanFrame& frame) TACTUS_RT { return socket_->send(frame); }

void SocketPort::discard() TACTUS_RT {
  generation_.fetch_add(1, std::memory_order_seq_cst);
  await_sender();
}

void SocketPort::close() TACTUS_RT {
  closed_.store(true, std::memory_order_seq_cst);
  await_sender();
}

/// The sender may have looked at closed_ and generation_ already, and be about to send. Bounded, as it may be the thread that
/// a signal handler has interrupted.
void SocketPort::await_sender() noexcept {
  for (int i = 0; i < kMostLooks && sending_.load(std::memory_order_seq_cst); ++i)
    (void)::clock_nanosleep(CLOCK_MONOTONIC, 0, &kBetweenLooks, nullptr);
  if (lead_ == 0) return;
  // What the kernel holds goes out first. Not by the clock of the socket: this may be a copy of the process.
  const timespec held{0, static_cast<long>(lead_ + kKernelLate)};
  (void)::clock_nanosleep(CLOCK_MONOTONIC, 0, &held, nullptr);
}

void SocketPort::tell(Ring<PortEvent>& to, const PortEvent& event) noexcept {
  if (!to.put(event)) lost_.fetch_add(1, std::memory_order_relaxed);
}

/// Takes what was handed over, each to its place.
void SocketPort::collect() noexcept {
  Out out;
  while (waiting_.size() < waiting_.capacity() && out_.take(out)) {
    const auto at = std::ranges::lower_bound(waiting_, out.planned, std::greater(), &Out::planned);
    waiting_.insert(at, out);
  }
}

/// Restarts the controller, if the frames have asked for it.
void SocketPort::restart_if_wanted() noexcept {
  if (!restart_wanted_.exchange(false, std::memory_order_relaxed)) return;
  PortEvent event{.error = socket_->restart()};
  if (event.error == 0 || event.error == EBUSY) return;  // EBUSY: it is on the bus already
  event.kind = PortEvent::Kind::restart_failed;
  event.stamp = socket_->now();
  tell(from_sender_, event);
}

std::int64_t SocketPort::step_sender() noexcept {
  restart_if_wanted();
  const std::int64_t known = period_.load(std::memory_order_acquire);
  const std::int64_t period = known > 0 ? known : kDefaultPeriod;
  // In this order, and before it is collected: what a frame has handed over by then is seen.
  const std::int64_t slot = slot_.load(std::memory_order_acquire);
  const bool is_handed = handed_.load(std::memory_order_acquire) >= slot;
  collect();
  std::int64_t planned = std::numeric_limits<std::int64_t>::max();
  while (!waiting_.empty()) {
    Out& next = waiting_.back();
    PortEvent event{.tag = next.tag, .planned = next.planned};
    const std::int64_t now = socket_->now();
    sending_.store(true, std::memory_order_seq_cst);
    const bool is_discarded = closed_.load(std::memory_order_seq_cst) ||
                              next.generation != generation_.load(std::memory_order_seq_cst);
    const bool is_due = next.planned - lead_ <= now;
    const bool is_early = !is_discarded && next.planned > now;
    const int error = !is_due || is_discarded ? 0
                      : is_early              ? socket_->send_at(next.frame, next.planned)
                                              : socket_->send(next.frame);
    sending_.store(false, std::memory_order_seq_cst);
    event.stamp = is_early ? std::max(socket_->now(), next.planned) : socket_->now();
    if (is_discarded) {
      event.kind = PortEvent::Kind::discarded;
    } else if (!is_due) {
      planned = next.planned - lead_;
      break;
    } else if (is_queue_full(error)) {
      event.kind = PortEvent::Kind::full;
      if (!next.was_full) tell(from_sender_, event);
      next.was_full = true;
      if (settings_.retry) return now + std::min(period, kUntilRetry);
      waiting_.pop_back();
      unsent_.fetch_sub(1, std::memory_order_relaxed);
      continue;
    } else {
      event.kind = error == 0 ? PortEvent::Kind::taken : PortEvent::Kind::failed;
      event.error = error;
      if (is_unplugged(error)) is_gone_.store(true, std::memory_order_relaxed);
      if (is_interface_down(error)) sender_saw_down_.store(event.stamp, std::memory_order_relaxed);
    }
    tell(from_sender_, event);
    waiting_.pop_back();
    unsent_.fetch_sub(1, std::memory_order_relaxed);
  }
  const std::int64_t now = socket_->now();
  if (known == 0) return std::min(planned, now + kDefaultPeriod);
  const std::int64_t soon = now + std::max(period / 20, kShortestWait);
  if (!is_handed) return std::min(planned, soon);  // its frames have not come yet
  const std::int64_t usual = settings_.at >= 0 ? settings_.at : period / 2;
  const std::int64_t first =
      slot + period + std::max<std::int64_t>(std::min(usual, settings_.earliest_own) % period - lead_, 0);
  if (first > now) return std::min(planned, first);
  // The next frame is late: it may begin at any time, unless the rig stands.
  return std::min(planned, now - first < kAwaitedSlots * period ? soon : now + period);
}

/// The kernel tells of an interface that goes down once, whoever asks first: that may be the sender.
void SocketPort::take_down_of_sender() noexcept {
  const std::int64_t seen = sender_saw_down_.exchange(kNever, std::memory_order_relaxed);
  if (seen <= heard_at_ || status_.state == BusState::down) return;
  down_since_ = seen;
  status_.state = BusState::down;
  tell(from_receiver_, {.kind = PortEvent::Kind::status, .stamp = seen, .status = status_});
}

void SocketPort::step_receiver(std::int64_t timeout) noexcept {
  if (is_gone_.load(std::memory_order_relaxed) && socket_->rejoin())
    is_gone_.store(false, std::memory_order_relaxed);
  SocketEvent read;
  socket_->receive(read, timeout);
  if (read.is_gone) is_gone_.store(true, std::memory_order_relaxed);
  take_down_of_sender();
  PortEvent event{.stamp = read.stamp};
  if (const std::uint32_t dropped = socket_->dropped(); dropped != dropped_) {
    lost_.fetch_add(dropped - dropped_, std::memory_order_relaxed);
    dropped_ = dropped;
  }
  switch (read.kind) {
    case SocketEvent::Kind::nothing:
      return;
    case SocketEvent::Kind::frame:
      event.kind = PortEvent::Kind::received;
      event.frame = read.frame;
      break;
    case SocketEvent::Kind::echo:
      event.kind = PortEvent::Kind::echo;
      event.frame = read.frame;
      event.tag = PortEvent::kNoTag;
      break;
    case SocketEvent::Kind::restarted:
      event.kind = PortEvent::Kind::restarted;
      tell(from_receiver_, event);
      status_ = {};
      event.kind = PortEvent::Kind::status;
      event.status = status_;
      break;
    case SocketEvent::Kind::overflow:
      lost_.fetch_add(1, std::memory_order_relaxed);
      [[fallthrough]];
    case SocketEvent::Kind::status:
      if (read.has_state) {
        if (read.status.state == BusState::down && status_.state != BusState::down) down_since_ = read.stamp;
        status_.state = read.status.state;
      }
      if (read.has_counters) {
        status_.transmit_errors = read.status.transmit_errors;
        status_.receive_errors = read.status.receive_errors;
      }
      event.kind = PortEvent::Kind::status;
      event.status = status_;
      break;
  }
  const bool is_heard = read.kind == SocketEvent::Kind::frame || read.kind == SocketEvent::Kind::echo;
  if (is_heard) heard_at_ = std::max(heard_at_, read.stamp);
  if (status_.state == BusState::down && is_heard && read.stamp >= down_since_) {  // it is up again
    status_ = {};
    PortEvent up{.kind = PortEvent::Kind::status, .stamp = read.stamp};
    tell(from_receiver_, up);
  }
  tell(from_receiver_, event);
}

/// The class of the thread of the frames, which is known once that has begun. What the kernel refuses stays as it is, and is
/// told.
void SocketPort::take_class() noexcept {
  sched_param parameters{};
  const pid_t thread = frames_thread_.load(std::memory_order_relaxed);
  const int policy = ::sched_getscheduler(thread);
  if (policy < 0 || policy == SCHED_OTHER || ::sched_getparam(thread, &parameters) != 0) return;
  const int error = ::pthread_setschedparam(::pthread_self(), policy, &parameters);
  if (error == 0) return;
  refused_.store(error, std::memory_order_relaxed);
}

/// The body of a thread: makes step after step until the end.
template <class Step>
void SocketPort::run(Step step) {
  bool has_class = false;
  while (!stopped_.load(std::memory_order_relaxed)) {
    if (!has_class && frames_thread_.load(std::memory_order_relaxed) != 0) {
      take_class();
      has_class = true;
    }
    step();
  }
}

void SocketPort::run_sender() {
  run([this] {
    const std::int64_t wanted = step_sender();
    socket_->sleep_until(std::min(wanted, socket_->now() + kLongestWait));
  });
}

void SocketPort::run_receiver() {
  run([this] { step_receiver(kLongestWait); });
}

}  // namespace tactus::drivers::can
