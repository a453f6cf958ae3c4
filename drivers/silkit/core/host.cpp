// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <iterator>
#include <utility>

#include "drivers/silkit/core/engine.hpp"

namespace tactus::silkit {
namespace {

constexpr std::size_t kMostSubscriptions = 20'000;  // that one peer causes

}  // namespace

/// Subscribes all peers. Its index is a free one, if it may be used `again`, else a new one.
std::size_t Engine::add_receiver(bool again, std::string_view network, std::string_view type,
                                 Receive receive) {
  std::size_t index = receivers_.size();
  if (again && !free_receivers_.empty()) {
    index = free_receivers_.back();
    free_receivers_.pop_back();
  } else {
    receivers_.emplace_back();
  }
  receivers_[index] = {{index, std::string(network), std::string(type), 1}, std::move(receive)};
  Bytes message;
  encode(message, receivers_[index].subscription);
  for (const auto& [peer, info] : peers_) outbox_.send(peer, message);
  return index;
}

/// Frees the indexes that no peer sends to any more.
void Engine::free_receivers_of(PeerId peer) {
  const auto found = received_from_.extract(peer);
  if (found.empty()) return;
  free_receivers_.insert(free_receivers_.end(), found.mapped().begin(), found.mapped().end());
}

std::size_t Engine::subscribe(Service& service, std::uint64_t tag, std::string_view network,
                              std::string_view type, std::optional<PeerId> until) {
  if (until && received_from_[*until].size() >= kMostSubscriptions)
    throw WireError("it has had more than " + std::to_string(kMostSubscriptions) + " services that match");
  const std::size_t index = add_receiver(
      until.has_value(), network, type, [this, &service, tag](const Sender& from, ByteView body) {
        if (peer(from.peer) != nullptr) service.receive(from, tag, body);  // the registry has no services
      });
  if (until) received_from_[*until].push_back(index);
  Receiver& receiver = receivers_[index];
  for (const auto& [peer, info] : peers_) (until ? receiver.unacknowledged : receiver.unheard).insert(peer);
  return index;
}

const PeerInfo* Engine::peer(PeerId peer) const {
  const auto found = peers_.find(peer);
  return found == peers_.end() ? nullptr : &found->second;
}

bool Engine::awaits_acknowledges() const {
  return std::ranges::any_of(receivers_,
                             [](const Receiver& receiver) { return !receiver.unacknowledged.empty(); });
}

void Engine::call(const char* name, Due due, bool own) {
  Call& made = calls_.emplace_back();
  made.name = name;
  made.due = std::move(due);
  made.own = own;
  if (own) ++own_calls_;
}

/// Services may have calls that come before the handler of a step. True: `step` has been queued after them.
bool Engine::services_begin_step(Call& step) {
  const std::size_t before = calls_.size();
  for (Service* const each : services_) each->step_begins(step.now_ns);
  if (calls_.size() == before) return false;
  std::deque<Call> first(std::move_iterator(calls_.begin() + static_cast<std::ptrdiff_t>(before)),
                         std::move_iterator(calls_.end()));
  calls_.resize(before);
  step.begun = true;
  first.push_back(std::move(step));
  calls_.insert(calls_.begin(), std::move_iterator(first.begin()), std::move_iterator(first.end()));
  return true;
}

std::optional<std::int64_t> Engine::wake_at() const {
  std::optional<std::int64_t> earliest = metrics_at_;
  const auto take = [&](const std::optional<std::int64_t>& at) {
    if (at) earliest = std::min(earliest.value_or(*at), *at);
  };
  take(lifecycle_.wake_at());
  for (const Service* const each : services_) take(each->wake_at());
  return earliest;
}

void Engine::tick() {
  tick_metrics();
  for (Service* const each : services_) each->tick();
  lifecycle_.advance();  // to follow a stop
}

}  // namespace tactus::silkit
