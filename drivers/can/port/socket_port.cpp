// SPDX-License-Identifier: Apache-2.0
#include "drivers/can/port/socket_port.hpp"

#include <sched.h>

#include <algorithm>
#include <cerrno>
#include <utility>

namespace tactus::drivers::can {
namespace {

constexpr std::int64_t kLongestWait = 100'000'000;  // so that the end is seen
constexpr std::int64_t kShortestWait = 20'000;
constexpr std::int64_t kDefaultPeriod = 1'000'000;  // before the first frame
constexpr std::int64_t kSlower = 256;               // share of a late begin by which the slot follows

bool is_full(int error) { return error == ENOBUFS || error == EAGAIN || error == EWOULDBLOCK; }

}  // namespace

SocketPort::SocketPort(std::unique_ptr<CanSocket> socket, const SocketPortSettings& settings,
                       bool with_threads)
    : socket_(std::move(socket)),
      settings_(settings),
      out_(settings.queue),
      from_sender_(kEvents),
      from_receiver_(kEvents) {
  if (!with_threads) return;
  receiver_ = std::thread([this] { run_receiver(); });
  sender_ = std::thread([this] { run_sender(); });
  (void)::pthread_setname_np(receiver_.native_handle(), "can-receive");
  (void)::pthread_setname_np(sender_.native_handle(), "can-send");
}

SocketPort::~SocketPort() {
  stopped_.store(true, std::memory_order_relaxed);
  if (sender_.joinable()) sender_.join();
  if (receiver_.joinable()) receiver_.join();
}

void SocketPort::begin(std::int64_t, std::int64_t period) TACTUS_RT {
  if (!has_frames_thread_.load(std::memory_order_relaxed)) {
    frames_thread_ = ::pthread_self();
    has_frames_thread_.store(true, std::memory_order_release);
  }
  const std::int64_t now = socket_->now();
  const std::int64_t expected = slot_.load(std::memory_order_relaxed) + period;
  // An early begin is the slot; a late one is late by what a wake-up takes, or by a lost slot.
  const bool is_near = now >= expected && now - expected < period;
  slot_.store(is_near ? expected + (now - expected) / kSlower : now, std::memory_order_relaxed);
  period_.store(period, std::memory_order_release);
}

bool SocketPort::receive(PortEvent& event, bool delayed) TACTUS_RT {
  if (lost_.load(std::memory_order_relaxed) > 0) {
    event = {};
    event.kind = PortEvent::Kind::lost;
    event.count = lost_.exchange(0, std::memory_order_relaxed);
    return true;
  }
  if (refused_.load(std::memory_order_relaxed) != 0) {
    event = {};
    event.kind = PortEvent::Kind::not_realtime;
    event.error = refused_.exchange(0, std::memory_order_relaxed);
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
  if (closed_.load(std::memory_order_relaxed)) return false;
  return out_.put({frame, tag, slot_.load(std::memory_order_relaxed) + offset, false});
}

void SocketPort::handed() TACTUS_RT {
  handed_.store(slot_.load(std::memory_order_relaxed), std::memory_order_release);
}

bool SocketPort::send_at_once(const CanFrame& frame) TACTUS_RT { return socket_->send(frame) == 0; }

void SocketPort::tell(Ring<PortEvent>& to, const PortEvent& event) noexcept {
  if (!to.put(event)) lost_.fetch_add(1, std::memory_order_relaxed);
}

std::int64_t SocketPort::step_sender() noexcept {
  const std::int64_t known = period_.load(std::memory_order_acquire);
  const std::int64_t period = known > 0 ? known : kDefaultPeriod;
  while (Out* const next = out_.front()) {
    const std::int64_t now = socket_->now();
    if (closed_.load(std::memory_order_relaxed)) {
      out_.pop();
      continue;
    }
    if (next->planned > now) return next->planned;
    PortEvent event;
    event.tag = next->tag;
    event.planned = next->planned;
    const int error = socket_->send(next->frame);
    event.stamp = socket_->now();
    if (is_full(error)) {
      event.kind = PortEvent::Kind::full;
      if (!next->was_full) tell(from_sender_, event);
      next->was_full = true;
      if (settings_.retry) return now + period;
      out_.pop();
      continue;
    }
    event.kind = error == 0 ? PortEvent::Kind::taken : PortEvent::Kind::failed;
    event.error = error;
    tell(from_sender_, event);
    out_.pop();
  }
  const std::int64_t now = socket_->now();
  const std::int64_t slot = slot_.load(std::memory_order_relaxed);
  if (known == 0) return now + kDefaultPeriod;
  if (handed_.load(std::memory_order_acquire) < slot)  // its frames have not come yet
    return now + std::max(period / 20, kShortestWait);
  const std::int64_t next = slot + period + (settings_.at > 0 ? settings_.at % period : period / 2);
  return next > now ? next : now + period;
}

void SocketPort::step_receiver(std::int64_t timeout) noexcept {
  SocketEvent read;
  socket_->receive(read, timeout);
  PortEvent event;
  event.stamp = read.stamp;
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
      if (read.has_state) status_.state = read.status.state;
      if (read.has_counters) {
        status_.transmit_errors = read.status.transmit_errors;
        status_.receive_errors = read.status.receive_errors;
      }
      event.kind = PortEvent::Kind::status;
      event.status = status_;
      break;
  }
  if (status_.state == BusState::down && read.kind == SocketEvent::Kind::frame) {  // it is up again
    status_ = {};
    PortEvent up;
    up.kind = PortEvent::Kind::status;
    up.stamp = read.stamp;
    tell(from_receiver_, up);
  }
  tell(from_receiver_, event);
}

/// The class of the thread of the frames, which is known once that has begun. What the kernel refuses stays as it is, and is
/// told.
void SocketPort::take_class() noexcept {
  int policy = SCHED_OTHER;
  sched_param parameters{};
  if (::pthread_getschedparam(frames_thread_, &policy, &parameters) != 0 || policy == SCHED_OTHER) return;
  const int error = ::pthread_setschedparam(::pthread_self(), policy, &parameters);
  if (error == 0) return;
  refused_.store(error, std::memory_order_relaxed);
}

void SocketPort::run_sender() {
  bool has_class = false;
  while (!stopped_.load(std::memory_order_relaxed)) {
    if (!has_class && has_frames_thread_.load(std::memory_order_acquire)) {
      take_class();
      has_class = true;
    }
    const std::int64_t wanted = step_sender();
    socket_->sleep_until(std::min(wanted, socket_->now() + kLongestWait));
  }
}

void SocketPort::run_receiver() {
  bool has_class = false;
  while (!stopped_.load(std::memory_order_relaxed)) {
    if (!has_class && has_frames_thread_.load(std::memory_order_acquire)) {
      take_class();
      has_class = true;
    }
    step_receiver(kLongestWait);
  }
}

}  // namespace tactus::drivers::can
