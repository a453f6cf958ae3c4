// SPDX-License-Identifier: Apache-2.0
/// Peers that say anything at all, in any order, to participants in a running simulation and to their
/// registry. What they say follows from fixed seeds; when it arrives does not.
#include <gtest/gtest.h>
#include <malloc.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <map>
#include <memory>
#include <random>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "drivers/silkit/core/pubsub.hpp"
#include "drivers/silkit/net/mesh.hpp"
#include "drivers/silkit/net/registry.hpp"
#include "tests/drivers/silkit/net/support/player.hpp"
#include "tests/drivers/silkit/net/support/raw_stream.hpp"
#include "tests/drivers/silkit/net/support/said.hpp"

namespace tactus::silkit::random_peer_test {
namespace {

using namespace test;
using namespace std::chrono_literals;
using Random = std::mt19937;

constexpr std::int64_t kMs = 1'000'000;
constexpr BacklogLimits kBacklog{.bytes = 2U << 20, .patience = 1s};
/// Bytes, of the whole process, the hostile peers included.
#ifdef TACTUS_SANITIZED
constexpr std::size_t kMostGrowth = 512U << 20;  // the sanitizer keeps for a while what is freed
#else
constexpr std::size_t kMostGrowth = 48U << 20;
#endif

std::size_t resident_bytes() {
  (void)::malloc_trim(0);
  std::ifstream statm("/proc/self/statm");
  std::size_t size = 0;
  std::size_t resident = 0;
  statm >> size >> resident;
  return resident * static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
}

/// What peers may say that ends a simulation, or its order, as the protocol has it.
enum class Manners {
  harmless,  ///< nothing of the kind
  none,
};

/// Makes messages up: valid ones at the wrong time and place, and spoiled ones.
class Liar {
 public:
  Liar(unsigned seed, Manners manners) : random_(seed), manners_(manners) {}

  /// To one of the good ones: its subscriptions, and the network of a publisher that is somebody else's.
  void meet(const std::vector<Subscriber>& subscriptions, const std::string& network) {
    indexes_.clear();
    for (const Subscriber& each : subscriptions)
      if (each.network == kDefaultNetwork) indexes_[each.type] = each.index;
    network_ = network;
  }

  std::uint64_t below(std::uint64_t limit) { return random_() % limit; }
  bool chance(int percent) { return below(100) < static_cast<std::uint64_t>(percent); }

  Bytes message() {
    Bytes bytes;
    const std::uint64_t what = below(100);
    if (what < 15)
      encode(bytes, subscription());
    else if (what < 22)
      encode(bytes, Acknowledge{chance(80), subscription()});
    else if (what < 90)
      service(bytes);
    else if (what < 94)
      handshake(bytes);
    else
      other_kind(bytes);
    if (chance(4)) spoil(bytes);
    return bytes;
  }

  Bytes garbage() {
    Bytes bytes(1 + below(200));
    for (std::byte& each : bytes) each = static_cast<std::byte>(below(256));
    return bytes;
  }

  Subscriber subscription() {
    return {chance(90) ? below(10'000) : number(), chance(70) ? std::string(kDefaultNetwork) : name(),
            std::string(type()), static_cast<std::uint32_t>(below(4))};
  }

  /// Says of something else what it is, how long it is, or how many there are.
  void spoil(Bytes& bytes) {
    // The index of a service message stays: with bad luck it would be that of a command.
    const std::size_t from = manners_ == Manners::harmless ? 29 : 0;
    switch (below(4)) {
      case 0:
        if (bytes.size() > from)
          bytes[from + below(bytes.size() - from)] = static_cast<std::byte>(below(256));
        break;
      case 1:  // cut off, and says so
        bytes.resize(std::min<std::size_t>(bytes.size(), 5 + below(bytes.size())));
        set_size(bytes, static_cast<std::uint32_t>(bytes.size()));
        break;
      case 2: {  // a count that cannot be
        if (bytes.size() < from + 4) break;
        const std::uint32_t many = chance(50) ? UINT32_MAX : static_cast<std::uint32_t>(below(UINT32_MAX));
        std::memcpy(bytes.data() + from + below(bytes.size() - from - 3), &many, sizeof many);
        break;
      }
      default:  // longer or shorter than it says
        set_size(bytes, static_cast<std::uint32_t>(chance(50) ? below(UINT32_MAX) : below(64)));
    }
  }

  NextSimTask task() { return {time(), time()}; }
  std::uint64_t index_of(std::string_view of_type) {
    const auto found = indexes_.find(std::string(of_type));
    return found == indexes_.end() ? 1'000'000 : found->second;
  }
  void say_service(Bytes& bytes, std::string_view of_type, const Bytes& body) {
    encode_service(bytes, {index_of(of_type), number(), number()}, body);
  }
  ServiceDescriptor service_descriptor(const std::string& controller) {
    ServiceDescriptor descriptor;
    descriptor.participant = name();
    descriptor.type = static_cast<ServiceType>(below(6));
    descriptor.network = chance(30) ? network_ : name();
    descriptor.network_type = static_cast<NetworkType>(below(9));
    descriptor.name = name();
    descriptor.id = number();
    descriptor.participant_id = number();
    descriptor.attributes = {{"controller.type", controller},
                             {"TimeSyncActive", chance(70) ? "1" : "0"},
                             {"TimeSyncDynamicStepSize", chance(30) ? "1" : "0"},
                             {"PubSub::topic", chance(70) ? "T" : name()},
                             {"PubSub::pubUUID", descriptor.network},
                             {"PubSub::pubMediaType", ""},
                             {"PubSub::pubLabels", chance(70) ? "" : "- [{\"key"}};
    if (chance(10)) descriptor.attributes.erase("PubSub::pubUUID");
    return descriptor;
  }

 private:
  static void set_size(Bytes& bytes, std::uint32_t size) { std::memcpy(bytes.data(), &size, sizeof size); }

  template <class Choices>
  const auto& one_of(const Choices& choices) {
    return choices[below(std::size(choices))];
  }
  std::uint64_t number() {
    constexpr std::uint64_t kNumbers[] = {0, 1, 4, 7, 8, 100, UINT32_MAX, INT64_MAX, UINT64_MAX};
    return chance(50) ? one_of(kNumbers) : hash64(chance(50) ? "Alpha" : "Beta");
  }
  std::int64_t time() {
    constexpr std::int64_t kTimes[] = {0,         1,         -1,           kMs, 5 * kMs, 3'600'000 * kMs,
                                       INT64_MAX, INT64_MIN, INT64_MAX - 1};
    return one_of(kTimes);
  }
  std::string name() {
    const char* const names[] = {"Nobody", "", "Evil", "SilKitRegistry", "\xFF\xFE", "a\nb", "T"};
    if (manners_ == Manners::none && chance(50)) return chance(50) ? "Alpha" : "Beta";
    return chance(10) ? std::string(below(3000), 'x') : one_of(names) + std::to_string(below(50));
  }
  std::string_view type() {
    using namespace message_type;
    constexpr std::string_view kTypes[] = {kServiceAnnouncement,
                                           kServiceDiscoveryEvent,
                                           kBarrierCall,
                                           kBarrierReturn,
                                           kSystemCommand,
                                           kParticipantStatus,
                                           kWorkflowConfiguration,
                                           kNextSimTask,
                                           kDataMessageEvent,
                                           "CANFRAMEEVENT",
                                           ""};
    return one_of(kTypes);
  }
  std::string controller() {
    const char* const controllers[] = {"TimeSyncService",  "DataPublisher",          "ServiceDiscovery",
                                       "LifecycleService", "DataSubscriberInternal", "?"};
    return one_of(controllers);
  }

  void service(Bytes& bytes) {
    using namespace message_type;
    Bytes body;
    std::string_view of = kNextSimTask;
    switch (below(manners_ == Manners::none ? 10 : 8)) {
      case 0:
        encode_body(body, DiscoveryEvent{static_cast<DiscoveryEvent::What>(below(4)),
                                         service_descriptor(controller())});
        of = kServiceDiscoveryEvent;
        break;
      case 1: {
        ServiceAnnouncement announcement{name(), number(), {}};
        for (std::uint64_t count = below(20); count > 0; --count)
          announcement.services.push_back(service_descriptor(controller()));
        encode_body(body, announcement);
        of = kServiceAnnouncement;
        break;
      }
      case 2:
        encode_body(body, BarrierCall{Uuid::random(), static_cast<std::uint16_t>(below(3)), garbage()});
        of = kBarrierCall;
        break;
      case 3:
        encode_body(body, BarrierReturn{Uuid::random(), 1, {}, static_cast<std::uint16_t>(below(9))});
        of = kBarrierReturn;
        break;
      case 4:
        encode_body(body, StatusMessage{name(), static_cast<std::int16_t>(below(14) * 10 - 10), name(),
                                        time(), time()});
        of = kParticipantStatus;
        break;
      case 5:
      case 6:
        encode_body(body, task());
        break;
      case 7: {  // where no data is expected, or not from here
        const Bytes data = garbage();
        encode_body(body, DataMessage{data, time()});
        encode_service(bytes, {8 + below(100), number(), number()}, body);
        return;
      }
      case 8:
        encode_body(body, WorkflowMessage{{name(), name(), "Alpha"}});
        of = kWorkflowConfiguration;
        break;
      default:
        encode_body(body, SystemCommand{static_cast<std::uint8_t>(below(3))});
        of = kSystemCommand;
    }
    if (manners_ == Manners::none && chance(5)) of = type();  // one body for another
    encode_service(bytes, {chance(98) ? index_of(of) : 1'000'000 + number() / 2, number(), number()}, body);
  }

  void handshake(Bytes& bytes) {
    switch (below(3)) {
      case 0:
        encode(bytes, announcement_of(name()));
        break;
      case 1:
        encode(bytes, AnnouncementReply{{}, chance(50), {subscription(), subscription()}, "why not"});
        break;
      default:
        encode(bytes, KnownParticipants{{}, {{name(), number(), {"tcp://127.0.0.1:1"}, "[["}}});
    }
  }

  void other_kind(Bytes& bytes) {
    constexpr std::uint8_t kKinds[] = {0, 6, 7, 77, 255};
    const Bytes body = garbage();
    Writer writer(bytes);
    writer.value(static_cast<std::uint32_t>(kLeastMessage + body.size()));
    writer.value(one_of(kKinds));
    writer.bytes(body);
  }

  Random random_;
  const Manners manners_;
  std::map<std::string, std::uint64_t> indexes_;
  std::string network_;
};

/// Reads what has come, so that the other end does not choke. False: it has ended the stream.
bool drain(const RawStream& stream) {
  std::array<std::byte, 65536> discarded;
  ssize_t size = 0;
  while ((size = ::recv(stream.number(), discarded.data(), discarded.size(), MSG_DONTWAIT)) > 0) {
  }
  return size < 0 && errno == EAGAIN;
}

/// Ends a stream without a good-bye: the other end sees a reset.
void reset(std::unique_ptr<RawStream>& stream) {
  const linger at_once{1, 0};
  (void)::setsockopt(stream->number(), SOL_SOCKET, SO_LINGER, &at_once, sizeof at_once);
  stream.reset();
}

/// Alpha and Beta, coordinated, a step per millisecond, with data both ways.
class RandomPeers : public testing::Test {
 protected:
  struct Good {
    std::unique_ptr<Player> player;
    DataPublisher* publisher = nullptr;
    std::string network;
    std::atomic<int> steps{0};
    std::atomic<int> from_the_other{0};  ///< messages that are the other good one's
    std::atomic<int> called{0};          ///< of the monitor's
  };

  void join_the_good() {
    const char* names[] = {"Alpha", "Beta"};
    for (std::size_t i = 0; i < 2; ++i) {
      Good& good = goods_[i];
      MeshSettings settings = at(uri_);
      settings.backlog = kBacklog;
      settings.connect_timeout = 5s;
      good.player = std::make_unique<Player>(names[i], settings, 1.0);
      good.player->mesh.join();
      good.player->with_engine([&](Engine& engine) { furnish(good, engine); });
    }
  }
  static void furnish(Good& good, Engine& engine) {
    engine.lifecycle().create(OperationMode::coordinated);
    engine.create_time_sync();
    engine.monitor().create();
    engine.monitor().on_status(handler<const Status&>([&](const Status&) { ++good.called; }));
    engine.monitor().on_system_state(handler<ParticipantState>([&](ParticipantState) { ++good.called; }));
    engine.monitor().on_connected(handler<const std::string&>([&](const std::string&) { ++good.called; }));
    engine.monitor().on_disconnected(handler<const std::string&>([&](const std::string&) { ++good.called; }));
    good.publisher = &engine.pubsub().create_publisher("Out", {"T", "", {}}, true);
    good.network = good.publisher->network;
    engine.pubsub().create_subscriber(
        "In", {"T", "", {}},
        handler<ByteView, std::int64_t>([&, name = engine.name()](ByteView data, std::int64_t) {
          const std::string text(reinterpret_cast<const char*>(data.data()), data.size());
          if (text == (name == "Alpha" ? "from Beta" : "from Alpha")) ++good.from_the_other;
        }));
    engine.virtual_time().on_step(handler<std::int64_t, std::int64_t>([&](std::int64_t, std::int64_t) {
                                    ++good.steps;
                                    good.player->with_engine([&](Engine& inside) {
                                      const std::string text = "from " + inside.name();
                                      inside.pubsub().publish(*good.publisher,
                                                              std::as_bytes(std::span(text)));
                                    });
                                  }),
                                  kMs, false);
  }
  void start_the_good() {
    goods_[0].player->with_engine([](Engine& engine) {
      engine.monitor().create_controller();
      engine.set_required({"Alpha", "Beta"});
    });
    for (Good& good : goods_) good.player->with_engine([](Engine& engine) { engine.lifecycle().start(); });
  }

  /// Both take steps, and hear each other.
  bool go_on(int steps) {
    std::array<int, 2> until{};
    std::array<int, 2> heard{};
    for (std::size_t i = 0; i < 2; ++i) {
      until[i] = goods_[i].steps + steps;
      heard[i] = goods_[i].from_the_other + steps / 2;
    }
    return eventually([&] {
      for (std::size_t i = 0; i < 2; ++i)
        if (goods_[i].steps < until[i] || goods_[i].from_the_other < heard[i]) return false;
      return true;
    });
  }
  bool stand_alone() {
    return eventually([&] {
      return registry_->participants().size() == 2 && goods_[0].player->peers().size() == 1 &&
             goods_[1].player->peers().size() == 1;
    });
  }
  /// However it stands, it comes to its end.
  bool end() {
    return eventually([&] {
      bool all = true;
      for (Good& good : goods_)
        all = good.player->with_engine([](Engine& engine) {
          const ParticipantState state = engine.state();
          if (state == ParticipantState::running || state == ParticipantState::paused ||
              state == ParticipantState::error)
            engine.stop("the end");
          return engine.complete();
        }) && all;
      return all;
    });
  }
  std::string states() {
    std::string text;
    for (Good& good : goods_)
      good.player->with_engine([&](Engine& engine) {
        text += engine.name() + " " + std::string(name_of(engine.state())) + ", step " +
                std::to_string(good.steps) + "; ";
      });
    return text;
  }

  /// A peer that has come in by the front door of the registry and of both.
  struct Evil {
    std::unique_ptr<RawStream> registry;
    std::array<std::unique_ptr<RawStream>, 2> streams;
    std::array<std::vector<Subscriber>, 2> subscriptions;
  };
  Evil evil(const std::string& name) {
    Evil made;
    made.registry = std::make_unique<RawStream>(registered(uri_, announcement_of(name)));
    for (std::size_t i = 0; i < 2; ++i) come_in(made, i, name);
    return made;
  }
  void come_in(Evil& peer, std::size_t to, const std::string& name) {
    peer.streams[to] = std::make_unique<RawStream>(goods_[to].player->mesh.acceptors().front());
    peer.streams[to]->say(announcement_of(name));
    const AnnouncementReply reply = peer.streams[to]->next_reply();
    if (!reply.success) throw std::runtime_error(reply.diagnostic);
    peer.subscriptions[to] = reply.subscribers;
  }

  /// Lies to both and to the registry. Shown out, it comes in again under another name.
  void lie(Liar& liar, Evil& peer, int messages) {
    for (int count = 0; count < messages; ++count) {
      const std::size_t to = liar.below(2);
      if (!drain(*peer.streams[to])) come_in(peer, to, "Again" + std::to_string(++shown_out_));
      RawStream& stream = *peer.streams[to];
      liar.meet(peer.subscriptions[to], goods_[1 - to].network);
      Bytes bytes;
      for (std::uint64_t several = 1 + liar.below(4); several > 0; --several) {
        const Bytes one = liar.message();
        bytes.insert(bytes.end(), one.begin(), one.end());
      }
      stream.send(bytes);
      if (liar.chance(10)) peer.registry->send(liar.message());
    }
  }
  void part(Liar& liar, Evil& peer, std::vector<std::unique_ptr<RawStream>>& left_open) {
    for (auto* stream : {&peer.registry, &peer.streams[0], &peer.streams[1]}) {
      Bytes half = liar.message();
      half.resize(1 + liar.below(half.size()));
      if (liar.chance(50)) (*stream)->send(half);
      switch (liar.below(3)) {
        case 0:
          reset(*stream);
          break;
        case 1:
          stream->reset();
          break;
        default:
          left_open.push_back(std::move(*stream));  // says nothing more, and does not read
      }
    }
  }

  /// Somebody whom nobody knows, at this door.
  static std::unique_ptr<RawStream> stranger(Liar& liar, const std::string& door) {
    auto stream = std::make_unique<RawStream>(door);
    Bytes bytes;
    switch (liar.below(4)) {
      case 0:
        bytes = liar.garbage();
        break;
      case 1:
        bytes = liar.message();
        break;
      case 2:
        encode(bytes, announcement_of(liar.chance(50) ? "Alpha" : "UnidentifiedPeer"));
        liar.spoil(bytes);
        break;
      default:
        encode(bytes, announcement_of("UnidentifiedPeer" + std::to_string(liar.below(9)),
                                      liar.chance(20) ? "x" : ""));
        bytes.resize(1 + liar.below(bytes.size()));
    }
    stream->send(bytes);
    return stream;
  }

  Said said_;
  const std::unique_ptr<Registry> registry_ =
      make_registry({.domain_sockets = false, .backlog = kBacklog, .io_thread = {.name = "registry"}}, said_);
  const std::string uri_ = registry_->listen("silkit://127.0.0.1:0");
  std::array<Good, 2> goods_;
  int shown_out_ = 0;  ///< how often somebody was
};

TEST_F(RandomPeers, LeaveNoTraceWhenWhatTheySayIsNobodysEnd) {
  join_the_good();
  start_the_good();
  ASSERT_TRUE(go_on(20)) << states();
  std::size_t before = 0;
  for (unsigned seed = 1; seed <= 6; ++seed) {
    if (seed == 2) before = resident_bytes();  // the first one has shown everybody how large buffers become
    Liar liar(seed, Manners::harmless);
    std::vector<std::unique_ptr<RawStream>> open;
    for (int turn = 0; turn < 4; ++turn) {
      Evil peer = evil("Evil" + std::to_string(turn));
      lie(liar, peer, 150);
      open.push_back(stranger(liar, uri_));
      open.push_back(stranger(liar, goods_[liar.below(2)].player->mesh.acceptors().front()));
      part(liar, peer, open);
    }
    open.clear();
    ASSERT_TRUE(stand_alone()) << "seed " << seed << ": " << registry_->participants().size();
    ASSERT_TRUE(go_on(10)) << "seed " << seed << ": " << states();
  }
  EXPECT_LT(resident_bytes(), before + kMostGrowth);
  EXPECT_GT(shown_out_, 10) << "what cannot be read ends a stream";
  Player late("Late", at(uri_));
  late.mesh.join();
  EXPECT_EQ(late.peers().size(), 2U) << "the registry still introduces everybody";
  late.mesh.leave();
  EXPECT_TRUE(end()) << states();
}

TEST_F(RandomPeers, EndASimulationAtMostAndNeverHoldIt) {
  for (unsigned seed = 11; seed <= 16; ++seed) {
    join_the_good();
    start_the_good();
    ASSERT_TRUE(go_on(5)) << states();
    Liar liar(seed, Manners::none);
    std::vector<std::unique_ptr<RawStream>> open;
    for (int turn = 0; turn < 2; ++turn) {
      Evil peer = evil("Evil" + std::to_string(turn));
      lie(liar, peer, 100);
      part(liar, peer, open);
    }
    open.clear();
    EXPECT_TRUE(stand_alone()) << "seed " << seed;
    EXPECT_TRUE(end()) << "seed " << seed << ": " << states();
    for (Good& good : goods_) good.player.reset();
    EXPECT_TRUE(eventually([&] { return registry_->participants().empty(); }));
  }
}

TEST_F(RandomPeers, CannotKeepAStartFromBeingAborted) {
  for (unsigned seed = 21; seed <= 24; ++seed) {
    join_the_good();
    Liar liar(seed, Manners::none);
    Evil peer = evil("Evil");
    lie(liar, peer, 20);
    start_the_good();
    lie(liar, peer, 50);
    std::vector<std::unique_ptr<RawStream>> open;
    part(liar, peer, open);
    open.clear();
    EXPECT_TRUE(stand_alone()) << "seed " << seed;
    for (Good& good : goods_) good.player->with_engine([](Engine& engine) { engine.abort_simulation(); });
    EXPECT_TRUE(end()) << "seed " << seed << ": " << states();
    for (Good& good : goods_) good.player.reset();
    EXPECT_TRUE(eventually([&] { return registry_->participants().empty(); }));
  }
}

TEST_F(RandomPeers, FloodsOfTimesHoldTheOthersUpOnlyAsLongAsTheyStay) {
  join_the_good();
  start_the_good();
  ASSERT_TRUE(go_on(5)) << states();
  Liar liar(31, Manners::harmless);
  Evil peer = evil("Clock");
  for (std::size_t to = 0; to < 2; ++to) {
    liar.meet(peer.subscriptions[to], "");
    Bytes bytes;
    Bytes body;
    ServiceDescriptor service = liar.service_descriptor("TimeSyncService");
    service.attributes["TimeSyncActive"] = "1";
    service.attributes["TimeSyncDynamicStepSize"] = "1";
    encode_body(body, DiscoveryEvent{DiscoveryEvent::What::created, service});
    liar.say_service(bytes, message_type::kServiceDiscoveryEvent, body);
    for (int count = 0; count < 5000; ++count) {
      body.clear();
      encode_body(body, liar.task());
      liar.say_service(bytes, message_type::kNextSimTask, body);
    }
    peer.streams[to]->send(bytes);
  }
  std::vector<std::unique_ptr<RawStream>> open;
  part(liar, peer, open);
  open.clear();
  EXPECT_TRUE(stand_alone());
  EXPECT_TRUE(go_on(10)) << states();
  EXPECT_TRUE(end()) << states();
}

TEST_F(RandomPeers, SubscriptionsByTheThousandAreForgottenWithWhoMadeThem) {
  join_the_good();
  start_the_good();
  ASSERT_TRUE(go_on(5)) << states();
  std::size_t before = 0;
  for (int turn = 0; turn < 4; ++turn) {
    if (turn == 1) before = resident_bytes();
    Evil peer = evil("Collector");
    for (std::uint64_t count = 0; count < 5000; ++count) {
      // No two are alike, and each name is large: kept, they would be 20 MB per turn and participant.
      peer.streams[count % 2]->say(Subscriber{
          count, std::to_string(turn) + "." + std::to_string(count) + std::string(8000, 'n'), "X", 1});
      if (count % 16 == 0)
        for (const auto& stream : peer.streams) (void)drain(*stream);
    }
    for (auto& stream : peer.streams) reset(stream);
    peer.registry.reset();
    ASSERT_TRUE(stand_alone());
    ASSERT_TRUE(go_on(5)) << states();
  }
  EXPECT_LT(resident_bytes(), before + kMostGrowth);
  EXPECT_TRUE(end()) << states();
}

TEST_F(RandomPeers, DoNotSpeakForThePublishersOfOthers) {
  join_the_good();
  start_the_good();
  ASSERT_TRUE(go_on(5)) << states();
  Liar liar(41, Manners::harmless);
  Evil peer = evil("Thief");
  for (std::size_t to = 0; to < 2; ++to) {
    liar.meet(peer.subscriptions[to], "");
    ServiceDescriptor stolen = liar.service_descriptor("DataPublisher");
    stolen.type = ServiceType::controller;
    stolen.network = goods_[1 - to].network;
    stolen.attributes["PubSub::topic"] = "T";
    stolen.attributes["PubSub::pubUUID"] = stolen.network;
    stolen.attributes["PubSub::pubLabels"] = "";
    Bytes bytes;
    for (const auto what : {DiscoveryEvent::What::created, DiscoveryEvent::What::removed}) {
      Bytes body;
      encode_body(body, DiscoveryEvent{what, stolen});
      liar.say_service(bytes, message_type::kServiceDiscoveryEvent, body);
    }
    peer.streams[to]->send(bytes);
  }
  for (auto& stream : peer.streams) reset(stream);
  peer.registry.reset();
  EXPECT_TRUE(stand_alone());
  EXPECT_TRUE(go_on(10)) << "each still hears the other";
  EXPECT_TRUE(end()) << states();
}

TEST_F(RandomPeers, NobodyIsKeptFromLeavingByPeersThatOnlyStay) {
  join_the_good();
  start_the_good();
  ASSERT_TRUE(go_on(5)) << states();
  Liar liar(51, Manners::harmless);
  std::vector<Evil> peers;
  std::vector<std::unique_ptr<RawStream>> open;
  for (int count = 0; count < 3; ++count) {
    peers.push_back(evil("Deaf" + std::to_string(count)));
    for (std::size_t to = 0; to < 2; ++to) {
      peers.back().streams[to]->say(Subscriber{1, std::string(kDefaultNetwork), "REQUESTREPLYCALL", 1});
      peers.back().streams[to]->say(Subscriber{2, goods_[to].network, "DATAMESSAGEEVENT", 1});
      open.push_back(stranger(liar, goods_[to].player->mesh.acceptors().front()));
    }
    open.push_back(stranger(liar, uri_));
  }
  const auto begin = std::chrono::steady_clock::now();
  for (Good& good : goods_) good.player->mesh.leave();
  EXPECT_LT(std::chrono::steady_clock::now() - begin, 40s);
}

}  // namespace
}  // namespace tactus::silkit::random_peer_test
