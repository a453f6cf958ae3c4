// SPDX-License-Identifier: Apache-2.0
#include "drivers/can/port/simulated_bus.hpp"

#include <algorithm>
#include <cerrno>
#include <limits>
#include <map>
#include <mutex>
#include <stdexcept>
#include <utility>

namespace tactus::drivers::can {
namespace {

constexpr std::int64_t kErrorBits = 23;  // flags of two stations, delimiter, and the pause after it
constexpr unsigned kMostReceiveErrors = 128;
constexpr std::int64_t kNever = std::numeric_limits<std::int64_t>::max();

}  // namespace

std::shared_ptr<SimulatedBus> SimulatedBus::named(const std::string& name, const BitRates& rates) {
  static std::mutex mutex;
  static std::map<std::string, std::weak_ptr<SimulatedBus>> all;
  const std::scoped_lock lock(mutex);
  std::shared_ptr<SimulatedBus> bus = all[name].lock();
  if (bus == nullptr) {
    bus = std::make_shared<SimulatedBus>(rates);
    all[name] = bus;
  }
  return bus;
}

SimulatedBus::SimulatedBus(const BitRates& rates) : rates_(rates), times_(rates) {}

std::unique_ptr<SimulatedPort> SimulatedBus::join(const BitRates& rates, std::size_t queue) {
  if (rates.nominal != rates_.nominal || rates.data != rates_.data)
    throw std::runtime_error(
        "its bit rate is " + std::to_string(rates.nominal) + " bit/s, data " + std::to_string(rates.data) +
        " bit/s, and another model on this simulated bus has " + std::to_string(rates_.nominal) + " and " +
        std::to_string(rates_.data) + ": give all the same bit_rate and data_bit_rate");
  auto port = std::make_unique<SimulatedPort>(shared_from_this(), std::min(queue, kMostWaiting));
  ports_.push_back(port.get());
  waiting_.reserve(ports_.size() * (2 * kMostWaiting));
  return port;
}

void SimulatedBus::leave(SimulatedPort* port) {
  std::erase(ports_, port);
  std::erase_if(waiting_, [&](const Waiting& each) { return each.from == port; });
}

std::uint64_t SimulatedBus::rank(const CanFrame& frame) TACTUS_RT {
  return frame.extended ? std::uint64_t{frame.id} << 1U | 1U : std::uint64_t{frame.id} << 19U;
}

/// Forgets what a station has handed over. `tell`: it hears of each.
void SimulatedBus::forget(SimulatedPort* port, bool tell) TACTUS_RT {
  PortEvent event{.kind = PortEvent::Kind::discarded, .stamp = now_};
  std::size_t kept = 0;
  for (const Waiting& each : waiting_) {
    if (each.from != port) {
      waiting_[kept++] = each;
      continue;
    }
    port->unsent_.fetch_sub(1, std::memory_order_relaxed);
    event.tag = each.tag;
    if (tell && each.tag != PortEvent::kNoTag) port->put(event);
  }
  waiting_.erase(waiting_.begin() + static_cast<std::ptrdiff_t>(kept), waiting_.end());
}

/// Forgets what is on its way from a station and to it. The station hears the state of its controller again.
void SimulatedBus::forget_all(SimulatedPort* port) TACTUS_RT {
  if (busy_.test_and_set(std::memory_order_acquire)) return;
  forget(port, false);
  for (; port->outbox_.front() != nullptr; port->outbox_.pop())
    port->unsent_.fetch_sub(1, std::memory_order_relaxed);
  while (port->inbox_.front() != nullptr) port->inbox_.pop();
  port->lost_ = 0;
  port->put({.kind = PortEvent::Kind::status, .stamp = now_, .status = port->status_});
  busy_.clear(std::memory_order_release);
}

void SimulatedBus::drop_and_restart() TACTUS_RT {
  for (SimulatedPort* const port : ports_) {
    const bool is_off = port->off_until_ >= 0;
    if (port->is_to_restart_.exchange(false, std::memory_order_relaxed) && port->off_until_ == kNever)
      port->off_until_ = now_ + recovery();
    if (port->is_to_drop_.exchange(false, std::memory_order_relaxed) || is_off) forget(port, true);
    if (!is_off || port->off_until_ > now_) continue;
    port->put({.kind = PortEvent::Kind::restarted, .stamp = port->off_until_});
    port->set_counters(0, 0, std::exchange(port->off_until_, -1));
  }
}

/// An error frame destroys a frame: the sender and all receivers count it.
void SimulatedBus::destroy(Waiting& frame, std::int64_t end) TACTUS_RT {
  SimulatedPort* const from = frame.from;
  for (SimulatedPort* const port : ports_)
    if (frame.destroyed < port->errors_in_force_) port->made_errors_.fetch_add(1, std::memory_order_relaxed);
  ++frame.destroyed;
  has_counters_ = true;
  for (SimulatedPort* const port : ports_)
    if (port != from && port->off_until_ < 0)
      port->set_counters(port->status_.transmit_errors,
                         std::min(port->status_.receive_errors + 1, kMostReceiveErrors), end);
  from->set_counters(from->status_.transmit_errors + 8, from->status_.receive_errors, end);
  if (from->status_.state != BusState::bus_off) return;
  from->off_until_ = from->waits_for_restart_ ? kNever : end + recovery();
  forget(from, true);
}

void SimulatedBus::came_through(const Waiting& sent, std::int64_t end) TACTUS_RT {
  if (!has_counters_) return;
  has_counters_ = false;
  for (SimulatedPort* const port : ports_) {
    if (port->off_until_ >= 0) continue;
    const auto less = [](unsigned count) TACTUS_RT { return count > 0 ? count - 1 : 0; };
    const BusStatus& is = port->status_;
    if (port == sent.from)
      port->set_counters(less(is.transmit_errors), is.receive_errors, end);
    else
      port->set_counters(is.transmit_errors, less(is.receive_errors), end);
    has_counters_ = has_counters_ || is.transmit_errors > 0 || is.receive_errors > 0;
  }
}

void SimulatedPort::set_counters(unsigned transmit, unsigned receive, std::int64_t stamp) TACTUS_RT {
  if (transmit == status_.transmit_errors && receive == status_.receive_errors) return;
  const unsigned most = std::max(transmit, receive);
  status_.transmit_errors = transmit;
  status_.receive_errors = receive;
  status_.state = transmit > 255 ? BusState::bus_off
                  : most > 127   ? BusState::passive
                  : most > 95    ? BusState::warning
                                 : BusState::active;
  put({.kind = PortEvent::Kind::status, .stamp = stamp, .status = status_});
}

void SimulatedBus::collect() TACTUS_RT {
  for (SimulatedPort* const port : ports_)
    while (Waiting* const oldest = port->outbox_.front()) {
      if (waiting_.size() == waiting_.capacity()) return;
      waiting_.push_back(*oldest);
      port->outbox_.pop();
    }
}

void SimulatedBus::deliver(const Waiting& sent, std::int64_t end) TACTUS_RT {
  PortEvent event{.stamp = end, .frame = sent.frame};
  for (SimulatedPort* const port : ports_) {
    const bool own = port == sent.from;
    if ((own && sent.tag == PortEvent::kNoTag) || port->off_until_ >= 0) continue;
    event.kind = own ? PortEvent::Kind::taken : PortEvent::Kind::received;
    event.tag = own ? sent.tag : 0;
    event.planned = own ? sent.ready : 0;
    if (own) {
      event.stamp = sent.ready;
      port->put(event);
      event.kind = PortEvent::Kind::echo;
      event.stamp = end;
    }
    port->put(event);
  }
}

void SimulatedBus::advance(std::int64_t now, bool is_back) TACTUS_RT {
  if (busy_.test_and_set(std::memory_order_acquire)) return;
  collect();
  is_back = is_back && now < now_;  // the first station that goes back takes the bus along
  if (is_back) {
    for (const Waiting& each : waiting_) each.from->unsent_.fetch_sub(1, std::memory_order_relaxed);
    waiting_.clear();
    for (SimulatedPort* const port : ports_) {
      while (port->inbox_.front() != nullptr) port->inbox_.pop();
      port->off_until_ = -1;
      port->set_counters(0, 0, now);
    }
    free_ = now;
  }
  now_ = is_back ? now : std::max(now_, now);  // a station on a thread of its own may be behind the others
  drop_and_restart();
  while (!waiting_.empty()) {
    std::int64_t earliest = std::numeric_limits<std::int64_t>::max();
    for (const Waiting& each : waiting_) earliest = std::min(earliest, each.ready);
    const std::int64_t begin = std::max(free_, earliest);
    auto next = waiting_.end();
    for (auto each = waiting_.begin(); each != waiting_.end(); ++each)
      if (each->ready <= begin && (next == waiting_.end() || rank(each->frame) < rank(next->frame)))
        next = each;
    const bool is_destroyed = next->destroyed < errors_in_force_.load(std::memory_order_relaxed);
    const std::int64_t end =
        begin + times_.of(next->frame) + (is_destroyed ? kErrorBits * 1'000'000'000 / rates_.nominal : 0);
    if (end > now_) break;
    if (is_destroyed) {
      free_ = end;
      destroy(*next, end);  // may erase it
      continue;
    }
    deliver(*next, end);
    came_through(*next, end);
    next->from->unsent_.fetch_sub(1, std::memory_order_relaxed);
    free_ = end;
    waiting_.erase(next);
  }
  unsigned most = 0;
  for (SimulatedPort* const port : ports_) {
    port->errors_in_force_ = port->errors_.load(std::memory_order_relaxed);
    most = std::max(most, port->errors_in_force_);
  }
  errors_in_force_.store(most, std::memory_order_relaxed);  // of what is sent from now on
  busy_.clear(std::memory_order_release);
}

SimulatedPort::SimulatedPort(std::shared_ptr<SimulatedBus> bus, std::size_t queue)
    : bus_(std::move(bus)), queue_(queue), outbox_(2 * SimulatedBus::kMostWaiting), inbox_(kInbox) {}

SimulatedPort::~SimulatedPort() { bus_->leave(this); }

void SimulatedPort::begin(std::int64_t sim_time, std::int64_t) TACTUS_RT {
  const bool is_back = sim_time < now_;
  now_ = sim_time;
  bus_->advance(sim_time, is_back);
}

bool SimulatedPort::receive(PortEvent& event, bool) TACTUS_RT {
  if (lost_ > 0) {
    event = {.kind = PortEvent::Kind::lost, .stamp = now_, .count = std::exchange(lost_, 0)};
    return true;
  }
  return inbox_.take(event);
}

bool SimulatedPort::send(const CanFrame& frame, std::uint32_t tag, std::int64_t offset) TACTUS_RT {
  if (closed_.load(std::memory_order_relaxed) || unsent_.load(std::memory_order_relaxed) >= queue_)
    return false;
  if (!outbox_.put({frame, tag, now_ + offset, this})) return false;
  unsent_.fetch_add(1, std::memory_order_relaxed);
  return true;
}

int SimulatedPort::send_at_once(const CanFrame& frame) TACTUS_RT {
  if (!outbox_.put({frame, PortEvent::kNoTag, now_, this})) return ENOBUFS;
  unsent_.fetch_add(1, std::memory_order_relaxed);
  return 0;
}

}  // namespace tactus::drivers::can
