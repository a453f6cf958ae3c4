// SPDX-License-Identifier: Apache-2.0
#include "drivers/link/peer_commands.hpp"

#include <algorithm>
#include <utility>

#include "config/json.hpp"
#include "drivers/link/command_call.hpp"
#include "rtsync/joined.hpp"

namespace tactus::drivers::link {
namespace {

constexpr std::int64_t kNoFrame = -1;  // the answer names none
constexpr std::size_t kMostOpen = 4096;

std::string answer_text(std::int64_t frame, const std::string& problem) {
  config::Json text{{"ok", problem.empty()}};
  if (!problem.empty()) text["problem"] = problem;
  if (problem.empty() && frame != kNoFrame) text["frame"] = frame;
  return text.dump(-1, ' ', true, config::Json::error_handler_t::replace);
}

}  // namespace

PeerCommands::PeerCommands(const LinkSettings& settings, const rtsync::Period& frame, Exchange& exchange)
    : functions_(settings.commands),
      frame_(frame),
      frames_per_step_(std::max<std::int64_t>(frames_per_step(settings, frame), 1)),
      timed_(settings.mode != LinkMode::free),
      delivery_(delivery_of(settings)),
      exchange_(exchange) {}

void PeerCommands::serve(executive::LiveRig& rig) {
  const Held held(mutex_);
  rig_ = &rig;
}

void PeerCommands::first_frame(std::int64_t frame) {
  const Held held(mutex_);
  first_frame_ = frame;
}

/// The frame that takes a message of that virtual time; 0: the next one.
std::int64_t PeerCommands::frame_of(std::uint64_t stamp) const {
  const std::int64_t first = exchange_.first_virtual_ns.load(std::memory_order_relaxed);
  if (!timed_ || stamp > INT64_MAX || static_cast<std::int64_t>(stamp) < first) return 0;
  const rtsync::Wide since = (static_cast<std::int64_t>(stamp) - first) * rtsync::Wide{frame_.den()};
  const rtsync::Wide frames = delivery_ == Delivery::timestamp
                                  ? (since + frame_.num() - 1) / frame_.num()
                                  : (since / frame_.num() / frames_per_step_ + 1) * frames_per_step_;
  return static_cast<std::int64_t>(std::min<rtsync::Wide>(first_frame_ + frames, INT64_MAX));
}

void PeerCommands::on_call(std::size_t function, const SilKit_RpcCallEvent* event) noexcept {
  if (event == nullptr || function >= functions_.size()) return;
  try {
    take_call(function, *event);
  } catch (...) {  // out of memory: the caller gets no answer
  }
}

void PeerCommands::take_call(std::size_t function, const SilKit_RpcCallEvent& event) {
  const Held held(mutex_);
  ++counts_.calls;
  const std::uint64_t number = ++numbers_;
  open_.emplace(number, Open{function, event.callHandle, rig_ == nullptr ? 0 : frame_of(event.timestamp)});
  if (rig_ == nullptr) return answer(number, kNoFrame, "the run has ended");
  if (open_.size() > kMostOpen)
    return answer(number, kNoFrame, "too many calls wait for their frames; wait for some of them");
  std::string problem;
  const std::size_t size = event.argumentData.data == nullptr ? 0 : event.argumentData.size;
  auto call = read_call(functions_[function].command, {event.argumentData.data, size}, *rig_, problem);
  if (!call) return answer(number, kNoFrame, problem);
  const std::string who = "link: " + functions_[function].called();
  if (call->at_once) return answer(number, kNoFrame, rig_->give(*call->at_once, who));
  call->batch.who = who;
  call->batch.not_before = open_.at(number).frame;
  if (call->batch.frame) open_.at(number).frame = std::max(*call->batch.frame, open_.at(number).frame);
  const auto done = [this, number](const executive::LiveDone& what) {
    const Held again(mutex_);
    answer(number, what.frame, what.applied ? "" : what.problem);
  };
  problem = rtsync::joined(rig_->write(std::move(call->batch), done), "; ");
  if (!problem.empty()) answer(number, kNoFrame, problem);
}

void PeerCommands::answer(std::uint64_t number, std::int64_t frame, const std::string& problem) {
  const auto found = open_.find(number);
  if (found == open_.end()) return;
  if (!problem.empty()) ++counts_.refused;
  answers_.push_back(
      {found->second.function, found->second.call, found->second.frame, answer_text(frame, problem)});
  open_.erase(found);
  answered_.notify_all();
}

std::optional<PeerCommands::Answer> PeerCommands::answer_before(std::int64_t frame) {
  const Held held(mutex_);
  const auto found =
      std::ranges::find_if(answers_, [&](const Answer& answer) { return answer.frame < frame; });
  if (found == answers_.end()) return std::nullopt;
  std::optional<Answer> oldest = std::move(*found);
  answers_.erase(found);
  return oldest;
}

std::optional<PeerCommands::Answer> PeerCommands::next_answer_up_to(std::int64_t step) {
  Held held(mutex_);
  const std::int64_t frame = frame_after(step);
  held.unlock();
  return answer_before(frame);
}

void PeerCommands::wait_for_answers(std::int64_t step, std::chrono::milliseconds limit) {
  Held held(mutex_);
  answered_.wait_for(held, limit, [&] {
    return std::ranges::none_of(open_,
                                [&](const auto& call) { return call.second.frame < frame_after(step); });
  });
}

PeerCommands::Counts PeerCommands::counts() const {
  const Held held(mutex_);
  return counts_;
}

void PeerCommands::close() {
  const Held held(mutex_);
  rig_ = nullptr;
}

}  // namespace tactus::drivers::link
