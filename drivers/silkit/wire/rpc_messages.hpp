// SPDX-License-Identifier: Apache-2.0
#pragma once
/// The messages of RPC. Both go on the network that is
/// named by the UUID of the client.
///
/// Threads  functions without state.
#include <cstdint>
#include <string_view>
#include <tuple>

#include "drivers/silkit/wire/messages.hpp"

namespace tactus::silkit {

namespace message_type {
inline constexpr std::string_view kFunctionCall = "FUNCTIONCALL";
inline constexpr std::string_view kFunctionCallResponse = "FUNCTIONCALLRESPONSE";
}  // namespace message_type

struct FunctionCall {
  std::int64_t time_ns = INT64_MIN;
  Uuid uuid;      ///< identifier of the call
  ByteView data;  ///< data of the message it was read from
  static auto members(auto& self) { return std::tie(self.time_ns, self.uuid, self.data); }
};
struct FunctionCallResponse {
  enum class Status : std::uint32_t { success = 0, internal_error = 1 };
  std::int64_t time_ns = INT64_MIN;
  Uuid uuid;
  ByteView data;
  Status status = Status::success;
  static auto members(auto& self) { return std::tie(self.time_ns, self.uuid, self.data, self.status); }
};

}  // namespace tactus::silkit
