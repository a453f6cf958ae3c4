// SPDX-License-Identifier: Apache-2.0
#include "drivers/silkit/wire/messages.hpp"

#include <algorithm>
#include <random>

namespace tactus::silkit {

namespace {

constexpr std::uint32_t kPreamble = 0x2D424956;  // "VIB-"
constexpr std::size_t kServiceHead = kLeastMessage + 3 * sizeof(std::uint64_t);

// The least that an element takes, with all its texts and lists empty.
constexpr std::size_t kLeastText = 4;
constexpr std::size_t kLeastPeer = 4 + 8 + 4 + 4;
constexpr std::size_t kLeastSubscriber = 8 + 4 + 4 + 4;
constexpr std::size_t kLeastService = 4 + 1 + 4 + 4 + 4 + 8 + 4 + 8;
constexpr std::size_t kLeastAttribute = 4 + 4;

void check_size(std::size_t size) {
  if (size > kMostMessage)
    throw std::length_error("a message of " + std::to_string(size) + " bytes; " +
                            std::to_string(kMostMessage) + " is the most a peer takes");
}

/// Appends one message: size, kind, and what `body` writes. `out` stays as it was when that throws.
template <class Body>
void append(Bytes& out, Kind kind, const Body& body) {
  const std::size_t at = out.size();
  try {
    Writer writer(out);
    writer.value(std::uint32_t{0});
    writer.value(static_cast<std::uint8_t>(kind));
    body(writer);
    const std::size_t size = out.size() - at;
    check_size(size);
    const auto told = static_cast<std::uint32_t>(size);
    std::memcpy(out.data() + at, &told, sizeof(told));
  } catch (...) {
    out.resize(at);
    throw;
  }
}

// ---- parts of messages

void write(Writer& writer, ProtocolVersion version) {
  writer.value(kPreamble);
  writer.value(version.high);
  writer.value(version.low);
}

ProtocolVersion read_version(Reader& reader) {
  if (reader.value<std::uint32_t>() != kPreamble) throw WireError("a handshake does not begin with \"VIB-\"");
  ProtocolVersion version;
  version.high = reader.value<std::uint16_t>();
  version.low = reader.value<std::uint16_t>();
  return version;
}

void write(Writer& writer, const std::vector<std::string>& texts) {
  writer.count(texts.size());
  for (const std::string& text : texts) writer.text(text);
}

std::vector<std::string> read_texts(Reader& reader) {
  std::vector<std::string> texts;  // grows with what is really there, not with what is announced
  for (std::size_t left = reader.count(kLeastText); left > 0; --left) texts.push_back(reader.text());
  return texts;
}

void write(Writer& writer, const PeerInfo& peer) {
  writer.text(peer.name);
  writer.value(peer.id);
  write(writer, peer.acceptors);
  writer.text(peer.capabilities);
}

PeerInfo read_peer(Reader& reader) {
  PeerInfo peer;
  peer.name = reader.text();
  peer.id = reader.value<std::uint64_t>();
  peer.acceptors = read_texts(reader);
  peer.capabilities = reader.text();
  return peer;
}

void write(Writer& writer, const Subscriber& subscriber) {
  writer.value(subscriber.index);
  writer.text(subscriber.network);
  writer.text(subscriber.type);
  writer.value(subscriber.version);
}

Subscriber read_subscriber(Reader& reader) {
  Subscriber subscriber;
  subscriber.index = reader.value<std::uint64_t>();
  subscriber.network = reader.text();
  subscriber.type = reader.text();
  subscriber.version = reader.value<std::uint32_t>();
  return subscriber;
}

void write(Writer& writer, const Uuid& uuid) {
  writer.value(uuid.ab);
  writer.value(uuid.cd);
}

Uuid read_uuid(Reader& reader) {
  Uuid uuid;
  uuid.ab = reader.value<std::uint64_t>();
  uuid.cd = reader.value<std::uint64_t>();
  return uuid;
}

void write(Writer& writer, const ServiceDescriptor& service) {
  writer.text(service.participant);
  writer.value(static_cast<std::uint8_t>(service.type));
  writer.text(service.network);
  writer.value(static_cast<std::int32_t>(service.network_type));
  writer.text(service.name);
  writer.value(service.id);
  writer.count(service.attributes.size());
  for (const auto& [key, value] : service.attributes) {
    writer.text(key);
    writer.text(value);
  }
  writer.value(service.participant_id);
}

ServiceDescriptor read_service(Reader& reader) {
  ServiceDescriptor service;
  service.participant = reader.text();
  service.type = static_cast<ServiceType>(reader.value<std::uint8_t>());
  service.network = reader.text();
  service.network_type = static_cast<NetworkType>(reader.value<std::int32_t>());
  service.name = reader.text();
  service.id = reader.value<std::uint64_t>();
  for (std::size_t left = reader.count(kLeastAttribute); left > 0; --left) {
    std::string key = reader.text();
    std::string value = reader.text();
    const auto [at, fresh] = service.attributes.try_emplace(std::move(key), std::move(value));
    if (!fresh) throw WireError("a service has its attribute '" + at->first + "' twice");
  }
  service.participant_id = reader.value<std::uint64_t>();
  return service;
}

Bytes read_bytes(Reader& reader) {
  const ByteView view = reader.counted();
  return {view.begin(), view.end()};
}

}  // namespace

// ---- framing

std::optional<Frame> next_frame(ByteView received, std::size_t& used) {
  if (received.size() < kSizeBytes) return std::nullopt;
  std::uint32_t size = 0;
  std::memcpy(&size, received.data(), sizeof(size));
  if (size < kLeastMessage || size > kMostMessage)
    throw WireError("a message of " + std::to_string(size) + " bytes; " + std::to_string(kLeastMessage) +
                    " to " + std::to_string(kMostMessage) + " can be");
  if (received.size() < size) return std::nullopt;
  used = size;
  const auto kind = static_cast<Kind>(received[kSizeBytes]);
  return Frame{kind == Kind::service_alternative ? Kind::service : kind,
               received.subspan(kLeastMessage, size - kLeastMessage)};
}

// ---- handshake

void encode(Bytes& out, const Announcement& message) {
  append(out, Kind::registry, [&](Writer& writer) {
    writer.value(static_cast<std::uint8_t>(RegistryKind::announcement));
    write(writer, message.version);
    write(writer, message.peer);
    writer.text(message.simulation);
  });
}

void encode(Bytes& out, const AnnouncementReply& message) {
  append(out, Kind::registry, [&](Writer& writer) {
    writer.value(static_cast<std::uint8_t>(RegistryKind::reply));
    write(writer, message.version);
    writer.value(message.success);
    writer.count(message.subscribers.size());
    for (const Subscriber& subscriber : message.subscribers) write(writer, subscriber);
    writer.text(message.diagnostic);
  });
}

void encode(Bytes& out, const KnownParticipants& message) {
  append(out, Kind::registry, [&](Writer& writer) {
    writer.value(static_cast<std::uint8_t>(RegistryKind::known_participants));
    write(writer, message.version);
    writer.count(message.peers.size());
    for (const PeerInfo& peer : message.peers) write(writer, peer);
  });
}

void encode(Bytes& out, const RemoteConnect& message) {
  append(out, Kind::registry, [&](Writer& writer) {
    writer.value(static_cast<std::uint8_t>(RegistryKind::remote_connect));
    write(writer, message.version);
    write(writer, message.origin);
    write(writer, message.target);
    writer.value(static_cast<std::uint8_t>(message.status));
  });
}

RegistryKind registry_kind(ByteView& body) {
  Reader reader(body);
  const auto kind = static_cast<RegistryKind>(reader.value<std::uint8_t>());
  body = reader.rest();
  return kind;
}

namespace {

/// A message of the registry: its version, and what `rest` reads if the version is ours.
template <class Message, class Rest>
Message read_versioned(ByteView body, const Rest& rest) {
  Reader reader(body);
  Message message;
  message.version = read_version(reader);
  if (message.version == ProtocolVersion{}) rest(reader, message);
  return message;
}

}  // namespace

Announcement decode_announcement(ByteView body) {
  return read_versioned<Announcement>(body, [](Reader& reader, Announcement& message) {
    message.peer = read_peer(reader);
    if (!reader.empty()) message.simulation = reader.text();
  });
}

AnnouncementReply decode_reply(ByteView body) {
  auto reply = read_versioned<AnnouncementReply>(body, [](Reader& reader, AnnouncementReply& message) {
    message.success = reader.value<bool>();
    for (std::size_t left = reader.count(kLeastSubscriber); left > 0; --left)
      message.subscribers.push_back(read_subscriber(reader));
    if (!reader.empty()) message.diagnostic = reader.text();
  });
  if (reply.version != ProtocolVersion{})
    reply.success = false;  // nobody can have succeeded in another version
  return reply;
}

KnownParticipants decode_known_participants(ByteView body) {
  return read_versioned<KnownParticipants>(body, [](Reader& reader, KnownParticipants& message) {
    for (std::size_t left = reader.count(kLeastPeer); left > 0; --left)
      message.peers.push_back(read_peer(reader));
  });
}

RemoteConnect decode_remote_connect(ByteView body) {
  return read_versioned<RemoteConnect>(body, [](Reader& reader, RemoteConnect& message) {
    message.origin = read_peer(reader);
    message.target = read_peer(reader);
    message.status = static_cast<RemoteConnect::Status>(reader.value<std::uint8_t>());
  });
}

// ---- subscriptions

void encode(Bytes& out, const Subscriber& message) {
  append(out, Kind::subscription, [&](Writer& writer) { write(writer, message); });
}

void encode(Bytes& out, const Acknowledge& message) {
  append(out, Kind::acknowledge, [&](Writer& writer) {
    writer.value(message.success);
    write(writer, message.subscriber);
  });
}

Subscriber decode_subscription(ByteView body) {
  Reader reader(body);
  return read_subscriber(reader);
}

Acknowledge decode_acknowledge(ByteView body) {
  Reader reader(body);
  Acknowledge message;
  message.success = reader.value<bool>();
  message.subscriber = read_subscriber(reader);
  return message;
}

// ---- service messages

void encode_service(Bytes& out, const ServiceHeader& header, const Pieces& body) {
  check_size(kServiceHead + body.size());  // before there is room for it
  reserve_more(out, kServiceHead + body.size());
  encode_service_head(out, header, body.size());
  Writer(out).pieces(body);
}

void encode_service_head(Bytes& out, const ServiceHeader& header, std::size_t body) {
  const std::size_t size = kServiceHead + body;
  check_size(size);
  std::array<std::byte, kServiceHead> head;
  const auto put = [&head](std::size_t at, auto value) {
    std::memcpy(head.data() + at, &value, sizeof(value));
  };
  put(0, static_cast<std::uint32_t>(size));
  put(4, Kind::service);
  put(5, header.index);
  put(13, header.participant);
  put(21, header.service);
  Writer(out).bytes(head);
}

ServiceHeader take_service_header(ByteView& body) {
  Reader reader(body);
  ServiceHeader header;
  header.index = reader.value<std::uint64_t>();
  header.participant = reader.value<std::uint64_t>();
  header.service = reader.value<std::uint64_t>();
  body = reader.rest();
  return header;
}

std::string Uuid::text() const {
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string text;
  for (const std::uint64_t half : {ab, cd})
    for (int shift = 60; shift >= 0; shift -= 4)
      text += kDigits[(half >> static_cast<unsigned>(shift)) & 0xFU];
  for (const std::size_t at : {20U, 16U, 12U, 8U}) text.insert(at, 1, '-');
  return text;
}

Uuid Uuid::random() {
  std::random_device source;
  const auto half = [&source] { return (std::uint64_t{source()} << 32U) | source(); };
  Uuid uuid{half(), half()};
  uuid.ab = (uuid.ab & ~std::uint64_t{0xF000}) | 0x4000U;                       // version 4
  uuid.cd = (uuid.cd & (~std::uint64_t{0} >> 2U)) | (std::uint64_t{2} << 62U);  // variant 1
  return uuid;
}

std::string_view ServiceDescriptor::attribute(std::string_view key) const {
  for (const auto& [known, value] : attributes)  // a handful: quicker than a copy of the key
    if (known == key) return value;
  return {};
}

void encode_body(Bytes& out, const DiscoveryEvent& message) {
  Writer writer(out);
  writer.value(static_cast<std::int32_t>(message.what));
  write(writer, message.service);
}

void encode_body(Bytes& out, const ServiceAnnouncement& message) {
  Writer writer(out);
  writer.text(message.participant);
  writer.value(message.version);
  writer.count(message.services.size());
  for (const ServiceDescriptor& service : message.services) write(writer, service);
}

void encode_body(Bytes& out, const BarrierCall& message) {
  Writer writer(out);
  write(writer, message.uuid);
  writer.value(message.function);
  writer.counted(message.data);
}

void encode_body(Bytes& out, const BarrierReturn& message) {
  Writer writer(out);
  write(writer, message.uuid);
  writer.value(message.function);
  writer.counted(message.data);
  writer.value(message.status);
}

void encode_body(Bytes& out, const StatusMessage& message) {
  Writer writer(out);
  writer.text(message.participant);
  writer.value(message.state);
  writer.text(message.reason);
  writer.value(message.enter_us);
  writer.value(message.refresh_us);
}

void encode_body(Bytes& out, const WorkflowMessage& message) {
  Writer writer(out);
  write(writer, message.required);
}

void encode_body(Bytes& out, const SystemCommand& message) { Writer(out).value(message.kind); }

void encode_body(Bytes& out, const NextSimTask& message) {
  const auto image =
      std::bit_cast<std::array<std::byte, 16>>(std::array{message.time_ns, message.duration_ns});
  Writer(out).bytes(image);
}

void encode_body(Bytes& out, const DataMessage& message) {
  Bytes ends;
  const Pieces body = body_in_pieces(ends, message);
  reserve_more(out, body.size());
  Writer(out).pieces(body);
}

Pieces body_in_pieces(Bytes& ends, const DataMessage& message) {
  ends.clear();
  Writer writer(ends);
  writer.count(message.data.size());
  const std::size_t head = ends.size();
  writer.value(message.time_ns);
  return {ByteView(ends).first(head), message.data, ByteView(ends).subspan(head)};
}

DiscoveryEvent decode_discovery_event(ByteView body) {
  Reader reader(body);
  DiscoveryEvent message;
  message.what = static_cast<DiscoveryEvent::What>(reader.value<std::int32_t>());
  message.service = read_service(reader);
  return message;
}

ServiceAnnouncement decode_service_announcement(ByteView body) {
  Reader reader(body);
  ServiceAnnouncement message;
  message.participant = reader.text();
  message.version = reader.value<std::uint64_t>();
  for (std::size_t left = reader.count(kLeastService); left > 0; --left)
    message.services.push_back(read_service(reader));
  return message;
}

BarrierCall decode_barrier_call(ByteView body) {
  Reader reader(body);
  BarrierCall message;
  message.uuid = read_uuid(reader);
  message.function = reader.value<std::uint16_t>();
  message.data = read_bytes(reader);
  return message;
}

BarrierReturn decode_barrier_return(ByteView body) {
  Reader reader(body);
  BarrierReturn message;
  message.uuid = read_uuid(reader);
  message.function = reader.value<std::uint16_t>();
  message.data = read_bytes(reader);
  message.status = reader.value<std::uint16_t>();
  return message;
}

StatusMessage decode_status(ByteView body) {
  Reader reader(body);
  StatusMessage message;
  message.participant = reader.text();
  message.state = reader.value<std::int16_t>();
  message.reason = reader.text();
  message.enter_us = reader.value<std::int64_t>();
  message.refresh_us = reader.value<std::int64_t>();
  return message;
}

WorkflowMessage decode_workflow(ByteView body) {
  Reader reader(body);
  return {read_texts(reader)};
}

SystemCommand decode_system_command(ByteView body) { return {Reader(body).value<std::uint8_t>()}; }

NextSimTask decode_next_sim_task(ByteView body) {
  Reader reader(body);
  NextSimTask message;
  message.time_ns = reader.value<std::int64_t>();
  message.duration_ns = reader.value<std::int64_t>();
  return message;
}

DataMessage decode_data(ByteView body) {
  Reader reader(body);
  DataMessage message;
  message.data = reader.counted();
  message.time_ns = reader.value<std::int64_t>();
  return message;
}

}  // namespace tactus::silkit
