// SPDX-License-Identifier: Apache-2.0
#include "tests/drivers/silkit/core/support/sim_services.hpp"

#include <sstream>
#include <utility>

namespace tactus::silkit::test {
namespace {

constexpr std::int64_t kTimeout = 7;  // virtual ns: a few steps

Bytes service_bytes(const std::string& text) {
  const ByteView view = std::as_bytes(std::span(text.data(), text.size()));
  return {view.begin(), view.end()};
}

/// Up to the first zero: what short Ethernet frames are filled up with.
std::string service_text(ByteView bytes) {
  std::string text;
  for (const std::byte byte : bytes) {
    if (byte == std::byte{0}) break;
    text += static_cast<char>(byte);
  }
  return text;
}

constexpr std::uint8_t kLinNames = 26;

/// Names begin with different letters.
std::uint8_t lin_id(const std::string& name) {
  return static_cast<std::uint8_t>((name.front() - 'A') % kLinNames);
}
LinFrame lin_frame(std::uint8_t id) {
  LinFrame frame{id, LinChecksum::enhanced, 8};
  frame.data.fill(static_cast<std::uint8_t>(id + 1));
  return frame;
}

template <class Event, class Function>
Handler<const Event&> handler_with(Function function) {
  return std::make_shared<const std::function<void(const Event&)>>(std::move(function));
}

}  // namespace

SimServices::SimServices(std::string name, Engine& engine, bool serves, Complain complain,
                         std::function<bool()> gone)
    : name_(std::move(name)), engine_(engine), complain_(std::move(complain)), gone_(std::move(gone)) {
  TopicSpec function;
  function.topic = "double";
  client_ = &engine.rpc().create_client(
      "client", function, handler_with<RpcResult>([this](const RpcResult& result) { take_result(result); }));
  if (serves)
    server_ =
        &engine.rpc().create_server("server", function, handler_with<RpcCall>([this](const RpcCall& call) {
                                      check_there("a call");
                                      waiting_[call.handle] = service_text(call.data);
                                    }));
  constexpr auto kReceived = static_cast<std::uint32_t>(Direction::receive);
  can_ = &engine.can().create("can", "CAN1");
  can_->frames.add(handler_with<CanFrameEvent>(
                       [this](const CanFrameEvent& event) { take_frame("CAN ", event.frame.data); }),
                   kReceived);
  engine.can().set_state(*can_, CanState::started);
  ethernet_ = &engine.ethernet().create("eth", "ETH1");
  ethernet_->frames.add(handler_with<EthernetFrameEvent>(
                            [this](const EthernetFrameEvent& event) { take_frame("Ethernet ", event.raw); }),
                        kReceived);
  engine.ethernet().set_active(*ethernet_, true);
  join_lin(serves);
}

void SimServices::join_lin(bool master) {
  lin_ = &engine_.lin().create("lin", "LIN1");
  lin_->frames.add(handler_with<LinFrameEvent>([this](const LinFrameEvent& event) { take_response(event); }));
  LinControllerConfig config;
  config.mode = master ? LinMode::master : LinMode::slave;
  config.baud_rate = 20'000;
  for (std::uint8_t id = 0; id < kLinNames; ++id) {
    const bool own = !master && id == lin_id(name_);
    LinResponse response{lin_frame(id), own ? LinResponseMode::send : LinResponseMode::receive};
    config.responses.push_back(response);
  }
  engine_.lin().init(*lin_, config);
}

void SimServices::use() {
  const std::string text = name_ + ' ' + std::to_string(sent_);
  calls_[sent_] = {engine_.now_ns(), 0};
  // NOLINTNEXTLINE(performance-no-int-to-ptr): a number for the handler
  engine_.rpc().call(*client_, service_bytes(text), kTimeout, reinterpret_cast<void*>(sent_));
  CanFrame frame;
  frame.id = 1;
  frame.data = service_bytes(text);
  engine_.can().send(*can_, frame, nullptr);
  engine_.ethernet().send(*ethernet_, service_bytes(text), nullptr);
  if (lin_->mode == LinMode::master) {
    const auto id = lin_id(std::string(1, "ABCDX"[sent_ % 5]));
    ++headers_[id];
    engine_.lin().send_header(*lin_, id);
  }
  ++sent_;
}

void SimServices::answer() {
  for (const auto& [handle, text] : std::exchange(waiting_, {}))
    engine_.rpc().submit(*server_, handle, service_bytes("to " + text));
}

void SimServices::check_there(const char* what) {
  if (gone_()) complain_(name_ + " hears of " + what + " though it is gone");
}

void SimServices::take_result(const RpcResult& result) {
  check_there("a result");
  const auto number = reinterpret_cast<std::size_t>(result.user);
  const auto found = calls_.find(number);
  if (found == calls_.end()) return complain_(name_ + " has a result of a call that it never made");
  if (++found->second.results > 1) complain_(name_ + " has two results of call " + std::to_string(number));
  if (result.status != RpcStatus::success) return void(++lost_);
  ++results_;
  const std::string expected = "to " + name_ + ' ' + std::to_string(number);
  if (service_text(result.data) != expected)
    complain_(name_ + " has '" + service_text(result.data) + "' for call " + std::to_string(number));
}

void SimServices::take_frame(const std::string& bus, ByteView data) {
  check_there("a frame");
  std::istringstream text(service_text(data));
  std::string sender;
  std::size_t number = 0;
  if (!(text >> sender >> number) || sender == name_)
    return complain_(name_ + " hears on " + bus + ": '" + service_text(data) + "'");
  const auto [next, first] = next_.try_emplace(bus + sender, number);
  if (next->second != number)
    complain_(name_ + " hears frame " + std::to_string(number) + " of " + sender + " on " + bus + "where " +
              std::to_string(next->second) + " comes next");
  next->second = number + 1;
  ++frames_;
}

void SimServices::take_response(const LinFrameEvent& event) {
  check_there("a LIN frame");
  const std::uint8_t id = event.frame.id;
  const std::string what = "identifier " + std::to_string(id);
  if (lin_->mode == LinMode::master) {
    const auto open = headers_.find(id);
    if (open == headers_.end()) return complain_(name_ + " hears of " + what + " what it has not asked for");
    if (--open->second == 0) headers_.erase(open);
    if (event.status == LinFrameStatus::receive_error) complain_(name_ + ": two have answered " + what);
  }
  if (event.status == LinFrameStatus::sent && id != lin_id(name_))
    complain_(name_ + " has answered " + what + ", which is another's");
  if (event.status != LinFrameStatus::received && event.status != LinFrameStatus::sent) return;
  if (event.frame.data != lin_frame(id).data) complain_(name_ + " hears of " + what + " another's data");
  ++responses_;
}

void SimServices::check_end(std::int64_t now_ns) {
  for (const auto& [number, call] : calls_) {
    // A call from before the first step counts from there: it is not looked at.
    if (call.begun_ns == kNoTime || call.begun_ns + kTimeout > now_ns || call.results == 1) continue;
    complain_(name_ + " has " + std::to_string(call.results) + " results of call " + std::to_string(number) +
              ", which is over");
  }
}

}  // namespace tactus::silkit::test
