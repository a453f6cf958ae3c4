// SPDX-License-Identifier: Apache-2.0
#pragma once
/// Whatever a peer may have sent, given to everything that reads it: WireError is the only complaint allowed.
#include <stdexcept>
#include <string>

#include "drivers/silkit/wire/can_messages.hpp"
#include "drivers/silkit/wire/ethernet_messages.hpp"
#include "drivers/silkit/wire/labels.hpp"
#include "drivers/silkit/wire/lin_messages.hpp"
#include "drivers/silkit/wire/log_message.hpp"
#include "drivers/silkit/wire/messages.hpp"
#include "drivers/silkit/wire/metrics_message.hpp"
#include "drivers/silkit/wire/proxy_message.hpp"
#include "drivers/silkit/wire/ring_message.hpp"
#include "drivers/silkit/wire/rpc_messages.hpp"
#include "drivers/silkit/wire/uri.hpp"

namespace tactus::silkit::sample {

template <class Read>
void may_refuse(const Read& read) {
  try {
    read();
  } catch (const WireError&) {
  }
}

/// A message that was read is written, read and written again: the same bytes.
template <class Decode>
void decode_body_twice(const Decode& decode, ByteView body) {
  may_refuse([&] {
    Bytes once;
    encode_body(once, decode(body));
    Bytes twice;
    encode_body(twice, decode(once));
    if (once != twice) throw std::logic_error("a message changes when it is passed on");
  });
}

template <class Decode>
void decode_twice(const Decode& decode, ByteView body, bool registry) {
  may_refuse([&] {
    const auto message = decode(body);
    if constexpr (requires { message.version.high; })
      if (message.version != ProtocolVersion{}) return;
    Bytes once;
    encode(once, message);
    Bytes twice;
    encode(twice, decode(ByteView(once).subspan(kLeastMessage + (registry ? 1 : 0))));
    if (once != twice) throw std::logic_error("a message changes when it is passed on");
  });
}

inline void decode_as_everything(ByteView body) {
  decode_twice(decode_announcement, body, true);
  decode_twice(decode_reply, body, true);
  decode_twice(decode_known_participants, body, true);
  decode_twice(decode_remote_connect, body, true);
  decode_twice(decode_proxy_message, body, false);
  may_refuse([&] { (void)frame_of_payload(decode_proxy_message(body).payload); });
  (void)is_announcement(body);
  decode_twice(decode_ring_message, body, false);
  decode_twice(decode_subscription, body, false);
  decode_twice(decode_acknowledge, body, false);
  decode_body_twice(decode_discovery_event, body);
  decode_body_twice(decode_service_announcement, body);
  decode_body_twice(decode_barrier_call, body);
  decode_body_twice(decode_barrier_return, body);
  decode_body_twice(decode_status, body);
  decode_body_twice(decode_workflow, body);
  decode_body_twice(decode_system_command, body);
  decode_body_twice(decode_next_sim_task, body);
  decode_body_twice(decode_data, body);
  decode_body_twice(decode_log_message, body);
  decode_body_twice(decode_metrics_update, body);
  decode_body_twice(decode_function_call, body);
  decode_body_twice(decode_function_call_response, body);
  decode_body_twice(decode_can_frame, body);
  decode_body_twice(decode_ethernet_frame, body);
  decode_body_twice(decode_lin_transmission, body);
  decode_body_twice(decode_lin_wakeup_pulse, body);
  decode_body_twice(decode_lin_controller_config, body);
  decode_body_twice(decode_lin_status_update, body);
  decode_body_twice(decode_lin_frame_header, body);
  decode_body_twice(decode_lin_response_update, body);
}

/// The texts that hide in attributes: labels are written and read again, the same.
inline void read_as_texts(std::string_view text) {
  may_refuse([&] {
    const Labels labels = read_labels(text);
    const std::string once = labels_text(labels);
    if (labels_text(read_labels(once)) != once)
      throw std::logic_error("labels change when they are passed on");
    (void)labels_match(labels, labels);
  });
  (void)has_capability(text, "autonomous-synchronous");
  (void)in_connect_order({std::string(text)});
  (void)rewritten_acceptors({std::string(text)}, std::nullopt, std::string(text));
}

/// As the bytes of a stream, as the body of every message, and as text.
inline void read_everything(ByteView bytes) {
  may_refuse([&] {
    std::size_t used = 0;
    for (ByteView rest = bytes; const auto frame = next_frame(rest, used); rest = rest.subspan(used)) {
      ByteView body = frame->body;
      may_refuse([&] {
        if (frame->kind == Kind::registry) (void)registry_kind(body);
        if (frame->kind == Kind::service) (void)take_service_header(body);
      });
      decode_as_everything(body);
    }
  });
  decode_as_everything(bytes);
  std::string text;
  for (const std::byte byte : bytes) text += static_cast<char>(byte);
  read_as_texts(text);
}

}  // namespace tactus::silkit::sample
