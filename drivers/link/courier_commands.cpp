// SPDX-License-Identifier: Apache-2.0
#include "drivers/link/courier_calls.hpp"

// What the courier has to do with commands of peers.
namespace tactus::drivers::link {
namespace {

SilKit_ByteVector bytes_of(const PeerCommands::Answer& answer) {
  return {reinterpret_cast<const std::uint8_t*>(answer.text.data()), answer.text.size()};
}

}  // namespace

void Courier::create_functions() {
  for (Context<PeerCommands>& each : functions_) {
    const CommandSettings& settings = ledger_.settings.commands[each.index];
    std::vector<SilKit_Label> labels = labels_of(settings.labels);
    SilKit_RpcSpec spec = tactus_silkit_RpcSpec();
    spec.functionName = settings.called().c_str();
    spec.mediaType = media_type_of(Encoding::json);
    spec.labelList = {labels.size(), labels.data()};
    SilKit_RpcServer* server = nullptr;
    must(api_->RpcServer_Create, &server, participant_, settings.name.c_str(), &spec,
         static_cast<void*>(&each), kTellsOf<&PeerCommands::on_call, PeerCommands>);
    servers_.push_back(server);
  }
}

/// Answers calls where no step comes. SIL Kit 5.0.7 does not tolerate an answer from here while another call
/// comes in.
void Courier::answer_calls() {
  const bool steps = timed_ && exchange_.federation.load(std::memory_order_relaxed) == Federation::running &&
                     !exchange_.frozen.load(std::memory_order_relaxed);
  if (!servers_.empty() && !steps) answer_all();
}

void Courier::answer_all() {
  while (const auto answer = commands_.next_answer()) {
    const SilKit_ByteVector data = bytes_of(*answer);
    (void)call(api_->RpcServer_SubmitResult, servers_[answer->function], answer->call, &data);
  }
}

/// Handles a step on the library's thread. If nothing is in real time an answer goes out in the same step
/// each time: the one after its frame.
void Courier::on_step(SilKit_NanosecondsTime now, SilKit_NanosecondsTime duration) noexcept {
  // The frames of a step take as long as was asked for: in a shorter one the rig would run ahead of its peers.
  if (duration > 0 && duration < static_cast<SilKit_NanosecondsTime>(step_.count()))
    return ledger_.abort_rig("the step at virtual time " + std::to_string(now) + " ns was shortened to " +
                             std::to_string(duration) + " ns, and a step of this rig is " +
                             std::to_string(step_.count()) +
                             " ns; write 'Experimental: { TimeSynchronization: { DynamicSimulationStep: "
                             "false } }' into the file of link.configuration");
  const bool follows = ledger_.settings.mode == LinkMode::follow;
  if (!follows) ledger_.on_step(now, duration);
  const std::optional<std::int64_t> last = ledger_.last_step();
  while (last && !servers_.empty()) {
    const auto answer = follows ? commands_.next_answer_up_to(*last) : commands_.next_answer();
    if (!answer) break;
    const SilKit_ByteVector data = bytes_of(*answer);
    (void)api_->RpcServer_SubmitResult.address(servers_[answer->function], answer->call, &data);
  }
  if (follows) ledger_.on_step(now, duration);
}

}  // namespace tactus::drivers::link
