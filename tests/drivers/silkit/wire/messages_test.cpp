// SPDX-License-Identifier: Apache-2.0
// The messages: byte for byte as others write them, and nothing but WireError for what cannot be one.
#include "drivers/silkit/wire/messages.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
#include <functional>
#include <random>
#include <set>
#include <type_traits>

#include "drivers/silkit/wire/proxy_message.hpp"
#include "drivers/silkit/wire/uri.hpp"
#include "tests/drivers/silkit/wire/support/every_decoder.hpp"
#include "tests/drivers/silkit/wire/support/examples.hpp"
#include "tests/drivers/silkit/wire/support/hex.hpp"

namespace tactus::silkit::messages_test {
namespace {

using sample::as_bytes;
using sample::as_text;
using sample::from_hex;
using sample::hex;

constexpr std::uint64_t kP = 177653;
constexpr std::uint64_t kG = 177644;

template <class Message>
Bytes encoded(const Message& message) {
  Bytes out;
  encode(out, message);
  return out;
}

template <class Message>
Bytes body_of(const Message& message) {
  Bytes out;
  encode_body(out, message);
  return out;
}

template <class Message>
Bytes service(const ServiceHeader& header, const Message& message) {
  Bytes out;
  encode_service(out, header, body_of(message));
  return out;
}

/// The body of the one message that `bytes` are; of registry messages, behind the registry kind.
ByteView only_body(const Bytes& bytes, Kind kind) {
  std::size_t used = 0;
  const std::optional<Frame> frame = next_frame(bytes, used);
  EXPECT_TRUE(frame);
  EXPECT_EQ(used, bytes.size());
  EXPECT_EQ(frame->kind, kind);
  return frame->body;
}

ByteView registry_body(const Bytes& bytes, RegistryKind kind) {
  ByteView body = only_body(bytes, Kind::registry);
  EXPECT_EQ(registry_kind(body), kind);
  return body;
}

ByteView service_body(const Bytes& bytes, const ServiceHeader& expected) {
  ByteView body = only_body(bytes, Kind::service);
  const ServiceHeader header = take_service_header(body);
  EXPECT_EQ(header.index, expected.index);
  EXPECT_EQ(header.participant, expected.participant);
  EXPECT_EQ(header.service, expected.service);
  return body;
}

// ---- examples of a real exchange

TEST(MessageExample, Announcement) {
  const Announcement message{
      {}, {"P", kP, {"tcp://0.0.0.0:45705"}, R"([{"name":"autonomous-synchronous"}])"}, ""};
  const Bytes bytes = from_hex(sample::kAnnouncement);
  EXPECT_EQ(bytes.size(), 97U);
  EXPECT_EQ(hex(encoded(message)), hex(bytes));

  const Announcement read = decode<Announcement>(registry_body(bytes, RegistryKind::announcement));
  EXPECT_EQ(read.version, message.version);
  EXPECT_EQ(read.peer, message.peer);
  EXPECT_EQ(read.simulation, "");
}

TEST(MessageExample, KnownParticipants) {
  const std::string capabilities =
      capabilities_text({"autonomous-synchronous", "proxy-message", "request-participant-connection-v2"});
  ASSERT_EQ(capabilities.size(), 0x69U);
  const KnownParticipants message{{},
                                  {{"G", kG, {"tcp://127.0.0.1:36897", "tcp://[::1]:39399"}, capabilities}}};
  Bytes bytes = from_hex(sample::kKnownParticipantsBegin);
  Writer(bytes).bytes(as_bytes(capabilities));
  EXPECT_EQ(bytes.size(), 190U);
  EXPECT_EQ(hex(encoded(message)), hex(bytes));

  const KnownParticipants read =
      decode<KnownParticipants>(registry_body(bytes, RegistryKind::known_participants));
  EXPECT_EQ(read.version, message.version);
  EXPECT_EQ(read.peers, message.peers);
}

TEST(MessageExample, AnnouncementReply) {
  const AnnouncementReply message{{},
                                  true,
                                  {{0, "default", "PARTICIPANTSTATUS", 1},
                                   {1, "default", "WORKFLOWCONFIGURATION", 1},
                                   {2, "default", "SERVICEDISCOVERYEVENT", 1},
                                   {3, "default", "METRICSUPDATE", 1}},
                                  ""};
  const Bytes bytes = encoded(message);
  EXPECT_EQ(bytes.size(), 203U);
  const std::string begin = hex(from_hex(sample::kReplyBegin));
  const std::string end = hex(from_hex(sample::kReplyEnd));
  EXPECT_EQ(hex(bytes).substr(0, begin.size()), begin);
  EXPECT_EQ(hex(bytes).substr(hex(bytes).size() - end.size()), end);

  const AnnouncementReply read = decode<AnnouncementReply>(registry_body(bytes, RegistryKind::reply));
  EXPECT_EQ(read.version, message.version);
  EXPECT_TRUE(read.success);
  EXPECT_EQ(read.subscribers, message.subscribers);
  EXPECT_EQ(read.diagnostic, "");
}

TEST(MessageExample, SubscriptionAndItsAcknowledge) {
  const Subscriber subscriber{7, std::string(kDefaultNetwork), std::string(message_type::kNextSimTask), 1};
  const Bytes asked = from_hex(sample::kSubscription);
  EXPECT_EQ(hex(encoded(subscriber)), hex(asked));
  EXPECT_EQ(decode<Subscriber>(only_body(asked, Kind::subscription)), subscriber);

  const Bytes answered = from_hex(sample::kAcknowledge);
  EXPECT_EQ(hex(encoded(Acknowledge{true, subscriber})), hex(answered));
  const Acknowledge read = decode<Acknowledge>(only_body(answered, Kind::acknowledge));
  EXPECT_TRUE(read.success);
  EXPECT_EQ(read.subscriber, subscriber);
}

ServiceDescriptor time_sync_service() {
  ServiceDescriptor service;
  service.participant = "P";
  service.type = ServiceType::internal;
  service.name = "TimeSyncService";
  service.id = 3;
  service.attributes = {
      {"controller.type", "TimeSyncService"}, {"TimeSyncActive", "1"}, {"TimeSyncDynamicStepSize", "0"}};
  service.participant_id = kP;
  return service;
}

TEST(MessageExample, DiscoveryEvent) {
  const ServiceHeader header{1, kP, 1};
  const DiscoveryEvent message{DiscoveryEvent::What::created, time_sync_service()};
  const Bytes bytes = from_hex(sample::kDiscoveryEvent);
  EXPECT_EQ(bytes.size(), 186U);
  EXPECT_EQ(hex(service(header, message)), hex(bytes));

  const DiscoveryEvent read = decode<DiscoveryEvent>(service_body(bytes, header));
  EXPECT_EQ(read.what, DiscoveryEvent::What::created);
  EXPECT_EQ(read.service, message.service);
  EXPECT_EQ(read.service.attribute("TimeSyncActive"), "1");
  EXPECT_EQ(read.service.attribute("TimeSync"), "");
}

TEST(MessageExample, Status) {
  const ServiceHeader header{5, kP, 4};
  const Bytes bytes = from_hex(sample::kStatus);
  EXPECT_EQ(bytes.size(), 73U);
  const StatusMessage read = decode<StatusMessage>(service_body(bytes, header));
  EXPECT_EQ(read.participant, "P");
  EXPECT_EQ(read.state, 10);
  EXPECT_EQ(read.reason, "lifecycle started");
  EXPECT_EQ(read.enter_us, 1795146482093264);
  EXPECT_EQ(read.refresh_us, 0);
  EXPECT_EQ(hex(service(header, StatusMessage{"P", 10, "lifecycle started", 1795146482093264, 0})),
            hex(bytes));
}

TEST(MessageExample, Workflow) {
  const ServiceHeader header{6, kP, 0};
  const Bytes bytes = from_hex(sample::kWorkflow);
  EXPECT_EQ(hex(service(header, WorkflowMessage{{"G", "P"}})), hex(bytes));
  EXPECT_EQ(decode<WorkflowMessage>(service_body(bytes, header)).required,
            (std::vector<std::string>{"G", "P"}));
}

TEST(MessageExample, BarrierCallAndReturn) {
  const Uuid uuid{0x67af64ec29e44827, 0x996876fc42b104a8};
  EXPECT_EQ(uuid.text(), "67af64ec-29e4-4827-9968-76fc42b104a8");

  const Bytes call = from_hex(sample::kBarrierCall);
  const ServiceHeader to_g{2, kP, 2};
  EXPECT_EQ(hex(service(to_g, BarrierCall{uuid, 1, {}})), hex(call));
  const BarrierCall read_call = decode<BarrierCall>(service_body(call, to_g));
  EXPECT_EQ(read_call.uuid, uuid);
  EXPECT_EQ(read_call.function, 1);
  EXPECT_TRUE(read_call.data.empty());

  const Bytes answer = from_hex(sample::kBarrierReturn);
  const ServiceHeader to_p{3, kG, 2};
  EXPECT_EQ(hex(service(to_p, BarrierReturn{uuid, 1, {}, 0})), hex(answer));
  const BarrierReturn read_answer = decode<BarrierReturn>(service_body(answer, to_p));
  EXPECT_EQ(read_answer.uuid, uuid);
  EXPECT_EQ(read_answer.function, 1);
  EXPECT_TRUE(read_answer.data.empty());
  EXPECT_EQ(read_answer.status, 0);
}

TEST(MessageExample, NextSimTask) {
  const ServiceHeader header{7, kP, 3};
  const std::pair<std::string_view, NextSimTask> rows[] = {{sample::kFirstTask, {0, 1000000}},
                                                           {sample::kSecondTask, {1000000, 1000000}}};
  for (const auto& [text, task] : rows) {
    const Bytes bytes = from_hex(text);
    EXPECT_EQ(hex(service(header, task)), hex(bytes));
    EXPECT_EQ(decode<NextSimTask>(service_body(bytes, header)), task);
  }
}

TEST(MessageExample, Data) {
  const ServiceHeader header{8, kG, 6};
  const Bytes bytes = from_hex(sample::kData);
  EXPECT_EQ(hex(service(header, DataMessage{as_bytes("G step 0"), 0})), hex(bytes));
  const DataMessage read = decode<DataMessage>(service_body(bytes, header));
  EXPECT_EQ(as_text(read.data), "G step 0");
  EXPECT_EQ(read.time_ns, 0);
}

// ---- framing

TEST(NextFrame, TakesSizesWithinTheLimitsOnly) {
  const struct {
    std::uint32_t size;
    bool allowed;
  } rows[] = {{0, false},         {1, false}, {2, false},        {3, false},
              {4, false},         {5, true},  {1U << 30U, true}, {(1U << 30U) + 1, false},
              {0xFFFFFFFF, false}};
  for (const auto& row : rows) {
    Bytes bytes;
    Writer(bytes).value(row.size);
    std::size_t used = 0;
    if (row.allowed)
      EXPECT_FALSE(next_frame(bytes, used)) << row.size;  // not whole yet
    else
      EXPECT_THROW(next_frame(bytes, used), WireError) << row.size;
  }
}

TEST(NextFrame, WaitsUntilTheMessageIsWhole) {
  Bytes stream = from_hex(sample::kSecondTask);
  const std::size_t first = stream.size();
  Writer(stream).bytes(from_hex(sample::kData));
  for (std::size_t split = 0; split <= stream.size(); ++split) {
    const ByteView received = ByteView(stream).first(split);
    std::size_t used = 0;
    const std::optional<Frame> frame = next_frame(received, used);
    ASSERT_EQ(frame.has_value(), split >= first) << split;
    if (!frame) continue;
    EXPECT_EQ(used, first);
    EXPECT_EQ(frame->body.data(), stream.data() + kLeastMessage);
    EXPECT_EQ(frame->body.size(), first - kLeastMessage);
    const std::optional<Frame> second = next_frame(received.subspan(used), used);
    ASSERT_EQ(second.has_value(), split == stream.size()) << split;
  }
}

TEST(NextFrame, ReadsTheAlternativeServiceKindAsServiceAndPassesUnknownOnesOn) {
  for (int kind = 0; kind < 256; ++kind) {
    Bytes bytes = from_hex("06000000 00 2a");
    bytes[4] = static_cast<std::byte>(kind);
    std::size_t used = 0;
    const std::optional<Frame> frame = next_frame(bytes, used);
    ASSERT_TRUE(frame);
    EXPECT_EQ(static_cast<int>(frame->kind), kind == 4 ? 3 : kind);
    EXPECT_EQ(hex(frame->body), "2a");
  }
}

TEST(NextFrame, TakesAMessageWithNothingBehindItsKind) {
  std::size_t used = 0;
  const Bytes bytes = from_hex("05000000 06");
  const std::optional<Frame> frame = next_frame(bytes, used);
  ASSERT_TRUE(frame);
  EXPECT_EQ(used, 5U);
  EXPECT_TRUE(frame->body.empty());
}

// ---- every message

/// A message without its frame, and how it is read and written again.
struct Sample {
  std::string name;
  Bytes body;
  std::function<Bytes(ByteView)> again;
  std::size_t trailing = 0;  ///< bytes at the end that may be missing, all or none
};

Sample body_sample(std::string name, const auto& message, auto decode) {
  return {std::move(name), body_of(message), [decode](ByteView body) { return body_of(decode(body)); }};
}

Sample whole_sample(std::string name, const auto& message, auto decode, std::size_t head,
                    std::size_t trailing = 0) {
  const auto without_head = [head](Bytes bytes) {
    bytes.erase(bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(head));
    return bytes;
  };
  return {std::move(name), without_head(encoded(message)),
          [=](ByteView body) { return without_head(encoded(decode(body))); }, trailing};
}

std::vector<Sample> samples() {
  const PeerInfo peer{"P", kP, {"local:///tmp/x", "tcp://127.0.0.1:1"}, "[]"};
  const Subscriber subscriber{1, "net", "TYPE", 1};
  const Uuid uuid{1, 2};
  const ServiceDescriptor other{.participant = "",
                                .type = ServiceType::controller,
                                .network = "",
                                .network_type = NetworkType::data,
                                .name = "Ü",
                                .id = ~std::uint64_t{0},
                                .attributes = {{"", ""}, {"k", ""}, {"l", "v"}},
                                .participant_id = 0};
  const Bytes data = from_hex("0001ff");
  return {
      whole_sample("announcement", Announcement{{}, peer, "sim"}, decode<Announcement>, 6, 7),
      whole_sample("reply", AnnouncementReply{{}, true, {subscriber, {}}, ""}, decode<AnnouncementReply>, 6,
                   4),
      whole_sample("refusal", AnnouncementReply{{}, false, {}, "no"}, decode<AnnouncementReply>, 6, 6),
      whole_sample("known participants", KnownParticipants{{}, {peer, {}}}, decode<KnownParticipants>, 6),
      whole_sample("known nobody", KnownParticipants{{}, {}}, decode<KnownParticipants>, 6),
      whole_sample("remote connect",
                   RemoteConnect{{}, peer, {"Q", 1, {}, ""}, RemoteConnect::Status::connecting},
                   decode<RemoteConnect>, 6),
      whole_sample("proxy message", ProxyMessage{0, "P", "Q", data}, decode<ProxyMessage>, 5),
      whole_sample("proxy message of an end", ProxyMessage{0, "P", "Q", {}}, decode<ProxyMessage>, 5),
      whole_sample("subscription", subscriber, decode<Subscriber>, 5),
      whole_sample("acknowledge", Acknowledge{false, subscriber}, decode<Acknowledge>, 5),
      body_sample("discovery event", DiscoveryEvent{DiscoveryEvent::What::removed, time_sync_service()},
                  decode<DiscoveryEvent>),
      body_sample("service announcement", ServiceAnnouncement{"P", 1, {time_sync_service(), other, {}}},
                  decode<ServiceAnnouncement>),
      body_sample("no services", ServiceAnnouncement{"", 2, {}}, decode<ServiceAnnouncement>),
      body_sample("barrier call", BarrierCall{uuid, 7, data}, decode<BarrierCall>),
      body_sample("barrier return", BarrierReturn{uuid, 7, data, 2}, decode<BarrierReturn>),
      body_sample("status", StatusMessage{"P", -1, "why", 1, -1}, decode<StatusMessage>),
      body_sample("workflow", WorkflowMessage{{"", "G", "P"}}, decode<WorkflowMessage>),
      body_sample("system command", SystemCommand{255}, decode<SystemCommand>),
      body_sample("next sim task", NextSimTask{INT64_MAX, INT64_MIN}, decode<NextSimTask>),
      body_sample("data", DataMessage{data, INT64_MIN}, decode<DataMessage>),
      body_sample("no data", DataMessage{{}, -1}, decode<DataMessage>),
      body_sample("function call", FunctionCall{5, uuid, data}, decode<FunctionCall>),
      body_sample("function call response",
                  FunctionCallResponse{5, uuid, data, FunctionCallResponse::Status::internal_error},
                  decode<FunctionCallResponse>),
      body_sample("Ethernet frame", EthernetFrameMessage{7, data, 2, 9}, decode<EthernetFrameMessage>),
      body_sample("CAN frame", CanFrameMessage{7, {0x123, 0x200, 3, 1, 2, 4, data}, 2, 9},
                  decode<CanFrameMessage>),
  };
}

TEST(EveryMessage, IsReadBackAsItWasWritten) {
  for (const Sample& sample : samples())
    EXPECT_EQ(hex(sample.again(sample.body)), hex(sample.body)) << sample.name;
}

TEST(EveryMessage, IsRefusedWhenCutOffUnlessItsTrailingFieldIsWhatIsMissing) {
  for (const Sample& sample : samples()) {
    for (std::size_t size = 0; size < sample.body.size(); ++size) {
      // A copy of its own, so that a sanitizer sees a step beyond its end.
      const Bytes cut(sample.body.begin(), sample.body.begin() + static_cast<std::ptrdiff_t>(size));
      if (sample.trailing != 0 && size == sample.body.size() - sample.trailing)
        EXPECT_NO_THROW(sample.again(cut)) << sample.name << ' ' << size;
      else
        EXPECT_THROW(sample.again(cut), WireError) << sample.name << ' ' << size;
    }
  }
}

TEST(EveryMessage, MayHaveSurplusBytes) {
  for (const Sample& sample : samples()) {
    Bytes longer = sample.body;
    Writer(longer).bytes(from_hex("ffffffffff"));
    EXPECT_EQ(hex(sample.again(longer)), hex(sample.body)) << sample.name;
  }
}

TEST(EveryMessage, StandsBehindOthersInOneBuffer) {
  Bytes out = from_hex("aabb");
  encode(out, Subscriber{7, "default", "NEXTSIMTASK", 1});
  encode_service(out, {7, kP, 3}, body_of(NextSimTask{0, 1000000}));
  EXPECT_EQ(hex(out), "aabb" + hex(from_hex(sample::kSubscription)) + hex(from_hex(sample::kFirstTask)));
}

TEST(EveryMessage, WithACountThatLiesIsRefusedOrReadWithinItsBytes) {
  for (const Sample& sample : samples()) {
    for (std::size_t at = 0; at + 4 <= sample.body.size(); ++at) {
      Bytes lie = sample.body;
      for (std::size_t k = 0; k < 4; ++k) lie[at + k] = std::byte{0xFF};
      try {  // not std::bad_alloc, not std::length_error
        (void)sample.again(lie);
      } catch (const WireError&) {
      }
    }
  }
}

TEST(Counts, ThatCannotBeAreRefused) {
  const std::string_view version = "5649422d 0300 0100 ";
  const auto behind_version = [&](std::string_view rest) {
    return from_hex(std::string(version).append(rest));
  };
  EXPECT_THROW(decode<AnnouncementReply>(behind_version("01 ffffffff")), WireError);
  EXPECT_THROW(decode<KnownParticipants>(behind_version("ffffffff")), WireError);
  EXPECT_THROW(decode<Announcement>(behind_version("00000000 0000000000000000 ffffffff 00000000 00000000")),
               WireError);
  EXPECT_THROW(decode<WorkflowMessage>(from_hex("ffffffff 00000000")), WireError);
  EXPECT_THROW(decode<ServiceAnnouncement>(from_hex("00000000 0100000000000000 ffffffff")), WireError);
  EXPECT_THROW(decode<DataMessage>(from_hex("ffffffff 0000000000000000")), WireError);
  Bytes attributes = body_of(DiscoveryEvent{});
  const std::size_t count = attributes.size() - 12;
  for (std::size_t k = 0; k < 4; ++k) attributes[count + k] = std::byte{0xFF};
  EXPECT_THROW(decode<DiscoveryEvent>(attributes), WireError);
}

TEST(Counts, OfMoreThanTheBytesCanHoldAreRefusedBeforeAnyElementIsRead) {
  constexpr std::size_t kMany = 64;
  const struct {
    const char* list;
    std::function<Bytes(std::size_t)> with;  ///< so many elements, all texts and lists of which are empty
    std::size_t count_at;
    std::function<void(ByteView)> decode;
  } rows[] = {
      {"texts", [](std::size_t n) { return body_of(WorkflowMessage{std::vector<std::string>(n)}); }, 0,
       [](ByteView body) { (void)decode<WorkflowMessage>(body); }},
      {"services",
       [](std::size_t n) {
         ServiceDescriptor empty;
         empty.network.clear();
         return body_of(ServiceAnnouncement{"", 1, std::vector<ServiceDescriptor>(n, empty)});
       },
       12, [](ByteView body) { (void)decode<ServiceAnnouncement>(body); }},
      {"peers",
       [](std::size_t n) {
         const Bytes bytes = encoded(KnownParticipants{{}, std::vector<PeerInfo>(n)});
         return Bytes(bytes.begin() + 6, bytes.end());
       },
       8, [](ByteView body) { (void)decode<KnownParticipants>(body); }},
      {"subscribers",
       [](std::size_t n) {
         const Bytes bytes = encoded(AnnouncementReply{{}, true, std::vector<Subscriber>(n), ""});
         return Bytes(bytes.begin() + 6, bytes.end());
       },
       9, [](ByteView body) { (void)decode<AnnouncementReply>(body); }},
  };
  for (const auto& row : rows) {
    SCOPED_TRACE(row.list);
    Bytes body = row.with(kMany);
    const std::size_t each = (body.size() - row.with(0).size()) / kMany;
    EXPECT_NO_THROW(row.decode(body));
    const auto count = static_cast<std::uint32_t>((body.size() - row.count_at - 4) / each + 1);
    std::memcpy(body.data() + row.count_at, &count, sizeof count);
    try {
      row.decode(body);
      ADD_FAILURE() << count << " were read";
    } catch (const WireError& error) {
      EXPECT_THAT(error.what(), testing::HasSubstr("announces " + std::to_string(count) + " elements of " +
                                                   std::to_string(each) + " or more bytes"));
    }
  }
}

TEST(Attributes, ThatAreRepeatedAreRefused) {
  DiscoveryEvent event;
  event.service.attributes = {{"a", "1"}, {"b", "2"}};
  Bytes body = body_of(event);
  ASSERT_NO_THROW(decode<DiscoveryEvent>(body));
  body[body.size() - 8 - 5 - 1] = std::byte{'a'};  // the key in front of value and participant id
  EXPECT_THROW(decode<DiscoveryEvent>(body), WireError);
}

TEST(Attributes, MayComeInAnyOrder) {
  DiscoveryEvent event;
  event.service.attributes = {{"a", "1"}, {"b", "1"}};
  Bytes body = body_of(event);
  std::swap(body[body.size() - 8 - 5 - 1], body[body.size() - 8 - 5 - 1 - 10]);
  EXPECT_EQ(decode<DiscoveryEvent>(body).service, event.service);
}

// ---- handshake

TEST(Handshake, RefusesAnotherPreamble) {
  const Bytes body = from_hex("5649422e 0300 0100 01 00000000 00000000");
  EXPECT_THROW(decode<Announcement>(body), WireError);
  EXPECT_THROW(decode<AnnouncementReply>(body), WireError);
  EXPECT_THROW(decode<KnownParticipants>(body), WireError);
}

TEST(Handshake, ReadsNothingButTheVersionOfAnotherVersion) {
  for (const std::string_view version : {"0300 0000", "0300 0200", "0400 0100", "0000 0000"}) {
    const Bytes body = from_hex("5649422d " + std::string(version) + " 01 ffffffff");
    const Announcement announcement = decode<Announcement>(body);
    EXPECT_NE(announcement.version, ProtocolVersion{});
    EXPECT_EQ(announcement.peer, PeerInfo{});
    const AnnouncementReply reply = decode<AnnouncementReply>(body);
    EXPECT_NE(reply.version, ProtocolVersion{});
    EXPECT_FALSE(reply.is_accepted()) << "nobody can have succeeded in another version";
    EXPECT_TRUE(reply.subscribers.empty());
    EXPECT_TRUE(decode<KnownParticipants>(body).peers.empty());
  }
  EXPECT_EQ(decode<AnnouncementReply>(from_hex("5649422d 0300 0000")).version, (ProtocolVersion{3, 0}));
}

TEST(Handshake, HasARegistryKind) {
  ByteView nothing;
  EXPECT_THROW(registry_kind(nothing), WireError);
  const Bytes bytes = from_hex("04 2a");
  ByteView body = bytes;
  EXPECT_EQ(registry_kind(body), RegistryKind::remote_connect);
  EXPECT_EQ(hex(body), "2a");
}

TEST(Handshake, MayLackWhatOlderVersionsDoNotKnow) {
  Bytes bytes = encoded(Announcement{{}, {"P", kP, {}, ""}, "gone"});
  bytes.resize(bytes.size() - 8);
  EXPECT_EQ(decode<Announcement>(ByteView(bytes).subspan(6)).simulation, "");
  bytes = encoded(AnnouncementReply{{}, false, {}, "gone"});
  bytes.resize(bytes.size() - 8);
  EXPECT_EQ(decode<AnnouncementReply>(ByteView(bytes).subspan(6)).diagnostic, "");
}

// ---- service messages

TEST(ServiceHeader, IsRefusedWhenCutOff) {
  const Bytes bytes(24);
  for (std::size_t size = 0; size < bytes.size(); ++size) {
    ByteView body = ByteView(bytes).first(size);
    EXPECT_THROW(take_service_header(body), WireError) << size;
  }
  ByteView body = bytes;
  EXPECT_NO_THROW(take_service_header(body));
  EXPECT_TRUE(body.empty());
}

TEST(ServiceMessage, StaysWithinRoomThatIsThere) {
  Bytes out;
  out.reserve(256);
  Bytes body;
  body.reserve(256);
  const std::byte* const out_begin = out.data();
  const std::byte* const body_begin = body.data();
  for (int k = 0; k < 100; ++k) {
    out.clear();
    body.clear();
    encode_body(body, DataMessage{as_bytes("twelve bytes"), k});
    encode_service(out, {7, kP, 3}, body);
    body.clear();
    encode_body(body, NextSimTask{k, 1});
    encode_service(out, {7, kP, 3}, body);
  }
  EXPECT_EQ(out.data(), out_begin);
  EXPECT_EQ(body.data(), body_begin);
}

TEST(ServiceMessage, GrowsItsBufferSeldom) {
  Bytes out;
  int moves = 0;
  const Bytes body = body_of(NextSimTask{0, 1});
  for (int k = 0; k < 10000; ++k) {
    const std::byte* const before = out.data();
    encode_service(out, {7, kP, 3}, body);
    if (out.data() != before) ++moves;
  }
  EXPECT_LT(moves, 30);
}

// What is read in a step owns nothing: no allocation.
static_assert(std::is_trivially_copyable_v<Frame>);
static_assert(std::is_trivially_copyable_v<ServiceHeader>);
static_assert(std::is_trivially_copyable_v<NextSimTask>);
static_assert(std::is_trivially_copyable_v<DataMessage>);

TEST(ServiceMessage, LeavesDataWhereItIs) {
  const Bytes body = body_of(DataMessage{as_bytes("abc"), 5});
  EXPECT_EQ(decode<DataMessage>(body).data.data(), body.data() + 4);
}

TEST(ServiceMessage, AboveWhatAPeerTakesIsRefused) {
  // As if there were so much: nothing of it is read.
  const std::byte byte{};
  const ByteView too_much(&byte, kMostMessage - 28);
  Bytes out = from_hex("aa");
  EXPECT_THROW(encode_service(out, {}, too_much), std::length_error);
  EXPECT_EQ(hex(out), "aa");
}

TEST(UuidText, HasItsGroups) {
  EXPECT_EQ(Uuid{}.text(), "00000000-0000-0000-0000-000000000000");
  EXPECT_EQ((Uuid{0x0123456789abcdef, 0xfedcba9876543210}).text(), "01234567-89ab-cdef-fedc-ba9876543210");
}

TEST(UuidRandom, IsOfVersion4AndNeverTheSame) {
  std::set<Uuid> seen;
  for (int k = 0; k < 1000; ++k) {
    const Uuid uuid = Uuid::random();
    const std::string text = uuid.text();
    EXPECT_EQ(text[14], '4') << text;
    EXPECT_NE(std::string("89ab").find(text[19]), std::string::npos) << text;
    EXPECT_TRUE(seen.insert(uuid).second) << text;
  }
}

// ---- anything at all

TEST(RandomBytes, AreReadOrRefusedWithWireError) {
  std::mt19937 random(25);  // the same every time
  const auto below = [&](std::size_t n) { return static_cast<std::size_t>(random()) % n; };
  for (int k = 0; k < 2000; ++k) {
    Bytes bytes(below(120));
    // Mostly zeros: counts that can be.
    for (std::byte& byte : bytes) byte = static_cast<std::byte>(below(3) == 0 ? random() : 0);
    EXPECT_NO_THROW(sample::read_everything(bytes)) << hex(bytes);
  }
}

TEST(RandomBytes, WithinMessagesAreReadOrRefusedWithWireError) {
  std::mt19937 random(26);  // the same every time
  const auto below = [&](std::size_t n) { return static_cast<std::size_t>(random()) % n; };
  constexpr std::uint8_t kTelling[] = {0, 1, 2, 3, 4, 5, 0x20, 0x7F, 0x80, 0xFF};
  std::vector<Bytes> seeds;
  for (const Sample& sample : samples()) seeds.push_back(sample.body);
  for (const std::string_view text :
       {sample::kAnnouncement, sample::kDiscoveryEvent, sample::kStatus, sample::kData})
    seeds.push_back(from_hex(text));
  for (int k = 0; k < 3000; ++k) {
    Bytes bytes = seeds[below(seeds.size())];
    for (std::size_t change = 1 + below(3); change > 0 && !bytes.empty(); --change) {
      const auto at = bytes.begin() + static_cast<std::ptrdiff_t>(below(bytes.size()));
      switch (below(4)) {
        case 0:
          *at = static_cast<std::byte>(random());
          break;
        case 1:
          *at = std::byte{kTelling[below(std::size(kTelling))]};
          break;
        case 2:
          bytes.erase(at);
          break;
        default:
          bytes.insert(at, static_cast<std::byte>(random()));
          break;
      }
    }
    EXPECT_NO_THROW(sample::read_everything(bytes)) << hex(bytes);
  }
}

}  // namespace
}  // namespace tactus::silkit::messages_test
