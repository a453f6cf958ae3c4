// SPDX-License-Identifier: Apache-2.0
// Faults at the borders of a link: of what it sends, and of what a peer sends.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <cstring>
#include <deque>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "executive/capability/fault/fault_part.hpp"
#include "executive/capability/link/link_part.hpp"
#include "rtsync/host/heap_watch.hpp"
#include "tests/executive/support/plan_fixture.hpp"

namespace tactus::executive::link_fault_part_test {
namespace {

using rtsync::HeapWatch;
using test::PlanFixture;
using ::testing::ElementsAre;

/// Counts up, y by 1 and z down, as its own state.
class Counter : public Model {
 public:
  void declare(Declare& d) override {
    d.output("y", y);
    d.output("z", z);
    d.output("n", n);
    d.job<&Counter::step>("step", JobClass::scheduled);
  }
  void step() {
    y += 1;
    z -= 1;
    n += 1;
  }
  double y = 0, z = 0;
  std::int32_t n = 0;
};

/// A link that sends y, z and n, and gets a message in each frame.
class Line final : public LinkFrames {
 public:
  LinkVerdict begin_frame(const FrameStart&) TACTUS_RT override {
    silent ? ++withheld_messages : ++received;
    if (received_in.size() < received_in.capacity()) received_in.push_back(!silent);
    return LinkVerdict::go_on;
  }
  void end_frame(std::int64_t) TACTUS_RT override {
    if (y.size() == y.capacity()) return;
    double value = 0;
    std::memcpy(&value, from[0], sizeof value);
    y.push_back(value);
    std::memcpy(&value, from[1], sizeof value);
    z.push_back(value);
    std::int32_t whole = 0;
    std::memcpy(&whole, from[2], sizeof whole);
    n.push_back(whole);
  }
  const void* send_from(std::size_t number, std::size_t index, const void* at) override {
    EXPECT_EQ(number, 4U);
    return std::exchange(from[index], at);
  }
  void silence(std::size_t number, bool on) TACTUS_RT override {
    EXPECT_EQ(number, 2U);
    silent = on;
  }
  std::int64_t withheld(std::size_t) const override { return withheld_messages; }

  std::array<const void*, 3> from{};
  std::vector<double> y, z;
  std::vector<std::int32_t> n;
  std::vector<bool> received_in;
  bool silent = false;
  std::int64_t withheld_messages = 0, received = 0;
};

CompiledFault fault(FaultKind kind, std::int64_t frame = 3, std::int64_t until_ms = 6) {
  CompiledFault made;
  made.name = "f" + std::to_string(static_cast<int>(kind)) + "_" + std::to_string(frame);
  made.kind = kind;
  made.frame = frame;
  made.until_ns = until_ms * 1'000'000;
  return made;
}

struct Bench {
  Bench() {
    counter = &fixture.model<Counter>("c");
    for (const std::size_t i : {0U, 1U, 2U}) line.from[i] = ref(i).data();
    for (auto* const each : {&line.y, &line.z}) each->reserve(2000);
    line.n.reserve(2000);
    line.received_in.reserve(2000);
  }
  VariableRef ref(std::size_t index) {
    return fixture.ref(*counter, index == 0 ? "y" : index == 1 ? "z" : "n");
  }
  void send(CompiledFault made, std::size_t index = 0) {
    made.refs.push_back(ref(index));
    made.sent.push_back({4, index, ref(index)});
    faults.push_back(std::move(made));
  }
  Executive& make() {
    shown.resize(faults.size());
    Executive& executive = fixture.make();
    LinkPart& link = link_part.emplace(line, *fixture.sync, false);
    executive.add(link);
    executive.add(part.emplace(faults, shown, FaultMachine{nullptr, &line}));
    EXPECT_TRUE(part->has_link_faults());
    link.obey(&*part);
    return executive;
  }
  void run(std::int64_t frames) {
    (void)make().restorer().image();
    end = fixture.run(frames);
    EXPECT_EQ(end.outcome, Outcome::completed) << end.reason;
    EXPECT_EQ(PlanFixture::object<Counter>(*counter).y, static_cast<double>(frames))
        << "the rig keeps its own";
    EXPECT_EQ(PlanFixture::object<Counter>(*counter).z, -static_cast<double>(frames));
  }
  PlanFixture fixture;
  const ModelInstance* counter = nullptr;
  Line line;
  std::vector<CompiledFault> faults;
  std::deque<bool> shown;
  std::optional<LinkPart> link_part;
  std::optional<FaultPart> part;
  RunEnd end;
};

std::vector<double> sent_with(const CompiledFault& made) {
  Bench bench;
  bench.send(made);
  bench.run(8);
  return bench.line.y;
}

TEST(SentFault, EachKindChangesWhatThePeerGetsAndNothingElse) {
  CompiledFault offset = fault(FaultKind::offset);
  offset.a = 1;
  offset.b = 100;
  EXPECT_THAT(sent_with(offset), ElementsAre(1, 2, 3, 104, 105, 106, 7, 8));
  CompiledFault gain = fault(FaultKind::gain);
  gain.a = 3;
  EXPECT_THAT(sent_with(gain), ElementsAre(1, 2, 3, 12, 15, 18, 7, 8));
  EXPECT_THAT(sent_with(fault(FaultKind::stuck)), ElementsAre(1, 2, 3, 3, 3, 3, 7, 8));
  CompiledFault at = fault(FaultKind::stuck);
  at.values.emplace(1, overlay_bits(TACTUS_DOUBLE, -5));
  EXPECT_THAT(sent_with(at), ElementsAre(1, 2, 3, -5, -5, -5, 7, 8));
  CompiledFault drift = fault(FaultKind::drift);
  drift.b = 1000;
  EXPECT_THAT(sent_with(drift), ElementsAre(1, 2, 3, 4, 6, 8, 7, 8));
  CompiledFault delay = fault(FaultKind::delay);
  delay.delay_frames = 2;
  EXPECT_THAT(sent_with(delay), ElementsAre(1, 2, 3, 2, 3, 4, 7, 8));
  CompiledFault zero = fault(FaultKind::dropout);
  zero.dropout = CompiledFault::Dropout::zero;
  EXPECT_THAT(sent_with(zero), ElementsAre(1, 2, 3, 0, 0, 0, 7, 8));
  EXPECT_THAT(sent_with(fault(FaultKind::dropout)), ElementsAre(1, 2, 3, 3, 3, 3, 7, 8));
  CompiledFault flip = fault(FaultKind::flip);
  flip.bits = std::uint64_t{1} << 63;
  EXPECT_THAT(sent_with(flip), ElementsAre(1, 2, 3, -4, -5, -6, 7, 8));
  CompiledFault quantise = fault(FaultKind::quantise);
  quantise.a = 4;
  EXPECT_THAT(sent_with(quantise), ElementsAre(1, 2, 3, 4, 4, 8, 7, 8));
  CompiledFault limit = fault(FaultKind::limit);
  limit.a = -1;
  limit.b = 4.5;
  EXPECT_THAT(sent_with(limit), ElementsAre(1, 2, 3, 4, 4.5, 4.5, 7, 8));
  CompiledFault noise = fault(FaultKind::noise);
  noise.b = 0.5;
  const std::vector<double> noisy = sent_with(noise);
  EXPECT_EQ(noisy, sent_with(noise)) << "it is the same each time";
  for (std::size_t k = 0; k < 8; ++k)
    EXPECT_EQ(noisy[k] == static_cast<double>(k + 1), k < 3 || k > 5) << noisy[k] << " in " << k;
}

TEST(SentFault, TwoOfASignalChangePlacesAndFaultsActInTheirOrder) {
  Bench bench;
  CompiledFault offset = fault(FaultKind::offset);
  offset.a = 1;
  offset.b = 100;
  bench.send(offset, 1);
  bench.send(fault(FaultKind::swap));
  bench.faults[1].refs.push_back(bench.ref(1));
  bench.faults[1].sent.push_back({4, 1, bench.ref(1)});
  bench.run(7);
  EXPECT_THAT(bench.line.y, ElementsAre(1, 2, 3, 96, 95, 94, 7));
  EXPECT_THAT(bench.line.z, ElementsAre(-1, -2, -3, 4, 5, 6, -7));
}

TEST(SentFault, ItHoldsWhatWasSetBeforeTheFrames) {
  Bench bench;
  bench.send(fault(FaultKind::stuck, 0));
  (void)bench.make().restorer().image();
  PlanFixture::object<Counter>(*bench.counter).y = 20;  // as a parameter or a job of the initialization does
  (void)bench.fixture.run(8);
  EXPECT_THAT(bench.line.y, ElementsAre(20, 20, 20, 20, 20, 20, 27, 28));
}

TEST(SentFault, OneOfALinkThatIsOffChangesNothing) {
  Bench bench;
  bench.send(fault(FaultKind::stuck));
  for (const FaultKind kind : {FaultKind::drift, FaultKind::noise}) bench.faults.push_back(fault(kind, 1));
  bench.run(8);
  EXPECT_THAT(bench.line.y, ElementsAre(1, 2, 3, 3, 3, 3, 7, 8));
}

TEST(SentFault, AWholeNumberIsSentAsOne) {
  Bench bench;
  CompiledFault offset = fault(FaultKind::offset);
  offset.a = 1;
  offset.b = 100;
  bench.send(offset, 2);
  bench.run(7);
  EXPECT_THAT(bench.line.n, ElementsAre(1, 2, 3, 104, 105, 106, 7));
  EXPECT_THAT(bench.line.y, ElementsAre(1, 2, 3, 4, 5, 6, 7)) << "others of the message are not disturbed";
}

TEST(PeerFault, MessagesAreWithheldInTheFramesInWhichItsVariableIsTrue) {
  Bench bench;
  CompiledFault silent = fault(FaultKind::silent);
  silent.received = {2};
  bench.faults.push_back(silent);
  bench.run(8);
  EXPECT_THAT(bench.line.received_in, ElementsAre(true, true, true, false, false, false, true, true));
  EXPECT_EQ(bench.part->figures(0).first, 3);
  EXPECT_EQ(bench.part->figures(0).last, 5);
  config::Json row = config::Json::object();
  bench.part->summarize(0, row);
  EXPECT_EQ(row["messages"], 3);
}

TEST(PeerFault, ItComesAgainAsOftenAsItIsAskedTo) {
  Bench bench;
  CompiledFault silent = fault(FaultKind::silent, 2, 1000);
  silent.received = {2};
  silent.every_frames = 3;
  bench.faults.push_back(silent);
  bench.run(9);
  EXPECT_THAT(bench.line.received_in, ElementsAre(true, true, false, true, true, false, true, true, false));
}

TEST(PeerFault, ItIsSwitchedFromTheNextFrameOn) {
  Bench bench;
  CompiledFault silent = fault(FaultKind::silent, 0, 1000);
  silent.frame.reset();
  silent.received = {2};
  bench.faults.push_back(silent);
  struct Hand final : FramePart {
    void joined(FrameServices& services) override { row = services.switches("fault"); }
    void in_slack(const FrameEnd& end) TACTUS_RT override {
      if (end.frame == 2) row->turn(0, true);
      if (end.frame == 4) row->turn(0, false);
    }
    SwitchRow* row = nullptr;
  } hand;
  bench.make().add(hand);
  bench.end = bench.fixture.run(7);
  EXPECT_THAT(bench.line.received_in, ElementsAre(true, true, true, false, false, true, true));
}

/// A line that has an edge whenever it is asked.
class ReadyLine final : public rtsync::EdgeSource {
 public:
  rtsync::EdgeRead wait(rtsync::TimePoint<rtsync::MonotonicTime>,
                        std::span<rtsync::TimePoint<rtsync::MonotonicTime>> edges) TACTUS_RT override {
    edges[0] = rtsync::monotonic_now();
    return {rtsync::EdgeStatus::edges, 1, false, 0};
  }
  std::string what() const override { return "a line"; }
};

TEST(EdgeFault, ActsFromItsFrameOnAndRestsWhileTheRigIsPaused) {
  rtsync::DisturbedEdgeSource edges(std::make_unique<ReadyLine>());
  CompiledFault missing = fault(FaultKind::missing_edge, 2, 1000);
  const std::vector<CompiledFault> faults{missing};
  std::deque<bool> shown(1);
  PlanFixture fixture;
  FaultPart part(faults, shown, FaultMachine{&edges, nullptr});
  struct Reader final : FramePart {
    void in_slack(const FrameEnd&) TACTUS_RT override { seen.push_back(reads(*edges)); }
    static bool reads(rtsync::DisturbedEdgeSource& edges) TACTUS_RT {
      std::array<rtsync::TimePoint<rtsync::MonotonicTime>, 2> stamps{};
      return edges.wait({}, stamps).count > 0;
    }
    rtsync::DisturbedEdgeSource* edges = nullptr;
    std::vector<bool> seen;
  } reader;
  reader.edges = &edges;
  Executive& executive = fixture.make();
  executive.add(part);
  executive.add(reader);
  EXPECT_EQ(fixture.run(5).outcome, Outcome::completed);
  EXPECT_THAT(reader.seen, ElementsAre(true, true, false, false, false));
  RigChange pause{RigChange::frozen, 5};
  part.changed(pause);
  EXPECT_TRUE(Reader::reads(edges)) << "nothing is disturbed in a pause";
  part.rate_transition(5, 0);
  EXPECT_FALSE(Reader::reads(edges)) << "it goes on with the next frame";
  config::Json row = config::Json::object();
  part.summarize(0, row);
  EXPECT_EQ(row["edges"], 4);
}

TEST(LinkFaults, ARunFromACheckpointSendsAndReceivesTheSameAsOneThatWasNotInterrupted) {
  const auto fill = [](Bench& bench) {
    CompiledFault delay = fault(FaultKind::delay, 3, 9), noise = fault(FaultKind::noise, 2, 12),
                  silent = fault(FaultKind::silent, 2, 1000);
    delay.delay_frames = 2;
    noise.b = 0.5;
    silent.received = {2};
    silent.every_frames = 3;
    silent.each_frames = 2;
    bench.send(delay);
    bench.send(fault(FaultKind::stuck, 4, 8), 1);
    bench.send(noise);
    bench.faults.push_back(silent);
  };
  Bench whole;
  fill(whole);
  whole.run(14);
  for (std::int64_t k = 1; k < 14; ++k) {
    SCOPED_TRACE(k);
    Bench first, second;
    fill(first);
    first.run(k);
    fill(second);
    Executive& executive = second.make();
    const StateImage& from = first.fixture.executive->restorer().image();
    const StateImage& to = executive.restorer().image();
    LoadedState state{std::vector<std::byte>(to.bytes()), k};
    for (const Piece& piece : from.pieces())
      std::memcpy(state.bytes.data() + to.offset(to.find(piece.name)), piece.data, piece.bytes);
    executive.run_default_data();
    executive.run_initialization();
    executive.restart().load(state);
    EXPECT_EQ(executive.run(14).frames, 14 - k);
    (void)executive.run_shutdown();
    const auto rest = [k](const auto& all) { return std::vector(all.begin() + k, all.end()); };
    EXPECT_EQ(second.line.y, rest(whole.line.y));
    EXPECT_EQ(second.line.z, rest(whole.line.z));
    EXPECT_EQ(second.line.received_in, rest(whole.line.received_in));
  }
}

TEST(LinkFaults, NothingTouchesTheHeap) {
  Bench bench;
  CompiledFault noise = fault(FaultKind::noise, 2, 100'000), delay = fault(FaultKind::delay, 2, 100'000),
                silent = fault(FaultKind::silent, 2, 100'000);
  noise.b = 1;
  delay.delay_frames = 3;
  silent.received = {2};
  silent.every_frames = 3;
  bench.send(noise);
  bench.send(delay, 1);
  bench.faults.push_back(silent);
  bench.run(1500);
  if (!HeapWatch::available()) GTEST_SKIP() << "this build does not count heap calls";
  EXPECT_EQ(bench.fixture.executive->counters().heap_calls.value_or(1), 0U);
}

}  // namespace
}  // namespace tactus::executive::link_fault_part_test
