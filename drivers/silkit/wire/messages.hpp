// SPDX-License-Identifier: Apache-2.0
#pragma once
/// The messages of the protocol, version 3.1: what each holds, as bytes and back (docs/silkit-protocol.md).
///
/// `encode` appends one whole message, size and kind included, to `out`, so that several can go in one write.
/// A message above kMostMessage throws std::length_error and leaves `out` as it was. `encode_body` appends the body
/// of a service message: its header differs from receiver to receiver. `decode<Message>` reads what follows the kind
/// byte (registry messages: the registry kind), ignores surplus bytes at the end, uses the default for a trailing
/// member that is missing, and throws WireError when there is too little.
///
/// Threads  functions without state.
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "drivers/silkit/wire/members.hpp"

namespace tactus::silkit {

/// ---- framing

enum class Kind : std::uint8_t {
  invalid = 0,
  subscription = 1,
  acknowledge = 2,
  service = 3,
  service_alternative = 4,  ///< read as `service`; never sent
  registry = 5,
  proxy = 6,
  ring = 0x74,  ///< used between participants of this library only
};
enum class RegistryKind : std::uint8_t {
  announcement = 1,
  reply = 2,
  known_participants = 3,
  remote_connect = 4
};

inline constexpr std::size_t kSizeBytes = 4;
inline constexpr std::uint32_t kLeastMessage = 5;        ///< size and kind
inline constexpr std::uint32_t kMostMessage = 1U << 30;  ///< a size above this ends the stream
inline constexpr std::string_view kDefaultNetwork = "default";

/// A message of a stream.
struct Frame {
  Kind kind = Kind::invalid;
  ByteView body;  ///< bytes after the kind
};
/// The message at the front of `received`, or nothing when it has not come whole; `used`: its bytes. Throws
/// WireError for a size below 5 or above kMostMessage.
std::optional<Frame> next_frame(ByteView received, std::size_t& used);

/// ---- handshake

struct ProtocolVersion {
  std::uint16_t high = 3;
  std::uint16_t low = 1;
  bool is_ours() const { return *this == ProtocolVersion{}; }
  std::string text() const { return std::to_string(high) + "." + std::to_string(low); }
  friend bool operator==(const ProtocolVersion&, const ProtocolVersion&) = default;
};
/// Writes the version with the preamble in front. Throws WireError for one that is not the protocol's.
void write_member(Writer& writer, const ProtocolVersion& version);
void read_member(Reader& reader, ProtocolVersion& version);

struct PeerInfo {
  std::string name;
  std::uint64_t id = 0;  ///< hash64(name); 0: the registry
  std::vector<std::string> acceptors;
  std::string capabilities;
  static auto members(auto& self) { return std::tie(self.name, self.id, self.acceptors, self.capabilities); }
  friend bool operator==(const PeerInfo&, const PeerInfo&) = default;
};
struct Subscriber {
  std::uint64_t index = 0;
  std::string network;
  std::string type;
  std::uint32_t version = 1;
  static constexpr Kind kKind = Kind::subscription;
  static auto members(auto& self) { return std::tie(self.index, self.network, self.type, self.version); }
  friend bool operator==(const Subscriber&, const Subscriber&) = default;
};
/// Common part of the messages of a registry: one of another version is read no further than its version.
template <RegistryKind kind>
struct RegistryMessage {
  static constexpr Kind kKind = Kind::registry;
  static constexpr RegistryKind kRegistryKind = kind;
  ProtocolVersion version;
  static auto head(auto& self) { return std::tie(self.version); }
  bool is_readable() const { return version.is_ours(); }
};
struct Announcement : RegistryMessage<RegistryKind::announcement> {
  PeerInfo peer;
  std::string simulation;  ///< trailing
  static auto members(auto& self) { return std::tie(self.peer); }
  static auto trailing(auto& self) { return std::tie(self.simulation); }
};
struct AnnouncementReply : RegistryMessage<RegistryKind::reply> {
  bool success = true;
  std::vector<Subscriber> subscribers;
  std::string diagnostic;  ///< trailing
  static auto members(auto& self) { return std::tie(self.success, self.subscribers); }
  static auto trailing(auto& self) { return std::tie(self.diagnostic); }
  /// False in another version, whatever else it says.
  bool is_accepted() const { return success && is_readable(); }
};
struct KnownParticipants : RegistryMessage<RegistryKind::known_participants> {
  std::vector<PeerInfo> peers;
  static auto members(auto& self) { return std::tie(self.peers); }
};
/// Request through the registry to a participant that another one cannot connect to: it is to connect itself.
struct RemoteConnect : RegistryMessage<RegistryKind::remote_connect> {
  enum class Status : std::uint8_t {
    invalid = 0,
    request = 1,       ///< sent by the origin
    connecting = 2,    ///< sent by the target, which tries to
    failed = 3,        ///< sent by the target, which could not
    announcement = 4,  ///< sent by the target, the first message of the stream it has opened
  };
  PeerInfo origin;  ///< participant to be connected to
  PeerInfo target;  ///< participant that is to connect
  Status status = Status::invalid;
  static auto members(auto& self) { return std::tie(self.origin, self.target, self.status); }
};
/// Takes the registry kind off the front of the body of a Kind::registry message.
RegistryKind registry_kind(ByteView& body);

/// ---- subscriptions

struct Acknowledge {
  bool success = true;
  Subscriber subscriber;
  static constexpr Kind kKind = Kind::acknowledge;
  static auto members(auto& self) { return std::tie(self.success, self.subscriber); }
};

/// Appends size and kind; the size is filled in by end_message().
std::size_t begin_message(Bytes& out, Kind kind);
/// Throws std::length_error above kMostMessage.
void end_message(Bytes& out, std::size_t begin);

template <HasMembers Message>
void encode(Bytes& out, const Message& message) {
  const std::size_t begin = begin_message(out, Message::kKind);
  try {
    if constexpr (requires { Message::kRegistryKind; })
      Writer(out).value(static_cast<std::uint8_t>(Message::kRegistryKind));
    encode_body(out, message);
    end_message(out, begin);
  } catch (...) {
    out.resize(begin);
    throw;
  }
}

/// ---- service messages

struct ServiceHeader {
  std::uint64_t index = 0;        ///< chosen by the receiver in its subscription
  std::uint64_t participant = 0;  ///< id of the sender
  std::uint64_t service = 0;      ///< number of the sender's service
  static auto members(auto& self) { return std::tie(self.index, self.participant, self.service); }
};
/// One whole service message around a body that is encoded already.
void encode_service(Bytes& out, const ServiceHeader& header, const Pieces& body);
/// Writes the head of a body of that many bytes. Throws as encode_service() does.
void encode_service_head(Bytes& out, const ServiceHeader& header, std::size_t body);
/// Takes the header off the front of the body of a Kind::service message.
ServiceHeader take_service_header(ByteView& body);

/// The types of service messages, by the names they have in subscriptions.
namespace message_type {
inline constexpr std::string_view kServiceAnnouncement = "SERVICEANNOUNCEMENT";
inline constexpr std::string_view kServiceDiscoveryEvent = "SERVICEDISCOVERYEVENT";
inline constexpr std::string_view kBarrierCall = "REQUESTREPLYCALL";
inline constexpr std::string_view kBarrierReturn = "REQUESTREPLYCALLRETURN";
inline constexpr std::string_view kSystemCommand = "SYSTEMCOMMAND";
inline constexpr std::string_view kParticipantStatus = "PARTICIPANTSTATUS";
inline constexpr std::string_view kWorkflowConfiguration = "WORKFLOWCONFIGURATION";
inline constexpr std::string_view kNextSimTask = "NEXTSIMTASK";
inline constexpr std::string_view kDataMessageEvent = "DATAMESSAGEEVENT";
}  // namespace message_type

struct Uuid {
  std::uint64_t ab = 0;
  std::uint64_t cd = 0;
  std::string text() const;  ///< 8-4-4-4-12, lower case
  static Uuid random();      ///< version 4
  static auto members(auto& self) { return std::tie(self.ab, self.cd); }
  friend bool operator==(const Uuid&, const Uuid&) = default;
  friend auto operator<=>(const Uuid&, const Uuid&) = default;
};

enum class ServiceType : std::uint8_t {
  undefined = 0,
  link = 1,
  controller = 2,
  simulated = 3,
  internal = 4
};
enum class NetworkType : std::int32_t {
  undefined = 0,
  invalid = 1,
  can = 2,
  lin = 3,
  ethernet = 4,
  flexray = 5,
  data = 6,
  rpc = 7
};

struct ServiceDescriptor {
  std::string participant{};
  ServiceType type = ServiceType::undefined;
  std::string network{kDefaultNetwork};
  NetworkType network_type = NetworkType::undefined;
  std::string name;
  std::uint64_t id = 0;
  std::map<std::string, std::string> attributes;  ///< a repeated key on the wire throws WireError
  std::uint64_t participant_id = 0;
  /// The attribute, or "".
  std::string_view attribute(std::string_view key) const;
  static auto members(auto& self) {
    return std::tie(self.participant, self.type, self.network, self.network_type, self.name, self.id,
                    self.attributes, self.participant_id);
  }
  friend bool operator==(const ServiceDescriptor&, const ServiceDescriptor&) = default;
};
struct DiscoveryEvent {
  enum class What : std::int32_t { invalid = 0, created = 1, removed = 2 };
  What what = What::invalid;
  ServiceDescriptor service;
  static auto members(auto& self) { return std::tie(self.what, self.service); }
};
struct ServiceAnnouncement {
  std::string participant;
  std::uint64_t version = 1;
  std::vector<ServiceDescriptor> services;
  static auto members(auto& self) { return std::tie(self.participant, self.version, self.services); }
};
struct BarrierCall {
  Uuid uuid;
  std::uint16_t function = 1;  ///< 1: participant replies
  Bytes data;
  static auto members(auto& self) { return std::tie(self.uuid, self.function, self.data); }
};
struct BarrierReturn {
  Uuid uuid;
  std::uint16_t function = 1;
  Bytes data;
  std::uint16_t status = 0;  ///< 0 success, 1 unknown function, 2 error
  static auto members(auto& self) { return std::tie(self.uuid, self.function, self.data, self.status); }
};
struct StatusMessage {
  std::string participant;
  std::int16_t state = 0;
  std::string reason;
  std::int64_t enter_us = 0;  ///< time since 1970
  std::int64_t refresh_us = 0;
  static auto members(auto& self) {
    return std::tie(self.participant, self.state, self.reason, self.enter_us, self.refresh_us);
  }
};
struct WorkflowMessage {
  std::vector<std::string> required;
  static auto members(auto& self) { return std::tie(self.required); }
};
struct SystemCommand {
  std::uint8_t kind = 1;  ///< 1: abort
  static auto members(auto& self) { return std::tie(self.kind); }
};
struct NextSimTask {
  std::int64_t time_ns = 0;
  std::int64_t duration_ns = 0;
  static auto members(auto& self) { return std::tie(self.time_ns, self.duration_ns); }
  friend bool operator==(const NextSimTask&, const NextSimTask&) = default;
};
struct DataMessage {
  ByteView data;  ///< data of the message it was read from
  std::int64_t time_ns = INT64_MIN;
  static auto members(auto& self) { return std::tie(self.data, self.time_ns); }
};

/// The body without a copy of the data; `ends`: for what is before and after it.
Pieces body_in_pieces(Bytes& ends, const DataMessage& message);

}  // namespace tactus::silkit
