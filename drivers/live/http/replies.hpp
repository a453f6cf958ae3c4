// SPDX-License-Identifier: Apache-2.0
#pragma once
/// Replies that several resources give.
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "drivers/live/http/routes.hpp"

namespace tactus::drivers::live_http {

Reply good(Json body);
/// A read that is wrong.
Reply wrong(const std::vector<std::string>& problems);
/// Something that was to be done, and was not.
Reply not_done(int status, const std::vector<std::string>& problems);
/// One problem, or how many there are; `then`: what became of it.
Reply failed(int status, const std::vector<std::string>& problems, const std::string& then);
Reply over();
/// The reply has come.
inline std::nullopt_t reply_now(const Respond& respond, Reply reply) {
  respond(std::move(reply));
  return std::nullopt;
}

std::string state_text(executive::State state);
std::string date_of(const executive::LiveFacts& facts, std::int64_t sim_time_ns);
/// Adds "frame", the last one that was run; before the first there is no such key.
void put_frame(Json& body, std::int64_t frame);
/// {"frame", "sim_time_ns", "date", "state"}.
Json frame_json(const executive::LiveRig& rig, const executive::LiveSnapshot& snapshot);
Json value_json(const executive::LiveRig& rig, const executive::LiveRef& ref, const std::byte* data);
/// Outputs that the rig drives outside; with the values of a snapshot, or none.
Json outputs_json(const executive::LiveRig& rig, const executive::LiveSnapshot* snapshot);

}  // namespace tactus::drivers::live_http
