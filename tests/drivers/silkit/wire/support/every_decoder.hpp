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
  decode_twice(decode<Announcement>, body, true);
  decode_twice(decode<AnnouncementReply>, body, true);
  decode_twice(decode<KnownParticipants>, body, true);
  decode_twice(decode<RemoteConnect>, body, true);
  decode_twice(decode<ProxyMessage>, body, false);
  may_refuse([&] { (void)frame_of_payload(decode<ProxyMessage>(body).payload); });
  (void)is_announcement(body);
  decode_twice(decode<RingMessage>, body, false);
  decode_twice(decode<Subscriber>, body, false);
  decode_twice(decode<Acknowledge>, body, false);
  decode_body_twice(decode<DiscoveryEvent>, body);
  decode_body_twice(decode<ServiceAnnouncement>, body);
  decode_body_twice(decode<BarrierCall>, body);
  decode_body_twice(decode<BarrierReturn>, body);
  decode_body_twice(decode<StatusMessage>, body);
  decode_body_twice(decode<WorkflowMessage>, body);
  decode_body_twice(decode<SystemCommand>, body);
  decode_body_twice(decode<NextSimTask>, body);
  decode_body_twice(decode<DataMessage>, body);
  decode_body_twice(decode<LogMessage>, body);
  decode_body_twice(decode<MetricsUpdate>, body);
  decode_body_twice(decode<FunctionCall>, body);
  decode_body_twice(decode<FunctionCallResponse>, body);
  decode_body_twice(decode<CanFrameMessage>, body);
  decode_body_twice(decode<EthernetFrameMessage>, body);
  decode_body_twice(decode<LinTransmission>, body);
  decode_body_twice(decode<LinWakeupPulse>, body);
  decode_body_twice(decode<LinControllerConfig>, body);
  decode_body_twice(decode<LinStatusUpdate>, body);
  decode_body_twice(decode<LinFrameHeader>, body);
  decode_body_twice(decode<LinResponseUpdate>, body);
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
